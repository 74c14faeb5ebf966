"""What support vector machines consist of."""

from __future__ import annotations

from typing import Any

from ..kernels import kernel_name, largest_degree
from ..svm import (
    SVC,
    SVCCV,
    SVR,
    SVRCV,
    LargeSVC,
    LargeSVR,
    LinearSVC,
    LinearSVCCV,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
)
from ._arrays import Array, Csr, either_float, floats, places, whole
from ._common import CLASSES, FEATURES
from ._kernel_rows import readable
from ._kinds import Bool, Either, Float, Int, Items, Kind, Text, choice
from ._linear import CLASSIFIER, REGRESSOR
from ._proofs import certificates
from ._schema import Entries, Let, Schema
from ._scope import Scope
from ._search import search_classifier, search_regressor
from ._sizes import Check

# The polynomial kernel multiplies so often for each of its values.
_MOST_DEGREE = 10_000
_DEGREE = Check(
    lambda s: max(largest_degree(s.params["kernel"]), s.params["degree"]) <= _MOST_DEGREE,
    f"degree is above {_MOST_DEGREE}.",
)

_EMPTY, _DENSE, _CSR = floats(0, 0), either_float("s", "d"), Csr("s", "d")


def _vectors(node: Any, scope: Scope) -> Kind:
    if kernel_name(scope.params["kernel"]) == "precomputed":
        return _EMPTY
    return _CSR if scope.values["_sparse"] else _DENSE


def _coefficients(rows: str) -> Either:
    dense, sparse = floats(rows, "s"), Csr(rows, "s", ("float64",))
    return Either(lambda node, scope: sparse if scope.values["_sparse"] else dense)


def _machine(rows: str, groups: str, problems: str, proofs: str) -> Entries:
    """The support vectors and what they are multiplied with; `rows` of coefficients, `groups` of vectors."""
    return (
        ("_gamma", Float(0.0)),
        ("_sparse", Bool()),
        ("shape_fit_", Items(Int(1, 2**31 - 1), 2, tuple)),
        Let("n", lambda s: s.values["shape_fit_"][0]),
        Check(lambda s: s.values["shape_fit_"][1] == s["d"], "shape_fit_ and n_features_in_ differ."),
        Check(
            lambda s: kernel_name(s.params["kernel"]) != "precomputed" or s["n"] == s["d"],
            "its kernel matrix is not square.",
        ),
        Check(
            lambda s: kernel_name(s.params["kernel"]) != "precomputed" or not s.values["_sparse"],
            "a precomputed kernel matrix is not sparse.",
        ),
        ("n_support_", Array(("int32",), (groups,), low=0)),
        Let("s", lambda s: int(s.values["n_support_"].sum(dtype="int64"))),
        ("support_", places("s", "n")),
        ("support_vectors_", Either(_vectors)),
        ("_readable", readable("support_vectors_")),
        ("dual_coef_", _coefficients(rows)),
        ("intercept_", floats(problems)),
        ("fit_status_", Int(0, 1)),
        ("certificate_", certificates(proofs)),
    )


_ONE_A_CLASS = ("ovr", "crammer_singer")


def _pairs(scope: Scope) -> int:
    k = scope["k"]
    if k == 2:
        return 1
    return k if scope.params.get("multi_class") in _ONE_A_CLASS else k * (k - 1) // 2


def _proofs(scope: Scope) -> int:
    return 1 if scope.params.get("multi_class") == "crammer_singer" else scope["problems"]


def _rows(scope: Scope) -> int:
    if scope.params.get("multi_class") in _ONE_A_CLASS and scope["k"] > 2:
        return scope["k"]
    return scope["k"] - 1


_CLASSIFIER: Entries = (
    *FEATURES,
    *CLASSES,
    Check(lambda s: s["k"] >= 2, "a classifier has two classes at least."),
    Let("problems", _pairs),
    Let("rows", _rows),
    Let("proofs", _proofs),
    ("class_weight_", floats("k", low=0)),
    ("n_iter_", whole("proofs", low=0)),
    *_machine("rows", "k", "problems", "proofs"),
)
_ONE: Entries = (*FEATURES, Let("one", lambda s: 1), ("n_iter_", Int()), *_machine("one", "one", "one", "one"))


def _large(rows: str, problems: str) -> Entries:
    """What proves how far an approximate machine is from the exact one."""
    return (
        ("multipliers_", Csr(rows, "n", ("float64",))),
        ("method_", Items(choice("exact", "landmarks", "cells"), problems)),
        ("method_reason_", Items(Text(), problems)),
        ("radius_", floats(problems, low=0, finite=False)),
        ("intercept_range_", floats(problems, 2, finite=False)),
    )


SCHEMAS = [
    Schema("maxmargin.svm.LargeSVC", LargeSVC, (*_CLASSIFIER, *_large("rows", "problems")), checks=[_DEGREE]),
    Schema("maxmargin.svm.LargeSVR", LargeSVR, (*_ONE, *_large("one", "one")), checks=[_DEGREE]),
    Schema("maxmargin.svm.SVC", SVC, _CLASSIFIER, checks=[_DEGREE]),
    Schema("maxmargin.svm.NuSVC", NuSVC, _CLASSIFIER, checks=[_DEGREE]),
    Schema("maxmargin.svm.SVR", SVR, _ONE, checks=[_DEGREE]),
    Schema("maxmargin.svm.NuSVR", NuSVR, (*_ONE, ("epsilon_", Float())), checks=[_DEGREE]),
    Schema("maxmargin.svm.OneClassSVM", OneClassSVM, (*_ONE, ("offset_", floats(1))), checks=[_DEGREE]),
    Schema("maxmargin.svm.LinearSVC", LinearSVC, CLASSIFIER),
    Schema("maxmargin.svm.LinearSVR", LinearSVR, REGRESSOR),
    search_classifier("maxmargin.svm.SVCCV", SVCCV, "maxmargin.svm.SVC", "pairs", (_DEGREE,)),
    search_classifier("maxmargin.svm.LinearSVCCV", LinearSVCCV, "maxmargin.svm.LinearSVC", "rest"),
    search_regressor("maxmargin.svm.SVRCV", SVRCV, "maxmargin.svm.SVR", (_DEGREE,)),
]
