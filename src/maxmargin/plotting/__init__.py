"""Pictures of fitted models, as Display classes in the manner of scikit-learn's."""

from ._display import Display
from ._neighbors import NeighborsDisplay
from .clusters import ElbowDisplay, KMeansDisplay, SpectralDisplay
from .ensembles import (
    BoostingDisplay,
    BoostingMarginDisplay,
    BoostingRegionsDisplay,
    ImportanceDisplay,
    OutOfBagDisplay,
)
from .machines import CertificateDisplay, KernelDisplay, MarginDisplay, PathDisplay, Recorder, TraceDisplay
from .selection import BiasVarianceDisplay, CurveDisplay, SearchDisplay
from .trees import TreeDisplay

__all__ = [
    "BiasVarianceDisplay",
    "BoostingDisplay",
    "BoostingMarginDisplay",
    "BoostingRegionsDisplay",
    "CertificateDisplay",
    "CurveDisplay",
    "Display",
    "ElbowDisplay",
    "ImportanceDisplay",
    "KMeansDisplay",
    "KernelDisplay",
    "MarginDisplay",
    "NeighborsDisplay",
    "OutOfBagDisplay",
    "PathDisplay",
    "Recorder",
    "SearchDisplay",
    "SpectralDisplay",
    "TraceDisplay",
    "TreeDisplay",
]
