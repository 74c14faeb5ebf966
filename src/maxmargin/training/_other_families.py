"""The lasso and kernel models, which are trained where they are named: their penalty and gamma by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..kernel_model import KernelLogisticRegression, KernelRidge
from ..kernels import RBF, Constant
from ..linear_model import Lasso
from ._search import Job, SearchResult, search_each


def search_lasso(job: Job) -> SearchResult:
    """The penalty of the lasso, from the one that leaves no weight on."""
    centred = np.asarray(job.y, dtype=np.float64) - np.mean(job.y)
    largest = float(np.abs(np.asarray(job.X.T @ centred)).max()) / len(centred)
    alphas = (max(largest, np.finfo(np.float64).tiny) * np.logspace(0, -3.5, 8)).tolist()
    note = f"{len(alphas)} candidates on {len(job.y)} rows"
    return search_each(job, [{"alpha": alpha} for alpha in alphas], lambda **params: make_lasso(job, params), note)


def make_lasso(job: Job, params: dict[str, Any]) -> Lasso:
    """The lasso of a candidate."""
    return Lasso(**params)


def search_kernel_ridge(job: Job) -> SearchResult:
    """The penalty and gamma of kernel ridge regression."""
    candidates = [{"alpha": a, "gamma": g} for g in _gammas(job) for a in np.logspace(1, -3, 5).tolist()]
    note = f"{len(candidates)} candidates on {len(job.y)} rows"
    return search_each(job, candidates, lambda **params: make_kernel_ridge(job, params), note)


def make_kernel_ridge(job: Job, params: dict[str, Any]) -> KernelRidge:
    """The kernel ridge regression of a candidate; the constant in its kernel takes the place of an intercept."""
    return KernelRidge(alpha=params["alpha"], kernel=RBF(params["gamma"]) + Constant(1.0))


def search_kernel_logistic(job: Job) -> SearchResult:
    """C and gamma of kernel logistic regression."""
    Cs = np.logspace(-1, 3, 5).tolist() if job.fixed.get("C") is None else [float(job.fixed["C"])]
    candidates = [{"C": C, "gamma": g} for g in _gammas(job) for C in Cs]
    note = f"{len(candidates)} candidates on {len(job.y)} rows"
    return search_each(job, candidates, lambda **params: make_kernel_logistic(job, params), note)


def make_kernel_logistic(job: Job, params: dict[str, Any]) -> KernelLogisticRegression:
    """The kernel logistic regression of a candidate."""
    return KernelLogisticRegression(class_weight=job.class_weight, n_jobs=job.n_jobs, **params)


def _gammas(job: Job) -> list[float]:
    """The given one; else a few around 1 over the number of columns times their variance, as "scale" is."""
    if job.fixed.get("gamma") is not None:
        return [float(job.fixed["gamma"])]
    X = job.X
    mean = X.mean()
    spread = float((X.multiply(X)).mean() - mean**2) if sp.issparse(X) else float(np.var(X))
    scale = 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0
    return [scale * factor for factor in (1.0, 0.2, 3.0, 0.04)]
