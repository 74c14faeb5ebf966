"""What the transformers of scikit-learn consist of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from ._arrays import Array, Labels, either_float, floats, places
from ._common import FEATURES, OUTPUT_CONFIG
from ._errors import Mismatch, Where
from ._kinds import Bool, Float, Int, Items, Kind, Maybe, OrNone, Text, by_key
from ._plain import NumberType, Plain
from ._recursion import Parts
from ._schema import ABSENT, OUTPUT_SETTINGS, Derived, Entries, Estimator, Schema
from ._scope import Scope
from ._sizes import Check
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


def _dense_frames(scope: Scope) -> bool:
    """A sparse result is neither a data frame nor an array of objects: scikit-learn would refuse every row."""
    frames = (scope.values.get(OUTPUT_SETTINGS) or {}).get("transform") in ("pandas", "polars")
    return not scope.params["sparse_output"] or not (frames or np.dtype(scope.params["dtype"]) == object)


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
            Check(_dense_frames, "gives sparse rows, which data frames and the dtype object have no place for."),
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


_START: Entries = (*FEATURES, *OUTPUT_CONFIG)
# A table of more columns than this has not been made by powers of features in any memory.
_MOST_POWERS, _MOST_DEGREE = 10**6, 255


def _same_width(value: Any) -> int:
    return value.n_features_in_


def _needs(parameter: str, name: str) -> Check:
    words = f"has no {name}, which {parameter}=True needs."
    return Check(lambda s: not s.params[parameter] or s.values[name] is not None, words)


class _Seen(Plain):
    """How many rows were seen: a number, or one a column where some values were missing."""

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        value = yield super().read(node, where, scope)
        counts = np.asarray(value)
        if counts.dtype.kind not in "iuf" or counts.shape not in ((), (scope["d"],)) or not (counts >= 0).all():
            raise Mismatch(where, f"must be numbers of rows; found {shown(value)}.")
        return value


class _Dtype(Kind):
    """A dtype by its name."""

    _form = re.compile(r"[<>|=]?[biuf][1248]|[<>=]U\d{1,6}|\|?O")

    def write(self, value: Any, where: Where) -> Any:
        return np.dtype(value).str

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, str) or not self._form.fullmatch(node):
            raise Mismatch(where, f"must be a dtype; found {shown(node)}.")
        return np.dtype(node)


def _few_powers(scope: Scope) -> bool:
    """Counted only if that is quickly done; scikit-learn counts again when the attributes are made."""
    degree = scope.params["degree"]
    highest = degree[1] if isinstance(degree, tuple) else degree
    if highest > _MOST_DEGREE:
        return False
    copy = PolynomialFeatures(**scope.params)
    count = copy._num_combinations(
        n_features=scope["d"],
        min_degree=degree[0] if isinstance(degree, tuple) else 0,
        max_degree=highest,
        interaction_only=copy.interaction_only,
        include_bias=copy.include_bias,
    )
    return 0 < count <= _MOST_POWERS


def _powers_again(name: str) -> Derived:
    def make(value: Any) -> Any:
        nothing = sp.csr_array((1, value.n_features_in_))  # of as many columns as a file likes to claim
        copy = PolynomialFeatures(**value.get_params(deep=False)).fit(nothing)
        return getattr(copy, name)

    return Derived(make)


def _kept_columns(value: SimpleImputer) -> int:
    statistics = value.statistics_
    empty = np.array([isinstance(v, float) and v != v for v in statistics.tolist()])
    kept = len(statistics) - (0 if value.keep_empty_features or value.strategy == "constant" else int(empty.sum()))
    return kept + (0 if value.indicator_ is None else len(value.indicator_.features_))


@cache
def _has_fill_dtype() -> bool:
    """Whether this scikit-learn needs the attribute, which came late."""
    return hasattr(SimpleImputer().fit([[0.0]]), "_fill_dtype")


def _indicates(value: Any, scope: Scope) -> str | None:
    """An indicator as the imputer makes it, of its own columns."""
    if value.n_features_in_ != scope["d"]:
        return "must be of as many columns as the imputer."
    usual = (value.features, value.sparse, value.error_on_new) == ("missing-only", "auto", False)
    missing, own = value.missing_values, scope.params["missing_values"]
    same = type(missing) is type(own) and (missing == own or (missing != missing and own != own))
    return None if usual and same and value._precomputed else "must be the indicator of the imputer."


SCHEMAS = [
    Schema(
        "sklearn.preprocessing.StandardScaler",
        StandardScaler,
        (
            *_START,
            ("scale_", OrNone(floats("d"))),
            ("mean_", OrNone(floats("d", nan=True))),
            ("var_", OrNone(floats("d", low=0, nan=True))),
            ("n_samples_seen_", _Seen()),
            _needs("with_std", "scale_"),
            _needs("with_mean", "mean_"),
        ),
        width=_same_width,
    ),
    Schema(
        "sklearn.preprocessing.MinMaxScaler",
        MinMaxScaler,
        (
            *_START,
            *((n, either_float("d", nan=True)) for n in ("min_", "scale_", "data_min_", "data_max_", "data_range_")),
            ("n_samples_seen_", _Seen()),
        ),
        width=_same_width,
    ),
    Schema(
        "sklearn.preprocessing.MaxAbsScaler",
        MaxAbsScaler,
        (
            *_START,
            ("max_abs_", either_float("d", nan=True)),
            ("scale_", either_float("d", nan=True)),
            ("n_samples_seen_", _Seen()),
        ),
        width=_same_width,
    ),
    Schema(
        "sklearn.preprocessing.RobustScaler",
        RobustScaler,
        (
            *_START,
            ("center_", OrNone(either_float("d", nan=True))),
            ("scale_", OrNone(either_float("d", nan=True))),
            _needs("with_centering", "center_"),
            _needs("with_scaling", "scale_"),
        ),
        width=_same_width,
    ),
    Schema("sklearn.preprocessing.Normalizer", Normalizer, _START, width=_same_width),
    Schema(
        "sklearn.preprocessing.FunctionTransformer",
        FunctionTransformer,
        _START,
        checks=[
            Check(
                lambda s: not s.params["kw_args"] and not s.params["inv_kw_args"],
                "has arguments for functions, of which files hold none.",
            )
        ],
        width=_same_width,
    ),
    Schema(
        "sklearn.preprocessing.LabelEncoder",
        LabelEncoder,
        (("classes_", Labels(("k",), distinct=True)), *OUTPUT_CONFIG),
    ),
    *ENCODERS,
    Schema(
        "sklearn.preprocessing.PolynomialFeatures",
        PolynomialFeatures,
        (
            *_START,
            Check(_few_powers, f"has no powers, a degree above {_MOST_DEGREE} or more than {_MOST_POWERS} powers."),
            *((n, _powers_again(n)) for n in ("_min_degree", "_max_degree", "n_output_features_", "_n_out_full")),
        ),
        width=lambda value: value.n_output_features_,
    ),
    Schema(
        "sklearn.impute.SimpleImputer",
        SimpleImputer,
        (
            *_START,
            ("statistics_", Labels(("d",), finite=False)),  # NaN where a column had no value
            ("_fit_dtype", _Dtype()),
            ("_fill_dtype", Maybe(_Dtype())),
            Check(lambda s: "_fill_dtype" in s.values or not _has_fill_dtype(), "has no _fill_dtype."),
            ("indicator_", OrNone(Estimator(frozenset({"sklearn.impute.MissingIndicator"}), check=_indicates))),
            Check(
                lambda s: bool(s.params["add_indicator"]) == (s.values["indicator_"] is not None),
                "has an indicator that it was not asked for, or none.",
            ),
        ),
        width=_kept_columns,
    ),
    Schema(
        "sklearn.impute.MissingIndicator",
        MissingIndicator,
        (
            *_START,
            ("_precomputed", Bool()),
            ("_n_features", Int(1, binds="d")),
            ("features_", places("m", "d")),
        ),
        width=lambda value: len(value.features_),
        part=lambda value: getattr(value, "_precomputed", False),
    ),
    Schema(
        "sklearn.decomposition.PCA",
        PCA,
        (
            *_START,
            ("_fit_svd_solver", Text()),
            ("mean_", either_float("d")),
            ("n_samples_", Int(1)),
            ("n_components_", Int(0, binds="c")),
            ("components_", either_float("c", "d")),
            ("explained_variance_", either_float("c")),
            ("explained_variance_ratio_", either_float("c", nan=True)),
            ("singular_values_", either_float("c")),
            ("noise_variance_", Float(nan=True)),
        ),
        width=lambda value: value.n_components_,
    ),
]
