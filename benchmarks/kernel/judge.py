"""The referee's word on a kernel machine, from its multipliers alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..referee import Verdict, judge, rbf_product
from .cases import Case
from .multipliers import Multipliers, pairs

NO_SOLUTION = 0.1  # of the objective: an answer this far off is to another question


@dataclass(frozen=True)
class Judgement:
    """Sums over the binary problems, and the worst of them.

    ``clipped`` is the furthest that a multiplier was outside its box, in units of C, before it was clipped.
    ``image`` holds K b of each problem for all rows, to compare decision values with.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    worst_gap: float
    sum_residual: float
    clipped: float
    vectors: int
    problems: int
    image: np.ndarray = field(repr=False, compare=False)
    violation: float = float("nan")  # the largest, of the conditions of optimality

    @property
    def solved(self) -> bool:
        """Whether this is a solution at all, however rough."""
        return self.relative_gap < NO_SOLUTION


def judge_model(case: Case, X: Any, y: np.ndarray, gamma: float, multipliers: Multipliers) -> Judgement:
    """Judge a classifier or a regressor of the case."""
    if case.regression:
        coef, boxes = np.atleast_2d(multipliers.coef)[:1].T, [(-case.C, case.C)]
        problems = []
    else:
        problems = pairs(multipliers, y)
        coef = np.stack([pair.on_support for pair in problems], axis=1)
        # a vector has the sign of its class in each pair that it takes part in, and 0 in the others
        boxes = [_sides(pair.rows, pair.sign, multipliers.support, len(y), case.C) for pair in problems]
    inside = np.stack([np.clip(coef[:, k], low, high) for k, (low, high) in enumerate(boxes)], axis=1)
    image = rbf_product(X, X[multipliers.support], inside, gamma)
    if case.regression:
        verdicts = [_regressor(case, y, multipliers.support, inside[:, 0], image[:, 0])]
    else:
        verdicts = [
            _classifier(case, pair, multipliers.support, inside[:, k], image[:, k]) for k, pair in enumerate(problems)
        ]
    clipped = float(np.abs(coef - inside).max(initial=0.0)) / case.C
    return _sum_up(verdicts, clipped, int(np.count_nonzero(inside.any(axis=1))), image)


def _sides(rows: np.ndarray, sign: np.ndarray, support: np.ndarray, n: int, C: float) -> tuple[np.ndarray, np.ndarray]:
    side = np.zeros(n)
    side[rows] = sign
    side = side[support]
    return np.where(side < 0, -C, 0.0), np.where(side > 0, C, 0.0)


def _classifier(case: Case, pair: Any, support: np.ndarray, inside: np.ndarray, image: np.ndarray) -> Verdict:
    b = np.zeros(len(image))
    b[support] = inside
    positive = pair.sign > 0
    lower, upper = np.where(positive, 0.0, -case.C), np.where(positive, case.C, 0.0)
    return judge(image[pair.rows], b[pair.rows], pair.sign, lower, upper)


def _regressor(case: Case, y: np.ndarray, support: np.ndarray, inside: np.ndarray, image: np.ndarray) -> Verdict:
    """Two variables a sample, alpha and -alpha*, which share f; see `benchmarks.referee.box_qp`."""
    b = np.zeros(len(y))
    b[support] = inside
    zero, bound = np.zeros(len(y)), np.full(len(y), case.C)
    return judge(
        np.concatenate([image, image]),
        np.concatenate([np.maximum(b, 0.0), np.minimum(b, 0.0)]),
        np.concatenate([y - case.epsilon, y + case.epsilon]),
        np.concatenate([zero, -bound]),
        np.concatenate([bound, zero]),
    )


def _sum_up(verdicts: list[Verdict], clipped: float, vectors: int, image: np.ndarray) -> Judgement:
    gap, size = sum(v.gap for v in verdicts), sum(abs(v.primal) for v in verdicts)
    return Judgement(
        primal=sum(v.primal for v in verdicts),
        dual=sum(v.dual for v in verdicts),
        gap=gap,
        relative_gap=gap / size if size else float("inf"),
        worst_gap=max(v.relative_gap for v in verdicts),
        sum_residual=max(v.sum_residual for v in verdicts),
        clipped=clipped,
        vectors=vectors,
        problems=len(verdicts),
        image=image,
        violation=max(v.violation for v in verdicts),
    )


def value_error(values: Any, judgement: Judgement) -> float | None:
    """Largest error of decision values against the referee's, up to the intercept.

    None for several classes, where libraries return values of different meanings.
    """
    if judgement.problems > 1:
        return None
    difference = np.asarray(values, dtype=np.float64).ravel() - judgement.image[:, 0]
    return float(np.abs(difference - np.median(difference)).max())
