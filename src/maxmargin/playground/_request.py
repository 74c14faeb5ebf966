"""What the page asks, checked before anything is done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..messages import Argument, InputError
from ._methods import CLASSES, CURVE, Method, find_method

MOST_POINTS, MOST_CLASSES, MOST_CELLS, LARGEST = 5000, 6, 256, 1e9
MOST_TEXT = 1_000_000


class LimitError(InputError):
    """More was asked for than the playground does."""


@dataclass(frozen=True, eq=False)
class Question:
    """Points, and the model that is asked for."""

    method: Method
    values: dict[str, Any]
    X: np.ndarray
    y: np.ndarray | None
    points: np.ndarray
    view: tuple[float, float, float, float]
    cells: tuple[int, int]
    step: int | None = None

    @property
    def keywords(self) -> dict[str, Any]:
        """Those of the estimator."""
        return self.keywords_at(self.step)

    def keywords_at(self, step: int | None) -> dict[str, Any]:
        """Those of the estimator at a step; solvers that take steps may differ with the number of classes."""
        classes = 2 if self.y is None or self.method.task != CLASSES else len(np.unique(self.y))
        return self.method.keywords({**self.values, "classes": classes}, step)


def read_question(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Question:
    """The question of a message."""
    method = find_method(header.get("method"))
    said = header.get("params", {})
    if not isinstance(said, dict):
        raise InputError(Argument("params"), " has to be an object.")
    points, label = _points(arrays, method)
    X, y = points, None
    if method.task == CLASSES:
        y = label
    elif method.task == CURVE:
        X, y = np.ascontiguousarray(points[:, :1]), np.ascontiguousarray(points[:, 1])  # as a program has them
    return Question(
        method, method.values(said), X, y, points, _view(header.get("view")), _cells(header.get("cells", [96, 96])),
        whole(header, "step", 1, 10_000_000) if header.get("step") is not None else None,
    )  # fmt: skip


def whole(header: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """A whole number of the header."""
    value = header.get(name)
    if type(value) is not int or not low <= value <= high:
        raise InputError(Argument(name, str(value)[:40]), f" has to be a whole number from {low} to {high}.")
    return value


def _points(arrays: Mapping[str, np.ndarray], method: Method) -> tuple[np.ndarray, np.ndarray]:
    points, label = arrays.get("points"), arrays.get("labels")
    if points is None or points.dtype != np.float64 or points.ndim != 2 or points.shape[1] != 2:
        raise InputError(Argument("points"), " has to be an array of float64 with two columns.")
    if label is None or label.dtype != np.uint8 or label.shape != points.shape[:1]:
        raise InputError(Argument("labels"), " has to be an array of bytes, one a point.")
    most = min(MOST_POINTS, method.most_points)
    if len(points) > most:
        raise LimitError(f"There are {len(points):,} points; {method.title} takes up to {most:,} here.")
    if not np.isfinite(points).all():
        raise InputError(Argument("points"), " has coordinates that are not finite numbers.")
    if len(points) and np.abs(points).max() > LARGEST:
        raise LimitError(f"Coordinates go up to {LARGEST:,.0f} here: rescale the columns first.")
    if len(label) and label.max() >= MOST_CLASSES:
        raise LimitError(f"There are up to {MOST_CLASSES} classes here.")
    return points, label


def _view(said: Any) -> tuple[float, float, float, float]:
    if (
        not isinstance(said, list)
        or len(said) != 4
        or any(isinstance(v, bool) or not isinstance(v, (int, float)) or not abs(v) <= 100 * LARGEST for v in said)
        or not (said[0] < said[1] and said[2] < said[3])
    ):
        raise InputError(Argument("view"), " has to be four numbers: left < right, bottom < top.")
    left, right, bottom, top = (float(v) for v in said)
    return left, right, bottom, top


def _cells(said: Any) -> tuple[int, int]:
    if not isinstance(said, list) or len(said) != 2 or any(type(v) is not int for v in said):
        raise InputError(Argument("cells"), " has to be two whole numbers.")
    if not all(2 <= v <= MOST_CELLS for v in said):
        raise LimitError(f"A grid has from 2 to {MOST_CELLS} cells a side.")
    return said[0], said[1]
