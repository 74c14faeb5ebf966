"""Kernel ridge regression by a Cholesky factorisation and refinement.

    (S^1/2 K S^1/2 + alpha I) z = S^1/2 y,    a = S^1/2 z    (see `maxmargin.problems`)

Targets of the same alpha share a factorisation. Where the condition allows it, that of a large matrix is made in
float32, which takes half the time, and the solution refined until its residual is as small as one by a factor in
float64 (Higham, Accuracy and Stability of Numerical Algorithms, chapter 12). Where no factor exists (alpha = 0 and
dependent samples, an indefinite kernel), eigenvectors take its place: the shortest solution of the equations in the
least-squares sense.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.blas import dsymm, dsymv
from scipy.linalg.lapack import dpotrs, spotrs

from ...engine import one_blas_thread
from ...problems import KernelRidgeProblem
from ._cholesky import factorise

_EPSILON = float(np.finfo(np.float64).eps)
_REFINEMENTS = 3
# Rows from which a factor in float32 saves time, and of what condition: each step leaves about 1e-7 of it.
_LARGE, _CONDITION = 700, 1e5
_STEPS = 12
_FEW = 8  # columns up to which a product for each takes less than one for all


def solve_kernel_ridge(problem: KernelRidgeProblem, n_threads: int = 1) -> np.ndarray:
    """Coefficients of shape (n, k)."""
    roots = np.sqrt(problem.weights)
    right, out = roots[:, None] * problem.targets, np.empty((problem.n, problem.k))
    with one_blas_thread():
        K = problem.gram.own_whole(np.float64)
        if not (problem.weights == 1).all():
            K *= roots[:, None]
            K *= roots
        alphas = np.unique(problem.alpha)
        for alpha in alphas:
            mine = np.flatnonzero(problem.alpha == alpha)
            last = alpha == alphas[-1]
            out[:, mine] = _solve(K, float(alpha), np.asfortranarray(right[:, mine]), n_threads, spare=last)
    return roots[:, None] * out


def _solve(K: np.ndarray, alpha: float, right: np.ndarray, n_threads: int, spare: bool) -> np.ndarray:
    """The z of the equations; a `spare` K may be written to."""
    if len(K) >= _LARGE:
        z = _by_float32(K, alpha, right, n_threads)
        if z is not None:
            return z
    diagonal = K.diagonal().copy()
    A = K if spare else K.copy()
    on_diagonal = A.reshape(-1)[:: len(A) + 1]
    on_diagonal += alpha
    if not factorise(A, n_threads):
        on_diagonal[:] = diagonal
        return _by_eigenvectors(A, alpha, right)
    # the factor has the lower half of A, K the upper one, and the diagonal is that of the one in use
    of_factor = on_diagonal.copy()
    z = dpotrs(A.T, right, lower=0)[0]
    size = np.inf
    for _ in range(_REFINEMENTS):
        on_diagonal[:] = diagonal
        residual = _residual(A, alpha, right, z)
        on_diagonal[:] = of_factor
        now = float(np.abs(residual).max(initial=0.0))
        if not now < size / 2 or now <= _EPSILON * float(np.abs(right).max(initial=0.0)):
            break
        size = now
        z = z + dpotrs(A.T, residual, lower=0)[0]
    return z


def _by_float32(K: np.ndarray, alpha: float, right: np.ndarray, n_threads: int) -> np.ndarray | None:
    """Refinement by a factor in float32; None where it does not come as far as one in float64."""
    norm = float(np.sqrt(np.vdot(K, K))) + alpha  # of Frobenius: at least the largest eigenvalue
    sizes = np.abs(right).max(axis=0, initial=0.0)
    if not (norm <= _CONDITION * alpha and 1e-25 < alpha and norm < 1e25):
        return None
    A = K.astype(np.float32)
    A.reshape(-1)[:: len(A) + 1] += np.float32(alpha)
    if not factorise(A, n_threads):
        return None
    z, residual, before = np.zeros_like(right), right, np.full(len(sizes), np.inf)
    for _ in range(_STEPS):
        with np.errstate(all="ignore"):
            scale = np.where(sizes > 0, sizes, 1.0)  # in units of its own, so that no residual vanishes in float32
            z = z + scale * spotrs(A.T, (residual / scale).astype(np.float32), lower=0)[0]
            residual = _residual(K, alpha, right, z)
            reached = norm * np.sqrt((z * z).sum(axis=0)) * _EPSILON
            length = np.sqrt((residual * residual).sum(axis=0))
        if (length <= reached).all():
            return z
        if not (length < before / 2).any():
            break
        before, sizes = length, np.abs(residual).max(axis=0, initial=0.0)
    # what the rounding of a residual leaves
    return z if (length <= np.sqrt(len(K)) * reached).all() else None


def _residual(K: np.ndarray, alpha: float, right: np.ndarray, z: np.ndarray) -> np.ndarray:
    """``right - K z - alpha z`` from the upper half of K, which is the lower half of Fortran's order."""
    out = right - alpha * z
    if z.shape[1] > _FEW:
        return dsymm(-1.0, K.T, z, beta=1.0, c=out, lower=1, overwrite_c=1)
    for column, values in zip(z.T, out.T, strict=True):
        values -= dsymv(1.0, K.T, column, lower=1)
    return out


def _by_eigenvectors(K: np.ndarray, alpha: float, right: np.ndarray) -> np.ndarray:
    """From the upper half of K."""
    values, vectors = eigh(K, lower=False)
    shifted = values + alpha
    least = len(K) * np.finfo(np.float64).eps * float(np.abs(shifted).max(initial=0.0))
    inverse = np.divide(1.0, shifted, out=np.zeros_like(shifted), where=np.abs(shifted) > least)
    return vectors @ (inverse[:, None] * (vectors.T @ right))
