"""Kernel machines of many rows: approximate solutions that bound the exact optimum, and starts for exact ones."""

from ._approximation import Approximation, one_side
from ._choose_landmarks import ChosenRows, choose_rows
from ._memory import bytes_of, most_landmarks
from ._partition import make_cells
from ._time_limit import TimeLimit
from .cells import best_scale, cell_size, solve_in_cells
from .landmarks import OVERFLOW, solve_on_landmarks
from .near_rows import solve_near_rows

__all__ = [
    "OVERFLOW",
    "Approximation",
    "ChosenRows",
    "TimeLimit",
    "best_scale",
    "bytes_of",
    "cell_size",
    "choose_rows",
    "make_cells",
    "most_landmarks",
    "one_side",
    "solve_in_cells",
    "solve_near_rows",
    "solve_on_landmarks",
]
