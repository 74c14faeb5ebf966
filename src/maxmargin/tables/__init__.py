"""Files to tables, tables to numbers."""

from ._column_reader import ColumnReader
from ._describe import ColumnSummary, TableSummary, describe_table
from ._errors import TableError, TableLimitError, absent
from ._fingerprint import Fingerprint, fingerprint
from ._frame import Column, columns_of, is_frame, named
from ._narrow import MISSING
from ._plan import ColumnPlan
from ._preparation import feature_names, make_preparation
from ._read import read_table, scan_table
from ._sparse_table import SparseTable

__all__ = [
    "MISSING",
    "Column",
    "ColumnPlan",
    "ColumnReader",
    "ColumnSummary",
    "Fingerprint",
    "SparseTable",
    "TableError",
    "TableLimitError",
    "TableSummary",
    "absent",
    "columns_of",
    "describe_table",
    "feature_names",
    "fingerprint",
    "is_frame",
    "make_preparation",
    "named",
    "read_table",
    "scan_table",
]
