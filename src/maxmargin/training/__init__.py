"""From a table to a tuned, proven model: the call behind ``maxmargin train``."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._check import Checked, Divided, check, divide
from ._errors import TrainingError, TrainingInterrupted
from ._evaluate import Evaluation, evaluate
from ._events import Candidate, Event, Fitting, Judged, Stage
from ._families import FAMILIES
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
