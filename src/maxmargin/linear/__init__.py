"""The machinery of linear models, below the rooms that users import them from."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._classifier import LinearClassifierMachine, Training
from ._machine import LinearMachine, Part
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
    "chunk_of",
    "end_streams",
    "solve_path",
]
