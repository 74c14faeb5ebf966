"""Why: what a fitted model has learned, and why it says what it says of one row."""

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what the report builds on.
from ._columns import Column as Column, UnknownStepError as UnknownStepError, columns_after as columns_after
from ._explain import explain_model, explain_row
from ._results import Flip, ModelExplanation, RowExplanation, Table

__all__ = ["Flip", "ModelExplanation", "RowExplanation", "Table", "explain_model", "explain_row"]
