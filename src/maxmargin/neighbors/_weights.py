"""How much each neighbour counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def neighbour_weights(weights: str | Callable | None, distances: np.ndarray) -> np.ndarray | None:
    """Weights from distances, nearest first; None where all are equal.

    By inverse distance, a row that is in the training data counts its copies there alone. The weights are relative to
    the nearest one, so that distances of any size can be inverted.
    """
    if callable(weights):
        return _checked(weights(distances.copy()), distances.shape)
    if weights != "distance":
        return None
    nearest = distances.min(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(nearest == 0, distances == 0, nearest / distances)


def _checked(values: Any, shape: tuple[int, ...]) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape:
        raise ValueError(
            f"the function given as weights returned an array of shape {values.shape}; expected the shape of the "
            f"distances, {shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError(
            "the function given as weights returned NaN or infinity (a distance may be 0); return finite weights, or "
            "use weights='distance'."
        )
    if (values < 0).any():
        raise ValueError(
            f"the function given as weights returned negative weights, the smallest {values.min():.3g}: a neighbour "
            f"can count for nothing (0), but not for less."
        )
    if (values == 0).all(axis=1).any():
        raise ValueError(
            "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you "
            "are using a user-defined function: let it be positive for the nearest one at least."
        )
    return values / values.max(axis=1, keepdims=True)  # only ratios matter, and these can be added up


def class_size_weights(
    sizes: np.ndarray, neighbour_labels: np.ndarray, own_labels: np.ndarray | None = None
) -> np.ndarray:
    """One over the number of training rows of each neighbour's class, without the row itself if it has an own label."""
    counts = sizes[neighbour_labels]
    if own_labels is not None:
        counts = counts - (neighbour_labels == own_labels[:, None])
    return 1.0 / counts


def votes(neighbour_labels: np.ndarray, weights: np.ndarray | None, classes: int) -> np.ndarray:
    """Sum of the weights of the neighbours of each class, of shape (rows, classes)."""
    out = np.zeros((len(neighbour_labels), classes))
    every = np.arange(len(out))
    for t in range(neighbour_labels.shape[1]):
        out[every, neighbour_labels[:, t]] += 1.0 if weights is None else weights[:, t]
    return out
