"""Fitted attributes that many classes have."""

from __future__ import annotations

from typing import Any

from ._arrays import Labels
from ._kinds import Int, Maybe
from ._plain import Plain
from ._schema import Entries
from ._scope import Scope
from ._sizes import Check


def _is_known_output(config: Any) -> bool:
    return isinstance(config, dict) and all(
        key == "transform" and (name is None or (isinstance(name, str) and name in _CONTAINERS))
        for key, name in config.items()
    )


# What `set_output` takes.
_CONTAINERS = (None, "default", "pandas", "polars")
# Attributes that scikit-learn gives to all estimators.
FEATURES: Entries = (
    ("n_features_in_", Int(1, 2**31 - 1, binds="d")),
    ("feature_names_in_", Maybe(Labels(("d",)))),
)
# Of trees and weak learners, which say of every column how much it matters: 128 MB of it.
TREE_FEATURES: Entries = (*FEATURES, Check(lambda s: s["d"] <= 2**24, "has more than 16,777,216 columns."))
OUTPUT_CONFIG: Entries = (
    ("_sklearn_output_config", Maybe(Plain())),
    Check(
        lambda s: _is_known_output(s.values.get("_sklearn_output_config", {})),
        f"its output is none of those that set_output knows: {', '.join(map(str, _CONTAINERS))}.",
    ),
)
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
