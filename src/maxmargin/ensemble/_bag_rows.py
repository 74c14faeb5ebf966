"""The rows of a bag for any kind of table: with replacement as a forest draws them, without, or dealt out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._forest_bags import Bags, _fingerprints, repetitions

_BLOCK = 4096  # rows of a sparse table that are looked at in dense form at a time


@dataclass(frozen=True)
class RowBags:
    """Draws rows from a seed; see `Bags` for what the order of the rows and their weights mean.

    Learners that take weights are given the weights of the rows in their bags; of others, heavy rows are drawn more
    often, by odds, and are left out the less.

    With `parts` the rows are dealt out to so many bags in an order drawn from the seed `deal`: every row with a weight
    is in one bag, and bags differ by one row at most, of each of the `labels` too.
    """

    bags: Bags
    replace: bool
    labels: np.ndarray | None = None
    parts: int = 0
    deal: int = 0

    @classmethod
    def of(
        cls,
        X: Any,
        target: np.ndarray,
        weight: np.ndarray | None,
        max_samples: int | float | None,
        replace: bool,
        labels: np.ndarray | None = None,
        inside: bool = False,
    ) -> RowBags:
        """For the rows of X; `max_samples` is a number of draws, a share of all, or None for as many as there are.

        `labels`, if given, are numbers of classes, every one of which a bag has to hold; `inside` says that learners
        take weights.
        """
        order = value_order(X, target)
        able = len(target) if weight is None else int(np.count_nonzero(weight))
        times = None if weight is None or not replace else repetitions(weight)
        by, whole = weight if times is None else times, times is not None
        if weight is not None and times is None and inside and replace:
            by, whole = (weight > 0).astype(np.float64), True
        sums = None if by is None else np.cumsum(by[order])
        total = int(sums[-1]) if sums is not None and whole else able
        share = max(1, int(max_samples * total)) if isinstance(max_samples, float) else max_samples
        draws = total if share is None else int(share)
        if not replace and draws > able:
            raise ValueError(
                f"Effective max_samples={draws} must be <= n_samples={able} to be able to sample without replacement."
            )
        return cls(Bags(order, sums, draws, whole), replace, labels)

    @classmethod
    def disjoint(
        cls, X: Any, target: np.ndarray, weight: np.ndarray | None, parts: int, deal: int, labels: np.ndarray | None
    ) -> RowBags:
        """The rows of X, dealt out to so many bags."""
        order = value_order(X, target)
        sums = None if weight is None else np.cumsum((weight[order] > 0).astype(np.float64))
        able = len(target) if sums is None else int(sums[-1])
        refuse_empty_bags(able, parts)
        return cls(Bags(order, sums, -(-able // parts), True), False, labels, parts, deal)

    @property
    def n(self) -> int:
        """Rows to draw from."""
        return len(self.bags.order)

    def rows(self, seed: int, number: int = 0) -> np.ndarray:
        """The rows in the bag of this seed and number."""
        if self.parts:
            return self._dealt_rows(number)
        rows = self.bags.rows(seed) if self.replace else self._different_rows(seed)
        return rows if self.labels is None else np.concatenate([rows, self._of_unseen_classes(rows, seed)])

    def _different_rows(self, seed: int) -> np.ndarray:
        generator, sums = np.random.RandomState(seed), self.bags.sums
        p = None if sums is None else np.diff(sums, prepend=0.0) / sums[-1]
        return self.bags.order[generator.choice(self.n, self.bags.draws, replace=False, p=p)]

    def _dealt_rows(self, number: int) -> np.ndarray:
        order, sums = self.bags.order, self.bags.sums
        dealt = order if sums is None else order[np.diff(sums, prepend=0.0) > 0]
        return order_of_dealing(dealt, self.labels, self.deal)[number :: self.parts]

    def _of_unseen_classes(self, rows: np.ndarray, seed: int) -> np.ndarray:
        """A row of each class that is not among these rows, drawn by weight; none of classes without weight."""
        assert self.labels is not None
        order, sums, drawn = self.bags.order, self.bags.sums, []
        weight = np.ones(self.n) if sums is None else np.diff(sums, prepend=0.0)
        seen = np.bincount(self.labels[rows], minlength=int(self.labels.max()) + 1) > 0
        for label in np.flatnonzero(~seen):
            up_to = np.cumsum(np.where(self.labels[order] == label, weight, 0.0))
            if up_to[-1] > 0:
                point = np.random.RandomState([seed, int(label)]).random_sample() * up_to[-1]
                drawn.append(order[np.searchsorted(up_to, point, side="right")])
        return np.array(drawn, dtype=order.dtype)

    def expected_share(self) -> float:
        """The share of the rows that is expected in a bag."""
        if self.parts:
            able = self.n if self.bags.sums is None else float(self.bags.sums[-1])
            return able / (self.parts * self.n)
        return self.bags.expected_share() if self.replace else self.bags.draws / self.n


def order_of_dealing(rows: np.ndarray, labels: np.ndarray | None, seed: int) -> np.ndarray:
    """The order in which rows go to one bag after the other: drawn from the seed, and class by class."""
    dealt = rows[np.random.RandomState(seed).permutation(len(rows))]
    return dealt if labels is None else dealt[np.argsort(labels[dealt], kind="stable")]


def bag_numbers(bags: Bags, labels: np.ndarray | None, parts: int, seed: int) -> np.ndarray:
    """The number of the bag that each row is in, where all of them are dealt out to so many bags."""
    n = len(bags.order)
    refuse_empty_bags(n, parts)
    numbers = np.empty(n, dtype=np.int32)
    numbers[order_of_dealing(bags.order, labels, seed)] = np.arange(n) % parts
    return numbers


def refuse_empty_bags(rows: int, parts: int) -> None:
    """Refuse to deal rows out to more bags than there are rows."""
    if parts > rows:
        raise ValueError(
            f"n_samples={rows} rows cannot be dealt out to n_estimators={parts} bags: some would be empty."
        )


def value_order(X: Any, target: np.ndarray) -> np.ndarray:
    """An order of the rows that depends on their values alone; their own where these are not numbers."""
    n = X.shape[0]
    if X.dtype.kind not in "biuf" or target.dtype.kind not in "biuf":
        return np.arange(n)
    X = X.tocsr() if sp.issparse(X) else X
    prints, codes = np.empty(n, np.uint64), target.reshape(n, -1).astype(np.float64)
    for start in range(0, n, _BLOCK):
        part = slice(start, start + _BLOCK)
        block = X[part].toarray() if sp.issparse(X) else X[part]
        block = np.hstack([block, codes[part, 1:]]).astype(np.float64, copy=False)
        prints[part] = _fingerprints(np.ascontiguousarray(block), np.ascontiguousarray(codes[part, 0]))
    return np.argsort(prints, kind="stable")
