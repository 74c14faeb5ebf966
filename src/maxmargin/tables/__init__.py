"""Files to tables, tables to numbers."""

from ._column_reader import ColumnReader
from ._describe import ColumnSummary, TableSummary, describe_table
from ._errors import TableError, TableLimitError
from ._fingerprint import Fingerprint, fingerprint
from ._narrow import MISSING
from ._plan import ColumnPlan
from ._preparation import feature_names, make_preparation
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
