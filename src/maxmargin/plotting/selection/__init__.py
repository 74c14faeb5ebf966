"""Pictures of how a model was chosen: searches, learning and validation curves, bias and variance."""

from ._bias_variance import BiasVarianceDisplay
from ._curves import CurveDisplay
from ._search import SearchDisplay

__all__ = ["BiasVarianceDisplay", "CurveDisplay", "SearchDisplay"]
