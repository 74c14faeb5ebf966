"""What gradient boosting consists of: trees one after another, categories, and the record of how they were grown.

The children of a node come after it and belong to the same tree, and every node but the roots is the child of exactly
one: a walk goes down in each step and ends, whatever the values of a row are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certificates import GradientBoostingGuarantee
from ..ensemble import (
    GradientLimits,
    GradientLoss,
    GradientTrees,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    KnownCategories,
    Played,
)
from ._arrays import Array, Labels, bools, floats
from ._common import CLASSES, TREE_FEATURES
from ._kinds import Bool, Either, Float, Int, Items, Kind, OrNone, Record, Row
from ._proofs import guarantee
from ._schema import Derived, Entries, Let, Schema
from ._scope import Scope
from ._sizes import Check

_MOST = 2**31
_KINDS = 7
_BINS = 255


def _belong_together(scope: Scope) -> bool:
    """Whether trees and nodes are what walks take them for."""
    first, left = scope.values["first"], scope.values["left"]
    n, nodes = len(left), np.arange(len(left))
    if first[0] != 0 or first[-1] != n or (np.diff(first) < 1).any():
        return False
    inner = left >= 0
    end = np.repeat(first[1:], np.diff(first))
    if (left[inner] <= nodes[inner]).any() or (left[inner] + 1 >= end[inner]).any():
        return False
    parents = np.bincount(np.concatenate([left[inner], left[inner] + 1]), minlength=n)
    parents[first[:-1]] += 1
    return bool((parents == 1).all())


def _splits_fit(scope: Scope) -> bool:
    """Whether splits are on columns, and those by category have a subset."""
    left, feature, subset = (scope.values[name] for name in ("left", "feature", "subset"))
    leaf = left < 0
    if (feature[leaf] != -1).any() or (feature[~leaf] < 0).any() or (subset[leaf] != -1).any():
        return False
    plain = ~leaf & (subset < 0)
    return not np.isnan(scope.values["threshold"][plain]).any() and not np.isinf(scope.values["value"]).any()


_TREES = Record(
    GradientTrees,
    {
        "first": Array(("int64",), ("starts",), low=0),
        "left": Array(("int64",), ("nodes",), low=-1),
        "feature": Array(("int64",), ("nodes",), low=-1, high=lambda s: s["d"] - 1),
        "threshold": floats("nodes", finite=False, nan=True),
        "missing_left": bools("nodes"),
        "value": floats("nodes"),
        "gain": floats("nodes", low=0),
        "count": Array(("int64",), ("nodes",), low=0),
        "subsets": Array(("uint64",), ("subsets", 4)),
        "subset": Array(("int64",), ("nodes",), low=-1, high=lambda s: s["subsets"] - 1),
    },
    checks=[
        Check(lambda s: 2 <= s["starts"] and s["nodes"] < _MOST, "has no trees, or too many nodes."),
        Check(_belong_together, "has nodes that are no trees."),
        Check(_splits_fit, "has splits that are none."),
    ],
    shares=["d"],
)
_LIMITS = Record(
    GradientLimits,
    {
        "max_leaves": Int(-1, _MOST),
        "max_depth": Int(1, _MOST),
        "min_rows": Int(1, _MOST),
        "l2": Float(0.0),
        "share": Float(0.0, 1.0),
        "rate": Float(0.0),
        "monotonic": Array(("int64",), ("d",), low=-1, high=1),
        "groups": bools("groups", "d"),
    },
    checks=[Check(lambda s: s.values["max_leaves"] != 0, "must have leaves.")],
    shares=["d"],
)
_PLAYED = Record(Played, {"rounds": Int(1, _MOST), "limits": _LIMITS, "max_bins": Int(2, _BINS)}, shares=["d"])
_LOSS = Record(
    GradientLoss, {"kind": Int(0, _KINDS - 1), "quantile": Float(0.0, 1.0), "trees": Int(1, _MOST, binds="sums")}
)
_PER_ROUND: dict[str, Kind] = {
    "losses": floats("losses", finite=False, nan=True),
    "guaranteed": floats("steps", finite=False, nan=True),
}


def _categories() -> Kind:
    """The categories of columns, by the numbers of the columns."""
    pair = Row((Int(0, lambda s: s["d"] - 1), Labels((None,), distinct=True)))
    listed = Items(
        pair,
        out=lambda pairs: KnownCategories(dict(pairs)),
        of=(KnownCategories,),
        parts=lambda known: known.of.items(),
    )
    return OrNone(listed)


def _only_known_categories(scope: Scope) -> bool:
    """Splits by category are on columns that have some, and those on others are not."""
    trees, known = scope.values["_series"], scope.values["_categories"]
    inner, by_set = trees.left >= 0, trees.subset >= 0
    columns = np.array([] if known is None else sorted(known.of), dtype=np.int64)
    return bool((np.isin(trees.feature[inner], columns) == by_set[inner]).all())


def _mask(model: Any) -> Any:
    if model._categories is None:
        return None
    mask = np.zeros(model.n_features_in_, dtype=bool)
    mask[list(model._categories.of)] = True
    return mask


def _share(node: Any, scope: Scope) -> Kind:
    """A share or a number of rows."""
    return Float(0.0, 1.0) if isinstance(node, float) else Int(1)


def _boosted(sums: Any, *own: Any) -> Entries:
    return (
        *TREE_FEATURES,
        *own,
        ("_loss", _LOSS),
        Let("sums", lambda s: s.values["_loss"].trees),
        Check(sums, "has a loss of other targets."),
        ("_categories", _categories()),
        Check(
            lambda s: (
                s.values["_categories"] is None or all(len(k) <= _BINS for k in s.values["_categories"].of.values())
            ),
            f"must have at most {_BINS} categories a column.",
        ),
        ("_random_seed", Int(0, 2**32 - 1)),
        ("_draw_seed", Int(0, 2**32 - 1)),
        ("do_early_stopping_", Bool()),
        ("_held_share", OrNone(Either(_share))),
        ("_rows_seen", Int(1, _MOST)),
        ("_baseline", floats("sums")),
        ("_series", _TREES),
        Check(_only_known_categories, "has a split by category on a column that has none, or one by value that has."),
        Check(
            lambda s: s.values["_series"].n_trees % s["sums"] == 0, "has rounds that do not have a tree for each class."
        ),
        ("_played", Items(_PLAYED)),
        Check(
            lambda s: sum(played.rounds for played in s.values["_played"]) * s["sums"] == s.values["_series"].n_trees,
            "has other rounds than it says.",
        ),
        ("train_score_", floats("scores", finite=False, nan=True)),
        ("validation_score_", floats("held_scores", finite=False, nan=True)),
        ("is_categorical_", Derived(_mask)),
        ("n_trees_per_iteration_", Derived(lambda model: model._loss.trees)),
        ("certificate_", guarantee(GradientBoostingGuarantee, _PER_ROUND)),
    )


def _of_classes(scope: Scope) -> bool:
    loss, k = scope.values["_loss"], scope["k"]
    return loss == GradientLoss.of_classes(k)


_FORGETS = frozenset({"_sums_told", "_in_fit"})
SCHEMAS = [
    Schema(
        "maxmargin.ensemble.HistGradientBoostingClassifier",
        HistGradientBoostingClassifier,
        _boosted(_of_classes, *CLASSES),
        forgets=_FORGETS,
    ),
    Schema(
        "maxmargin.ensemble.HistGradientBoostingRegressor",
        HistGradientBoostingRegressor,
        _boosted(lambda s: s.values["_loss"].kind < 5 and s.values["_loss"].trees == 1),
        forgets=_FORGETS,
    ),
]
