"""The machinery of linear models, below the rooms that users import them from."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._classifier import LinearClassifierMachine, Training
from ._crammer_singer import evaluate_all_classes, solve_all_classes
from ._hard_margin import evaluate_street, solve_widest_street
from ._machine import LinearMachine, Part, certificate_of
from ._path import LinearPath, solve_path
from ._search import LinearSearch
from ._stream import advance_streams, chunk_of, end_streams

__all__ = [
    "LinearClassifierMachine",
    "LinearMachine",
    "LinearPath",
    "LinearSearch",
    "Part",
    "Training",
    "advance_streams",
    "certificate_of",
    "chunk_of",
    "end_streams",
    "evaluate_all_classes",
    "evaluate_street",
    "solve_all_classes",
    "solve_path",
    "solve_widest_street",
]
