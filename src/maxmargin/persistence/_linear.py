"""What linear machines and models consist of, and the state of a stream that is trained on chunk by chunk."""

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
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    OrthogonalBasis,
    Perceptron,
    PolynomialRegression,
    Ridge,
    RidgeCV,
)
from ..solvers import StochasticState
from ._arrays import dense_or_csr, floats, whole
from ._common import CLASSES, FEATURES
from ._errors import Mismatch, Where, at
from ._kinds import Bool, Either, Float, Int, Items, Kind, Maybe, OrNone, Record, Text, choice
from ._plain import Plain
from ._proofs import certificates, guarantee
from ._schema import ABSENT, Derived, Entries, Let, Schema
from ._scope import Scope
from ._search import search_classifier
from ._sizes import Check, agree
from ._values import shown


class _Slopes(Kind):
    """Dual slopes: one a sample for each problem, None where the weights prove enough.

    Classes that are trained together are one problem, with one slope a sample and class.
    """

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, list) or len(node) not in (1, scope["rows"]):
            raise Mismatch(where, f"must have one entry, or one for each class; found {shown(node)}.")
        agree(scope, "problems", len(node), where, "the number of problems")
        kind = floats("n", "k") if len(node) == 1 and scope["k"] > 2 else floats("n")
        return [None if part is None else kind.read(part, at(where, i), scope) for i, part in enumerate(node)]


class _Generator(Kind):
    """NumPy's default generator: its state has 128 bits, which JSON holds as a text."""

    def write(self, value: Any, where: Where) -> Any:
        state = value.bit_generator.state
        if state["bit_generator"] != "PCG64":
            raise Mismatch(where, f"is a generator of {state['bit_generator']}; only those of PCG64 can be saved.")
        inner = state["state"]
        return [hex(inner["state"]), hex(inner["inc"]), int(state["has_uint32"]), int(state["uinteger"])]

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, list) or len(node) != 4 or not all(_is_hex(part) for part in node[:2]):
            raise Mismatch(where, f"must be the state of a generator; found {shown(node)}.")
        if type(node[2]) is not int or type(node[3]) is not int or node[2] not in (0, 1) or not 0 <= node[3] < 2**32:
            raise Mismatch(where, f"must be the state of a generator; found {shown(node)}.")
        generator = np.random.default_rng(0)
        inner = {"state": int(node[0], 16), "inc": int(node[1], 16)}
        generator.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": inner,
            "has_uint32": node[2],
            "uinteger": node[3],
        }
        return generator


def _is_hex(text: Any) -> bool:
    return (
        isinstance(text, str) and text[:2] == "0x" and 2 < len(text) <= 34 and set(text[2:]) <= set("0123456789abcdef")
    )


_DIRECTIONS = ("plain", "momentum", "rmsprop", "adam")
_STREAM: dict[str, Kind] = {
    "theta": floats(lambda s: s["d"] + 1),
    "batch_size": Int(1),
    "direction": choice(*_DIRECTIONS),
    "schedule": choice("auto", "constant", "inverse", "inverse_sqrt", "theory"),
    "averages": Bool(),
    "order": choice("shuffle", "cyclic", "replacement"),
    "radius": OrNone(Float(0.0)),
    "samples": OrNone(Float(0.0)),
    "eta0": OrNone(Float(0.0)),
    "planned": OrNone(Int()),
    "steps": Int(),
    "passes": Int(),
    "slopes": floats("rows of the chunk"),
    "_total": floats(lambda s: s["d"] + 1),
    "_weight": Float(0.0),
    "_memory": floats(2, lambda s: 0 if s.values["direction"] == "plain" else s["d"] + 1),
    "_longest": Float(0.0, finite=False),
    "_rng": _Generator(),
}


def _stream_of(scope: Scope) -> StochasticState:
    state = StochasticState(scope.values["theta"])
    for name, value in scope.values.items():
        setattr(state, name, value)
    return state


_STATE = Record(StochasticState, _STREAM, shares=["d"], make=_stream_of)

CLASSIFIER: Entries = (
    *FEATURES,
    *CLASSES,
    Check(lambda s: s["k"] >= 2, "a classifier has two classes at least."),
    Let("rows", lambda s: 1 if s["k"] == 2 else s["k"]),
    ("class_weight_", floats("k", low=0)),
    ("coef_", dense_or_csr("rows", "d", ("float64",))),
    ("intercept_", floats("rows")),
    ("_rows_seen", Int(1, binds="n")),
    ("_slopes", _Slopes()),
    ("n_iter_", Either(lambda node, s: whole("problems", low=0) if isinstance(node, np.ndarray) else Int())),
    ("fit_status_", Int(0, 1)),
    ("solver_", Text()),
    ("certificate_", certificates("problems")),
    ("_streams", Maybe(Items(_STATE, "rows"))),
)

REGRESSOR: Entries = (
    *FEATURES,
    ("coef_", floats("d")),
    ("intercept_", floats(1)),
    ("_rows_seen", Int(1, binds="n")),
    ("_slopes", OrNone(floats("n"))),
    ("n_iter_", Int()),
    ("fit_status_", Int(0, 1)),
    ("solver_", Text()),
    ("certificate_", certificates(1)),
)


_PERCEPTRON: Entries = (
    *FEATURES,
    *CLASSES,
    Check(lambda s: s["k"] >= 2, "a classifier has two classes at least."),
    Let("rows", lambda s: 1 if s["k"] == 2 else s["k"]),
    ("_last", floats("rows", lambda s: s["d"] + 1)),
    ("coef_", floats("rows", "d")),
    ("intercept_", floats("rows")),
    ("_lengths", floats("rows", low=0)),
    ("n_mistakes_", whole("rows", low=0)),
    ("n_iter_", Int()),
    ("t_", Float(0.0)),
    ("_steps", Int()),
    ("_class_weights", Plain()),
    Check(
        lambda s: (
            s.values["_class_weights"] is None
            or isinstance(s.values["_class_weights"], dict)
            or s.values["_class_weights"] == "balanced"
        ),
        "has weights of classes that are neither numbers by class nor balanced.",
    ),
    ("_whole", OrNone(Int(1))),
    ("_claims", Items(Bool(), "rows")),
    ("certificate_", guarantee(problems="rows")),
)


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
    Schema("maxmargin.linear_model.LinearClassifier", LinearClassifier, CLASSIFIER),
    Schema("maxmargin.linear_model.LogisticRegression", LogisticRegression, CLASSIFIER),
    Schema("maxmargin.linear_model.Perceptron", Perceptron, _PERCEPTRON),
    Schema("maxmargin.linear_model.LinearRegression", LinearRegression, _LEAST_SQUARES),
    Schema("maxmargin.linear_model.Ridge", Ridge, _RIDGE),
    Schema("maxmargin.linear_model.RidgeCV", RidgeCV, _RIDGE_CV),
    Schema("maxmargin.linear_model.PolynomialRegression", PolynomialRegression, _POLYNOMIAL),
    search_classifier(
        "maxmargin.linear_model.LogisticRegressionCV",
        LogisticRegressionCV,
        "maxmargin.linear_model.LogisticRegression",
        None,
    ),
]
