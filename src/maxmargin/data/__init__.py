"""Rows of data: one accessor for dense and CSR, float32 and float64."""

from ._blame import naming_columns, refusing_overflow
from ._class_passes import decisions_pass, row_adds, row_dots, sums_pass
from ._exact import inexact_entry, inexact_value
from ._magnitude_passes import (
    compensated_sums,
    exact_sums,
    product_depth,
    product_magnitudes,
    sum_depth,
    sum_magnitudes,
)
from ._passes import (
    columns_gram_pass,
    decision_pass,
    gram_pass,
    packing_room,
    row_add,
    row_dot,
    row_square,
    square_pass,
    sum_pass,
    tile_dot,
    tile_gram,
    tile_of,
    tile_room,
    tile_sum,
)
from ._products import weighted_sums
from ._rows import ObjectRows, Rows, row_differences, row_products
from ._sparse import canonical, csr_rows
from ._storage import by_storage, is_dense
from ._validation import check_array, check_X_y, validate_data

__all__ = [
    "ObjectRows",
    "Rows",
    "by_storage",
    "canonical",
    "check_X_y",
    "check_array",
    "columns_gram_pass",
    "compensated_sums",
    "exact_sums",
    "csr_rows",
    "decision_pass",
    "decisions_pass",
    "gram_pass",
    "inexact_entry",
    "inexact_value",
    "is_dense",
    "naming_columns",
    "packing_room",
    "product_depth",
    "product_magnitudes",
    "refusing_overflow",
    "row_add",
    "row_adds",
    "row_dot",
    "row_differences",
    "row_dots",
    "row_products",
    "row_square",
    "square_pass",
    "sum_depth",
    "sum_magnitudes",
    "sum_pass",
    "sums_pass",
    "tile_dot",
    "tile_gram",
    "tile_of",
    "tile_room",
    "tile_sum",
    "validate_data",
    "weighted_sums",
]
