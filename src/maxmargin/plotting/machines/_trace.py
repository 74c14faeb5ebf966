"""The courses of several fits in one picture: a figure of each against iterations or seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...solvers import Trace
from .._curve_axes import dress, write_title
from .._display import Display
from .._look import colour, line, marker

_LEAST = 1e-17  # gaps below are rounding errors: they are drawn here
_WORDS = {
    "gap": "relative duality gap",
    "violation": "violation of the conditions",
    "primal": "primal objective",
    "dual": "dual objective",
}
_LOG_FROM = 50.0
_STYLES = ("-", "--", "-.", ":")  # lines can be told apart without their colours


@dataclass(kw_only=True, eq=False, repr=False)
class TraceDisplay(Display):
    """How several fits went: gap, objective, mistakes, inertia or error against iterations or seconds.

    The figures are those that the solvers had while they worked; where a model has a duality gap, the last point of
    each curve is its certificate, recomputed in float64. Iterations of different solvers are different amounts of work:
    compare those by seconds.

    Parameters
    ----------
    traces : dict of str to Trace
        The courses by the names of the fits.
    column : str
        Which figure is drawn, a column of all traces.

    Attributes
    ----------
    lines_ : dict of str to list of matplotlib Line2D
        The curves of each fit, one a problem.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.plotting import TraceDisplay
    >>> from maxmargin.svm import SVC
    >>> X, y = make_moons(200, noise=0.3, random_state=0)
    >>> models = {name: SVC(solver=name, trace=True).fit(X, y) for name in ("smo", "active_set")}
    >>> display = TraceDisplay.from_estimators(models, against="seconds")
    >>> display.column
    'gap'
    >>> display.figure_.savefig("trace.png")  # doctest: +SKIP

    """

    traces: dict[str, Trace]
    column: str
    title: str = ""

    @classmethod
    def from_estimators(
        cls,
        estimators: Any,
        *,
        column: str | None = None,
        against: str = "iteration",
        legend: bool = True,
        ax: Any = None,
    ) -> TraceDisplay:
        """Draw the traces of fitted estimators.

        Parameters
        ----------
        estimators : dict of str to estimator, sequence of estimators, or one of them
            Fitted with ``trace=True``; pipelines may end in one.
        column : str, optional
            Which figure; by default "gap" if all of them have one, else the first that all have.
        against : {"iteration", "seconds"}, default="iteration"
            What is along the axis.

        """
        traces = {name: _trace_of(model) for name, model in _by_name(estimators).items()}
        shared = _shared(traces)
        if column is None:
            column = "gap" if "gap" in shared else shared[0]
        elif column not in shared:
            raise ValueError(f"column must be one that all traces have, of {', '.join(shared)}; got {column!r}.")
        return cls(traces=traces, column=column).plot(against=against, legend=legend, ax=ax)

    def plot(self, *, against: str = "iteration", legend: bool = True, ax: Any = None) -> TraceDisplay:
        """Draw the curves once more.

        Parameters
        ----------
        against
            As in `from_estimators`.

        """
        if against not in ("iteration", "seconds"):
            raise ValueError(f"against must be 'iteration' or 'seconds'; got {against!r}.")
        self._against = against
        return super().plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        ax, small = self.axes_[0], self.column in ("gap", "violation")
        self.lines_: dict[str, list[Any]] = {}
        ends = []
        for k, (name, trace) in enumerate(self.traces.items()):
            self.lines_[name] = []
            for part in (trace.part(problem) for problem in trace.problems):
                x, y = part[self._against], part[self.column]
                known = np.isfinite(y)
                y = np.maximum(np.abs(y[known]), _LEAST) if small else y[known]
                every = max(1, len(y) // 12)
                style = {"color": colour(k), "linestyle": _STYLES[k % len(_STYLES)], "linewidth": 1.6}
                self.lines_[name] += ax.plot(x[known], y, marker=marker(k), markersize=4, markevery=every, **style)
                ends.append(float(x.max(initial=0.0)))
        if small:
            ax.set_yscale("log")
        positive = [end for end in ends if end > 0]
        if positive and max(positive) >= _LOG_FROM * min(positive):
            ax.set_xscale("symlog" if self._against == "iteration" else "log")
        ax.set_xlabel("iterations" if self._against == "iteration" else self._against)
        ax.set_ylabel(_WORDS.get(self.column, self.column.replace("_", " ")))
        dress(ax)
        if self.title:
            write_title(ax, self.title)

    def _handles(self) -> list[Any]:
        return [
            line(name, colour(k), _STYLES[k % len(_STYLES)], marker=marker(k), markersize=4)
            for k, name in enumerate(self.traces)
        ]


def _by_name(estimators: Any) -> dict[str, Any]:
    if isinstance(estimators, Mapping):
        return {str(name): model for name, model in estimators.items()}
    models = list(estimators) if isinstance(estimators, Sequence) and not hasattr(estimators, "fit") else [estimators]
    names = [_name_of(model) for model in models]
    return {
        name if names.count(name) == 1 else f"{k + 1}: {name}": model
        for k, (name, model) in enumerate(zip(names, models, strict=True))
    }


def _name_of(model: Any) -> str:
    kind, solver = type(model).__name__, getattr(model, "solver", "")
    return f"{kind} ({solver})" if isinstance(solver, str) and solver else kind


def _trace_of(model: Any) -> Trace:
    if isinstance(model, Trace):
        return model
    for part in (model, *(step for _, step in reversed(getattr(model, "steps", [])))):
        if isinstance(getattr(part, "trace_", None), Trace):
            return part.trace_
    raise ValueError(f"{type(model).__name__} has no trace_: fit it with trace=True.")


def _shared(traces: dict[str, Trace]) -> list[str]:
    if not traces:
        raise ValueError("estimators must have an entry.")
    columns = [trace.columns for trace in traces.values()]
    shared = [name for name in columns[0][2:] if all(name in other for other in columns)]
    if not shared:
        raise ValueError("these traces have no column in common: draw them one by one.")
    return shared
