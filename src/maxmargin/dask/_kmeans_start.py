"""Centres to start from, chosen from rows on a cluster: k-means|| and rows at random.

k-means|| (Bahmani, Moseley, Vattani, Kumar and Vassilvitskii, VLDB 2012) draws some 2 k rows at a time, each in
proportion to its weight and squared distance from those drawn before, a few times over. These candidates weigh as much
as the rows that are nearest to them, and k-means++ and Lloyd's steps among them give the start.

A row's random number is a function of the seed and of the row's number alone. So the draw is the same however the rows
are divided, and when a partition is drawn from again because a worker has died.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..cluster import Points, lloyd, plus_plus
from ._kmeans_steps import remembers
from ._kmeans_tasks import points_of
from ._part import Part
from ._partitions import Partitions

_ROUNDS = 4
_DRAWN = 2.0  # candidates a round, in numbers of centres
_STEPS = 30  # among the candidates
_LOST = 1e-14  # squared distances below this, relative to the squared lengths, are rounding
_ROOM = 2**21  # distances that are at hand at a time


class Near(NamedTuple):
    """Squared distance of each row of a partition from the nearest candidate, and the number of that one."""

    squares: np.ndarray
    number: np.ndarray


def random_rows(samples: Partitions, origin: np.ndarray, k: int, random_state: np.random.RandomState) -> np.ndarray:
    """k rows of different values, drawn in proportion to their weights; equal ones if there are too few."""
    draw = _Draw(samples, origin, random_state)
    chosen = draw.first(k)
    while len(chosen) < k:
        draw.meet(chosen)
        more = draw.heaviest(k - len(chosen), "any")
        if not len(more):
            return chosen[np.arange(k) % len(chosen)]
        chosen = np.vstack([chosen, more])
    return chosen[:k]


def parallel_plus_plus(
    samples: Partitions, origin: np.ndarray, k: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Centres about the origin, by k-means||."""
    draw = _Draw(samples, origin, random_state)
    found = draw.first(1)
    for _ in range(_ROUNDS):
        cost = draw.meet(found)
        if not cost > 0:
            break
        found = np.vstack([found, draw.by_distance(_DRAWN * k / cost)])
    while len(found) < k and draw.meet(found) > 0:
        found = np.vstack([found, draw.heaviest(k - len(found), "far")])
    draw.meet(found)
    candidates = Points(found, draw.masses(len(found)))
    start = candidates.at(plus_plus(candidates, k, random_state))
    return lloyd(candidates, start, _STEPS, 0.0).centres + candidates.origin


class _Draw:
    """Rows that are drawn from all partitions, and how far all others are from them."""

    def __init__(self, samples: Partitions, origin: np.ndarray, random_state: np.random.RandomState) -> None:
        self.samples, self.origin, self.random_state = samples, origin, random_state
        self._remembers = remembers(samples)
        self._near: list[Any] | None = None
        self._known = 0  # candidates that all rows have met

    def first(self, count: int) -> np.ndarray:
        """So many rows, in proportion to their weights; fewer if values are the same."""
        numbered = list(zip(self.samples.parts, self.samples.starts, strict=True))
        found = self.samples.cluster.mapped("k-means-draw", _heaviest, numbered, None, self.origin, *self._how(count))
        return self._largest(found, count)

    def meet(self, candidates: np.ndarray) -> float:
        """Take note of candidates that are new; returns the weighted sum of squared distances."""
        cluster, parts, name = self.samples.cluster, self.samples.parts, "k-means-distances"
        if self._known == len(candidates) and self._near is not None:
            pass
        elif self._near is None or not self._remembers:
            self._near = cluster.mapped(name, _met, parts, None, self.origin, candidates, 0)
        else:
            fresh = candidates[self._known :]
            self._near = cluster.paired(name, _met, parts, self._near, self.origin, fresh, self._known)
        if self._remembers:
            self._near = cluster.kept(self._near, 0.0)
        self._known = len(candidates)
        return float(cluster.summed("k-means-cost", cluster.paired("k-means-cost", _cost, parts, self._near))[0])

    def by_distance(self, rate: float) -> np.ndarray:
        """Rows that are drawn with a probability of `rate` times weight and squared distance, each by itself."""
        tasks = self._asked(_drawn, self.origin, self._seed(), rate)
        return _different(np.vstack(self.samples.cluster.gathered("k-means-draw", tasks)))

    def heaviest(self, count: int, kind: str) -> np.ndarray:
        """So many rows apart from the candidates, at most: by weight and squared distance ("far") or weight ("any")."""
        return self._largest(self._asked(_heaviest, self.origin, *self._how(count, kind)), count)

    def masses(self, count: int) -> np.ndarray:
        """Weights of the rows nearest to each candidate."""
        cluster = self.samples.cluster
        tasks = cluster.paired("k-means-masses", _near_masses, self.samples.parts, self._near or [], count)
        return np.asarray(cluster.summed("k-means-masses", tasks)[0])

    def _asked(self, function: Any, *shared: Any) -> list[Any]:
        triples = list(zip(self.samples.parts, self.samples.starts, self._near or [], strict=True))
        return self.samples.cluster.mapped("k-means-draw", function, triples, *shared)

    def _how(self, count: int, kind: str = "any") -> tuple[int, int, str]:
        return self._seed(), count, kind

    def _seed(self) -> int:
        return int(self.random_state.randint(2**31 - 1))

    def _largest(self, tasks: list[Any], count: int) -> np.ndarray:
        found = self.samples.cluster.gathered("k-means-draw", tasks)
        keys, points = (np.concatenate([one[place] for one in found]) for place in range(2))
        return _different(points[np.argsort(-keys, kind="stable")[:count]])


def _different(points: np.ndarray) -> np.ndarray:
    """Points of different values, in the order in which they come first."""
    return points[np.sort(np.unique(points, axis=0, return_index=True)[1])]


# ---------------------------------------------------------------- on the partitions


def uniform(seed: int, start: int, n: int) -> np.ndarray:
    """Random numbers in (0, 1) of the rows from number `start` on, by SplitMix64 (Steele, Lea and Flood, 2014)."""
    with np.errstate(over="ignore"):
        place = np.arange(start, start + n, dtype=np.uint64) + _mixed(np.array([seed], dtype=np.uint64))
        z = place * np.uint64(0x9E3779B97F4A7C15)
        return ((_mixed(z) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _mixed(z: np.ndarray) -> np.ndarray:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _met(part: Part, last: Near | None, origin: np.ndarray, candidates: np.ndarray, first: int) -> Near:
    points = points_of(part, origin)
    squares = np.full(points.n, np.inf) if last is None else last.squares.copy()
    number = np.zeros(points.n, np.int32) if last is None else last.number.copy()
    width = max(1, _ROOM // points.n)
    for begin in range(0, len(candidates), width):
        block = np.ascontiguousarray(candidates[begin : begin + width])
        found = points.squared_distances(block)
        found[found <= _LOST * (points.norms[:, None] + np.square(block).sum(axis=1))] = 0.0
        where = found.argmin(axis=1)
        least = found[np.arange(points.n), where]
        nearer = least < squares
        squares[nearer], number[nearer] = least[nearer], first + begin + where[nearer]
    return Near(squares, number)


def _weights(part: Part) -> np.ndarray:
    return np.ones(part.n) if part.weight is None else part.weight


def _cost(part: Part, near: Near) -> tuple:
    return (float(_weights(part) @ near.squares),)


def _near_masses(part: Part, near: Near, count: int) -> tuple:
    return (np.bincount(near.number, _weights(part), minlength=count),)


def _drawn(part: Part, start: int, near: Near, origin: np.ndarray, seed: int, rate: float) -> np.ndarray:
    chosen = uniform(seed, start, part.n) < rate * _weights(part) * near.squares
    return points_of(part, origin).at(np.flatnonzero(chosen))


def _heaviest(
    part: Part, start: int, near: Near | None, origin: np.ndarray, seed: int, count: int, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Rows with the largest of ``log(u) / mass``: so they are drawn in proportion to their masses, none twice."""
    masses = _weights(part)
    if near is not None:
        masses = masses * (near.squares if kind == "far" else near.squares > 0)
    usable = np.flatnonzero(masses > 0)
    keys = np.log(uniform(seed, start, part.n)[usable]) / masses[usable]
    best = np.argsort(-keys, kind="stable")[:count]
    return keys[best], points_of(part, origin).at(usable[best])
