"""Pictures of clusterings: k-means, its elbow, normalised cuts."""

from ._elbow import ElbowDisplay
from ._kmeans import KMeansDisplay
from ._spectral import SpectralDisplay

__all__ = ["ElbowDisplay", "KMeansDisplay", "SpectralDisplay"]
