"""Centres to start from: k-means++, rows at random, or the user's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...data import check_array, decision_pass
from ._points import Points

_ROUNDS = 4  # of k draws each, before rows at random are drawn the slow way


class Lots:
    """Rows drawn in proportion to masses, by the value of a row and not by its place.

    Lots are laid out in the order of the projections of the rows on a fixed direction. So the same seed draws the same
    points whatever the order of the rows, and whether a row stands there twice or once with the weight 2.
    """

    def __init__(self, points: Points, random_state: np.random.RandomState) -> None:
        self.points, self.random_state = points, random_state
        direction = np.append(np.random.default_rng(0).standard_normal(points.d), 0.0)
        self.keys = np.empty(points.n)
        decision_pass(points.rows.arrays, 0, points.n, direction, self.keys)
        self.order = np.argsort(self.keys, kind="stable")
        self._scale = float(np.abs(self.keys).max())

    def draw(self, masses: np.ndarray, count: int) -> np.ndarray:
        """Numbers of rows, with repetition."""
        ends = np.cumsum(masses[self.order])
        places = np.searchsorted(ends, self.random_state.uniform(size=count) * ends[-1], side="right")
        # rounding may lead past the end
        return self.order[np.minimum(places, np.searchsorted(ends, ends[-1]))]

    def equal(self, row: int, others: np.ndarray) -> bool:
        """Whether a row has the values of one of the others."""
        close = others[np.abs(self.keys[others] - self.keys[row]) <= 1e-9 * self._scale]
        return len(close) > 0 and bool((self.points.at(close) == self.points.at(row)).all(axis=1).any())


def plus_plus(points: Points, k: int, random_state: np.random.RandomState) -> np.ndarray:
    """Greedy k-means++ (Arthur and Vassilvitskii, 2007): rows drawn in proportion to weight times squared distance.

    Of 2 + log k candidates for each centre the one is taken that lowers the inertia most. Returns the numbers of the
    rows.
    """
    trials = 2 + int(np.log(k))
    lots = Lots(points, random_state)
    chosen = np.empty(k, np.int64)
    chosen[:1] = lots.draw(points.weights, 1)
    closest = points.squared_distances(points.at(chosen[:1]))[:, 0]
    for c in range(1, k):
        masses = points.weights * closest
        # no mass left: fewer distinct points than centres, and any is as good as another
        candidates = lots.draw(masses if masses.any() else points.weights, trials)
        squares = np.minimum(points.squared_distances(points.at(candidates)), closest[:, None])
        best = int((points.weights @ squares).argmin())
        chosen[c], closest = candidates[best], np.ascontiguousarray(squares[:, best])
    return chosen


def at_random(points: Points, k: int, random_state: np.random.RandomState) -> np.ndarray:
    """Numbers of k rows of different values, drawn in proportion to their weights; equal ones if there are too few."""
    lots = Lots(points, random_state)
    chosen = lots.draw(points.weights, 1)
    for _ in range(_ROUNDS):
        for row in lots.draw(points.weights, k):
            if len(chosen) < k and not lots.equal(int(row), chosen):
                chosen = np.append(chosen, row)
    while len(chosen) < k:  # few values with nearly all of the weight: draw from what is not chosen yet
        others = points.weights * (points.squared_distances(points.at(chosen)).min(axis=1) > 0)
        chosen = np.append(chosen, lots.draw(others if others.any() else points.weights, 1))
    return chosen


def given(centres: Any, k: int, dtype: Any, origin: np.ndarray) -> np.ndarray:
    """The user's centres about the origin, after a look at their shape."""
    centres = check_array(centres, dtype=dtype, order="C", accept_sparse="csr", input_name="init")
    centres = centres if isinstance(centres, np.ndarray) else centres.toarray()
    if centres.shape[0] != k:
        raise ValueError(f"The shape of the initial centers {centres.shape} does not match the number of clusters {k}.")
    if centres.shape[1] != len(origin):
        raise ValueError(
            f"The shape of the initial centers {centres.shape} does not match the number of features of the data "
            f"{len(origin)}."
        )
    return centres.astype(np.float64) - origin


def starting_centres(
    points: Points, X: Any, init: str | Callable | Any, k: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Centres about the origin of the points, by the rule `init`."""
    if isinstance(init, str):
        rule = plus_plus if init == "k-means++" else at_random
        return points.at(rule(points, k, random_state))
    if callable(init):
        init = init(X, k, random_state=random_state)
    return given(init, k, points.dtype, points.origin)
