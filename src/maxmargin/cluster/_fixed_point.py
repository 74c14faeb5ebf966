"""What is proven of a k-means clustering: that both of Lloyd's steps leave it as it is.

Recomputed in float64 from rows, centres and labels alone, by plain blocks and apart from the tiles and bounds that
found them. Three things are asked:

- would a point rather belong to another centre, by more than rounding in the precision of the rows?
- does a centre move to the mean of its points, by more than rounding (or, where the fit was told to end earlier by a
  tolerance, do the moves exceed it)?
- did the inertia rise in any step?
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..certificates import Guarantee, Status
from ..engine import run_parallel, thread_count

_NAME = "fixed point of both steps"
_BLOCK = 2**19  # values of a block


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
    d = X.shape[1]
    k, eps = len(centres), float(np.finfo(X.dtype).eps)
    origin = np.zeros(d) if sp.issparse(X) else X.mean(axis=0, dtype=np.float64)
    found = _look(X, weights, centres.astype(np.float64) - origin, labels, origin, (8 + 2 * np.sqrt(d)) * eps)
    masses = np.bincount(labels, weights=weights, minlength=k)
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
            f"No point would change its cluster, and one more step moves no centre by more than {move:.3g}, within "
            f"tol={tol:g}; tol=0 leads to a fixed point"
        )
    else:
        words = f"Not a fixed point: {change} points would change, a centre would move by {move:.3g}; use tol=0"
    raised = int(figures["rises of the inertia"])
    return words + (f", but {raised} steps raised the inertia." if raised else ".")


def _raised(history: np.ndarray, rounding: float) -> int:
    return int((np.diff(history) > rounding).sum())


def _look(
    X: Any, weights: np.ndarray, centres: np.ndarray, labels: np.ndarray, origin: np.ndarray, slack: float
) -> dict[str, Any]:
    """Inertia, sums of the clusters, and the points that would change, by blocks of rows on all threads."""
    n, d = X.shape
    k, step = len(centres), max(1, _BLOCK // (d + len(centres)))
    lengths = np.einsum("ij,ij->i", centres, centres)

    def block(begin: int) -> tuple[float, int, float, float, np.ndarray]:
        part = slice(begin, min(begin + step, n))
        rows = X[part].toarray() if sp.issparse(X) else X[part]
        rows = rows.astype(np.float64) - origin
        mine, weight = labels[part], weights[part]
        squares = np.einsum("ij,ij->i", rows, rows)
        apart = lengths - 2 * rows @ centres.T  # less the squared length of the row
        own = apart[np.arange(len(rows)), mine]
        error = slack * (np.sqrt(squares) + np.sqrt(lengths.max())) ** 2
        would_change = int((own > apart.min(axis=1) + error).sum())
        inertia = float(weight @ np.maximum(squares + own, 0.0))
        membership = sp.csr_array((weight, mine, np.arange(len(rows) + 1)), shape=(len(rows), k))
        sums = np.asarray(membership.T @ rows)
        return inertia, would_change, float(weight @ squares), float(squares.max()), sums

    threads, parts = thread_count(None), []
    for begin in range(0, n, step * threads):  # a round of blocks at a time: memory stays bounded
        starts = range(begin, min(n, begin + step * threads), step)
        parts += [_total(run_parallel(block, [(start,) for start in starts]))]
    inertia, would_change, square, largest, sums = _total(parts)
    mass, total = weights.sum(), sums.sum(axis=0)
    return {
        "inertia": inertia,
        "would_change": would_change,
        "largest": largest,
        "sums": sums,
        "variance": max(square / mass - float(np.square(total / mass).sum()), 0.0) / d,
    }


def _total(parts: list[tuple]) -> tuple:
    columns = list(zip(*parts, strict=True))
    return tuple(max(column) if c == 3 else sum(column) for c, column in enumerate(columns))
