"""The candidates of a search: a rectangular grid of values."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ..engine import cached_property


@dataclass(frozen=True, eq=False)
class Grid:
    """Values of one or two parameters, all combinations of which are candidates.

    Attributes
    ----------
    names : tuple of str
        The parameters, such as ``("C", "gamma")``.
    values : tuple of ndarray
        The values of each, in the order in which they were given.

    """

    names: tuple[str, ...]
    values: tuple[np.ndarray, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each parameter has."""
        return tuple(len(v) for v in self.values)

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    @cached_property
    def candidates(self) -> list[dict[str, float]]:
        """Every combination, in the order of scikit-learn's ParameterGrid: the last parameter changes fastest."""
        return [self._at(self.places(k)) for k in range(len(self))]

    def _at(self, places: tuple[int, ...]) -> dict[str, float]:
        return {n: float(v[p]) for n, v, p in zip(self.names, self.values, places, strict=True)}

    def places(self, candidate: int) -> tuple[int, ...]:
        """Where the values of a candidate stand among the values of each parameter."""
        return tuple(int(p) for p in np.unravel_index(candidate, self.shape))

    def index(self, *places: int) -> int:
        """Number of the candidate with the values at these places."""
        return int(np.ravel_multi_index(places, self.shape))

    def name(self, candidate: int) -> str:
        """A candidate in words: ``"C=1, gamma=0.1"``."""
        return ", ".join(f"{n}={v:g}" for n, v in self.candidates[candidate].items())


def check_values(name: str, values: Any) -> np.ndarray:
    """The values of a parameter as an array; ones that no machine can be trained with are refused by name."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not array.size:
        what = "an empty list" if not array.size else f"an array of shape {array.shape}"
        raise ValueError(f"{name} must be a number of automatic values or a list of one or more; got {what}.")
    bad = array[~(np.isfinite(array) & (array > 0))]
    if bad.size:
        raise ValueError(
            f"{name} must be positive and finite; got {bad[0]:g}. Values a factor of ten apart, such as "
            f"numpy.logspace(-3, 3, 7), are a good start."
        )
    return array


def automatic_count(name: str, given: Any) -> int | None:
    """How many automatic values of a parameter were asked for; None if values were given."""
    if not isinstance(given, Integral):
        return None
    if given < 1:
        raise ValueError(f"{name} must be a number of automatic values, one at least, or a list; got {given!r}.")
    return int(given)
