"""Pictures of fitted models, as Display classes in the manner of scikit-learn's."""

from ._display import Display
from ._losses import LossDisplay
from ._neighbors import NeighborsDisplay
from .clusters import ElbowDisplay, KMeansDisplay, SpectralDisplay
from .ensembles import (
    BoostingDisplay,
    BoostingMarginDisplay,
    BoostingRegionsDisplay,
    CascadeDisplay,
    ImportanceDisplay,
    OutOfBagDisplay,
)
from .machines import (
    CertificateDisplay,
    HullsDisplay,
    KernelDisplay,
    MarginDisplay,
    MistakesDisplay,
    PathDisplay,
    Recorder,
    TraceDisplay,
)
from .selection import BiasVarianceDisplay, CurveDisplay, SearchDisplay
from .trees import TreeDisplay

__all__ = [
    "BiasVarianceDisplay",
    "BoostingDisplay",
    "BoostingMarginDisplay",
    "BoostingRegionsDisplay",
    "CascadeDisplay",
    "CertificateDisplay",
    "CurveDisplay",
    "Display",
    "ElbowDisplay",
    "HullsDisplay",
    "ImportanceDisplay",
    "KMeansDisplay",
    "KernelDisplay",
    "LossDisplay",
    "MarginDisplay",
    "MistakesDisplay",
    "NeighborsDisplay",
    "OutOfBagDisplay",
    "PathDisplay",
    "Recorder",
    "SearchDisplay",
    "SpectralDisplay",
    "TraceDisplay",
    "TreeDisplay",
]
