"""Files to tables, tables to numbers."""

# Beside what users import (`__all__`), what training and model files build on.
from ._column_reader import ColumnReader, UnseenValuesWarning
from ._dates import FORMS as FORMS, MIXED as MIXED, python_instant as python_instant
from ._describe import ColumnSummary, Fingerprint, TableSummary, describe_table, fingerprint
from ._errors import TableError, TableLimitError, absent as absent
from ._frame import (
    Column as Column,
    SparseTable,
    columns_of as columns_of,
    frame_of as frame_of,
    is_frame as is_frame,
    named as named,
)
from ._plan import (
    KINDS as KINDS,
    ColumnPlan,
    form_of_dates as form_of_dates,
    named_as_identifier as named_as_identifier,
    names_out as names_out,
)
from ._preparation import (
    decided_reader as decided_reader,
    feature_names,
    make_encoder as make_encoder,
    make_preparation,
)
from ._quantities import QUANTITIES as QUANTITIES
from ._read import read_table, scan_table, scan_written as scan_written
from ._types import MISSING
from ._words import DenseRows

__all__ = [
    "MISSING",
    "ColumnPlan",
    "ColumnReader",
    "ColumnSummary",
    "DenseRows",
    "Fingerprint",
    "SparseTable",
    "TableError",
    "TableLimitError",
    "TableSummary",
    "UnseenValuesWarning",
    "describe_table",
    "feature_names",
    "fingerprint",
    "make_preparation",
    "read_table",
    "scan_table",
]
