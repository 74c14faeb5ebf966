"""Clusters: k-means that has come to rest, its choice of K, and normalised cuts with the distance from the best one."""

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what pictures are drawn from.
from ._centre_path import centre_path as centre_path
from ._cuts import prefix_ncuts as prefix_ncuts
from ._elbow import Elbow, elbow
from ._kmeans import KMeans
from ._spectral import SpectralClustering

__all__ = ["Elbow", "KMeans", "SpectralClustering", "elbow"]
