"""What trees consist of."""

from __future__ import annotations

from ..tree import DecisionTreeClassifier, DecisionTreeRegressor
from ._kinds import Int, Maybe
from ._proofs import guarantee
from ._schema import CLASSES, TREE_FEATURES, Derived, Entries, Schema
from ._tree_nodes import NOT_MONOTONE, CategoryColumns, Nodes

_START: Entries = (
    *TREE_FEATURES,
    ("_categories", CategoryColumns()),
    ("max_features_", Int(1, "d")),
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
            ("tree_", Nodes("k", shares=True)),
            ("certificate_", Maybe(guarantee())),
            ("n_classes_", Derived(lambda value: len(value.classes_))),
            ("_classes_count", Derived(lambda value: len(value.classes_))),
        ),
        checks=[NOT_MONOTONE],
    ),
    Schema(
        "maxmargin.tree.DecisionTreeRegressor",
        DecisionTreeRegressor,
        (
            *_START,
            ("tree_", Nodes(1, shares=False)),
            ("certificate_", Maybe(guarantee())),
        ),
        checks=[NOT_MONOTONE],
    ),
]
