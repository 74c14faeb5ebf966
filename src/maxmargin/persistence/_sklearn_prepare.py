"""What the transformers of scikit-learn consist of."""

from __future__ import annotations

import re
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
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from ._arrays import Labels, either_float, floats, places
from ._errors import Mismatch, Where
from ._kinds import Bool, Check, Float, Int, Kind, Maybe, OrNone, Scope, Text
from ._plain import Plain
from ._schema import FEATURES, OUTPUT_CONFIG, Derived, Entries, Estimator, Schema
from ._sklearn_encoders import ENCODERS
from ._values import shown

_START: Entries = (*FEATURES, *OUTPUT_CONFIG)
# A table of more columns than this has not been made by powers of features in any memory.
_MOST_POWERS, _MOST_DEGREE = 10**6, 255


def _same_width(value: Any) -> int:
    return value.n_features_in_


class _Seen(Plain):
    """How many rows were seen: a number, or one a column where some values were missing."""

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        value = super().read(node, where, scope)
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


def _powers(value: Any) -> int:
    return value.n_output_features_


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
            Check(
                lambda s: not s.params["with_std"] or s.values["scale_"] is not None,
                "has no scale_, which with_std=True needs.",
            ),
            Check(
                lambda s: not s.params["with_mean"] or s.values["mean_"] is not None,
                "has no mean_, which with_mean=True needs.",
            ),
        ),
        width=_same_width,
    ),
    Schema(
        "sklearn.preprocessing.MinMaxScaler",
        MinMaxScaler,
        (
            *_START,
            *((name, either_float("d", nan=True)) for name in ("min_", "scale_")),
            *((name, either_float("d", nan=True)) for name in ("data_min_", "data_max_", "data_range_")),
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
            Check(lambda s: not s.params["with_centering"] or s.values["center_"] is not None, "has no center_."),
            Check(lambda s: not s.params["with_scaling"] or s.values["scale_"] is not None, "has no scale_."),
        ),
        width=_same_width,
    ),
    Schema("sklearn.preprocessing.Normalizer", Normalizer, _START, width=_same_width),
    Schema("sklearn.preprocessing.FunctionTransformer", FunctionTransformer, _START, width=_same_width),
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
        width=_powers,
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
