"""K beta in float64 where a proof needs it, and in float32 with a proven error where that is enough.

A sample without multiplier that is outside its margin by more than the error of its float32 value has no loss, meets
its conditions, and adds nothing to the dual objective: no figure has a digit of its value. So K beta is computed

- in float64 for the support: the dual objective is made of these;
- in float32 for all others, with a bound of the error of each (`Gram.float32_products`);
- in float64 again for those whose interval does not lie outside: near the margin boundary, inside the margin, or next
  to the samples that decide the violation.

Nothing is believed of a solver, nor of the choice: every value has a bound of its error, and all figures are made of
values and bounds as they are elsewhere (`maxmargin.certificates._duality`). The choice only sees to it that the wide
bounds are those of values that no figure is made of.

Processor seconds of one evaluation, one thread, in float64 throughout and screened: Fashion-MNIST 2 against 4 (12,000
rows, 784 columns, 4014 support vectors) 1.74 and 1.10; magic04 at C = 1 0.32 and 0.19, at C = 100, where float32
settles too little, 0.265 and 0.246; ijcnn1 (20,000 rows) 0.144 and 0.091; a9a (CSR) 2.24 and 1.17.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels import Gram
from ..problems import BoxQP
from ._duality import Evidence, best_intercept, evaluate
from ._image import Image, coefficients_by_row, product_errors
from ._rounding import U, bounded_dot

# Fewer kernel values than this take less time in float64 than a choice does (some calls of 0.1 ms).
_LEAST_VALUES = 1e6
# Of more support vectors than this share of the samples, float64 computes half of the matrix, and is not slower.
_MOST_SUPPORT = 0.6
# Samples that are looked at first, at most and one in so many, and the share of them that float32 has to settle: it
# takes half of the time.
_PILOT, _APART, _WORTH = 256, 64, 0.5
# of an error, for what is rounded on the way from a value to a residual, and for float64 values in its place
_SLACK, _HAIR = 1 + 1e-3, 1e-12


class Limits(NamedTuple):
    """Where samples without multiplier are settled: below ``low`` if beta may rise, above ``high`` if it may fall."""

    low: np.ndarray
    high: np.ndarray


def evaluate_screened(problem: BoxQP, beta: np.ndarray, *, wanted: float | None = None) -> Evidence:
    """The figures of `evaluate` at beta; those values of ``image`` are rough that no figure is made of."""
    with np.errstate(over="ignore", invalid="ignore"):
        image = screened_image(problem, beta)
    return evaluate(problem, beta, wanted=wanted, image=image)


def in_float64(problem: BoxQP, beta: np.ndarray, evidence: Evidence) -> np.ndarray:
    """The image of some evidence with its rough values computed anew, for who goes on from there."""
    if evidence.rough is None or not evidence.rough.any():
        return evidence.image
    image, rough = evidence.image.copy(), np.flatnonzero(evidence.rough)
    support = np.flatnonzero(beta)
    image[rough] = problem.columns_product(support, beta[support], only=rough)
    return image


def screened_image(problem: BoxQP, beta: np.ndarray) -> Image | None:
    """K beta as far as a proof needs it; None where float64 throughout is as fast, or float32 says too little."""
    rows, coefficients, rounded = coefficients_by_row(problem, beta)
    gram, count = problem.gram, len(rows)
    n = gram.shape[0]
    if not 0 < count <= _MOST_SUPPORT * n or float(n) * count < _LEAST_VALUES:
        return None
    rest = np.delete(np.arange(n), rows)
    pilot = rest[:: max(_APART, len(rest) // _PILOT)]
    first = _float32(gram, pilot, rows, coefficients)
    if first is None or not np.isfinite(first[1]).mean() > _WORTH:
        return None
    screen = _Screen(problem, beta, rows, coefficients, rounded)
    screen.take_exact(rows)
    if screen.share_settled(pilot, *first) < _WORTH:
        screen.take_exact(rest)
    else:
        screen.take_rough(rest)
    return screen.image()


def _float32(
    gram: Gram, i: np.ndarray, j: np.ndarray, coefficients: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """``K[i, j] c`` from float32 values and bounds: of either sign by itself, so that sums say what their terms are."""
    values, errors = np.zeros(len(i)), np.zeros(len(i))
    for part in (np.flatnonzero(coefficients > 0), np.flatnonzero(coefficients < 0)):
        if len(part):
            found = gram.float32_products(j[part], coefficients[None, part], i)
            if found is None:
                return None
            values += found[0][0]
            errors += found[1][0]
    return values, errors * (1 + 1e-9)  # coefficients and the sum of both may be rounded: 2**-53 of 2**-19 and more


class _Screen:
    """Values and errors of one image, as far as they are known."""

    def __init__(
        self, problem: BoxQP, beta: np.ndarray, rows: np.ndarray, coefficients: np.ndarray, rounded: int
    ) -> None:
        self.problem, self.beta = problem, beta
        self.rows, self.coefficients, self.rounded = rows, coefficients, rounded
        n = problem.gram.shape[0]
        self.values, self.errors, self.rough = np.zeros(n), np.full(n, np.inf), np.ones(n, dtype=bool)
        self.of = problem.rows_of(np.arange(problem.n))

    def take_exact(self, i: np.ndarray) -> None:
        """Float64 values of some rows."""
        gram = self.problem.gram
        c = self.coefficients[None]
        if i is self.rows:  # half of a symmetric matrix
            f, size, additions = gram.restricted(i).sized_products(np.arange(len(i)), c)
        else:
            f, size, additions = gram.sized_products_of(i, self.rows, c)
        errors = product_errors(gram, self.rows, c, size, additions + self.rounded, i)
        self.values[i], self.errors[i], self.rough[i] = f[0], errors[0], False

    def take_rough(self, rest: np.ndarray) -> None:
        """Float32 values of the rest, and float64 values of those that they do not settle."""
        found = _float32(self.problem.gram, rest, self.rows, self.coefficients)
        if found is None:  # a row that the pilot has not seen is beyond the range of float32
            self.take_exact(rest)
            return
        self.values[rest], self.errors[rest] = found
        while len(rest):
            open_rows = rest[~self.settled(self.limits())[rest]]
            if not len(open_rows):
                break
            self.take_exact(open_rows)
            rest = rest[self.rough[rest]]

    def share_settled(self, pilot: np.ndarray, values: np.ndarray, errors: np.ndarray) -> float:
        """The share of some rows that these values would settle, by what the support says of the intercept."""
        self.values[pilot], self.errors[pilot] = values, errors
        share = float(self.settled(self.limits())[pilot].mean())
        self.errors[pilot] = np.inf
        return share

    def limits(self) -> Limits:
        """Residuals beyond which no figure has a digit of a value: the intercept, and others that violate more."""
        problem, exact = self.problem, ~self.rough[self.of]
        low, high = np.empty(problem.n), np.empty(problem.n)
        residual = problem.p - self.values[self.of]
        finite = np.isfinite(self.errors[self.of])
        for g, total in enumerate(problem.totals):
            members = np.arange(problem.n)[problem.members(g)]
            seen, sharp = members[finite[members]], members[exact[members]]
            b = best_intercept(residual[seen], problem.lower[seen], problem.upper[seen], total) if len(seen) else np.nan
            may_rise = residual[sharp[self.beta[sharp] < problem.upper[sharp]]]
            may_fall = residual[sharp[self.beta[sharp] > problem.lower[sharp]]]
            low[members] = np.minimum(b, may_rise.max(initial=-np.inf))
            high[members] = np.maximum(b, may_fall.min(initial=np.inf))
        return Limits(low, high)

    def settled(self, limits: Limits) -> np.ndarray:
        """Rows of which no figure has a digit: each of its variables is beyond its limit by more than its error."""
        problem = self.problem
        residual = problem.p - self.values[self.of]
        room = _HAIR * (np.abs(residual) + np.abs(problem.p) + np.abs(limits.low) + np.abs(limits.high))
        room += self.errors[self.of] * _SLACK
        with np.errstate(invalid="ignore"):
            below = (problem.upper <= 0) | (residual + room < limits.low)
            above = (problem.lower >= 0) | (residual - room > limits.high)
        beyond = below & above & (self.beta == 0)
        if problem.sample is None:
            return beyond
        return np.bincount(self.of, weights=~beyond, minlength=len(self.values)) == 0

    def image(self) -> Image:
        """Values and errors of all variables, and the square of w, to which rough values add nothing."""
        f, e = self.values[self.of], self.errors[self.of]
        return Image(f, e, bounded_dot(self.beta, f, e), U, self.rough[self.of])
