"""Rows of data: one accessor for dense and CSR, float32 and float64."""

from ._rows import ObjectRows, Rows, row_products

__all__ = ["ObjectRows", "Rows", "row_products"]
