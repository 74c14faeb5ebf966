"""Exact search for nearest neighbours: tiles of inner products, images that prune pairs, a tree for few features."""

from ._distances import distances_of_pairs, squared_distance
from ._heap import EMPTY, empty_heaps, offer
from ._index import Index, OtherMetricIndex, TileIndex, TreeIndex, choose_algorithm
from ._tiles import Columns, Search
from ._undefined import UndefinedDistanceError

__all__ = [
    "UndefinedDistanceError",
    "EMPTY",
    "Columns",
    "Index",
    "OtherMetricIndex",
    "Search",
    "TileIndex",
    "TreeIndex",
    "choose_algorithm",
    "distances_of_pairs",
    "empty_heaps",
    "offer",
    "squared_distance",
]
