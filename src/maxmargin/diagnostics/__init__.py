"""Why a model errs: bias and variance by resampling, learning and validation curves with a verdict in words."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._bias_variance import bias_variance
from ._curves import LearningCurve, ValidationCurve, learning_curve, validation_curve
from ._error_parts import BiasVariance
from ._stability import Stability, stability

__all__ = [
    "BiasVariance",
    "LearningCurve",
    "Stability",
    "ValidationCurve",
    "bias_variance",
    "learning_curve",
    "stability",
    "validation_curve",
]
