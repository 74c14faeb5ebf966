"""Pictures of votes of nearest neighbours."""

from ._neighbors import NeighborsDisplay

__all__ = ["NeighborsDisplay"]
