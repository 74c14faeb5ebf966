"""Prototypes: the few training rows that one nearest neighbour needs."""

from ._condensed import CondensedNearestNeighbors, prototype_index

__all__ = ["CondensedNearestNeighbors", "prototype_index"]
