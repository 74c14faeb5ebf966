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

# Minus the price at which a node becomes a leaf, the node, and by how much impurity rises and leaves get fewer then.
Cut = tuple[float, int, float, int]


def weakest_links(tree: Tree) -> tuple[list[float], list[float], list[int]]:
    """Prices in ascending order, the impurity of the leaves once it is paid, and the node cut at each.

    From the leaves up, each subtree has a heap of the cuts below it. Seen from the highest price, all of them are made:
    the subtree is two leaves, R their cost. While the price of cutting it as a whole is not above the last cut, that
    one is never made, and taken back. Of two heaps the smaller one is poured into the larger: a chain of any depth
    takes no longer than a bushy tree.
    """
    cost = (tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]).tolist()
    left = tree.children_left.tolist()
    below: dict[int, list[Cut]] = {}
    for t in range(tree.node_count - 1, -1, -1):  # children come after their parents
        if left[t] < 0:
            below[t] = []
            continue
        cuts, others = below.pop(left[t]), below.pop(left[t] + 1)
        if len(cuts) < len(others):
            cuts, others = others, cuts
        for cut in others:
            heapq.heappush(cuts, cut)
        R, leaves = cost[left[t]] + cost[left[t] + 1], 2
        while cuts and -cuts[0][0] >= (cost[t] - R) / (leaves - 1):
            _, _, saved, lost = heapq.heappop(cuts)
            R, leaves = R - saved, leaves + lost
        heapq.heappush(cuts, (-(cost[t] - R) / (leaves - 1), t, cost[t] - R, leaves - 1))
        below[t] = cuts
    prices, remaining, nodes = [0.0], [float(sum(c for c, child in zip(cost, left, strict=True) if child < 0))], [-1]
    for negative, t, saved, _ in sorted(below[0], reverse=True):
        prices.append(max(-negative, prices[-1]))
        remaining.append(remaining[-1] + saved)
        nodes.append(t)
    return prices, remaining, nodes


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
