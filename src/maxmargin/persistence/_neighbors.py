"""What neighbours consist of: the rows. What makes their search quick is built again."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..engine import thread_count
from ..neighbors import (
    CondensedNearestNeighbors,
    KNeighborsClassifier,
    KNeighborsRegressor,
    SyntheticOverSampler,
    UnderSampler,
    prototype_index,
)
from ._arrays import Array, Labels, dense_or_csr, floats, places
from ._common import CLASSES, FEATURES
from ._container import DTYPES
from ._kinds import Bool, Either, Int, Items, Kind, OrNone
from ._proofs import guarantee
from ._schema import Derived, Entries, Let, Schema
from ._scope import Scope
from ._sizes import Check

_NUMBERS = tuple(DTYPES)
_LARGEST_LEAF = 2**30


def _rows_of(node: Any, scope: Scope) -> Kind:
    return dense_or_csr("n", "d", _NUMBERS, nan=scope.params["metric"] == "nan_euclidean")


def _searchable(value: Any) -> Any:
    """The search over the rows, as `fit` builds it; the other attributes of it are set on the way."""
    proof = value._proof
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what was asked for, the user was told at the fit
        value._build(value._fit_X)
    value._proof = proof
    return value._index


_ROWS: Entries = (
    *FEATURES,
    ("_fit_X", Either(_rows_of)),
    Check(lambda s: s["n"] >= s.params["n_neighbors"], "n_neighbors is more than its rows."),
    Check(lambda s: s.params["leaf_size"] <= _LARGEST_LEAF, f"leaf_size is above {_LARGEST_LEAF}."),
    Check(lambda s: isinstance(s.params["metric"], str), "its metric has no name."),
    Check(lambda s: s.params["metric"] != "precomputed" or s["n"] == s["d"], "its distances are not square."),
    Check(
        lambda s: (
            s.params["metric"] != "precomputed"
            or not isinstance(s.values["_fit_X"], np.ndarray)
            or bool((s.values["_fit_X"] >= 0).all())
        ),
        "has negative distances.",
    ),
    ("_proof", OrNone(guarantee())),
)
_MADE = frozenset({"effective_metric_", "effective_metric_params_", "_fit_method", "n_samples_fit_"})


_CLASSES = Labels((None,), distinct=True)
_CLASSES_OF_OUTPUTS = Items(_CLASSES)


def _listed_classes(scope: Scope) -> list[np.ndarray]:
    found = scope.values["classes_"]
    return found if isinstance(found, list) else [found]


def _every_class(scope: Scope) -> bool:
    """Each column of labels has every class of its output, and no others."""
    return all(
        bool(label.min() >= 0) and np.array_equal(np.unique(label), np.arange(len(classes)))
        for label, classes in zip(scope.values["_labels"].T, _listed_classes(scope), strict=True)
    )


_CLASSIFIER: Entries = (
    *_ROWS,
    ("outputs_2d_", Bool()),
    ("classes_", Either(lambda node, s: _CLASSES_OF_OUTPUTS if s.values["outputs_2d_"] else _CLASSES)),
    Let("outputs", lambda s: len(_listed_classes(s))),
    Check(lambda s: s["outputs"] >= 1, "has no classes."),
    ("_labels", Array(("int64",), ("n", "outputs"), low=0)),
    Check(_every_class, "has labels that do not fit its classes."),
    ("_sizes", Derived(lambda value: [np.bincount(label) for label in value._labels.T])),
    ("_index", Derived(_searchable)),
)


def _targets(node: Any, scope: Scope) -> Array:
    """Numbers, one a row, or one row of them."""
    return Array(_NUMBERS, ("n", "targets") if np.ndim(node) == 2 else ("n",))


_REGRESSOR: Entries = (*_ROWS, ("_y", Either(_targets)), ("_index", Derived(_searchable)))

_CONDENSED: Entries = (
    *FEATURES,
    *CLASSES,
    ("n_iter_", Int()),
    ("_rows_seen", Int(1, binds="n")),
    ("prototype_indices_", places("m", "n")),
    Check(lambda s: s["m"] >= 1, "has no prototypes."),
    ("prototypes_", dense_or_csr("m", "d")),
    ("prototype_labels_", Labels(("m",), among="classes_")),
    ("certificate_", guarantee()),
    ("_index", Derived(lambda value: prototype_index(value.prototypes_, thread_count(value.n_jobs)))),
)

_UNDER: Entries = (*FEATURES, *CLASSES, ("sample_indices_", Array(("int64",), ("kept",), low=0)))
_SYNTHETIC: Entries = (
    *FEATURES,
    *CLASSES,
    ("parents_", Array(("int64",), ("made", 2), low=0)),
    ("shares_", floats("made", low=0, high=1)),
)

SCHEMAS = [
    Schema("maxmargin.neighbors.KNeighborsClassifier", KNeighborsClassifier, _CLASSIFIER, forgets=_MADE),
    Schema("maxmargin.neighbors.KNeighborsRegressor", KNeighborsRegressor, _REGRESSOR, forgets=_MADE),
    Schema("maxmargin.neighbors.CondensedNearestNeighbors", CondensedNearestNeighbors, _CONDENSED),
    Schema("maxmargin.neighbors.UnderSampler", UnderSampler, _UNDER),
    Schema("maxmargin.neighbors.SyntheticOverSampler", SyntheticOverSampler, _SYNTHETIC),
]
