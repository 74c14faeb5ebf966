"""Kernel ridge regression by a Cholesky factorisation and refinement.

    (S^1/2 K S^1/2 + alpha I) z = S^1/2 y,    a = S^1/2 z    (see `maxmargin.problems`)

Targets of the same alpha share a factorisation. Where none exists (alpha = 0 and dependent samples, an indefinite
kernel), eigenvectors take its place: the shortest solution of the equations in the least-squares sense.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, eigh
from scipy.linalg.lapack import dpotrf

from ...problems import KernelRidgeProblem

_REFINEMENTS = 3


def solve_kernel_ridge(problem: KernelRidgeProblem) -> np.ndarray:
    """Coefficients of shape (n, k)."""
    K = problem.gram.whole(np.float64)
    roots = np.sqrt(problem.weights)
    if not (problem.weights == 1).all():
        K = roots[:, None] * K * roots
    right, out = roots[:, None] * problem.targets, np.empty((problem.n, problem.k))
    for alpha in np.unique(problem.alpha):
        mine = np.flatnonzero(problem.alpha == alpha)
        out[:, mine] = _solve(K, float(alpha), right[:, mine])
    return roots[:, None] * out


def _solve(K: np.ndarray, alpha: float, right: np.ndarray) -> np.ndarray:
    A = np.array(K, dtype=np.float64, order="C")
    A.flat[:: len(A) + 1] += alpha
    # the lower half of C's order is the upper half of Fortran's
    factor, info = dpotrf(A.T, lower=0, clean=0, overwrite_a=1)
    if info != 0:
        return _by_eigenvectors(K, alpha, right)
    z = cho_solve((factor, False), right, check_finite=False)
    size = np.inf
    for _ in range(_REFINEMENTS):
        residual = right - K @ z - alpha * z
        now = float(np.abs(residual).max(initial=0.0))
        if not now < size / 2:
            break
        size = now
        z = z + cho_solve((factor, False), residual, check_finite=False)
    return z


def _by_eigenvectors(K: np.ndarray, alpha: float, right: np.ndarray) -> np.ndarray:
    values, vectors = eigh(K)
    shifted = values + alpha
    least = len(K) * np.finfo(np.float64).eps * float(np.abs(shifted).max(initial=0.0))
    inverse = np.divide(1.0, shifted, out=np.zeros_like(shifted), where=np.abs(shifted) > least)
    return vectors @ (inverse[:, None] * (vectors.T @ right))
