"""What linear regressors consist of."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import numpy as np
from sklearn.preprocessing import PolynomialFeatures

from ..linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    OrthogonalBasis,
    PolynomialRegression,
    Ridge,
    RidgeCV,
)
from ._arrays import floats, whole
from ._common import FEATURES
from ._errors import Mismatch, Where
from ._kinds import Bool, Either, Float, Int, Items, Kind, Maybe, Record, Text
from ._proofs import certificates, guarantee
from ._schema import ABSENT, Derived, Entries, Let, Schema
from ._scope import Scope
from ._sizes import Check, agree
from ._values import shown

# ---------------------------------------------------------------- least squares


class _Targets(Kind):
    """Weights of one target, or one row for each of several."""

    def __init__(self, columns: str, one_row: bool = False) -> None:
        self._columns, self._least = columns, 1 if one_row else 2

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        several = isinstance(node, np.ndarray) and node.ndim == 2
        value = floats("targets", self._columns).read(node, where, scope) if several else None
        if value is None:
            value = floats(self._columns).read(node, where, scope)
            agree(scope, "targets", 1, where, "the number of targets")
        if several and scope["targets"] < self._least:
            raise Mismatch(where, "must be a vector for a single target.")
        return value


# One number, or one a target.
_INTERCEPT = Either(lambda node, s: floats("targets") if isinstance(node, np.ndarray) else Float())

_RIDGE: Entries = (
    *FEATURES,
    ("coef_", _Targets("d")),
    ("intercept_", _INTERCEPT),
    ("solver_", Text()),
    ("n_iter_", whole("targets", low=0)),
    ("_training_shape", Int(1)),
    ("certificate_", guarantee()),
)

# One number, or one a target where each has its own penalty.
_CHOSEN = Either(lambda node, s: floats("targets") if isinstance(node, np.ndarray) else Float())

_RIDGE_CV: Entries = (
    *FEATURES,
    ("alpha_", _CHOSEN),
    Check(lambda s: bool((np.asarray(s.values["alpha_"]) > 0).all()), "has a penalty that is not positive."),
    ("best_score_", Either(lambda node, s: floats("targets") if isinstance(node, np.ndarray) else Float(finite=False))),
    ("coef_", _Targets("d")),
    ("intercept_", _INTERCEPT),
    (
        "cv_results_",
        Maybe(
            Either(
                lambda node, s: (
                    floats("n", "targets", "alphas", finite=False)
                    if np.ndim(node) == 3
                    else floats("n", "alphas", finite=False)
                )
            )
        ),
    ),
    ("_training_shape", Int(1, binds="n")),
    ("certificate_", guarantee()),
)


def _rank_fits(scope: Scope) -> bool:
    """Rank and singular values come together, for dense rows."""
    if ("rank_" in scope.values) != ("singular_" in scope.values):
        return False
    return "rank_" not in scope.values or scope.values["rank_"] <= scope["singular"] <= scope["d"]


_LEAST_SQUARES: Entries = (
    *FEATURES,
    ("coef_", _Targets("d", one_row=True)),
    ("intercept_", _INTERCEPT),
    ("rank_", Maybe(Int(0, "d"))),
    ("singular_", Maybe(floats("singular", low=0))),
    Check(_rank_fits, "has a rank without singular values, or more of them than columns."),
    ("solver_", Text()),
    ("_training_shape", Int(1)),
    ("certificate_", guarantee()),
)


# ---------------------------------------------------------------- the lasso

# One gap, or one a target.
_GAPS = Either(
    lambda node, s: (
        floats("targets", finite=False, nan=True) if s["targets"] > 1 else Float(0.0, finite=False, nan=True)
    )
)


class _Rounds(Kind):
    """Iterations: one number, or a list with one a target."""

    _many = Items(Int(), "targets")

    def write(self, value: Any, where: Where) -> Any:
        return (self._many if isinstance(value, list) else Int()).write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        kind: Kind = self._many if scope["targets"] > 1 else Int()
        return kind.read(node, where, scope)


_LASSO: Entries = (
    *FEATURES,
    ("coef_", _Targets("d")),
    ("intercept_", _INTERCEPT),
    ("dual_gap_", _GAPS),
    ("n_iter_", _Rounds()),
    ("_rows_seen", Int(1)),
    ("fit_status_", Int(0, 1)),
    ("certificate_", certificates("targets")),
)


def _several(scope: Scope) -> bool:
    return np.ndim(scope.params.get("l1_ratio", 1.0)) > 0 and np.size(scope.params["l1_ratio"]) > 1


def _of_search(*sizes: str) -> Kind:
    """Figures along alpha, with one table for each l1_ratio where there are several."""
    return Either(lambda node, s: floats(*(["ratios"] if _several(s) else []), *sizes, finite=False, nan=True, low=0))


def _lasso_search(*more: Any) -> Entries:
    return (
        *_LASSO,
        Let("targets", lambda s: 1),
        ("alpha_", Float(5e-324)),
        *more,
        ("alphas_", Either(lambda node, s: floats("ratios", "alphas") if np.ndim(node) == 2 else floats("alphas"))),
        ("mse_path_", _of_search("alphas", "folds")),
        ("gap_path_", _of_search("alphas", "folds")),
    )


# ---------------------------------------------------------------- polynomials


class _Decimals(Kind):
    """Numbers with all their digits."""

    _form = re.compile(r"-?\d{1,5000}(\.\d{1,5000})?(E[+-]\d{1,5})?")

    def write(self, value: Any, where: Where) -> Any:
        if not isinstance(value, Decimal) or not value.is_finite():
            raise Mismatch(where, f"must be a finite decimal to be saved; found {shown(value)}.")
        return str(value)

    def read(self, node: Any, where: Where, scope: Scope) -> Decimal:
        if not isinstance(node, str) or len(node) > 10_000 or not self._form.fullmatch(node):
            raise Mismatch(where, f"must be a decimal number; found {shown(node)}.")
        if not math.isfinite(float(node)):
            raise Mismatch(where, "is beyond float64.")
        return Decimal(node)


def _descends(scope: Scope) -> bool:
    """The numbers that a step of the recurrence divides by."""
    h = scope.values["h"]
    return bool((h.diagonal(-1) > 0).all())


_BASIS = Record(
    OrthogonalBasis,
    {
        "centre": Float(),
        "half": Float(np.finfo(np.float64).smallest_subnormal),
        "constant": Bool(),
        "first": Float(np.finfo(np.float64).smallest_subnormal),
        "h": floats("size", lambda s: max(0, s["size"] - 1)),
    },
    checks=[
        Check(_descends, "divides by numbers that are not positive."),
        # what float64 can tell apart; without it, digits could be asked for without end
        Check(lambda s: abs(s.values["centre"]) <= 2.0**60 * s.values["half"], "has a width that its centre swallows."),
    ],
)


def _powers(scope: Scope) -> int:
    """How many powers a polynomial of so many features has."""
    d, degree = scope["d"], int(scope.params["degree"])
    # a polynomial has more powers than its degree: what is longer than the file need not be counted
    return degree if d == 1 else math.comb(d + degree, degree) - 1


def _degree_fits(scope: Scope) -> bool:
    return int(scope.params["degree"]) <= len(scope.values["powers_"]) and scope["d"] <= len(scope.values["powers_"])


def _right_powers(scope: Scope) -> bool:
    d, degree, powers = scope["d"], int(scope.params["degree"]), scope.values["powers_"]
    if d == 1:
        return np.array_equal(powers, np.arange(1, degree + 1)[:, None])
    return bool((powers.sum(axis=1) <= degree).all() and (powers.sum(axis=1) >= 1).all())


def _expansion(model: Any) -> Any:
    """The features of several variables, which only their number and the degree decide."""
    return PolynomialFeatures(model.degree, include_bias=False).fit(np.zeros((1, model.n_features_in_)))


_POLYNOMIAL: Entries = (
    *FEATURES,
    ("powers_", whole("powers", "d", low=0)),
    Check(_degree_fits, "has fewer powers than its degree needs."),
    Let("powers", _powers),
    Check(_right_powers, "has other powers than its degree needs."),
    ("coef_", _Targets("powers")),
    ("intercept_", _INTERCEPT),
    ("rank_", Int(0, lambda s: s["powers"] + 1)),
    ("_training_rows", Int(1)),
    ("_basis", Maybe(_BASIS)),
    ("_inner", Maybe(Items(Items(_Decimals()), "targets"))),
    Check(
        lambda s: s["d"] > 1 or {"_basis", "_inner"} <= set(s.values),
        "has no basis, which a polynomial of one feature needs.",
    ),
    Check(
        lambda s: s["d"] > 1 or all(len(z) == s.values["_basis"].size for z in s.values["_inner"]),
        "has other than one coefficient for each polynomial of its basis.",
    ),
    ("certificate_", guarantee()),
    ("_features", Derived(lambda model: _expansion(model) if model.n_features_in_ > 1 else ABSENT)),
)

SCHEMAS = [
    Schema("maxmargin.linear_model.ElasticNet", ElasticNet, _LASSO),
    Schema("maxmargin.linear_model.ElasticNetCV", ElasticNetCV, _lasso_search(("l1_ratio_", Float(0.0, 1.0)))),
    Schema("maxmargin.linear_model.Lasso", Lasso, _LASSO),
    Schema("maxmargin.linear_model.LassoCV", LassoCV, _lasso_search()),
    Schema("maxmargin.linear_model.LinearRegression", LinearRegression, _LEAST_SQUARES),
    Schema("maxmargin.linear_model.Ridge", Ridge, _RIDGE),
    Schema("maxmargin.linear_model.RidgeCV", RidgeCV, _RIDGE_CV),
    Schema("maxmargin.linear_model.PolynomialRegression", PolynomialRegression, _POLYNOMIAL),
]
