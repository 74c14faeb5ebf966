"""Normalised cuts: similarity graphs, their eigenvectors, cuts along them, and how far from the best they can be."""

from ._cuts import prefix_ncuts
from ._image_graph import image_graph
from ._spectral import SpectralClustering

__all__ = ["SpectralClustering", "image_graph", "prefix_ncuts"]
