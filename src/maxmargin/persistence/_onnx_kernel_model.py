"""Kernel models as graphs: sums over the rows of their training."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel_model import KernelRidge
from ._onnx_graph import Graph, Value
from ._onnx_kernels import KernelGraph
from ._onnx_registry import Prediction, writes


@writes(KernelRidge)
def _write_ridge(graph: Graph, model: Any, X: Value) -> Prediction:
    coef = np.atleast_2d(model.dual_coef_.T)
    values = KernelGraph(model, model._fitted_kernel(), model.X_fit_, X).sums(np.ascontiguousarray(coef))
    single = model.dual_coef_.ndim == 1
    return Prediction(value=values.flat() if single else values, width=None if single else len(coef))
