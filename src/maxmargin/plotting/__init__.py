"""Pictures of fitted models, as Display classes in the manner of scikit-learn's."""

from ._elbow import ElbowDisplay
from ._kmeans import KMeansDisplay
from ._margin import MarginDisplay
from ._neighbors import NeighborsDisplay
from ._search import SearchDisplay
from ._spectral import SpectralDisplay

__all__ = [
    "ElbowDisplay",
    "KMeansDisplay",
    "MarginDisplay",
    "NeighborsDisplay",
    "SearchDisplay",
    "SpectralDisplay",
]
