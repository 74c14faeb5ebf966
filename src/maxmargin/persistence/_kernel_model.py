"""What kernel models consist of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel_model import KernelLogisticRegression, KernelPerceptron, KernelRidge
from ..kernels import kernel_name, largest_degree
from ._arrays import dense_or_csr, floats, whole
from ._errors import Where
from ._kinds import Check, Float, Int, Kind, Scope
from ._proofs import certificates, guarantee
from ._schema import CLASSES, FEATURES, Entries, Let, Schema

# The polynomial kernel multiplies so often for each of its values.
_MOST_DEGREE = 10_000
_DEGREE = Check(
    lambda s: max(largest_degree(s.params["kernel"]), s.params["degree"]) <= _MOST_DEGREE,
    f"degree is above {_MOST_DEGREE}.",
)
_ROWS: Entries = (
    *FEATURES,
    ("X_fit_", dense_or_csr("n", "d")),
    Check(
        lambda s: kernel_name(s.params["kernel"]) != "precomputed" or s["n"] == s["d"],
        "its kernel matrix is not square.",
    ),
)


class _Coefficients(Kind):
    """One coefficient a row, or a column of them for each of several targets."""

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if isinstance(node, np.ndarray) and node.ndim == 2:
            return floats("n", "targets").read(node, where, scope)
        scope.agree("targets", 1, where, "the number of targets")
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
_RIDGE: Entries = (*_ROWS, ("dual_coef_", _Coefficients()), ("certificate_", certificates("targets")))

SCHEMAS = [
    Schema("maxmargin.kernel_ridge.KernelRidge", KernelRidge, _RIDGE, checks=[_DEGREE]),
    Schema("maxmargin.kernel_model.KernelLogisticRegression", KernelLogisticRegression, _LOGISTIC, checks=[_DEGREE]),
    Schema("maxmargin.kernel_model.KernelPerceptron", KernelPerceptron, _PERCEPTRON, checks=[_DEGREE]),
]
