"""What kernel models consist of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel_model import KernelRidge
from ..kernels import kernel_name, largest_degree
from ._arrays import dense_or_csr, floats
from ._errors import Where
from ._kinds import Check, Kind, Scope
from ._proofs import certificates
from ._schema import FEATURES, Entries, Schema

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


_RIDGE: Entries = (*_ROWS, ("dual_coef_", _Coefficients()), ("certificate_", certificates("targets")))

SCHEMAS = [Schema("maxmargin.kernel_ridge.KernelRidge", KernelRidge, _RIDGE, checks=[_DEGREE])]
