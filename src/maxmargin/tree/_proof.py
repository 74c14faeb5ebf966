"""What can be proven of a tree: that its nodes hold what they claim, and that its splits gain what they claim.

Every training row is sent to its leaf by the thresholds, on the raw values; the contents of the leaves are added up
towards the root, and impurities and gains computed from them in float64. The grower and its bins take no part.

    sum of the gains over all splits, each times its share of the rows  =  Q(root) - sum over leaves of |S_t|/|S| Q(S_t)

A tree is grown greedily: each split is the best one of its node among the columns looked at, and nothing is proven
about the tree as a whole (the best tree is NP-hard to find), nor about its error on new rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certificates import Guarantee, Status
from ._tree import Tree

# What gains and contents may differ by from those of the model, relative to the impurity of the root.
_AGREES = 1e-9


def impurities(sums: np.ndarray, mass: np.ndarray, criterion: str) -> np.ndarray:
    """Gini index, entropy in bits or variance of nodes.

    `sums` are the weights of the classes, or sum s y and sum s y^2 about the mean of all rows; `mass` is sum s.
    """
    if criterion == "squared_error":
        return np.maximum(sums[:, 1] / mass - (sums[:, 0] / mass) ** 2, 0.0)
    shares = sums / mass[:, None]
    if criterion == "gini":
        return 1.0 - np.einsum("ij,ij->i", shares, shares)
    return -np.where(shares > 0, shares * np.log2(np.where(shares > 0, shares, 1.0)), 0.0).sum(axis=1)


def node_sums(tree: Tree, leaves: np.ndarray, target: np.ndarray, weight: np.ndarray, classes: int) -> np.ndarray:
    """Sums over the rows of every node (see `impurities`), and in the last column their weight."""
    m = tree.node_count
    if classes:
        flat = np.bincount(leaves * classes + target, weight, minlength=m * classes)
        parts = [flat.reshape(m, classes)]
    else:
        centred = target - np.average(target, weights=weight)
        parts = [np.bincount(leaves, weight * centred**power, minlength=m)[:, None] for power in (1, 2)]
    sums = np.hstack([*parts, np.bincount(leaves, weight, minlength=m)[:, None]])
    order = np.argsort(tree.depths, kind="stable")[::-1]
    levels = np.flatnonzero(np.diff(tree.depths[order])) + 1
    for level in np.split(order, levels):
        inner = level[tree.children_left[level] >= 0]
        left = tree.children_left[inner]
        sums[inner] = sums[left] + sums[left + 1]
    return sums


def tree_guarantee(
    tree: Tree, X: np.ndarray, target: Any, weight: np.ndarray, criterion: str, classes: int
) -> Guarantee:
    """The recomputed gains and contents beside those of the model."""
    sums = node_sums(tree, tree.apply(X), target, weight, classes)
    sums, mass = sums[:, :-1], sums[:, -1]
    empty = mass <= 0
    mass = np.where(empty, 1.0, mass)
    impurity = impurities(sums, mass, criterion)
    left = tree.children_left
    inner = np.flatnonzero(left >= 0)
    amount = mass * impurity
    gains = (amount[inner] - amount[left[inner]] - amount[left[inner] + 1]) / mass[0]
    leaf_impurity = float(amount[left < 0].sum() / mass[0])
    size = max(float(impurity[0]), np.finfo(np.float64).tiny)
    off_gain = np.abs(gains - tree.gains()[inner] / tree.weighted_n_node_samples[0]).max(initial=0.0) / size
    if classes:
        off_value = float(np.abs(sums / mass[:, None] - tree.value[:, 0]).max())
    else:
        means = sums[:, 0] / mass + np.average(target, weights=weight)
        off_value = float(np.abs(means - tree.value[:, 0, 0]).max() / max(np.abs(target).max(), np.finfo(float).tiny))
    identity = abs(float(impurity[0]) - leaf_impurity - float(gains.sum())) / size
    agrees = _AGREES
    rounding = 64 * float(np.finfo(np.float64).eps)
    if classes:  # an impurity near zero is a difference of numbers near one
        agrees += rounding / size
    else:  # squares about the mean know targets far from it only to their own rounding
        agrees += rounding * float(np.abs(target).max()) / np.sqrt(size)
    holds = not empty.any() and max(float(off_gain), off_value, identity) <= min(agrees, 1e-3)
    figures = {
        "splits": float(len(inner)),
        "root impurity": float(impurity[0]),
        "leaf impurity": leaf_impurity,
        "sum of gains": float(gains.sum()),
        "smallest gain": float(gains.min(initial=np.inf)) if len(inner) else 0.0,
        "deviation of gains": float(off_gain),
        "deviation of values": off_value,
    }
    words = (
        f"the training rows, sent through the tree again, {'show' if holds else 'do not show'} the gain claimed for "
        f"each of {len(inner)} splits and the contents claimed for each node; the gains take the impurity from "
        f"{impurity[0]:.4g} to {leaf_impurity:.4g}. Each split is greedy: nothing is claimed about the best tree, nor "
        "about the error on new rows."
    )
    return Guarantee(
        "gain of each split", figures, words, holds, Status.CONVERGED if holds else Status.STALLED, len(inner)
    )
