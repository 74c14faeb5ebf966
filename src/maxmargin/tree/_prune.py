"""Cost-complexity pruning: which subtrees are worth their leaves.

For a price alpha of a leaf, the cost of a tree is  R(T) + alpha |leaves(T)|,  R the impurity of its leaves weighted by
their shares of the rows. A subtree below t is worth it up to

    alpha_t = (R(t) - R(T_t)) / (|leaves(T_t)| - 1)

Cutting again and again the subtree of the smallest alpha_t gives the smallest best tree of every price, one inside the
other (Breiman et al. 1984, theorem 3.10).
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from ._tree import Tree


def weakest_links(tree: Tree) -> tuple[list[float], list[float], list[int]]:
    """Prices in ascending order, the impurity of the leaves once it is paid, and the node cut at each.

    A heap holds the links; entries of nodes that were cut or whose value has changed are passed over.
    """
    cost = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    left, parent = tree.children_left, tree.parents
    leaf = left < 0
    below, leaves = np.where(leaf, cost, 0.0), leaf.astype(np.int64)
    for node in range(tree.node_count - 1, 0, -1):  # children come after their parents
        below[parent[node]] += below[node]
        leaves[parent[node]] += leaves[node]
    gone = leaf.copy()

    def price(t: Any) -> float:
        return (cost[t] - below[t]) / (leaves[t] - 1)

    links = [(price(t), t) for t in np.flatnonzero(~leaf)]
    heapq.heapify(links)
    prices, remaining, cut = [0.0], [float(below[0])], [-1]
    while links:
        alpha, t = heapq.heappop(links)
        if gone[t] or alpha != price(t):
            continue
        saved, lost = cost[t] - below[t], leaves[t] - 1
        _mark(left, t, gone)
        below[t], leaves[t] = cost[t], 1
        above = parent[t]
        while above >= 0:
            below[above] += saved
            leaves[above] -= lost
            if leaves[above] > 1:
                heapq.heappush(links, (price(above), above))
            above = parent[above]
        prices.append(max(float(alpha), prices[-1]))
        remaining.append(float(below[0]))
        cut.append(int(t))
    return prices, remaining, cut


def _mark(left: np.ndarray, t: Any, gone: np.ndarray) -> None:
    """Mark a node and all below it."""
    todo = [t]
    while todo:
        node = todo.pop()
        gone[node] = True
        if left[node] >= 0:
            todo += [c for c in (left[node], left[node] + 1) if not gone[c]]


def prune(tree: Tree, alpha: float) -> Tree:
    """The smallest best tree at a price of `alpha` a leaf."""
    if alpha <= 0.0 or tree.node_count == 1:
        return tree
    prices, _, cut = weakest_links(tree)
    gone = tree.children_left < 0
    for price, t in zip(prices, cut, strict=True):
        if t >= 0 and price <= alpha and not gone[t]:
            _mark(tree.children_left, t, gone)
    return tree.keep(~gone)
