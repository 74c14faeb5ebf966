"""Families that are trained where they are named: least squares, lasso, elastic net and kernel models."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..kernel_model import KernelLogisticRegression, KernelPerceptron, KernelRidge
from ..kernels import RBF, Constant
from ..linear_model import ElasticNet, Lasso, LinearRegression
from ._search import Job, SearchResult, search_each

_EPOCHS = 30  # of the kernel perceptron
_RATIOS = (0.1, 0.5, 0.9)  # parts of the absolute values in the penalty of an elastic net


def search_least_squares(job: Job) -> SearchResult:
    """Nothing to choose: one candidate, for its scores."""
    return search_each(job, [{}], lambda **params: make_least_squares(job, params), "nothing to search")


def make_least_squares(job: Job, params: dict[str, Any]) -> LinearRegression:
    """Least squares."""
    return LinearRegression(**params)


def search_lasso(job: Job) -> SearchResult:
    """The penalty of the lasso, from the one that leaves no weight on."""
    alphas = _alphas(job, 1.0)
    note = f"{len(alphas)} candidates on {len(job.y)} rows"
    return search_each(job, [{"alpha": alpha} for alpha in alphas], lambda **params: make_lasso(job, params), note)


def _alphas(job: Job, l1_ratio: float) -> list[float]:
    """Penalties from the least one that leaves no weight."""
    centred = np.asarray(job.y, dtype=np.float64) - np.mean(job.y)
    largest = float(np.abs(np.asarray(job.X.T @ centred)).max()) / len(centred) / l1_ratio
    return (max(largest, np.finfo(np.float64).tiny) * np.logspace(0, -3.5, 8)).tolist()


def search_elastic_net(job: Job) -> SearchResult:
    """The penalty of the elastic net, and the part of the absolute values in it."""
    candidates = [{"alpha": alpha, "l1_ratio": ratio} for ratio in _RATIOS for alpha in _alphas(job, ratio)]
    note = f"{len(candidates)} candidates on {len(job.y)} rows"
    return search_each(job, candidates, lambda **params: make_elastic_net(job, params), note)


def make_elastic_net(job: Job, params: dict[str, Any]) -> ElasticNet:
    """The elastic net of a candidate."""
    return ElasticNet(**params)


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


def search_kernel_perceptron(job: Job) -> SearchResult:
    """Gamma of the kernel perceptron."""
    candidates = [{"gamma": g} for g in _gammas(job)]
    note = f"{len(candidates)} candidates on {len(job.y)} rows"
    return search_each(job, candidates, lambda **params: make_kernel_perceptron(job, params), note)


def make_kernel_perceptron(job: Job, params: dict[str, Any]) -> KernelPerceptron:
    """The kernel perceptron of a candidate: the mean of its coefficients, for classes that overlap.

    It ends after a number of epochs whether or not the last one was without a mistake.
    """
    options: dict[str, Any] = {"variant": "averaged", "max_iter": _EPOCHS, "tol": None}
    return KernelPerceptron(random_state=job.seed, n_jobs=job.n_jobs, **options, **params)


def _gammas(job: Job) -> list[float]:
    """The given one; else a few around 1 over the number of columns times their variance, as "scale" is."""
    if job.fixed.get("gamma") is not None:
        return [float(job.fixed["gamma"])]
    X = job.X
    mean = X.mean()
    spread = float((X.multiply(X)).mean() - mean**2) if sp.issparse(X) else float(np.var(X))
    scale = 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0
    return [scale * factor for factor in (1.0, 0.2, 3.0, 0.04)]
