"""The course of a fit in a model file: columns of figures, one entry a point."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..solvers import Figures, Trace, TracePoint
from ._arrays import floats, places, whole
from ._errors import Mismatch, Where, inside
from ._kinds import Items, Kind, Named, Text
from ._recursion import Parts
from ._scope import Scope
from ._values import shown

_FIGURES = ("violation", "gap", "primal", "dual")
_NAMES = Items(Text(), "problems")
_COLUMNS: dict[str, Kind] = {
    "problem": places("points", "problems"),
    "iteration": whole("points", low=0),
    "seconds": floats("points", low=0),
    **dict.fromkeys(_FIGURES, floats("points", finite=False, nan=True)),
    "others": Named(floats("points", finite=False, nan=True)),
}


class TraceKind(Kind):
    """A `Trace` without copies of variables."""

    optional = True

    def write(self, value: Any, where: Where) -> Parts:
        if type(value) is not Trace:
            raise Mismatch(where, f"must be a Trace to be saved; found {shown(value)}.")
        names = value.problems
        place = {name: k for k, name in enumerate(names)}
        others = [name for name in value.columns if name not in (*_FIGURES, "iteration", "seconds")]
        columns: dict[str, Any] = {
            "problem": np.array([place[point.problem] for point in value.points], dtype=np.int64),
            **{name: value[name] for name in ("iteration", "seconds", *_FIGURES)},
            "others": {name: value[name] for name in others},
        }
        node = {"problems": (yield _NAMES.write(names, inside(where, "problems")))}
        for name, kind in _COLUMNS.items():
            node[name] = yield kind.write(columns[name], inside(where, name))
        return node

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        if not isinstance(node, dict) or set(node) != {"problems", *_COLUMNS}:
            raise Mismatch(where, f"must be a trace; found {shown(node)}.")
        own = Scope()
        names, column = (yield _NAMES.read(node["problems"], inside(where, "problems"), own)), {}
        for name, kind in _COLUMNS.items():
            column[name] = yield kind.read(node[name], inside(where, name), own)
        trace = Trace()
        for k in range(own["points"]):
            known = {name: float(column[name][k]) for name in _FIGURES}
            # a figure that a point has not was written as NaN
            others = tuple((name, float(v[k])) for name, v in column["others"].items() if not np.isnan(v[k]))
            point = TracePoint(
                names[column["problem"][k]],
                int(column["iteration"][k]),
                Figures(**known, others=others),
                float(column["seconds"][k]),
            )
            trace.points.append(point)
        return trace
