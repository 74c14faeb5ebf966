"""Losses of straight pieces for rows of many columns: the method of multipliers, with nothing kept by the partitions.

Where there are more columns than rows within the width, what smoothing leaves of the gap falls with the width alone,
and Newton's method has to find out which rows these are. So the parabola is moved, row by row, to where its multiplier
was:

    h(g) = max over alpha in [0, 1] of   alpha g - width / 2 (alpha - a)^2,      alpha = clip(a + g / width, 0, 1),

the centre a being alpha at the minimum before (Rockafellar 1976; the centre of `SmoothedLoss` is 1/2). The minimisers
converge to that of the loss itself, and the faster the smaller the width, which need not go to zero. A centre follows
from the variables at all those minima, which a question carries with it: a partition computes its centres anew.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from ..certificates import SlopeRule
from ..losses import Loss, SmoothedLoss
from ..problems import Risk

# The variables and the width of each minimum whose multipliers were taken as centres, in their order.
Past: TypeAlias = tuple[tuple[np.ndarray, float], ...]


@dataclass(frozen=True)
class CentredLoss(SmoothedLoss):
    """A smoothed loss with a centre for each sample and hinge, apart from constants."""

    centres: tuple[np.ndarray, ...]

    def hinges(self, f: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray | float]]:
        """The pairs (g, s), moved so that the parabola is that of the centres."""
        found = super().hinges(f, y)
        return [(g + self.width * (a - 0.5), s) for (g, s), a in zip(found, self.centres, strict=True)]


def smoothed(problem: Risk, width: float, past: Past = ()) -> SmoothedLoss:
    """The loss of a problem, its kinks rounded off around the centres that follow from the past."""
    assert isinstance(problem.loss, Loss)
    loss = SmoothedLoss(problem.loss, past[0][1] if past else width)
    for k, (theta, _) in enumerate(past):
        f, following = problem.decision(theta), past[k + 1][1] if k + 1 < len(past) else width
        centres = tuple(np.clip(g / loss.width + 0.5, 0.0, 1.0) for g, _ in loss.hinges(f, problem.y))
        loss = CentredLoss(problem.loss, following, centres)
    return loss


@dataclass(frozen=True)
class CentredRule(SlopeRule):
    """Slopes of a loss that is smoothed around centres."""

    past: Past = ()

    def slopes(self, problem: Risk, f: np.ndarray) -> np.ndarray:
        """The slopes of the samples of a problem at decision values f."""
        u = smoothed(problem, self.width, self.past).derivative(f, problem.y)
        return np.where(u > 0, self.positive * u, self.negative * u)


@dataclass(frozen=True)
class SlopesOf:
    """The slopes of a rule at theta, one a sample."""

    theta: np.ndarray
    rule: SlopeRule

    def of(self, problem: Risk) -> tuple[Any]:
        """For the rows of one partition."""
        return (Joined((self.rule.slopes(problem, problem.decision(self.theta)),)),)


@dataclass(frozen=True)
class Joined:
    """Arrays of several partitions, in their order."""

    arrays: tuple[np.ndarray, ...]

    def __add__(self, other: Joined) -> Joined:
        return Joined(self.arrays + other.arrays)


def with_slopes(solver: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """The same, with slopes instead of a rule that asks for the way to the minimum: models keep no such rule."""
    found = yield from solver
    if not isinstance(found.rule, CentredRule):
        return found
    (slopes,), _ = yield SlopesOf(found.theta, found.rule)
    return replace(found, rule=np.concatenate(slopes.arrays))
