"""What is proven of a k-means clustering: that both of Lloyd's steps leave it as it is.

Recomputed in float64 from rows, centres and labels alone, all rows against all centres and apart from the bounds
that found them. Three things are asked:

- would a point rather belong to another centre, by more than rounding in the precision of the rows?
- does a centre move to the mean of its points, by more than rounding (or, where the fit was told to end earlier by a
  tolerance, do the moves exceed it)?
- did the inertia rise in any step?
"""

from __future__ import annotations

from threading import Event
from typing import Any

import numpy as np

from ...certificates import Guarantee, Status, rounded_up
from ...engine import run_parallel
from ._fixed_point_pass import look_pass
from ._points import Points, by_columns, panels_of

_NAME = "fixed point of both steps"


def fixed_point(
    X: Any,
    weights: np.ndarray,
    centres: np.ndarray,
    labels: np.ndarray,
    tol: float,
    history: np.ndarray,
    status: Status,
    steps: int,
) -> Guarantee:
    """The guarantee of a fitted model; `tol` as the user gave it, relative to the mean variance of the columns."""
    k, eps = len(centres), float(np.finfo(X.dtype).eps)
    if centres.shape[1] != X.shape[1] or labels.min() < 0 or labels.max() >= k:
        raise ValueError(f"labels_ and cluster_centers_ do not belong to X with {X.shape[1]} columns and {k} clusters.")
    masses = np.bincount(labels, weights=weights, minlength=k)
    # any origin amid the points will do: where the centres are means, this is the mean of all
    points = Points(X, weights, masses @ centres.astype(np.float64) / masses.sum())
    origin = points.origin
    found = _look(points, centres.astype(np.float64) - origin, labels, (8 + 2 * np.sqrt(points.d)) * eps)
    filled = masses > 0
    means = found["sums"][filled] / masses[filled, None] + origin
    moves = np.sqrt(np.square(means - centres[filled]).sum(axis=1))
    # centres are kept in the precision of the rows, whose size counts and not only their spread
    rounding = 64 * eps * (float(np.sqrt(found["largest"])) + float(np.abs(origin).max(initial=0.0)))
    variance = found["variance"]
    move, squares = float(moves.max(initial=0.0)), float(np.square(moves).sum())
    raised = _raised(history, 16 * eps * float(weights.sum()) * found["largest"])
    figures = {
        "inertia": found["inertia"],
        "points that would change": float(found["would_change"]),
        "largest move of a centre": move,
        "rounding": rounding,
        "squared moves/variance": squares / variance if variance > 0 else 0.0,
        "rises of the inertia": float(raised),
        "clusters without points": float(k - len(np.unique(labels))),
    }
    exact = move <= rounding and not found["would_change"]
    near = squares <= tol * variance and not found["would_change"]
    return Guarantee(_NAME, figures, _words(figures, exact, near, tol), (exact or near) and not raised, status, steps)


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


def _look(points: Points, centres: np.ndarray, labels: np.ndarray, slack: float) -> dict[str, Any]:
    """Inertia, sums of the clusters, and the points that would change, by tiles of rows on all threads."""
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

    inertia, would_change, square, largest, sums = _total(run_parallel(strip, points.strips, on_error=stop.set))
    mass, total = points.weights.sum(), sums.sum(axis=0)
    return {
        "inertia": inertia,
        "would_change": would_change,
        "largest": largest,
        "sums": sums,
        "variance": max(square / mass - float(np.square(total / mass).sum()), 0.0) / points.d,
    }


def _total(parts: list[tuple]) -> tuple:
    columns = list(zip(*parts, strict=True))
    return tuple(max(column) if c == 3 else sum(column) for c, column in enumerate(columns))
