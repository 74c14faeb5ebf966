"""What trees and forests consist of: nodes, whose numbers compiled code follows without asking, and bags of rows.

Node 0 is the root; the children of node i are left[i] > i and left[i] + 1; every other node is the child of exactly
one. So a walk goes down in each step and ends, whatever the values of a row are.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ensemble import Bags, RowBags, SummedBags
from ..tree import MAX_BINS, Categories, DecisionTreeClassifier, DecisionTreeRegressor, Tree, WeakLearners
from ._arrays import Array, bools, floats, whole
from ._common import CLASSES, TREE_FEATURES
from ._errors import Mismatch, Where, inside
from ._kinds import Around, Bool, Float, Int, Items, Kind, Maybe, OrNone, Record, Row
from ._proofs import guarantee
from ._recursion import Parts
from ._schema import Derived, Entries, Let, Schema
from ._scope import Scope
from ._sizes import Check, Size, agree
from ._values import checked_text, labels_of, shown, stored

_WORDS_OF_A_SUBSET = 4
NOT_MONOTONE = Check(lambda s: s.params["monotonic_cst"] is None, "monotonic_cst must be null.")

# ---------------------------------------------------------------- nodes


@dataclass(frozen=True)
class _Nodes(Around):
    """A tree over "c" columns; splits by category only where those are known."""

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        tree = yield super().read(node, where, scope)
        _check_children(tree.children_left, where)
        categories = scope.values.get("_categories")
        _check_splits(tree, scope["c"], set() if categories is None else set(categories.of), where)
        if int(tree.depths.max()) != tree.max_depth:
            raise Mismatch(where, f"claims a depth of {tree.max_depth}; it is {int(tree.depths.max())}.")
        return tree


def _nodes(outputs: Size, shares: bool) -> _Nodes:
    """A tree whose nodes hold so many values, which may be shares of classes."""
    low, high = (0, 1.0 + 1e-9) if shares else (None, None)
    count = Array(("int64",), ("nodes",), low=0)
    parts: dict[str, Kind] = {
        "children_left": Array(("int64",), ("nodes",), low=-1),
        "feature": Array(("int64",), ("nodes",), low=-2),
        "threshold": floats("nodes", finite=False, nan=True),
        "missing_go_to_left": bools("nodes"),
        "impurity": floats("nodes"),
        "n_node_samples": count,
        "weighted_n_node_samples": floats("nodes", low=0),
        "value": floats("nodes", 1, outputs, low=low, high=high),
        "subset": Array(("int64",), ("nodes",), low=-1),
        "subsets": Array(("uint64",), ("subsets", _WORDS_OF_A_SUBSET)),
        "cut": Array(("int16",), ("nodes",), low=-1),
        "max_depth": Int(0, 2**31),
    }
    known = ["c", outputs] if isinstance(outputs, str) else ["c"]
    made = frozenset({"n_features", "n_outputs"})
    return _Nodes(Record(Tree, parts, (), known, lambda s: Tree(**s.values, n_features=s["c"]), made))


def _check_children(left: np.ndarray, where: Where) -> None:
    m = len(left)
    inner = np.flatnonzero(left >= 0)
    if not 1 <= m < 2**31 - 1 or m != 2 * len(inner) + 1:
        raise Mismatch(where, f"has {m} nodes, of which {len(inner)} have two children.")
    if (left[inner] <= inner).any() or (left[inner] + 1 >= m).any():
        raise Mismatch(inside(where, "children_left"), "must be numbers of later nodes.")
    parents = np.bincount(np.concatenate([left[inner], left[inner] + 1]), minlength=m)
    if (parents[1:] != 1).any():
        raise Mismatch(inside(where, "children_left"), "must name every node but the root once.")


def _check_splits(tree: Tree, d: int, categories: Set[int], where: Where) -> None:
    leaf, feature, subset = tree.children_left < 0, tree.feature, tree.subset
    if (feature[leaf] != -2).any() or (feature[~leaf] < 0).any() or (feature[~leaf] >= d).any():
        raise Mismatch(inside(where, "feature"), f"must be columns from 0 to {d - 1}, and -2 for leaves.")
    by_category = subset >= 0
    if (by_category & leaf).any() or (subset >= len(tree.subsets)).any():
        raise Mismatch(inside(where, "subset"), "must be rows of subsets, and -1 for leaves.")
    if not set(np.unique(feature[by_category]).tolist()) <= categories:
        raise Mismatch(inside(where, "subset"), "has a split by category on a column that has none.")
    if np.isnan(tree.threshold[~by_category]).any():
        raise Mismatch(inside(where, "threshold"), "must not be NaN but for splits by category.")


class _CategoryColumns(Kind):
    """Columns of a data frame with categories, and which; codes above the last bit of a subset there are none."""

    def write(self, value: Any, where: Where) -> Any:
        return None if value is None else {"names": list(value.names), "of": stored(list(value.of.items()), where)}

    def read(self, node: Any, where: Where, scope: Scope) -> Categories | None:
        if node is None:
            return None
        if not isinstance(node, dict) or set(node) != {"names", "of"} or not isinstance(node["of"], list):
            raise Mismatch(where, f"must be columns with categories; found {shown(node)}.")
        names = node["names"]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise Mismatch(where, f"must have names of columns; found {shown(names)}.")
        agree(scope, "d", len(names), where, "the number of its columns")
        of: dict[int, np.ndarray] = {}
        for pair in node["of"]:
            if not isinstance(pair, list) or len(pair) != 2 or type(pair[0]) is not int:
                raise Mismatch(where, f"must have categories by column; found {shown(pair)}.")
            known = labels_of(pair[1], where)
            if not 0 <= pair[0] < len(names) or pair[0] in of or known.ndim != 1 or known.dtype != object:
                raise Mismatch(where, f"must have categories by column; found {shown(pair)}.")
            if len(known) > MAX_BINS or len(set(known.tolist())) != len(known):
                raise Mismatch(where, f"must have at most {MAX_BINS} categories a column, each once.")
            of[pair[0]] = known
        if not of:
            raise Mismatch(where, "has no column with categories.")
        return Categories(tuple(checked_text(name, where) for name in names), of)


# ---------------------------------------------------------------- trees

_COUNTED: Entries = tuple(
    (name, Derived(lambda value: len(value.classes_))) for name in ("n_classes_", "_classes_count")
)
# Half-spaces and boxes of nodes, whose values are columns "c" beside the "d" of the data.
_learners = Record(
    WeakLearners,
    {
        "normals": floats("planes", "d"),
        "centres": floats("boxes", "d"),
        "widths": floats("boxes", "d", finite=False, low=0),
        "scale": floats("d", low=0),
    },
    checks=[
        Check(
            lambda s: bool((s.values["normals"] != 0).any(axis=1).all()) and bool((s.values["scale"] > 0).all()),
            "must have directions and scales that are not zero.",
        ),
        Check(
            lambda s: bool(np.isfinite(s.values["widths"]).any(axis=1).all()) and bool((s.values["widths"] > 0).all()),
            "must have boxes of positive widths, one of them finite.",
        ),
    ],
    shares=["d"],
)
_NODES: Entries = (
    ("_learners", Maybe(_learners)),
    Check(
        lambda s: ("_learners" in s.values) == (s.params["node"] != "axis"),
        "must have weak learners where its nodes are half-spaces or boxes, and nowhere else.",
    ),
    Let("c", lambda s: s.values["_learners"].count if "_learners" in s.values else s["d"]),
)
_START: Entries = (
    *TREE_FEATURES,
    ("_categories", _CategoryColumns()),
    *_NODES,
    ("max_features_", Int(1, "c")),
    ("n_outputs_", Int(1, 1)),
    ("_seed", Maybe(Int(0, 2**31))),
)

SCHEMAS = [
    Schema(
        "maxmargin.tree.DecisionTreeClassifier",
        DecisionTreeClassifier,
        (
            *_START,
            *CLASSES,
            ("tree_", _nodes("k", shares=True)),
            ("certificate_", Maybe(guarantee())),
            *_COUNTED,
        ),
        checks=[NOT_MONOTONE],
    ),
    Schema(
        "maxmargin.tree.DecisionTreeRegressor",
        DecisionTreeRegressor,
        (
            *_START,
            ("tree_", _nodes(1, shares=False)),
            ("certificate_", Maybe(guarantee())),
        ),
        checks=[NOT_MONOTONE],
    ),
]

# ---------------------------------------------------------------- bags

# A bag is drawn again from its seed: this often for each row, or so often in all, and not more.
_MOST_DRAWS_A_ROW, _MOST_DRAWS = 64, 2**16


def _all_whole(sums: np.ndarray) -> bool:
    return bool((sums == np.rint(sums)).all())


_BAGS = Record(
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
    {
        "bags": _BAGS,
        "replace": Bool(),
        "labels": OrNone(whole("labelled", low=0)),
        "parts": Int(0, 2**31),
        "deal": Int(0, 2**32 - 1),
    },
    checks=[
        Check(_numbered, "must have a number below that of the rows for each row, or none."),
        Check(
            lambda s: s.values["replace"] or s.values["bags"].draws <= _drawable(s.values["bags"]),
            "draws more rows than there are.",
        ),
        Check(
            lambda s: s.values["parts"] <= _drawable(s.values["bags"]),
            "deals rows out to more bags than there are rows.",
        ),
    ],
    absent={"parts": 0, "deal": 0},
)

# ---------------------------------------------------------------- forests

# Bags of a forest that was grown on a cluster: a count of each row, drawn by its number.
_SUMMED_BAGS = Record(SummedBags, {"n": Int(1, 2**31 - 1), "rate": Float(low=0, high=16)})


@dataclass(frozen=True)
class _BagsOfForest(Kind):
    """Bags of either way to draw them."""

    def write(self, value: Any, where: Where) -> Any:
        return (_SUMMED_BAGS if isinstance(value, SummedBags) else _BAGS).write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return (_SUMMED_BAGS if isinstance(node, dict) and "rate" in node else _BAGS).read(node, where, scope)


@dataclass(frozen=True)
class _Members(Around):
    """The trees of a forest, each with its seed; the estimators around them are made as `fit` makes them."""

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        members = yield super().read(node, where, scope)
        if not members:
            raise Mismatch(where, "must be trees with seeds.")
        return members

    def settle(self, part: Any, model: Any) -> Any:
        return [model._member(seed, tree) for seed, tree in part]


def _members(outputs: Size, shares: bool) -> _Members:
    row = Row((Int(0, 2**32 - 1), _nodes(outputs, shares)))
    return _Members(Items(row, "trees", parts=lambda trees: [(tree.random_state, tree.tree_) for tree in trees]))


def _forest(outputs: Any, shares: bool, *own: Any) -> Entries:
    return (
        *TREE_FEATURES,
        ("_categories", _CategoryColumns()),
        *_NODES,
        ("_node_seed", Maybe(Int(0, 2**32 - 1))),
        *own,
        ("n_outputs_", Int(1, 1)),
        ("max_features_", Int(1, "c")),
        ("_n_samples", Int(1, binds="n")),
        ("_rows", OrNone(whole("n", low=0))),
        ("_sample_weight", OrNone(floats("n", low=0))),
        ("_bags", _BagsOfForest()),
        ("_foreign", Int(0)),
        Check(lambda s: s.values["_bags"].n == s["n"], "its bags are of other rows."),
        ("estimators_", _members(outputs, shares)),
        ("_dealt", Maybe(whole("n", low=0, high=lambda s: s["trees"] - 1))),
        ("_deal_seed", Maybe(Int(0, 2**32 - 1))),
        ("oob_error_curve_", floats("trees", nan=True)),
        ("validation_error_curve_", Maybe(floats("trees", low=0))),
        ("_held_seed", Maybe(Int(0, 2**32 - 1))),
        ("oob_score_", Maybe(Float(nan=True))),
        ("certificate_", guarantee()),
    )


FOREST_CLASSIFIER: Entries = (
    *_forest("k", True, *CLASSES, *_COUNTED),
    ("oob_decision_function_", Maybe(floats("n", "k", nan=True))),
)
FOREST_REGRESSOR: Entries = (*_forest(1, False), ("oob_prediction_", Maybe(floats("n", nan=True))))
