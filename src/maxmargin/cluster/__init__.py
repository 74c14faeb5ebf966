"""Clusters: k-means that has come to rest, its choice of K, and normalised cuts with the distance from the best one."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._elbow import Elbow, elbow
from ._kmeans import KMeans
from ._spectral import SpectralClustering

__all__ = ["Elbow", "KMeans", "SpectralClustering", "elbow"]
