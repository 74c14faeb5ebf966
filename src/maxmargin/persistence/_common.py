"""Fitted attributes that many classes have."""

from __future__ import annotations

from typing import Any

from ._arrays import Labels
from ._errors import Mismatch, Where
from ._kinds import Int, Kind, Maybe
from ._plain import plain_node, plain_value
from ._recursion import Parts
from ._schema import OUTPUT_SETTINGS, Entries
from ._scope import Scope
from ._sizes import Check


class _OutputSettings(Kind):
    """What `set_output` keeps of what it was told."""

    def write(self, value: Any, where: Where) -> Any:
        return plain_node(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        known = yield plain_value(node, where)
        if not isinstance(known, dict) or not all(
            key == "transform" and (name is None or (isinstance(name, str) and name in _CONTAINERS))
            for key, name in known.items()
        ):
            raise Mismatch(where, f"must be one of those that set_output knows: {', '.join(map(str, _CONTAINERS))}.")
        return known


# What `set_output` takes.
_CONTAINERS = (None, "default", "pandas", "polars")
# Attributes that scikit-learn gives to all estimators.
FEATURES: Entries = (
    ("n_features_in_", Int(1, 2**31 - 1, binds="d")),
    ("feature_names_in_", Maybe(Labels(("d",)))),
)
# Of trees and weak learners, which say of every column how much it matters: 128 MB of it.
TREE_FEATURES: Entries = (*FEATURES, Check(lambda s: s["d"] <= 2**24, "has more than 16,777,216 columns."))
OUTPUT_CONFIG: Entries = ((OUTPUT_SETTINGS, Maybe(_OutputSettings())),)
CLASSES: Entries = (
    ("classes_", Labels(("k",), distinct=True)),
    Check(lambda s: s["k"] >= 1, "has no classes."),
    Check(lambda s: _weighs_classes(s), "class_weight has labels that are no classes."),
)


def _weighs_classes(scope: Scope) -> bool:
    """By scikit-learn's rule: where a class has no weight, every weight is that of a class."""
    given = scope.params.get("class_weight")
    classes = set(scope.values["classes_"].tolist())
    return not isinstance(given, dict) or classes <= set(given) or set(given) <= classes
