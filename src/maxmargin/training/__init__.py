"""From a table to a tuned, proven model: the call behind ``maxmargin train``."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ..messages import Candidate, Fitting, Judged, ProgressEvent as Event, Stage

# Beside what users import (`__all__`), what reports and the command line tool build on.
from ._account import (
    certificate_account as certificate_account,
    split_account as split_account,
    usable_account as usable_account,
)
from ._arguments import check_arguments as check_arguments
from ._check import Checked, check, divide
from ._evaluate import (
    Evaluation,
    classification_scores as classification_scores,
    evaluate,
    regression_scores as regression_scores,
)
from ._families import FAMILIES
from ._findings import Finding
from ._order import noticed_time as noticed_time
from ._table import Divided, TrainingTable, open_table, split_again as split_again
from ._target import Target as Target, read_target as read_target
from ._train import train
from ._training import FamilyResult, Score, Split, Training, TrainingError, TrainingInterrupted

__all__ = [
    "FAMILIES",
    "Candidate",
    "Checked",
    "Divided",
    "Evaluation",
    "Event",
    "FamilyResult",
    "Finding",
    "Fitting",
    "Judged",
    "Score",
    "Split",
    "Stage",
    "Training",
    "TrainingError",
    "TrainingInterrupted",
    "TrainingTable",
    "check",
    "divide",
    "evaluate",
    "open_table",
    "train",
]
