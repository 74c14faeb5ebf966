"""Least squares with a ridge: the normal equations where they are safe, orthogonal factors where they are not.

    (A'A + alpha I) w = A't      or, for fewer rows than features,      (A A' + alpha I) v = t,  w = A'v

(`maxmargin.problems.LeastSquares` says what A and t are), by one of three ways:

cholesky    A'A or A A' from tiles, its Cholesky factor, and refinement, w <- w + (A'A + alpha I)^-1 (A'(t - A w) -
            alpha w), the residual being that of A itself. That is as accurate as an orthogonal factorisation as long as
            the factor contracts at all, which is checked (Bjorck 1987, "corrected seminormal equations").
svd         QR of A tile by tile (R of the tiles so far, stacked on the next one), then the SVD of the small R. Singular
            values below rounding count as zero: with alpha = 0 that is the shortest of all minimisers.
cg          Conjugate gradients on the normal equations (Hestenes and Stiefel 1952, CGLS), restarted from true residuals
            until rounding, or a small part of the tolerance: needs nothing but products with A.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import scipy.linalg
from scipy.linalg import blas, lapack

from ...certificates import Status
from ...data import gram_pass
from ...engine import one_blas_thread, one_blas_thread_for, run_parallel
from ...problems import LeastSquares
from .._monitor import Monitor
from .._solution import Solution
from ._normal_gradients import NormalGradients

METHODS = ("cholesky", "svd", "cg")
# A reciprocal condition number below this, and the normal equations are left alone.
_SAFE = 1e-12
# ... and above this one, its weights are as exact as the residual: there is nothing to refine.
_PLAIN = 1e-3
_REFINEMENTS = 4
_EPS = float(np.finfo(np.float64).eps)
# Singular values above this part of the largest, and of what means may have left: the rank is full without doubt.
_FULL_RANK = 1e-9
# Sides of a matrix that is formed for CSR rows, and the multiplications that forming it may take.
_SIDE = 2000
# Steps of conjugate gradients that are tried first, where they are cheap.
_SOME = 150
_WORK = 2e10
# Sides up to which threads gain nothing on a singular value decomposition.
_ONE_THREAD = 1000


def choose_method(problem: LeastSquares) -> str:
    """Direct methods for dense rows and for small sides; conjugate gradients for large sparse rows."""
    if not problem.rows.sparse or problem.d <= _SIDE:
        return "cholesky"
    return "cholesky" if problem.n <= _SIDE and float(problem.n) ** 2 * problem.d <= _WORK else "cg"


def _worth_some_gradients(problem: LeastSquares) -> bool:
    """Whether `_SOME` steps on sparse rows, enough for well-conditioned ones, cost little beside Cholesky's."""
    steps = 4.0 * _SOME * problem.stored * problem.k
    return problem.rows.sparse and 10 * steps <= min(problem.n, problem.d) ** 3 / 3


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is not finite, the certificate does not confirm
def solve(
    problem: LeastSquares,
    start: np.ndarray | None = None,
    tolerance: float = 1e-10,
    budget: int | None = None,
    monitor: Monitor | None = None,
    *,
    method: str = "auto",
) -> Solution:
    """Minimise to rounding errors; conjugate gradients to a small part of the tolerance.

    Parameters
    ----------
    problem : LeastSquares
        What is minimised.
    start : ndarray of shape (d, k), optional
        Where conjugate gradients start; the other ways need no start.
    tolerance, budget, monitor
        Those of conjugate gradients: relative to the right-hand side, and steps a target.
    method : {"auto", "cholesky", "svd", "cg"}
        "cholesky" gives way to "svd" where rounding would spoil it.

    Returns
    -------
    Solution
        Weights of shape (d, k). Its ``solver`` is the way that was gone; ``stats`` has the ``rank`` and the
        ``singular`` values found by an SVD, or the ``steps`` of each target.

    """
    chosen = choose_method(problem) if method == "auto" else method
    if chosen == "cg":
        return _by_gradients(problem, start, tolerance, budget, monitor)
    if method == "auto" and _worth_some_gradients(problem) and (monitor is None or monitor.trace is None):
        found = _by_gradients(problem, start, tolerance, _SOME if budget is None else min(budget, _SOME), monitor)
        if found.status is Status.CONVERGED or found.keyboard:
            return found
    if chosen == "cholesky":
        W = _by_cholesky(problem)
        if W is not None:
            return Solution(W, Status.CONVERGED, 1, solver="cholesky")
    W, rank, singular = _by_orthogonal_factors(problem)
    return Solution(W, Status.CONVERGED, 1, solver="svd", stats={"rank": rank, "singular": singular})


# ---------------------------------------------------------------- normal equations


def _by_cholesky(problem: LeastSquares) -> np.ndarray | None:
    """Weights, or None where rounding would spoil them."""
    wide = problem.d > problem.n
    if wide and (problem.alpha <= 0).any():
        return None  # centring makes A A' singular
    gram, right = (_outer_gram(problem), problem.right) if wide else inner_gram(problem)
    W = np.empty((problem.d, problem.k))
    for alpha in np.unique(problem.alpha):
        mine = np.flatnonzero(problem.alpha == alpha)
        found = _refined(problem, gram, right[:, mine], float(alpha), mine, wide)
        if found is None:
            return None
        W[:, mine] = found
    return W


def _refined(
    problem: LeastSquares, gram: np.ndarray, right: np.ndarray, alpha: float, mine: np.ndarray, wide: bool
) -> np.ndarray | None:
    """Solve with one factor for the targets `mine`, and refine until the true residual no longer falls."""
    M = gram.copy(order="F")
    M.flat[:: len(M) + 1] += alpha
    norm = float(np.abs(M).sum(axis=0).max(initial=0.0)) if M.size else 0.0
    factor, info = lapack.dpotrf(M, lower=0, overwrite_a=1)
    condition = 0.0 if info != 0 or norm == 0 else float(lapack.dpocon(factor, norm)[0])
    if condition < _SAFE:
        return None
    mine_only = problem if len(mine) == problem.k else problem.of_targets(mine)

    def weights(v: np.ndarray) -> np.ndarray:
        return problem.transposed(v) if wide else v

    def residual(v: np.ndarray) -> np.ndarray:
        rest = right - problem.image(weights(v)) if wide else mine_only.residual(v)[1]
        return rest - alpha * v

    v = lapack.dpotrs(factor, right, lower=0)[0]
    if condition >= _PLAIN:
        return weights(v)
    rest = residual(v)
    size = float(np.linalg.norm(rest))
    for _ in range(_REFINEMENTS):
        new = v + lapack.dpotrs(factor, rest, lower=0)[0]
        new_rest = residual(new)
        new_size = float(np.linalg.norm(new_rest))
        if not new_size < size:
            break
        settled = new_size > size / 4
        v, rest, size = new, new_rest, new_size
        if settled:
            break
    return weights(v)


def inner_gram(problem: LeastSquares) -> tuple[np.ndarray, np.ndarray]:
    """``A'A`` (both triangles) and ``A't``."""
    d = problem.d
    if problem.rows.sparse:
        full = np.zeros((d + 1, d + 1))
        gram_pass(problem.rows.arrays, 0, problem.n, problem.weights, full)
        gram = np.triu(full[:-1, :-1])
        gram = gram + np.triu(gram, 1).T
        centred = gram - float(problem.weights.sum()) * np.outer(problem.mu, problem.mu)
        return centred, problem.transposed(problem.right)
    if problem.whole is not None:
        A = problem.whole
        return A.T @ A, A.T @ problem.right

    def products(low: int, high: int, tile: np.ndarray) -> np.ndarray:
        return np.hstack([tile.T @ tile, tile.T @ problem.right[low:high]])

    both = np.sum(problem.over_tiles(products, d), axis=0)
    return both[:, :d], both[:, d:]


def gram_of_columns(problem: LeastSquares) -> np.ndarray:
    """``A'A``."""
    return inner_gram(problem)[0]


def _outer_gram(problem: LeastSquares) -> np.ndarray:
    """``A A'`` (both triangles)."""
    width = max(256, 2**18 // max(1, problem.n))
    return _squares(lambda low, high: problem.columns(low, high).T, problem.d, width, problem.n, problem)


def _squares(
    piece: Callable[[int, int], np.ndarray], stop: int, step: int, side: int, problem: LeastSquares
) -> np.ndarray:
    """The sum of B'B over pieces B of `step` rows, each thread its own share of them."""
    threads = max(1, min(problem.threads, stop // (2 * step)))

    def share(first: int) -> np.ndarray:
        total = np.zeros((side, side), order="F")
        for low in range(first * step, stop, threads * step):
            B = np.ascontiguousarray(piece(low, min(stop, low + step)))
            total = blas.dsyrk(1.0, B.T, beta=1.0, c=total, trans=0, lower=0, overwrite_c=1)
        return total

    with one_blas_thread():
        total = np.sum(run_parallel(share, [(k,) for k in range(threads)]), axis=0)
    return np.triu(total) + np.triu(total, 1).T


# ---------------------------------------------------------------- orthogonal factors


def _by_orthogonal_factors(problem: LeastSquares) -> tuple[np.ndarray, int, np.ndarray]:
    """Weights through a triangular factor of full rank or its SVD, the rank, and the singular values."""
    n, d, k = problem.n, problem.d, problem.k
    wide = d > n
    side = n if wide else d
    R = _triangular_factor(problem, wide)
    R, right = R[:side, :side], R[:side, side:]
    if not wide and not problem.alpha.any():
        W, singular = _by_triangular_factor(problem, R, right)
        if W is not None:
            return W, d, singular
    U, sigma, Vt = _svd(R)
    singular = sigma
    kept = sigma > _EPS * max(n, d) * sigma.max(initial=0.0)
    rank = int(kept.sum())
    if problem.fit_intercept and not problem.centre_twice and rank:
        # rounding errors of the means alone can look like a singular value of this size
        means = _EPS * max(n, d) * float(np.linalg.norm(problem.roots)) * float(np.linalg.norm(problem.mu))
        if sigma[rank - 1] <= means:
            return _by_orthogonal_factors(replace(problem, centre_twice=True))
    if not rank:
        return np.zeros((d, k)), 0, singular
    U, sigma, Vt = U[:, kept], sigma[kept, None], Vt[kept]
    if wide:  # A' = Q R, so that A A' = V sigma^2 V'
        shrunk = sigma**2 + problem.alpha
        v = Vt.T @ ((Vt @ problem.right) / shrunk)
        rest = problem.right - problem.image(problem.transposed(v)) - problem.alpha * v
        return problem.transposed(v + Vt.T @ ((Vt @ rest) / shrunk)), rank, singular
    W = Vt.T @ (sigma / (sigma**2 + problem.alpha) * (U.T @ right))
    rest = problem.residual(W)[1] - problem.alpha * W
    better = W + Vt.T @ ((Vt @ rest) / (sigma**2 + problem.alpha))
    again = problem.residual(better)[1] - problem.alpha * better
    return np.where(np.linalg.norm(again, axis=0) < np.linalg.norm(rest, axis=0), better, W), rank, singular


def _by_triangular_factor(
    problem: LeastSquares, R: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray]:
    """``R^-1 Q't`` where A has full rank without doubt, or None; and the singular values.

    One step of the seminormal equations, ``W + (R'R)^-1 A'(t - A W)``, where the residual is more than rounding.
    """
    if not (len(R) == problem.d and np.isfinite(R).all()):
        return None, np.empty(0)
    with one_blas_thread_for(float(R.size) * len(R)):
        try:
            singular = np.linalg.svd(R, compute_uv=False)
        except np.linalg.LinAlgError:  # asked for vectors, another routine takes its place
            return None, np.empty(0)
        largest = float(singular.max(initial=0.0))
        means = float(np.linalg.norm(problem.roots)) * float(np.linalg.norm(problem.mu))
        if not singular.min(initial=np.inf) > _FULL_RANK * max(largest, means):
            return None, singular
        # not LAPACK's solver of triangular systems: it wakes threads for the smallest of them
        W = blas.dtrsm(1.0, R, right)
        if not np.isfinite(W).all():
            return None, singular
        rest = problem.residual(W)[1]
        sizes = np.linalg.norm(rest, axis=0)
        target = float(np.linalg.norm(problem.right))
        if (sizes <= 2 * _EPS * largest * (largest * np.linalg.norm(W, axis=0) + target)).all():
            return W, singular
        better = W + blas.dtrsm(1.0, R, blas.dtrsm(1.0, R, rest, trans_a=1))
        again = np.linalg.norm(problem.residual(better)[1], axis=0)
    return np.where(again < sizes, better, W), singular


def _triangular_factor(problem: LeastSquares, wide: bool) -> np.ndarray:
    """R of the QR decomposition of A with t as further columns, or of A' for `wide` rows."""
    n, d = problem.n, problem.d
    side, many = (n, d) if wide else (d, n)
    R = np.empty((0, side + (0 if wide else problem.k)))
    step = max(4 * side, 2**16 // max(1, side))
    with one_blas_thread_for(float(many) * side**2):  # waking others for every tile would cost more than they do
        if problem.whole is not None and not wide:
            return np.asarray(np.linalg.qr(np.hstack([problem.whole, problem.right]), mode="r"))
        for low in range(0, many, step):
            high = min(many, low + step)
            piece = (
                problem.columns(low, high).T if wide else np.hstack([problem.tile(low, high), problem.right[low:high]])
            )
            R = np.asarray(np.linalg.qr(np.vstack([R, piece]), mode="r"))
    return R


def _svd(R: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    try:
        # threads that wait for each other take ten times as long where other processes have the cores
        with one_blas_thread_for(R.size * R.shape[1]) if R.shape[1] <= _ONE_THREAD else nullcontext():
            return scipy.linalg.svd(R, full_matrices=False, check_finite=False)
    except np.linalg.LinAlgError:  # divide and conquer fails on rare matrices; the older routine does not
        return scipy.linalg.svd(R, full_matrices=False, check_finite=False, lapack_driver="gesvd")


# ---------------------------------------------------------------- conjugate gradients


def _by_gradients(
    problem: LeastSquares, start: np.ndarray | None, tolerance: float, budget: int | None, monitor: Monitor | None
) -> Solution:
    """One target after the other."""
    W = np.zeros((problem.d, problem.k)) if start is None else np.array(start, dtype=np.float64)
    steps, status, keyboard = np.zeros(problem.k, dtype=int), Status.CONVERGED, False
    with one_blas_thread():
        for t in range(problem.k):
            own = monitor if monitor is None or problem.k == 1 else monitor.named(f"target {t}")
            found = NormalGradients.solve(problem, W[:, t : t + 1], tolerance, budget, own, target=t)
            W[:, t], steps[t], keyboard = found.variables, found.iterations, found.keyboard
            if found.status is not Status.CONVERGED:
                status = found.status
            if found.status is Status.INTERRUPTED:
                break
    return Solution(W, status, int(steps.sum()), solver="cg", keyboard=keyboard, stats={"steps": steps})
