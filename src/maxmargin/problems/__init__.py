"""What is minimised: the box QP in signed variables, one form for every kernel machine; risks for the linear ones."""

from ._box_qp import BoxQP
from ._crammer_singer import CrammerSingerRisk
from ._hard_margin import HardMarginRisk
from ._kernel_crammer_singer import KernelCrammerSinger
from ._kernel_logistic import KernelLogisticProblem
from ._kernel_ridge import KernelRidgeProblem
from ._kernel_separation import KernelSeparation
from ._least_squares import LeastSquares
from ._multinomial import MultinomialRisk
from ._risk import Risk
from ._separation import Separation

__all__ = [
    "BoxQP",
    "CrammerSingerRisk",
    "HardMarginRisk",
    "KernelCrammerSinger",
    "KernelLogisticProblem",
    "KernelRidgeProblem",
    "KernelSeparation",
    "LeastSquares",
    "MultinomialRisk",
    "Risk",
    "Separation",
]
