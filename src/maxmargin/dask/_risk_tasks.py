"""What partitions are asked about regularised risks: pure functions, whose results are added up.

A question is a small object; its method `of` answers it for the `Risk` of one partition with a tuple, the sum of which
over the partitions is the answer for all rows. Several questions, of several problems, are asked by one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..certificates import SlopeRule, risk_part, rule_part
from ..data import Rows
from ..losses import Loss
from ..penalties import Penalty
from ..problems import Risk
from ._centred import Past, smoothed
from ._part import Part


@dataclass(frozen=True)
class RiskSpec:
    """The problems of a fit, which every partition makes of its rows: one, or one a class against the rest.

    ``class_weight`` is None for targets and where classes weigh 1; ``classes`` None for targets.
    """

    loss: Loss
    penalty: Penalty
    strength: float
    fit_intercept: bool
    classes: np.ndarray | None = None
    class_weight: np.ndarray | None = None

    @property
    def problems(self) -> int:
        """How many there are."""
        return 1 if self.classes is None or len(self.classes) == 2 else len(self.classes)

    def weights(self, part: Part) -> np.ndarray:
        """``c_i``, multiplied in the order in which the estimators do."""
        own = np.ones(part.n) if part.weight is None else part.weight
        if self.class_weight is not None:
            own = self.class_weight[self.labels(part)] * own
        return self.strength * own

    def labels(self, part: Part) -> np.ndarray:
        """Numbers of classes."""
        assert part.y is not None and self.classes is not None
        return np.searchsorted(self.classes, part.y)

    def risks(self, part: Part, numbers: Sequence[int]) -> dict[int, Risk]:
        """The problems of these numbers, for the rows of a partition."""
        rows, c = Rows(part.X), self.weights(part)
        label = part.y if self.classes is None else self.labels(part)
        return {k: self._risk(rows, self._targets(label, k), c) for k in set(numbers)}

    def _targets(self, label: Any, k: int) -> np.ndarray:
        if self.classes is None:
            return np.asarray(label)
        return 2.0 * label - 1.0 if self.problems == 1 else np.where(label == k, 1.0, -1.0)

    def _risk(self, rows: Rows, y: np.ndarray, c: np.ndarray) -> Risk:
        return Risk(rows, y, c, self.loss, self.penalty, self.fit_intercept, 1)


@np.errstate(over="ignore", invalid="ignore")  # what is not finite, no certificate confirms
def answers(part: Part, spec: Any, questions: Sequence[tuple[int, Any]]) -> tuple:
    """The answers of one partition to questions about the problems of these numbers, in their order."""
    risks = spec.risks(part, [k for k, _ in questions])
    return tuple(question.of(risks[k]) for k, question in questions)


@dataclass(frozen=True)
class SecondOrder:
    """Sum of losses, gradient and Hessian at theta. With a `width` those of the smoothed loss, and the plain sum, too.

    The last two places of the answer are the sum of the losses themselves, and that of their conjugates at the slopes.
    """

    theta: np.ndarray
    width: float = 0.0
    past: Past = ()

    def of(self, problem: Risk) -> tuple:
        """For the rows of one partition."""
        if self.width == 0:
            value, gradient, H = problem.second_order(self.theta)
            return value, gradient, H, value, 0.0
        loss, c, f = smoothed(problem, self.width, self.past), problem.weights, problem.decision(self.theta)
        u, h = loss.derivative(f, problem.y), c * loss.curvature(f, problem.y)
        some, h = _curved(problem, h)
        H = some.weighted_gram(h) if len(h) else np.zeros((problem.d + 1, problem.d + 1))
        value = float(c @ loss.value(f, problem.y))
        stars = float(c @ problem.loss.conjugate(u, problem.y))
        return value, problem.transposed(c * u), H, problem.loss_at(f), stars


@dataclass(frozen=True)
class FirstOrder:
    """The same with the diagonal of the Hessian in its place, and the bytes of the rows that have curvature."""

    theta: np.ndarray
    width: float = 0.0
    past: Past = ()

    def of(self, problem: Risk) -> tuple:
        """For the rows of one partition."""
        c, f = problem.weights, problem.decision(self.theta)
        loss: Any = smoothed(problem, self.width, self.past) if self.width else problem.loss
        u, value = loss.derivative(f, problem.y), problem.loss_at(f)
        some, h = _curved(problem, c * loss.curvature(f, problem.y))
        rounded, stars = value, 0.0
        if self.width:
            rounded, stars = float(c @ loss.value(f, problem.y)), float(c @ problem.loss.conjugate(u, problem.y))
        size = float(len(h) * 8 + some.stored * (some.rows.dtype.itemsize + 4 * some.rows.sparse))
        return rounded, problem.transposed(c * u), some.hessian_diagonal(h), value, stars, size


@dataclass(frozen=True)
class HessianTimes:
    """The Hessian of the (smoothed) losses at theta, times s."""

    theta: np.ndarray
    s: np.ndarray
    width: float = 0.0
    past: Past = ()

    def of(self, problem: Risk) -> tuple:
        """For the rows of one partition."""
        loss: Any = smoothed(problem, self.width, self.past) if self.width else problem.loss
        f = problem.decision(self.theta)
        some, h = _curved(problem, problem.weights * loss.curvature(f, problem.y))
        return (some.hessian_product(h, self.s),)


@dataclass(frozen=True)
class CurvedRows:
    """The rows that have curvature at theta, with it: few, near the end of a smoothed loss."""

    theta: np.ndarray
    width: float
    past: Past = ()

    def of(self, problem: Risk) -> tuple:
        """For the rows of one partition."""
        f = problem.decision(self.theta)
        h = problem.weights * smoothed(problem, self.width, self.past).curvature(f, problem.y)
        inside = np.flatnonzero(h)
        return (SomeRows(((problem.rows.take(inside), h[inside]),) if inside.size else ()),)


@dataclass(frozen=True)
class SomeRows:
    """Rows of several partitions, each block with a number a row."""

    blocks: tuple[tuple[Any, np.ndarray], ...]

    def __add__(self, other: SomeRows) -> SomeRows:
        return SomeRows(self.blocks + other.blocks)

    def gram_times(self, s: np.ndarray, fit_intercept: bool) -> np.ndarray:
        """``sum_i h_i (x_i, 1) <(x_i, 1), s>``; the last entry is 0 without an intercept."""
        total = np.zeros_like(s)
        for X, h in self.blocks:
            a = h * (X @ s[:-1] + s[-1])
            total[:-1] += X.T @ a
            total[-1] += a.sum() * fit_intercept
        return total


def _curved(problem: Risk, h: np.ndarray) -> tuple[Risk, np.ndarray]:
    """The problem of the rows with curvature, which are few near the end of a smoothed loss, and theirs."""
    inside = np.flatnonzero(h)
    if 2 * inside.size > problem.n:
        return problem, h
    rows = Rows(problem.rows.take(inside))
    return replace(problem, rows=rows, y=problem.y[inside], weights=problem.weights[inside]), h[inside]


@dataclass(frozen=True)
class Along:
    """Slopes in t of the sum of (smoothed) losses at theta + t p, for several t."""

    theta: np.ndarray
    p: np.ndarray
    steps: np.ndarray
    width: float = 0.0
    past: Past = ()

    def of(self, problem: Risk) -> tuple:
        """For the rows of one partition."""
        loss: Any = smoothed(problem, self.width, self.past) if self.width else problem.loss
        f, along, c, y = problem.decision(self.theta), problem.decision(self.p), problem.weights, problem.y
        weighted = c * along
        return (np.array([float(weighted @ loss.derivative(f + t * along, y)) for t in self.steps]),)


@dataclass(frozen=True)
class SumOfSlopes:
    """The weighted sum of the slopes of a rule at theta, and those of its positive and of its negative terms."""

    theta: np.ndarray
    rule: SlopeRule

    def of(self, problem: Risk) -> tuple:
        """For the rows of one partition."""
        return rule_part(problem, problem.decision(self.theta), self.rule)


@dataclass(frozen=True)
class Proof:
    """The sums of both objectives at theta and the slopes of a rule."""

    theta: np.ndarray
    rule: SlopeRule

    def of(self, problem: Risk) -> tuple:
        """For the rows of one partition."""
        return (risk_part(problem, self.theta, self.rule),)
