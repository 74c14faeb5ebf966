"""Rows that a kernel model keeps: files may not hold any that the model could not predict with."""

from __future__ import annotations

from typing import Any

from ..data import Rows
from ..kernels import kernel_name, make_kernel
from ._schema import ABSENT, Derived


def readable(attribute: str) -> Derived:
    """A look at the rows of an attribute with the kernel of the model, which refuses values that overflow."""

    def look(model: Any) -> Any:
        rows = getattr(model, attribute)
        if kernel_name(model.kernel) != "precomputed" and rows.shape[0]:
            own = getattr(model, "_fitted_kernel", None)
            kernel = make_kernel(model.kernel, model._gamma, model.coef0, model.degree) if own is None else own()
            kernel.gram(Rows(rows), None, 1)
        return ABSENT

    return Derived(look)
