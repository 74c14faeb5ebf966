"""What each column adds to the sums of the trees for a row.

A row is given the value of its leaf. Along its way the mean value of the training rows below a node changes at every
split; the changes, added up by the column that was asked for, are what the columns contribute. They and the mean of all
training rows add up to the sum of the trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._series import Series


def row_contributions(model: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The sums of the mean training row, of shape (trees of a round,), and what each column adds for the first row.

    Parameters
    ----------
    model : GradientBoosting
        Fitted.
    X : array-like or data frame
        A row, in the form that the model was fitted on.

    """
    seen = model._checked_rows(X, reset=False)[:1]
    series, K = model._series, model._loss.trees
    means, above = _node_means(series)
    start, parts = np.array(model._baseline, dtype=np.float64), np.zeros((K, seen.shape[1]))
    roots = series.first[:-1]
    np.add.at(start, np.arange(len(roots)) % K, means[roots])
    here = series.leaves(seen, series.step_for(seen))[:, 0].astype(np.int64)
    tree = np.arange(len(here)) % K
    while True:
        inner = above[here] >= 0
        if not inner.any():
            return start, parts
        here, tree = here[inner], tree[inner]
        up = above[here]
        np.add.at(parts, (tree, series.feature[up]), means[here] - means[up])
        here = up


def _node_means(series: Series) -> tuple[np.ndarray, np.ndarray]:
    """Of each node the mean value of the training rows below it, and the node above it (-1 for roots)."""
    means, above = series.value.astype(np.float64), np.full(len(series.left), -1, dtype=np.int64)
    level, levels = np.asarray(series.first[:-1], dtype=np.int64), []
    while len(level):
        inner = level[series.left[level] >= 0]
        left = series.left[inner].astype(np.int64)
        above[left], above[left + 1] = inner, inner
        levels.append(inner)
        level = np.concatenate([left, left + 1])
    for inner in reversed(levels):
        left = series.left[inner].astype(np.int64)
        a, b = series.count[left].astype(np.float64), series.count[left + 1].astype(np.float64)
        means[inner] = (a * means[left] + b * means[left + 1]) / np.maximum(a + b, 1.0)
    return means, above
