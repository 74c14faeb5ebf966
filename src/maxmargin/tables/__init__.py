"""Files to tables, tables to numbers."""

# Beside what users import (`__all__`), what training builds on.
from ._column_reader import ColumnReader
from ._describe import ColumnSummary, TableSummary, describe_table
from ._errors import TableError, TableLimitError, absent as absent
from ._fingerprint import Fingerprint, fingerprint
from ._frame import Column as Column, columns_of as columns_of, is_frame as is_frame, named as named
from ._narrow import MISSING
from ._plan import ColumnPlan
from ._preparation import (
    decided_reader as decided_reader,
    feature_names,
    make_encoder as make_encoder,
    make_preparation,
)
from ._read import read_table, scan_table
from ._sparse_table import SparseTable

__all__ = [
    "MISSING",
    "ColumnPlan",
    "ColumnReader",
    "ColumnSummary",
    "Fingerprint",
    "SparseTable",
    "TableError",
    "TableLimitError",
    "TableSummary",
    "describe_table",
    "feature_names",
    "fingerprint",
    "make_preparation",
    "read_table",
    "scan_table",
]
