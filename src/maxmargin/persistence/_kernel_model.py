"""What kernel models consist of."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from ..kernel_approximation import KernelEmbedding, Nystroem, PolynomialMap, TruncatedRBF, count_columns
from ..kernel_model import KernelLogisticRegression, KernelPerceptron, KernelRidge
from ..kernels import kernel_name, largest_degree
from ._arrays import dense_or_csr, floats, places, whole
from ._common import CLASSES, FEATURES, OUTPUT_CONFIG
from ._errors import Where
from ._kernel_rows import readable
from ._kinds import Float, Int, Kind, OrNone
from ._proofs import certificates, guarantee
from ._schema import Entries, Let, Schema
from ._scope import Scope
from ._sizes import Check, agree

# The polynomial kernel multiplies so often for each of its values.
_MOST_DEGREE = 10_000
_DEGREE = Check(
    lambda s: max(largest_degree(s.params["kernel"]), s.params["degree"] or 0) <= _MOST_DEGREE,
    f"degree is above {_MOST_DEGREE}.",
)
_WHOLE_DEGREE = Check(
    lambda s: s.params["kernel"] not in ("poly", "polynomial") or isinstance(s.params["degree"], int | None),
    "the degree of a polynomial kernel is no whole number.",
)
_NO_ARGUMENTS = Check(lambda s: not s.params["kernel_params"], "has arguments for a function, and files hold none.")
_ROWS: Entries = (
    *FEATURES,
    ("X_fit_", dense_or_csr("n", "d")),
    Check(lambda s: s["n"] >= 1, "has no training rows."),
    Check(
        lambda s: kernel_name(s.params["kernel"]) != "precomputed" or s["n"] == s["d"],
        "its kernel matrix is not square.",
    ),
    ("_readable", readable("X_fit_")),
)


class _Coefficients(Kind):
    """One coefficient a row, or a column of them for each of several targets."""

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if isinstance(node, np.ndarray) and node.ndim == 2:
            return floats("n", "targets").read(node, where, scope)
        agree(scope, "targets", 1, where, "the number of targets")
        return floats("n").read(node, where, scope)


_PROBLEMS: Entries = (
    *CLASSES,
    Check(lambda s: s["k"] >= 2, "a classifier has two classes at least."),
    Let("problems", lambda s: 1 if s["k"] == 2 else s["k"]),
    ("_gamma", Float(0.0)),
    ("dual_coef_", floats("problems", "n")),
    ("intercept_", floats("problems")),
)
_LOGISTIC: Entries = (
    *_ROWS,
    *_PROBLEMS,
    ("class_weight_", floats("k", low=0)),
    ("n_iter_", whole("problems", low=0)),
    ("fit_status_", Int(0, 1)),
    ("certificate_", certificates("problems")),
)
_PERCEPTRON: Entries = (
    *_ROWS,
    *_PROBLEMS,
    ("_last", floats("problems", "n")),
    ("n_mistakes_", whole("problems", low=0)),
    ("n_iter_", Int()),
    ("certificate_", guarantee(problems="problems")),
)
_TRUNCATED: Entries = (
    *FEATURES,
    *OUTPUT_CONFIG,
    ("gamma_", Float(0.0)),
    ("degree_", Int(0, _MOST_DEGREE)),
    ("centre_", floats("d")),
    ("radius_", Float(0.0)),
    ("error_bound_", Float(0.0)),
    ("_n_features_out", Int(1, 2**24)),
    Check(
        lambda s: s.values["_n_features_out"] == comb(s["d"] + s.values["degree_"], s.values["degree_"]),
        "has another number of columns than its degree needs.",
    ),
    ("_rows", Int(1)),
    ("certificate_", guarantee()),
)
_EMBEDDING: Entries = (
    *_ROWS,
    *OUTPUT_CONFIG,
    ("eigenvalues_", floats("components", low=0)),
    ("components_", floats("n", "components")),
    ("_n_features_out", Int(1)),
    Check(lambda s: s.values["_n_features_out"] == s["components"], "has another number of columns than it says."),
    ("_dropped", Float(0.0)),
    ("_gamma", Float(0.0)),
    ("certificate_", guarantee()),
)
_NYSTROEM: Entries = (
    *FEATURES,
    *OUTPUT_CONFIG,
    ("_gamma", Float(0.0)),
    ("components_", dense_or_csr("landmarks", "d")),
    ("_readable", readable("components_")),
    ("_rows", Int(1, binds="rows")),
    ("component_indices_", OrNone(places("landmarks", "rows"))),
    Check(
        lambda s: (s.values["component_indices_"] is None) == (s.params["landmarks"] == "kmeans"),
        "has landmarks of another kind than it says.",
    ),
    Check(
        lambda s: (
            kernel_name(s.params["kernel"]) != "precomputed"
            or (s.values["component_indices_"] is not None and s["rows"] == s["d"])
        ),
        "its kernel matrix is not square.",
    ),
    ("normalization_", floats("landmarks", "landmarks")),
    Check(lambda s: not np.triu(s.values["normalization_"], 1).any(), "its normalization_ is no lower triangle."),
    ("_n_features_out", Int(1)),
    Check(lambda s: s.values["_n_features_out"] == s["landmarks"], "has another number of columns than it says."),
    ("leftover_trace_", Float()),
    ("relative_leftover_", Float()),
    ("certificate_", guarantee()),
)
_MONOMIALS: Entries = (
    *FEATURES,
    *OUTPUT_CONFIG,
    Check(lambda s: s.params["degree"] <= _MOST_DEGREE, f"degree is above {_MOST_DEGREE}."),
    ("gamma_", Float(0.0)),
    ("weights_", floats("columns", low=0)),
    ("error_bound_", Float(0.0)),
    ("_n_features_out", Int(1)),
    Check(
        lambda s: (
            s.values["_n_features_out"] == s["columns"] == count_columns(s["d"], s.params["degree"], s.params["coef0"])
        ),
        "has another number of columns than its degree needs.",
    ),
    ("_rows", Int(1)),
    ("certificate_", guarantee()),
)
_RIDGE: Entries = (*_ROWS, ("dual_coef_", _Coefficients()), ("certificate_", certificates("targets")))

SCHEMAS = [
    Schema("maxmargin.kernel_ridge.KernelRidge", KernelRidge, _RIDGE, checks=[_DEGREE, _WHOLE_DEGREE, _NO_ARGUMENTS]),
    Schema("maxmargin.kernel_model.KernelLogisticRegression", KernelLogisticRegression, _LOGISTIC, checks=[_DEGREE]),
    Schema("maxmargin.kernel_model.KernelPerceptron", KernelPerceptron, _PERCEPTRON, checks=[_DEGREE]),
    Schema("maxmargin.kernel_approximation.TruncatedRBF", TruncatedRBF, _TRUNCATED, width=lambda m: m._n_features_out),
    Schema(
        "maxmargin.kernel_approximation.PolynomialMap", PolynomialMap, _MONOMIALS, width=lambda m: m._n_features_out
    ),
    Schema(
        "maxmargin.kernel_approximation.Nystroem",
        Nystroem,
        _NYSTROEM,
        checks=[_DEGREE, _WHOLE_DEGREE, _NO_ARGUMENTS],
        width=lambda m: m._n_features_out,
    ),
    Schema(
        "maxmargin.kernel_approximation.KernelEmbedding",
        KernelEmbedding,
        _EMBEDDING,
        checks=[_DEGREE],
        width=lambda m: m._n_features_out,
    ),
]
