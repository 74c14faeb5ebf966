"""Figures of a linear problem for a trace, recomputed from the variables by `maxmargin.certificates`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certificates import evaluate_linear
from ._trace import Figures


def measured(problem: Any, theta: np.ndarray, slopes: np.ndarray | None = None) -> Figures:
    """Both objectives, gap and violation at these variables."""
    e = evaluate_linear(problem, theta, slopes)
    return Figures(e.kkt_violation, e.relative_gap, e.primal, e.dual)
