"""From a table to a tuned, proven model: the call behind ``maxmargin train``."""

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what the tool and the report build on.
from ._account import usable_account as usable_account
from ._check import Checked, Divided, check, divide
from ._errors import TrainingError, TrainingInterrupted
from ._evaluate import Evaluation, evaluate
from ._events import Candidate, Event, Fitting, Judged, Stage
from ._families import FAMILIES
from ._provenance import certificate_account as certificate_account
from ._scores import classification_scores as classification_scores, regression_scores as regression_scores
from ._split import make_split as make_split
from ._table import open_table as open_table
from ._target import read_target as read_target
from ._train import train
from ._training import FamilyResult, Score, Split, Training

__all__ = [
    "FAMILIES",
    "Candidate",
    "Checked",
    "Divided",
    "Evaluation",
    "Event",
    "FamilyResult",
    "Fitting",
    "Judged",
    "Score",
    "Split",
    "Stage",
    "Training",
    "TrainingError",
    "TrainingInterrupted",
    "check",
    "divide",
    "evaluate",
    "train",
]
