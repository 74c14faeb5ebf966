"""Examples to begin with, drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..messages import Argument, InputError

Points = tuple[np.ndarray, np.ndarray]


def _blobs(n: int, rng: np.random.Generator, centres: int = 3) -> Points:
    places = np.array([[-1.6, -1.0], [1.5, -1.2], [0.1, 1.7], [2.4, 1.9], [-2.4, 1.8], [0.1, -2.8]])[:centres]
    label = np.arange(n) % centres
    return places[label] + rng.normal(scale=0.62, size=(n, 2)), label


def _two_blobs(n: int, rng: np.random.Generator) -> Points:
    label = np.arange(n) % 2
    return np.array([[-1.5, -0.8], [1.5, 0.8]])[label] + rng.normal(scale=0.55, size=(n, 2)), label


def _moons(n: int, rng: np.random.Generator) -> Points:
    label = np.arange(n) % 2
    angle = rng.uniform(0, np.pi, n)
    x = np.where(label == 0, np.cos(angle), 1 - np.cos(angle))
    y = np.where(label == 0, np.sin(angle), 0.5 - np.sin(angle))
    return 1.5 * (np.column_stack([x - 0.5, y - 0.25]) + rng.normal(scale=0.16, size=(n, 2))), label


def _circles(n: int, rng: np.random.Generator) -> Points:
    label = np.arange(n) % 2
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(label == 0, 2.1, 0.9)
    circle = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return circle + rng.normal(scale=0.2, size=(n, 2)), label


def _rings(n: int, rng: np.random.Generator) -> Points:
    label = np.arange(n) % 3 == 0  # as dense within as without
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(label, 0.8, 2.2)
    ring = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return ring + rng.normal(scale=0.1, size=(n, 2)), label.astype(int)


def _xor(n: int, rng: np.random.Generator) -> Points:
    corner = np.arange(n) % 4
    places = 1.3 * np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]])
    return places[corner] + rng.normal(scale=0.5, size=(n, 2)), corner // 2


def _spiral(n: int, rng: np.random.Generator) -> Points:
    label = np.arange(n) % 2
    turn = np.sqrt(rng.uniform(0.02, 1, n))
    angle = 2.6 * np.pi * turn * 0.85 + np.pi * label
    arms = 2.6 * turn[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return arms + rng.normal(scale=0.07, size=(n, 2)), label


def _unbalanced(n: int, rng: np.random.Generator) -> Points:
    label = (np.arange(n) % 10 == 0).astype(int)
    spread = np.where(label == 0, 0.9, 0.45)[:, None]
    return np.array([[-0.6, -0.3], [1.7, 0.9]])[label] + spread * rng.normal(size=(n, 2)), label


def _outlier(n: int, rng: np.random.Generator) -> Points:
    points, label = _two_blobs(max(n, 3), rng)
    points[0], label[0] = [1.1, 0.2], 0
    return points, label


def _iris(n: int, rng: np.random.Generator) -> Points:
    from sklearn.datasets import load_iris

    data = load_iris()
    return np.ascontiguousarray(data.data[:, 2:4], dtype=np.float64), data.target


def _sine(n: int, rng: np.random.Generator) -> Points:
    x = np.sort(rng.uniform(-3, 3, n))
    return np.column_stack([x, 1.4 * np.sin(1.6 * x) + rng.normal(scale=0.2, size=n)]), np.zeros(n, dtype=int)


def _step(n: int, rng: np.random.Generator) -> Points:
    x = np.sort(rng.uniform(-3, 3, n))
    return np.column_stack([x, np.where(x > 0.4, 1.2, -1.0) + rng.normal(scale=0.18, size=n)]), np.zeros(n, dtype=int)


def _line(n: int, rng: np.random.Generator) -> Points:
    x = np.sort(rng.uniform(-3, 3, n))
    return np.column_stack([x, 0.55 * x + rng.normal(scale=0.3, size=n)]), np.zeros(n, dtype=int)


def _curve_outliers(n: int, rng: np.random.Generator) -> Points:
    points, label = _line(max(n, 8), rng)
    points[[len(points) // 3, len(points) // 2], 1] += [2.4, -2.2]
    return points, label


# By name: how it is called, for which tasks, how many points, and the points.
PRESETS: dict[str, tuple[str, tuple[str, ...], int, Callable[[int, np.random.Generator], Points]]] = {
    "two": ("two groups", ("classes", "clusters"), 40, _two_blobs),
    "blobs": ("blobs", ("classes", "clusters"), 90, _blobs),
    "moons": ("moons", ("classes", "clusters"), 100, _moons),
    "circles": ("circles", ("classes", "clusters"), 100, _circles),
    "rings": ("two rings", ("classes", "clusters"), 150, _rings),
    "xor": ("xor", ("classes", "clusters"), 80, _xor),
    "spiral": ("spiral", ("classes", "clusters"), 120, _spiral),
    "unbalanced": ("unbalanced", ("classes",), 100, _unbalanced),
    "outlier": ("an outlier", ("classes",), 40, _outlier),
    "iris": ("iris petals", ("classes", "clusters"), 150, _iris),
    "sine": ("a wave", ("curve",), 50, _sine),
    "step": ("a step", ("curve",), 50, _step),
    "line": ("a line", ("curve",), 40, _line),
    "outliers": ("a line with outliers", ("curve",), 40, _curve_outliers),
}


FIRST = "moons"  # what a page begins with


def draw(name: object, n: int | None = None, seed: int = 0) -> Points:
    """The points of an example, with three digits behind the point, and their classes."""
    if not isinstance(name, str) or name not in PRESETS:
        raise InputError(Argument("preset", str(name)[:40]), f" is unknown: one of {', '.join(PRESETS)} is possible.")
    _, _, usual, make = PRESETS[name]
    points, label = make(usual if n is None else n, np.random.default_rng(seed))
    return np.round(points, 3), label.astype(np.uint8)
