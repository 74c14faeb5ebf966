"""How many landmarks memory has room for."""

from __future__ import annotations

import numpy as np

from ._features import KEPT_ROWS, KEPT_SHARE

# Bytes, as measured: of one feature of a row; of what is kept a variable beside them (p, bounds, residuals, slopes); a
# pair of landmarks (their matrix, its factor and inverse, Newton's matrix and its parts by threads); a landmark (the
# portions of rows that threads work on).
_FEATURE, _VARIABLE, _PAIR, _LANDMARK = 4.0, 150.0, 96.0, 40_000.0


def _of_a_landmark(rows: int) -> float:
    return _FEATURE * (rows + min(rows, max(rows // KEPT_SHARE, KEPT_ROWS))) + _LANDMARK


def bytes_of(landmarks: int, rows: int, variables: int) -> float:
    """Bytes that a machine over so many landmarks takes while it is trained."""
    return _VARIABLE * variables + landmarks * _of_a_landmark(rows) + _PAIR * landmarks**2


def most_landmarks(memory: float, rows: int, variables: int) -> int:
    """The largest number of landmarks that takes so many bytes; 0 if there is room for none."""
    linear, spare = _of_a_landmark(rows), memory - _VARIABLE * variables
    if spare <= 0:
        return 0
    return int(2 * spare / (linear + np.sqrt(linear**2 + 4 * _PAIR * spare)))
