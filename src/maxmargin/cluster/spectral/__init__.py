"""Normalised cuts: similarity graphs, their eigenvectors, cuts along them, and how far from the best they can be."""

from ._cuts import prefix_ncuts
from ._spectral import SpectralClustering

__all__ = ["SpectralClustering", "prefix_ncuts"]
