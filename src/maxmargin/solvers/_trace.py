"""What every step of a solver was like, for those who want to see all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

_FEW = 20  # iterations up to which each is recorded; from then on one in so many of those before it


class Figures(NamedTuple):
    """What a solver believes of where it stands; NaN is what it does not know. ``gap`` is relative.

    ``others`` are further figures by name: the mistakes of a perceptron, the inertia of clusters.
    """

    violation: float = float("nan")
    gap: float = float("nan")
    primal: float = float("nan")
    dual: float = float("nan")
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, eq=False)
class TracePoint:
    """A solver after one of its steps: which problem, how far, and after how many seconds of the fit."""

    problem: str
    iteration: int
    figures: Figures
    seconds: float
    variables: np.ndarray | None = None


class Trace:
    """The course of a fit: a point for every step of every solver, as columns of figures.

    An estimator with ``trace=True`` keeps it as ``trace_``. Columns are ``iteration``, ``seconds`` (without the time
    that recording took), and those that its solver has: ``primal``, ``dual``, ``gap`` (relative to the objective),
    ``violation``, or ``mistakes``, ``inertia``, ``error``, ``exponential_loss`` and others. They are the solver's own
    figures, but for the last point of each problem that has a certificate: that is the certificate, recomputed in
    float64. Each of the first forty steps is recorded, and of later ones fewer, evenly by their logarithm.

    Parameters
    ----------
    variables : bool
        Whether to keep a copy of the variables at every step too.

    Attributes
    ----------
    points : list of TracePoint
        In the order in which they came. Problems that are solved side by side take turns; each has its own name.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.svm import SVC
    >>> X, y = make_moons(200, noise=0.3, random_state=0)
    >>> model = SVC(C=10, solver="projected_gradient", trace=True).fit(X, y)
    >>> model.trace_.columns
    ('iteration', 'seconds', 'primal', 'dual', 'gap', 'violation')
    >>> float(model.trace_["gap"][-1]) == model.certificate_.relative_gap
    True

    """

    def __init__(self, variables: bool = False) -> None:
        self.variables = variables
        self.points: list[TracePoint] = []

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} points: {', '.join(self.columns)}>"

    def of(self, problem: str) -> list[TracePoint]:
        """The points of one problem."""
        return [point for point in self.points if point.problem == problem]

    @property
    def problems(self) -> list[str]:
        """Names of the problems, in the order of their first points; one without others has none."""
        return list(dict.fromkeys(point.problem for point in self.points))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that there are figures for."""
        known = [name for name in ("primal", "dual", "gap", "violation") if not np.isnan(self[name]).all()]
        others = dict.fromkeys(name for point in self.points for name, _ in point.figures.others)
        return ("iteration", "seconds", *known, *others)

    def __getitem__(self, column: str) -> np.ndarray:
        """A column of all points; NaN where a point has no such figure."""
        if column == "iteration":
            return np.array([point.iteration for point in self.points], dtype=np.int64)
        if column == "seconds":
            return np.array([point.seconds for point in self.points], dtype=np.float64)
        if column in ("primal", "dual", "gap", "violation"):
            return np.array([getattr(point.figures, column) for point in self.points], dtype=np.float64)
        values = [dict(point.figures.others).get(column) for point in self.points]
        if all(value is None for value in values):
            raise KeyError(f"{column!r}: the columns of this trace are {', '.join(self.columns)}.")
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    def to_dict(self) -> dict[str, np.ndarray]:
        """All columns by name, and ``problem``, ready for a data frame."""
        problem = np.array([point.problem for point in self.points], dtype=object)
        return {"problem": problem} | {name: self[name] for name in self.columns}

    def part(self, problem: str) -> Trace:
        """The trace of one problem."""
        part = Trace(self.variables)
        part.points = self.of(problem)
        return part

    def extend(self, problem: str, seconds: Sequence[float], figures: Mapping[str, np.ndarray]) -> None:
        """Add points of iterations 1, 2, ..., whose figures are known by name."""
        for t, time in enumerate(seconds):
            others = tuple((name, float(values[t])) for name, values in figures.items())
            self.points.append(TracePoint(problem, t + 1, Figures(others=others), time))

    @staticmethod
    def stride(iterations: int) -> int:
        """Iterations until the next point: each of the first ones, then as many more as show on a logarithmic axis."""
        return max(1, iterations // _FEW)
