"""What the encoders of scikit-learn consist of: categories, and what becomes of rare, dropped and missing ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from ._arrays import Array
from ._errors import Mismatch, Where
from ._kinds import Bool, Check, Int, Items, Kind, Maybe, OrNone, Scope, by_key
from ._plain import NumberType
from ._schema import ABSENT, FEATURES, OUTPUT_CONFIG, Derived, Entries, Schema
from ._values import labels_of, shown


class _Categories(Kind):
    """Categories of a column; numbers rise, and NaN comes last, or codes would be looked up in vain."""

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        values = labels_of(node, where)
        if values.ndim != 1 or not len(values):
            raise Mismatch(where, f"must be the categories of a column; found {shown(values)}.")
        if values.dtype.kind == "f" and np.isinf(values).any():
            raise Mismatch(where, "must be finite.")
        if values.dtype.kind in "biuf":
            numbers = values[:-1] if values.dtype.kind == "f" and np.isnan(values[-1]) else values
            distinct = bool((numbers[:-1] < numbers[1:]).all() and not np.isnan(numbers.astype(np.float64)).any())
        else:
            known = ["nan" if value != value else (type(value).__name__, value) for value in values.tolist()]
            distinct = len(set(known)) == len(known)
        if not distinct:
            raise Mismatch(where, "must be distinct, and rise where they are numbers.")
        return values


def _infrequent(scope: Scope) -> bool:
    """Rare categories by their places among all."""
    if "_infrequent_indices" not in scope.values:
        return not scope.values["_infrequent_enabled"]
    for found, categories in zip(scope.values["_infrequent_indices"], scope.values["categories_"], strict=True):
        if found is None:
            continue
        rises = (np.diff(found) > 0).all()
        if not len(found) or not rises or found[0] < 0 or found[-1] >= len(categories):
            return False
    return scope.values["_infrequent_enabled"]


def _grouping(value: Any) -> Any:
    """The number of each category after rare ones have been put together."""
    if not value._infrequent_enabled:
        return ABSENT
    mappings: list[np.ndarray | None] = []
    for found, categories in zip(value._infrequent_indices, value.categories_, strict=True):
        if found is None:
            mappings.append(None)
            continue
        mapping = np.empty(len(categories), dtype=np.int64)
        rest = np.setdiff1d(np.arange(len(categories)), found)
        mapping[found], mapping[rest] = len(rest), np.arange(len(rest))
        mappings.append(mapping)
    return mappings


def _objects(places: Iterable[int | None]) -> np.ndarray:
    return np.array(list(places), dtype=object)


# The category that is left out of each column, None if none is.
_DROPPED = OrNone(Items(OrNone(Int()), "d", _objects, of=(np.ndarray,), parts=np.ndarray.tolist))


def _dropped_after(scope: Scope) -> bool:
    """The places of what is left out exist after rare categories have been put together, too."""
    dropped, rare = scope.values["_drop_idx_after_grouping"], scope.values.get("_infrequent_indices")
    if dropped is None:
        return scope.values["drop_idx_"] is None
    if scope.values["drop_idx_"] is None:
        return False
    for i, (place, categories) in enumerate(zip(dropped, scope.values["categories_"], strict=True)):
        before = scope.values["drop_idx_"][i]
        if before is not None and before >= len(categories):
            return False
        few = 0 if rare is None or rare[i] is None else len(rare[i]) - 1
        if place is not None and place >= len(categories) - few:
            return False
    return True


def _missing_places(scope: Scope) -> bool:
    categories = scope.values["categories_"]
    return all(place < len(categories[column]) for column, place in scope.values["_missing_indices"].items())


_ENCODER: Entries = (
    *FEATURES,
    *OUTPUT_CONFIG,
    ("_infrequent_enabled", Bool()),
    ("categories_", Items(_Categories(), "d")),
    ("_infrequent_indices", Maybe(Items(OrNone(Array(("int64",), (None,))), "d"))),
    Check(_infrequent, "has rare categories that are not among its categories."),
)


ENCODERS = [
    Schema(
        "sklearn.preprocessing.OneHotEncoder",
        OneHotEncoder,
        (
            *_ENCODER,
            ("_drop_idx_after_grouping", _DROPPED),
            ("drop_idx_", _DROPPED),
            Check(_dropped_after, "leaves out categories that it has not."),
            ("_default_to_infrequent_mappings", Derived(_grouping)),
            ("_n_features_outs", Derived(lambda value: value._compute_n_features_outs())),
        ),
        params={"dtype": NumberType()},
        width=lambda value: int(sum(value._n_features_outs)),
    ),
    Schema(
        "sklearn.preprocessing.OrdinalEncoder",
        OrdinalEncoder,
        (
            *_ENCODER,
            ("_missing_indices", by_key(Int(0, lambda s: s["d"] - 1), Int())),
            Check(_missing_places, "has missing values that are not among its categories."),
            ("_default_to_infrequent_mappings", Derived(_grouping)),
        ),
        params={"dtype": NumberType()},
        width=lambda value: value.n_features_in_,
    ),
]
