"""What every step of a solver was like, for those who want to see all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Figures(NamedTuple):
    """What a solver believes of where it stands; NaN is what it does not know. ``gap`` is relative."""

    violation: float = float("nan")
    gap: float = float("nan")
    primal: float = float("nan")
    dual: float = float("nan")


@dataclass(frozen=True, eq=False)
class TracePoint:
    """A solver after one of its steps: which problem, how far, and after how many seconds of the fit."""

    problem: str
    iteration: int
    figures: Figures
    seconds: float
    variables: np.ndarray | None = None


class Trace:
    """Keeps a point for every step of every solver that is given a monitor with it.

    Parameters
    ----------
    variables : bool
        Whether to keep a copy of the variables at every step too.

    Attributes
    ----------
    points : list of TracePoint
        In the order in which they came. Problems that are solved side by side take turns; each has its own name.

    """

    def __init__(self, variables: bool = False) -> None:
        self.variables = variables
        self.points: list[TracePoint] = []

    def __len__(self) -> int:
        return len(self.points)

    def of(self, problem: str) -> list[TracePoint]:
        """The points of one problem."""
        return [point for point in self.points if point.problem == problem]
