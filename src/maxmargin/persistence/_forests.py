"""What forests consist of: trees, and the bags of rows that they were grown from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ensemble import Bags, RowBags
from ._arrays import floats, whole
from ._errors import Mismatch, Where, at, inside
from ._kinds import Bool, Float, Int, Kind, Maybe, OrNone, Scope, shown
from ._proofs import guarantee
from ._schema import CLASSES, TREE_FEATURES, Check, Derived, Entries, Record
from ._tree_nodes import CategoryColumns, Nodes

# A bag is drawn again from its seed: this often for each row, or so often in all, and not more.
_MOST_DRAWS_A_ROW, _MOST_DRAWS = 64, 2**16

# ---------------------------------------------------------------- bags


def _all_whole(sums: np.ndarray) -> bool:
    return bool((sums == np.rint(sums)).all())


_BAGS = Record(
    Bags,
    Bags,
    {
        "order": whole("rows", low=0, high=lambda s: s["rows"] - 1),
        "sums": OrNone(floats("rows", low=0)),
        "draws": Int(1, lambda s: max(_MOST_DRAWS, _MOST_DRAWS_A_ROW * s["rows"])),
        "whole": Bool(),
    },
    checks=[
        Check(lambda s: s["rows"] >= 1, "has no rows to draw from."),
        Check(lambda s: len(np.unique(s.values["order"])) == s["rows"], "must order every row once."),
        Check(
            lambda s: (
                s.values["sums"] is None
                or bool((np.diff(s.values["sums"]) >= 0).all() and 0 < s.values["sums"][-1] < 2.0**62)
            ),
            "must have sums of weights that rise.",
        ),
        Check(
            lambda s: not s.values["whole"] or s.values["sums"] is None or _all_whole(s.values["sums"]),
            "must have sums of repetitions that are whole numbers.",
        ),
    ],
)


def _numbered(scope: Scope) -> bool:
    """Labels are numbers of classes, of which there are no more than rows: they are counted in an array."""
    labels, rows = scope.values["labels"], len(scope.values["bags"].order)
    return labels is None or (len(labels) == rows and int(labels.max()) < rows)


def _drawable(bags: Bags) -> int:
    """Rows that may be drawn at all."""
    return len(bags.order) if bags.sums is None else int(np.count_nonzero(np.diff(bags.sums, prepend=0.0)))


ROW_BAGS = Record(
    RowBags,
    RowBags,
    {"bags": _BAGS, "replace": Bool(), "labels": OrNone(whole("labelled", low=0))},
    checks=[
        Check(_numbered, "must have a number below that of the rows for each row, or none."),
        Check(
            lambda s: s.values["replace"] or s.values["bags"].draws <= _drawable(s.values["bags"]),
            "draws more rows than there are.",
        ),
    ],
)

# ---------------------------------------------------------------- forests


class _Members(Kind):
    """The trees of a forest, each with its seed; the estimators around them are made as `fit` makes them."""

    def __init__(self, outputs: Any, shares: bool) -> None:
        self._nodes = Nodes(outputs, shares)

    def write(self, value: Any, where: Where) -> Any:
        seed = Int(0, 2**32)
        return [
            [
                seed.write(member.random_state, inside(at(where, i), "random_state")),
                self._nodes.write(member.tree_, at(where, i)),
            ]
            for i, member in enumerate(value)
        ]

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, list) or not node:
            raise Mismatch(where, f"must be trees with seeds; found {shown(node)}.")
        out = []
        for i, part in enumerate(node):
            place = at(where, i)
            if not isinstance(part, list) or len(part) != 2:
                raise Mismatch(place, f"must be a seed and a tree; found {shown(part)}.")
            seed = Int(0, 2**32 - 1).read(part[0], inside(place, "random_state"), scope)
            out.append((seed, self._nodes.read(part[1], place, scope)))
        scope.agree("trees", len(out), where, "the number of trees")
        return out

    def settle(self, part: Any, model: Any) -> Any:
        return [model._member(seed, tree) for seed, tree in part]


def _forest(outputs: Any, shares: bool, *own: Any) -> Entries:
    return (
        *TREE_FEATURES,
        ("_categories", CategoryColumns()),
        *own,
        ("n_outputs_", Int(1, 1)),
        ("max_features_", Int(1, "d")),
        ("_n_samples", Int(1, binds="n")),
        ("_rows", OrNone(whole("n", low=0))),
        ("_sample_weight", OrNone(floats("n", low=0))),
        ("_bags", _BAGS),
        ("_foreign", Int(0)),
        Check(lambda s: len(s.values["_bags"].order) == s["n"], "its bags are of other rows."),
        ("estimators_", _Members(outputs, shares)),
        ("oob_error_curve_", floats("trees", nan=True)),
        ("oob_score_", Maybe(Float(nan=True))),
        ("certificate_", guarantee()),
    )


_FOREST_CLASSES: Entries = (
    *CLASSES,
    ("n_classes_", Derived(lambda value: len(value.classes_))),
    ("_classes_count", Derived(lambda value: len(value.classes_))),
)
FOREST_CLASSIFIER: Entries = (
    *_forest("k", True, *_FOREST_CLASSES),
    ("oob_decision_function_", Maybe(floats("n", "k", nan=True))),
)
FOREST_REGRESSOR: Entries = (*_forest(1, False), ("oob_prediction_", Maybe(floats("n", nan=True))))
