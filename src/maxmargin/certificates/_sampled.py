"""A lower bound of the optimum from some rows of the kernel matrix, that holds with a stated probability.

The dual objective p'beta - 1/2 beta'K beta takes n^2 / 2 kernel values for n multipliers. Let v = sum_i beta_i phi_i be
the weights of beta in feature space, u their part in the span of some landmarks and r = v - u what is left: one pass
over n x landmarks gives u, and |q_i|, the length of what the landmarks leave of each phi_i. Then

    beta'K beta = |v|^2 = |u|^2 + |r|^2    and    |r|^2 = <v, r> = sum_i beta_i e_i,    e_i = (K beta)_i - <u, phi_i>,

of which each term is known to be small: e_i = <r, q_i>, so that |e_i| <= |q_i| |r|. Rows are drawn with probabilities
P_i proportional to |beta_i| |q_i|, and e_i of a drawn row takes n kernel values. X = beta_i e_i / P_i has the mean
|r|^2 and is at most |r| sum_j |beta_j| |q_j|: what `LengthBound` makes a bound of |r| from.

The span is that of computed combinations of landmarks, orthonormal only to rounding, and u their computed sum: r has a
small part in the span, whose length is bounded, too. Everything is rounded outwards. Probabilities are quotients of
integers, and the draws those of an exact generator of integers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from ..engine import was_interrupted
from ..kernels import Gram, roundings
from ..problems import BoxQP
from ._betting import LengthBound
from ._bracket import LowerBound, bound_by_length
from ._rounding import U, lower

# Combinations of landmarks count as orthonormal if their inner products are off by less, and those of rows with them.
_ORTHONORMAL, _EXACT = 1e-4, 1e-6
_MOST_LANDMARKS = 1000
# What landmarks leave of a row counts as this share of its length at least, which hides the errors of u.
_LEAST_LEFT = 1e-6
_CHUNK = 4096  # rows whose kernel values with the landmarks are held at once
_COLUMNS = 65_536  # columns that are added up before the sum goes on
_VALUES, _FEWEST, _DRAWN = 2**28, 128, 512  # kernel values of a block of drawn rows, and its rows
_ROOM = 1 + 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledBound(LowerBound):
    """What multipliers say of the optimum by some rows of the kernel matrix: ``value <= optimum`` with ``confidence``.

    ``square`` is the upper bound of beta' K beta that it rests on, ``beta`` the multipliers that it belongs to, which
    may be the given ones times a number below 1, and ``rows`` how many were drawn. Without a draw it is the bound of
    multipliers that are all zero, which is proven.
    """

    beta: np.ndarray
    rows: int = 0


def sampled_lower_bound(
    problem: BoxQP,
    beta: np.ndarray,
    landmarks: np.ndarray,
    random: np.random.Generator,
    *,
    eta: float = 1e-6,
    rows: int = 20_000,
    left: Callable[[], float] | None = None,
    enough: float = np.inf,
) -> SampledBound:
    """A lower bound of the optimum that fails with a probability of at most `eta`.

    Parameters
    ----------
    problem : BoxQP
        With a kernel matrix that is positive semi-definite.
    beta : ndarray of shape (n,)
        Feasible multipliers, chosen before `random` was asked for what is drawn here.
    landmarks : ndarray of int
        Rows of the Gram matrix that explain the kernel, perhaps none. Any rows are right, better ones save draws.
    random : Generator
        Draws the rows.
    eta : float
        The probability, over the draw of rows, that the bound is none.
    rows : int
        The number of draws, at most.
    left : callable or None
        Gives the seconds that are left. It is asked between blocks of rows; one block is always drawn, unless time is
        over before.
    enough : float
        About the bound that needs no more draws.

    """
    if not ((beta >= problem.lower) & (beta <= problem.upper)).all() or not beta.any():
        return _nothing(problem)

    def clock() -> float:
        return -np.inf if was_interrupted() else np.inf if left is None else left()

    sums = _Sums.of(problem, beta)
    if not (len(sums.rows) and 0 < sums.size < np.inf):
        return _nothing(problem)
    span = _project(problem.gram, sums, _some(landmarks, random), clock)
    if span is None:
        return _nothing(problem)
    sample = _Sample(problem.gram, sums, span, random, eta)
    linear, looked, seconds = float(problem.p @ beta), 0, 0.0
    block = min(max(_VALUES // len(sums.rows), _FEWEST), _DRAWN)
    while sample.drawn < rows and (not sample.drawn or clock() > 1.2 * seconds):
        start = time.perf_counter()
        sample.draw(min(block, rows - sample.drawn))
        seconds = time.perf_counter() - start
        if enough < np.inf and sample.drawn >= 1.2 * looked:
            looked, square = sample.drawn, sample.square()
            if linear - square / 2 >= enough or (linear > 0 and linear * linear / (2 * square) >= enough):
                break
    return _bound(problem, beta, sums, sample)


def _nothing(problem: BoxQP) -> SampledBound:
    """The bound of multipliers that are all zero."""
    return SampledBound(0.0 if _zero_fits(problem) else -np.inf, 0.0, 0.0, beta=np.zeros(problem.n))


def _zero_fits(problem: BoxQP) -> bool:
    return bool((problem.lower <= 0).all() and (problem.upper >= 0).all() and not any(problem.totals))


def _some(landmarks: np.ndarray, random: np.random.Generator) -> np.ndarray:
    landmarks = np.unique(np.asarray(landmarks, dtype=np.int64))
    if len(landmarks) <= _MOST_LANDMARKS:
        return landmarks
    return np.sort(random.choice(landmarks, _MOST_LANDMARKS, replace=False))


def _bound(problem: BoxQP, beta: np.ndarray, sums: _Sums, sample: _Sample) -> SampledBound:
    """The dual objective of beta, or of the best multiple of it, with the upper bound of its quadratic term."""
    length = (sqrt(sample.square()) + sums.slip) * _ROOM  # of v
    linear, square = float(problem.p @ beta), length * length * _ROOM
    if 0 < linear < (1 - 1e-6) * square < np.inf and _zero_fits(problem):
        share = linear / square  # where t p'beta - t^2/2 beta'K beta is largest
        beta = share * beta
        length = share * (length + 2 * U * sums.size) * _ROOM
        square = length * length * _ROOM
    found = bound_by_length(problem, beta, sums.scale, length)
    trivial = _nothing(problem)
    value = -np.inf if found is None else lower(found.value, found.error)
    if found is None or not value > trivial.value:
        return trivial
    return SampledBound(value, square, found.error, 1 - sample.eta, beta=beta, rows=sample.drawn)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Multipliers by rows of the Gram matrix.

    ``rows`` with ``values``; ``scale``, the length of every row in feature space; ``size``, the lengths times the
    sizes of multipliers, added up; ``slip``, how far the sums of two variables of a row may have moved v; ``share``,
    the error of a kernel value relative to the lengths of its two rows.
    """

    rows: np.ndarray
    values: np.ndarray
    scale: np.ndarray
    size: float
    slip: float
    share: float

    @classmethod
    def of(cls, problem: BoxQP, beta: np.ndarray) -> _Sums:
        n, accuracy = problem.gram.shape[0], problem.gram.accuracy()
        at = problem.rows_of(np.arange(problem.n))
        total, sizes = np.bincount(at, beta, n), np.bincount(at, np.abs(beta), n)
        rows = np.flatnonzero(total)
        scale = accuracy.scale
        slip = 2 * U * float(sizes[np.abs(total) != sizes] @ scale[np.abs(total) != sizes])
        share = 2 * (float(accuracy.relative.max(initial=0.0)) + accuracy.absolute)
        size = float(sizes @ scale) * (1 + roundings(n + 4))
        return cls(rows, total[rows], scale, size, slip * _ROOM, share)

    def chunks(self, step: int) -> list[slice]:
        """The rows in parts."""
        return [slice(a, min(a + step, len(self.rows))) for a in range(0, len(self.rows), step)]


@dataclass(frozen=True, eq=False)
class _Basis:
    """Combinations of landmarks that are orthonormal in feature space but for rounding.

    Inner products of a row with them (``features``) are off by at most ``error`` times the length of the row, as a
    vector; the matrix of inner products among them differs from the unit matrix by at most ``skew``, in norm.
    """

    gram: Gram
    landmarks: np.ndarray
    combinations: np.ndarray
    error: float
    skew: float

    @classmethod
    def of(cls, gram: Gram, landmarks: np.ndarray, scale: np.ndarray, share: float) -> _Basis:
        K = gram.block(landmarks, landmarks, np.float64) if len(landmarks) else np.zeros((0, 0))
        largest, tolerance = float(np.diagonal(K).max(initial=0.0)), 1e-7
        while 0 < largest < np.inf and tolerance < 1:
            L, order, rank, _ = dpstrf(K, tol=tolerance * largest, lower=1)
            chosen = order[:rank] - 1
            W = np.ascontiguousarray(solve_triangular(L[:rank, :rank], np.eye(rank), lower=True).T)
            size = float(np.linalg.norm(np.abs(W).T @ scale[landmarks[chosen]])) * (1 + 1e-6)
            off = float(np.linalg.norm(W.T @ K[np.ix_(chosen, chosen)] @ W - np.eye(rank))) * (1 + 1e-6)
            skew = off + (share + 2 * roundings(2 * rank + 16)) * size * size + 4 * U * rank
            error = (share + 2 * roundings(rank + 16)) * size
            if skew <= _ORTHONORMAL and error <= _EXACT:
                return cls(gram, landmarks[chosen], W, error, skew)
            tolerance *= 10
        return cls(gram, landmarks[:0], np.zeros((0, 0)), 0.0, 0.0)

    def features(self, rows: np.ndarray) -> np.ndarray:
        if not len(self.landmarks):
            return np.zeros((len(rows), 0))
        return self.gram.block(rows, self.landmarks, np.float64) @ self.combinations


@dataclass(frozen=True, eq=False)
class _Span:
    """The part of v in the span of a basis, and what is left of each row.

    ``along`` are the coefficients of u and ``length`` their norm; ``remnant`` bounds the length of the part of r in the
    span, ``left`` the length of what the span leaves of each row.
    """

    basis: _Basis
    along: np.ndarray
    length: float
    remnant: float
    left: np.ndarray


def _project(gram: Gram, sums: _Sums, landmarks: np.ndarray, clock: Callable[[], float]) -> _Span | None:
    """One pass over rows x landmarks, or over fewer landmarks if time is short; None if it is over."""
    while True:
        basis = _Basis.of(gram, landmarks, sums.scale, sums.share)
        chunks, diagonal = sums.chunks(_CHUNK), gram.diagonal()
        m = len(basis.landmarks)
        along, lengths, left = np.zeros(m), np.zeros(len(sums.rows)), np.zeros(len(sums.rows))
        fewer, start = 0, time.perf_counter()
        for done, chunk in enumerate(chunks):
            if clock() <= 0:
                return None
            rows = sums.rows[chunk]
            F = basis.features(rows)
            along += sums.values[chunk] @ F
            squares, scale = np.einsum("ij,ij->i", F, F), sums.scale[rows]
            lengths[chunk] = np.sqrt(squares) * (1 + 1e-6)
            # |phi - sum_k F_k psi_k|^2 for the computed F, the exact psi, and their exact inner products
            error = (2 * basis.error * lengths[chunk] + (sums.share + 8 * U) * scale) * scale
            error += (basis.skew + roundings(m + 8)) * squares * (1 + 1e-6)
            left[chunk] = np.sqrt(np.maximum(diagonal[rows] - squares + error, 0.0)) * (1 + 1e-6)
            if not done and m and len(chunks) > 1:
                seconds = (time.perf_counter() - start) * len(chunks)
                if seconds > clock() / 3:  # the draws need the larger part
                    fewer = int(m * sqrt(clock() / 3 / seconds)) if clock() > 0 else 0
                    break
        else:
            length = float(np.linalg.norm(along)) * (1 + 1e-9)
            added = roundings(min(len(sums.rows), _CHUNK) + len(chunks) + 16)
            remnant = basis.error * sums.size + 2 * added * float(np.abs(sums.values) @ lengths) + basis.skew * length
            return _Span(basis, along, length, remnant * (1 + 1e-6), left)
        landmarks = basis.landmarks[: min(fewer, m - 1)]  # the first ones explain most


class _Sample:
    """Rows drawn so far, and what they say of |r|."""

    def __init__(self, gram: Gram, sums: _Sums, span: _Span, random: np.random.Generator, eta: float) -> None:
        self.gram, self.sums, self.span, self.random, self.eta = gram, sums, span, random, eta
        lengths = sums.scale[sums.rows]
        # a smaller one would make these errors the larger part of what bounds a draw; a tenth of the mean costs nothing
        least = max(10 * sqrt(span.remnant / sums.size), 0.1 * float(span.left.sum() / lengths.sum()), _LEAST_LEFT)
        size = np.abs(sums.values) * np.maximum(span.left, least * lengths)
        unit = float(size.sum()) / 2.0**50
        self.known = bool(0 < unit < np.inf)
        # integers that are not below size / unit, so that no draw is above its bound
        self.weights = np.ceil(size / unit * (1 + 4 * U)).astype(np.int64) + 1 if self.known else np.zeros(0, np.int64)
        self.ends = np.cumsum(self.weights)
        self.total = int(self.ends[-1]) if self.known else 0
        self.draws: list[np.ndarray] = []
        self.values = np.full(len(sums.rows), np.nan)  # e_i with its error, towards a larger beta_i e_i
        self.drawn = 0
        offset = span.length * span.remnant * (1 + 1e-9)
        # lengths of features are those of the rows but for 1e-3 of them
        shift = 1.001 * span.remnant / least
        self.bound = LengthBound(self.total * unit * (1 + 1e-9), shift, offset, eta)

    def draw(self, count: int) -> None:
        """Draw some more rows."""
        self.drawn += count
        if not self.known:
            return
        at = np.searchsorted(self.ends, self.random.integers(0, self.total, count), side="right")
        new = np.unique(at[np.isnan(self.values[at])])
        if len(new):
            self.values[new] = self._leftovers(new)
        with np.errstate(over="ignore", invalid="ignore"):
            X = self.sums.values[at] * self.values[at] * (self.total / self.weights[at])
            self.draws.append(X + 8 * U * np.abs(X))

    def square(self) -> float:
        """An upper bound of |v|^2."""
        largest = self.bound.update(np.concatenate(self.draws)) if self.known else np.inf
        u = self.span.length
        return (u * u * (1 + self.span.basis.skew) + 2 * u * self.span.remnant + largest * largest) * _ROOM

    def _leftovers(self, places: np.ndarray) -> np.ndarray:
        """(K beta)_i - <u, phi_i>, and its error on the side of the sign of beta_i."""
        sums, basis = self.sums, self.span.basis
        rows, parts = sums.rows[places], sums.chunks(_COLUMNS)
        f = np.zeros(len(rows))
        for part in parts:
            f += self.gram.product(sums.rows[part], sums.values[None, part], np.float64, rows)[0]
        scale, added = sums.scale[rows], min(len(sums.rows), _COLUMNS) + len(parts) + 16
        F = basis.features(rows)
        g = F @ self.span.along
        error = (sums.share + 2 * roundings(added)) * sums.size * scale
        error += self.span.length * (basis.error + 2 * roundings(F.shape[1] + 8)) * scale
        error += 4 * U * (np.abs(f) + np.abs(g))
        e = f - g + np.copysign(error * (1 + 1e-9), sums.values[places])
        return np.where(np.isnan(e), np.copysign(np.inf, sums.values[places]), e)
