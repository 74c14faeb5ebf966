"""Growing many trees at once by questions about their open nodes, whose answers are sums over all rows.

A node is open while a split of it is looked for. Each question takes some columns of each open node, drawn from those
that are not known to be constant in it; a node stays open until `max_features` of its columns were found to vary, or
none is left. So it is in trees that are grown in memory, and so quality is the same. Columns are drawn by a hash of
the seed of the tree and the way to the node: they depend on nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...engine import jit
from ...tree import Limits
from ._bags import mixed
from ._histograms import BINS, Question
from ._search import BETTER, NOTHING, VARIANCE, Rules, Splits, own_scores

# Entries of histograms that a question may ask for, and columns of small nodes that are asked for more than needed.
_ROOM = 2**25
_SMALL, _MORE = 64, 2
_CONSTANT, _VARIES = 1, 2


@dataclass(frozen=True)
class GrowthLimits:
    """What holds trees back: `limits` for a total weight of 1, and what a gain is multiplied by to be an impurity's."""

    limits: Limits
    unit: float

    @property
    def classes(self) -> int:
        """Classes that histograms tell apart."""
        return 1 if self.limits.criterion == VARIANCE else self.limits.channels

    @property
    def rules(self) -> Rules:
        """What a split has to keep to."""
        return Rules(self.limits.criterion, self.classes, self.limits.min_samples_leaf)


class Asked(NamedTuple):
    """What the search for splits has to know of the nodes of a question."""

    needed: np.ndarray
    totals: np.ndarray
    rows: np.ndarray
    least: np.ndarray
    rules: Rules


class Growth:
    """Trees that grow side by side: all of their nodes, and what is known of the open ones.

    Node t is the root of tree t, and children come in pairs behind their parents. ``totals`` are the contents of nodes
    in whole numbers: weights of the classes, or the weight and both halves of the products.
    """

    def __init__(
        self, d: int, seeds: np.ndarray, bounds: np.ndarray, totals: np.ndarray, rows: np.ndarray, limits: GrowthLimits
    ) -> None:
        m = len(seeds)
        self.seeds, self.bounds, self.limits = seeds.astype(np.uint64), bounds, limits
        self.tree, self.depth = np.arange(m, dtype=np.int32), np.zeros(m, dtype=np.int32)
        self.left, self.feature = np.full(m, -1, dtype=np.int32), np.full(m, -1, dtype=np.int32)
        self.below, self.above = np.full(m, -1, dtype=np.int32), np.full(m, -1, dtype=np.int32)
        self.totals, self.rows = totals, rows
        self.key = _keys(self.seeds, np.uint64(0))
        self.weight = self._weights(totals).astype(np.float64)
        opened = np.flatnonzero(self._may_split(np.arange(m)))
        self._open(opened, np.zeros((len(opened), d), dtype=np.uint8), first=True)

    def question(self) -> tuple[Question, Asked] | None:
        """What to ask next; None if the trees are grown."""
        if not len(self.node):
            return None
        classes, limits = self.limits.classes, self.limits.limits
        needed = limits.max_features - self.varying
        wanted = needed * 2**self.rounds * np.where(self.rows[self.node] < _SMALL, _MORE, 1)
        wanted = np.minimum(wanted, (self.flags == 0).sum(axis=1))
        entries = np.cumsum(np.minimum(self.rows[self.node], BINS * classes) * wanted)
        asked = np.arange(max(1, int(np.searchsorted(entries, _ROOM, side="right"))))[: len(self.node)]
        asked = asked[np.argsort(self.tree[self.node[asked]], kind="stable")]
        node, wanted = self.node[asked], wanted[asked]
        columns = np.full((len(asked), int(wanted.max())), -1, dtype=np.int32)
        _draw(self.key[node], self.rounds[asked], self.flags[asked], wanted, columns)
        place = np.full(len(self.tree), -1, dtype=np.int32)
        place[node] = np.arange(len(node))
        first = np.searchsorted(self.tree[node], np.arange(len(self.seeds) + 1))
        tables = (*self._ways_to(place), first, columns, wanted)
        self._asked, self._columns = asked, columns
        least = limits.min_weight_leaf * self.weight[self.tree[node]]
        about = Asked(needed[asked], self.totals[node], self.rows[node], least, self.limits.rules)
        return Question(self.seeds, self.bounds, *tables, classes), about

    def _ways_to(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Children, splits and places of the nodes on the way to those that have a place, numbered anew."""
        left, kept = _cut_off(self.left, place, len(self.seeds))
        new = np.cumsum(kept, dtype=np.int32) - 1
        left = np.where(left < 0, -1, new[np.maximum(left, 0)]).astype(np.int32)
        return left[kept], self.feature[kept], self.below[kept].astype(np.int16), place[kept]

    def answer(self, found: Splits) -> None:
        """Take in the best splits of the last question, and split what has its columns together."""
        asked = self._asked
        r, s = np.nonzero(found.seen)
        self.flags[asked[r], self._columns[r, s]] = found.seen[r, s]
        self.varying[asked] += (found.seen == _VARIES).sum(axis=1)
        self.rounds[asked] += 1
        better = found.score > self.score[asked] + BETTER * np.abs(self.score[asked])
        to = asked[better]
        self.score[to], self.best_rows[to] = found.score[better], found.left_rows[better]
        self.best[to] = np.column_stack([found.column, found.below, found.above])[better]
        self.best_left[to] = found.left[better]
        ready = (self.varying[asked] >= self.limits.limits.max_features) | (self.flags[asked] != 0).all(axis=1)
        done = asked[ready]
        children, flags = self._split(done[self._gains_enough(done)])
        self._keep(np.setdiff1d(np.arange(len(self.node)), done, assume_unique=True))
        self._open(children, flags)

    def _gains_enough(self, done: np.ndarray) -> np.ndarray:
        """Which of the open nodes have a split that is worth it."""
        found, limits = self.score[done] != NOTHING, self.limits.limits
        if limits.min_decrease <= 0:
            return found
        own, node = np.empty(len(done)), self.node[done]
        own_scores(limits.criterion, self.limits.classes, self.totals[node], own)
        gain = (self.score[done] - own) * self.limits.unit / self.weight[self.tree[node]]
        return found & (gain + np.finfo(float).eps >= limits.min_decrease)

    def _split(self, done: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Make the children of some open nodes; those of them that are open, and their constant columns."""
        node, m = self.node[done], len(self.tree)
        self.left[node] = m + 2 * np.arange(len(node))
        self.feature[node], self.below[node], self.above[node] = self.best[done].T
        self.tree, self.depth = _grown(self.tree, self.tree[node]), _grown(self.depth, self.depth[node] + 1)
        none = np.full(len(node), -1, dtype=np.int32)
        for name in ("left", "feature", "below", "above"):
            setattr(self, name, _grown(getattr(self, name), none))
        right, right_rows = self.totals[node] - self.best_left[done], self.rows[node] - self.best_rows[done]
        self.totals = _grown(self.totals, self.best_left[done], right)
        self.rows = _grown(self.rows, self.best_rows[done], right_rows)
        keys = _keys(self.key[node], np.uint64(1)), _keys(self.key[node], np.uint64(2))
        self.key = _grown(self.key, *keys)
        children = np.arange(m, len(self.tree))
        constant = np.repeat(np.where(self.flags[done] == _CONSTANT, _CONSTANT, 0).astype(np.uint8), 2, axis=0)
        opened = self._may_split(children) & (constant == 0).any(axis=1)
        return children[opened], constant[opened]

    def _may_split(self, nodes: np.ndarray) -> np.ndarray:
        limits, totals, rows = self.limits.limits, self.totals[nodes], self.rows[nodes]
        differ = rows > 1 if limits.criterion == VARIANCE else (totals > 0).sum(axis=1) > 1
        enough = (rows >= limits.min_samples_split) & (rows >= 2 * limits.min_samples_leaf)
        least = 2 * limits.min_weight_leaf * self.weight[self.tree[nodes]]
        deep = self.depth[nodes] >= limits.max_depth
        return differ & enough & ~deep & (self._weights(totals) >= least)

    def _weights(self, totals: np.ndarray) -> np.ndarray:
        return totals[:, 0] if self.limits.limits.criterion == VARIANCE else totals.sum(axis=1)

    # ---------------------------------------------------------------- open nodes

    def _open(self, nodes: np.ndarray, flags: np.ndarray, first: bool = False) -> None:
        m = len(nodes)
        new: dict[str, np.ndarray] = {
            "node": nodes,
            "flags": flags,
            "varying": np.zeros(m, dtype=np.int64),
            "rounds": np.zeros(m, dtype=np.int64),
            "score": np.full(m, NOTHING),
            "best": np.full((m, 3), -1, dtype=np.int32),
            "best_left": np.zeros((m, self.totals.shape[1]), dtype=np.int64),
            "best_rows": np.zeros(m, dtype=np.int64),
        }
        self._names = tuple(new)
        for name, value in new.items():
            setattr(self, name, value if first else np.concatenate([getattr(self, name), value]))

    def _keep(self, kept: np.ndarray) -> None:
        for name in self._names:
            setattr(self, name, getattr(self, name)[kept])

    node: np.ndarray
    flags: np.ndarray
    varying: np.ndarray
    rounds: np.ndarray
    score: np.ndarray
    best: np.ndarray
    best_left: np.ndarray
    best_rows: np.ndarray


def _grown(table: np.ndarray, left: np.ndarray, right: np.ndarray | None = None) -> np.ndarray:
    """A table with values of left and right children, in turn; the same ones for both if there is one."""
    pairs = np.stack([left, left if right is None else right], axis=1).astype(table.dtype)
    return np.concatenate([table, pairs.reshape(-1, *table.shape[1:])])


@jit
def _cut_off(left: Any, place: Any, roots: int) -> tuple[Any, Any]:
    """Children but of nodes below which none has a place, and which nodes are roots or such children."""
    alive, kept = np.zeros(left.size, dtype=np.bool_), np.zeros(left.size, dtype=np.bool_)
    out = np.full(left.size, -1, dtype=np.int32)
    kept[:roots] = True
    for node in range(left.size - 1, -1, -1):
        alive[node] = place[node] >= 0
        child = left[node]
        if child >= 0 and (alive[child] or alive[child + 1]):
            alive[node] = kept[child] = kept[child + 1] = True
            out[node] = child
    return out, kept


@jit
def _keys(keys: Any, number: Any) -> Any:
    """The hashes of nodes from those of their parents and their sides."""
    out = np.empty(keys.size, dtype=np.uint64)
    for i in range(keys.size):
        out[i] = mixed(keys[i], number)
    return out


@jit
def _draw(keys: Any, rounds: Any, flags: Any, wanted: Any, out: Any) -> None:
    """Draw columns of which nothing is known yet in a node."""
    d = flags.shape[1]
    free = np.empty(d, dtype=np.int32)
    for r in range(keys.size):
        m = 0
        for j in range(d):
            if flags[r, j] == 0:
                free[m] = j
                m += 1
        for s in range(wanted[r]):
            u = mixed(keys[r], np.uint64(3 + s) + (np.uint64(rounds[r]) << np.uint64(32)))
            k = s + np.int64(((u >> np.uint64(32)) * np.uint64(m - s)) >> np.uint64(32))
            free[s], free[k] = free[k], free[s]
            out[r, s] = free[s]
