"""What the machines that tune themselves consist of: the winner, its calibration, and the table of the search."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from ..search import Calibration, Isotonic, Sigmoid
from ._arrays import Array, bools, floats
from ._common import CLASSES, FEATURES
from ._errors import Mismatch, Where, inside
from ._kinds import Bool, Float, Int, Items, Kind, Maybe, OrNone, Record, Text, choice
from ._plain import Plain
from ._proofs import CERTIFICATE
from ._recursion import Parts
from ._schema import Derived, Entries, Estimator, Schema
from ._scope import Scope
from ._sizes import Check
from ._values import shown

_LEAST = 5e-324  # above 0
_SIGMOID = Record(Sigmoid, {"slope": floats(4, low=0), "unit": floats(4, low=_LEAST), "offset": Float()})
_ISOTONIC = Record(
    Isotonic,
    {"unit": Float(_LEAST), "at": floats("points"), "value": floats("points", low=0, high=1)},
    checks=[
        Check(lambda s: s["points"] >= 1, "has no points."),
        Check(lambda s: bool((np.diff(s.values["at"]) >= 0).all()), "must have points in rising order."),
        Check(lambda s: bool((np.diff(s.values["value"]) >= 0).all()), "must not fall."),
    ],
)


class _Map(Kind):
    """A map from decision values to probabilities."""

    def write(self, value: Any, where: Where) -> Any:
        return (_SIGMOID if type(value) is Sigmoid else _ISOTONIC).write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        sigmoid = isinstance(node, dict) and "slope" in node
        return (_SIGMOID if sigmoid else _ISOTONIC).read(node, where, scope)


def _maps(scope: Scope) -> int:
    k = scope["k"]
    return {"binary": 1, "pairs": k * (k - 1) // 2, "rest": k}[scope.values["scheme"]]


def _calibration(many: str) -> Record:
    """A calibration of a machine that does more than two classes by this scheme."""
    return Record(
        Calibration,
        {
            "scheme": choice("binary", many),
            "classes": Int(2, binds="k"),
            "unit": Float(_LEAST),
            "maps": Items(_Map(), _maps, tuple),
        },
        checks=[Check(lambda s: (s["k"] == 2) == (s.values["scheme"] == "binary"), "has another scheme than needed.")],
        shares=["k"],
    )


class _Table(Kind):
    """``cv_results_``: a column of numbers for each key, candidates, certificates and words."""

    _figures = ("mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time", "mean_test_score")
    _more = ("std_test_score", "relative_gap", "kkt_violation")

    def _numbers(self, splits: int) -> dict[str, Kind]:
        names = (*self._figures, *self._more, *(f"split{i}_test_score" for i in range(splits)))
        columns: dict[str, Kind] = {name: floats("candidates", finite=False, nan=True) for name in names}
        return columns | {"rank_test_score": Array(("int32",), ("candidates",), low=1)}

    def _lists(self) -> dict[str, Kind]:
        return {
            "params": Items(Plain(), "candidates"),
            "certificate": Items(OrNone(CERTIFICATE), "candidates"),
            "status": Items(Text(), "candidates"),
        }

    def write(self, value: Any, where: Where) -> Parts:
        splits = sum(name.startswith("split") for name in value)
        kinds = self._numbers(splits) | self._lists()
        names = list(value["params"][0]) if value["params"] else []
        if set(value) != {*kinds, *(f"param_{name}" for name in names)}:
            raise Mismatch(where, f"must have the columns of a search to be saved; found {sorted(value)}.")
        written = {}
        for name, kind in kinds.items():
            column = value[name].tolist() if name in ("certificate", "status") else value[name]
            written[name] = yield kind.write(column, where)
        return written

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        # a file may claim any number of splits: only as many as it has columns are looked for
        fewer = isinstance(node, dict) and len(node) < scope["splits"]
        kinds = {} if fewer else self._numbers(scope["splits"]) | self._lists()
        if not isinstance(node, dict) or set(node) != set(kinds):
            raise Mismatch(where, f"must be the table of a search; found {shown(node)}.")
        read = {}
        for name, kind in kinds.items():
            read[name] = yield kind.read(node[name], inside(where, name), scope)
        candidates = read["params"]
        if not candidates or any(not isinstance(c, dict) or list(c) != list(candidates[0]) for c in candidates):
            raise Mismatch(inside(where, "params"), "must be values of the same parameters.")
        if any(type(v) is not float or not isinstance(k, str) for c in candidates for k, v in c.items()):
            raise Mismatch(inside(where, "params"), "must be numbers by name.")
        for name in ("certificate", "status"):
            column = np.empty(len(candidates), dtype=object)
            column[:] = read[name]
            read[name] = column
        return self._in_order(read, candidates)

    @staticmethod
    def _in_order(read: dict[str, Any], candidates: list[dict[str, float]]) -> dict[str, Any]:
        """The keys in the order in which a search gives them."""
        out = {name: read[name] for name in ("mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time")}
        for name in candidates[0]:
            column = np.array([candidate[name] for candidate in candidates])
            out[f"param_{name}"] = np.ma.MaskedArray(column, mask=np.zeros(len(column), dtype=bool))
        out["params"] = candidates
        out |= {name: column for name, column in read.items() if name.startswith("split")}
        last = ("mean_test_score", "std_test_score", "rank_test_score", "certificate", "relative_gap", "kkt_violation")
        return out | {name: read[name] for name in (*last, "status")}


def _winner_fits(value: Any, scope: Scope) -> str | None:
    if value.n_features_in_ != scope["d"]:
        return f"takes {value.n_features_in_} columns; the search took {scope['d']}."
    classes = scope.values.get("classes_")
    if classes is not None and not np.array_equal(classes, value.classes_):
        return "has other classes than the search."
    return None


def _best(scope: Scope) -> bool:
    return scope.values["best_params_"] == scope.values["cv_results_"]["params"][scope.values["best_index_"]]


def _common(winner: str) -> Entries:
    return (
        ("n_splits_", Int(1, 100_000, binds="splits")),
        ("storage_", Maybe(Text())),
        ("_polishing", Maybe(Bool())),
        ("cv_results_", _Table()),
        ("best_index_", Int(0, lambda s: s["candidates"] - 1)),
        ("best_score_", Float(finite=False, nan=True)),
        ("best_params_", Plain()),
        Check(_best, "best_params_ are not those of the best candidate."),
        ("best_estimator_", Maybe(Estimator(frozenset({winner}), check=_winner_fits))),
        ("refit_time_", Maybe(Float(0.0))),
        Check(lambda s: not s.params["refit"] or "best_estimator_" in s.values, "has no machine trained on all rows."),
        ("_kept", Derived(lambda value: None)),
        ("scorer_", Derived(lambda value: check_scoring(value, value.scoring))),
    )


def search_classifier(name: str, make: type, winner: str, many: str | None, checks: tuple[Check, ...] = ()) -> Schema:
    """The schema of a classifier that tunes itself; `many` is its scheme of more than two classes."""
    fitted: Entries = (
        *FEATURES,
        *CLASSES,
        Check(lambda s: s["k"] >= 2, "a classifier has two classes at least."),
        *_common(winner),
        ("_complete_folds", bools("splits")),
    )
    if many is not None:
        fitted = (
            *fitted,
            ("calibration_", Maybe(_calibration(many))),
            Check(lambda s: s.params["calibration"] is None or "calibration_" in s.values, "has no calibration."),
        )
    return Schema(name, make, fitted, checks=checks)


def search_regressor(name: str, make: type, winner: str, checks: tuple[Check, ...] = ()) -> Schema:
    """The schema of a regressor that tunes itself."""
    return Schema(name, make, (*FEATURES, *_common(winner)), checks=checks)
