"""The hard margin of a linear machine.

    minimise 1/2 ||w||^2  subject to  y_i (<x_i, w> + b) >= 1,     maximise sum_i |beta_i| - 1/2 ||sum_i beta_i x_i||^2

over beta_i y_i >= 0 with sum 0, or with any sum where there is no intercept b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._risk import Risk


@dataclass(frozen=True)
class HardMarginRisk(Risk):
    """The soft margin's limit for C to infinity: weights only say which samples take part, those above zero."""

    kind: ClassVar[str] = "hard margin"
    smooth: ClassVar[bool] = False
    curved: ClassVar[bool] = False
