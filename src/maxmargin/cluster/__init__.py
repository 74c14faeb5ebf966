"""Clusters: k-means that has come to rest, its choice of K, and normalised cuts with the distance from the best one."""

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what pictures are drawn from.
from .kmeans import Elbow, KMeans, centre_path as centre_path, elbow
from .spectral import SpectralClustering, image_graph, prefix_ncuts as prefix_ncuts

__all__ = ["Elbow", "KMeans", "SpectralClustering", "elbow", "image_graph"]
