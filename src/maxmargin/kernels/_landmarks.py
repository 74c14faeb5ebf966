"""Landmarks: few samples whose kernel functions stand for those of all.

With the Gram matrix of the landmarks K_ZZ = L L', phi(x) = L^-1 (k(z_j, x))_j are the coordinates of the projection of
the image of x on the span of those of the landmarks (Nystroem's features). So <phi(x), phi(x')> = k(x, x') where either
is a landmark, and r(x) = k(x, x) - ||phi(x)||^2 >= 0 is the squared length of what is left over: with Cauchy's
inequality no kernel value is off by more than sqrt(r(x) r(x')), and the matrix by no more, in any norm that the trace
bounds, than the *leftover trace* sum_i r(x_i).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.linalg.lapack import dpotrf, dpstrf

from ..data import ObjectRows, Rows
from ..engine import one_blas_thread, run_portions
from ._centres import centres_of
from ._gram import Gram
from ._kernel import Kernel
from ._pivoted import pivots, portions_of, solve_rows

Method = Literal["cholesky", "uniform", "kmeans"]

_PORTION = 1024  # rows whose features are computed at once
_U = 2.0**-53


@dataclass(frozen=True)
class Leftover:
    """The leftover trace ``sum_i k(x_i, x_i) - ||phi(x_i)||^2`` of some rows, in float64.

    Attributes
    ----------
    trace : float
        The sum over all rows, or an unbiased estimate of it.
    of : float
        What it is a part of: ``sum_i k(x_i, x_i)``.
    rows : int
        Rows that were looked at.
    standard_error : float
        Of the estimate; 0 where all rows were looked at.
    is_estimate : bool
        Whether it is one.

    """

    trace: float
    of: float
    rows: int
    standard_error: float = 0.0
    is_estimate: bool = False

    @property
    def relative(self) -> float:
        """The part of ``sum_i k(x_i, x_i)`` that is left over."""
        return self.trace / self.of if self.of > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Samples, and the factor that makes features of the kernel values against them.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    rows : Rows or ObjectRows
        The landmarks.
    index : ndarray or None
        Which of the rows they are; None where they are centres.
    factor : ndarray of shape (m, m)
        The lower triangle L with ``L L' = K_ZZ``, in float64 and Fortran's order.
    leftover : Leftover
        What the features of all rows leave over.

    """

    kernel: Kernel
    rows: Any
    index: np.ndarray | None
    factor: np.ndarray
    leftover: Leftover

    def __len__(self) -> int:
        return len(self.factor)

    def features(self, rows: Any, dtype: Any = np.float64, n_threads: int = 1) -> np.ndarray:
        """``phi(x)`` of other rows, one row each."""
        gram, columns = self._against(rows, n_threads)
        out = np.empty((gram.shape[0], len(self)), dtype)

        def keep(a: int, b: int, block: np.ndarray) -> None:
            out[a:b] = block

        _sweep(gram, columns, np.arange(gram.shape[0]), self.factor, dtype, n_threads, keep)
        return out

    def residuals(self, rows: Any, n_threads: int = 1) -> np.ndarray:
        """``k(x, x) - ||phi(x)||^2`` of rows in float64; for a precomputed kernel, of the training rows."""
        gram = self.kernel.gram(rows, None, n_threads)
        return _residuals(self, gram, rows, np.arange(gram.shape[0]), n_threads)

    def _against(self, rows: Any, n_threads: int) -> tuple[Gram, np.ndarray]:
        """Kernel values against the landmarks, and which columns they are."""
        gram = self.kernel.gram(rows, self.rows, n_threads)
        if self.kernel.name == "precomputed":  # the rows are the values against all training samples
            assert self.index is not None
            return gram, self.index
        return gram, np.arange(len(self))


def choose_landmarks(
    kernel: Kernel,
    rows: Any,
    n_landmarks: int,
    rng: Any,
    *,
    method: Method = "cholesky",
    n_threads: int = 1,
    tol: float = 1e-12,
    memory: int = 2**30,
    trace_rows: int | None = 8192,
) -> Landmarks:
    """Few samples that span the images of many as well as they can.

    Parameters
    ----------
    kernel : Kernel
        Its matrix has to be positive semi-definite.
    rows : Rows or ObjectRows
        The samples; for a precomputed kernel their square matrix.
    n_landmarks : int
        The largest number of landmarks.
    rng : numpy.random.Generator or RandomState
        Where chance comes from.
    method : {"cholesky", "uniform", "kmeans"}
        Rows by randomly pivoted Cholesky factorisation of a random sample of about 20 rows a landmark, rows at random,
        or centres.
    n_threads : int
        Threads.
    tol : float
        A landmark of whose ``k(z, z)`` the others leave over at most this part is dropped: its features would be
        rounding errors. Features in float32 want about 1e-6.
    memory : int
        Bytes that the choice may take: more landmarks are chosen from fewer rows.
    trace_rows : int or None
        The leftover trace of more rows than this is estimated from so many of them; None always takes all.

    Returns
    -------
    Landmarks

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.data import Rows
    >>> from maxmargin.kernels import RBF, choose_landmarks
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> few = choose_landmarks(RBF(0.1), Rows(X), 40, np.random.default_rng(0))
    >>> len(few), bool(few.leftover.relative < 1e-4)
    (40, True)

    """
    gram = kernel.gram(rows, None, n_threads)
    m = min(int(n_landmarks), gram.shape[0])
    tol = max(tol, 10 * m * _U)
    with one_blas_thread():
        if method == "kmeans":
            chosen, index, L = _centres(kernel, rows, m, rng, tol, memory, n_threads)
        else:
            index = _sample(gram.shape[0], m, rng) if method == "uniform" else None
            chosen, index, L = _rows(kernel, gram, rows, index, m, rng, tol, memory, n_threads)
        if not len(L):
            raise ValueError(
                "no landmark is left: k(x, x) is 0, or negative, for all rows that were looked at. The kernel is not "
                "positive semi-definite, or the rows are all zero."
            )
        found = Landmarks(kernel, chosen, index, L, Leftover(0.0, 0.0, 0))
        return replace(found, leftover=_leftover(found, gram, rows, rng, trace_rows, n_threads))


def _rows(
    kernel: Kernel,
    gram: Gram,
    rows: Any,
    index: np.ndarray | None,
    m: int,
    rng: Any,
    tol: float,
    memory: int,
    n_threads: int,
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Landmarks that are rows: those given, or pivots of a sample."""
    if index is None:
        sample = _sample(gram.shape[0], _rows_worth_looking_at(gram.shape[0], m, memory), rng)
        part = gram if len(sample) == gram.shape[0] else gram.restricted(sample)
        index = sample[pivots(part, m, rng, tol, n_threads)[0]]
    L, kept = factorised(gram.block(index, index, np.float64), tol)
    index = index[kept]
    return rows if kernel.name == "precomputed" else type(rows)(rows.take(index)), index, L


def _centres(
    kernel: Kernel, rows: Any, m: int, rng: Any, tol: float, memory: int, n_threads: int
) -> tuple[Rows, None, np.ndarray]:
    """Landmarks that are centres of a sample."""
    if isinstance(rows, ObjectRows) or kernel.name == "precomputed":
        raise ValueError("landmarks='kmeans' needs rows of numbers: a function or a matrix has no centres.")
    sample = _sample(rows.n, _rows_worth_looking_at(rows.n, m, memory), rng)
    centres = Rows(centres_of(rows, sample, m, rng, n_threads))
    L, kept = factorised(kernel.gram(centres, None, n_threads).whole(np.float64), tol)
    return Rows(centres.take(kept)), None, L


def factorised(K: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
    """The Cholesky factor of a positive semi-definite matrix, and which rows it is of.

    A row of whose diagonal value the rows before it leave at most `tol` depends on them, and is left out. Where there
    are such, rows are taken in the order of what the others leave of them (pivoting), the diagonal scaled to ones.
    """
    diagonal = K.diagonal()
    if len(K) and (diagonal > 0).all():
        L, info = dpotrf(K, lower=1, clean=1)
        if info == 0 and (L.diagonal() ** 2 > tol * diagonal).all():
            return L, np.arange(len(K))
    some = np.flatnonzero(diagonal > 0)
    if not some.size:
        return np.empty((0, 0), order="F"), some
    scale = np.sqrt(diagonal[some])
    L, order, rank, _ = dpstrf(K[np.ix_(some, some)] / scale / scale[:, None], tol=tol, lower=1)
    order = order[:rank] - 1
    return np.asfortranarray(np.tril(L[:rank, :rank]) * scale[order][:, None]), some[order]


def _residuals(landmarks: Landmarks, gram: Gram, rows: Any, index: np.ndarray, n_threads: int = 1) -> np.ndarray:
    """``k(x, x) - ||phi(x)||^2`` in float64 for the chosen rows, whose square matrix is `gram`."""
    against, columns = landmarks._against(rows, n_threads)
    diagonal = gram.diagonal() if len(index) == gram.shape[0] else gram.restricted(index).diagonal()
    out = np.empty(len(index))

    def subtract(a: int, b: int, block: np.ndarray) -> None:
        out[a:b] = diagonal[a:b] - np.einsum("ij,ij->i", block, block)

    _sweep(against, columns, index, landmarks.factor, np.float64, n_threads, subtract)
    return out


def _leftover(landmarks: Landmarks, gram: Gram, rows: Any, rng: Any, most: int | None, n_threads: int) -> Leftover:
    n = gram.shape[0]
    others = np.arange(n) if landmarks.index is None else np.setdiff1d(np.arange(n), landmarks.index)
    if most is None or n <= most or len(others) <= max(most, 1):
        left = _residuals(landmarks, gram, rows, np.arange(n), n_threads)
        return Leftover(float(left.sum()), float(gram.diagonal().sum()), n)
    # drawn after the landmarks and apart from them: of their leftover trace, the estimate is unbiased
    seen = np.sort(rng.choice(others, size=max(most, 2), replace=False))
    left = _residuals(landmarks, gram, rows, seen, n_threads)
    spread = float(left.std(ddof=1) * np.sqrt((1 - len(seen) / len(others)) / len(seen)))
    return Leftover(
        float(left.mean()) * len(others), float(gram.diagonal().sum()), len(seen), spread * len(others), True
    )


def _sweep(
    gram: Gram, columns: np.ndarray, index: np.ndarray, factor: np.ndarray, dtype: Any, n_threads: int, use: Any
) -> None:
    """``use(a, b, features)`` for the rows ``index[a:b]``, portion by portion."""
    L = np.asfortranarray(factor, dtype=dtype)

    def task(a: int, b: int) -> None:
        use(a, b, solve_rows(L, gram.block(index[a:b], columns, dtype)))

    with one_blas_thread():
        run_portions(task, portions_of(len(index), _PORTION), n_threads)


def _rows_worth_looking_at(n: int, m: int, memory: int) -> int:
    return min(n, max(2 * m, min(20 * m + 20_000, memory // (8 * max(m, 1)))))


def _sample(n: int, count: int, rng: Any) -> np.ndarray:
    """So many different rows at random, in their own order; all of them, where that many are asked for."""
    return np.arange(n) if count >= n else np.sort(rng.choice(n, size=count, replace=False)).astype(np.int64)
