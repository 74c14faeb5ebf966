"""Kernel machines of many rows: approximate solutions that bound the exact optimum, and starts for exact ones."""

from ._approximation import Approximation
from ._choose_landmarks import ChosenRows, choose_rows
from ._memory import bytes_of, most_landmarks
from ._partition import make_cells
from ._time_limit import TimeLimit
from .cells import solve_in_cells
from .landmarks import OVERFLOW, solve_on_landmarks

__all__ = [
    "OVERFLOW",
    "Approximation",
    "ChosenRows",
    "TimeLimit",
    "bytes_of",
    "choose_rows",
    "make_cells",
    "most_landmarks",
    "solve_in_cells",
    "solve_on_landmarks",
]
