"""Ridge regression on a cluster: means, centred normal equations, refinements and the proof, a sum each.

Of many columns the equations are not formed: conjugate gradients solve them, all targets at once (`_ridge_wide`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg

from ..certificates import NormalEvidence, Status, evidence_of_normal_parts, normal_part
from ..engine import Stopwatch
from ..estimators import check_penalties, keep_trace
from ..linear_model import normal_guarantee
from ..messages import InputError
from ._cluster import Cluster
from ._linear_fit import WIDEST, note_features
from ._part import Part
from ._partitions import Partitions, partitions_of
from ._ridge_tasks import Means, centred_problem, residual_sums
from ._ridge_wide import solved_by_products

# Refinements by the residual of the normal equations, each of which gains some digits.
_REFINEMENTS = 4
_ENOUGH = 1e-15
_SOLVERS = ("auto", "cholesky", "sparse_cg")


def fit_ridge(model: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any) -> None:
    """Train a `Ridge` of the library."""
    watch = Stopwatch()
    _refuse(model)
    samples = partitions_of(cluster, X, y, sample_weight, "targets")
    _refuse_targets(samples)
    k, wide = max(1, samples.facts[0].targets), samples.d > WIDEST or model.solver == "sparse_cg"
    if samples.d > WIDEST and model.solver == "cholesky":
        raise InputError(
            f"X has {samples.d} features, and solver='cholesky' takes {WIDEST} on a cluster: take 'auto' or "
            f"'sparse_cg'.",
            argument="solver",
        )
    alpha = check_penalties(model.alpha, k)
    if not (alpha > 0).all():
        raise InputError("alpha must be above 0 on a cluster; got 0. Take a small one, such as 1e-8.", argument="alpha")
    note_features(model, samples)
    means, status, steps = means_of(samples, model.fit_intercept), Status.CONVERGED, 1
    if wide:
        W, status, steps = solved_by_products(samples, alpha, means, model.fit_intercept, model.tol, model.max_iter)
    else:
        W = _solved(samples, alpha, means, model.fit_intercept)
    b = means.nu - means.mu @ W if model.fit_intercept else np.zeros(k)
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        raise InputError("the weights overflow float64: scale the features (StandardScaler) and targets.", argument="X")
    evidence = ridge_evidence(samples, W, b, alpha, means, model.fit_intercept)
    if evidence.relative_residual <= model.tol:
        status = Status.CONVERGED
    elif status is Status.CONVERGED:
        status = Status.STALLED
    single = samples.facts[0].targets == 1 and not samples.columns
    model.coef_ = W[:, 0].copy() if k == 1 else np.ascontiguousarray(W.T)
    model.intercept_ = (float(b[0]) if single else b) if model.fit_intercept else 0.0
    model.solver_, model.n_iter_ = "cg" if wide else "cholesky", np.full(k, steps)
    model._training_shape = samples.used
    keep_trace(model, None)
    part = normal_guarantee(evidence, True, model.tol, status, steps if wide else k, watch.seconds())
    model.certificate_ = replace(part, _recompute=model._recertify)
    if status is not Status.CONVERGED:
        model._warn(status, evidence)


def means_of(samples: Partitions, fit_intercept: bool) -> Means:
    """Weighted means, to rounding: what is left after the first is added by a second pass."""
    k = max(1, samples.facts[0].targets)
    means = Means(np.zeros(samples.d), np.zeros(k))
    if not fit_intercept:
        return means
    for _ in range(2):
        total, sums, targets = samples.cluster.total("ridge-means", _mean_sums, samples.used_parts, means)
        means = Means(means.mu + sums / total, means.nu + targets / total)
    return means


def ridge_evidence(
    samples: Partitions, W: np.ndarray, b: np.ndarray, alpha: np.ndarray, means: Means, fit_intercept: bool
) -> NormalEvidence:
    """What is proven about weights W of shape (d, k) and intercepts b."""
    (sums,) = samples.cluster.total("ridge-proof", _proof, samples.used_parts, W, b, alpha, means, fit_intercept)
    return evidence_of_normal_parts(sums, W, b, alpha, means.mu, fit_intercept)


def _solved(samples: Partitions, alpha: np.ndarray, means: Means, fit_intercept: bool) -> np.ndarray:
    """The solution of the centred normal equations, refined by their residual."""
    gram, right = samples.cluster.total("ridge-gram", _normal_sums, samples.used_parts, means, fit_intercept)
    factors = [_factor(gram, a) for a in alpha]
    W = np.column_stack([_solve(factor, right[:, t]) for t, factor in enumerate(factors)])
    size = max(float(np.linalg.norm(right)), 1e-300)
    best, least = W, np.inf
    for _ in range(_REFINEMENTS):
        (products,) = samples.cluster.total("ridge-refine", residual_sums, samples.used_parts, W, means, fit_intercept)
        rest = products - alpha * W
        off = float(np.linalg.norm(rest)) / size
        if not off < 0.5 * least:
            break
        best, least = W, off
        if off <= _ENOUGH:
            break
        W = W + np.column_stack([_solve(factor, rest[:, t]) for t, factor in enumerate(factors)])
    return best


def _factor(gram: np.ndarray, alpha: float) -> tuple:
    A = gram.copy()
    A.flat[:: len(A) + 1] += alpha
    scale = 1 / np.sqrt(A.diagonal())
    A *= scale
    A *= scale[:, None]
    shift = 0.0
    while True:
        try:
            shifted = A + shift * np.eye(len(A)) if shift else A
            return scipy.linalg.cho_factor(shifted, lower=True, check_finite=False), scale
        except np.linalg.LinAlgError:
            if not np.isfinite(A).all() or shift > 1:
                raise InputError(
                    "X has values whose squares overflow float64: scale the features (StandardScaler).", argument="X"
                ) from None
            shift = max(10 * shift, 1e-15)


def _solve(factor: tuple, right: np.ndarray) -> np.ndarray:
    return factor[1] * scipy.linalg.cho_solve(factor[0], factor[1] * right, check_finite=False)


# ---------------------------------------------------------------- on the partitions


def _mean_sums(part: Part, means: Means) -> tuple:
    """Sums of weights, and of rows and targets less the means so far."""
    problem = centred_problem(part, np.ones(len(means.nu)), means, True)
    roots = problem.roots[:, None]
    return float(problem.weights.sum()), problem.transposed(roots)[:, 0], (problem.right * roots).sum(axis=0)


def _normal_sums(part: Part, means: Means, fit_intercept: bool) -> tuple:
    """``A'A`` and ``A't``."""
    problem = centred_problem(part, np.ones(len(means.nu)), means, fit_intercept)
    gram = np.zeros((problem.d, problem.d))
    height = problem.tile_height(256)
    for low in range(0, problem.n, height):
        tile = problem.tile(low, min(problem.n, low + height))
        gram += tile.T @ tile
    return gram, problem.transposed(problem.right)


def _proof(part: Part, W: np.ndarray, b: np.ndarray, alpha: np.ndarray, means: Means, fit_intercept: bool) -> tuple:
    return (normal_part(centred_problem(part, alpha, means, fit_intercept), W, b),)


# ---------------------------------------------------------------- what is refused


def _refuse(model: Any) -> None:
    wrong = ""
    if model.positive:
        wrong = "positive=True"
    elif model.solver not in _SOLVERS:
        wrong = f"solver={model.solver!r}"
    elif model.trace:
        wrong = "trace=True"
    if wrong:
        raise InputError(f"maxmargin.dask.Ridge does not take {wrong}; leave it at its default.")


def _refuse_targets(samples: Partitions) -> None:
    counts = [fact.targets for fact in samples.facts]
    if len(set(counts)) > 1:
        k = next(k for k, count in enumerate(counts) if count != counts[0])
        raise InputError(f"y has {counts[k]} columns in partition {k} and {counts[0]} in others.", argument="y")
