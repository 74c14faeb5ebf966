"""What the encoders of scikit-learn consist of: categories, and what becomes of rare, dropped and missing ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from ._errors import Mismatch, Where, at
from ._kinds import Bool, Items, Kind, Maybe, OrNone, Scope, shown
from ._labels import Labels, labels_of
from ._plain import NumberType
from ._schema import ABSENT, FEATURES, OUTPUT_CONFIG, Check, Derived, Entries, Schema


class _Categories(Kind):
    """Categories of a column; numbers rise, and NaN comes last, or codes would be looked up in vain."""

    def write(self, value: Any, where: Where) -> Any:
        return Labels(("m",)).write(value, where)

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


class _Dropped(Kind):
    """The category that is left out of each column, None if none is."""

    def write(self, value: Any, where: Where) -> Any:
        if value.dtype != object:
            raise Mismatch(where, f"must be places or None to be saved; found {shown(value)}.")
        return [None if place is None else int(place) for place in value.tolist()]

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, list) or len(node) != scope["d"]:
            raise Mismatch(where, f"must have one entry for each of {scope['d']} columns; found {shown(node)}.")
        for i, (place, categories) in enumerate(zip(node, scope.values["categories_"], strict=True)):
            if place is not None and (type(place) is not int or not 0 <= place < len(categories)):
                raise Mismatch(at(where, i), f"must be the place of a category; found {shown(place)}.")
        out = np.empty(len(node), dtype=object)
        out[:] = node
        return out


def _dropped_after(scope: Scope) -> bool:
    """The places of what is left out exist after rare categories have been put together, too."""
    dropped, rare = scope.values["_drop_idx_after_grouping"], scope.values.get("_infrequent_indices")
    if dropped is None:
        return scope.values["drop_idx_"] is None
    if scope.values["drop_idx_"] is None:
        return False
    for i, (place, categories) in enumerate(zip(dropped, scope.values["categories_"], strict=True)):
        few = 0 if rare is None or rare[i] is None else len(rare[i]) - 1
        if place is not None and place >= len(categories) - few:
            return False
    return True


class _MissingPlaces(Kind):
    """Where the missing value stands among the categories, by column."""

    def write(self, value: Any, where: Where) -> Any:
        return [[int(column), int(place)] for column, place in value.items()]

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        out: dict[int, int] = {}
        for pair in node if isinstance(node, list) else [None]:
            if not isinstance(pair, list) or len(pair) != 2 or any(type(part) is not int for part in pair):
                raise Mismatch(where, f"must be places by column; found {shown(pair)}.")
            column, place = pair
            if not 0 <= column < scope["d"] or not 0 <= place < len(scope.values["categories_"][column]):
                raise Mismatch(where, f"must be places of categories; found {shown(pair)}.")
            out[column] = place
        return out


class _Rare(Kind):
    """Places of rare categories, one array a column or None."""

    def write(self, value: Any, where: Where) -> Any:
        return [None if places is None else np.asarray(places, dtype=np.int64) for places in value]

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, list) or len(node) != scope["d"]:
            raise Mismatch(where, f"must have one entry for each of {scope['d']} columns; found {shown(node)}.")
        for places_ in node:
            right = isinstance(places_, np.ndarray) and places_.dtype == np.int64 and places_.ndim == 1
            if places_ is not None and not right:
                raise Mismatch(where, f"must be places of categories; found {shown(places_)}.")
        return node


_ENCODER: Entries = (
    *FEATURES,
    *OUTPUT_CONFIG,
    ("_infrequent_enabled", Bool()),
    ("categories_", Items(_Categories(), "d")),
    ("_infrequent_indices", Maybe(_Rare())),
    Check(_infrequent, "has rare categories that are not among its categories."),
)


ENCODERS = [
    Schema(
        "sklearn.preprocessing.OneHotEncoder",
        OneHotEncoder,
        (
            *_ENCODER,
            ("_drop_idx_after_grouping", OrNone(_Dropped())),
            ("drop_idx_", OrNone(_Dropped())),
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
            ("_missing_indices", _MissingPlaces()),
            ("_default_to_infrequent_mappings", Derived(_grouping)),
        ),
        params={"dtype": NumberType()},
        width=lambda value: value.n_features_in_,
    ),
]
