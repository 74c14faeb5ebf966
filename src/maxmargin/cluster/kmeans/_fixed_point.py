"""What is proven of a k-means clustering: that both of Lloyd's steps leave it as it is.

Recomputed in float64 from rows, centres and labels alone, all rows against all centres and apart from the bounds
that found them. Three things are asked:

- would a point rather belong to another centre, by more than rounding in the precision of the rows?
- does a centre move to the mean of its points, by more than rounding (or, where the fit was told to end earlier by a
  tolerance, do the moves exceed it)?
- did the inertia rise in any step?
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from ...certificates import Guarantee, Status, rounded_up
from ...engine import run_parallel
from ._fixed_point_pass import look_pass
from ._points import Points, by_columns, panels_of

_NAME = "fixed point of both steps"


@dataclass(frozen=True)
class Look:
    """What rows, their labels and all centres add up to; `largest` is the greatest squared length about the origin."""

    inertia: float
    would_change: int
    square: float
    largest: float
    sums: np.ndarray
    masses: np.ndarray
    counts: np.ndarray

    def __add__(self, other: Look) -> Look:
        """Of the rows of both."""
        return Look(
            self.inertia + other.inertia,
            self.would_change + other.would_change,
            self.square + other.square,
            max(self.largest, other.largest),
            self.sums + other.sums,
            self.masses + other.masses,
            self.counts + other.counts,
        )


@dataclass(frozen=True)
class Course:
    """What a fit says of itself: its tolerance as the user gave it, the inertia by step, how and when it ended."""

    tol: float
    history: np.ndarray
    status: Status
    steps: int


def fixed_point(X: Any, weights: np.ndarray, centres: np.ndarray, labels: np.ndarray, course: Course) -> Guarantee:
    """The guarantee of a fitted model."""
    k = len(centres)
    if centres.shape[1] != X.shape[1] or labels.min() < 0 or labels.max() >= k:
        raise ValueError(f"labels_ and cluster_centers_ do not belong to X with {X.shape[1]} columns and {k} clusters.")
    origin = middle(np.bincount(labels, weights=weights, minlength=k), centres)
    found, origin = look(X, weights, centres, labels, origin)
    return fixed_point_of(found, centres, origin, float(np.finfo(X.dtype).eps), course)


def middle(masses: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """An origin amid the points, any of which will do: where the centres are means, this is the mean of all."""
    return masses @ centres.astype(np.float64) / masses.sum()


def look(
    X: Any, weights: np.ndarray, centres: np.ndarray, labels: np.ndarray, origin: np.ndarray, threads: int | None = None
) -> tuple[Look, np.ndarray]:
    """What these rows add up to, and the origin that it is about: that of CSR rows is 0."""
    points = Points(X, weights, origin, threads=threads)
    slack = (8 + 2 * np.sqrt(points.d)) * float(np.finfo(X.dtype).eps)
    inertia, moved, square, largest, sums = _look(points, centres.astype(np.float64) - points.origin, labels, slack)
    masses, counts = points.masses(labels, len(centres)), np.bincount(labels, minlength=len(centres))
    return Look(inertia, moved, square, largest, sums, masses, counts), points.origin


def fixed_point_of(found: Look, centres: np.ndarray, origin: np.ndarray, eps: float, course: Course) -> Guarantee:
    """The guarantee that follows from the sums over all rows; `eps` is the precision of these."""
    filled, mass, total = found.masses > 0, float(found.masses.sum()), found.sums.sum(axis=0)
    means = found.sums[filled] / found.masses[filled, None] + origin
    moves = np.sqrt(np.square(means - centres[filled]).sum(axis=1))
    # centres are kept in the precision of the rows, whose size counts and not only their spread
    rounding = 64 * eps * (float(np.sqrt(found.largest)) + float(np.abs(origin).max(initial=0.0)))
    variance = max(found.square / mass - float(np.square(total / mass).sum()), 0.0) / centres.shape[1]
    move, squares = float(moves.max(initial=0.0)), float(np.square(moves).sum())
    raised = _raised(course.history, 16 * eps * mass * found.largest)
    figures = {
        "inertia": found.inertia,
        "points that would change": float(found.would_change),
        "largest move of a centre": move,
        "rounding": rounding,
        "squared moves/variance": squares / variance if variance > 0 else 0.0,
        "rises of the inertia": float(raised),
        "clusters without points": float((found.counts == 0).sum()),
    }
    exact = move <= rounding and not found.would_change
    near = squares <= course.tol * variance and not found.would_change
    words, holds = _words(figures, exact, near, course.tol), (exact or near) and not raised
    return Guarantee(_NAME, figures, words, holds, course.status, course.steps)


def nothing_proven(steps: int, inertia: float) -> Guarantee:
    """After mini-batches: no fixed point is claimed."""
    words = (
        f"{steps} mini-batches so far, inertia of the last {inertia:.6g}: each batch moves the centres, and nothing is "
        f"proven of them."
    )
    figures = {"inertia of the last batch": inertia}
    return Guarantee(_NAME, figures, words, False, Status.BUDGET_EXHAUSTED, steps)


def _words(figures: dict[str, float], exact: bool, near: bool, tol: float) -> str:
    change, move = int(figures["points that would change"]), figures["largest move of a centre"]
    if exact:
        words = "No point would change its cluster and no centre moves: a fixed point of both steps"
    elif near:
        words = (
            f"No point would change its cluster, and one more step moves no centre by more than "
            f"{rounded_up(move, 3)}, within tol={tol:g}; tol=0 leads to a fixed point"
        )
    else:
        words = f"Not a fixed point: {change} points would change, a centre would move by {move:.3g}; use tol=0"
    raised = int(figures["rises of the inertia"])
    return words + (f", but {raised} steps raised the inertia." if raised else ".")


def _raised(history: np.ndarray, rounding: float) -> int:
    return int((np.diff(history) > rounding).sum())


def _look(points: Points, centres: np.ndarray, labels: np.ndarray, slack: float) -> tuple:
    """Inertia, points that would change, squares, the largest of these, and sums, by tiles of rows on all threads."""
    panels, lengths = panels_of(centres, np.float64)
    panels = by_columns(panels) if points.rows.sparse else panels
    shared = (points.origin, points.norms, panels, lengths, points.weights, labels, slack)
    stop = Event()

    def strip(begin: int, end: int) -> tuple[float, int, float, float, np.ndarray]:
        sums = np.zeros_like(centres)
        found = [
            look_pass(points.rows.arrays, points.all, a, b, *shared, sums)
            for a, b in points.pieces([(begin, end)], len(centres))
            if not stop.is_set()
        ]
        return (*_total(found), sums)

    return _total(run_parallel(strip, points.strips, on_error=stop.set))


def _total(parts: list[tuple]) -> tuple:
    columns = list(zip(*parts, strict=True))
    return tuple(max(column) if c == 3 else sum(column) for c, column in enumerate(columns))
