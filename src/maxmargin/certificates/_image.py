"""K beta with a bound of its error, sample by sample: what both objectives are computed from.

Three ways, all float64 unless said otherwise:

- a linear kernel: the weights w = sum_i beta_i x_i once, then f_i = <x_i, w>. Where the rows lie far from the origin,
  the terms are far larger than their sum: it is computed as if in twice the precision, so that both objectives are
  those of beta, which predictions are made with, and not of weights that rounding has moved;
- any other kernel: the product of K with beta, with the errors of the kernel values and of the sum;
- a small problem, if float64 leaves too much open: the same in extended precision, by plain code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data import exact_sums
from ..kernels import EXTENDED, EXTENDED_UNIT, Gram, roundings
from ..problems import BoxQP
from ._rounding import TINY, Bounded, U, bounded_dot, gamma


@dataclass(frozen=True)
class Image:
    """K beta with a bound of the error of each value, and ``square``, beta' K beta with its own.

    ``unit`` is the precision that was worked in; ``rough`` says which values are float32's, None if none is.
    """

    values: np.ndarray
    errors: np.ndarray
    square: Bounded
    unit: float
    rough: np.ndarray | None = None


def bounded_image(problem: BoxQP, beta: np.ndarray, extended: bool = False) -> Image:
    """The image of beta; in extended precision if that is asked for (and the problem has it)."""
    rows, coefficients, rounded = coefficients_by_row(problem, beta)
    linear = None if extended else problem.gram.linear_rows()
    if linear is not None:
        return _linear(problem, linear, rows, coefficients, rounded)
    f, e = (_extended if extended else _product)(problem, rows, coefficients, rounded)
    f, e = (f, e) if problem.sample is None else (f[problem.sample], e[problem.sample])
    square = bounded_dot(beta.astype(f.dtype, copy=False), f, e)
    return Image(f, e, square, EXTENDED_UNIT if extended else U)


def bounded_images(problem: BoxQP, columns: np.ndarray) -> list[Image]:
    """Images of the columns of an (n, k) array; kernel values are computed once for all of them."""
    if columns.shape[1] == 1 or problem.sample is not None or problem.gram.linear_rows() is not None:
        return [bounded_image(problem, np.ascontiguousarray(column)) for column in columns.T]
    rows = np.flatnonzero(columns.any(axis=1))
    coefficients = np.ascontiguousarray(columns[rows].T)
    images = []
    for beta, f, e in zip(columns.T, *_products(problem, rows, coefficients, 0), strict=True):
        images.append(Image(f, e, bounded_dot(beta, f, e), U))
    return images


def decision_sums(problem: BoxQP, coefficients: np.ndarray) -> np.ndarray:
    """``K c`` for every variable, as predictions are made: with a linear kernel by the weights.

    Products of small rows underflow, where products of rows with weights of large coefficients have all their digits.
    """
    if problem.gram.linear_rows() is None:
        return problem.image(coefficients)
    return np.asarray(bounded_image(problem, coefficients).values, dtype=np.float64)


def product_rounding(gram: Gram, a: np.ndarray) -> np.ndarray:
    """What float64 may do to each value of ``K a``: much, where large coefficients cancel.

    Of coefficients in several columns, one column of bounds each.
    """
    accuracy = gram.accuracy()
    share = float(accuracy.relative.max(initial=0.0)) + accuracy.absolute + roundings(len(a) + 16)
    with np.errstate(over="ignore"):
        return 2 * share * np.multiply.outer(accuracy.scale, accuracy.scale @ np.abs(a))


def linear_errors(problem: BoxQP, beta: np.ndarray) -> float:
    """The largest error of a value of ``K beta`` with a linear kernel, whichever of both ways it is computed in.

    By the weights in float64, or by kernel values in extended precision: evaluations take what leaves less open.
    """
    rows, coefficients, _ = coefficients_by_row(problem, beta)
    scale = problem.gram.accuracy().scale
    with np.errstate(over="ignore", invalid="ignore"):
        unit = roundings(len(rows) + _terms(problem) + 8, EXTENDED_UNIT)
        by_values = unit * float(scale[rows] @ np.abs(coefficients)) * float(scale.max(initial=0.0))
        return max(float(bounded_image(problem, beta).errors.max(initial=0.0)), by_values)


def underflow(problem: BoxQP, multipliers: float) -> float:
    """What products that are subnormal numbers may be off by in a value of ``K beta``, with this sum of multipliers."""
    return float(TINY * (problem.gram.shape[0] + _terms(problem) * (1 + multipliers)))


def _terms(problem: BoxQP) -> int:
    """Terms of an inner product of two rows; 1 of kernel values that are no such products."""
    linear = problem.gram.linear_rows()
    return 1 if linear is None else int(linear[0].longest[0])


def extended_work(problem: BoxQP, beta: np.ndarray) -> float:
    """Operations that an image in extended precision takes; inf where there is none."""
    return problem.gram.extended_work(int(np.count_nonzero(beta)))


def coefficients_by_row(problem: BoxQP, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows of the matrix that take part, their coefficients, and how often these were rounded."""
    if problem.sample is None:
        rows = np.flatnonzero(beta)
        return rows, beta[rows], 0
    total = np.bincount(problem.sample, weights=beta, minlength=problem.gram.shape[0])
    size = np.bincount(problem.sample, weights=np.abs(beta), minlength=problem.gram.shape[0])
    rows = np.flatnonzero(size)
    # two variables of a sample are added, which rounds if neither is zero
    return rows, total[rows], int((np.abs(total) != size).any())


def _product(problem: BoxQP, rows: np.ndarray, coefficients: np.ndarray, rounded: int) -> tuple[np.ndarray, np.ndarray]:
    f, e = _products(problem, rows, coefficients[None], rounded)
    return f[0], e[0]


def _products(
    problem: BoxQP, rows: np.ndarray, coefficients: np.ndarray, rounded: int
) -> tuple[np.ndarray, np.ndarray]:
    """``K[:, rows] c`` and its errors for each c of `coefficients`, of shape (outputs, rows)."""
    if not len(rows):
        return np.zeros((2, len(coefficients), problem.gram.shape[0]))  # type: ignore[return-value]
    with np.errstate(over="ignore", invalid="ignore"):
        f, size, additions = problem.gram.sized_products(rows, coefficients)
        return f, product_errors(problem.gram, rows, coefficients, size, additions + rounded)


def product_errors(
    gram: Gram,
    rows: np.ndarray,
    coefficients: np.ndarray,
    size: np.ndarray,
    additions: int,
    i: np.ndarray | None = None,
) -> np.ndarray:
    """How far ``K[i, rows] c`` may be off for each c, from the sizes of its terms and the additions in a row.

    All rows if `i` is None.
    """
    accuracy = gram.accuracy()
    own = accuracy if i is None else accuracy.of(i)
    e = (own.relative + gamma(additions)) * size
    sizes = np.abs(coefficients) @ accuracy.scale[rows]
    e += accuracy.absolute * np.multiply.outer(sizes, own.scale)
    return e * (1 + 1e-9)


def _extended(
    problem: BoxQP, rows: np.ndarray, coefficients: np.ndarray, rounded: int
) -> tuple[np.ndarray, np.ndarray]:
    K, accuracy = problem.gram.extended(rows)
    weights = coefficients.astype(EXTENDED)
    size = np.asarray(np.abs(K) @ np.abs(weights), dtype=np.float64)
    e = (accuracy.relative + roundings(len(rows) + 2, EXTENDED_UNIT) + rounded * U) * size
    e += accuracy.absolute * accuracy.scale * float(accuracy.scale[rows] @ np.abs(coefficients))
    return K @ weights, e * (1 + 1e-9)


def _linear(problem: BoxQP, linear: tuple, rows: np.ndarray, coefficients: np.ndarray, rounded: int) -> Image:
    data, index = linear
    scale = problem.gram.accuracy().scale
    of_rows = np.zeros(data.n)
    of_rows[rows if index is None else index[rows]] = coefficients
    with np.errstate(over="ignore", invalid="ignore"):
        w, sizes = exact_sums(data, of_rows)
        f = data.times(w, index)
        length = float(np.sqrt(w @ w)) * (1 + 1e-9)
        missed = 4 * U * np.abs(w) + (3 * (len(rows) * U) ** 2 + rounded * U) * sizes
        slip = float(np.sqrt(missed @ missed)) * (1 + 1e-9)  # in length, from the exact sum to w
        e = (gamma(data.longest[0] + 3) * length + slip) * scale * (1 + 1e-9)
        value, error = bounded_dot(w, w)
        square = value, error + (2 * length + slip) * slip * (1 + 1e-9)
    if problem.sample is not None:
        f, e = f[problem.sample], e[problem.sample]
    return Image(f, e, square, U)
