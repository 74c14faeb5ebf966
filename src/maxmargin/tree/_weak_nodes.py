"""Weak learners h(v, theta) in the nodes of trees: thresholds on columns, on directions, and on the sizes of boxes.

A node asks whether g_theta(v) <= t. What g is says the kind of the learner:

    axis      g(v) = v_j                              theta = (j, t)
    oblique   g(v) = sum_j w_j v_j                    theta = (w, t), a half-space
    box       g(v) = max_j |v_j - c_j| / s_j          theta = (c, s, t), a box around c with half-widths t s

The directions w, centres c and widths s are drawn once, from the training rows: w is the difference of two rows of
different targets in a few columns, c is a row and s the spread of some columns, times a number near 1. The values g are
columns beside those of X, and a tree over all of them chooses at each node, among the candidates that it looks at, the
learner with the largest gain Q(S) - sum_t |S_t|/|S| Q(S_t). So growing, proof and pruning are those of any other tree,
and one with `node="axis"` knows nothing of this file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_TOO_LARGE = "rows are too large for half-spaces and boxes: their values overflow. Scale the columns."
_TRIES = 20  # draws of a second row with another target


@dataclass(frozen=True)
class WeakLearners:
    """The drawn parameters of half-spaces and boxes; one of the two kinds is empty.

    Attributes
    ----------
    normals : ndarray of shape (n_oblique, d)
        Directions w, zero in columns that play no part.
    centres, widths : ndarray of shape (n_boxes, d)
        Of boxes; the width of a column that plays no part is infinite.
    scale : ndarray of shape (d,)
        Standard deviations of the columns, by which the parts of a direction are compared.

    """

    normals: np.ndarray
    centres: np.ndarray
    widths: np.ndarray
    scale: np.ndarray

    @classmethod
    def drawn(cls, kind: str, count: int, X: np.ndarray, target: np.ndarray, seed: int) -> WeakLearners:
        """So many learners of a kind, "oblique" or "box", for these rows, whatever their order and however often."""
        generator, d = np.random.RandomState([seed, 2]), X.shape[1]
        distinct = np.unique(np.column_stack([X, target]).astype(np.float64), axis=0)
        X, target = distinct[:, :-1], distinct[:, -1]
        with np.errstate(over="ignore", invalid="ignore"):
            scale = X.std(axis=0)
        if not np.isfinite(scale).all():
            raise ValueError(_TOO_LARGE)
        scale[scale == 0] = 1.0
        empty = np.empty((0, d))
        if kind == "oblique":
            normals = np.array([_direction(X, target, scale, generator) for _ in range(count)])
            return cls(normals.reshape(count, d), empty, empty, scale)
        boxes = [_box(X, scale, generator) for _ in range(count)]
        return cls(empty, np.array([box[0] for box in boxes]), np.array([box[1] for box in boxes]), scale)

    @property
    def count(self) -> int:
        """Columns that a tree sees: those of X and the learners."""
        return len(self.scale) + len(self.normals) + len(self.centres)

    def columns(self, X: np.ndarray) -> np.ndarray:
        """X with g_theta(v) of each learner beside it; each value is the same whatever rows it is computed with."""
        d = len(self.scale)
        out = np.zeros((X.shape[0], self.count))
        out[:, :d] = X
        planes, boxes = out[:, d : d + len(self.normals)], out[:, d + len(self.normals) :]
        with np.errstate(over="ignore", invalid="ignore"):
            for j in range(d):
                x = out[:, j : j + 1]
                planes += x * self.normals[:, j]
                np.maximum(boxes, np.abs(x - self.centres[:, j]) / self.widths[:, j], out=boxes)
        if not np.isfinite(out).all():
            raise ValueError(_TOO_LARGE)
        return out

    def shares(self) -> np.ndarray:
        """How much of a learner belongs to each column of X, in rows that add up to 1."""
        planes = np.abs(self.normals) * self.scale
        boxes = np.isfinite(self.widths).astype(np.float64)
        parts = np.vstack([np.eye(len(self.scale)), planes, boxes])
        return parts / parts.sum(axis=1, keepdims=True)

    def names(self, columns: list[str]) -> list[str]:
        """What the columns are called that a tree sees."""
        planes = [_sum_in_words(w, columns) for w in self.normals]
        boxes = [_box_in_words(c, s, columns) for c, s in zip(self.centres, self.widths, strict=True)]
        return [*columns, *planes, *boxes]


def _some_columns(d: int, least: int, generator: np.random.RandomState) -> np.ndarray:
    least = min(least, d)
    return generator.permutation(d)[: generator.randint(least, d + 1)]


def _direction(X: np.ndarray, target: np.ndarray, scale: np.ndarray, generator: np.random.RandomState) -> np.ndarray:
    """From one row towards another of a different target, in standardised columns, some of them."""
    n, d = X.shape
    first = generator.randint(n)
    second = generator.randint(n)
    for _ in range(_TRIES):
        if target[second] != target[first]:
            break
        second = generator.randint(n)
    chosen = _some_columns(d, 2, generator)
    difference = (X[second] - X[first]) / scale
    w = np.zeros(d)
    w[chosen] = difference[chosen]
    length = np.sqrt((w**2).sum())
    if not 0 < length < np.inf:  # equal rows: any direction is as good
        w[chosen] = generator.standard_normal(len(chosen))
        length = np.sqrt((w**2).sum())
    return w / length / scale


def _box(X: np.ndarray, scale: np.ndarray, generator: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    n, d = X.shape
    centre, widths = X[generator.randint(n)].copy(), np.full(d, np.inf)
    chosen = _some_columns(d, 1, generator)
    widths[chosen] = scale[chosen] * np.exp(generator.uniform(-1.0, 1.0, len(chosen)))
    return centre, widths


def _sum_in_words(w: np.ndarray, columns: list[str]) -> str:
    parts = [f"{'-' if w[j] < 0 else '+'} {abs(w[j]):.3g} {columns[j]}" for j in np.flatnonzero(w)]
    return " ".join(parts).removeprefix("+ ").replace("- ", "-", 1 if w[np.flatnonzero(w)[0]] < 0 else 0)


def _box_in_words(centre: np.ndarray, widths: np.ndarray, columns: list[str]) -> str:
    parts = [f"|{columns[j]} - {centre[j]:.3g}|/{widths[j]:.3g}" for j in np.flatnonzero(np.isfinite(widths))]
    return f"max({', '.join(parts)})" if len(parts) > 1 else parts[0]


def learners_of(model: Any) -> WeakLearners | None:
    """Those of a fitted tree or forest; None where nodes ask about columns alone."""
    return getattr(model, "_learners", None)


def seen_columns(model: Any, X: Any) -> Any:
    """Checked rows as the nodes of a fitted model see them."""
    learners = learners_of(model)
    return X if learners is None else learners.columns(X)
