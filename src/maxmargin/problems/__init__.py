"""What is minimised: the box QP in signed variables, one form for every kernel machine."""

from ._box_qp import BoxQP
from ._crammer_singer import CrammerSingerRisk
from ._least_squares import LeastSquares
from ._multinomial import MultinomialRisk
from ._risk import Risk

__all__ = ["BoxQP", "CrammerSingerRisk", "MultinomialRisk", "LeastSquares", "Risk"]
