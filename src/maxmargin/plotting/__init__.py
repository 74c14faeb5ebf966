"""Pictures of fitted models, as Display classes in the manner of scikit-learn's."""

from ._bias_variance import BiasVarianceDisplay
from ._boosting import BoostingDisplay
from ._boosting_margins import BoostingMarginDisplay
from ._boosting_regions import BoostingRegionsDisplay
from ._certificate import CertificateDisplay
from ._curves import CurveDisplay
from ._display import Display
from ._elbow import ElbowDisplay
from ._importance import ImportanceDisplay
from ._kernel import KernelDisplay
from ._kmeans import KMeansDisplay
from ._margin import MarginDisplay
from ._neighbors import NeighborsDisplay
from ._out_of_bag import OutOfBagDisplay
from ._path import PathDisplay
from ._recorder import Recorder
from ._search import SearchDisplay
from ._spectral import SpectralDisplay
from ._tree import TreeDisplay

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
    "TreeDisplay",
]
