"""Rows that no tree of a forest has seen, and the error on them as trees come.

With losses l_i on m rows, the error is their mean, and its standard error that of a mean of m numbers. It has settled
when it has stayed within one standard error of its last value over the last half of the trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..tree import Tree
from ._errors import UnmetSettingError
from ._forest_votes import sum_of_values


def split_rows(target: np.ndarray, fraction: float, seed: int, classes: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows to grow from and rows to hold out: this share of each class, and never a whole class."""
    generator, held = np.random.RandomState([seed, 1]), np.zeros(len(target), dtype=bool)
    groups = [np.flatnonzero(target == k) for k in np.unique(target)] if classes else [np.arange(len(target))]
    for group in groups:
        rows = generator.permutation(group)
        held[rows[: min(round(fraction * len(rows)), len(rows) - 1)]] = True
    if not held.any():
        raise UnmetSettingError(
            f"validation_fraction={fraction:g} holds no row out of n_samples={len(target)}: give a larger share, or 0 "
            f"for none."
        )
    return np.flatnonzero(~held), np.flatnonzero(held)


@dataclass
class Validation:
    """The error of the first 1, 2, ... trees on rows that were held out; their weights add up to 1."""

    X: Any
    target: np.ndarray
    weight: np.ndarray
    sums: Any = 0.0
    errors: list[float] = field(default_factory=list)
    standard_error: float = np.inf

    @classmethod
    def of(cls, X: Any, target: np.ndarray, weight: np.ndarray | None) -> Validation:
        return cls(X, target, np.full(len(target), 1 / len(target)) if weight is None else weight / weight.sum())

    @property
    def curve(self) -> np.ndarray:
        return np.array(self.errors)

    def add(self, trees: Sequence[Tree], values: Sequence[np.ndarray], only: Sequence[Any], n_jobs: int | None) -> None:
        """Let more trees vote."""
        for tree, value, single in zip(trees, values, only, strict=True):
            self.sums = self.sums + sum_of_values([tree], [value], [single], self.X, n_jobs)
            losses = self._losses(len(self.errors) + 1)
            error = float(self.weight @ losses)
            self.standard_error = float(np.sqrt(self.weight**2 @ (losses - error) ** 2))
            self.errors.append(error)

    def _losses(self, trees: int) -> np.ndarray:
        if self.target.dtype == np.float64:
            return (self.sums[:, 0] / trees - self.target) ** 2
        return (np.argmax(self.sums, axis=1) != self.target).astype(np.float64)

    def has_settled(self, fewest: int) -> bool:
        """Whether the last half of so many trees or more has changed it by a standard error at most."""
        curve = self.curve
        moved = np.abs(curve[len(curve) // 2 :] - curve[-1]).max()
        return len(curve) >= fewest and bool(moved <= self.standard_error)
