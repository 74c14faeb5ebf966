"""The machinery of linear models, below the rooms that users import them from."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._advice import advice
from ._cases import checked_training, classifier_cases, regressor_cases
from ._classifier import LinearClassifierMachine
from ._fit import fit_classifier
from ._formulation import LinearFormulation, refuse_intercept_scaling
from ._machine import LinearMachine
from ._model import check_finite, keep, keep_parts
from ._path import LinearPath, solve_path
from ._search import LinearSearch
from ._solve import Part, Tasks
from ._stream import advance_streams, chunk_of
from ._training import Training, training_of, training_rows
from ._verify import verify

__all__ = [
    "LinearClassifierMachine",
    "LinearFormulation",
    "LinearMachine",
    "LinearPath",
    "LinearSearch",
    "Part",
    "Tasks",
    "Training",
    "advance_streams",
    "advice",
    "check_finite",
    "checked_training",
    "chunk_of",
    "classifier_cases",
    "fit_classifier",
    "keep",
    "keep_parts",
    "refuse_intercept_scaling",
    "regressor_cases",
    "solve_path",
    "training_of",
    "training_rows",
    "verify",
]
