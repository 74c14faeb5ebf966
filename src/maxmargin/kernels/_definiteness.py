"""Why a kernel matrix counts as positive semi-definite: what a lower bound on the optimum rests on.

*Known* from the formula of the kernel; else *shown* by a Cholesky factorisation of the training matrix, or found to
*fail* by a negative eigenvalue. A matrix too large for a factorisation is *assumed* to be semi-definite, unless a
principal submatrix has a negative eigenvalue: then the whole has one (Cauchy's interlacing theorem).

Where a floating-point factorisation A = R'R of n columns completes, Higham (Accuracy and Stability of Numerical
Algorithms, theorem 10.5) bounds its error by

    |R'R - A|_ij <= g sqrt(a_ii a_jj),  g = gamma_(n+1) / (1 - gamma_(n+1)),  hence  lambda_min(A) >= -g trace(A)

(Rump, Verification of positive definiteness, BIT 2006). Libraries that multiply by reciprocals of the pivots round
once more for each product; g is taken with twice the number of roundings for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import eigvalsh
from scipy.linalg.lapack import dpotrf
from scipy.sparse.linalg import ArpackError, eigsh

from ._accuracy import Accuracy
from ._gram import MODERATE, Gram
from ._kernel import Kernel

Basis = Literal["known", "shown", "assumed", "fails"]

_U = 2.0**-53
_UNDERFLOW = 2.0**-1000  # far more than all products that underflow can add up to
_SAMPLE = 1000  # rows of the principal submatrix of a larger matrix
# Smaller eigenvalues than this fraction of the largest are no rounding errors, not even of float32 values (1e-7).
_FAILS = 1e-6
_ALL_EIGENVALUES = 700  # beyond, the extreme ones by Lanczos' method take less


@dataclass(frozen=True)
class Definiteness:
    """What is known of a kernel matrix K.

    Attributes
    ----------
    basis : {"known", "shown", "assumed", "fails"}
        By the kernel's formula, by a factorisation of this matrix, by nothing, or not at all.
    shift : float
        The exact matrix satisfies ``K + shift * I >= 0`` (taken for granted where it is only assumed, meaningless
        where it fails).
    smallest : float or None
        The smallest eigenvalue, as far as it was computed: of a submatrix, it is an upper bound.

    """

    basis: Basis
    shift: float = 0.0
    smallest: float | None = None

    @property
    def fails(self) -> bool:
        """Whether the matrix has a negative eigenvalue."""
        return self.basis == "fails"

    def without_bounds(self) -> Definiteness:
        """The same for variables without upper bounds, where no shift but zero proves anything."""
        return Definiteness("assumed", 0.0, self.smallest) if self.basis == "shown" and self.shift > 0 else self


KNOWN = Definiteness("known")


def definiteness(kernel: Kernel, gram: Gram, accuracy: Accuracy | None = None) -> Definiteness:
    """Why the Gram matrix of some samples is positive semi-definite, or that it is not.

    Parameters
    ----------
    kernel : Kernel
        Where its formula settles the question, nothing is computed.
    gram : Gram
        Its symmetric matrix of samples.
    accuracy : Accuracy, optional
        Of the values, where `gram` does not know it.

    """
    if kernel.known_definite:
        return KNOWN
    n, accuracy = gram.shape[0], gram.accuracy() if accuracy is None else accuracy
    if n <= MODERATE:  # n^3 / 3 multiplications: 0.25 s, as much as a fit of that size
        return examine(gram.whole(np.float64), matrix_error(accuracy))
    rows = np.sort(np.random.default_rng(0).choice(n, _SAMPLE, replace=False))
    part = examine(gram.block(rows, rows, np.float64), matrix_error(accuracy.of(rows)))
    return part if part.fails else Definiteness("assumed")


def matrix_error(accuracy: Accuracy) -> float:
    """A bound on the 2-norm of the errors of a matrix: none is larger than a multiple of ``s_i s_j``."""
    each = float(accuracy.relative.max(initial=0.0)) * 1.001 + accuracy.absolute
    return 1.001 * each * float(accuracy.scale @ accuracy.scale) if each > 0 else 0.0


def examine(K: np.ndarray, error: float = 0.0) -> Definiteness:
    """What a factorisation, and where that does not complete the smallest eigenvalue, say of a matrix.

    Only the lower half is read. `error` bounds the 2-norm of what K is off.
    """
    n, trace = len(K), float(np.abs(np.diagonal(K)).sum())
    rounding = 1.01 * _relative_error(n) * trace + error + _UNDERFLOW
    if not np.isfinite(rounding) or not np.isfinite(K).all():
        return Definiteness("assumed")
    # beyond the rounding itself: what the shifted diagonal is rounded by, and its part in the trace
    if _completes(K, -2.2 * rounding):
        return Definiteness("shown")
    if _completes(K, rounding):
        return Definiteness("shown", 2.2 * rounding)
    smallest, largest = _extreme_eigenvalues(K)
    if smallest < -max(_FAILS * largest, 2 * rounding):
        return Definiteness("fails", np.inf, smallest)
    shift = 2 * max(-smallest, rounding)
    while shift <= 100 * max(_FAILS * largest, rounding):
        if _completes(K, shift):
            return Definiteness("shown", 1.001 * shift + 1.2 * rounding + 2 * _relative_error(n) * n * shift, smallest)
        shift *= 2
    return Definiteness("assumed", 0.0, smallest)


def _relative_error(n: int) -> float:
    """The g of the module's docstring, with twice the roundings; the sum of the trace is within them."""
    k = (2 * n + 12) * _U
    return k / (1 - 2 * k) if k < 0.1 else np.inf


def _completes(K: np.ndarray, shift: float) -> bool:
    """Whether the factorisation of K + shift I comes to its end."""
    A = np.array(K, dtype=np.float64, order="C")
    A.flat[:: len(A) + 1] += shift
    # the lower half of C's order is the upper half of Fortran's
    _, info = dpotrf(A.T, lower=0, clean=0, overwrite_a=1)
    return info == 0


def _extreme_eigenvalues(K: np.ndarray) -> tuple[float, float]:
    """Smallest and largest eigenvalue, to a few digits."""
    if len(K) > _ALL_EIGENVALUES:
        try:
            start = np.random.default_rng(0).standard_normal(len(K))
            ends = [eigsh(K, 1, which=end, v0=start, tol=1e-4, return_eigenvectors=False)[0] for end in ("SA", "LA")]
            return float(ends[0]), float(ends[1])
        except ArpackError:
            pass  # no convergence: by all eigenvalues then
    values = eigvalsh(K)
    return float(values[0]), float(values[-1])
