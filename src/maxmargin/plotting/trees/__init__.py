"""Drawings of decision trees."""

from ._tree import TreeDisplay

__all__ = ["TreeDisplay"]
