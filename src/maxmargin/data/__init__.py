"""Rows of data: one accessor for dense and CSR, float32 and float64."""

from ._rows import Rows, row_products

__all__ = ["Rows", "row_products"]
