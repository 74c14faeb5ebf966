"""Functions on the grid of a picture that are zero on the borders between the regions of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from .._features import table_of
from .._plane import Plane

_SMOOTH = 0.8  # steps of the grid
_VALUES_A_BLOCK = 2**22  # distances that are looked at together (32 MB)


def vote_borders(winner: np.ndarray, count: int) -> np.ndarray:
    """Votes change by steps: the borders are those of the grid, smoothed by less than one of its steps."""
    return np.stack([gaussian_filter((winner == k).astype(np.float64), _SMOOTH) - 0.5 for k in range(count)], axis=-1)


def nearest_borders(model: Any, plane: Plane, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """By how much the nearest prototype of each class is nearer than that of all others, in squared distances.

    Differences of squared distances are linear in the plane, so that contours of them are straight where borders are.
    """
    prototypes = table_of(model.prototypes_)
    flat, squares = plane.project(prototypes), plane.squares(prototypes)
    number = np.searchsorted(model.classes_, model.prototype_labels_)
    groups = [np.flatnonzero(number == k) for k in range(len(model.classes_))]
    grid = np.stack(np.meshgrid(a, b), axis=-1).reshape(-1, 2)
    step = max(1, _VALUES_A_BLOCK // len(flat))
    parts = []
    for begin in range(0, len(grid), step):
        apart = squares - 2 * grid[begin : begin + step] @ flat.T  # less the squared length of the point of the grid
        nearest = np.column_stack([apart[:, group].min(axis=1, initial=np.inf) for group in groups])
        first, second = np.sort(nearest, axis=1)[:, [0, min(1, len(groups) - 1)]].T[:, :, None]
        parts.append(np.where(nearest == first, second, first) - nearest)
    return np.concatenate(parts).reshape(len(b), len(a), len(groups))
