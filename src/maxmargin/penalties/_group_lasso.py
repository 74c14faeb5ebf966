"""The group lasso: features are left out group by group."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ..messages import shortened

_U = 2.0**-53


class GroupLasso:
    """The penalty ``strength * sum_g sqrt(size of g) ||w_g||_2`` over groups g of features (Yuan and Lin 2006).

    The weights of a group are all zero or, as a rule, all not zero: groups are left out as a whole, such as the columns
    that one categorical feature was encoded as. With groups of one feature it is the L1 penalty.

    Parameters
    ----------
    groups : array-like of shape (n_features,)
        The group of each feature: whole numbers, or names.
    strength : float, default=1.0
        Factor on the whole.

    Examples
    --------
    >>> from maxmargin.penalties import GroupLasso
    >>> penalty = GroupLasso(["height", "colour", "colour"], strength=0.5)
    >>> round(penalty.value([1.0, 3.0, 4.0]), 4)
    4.0355
    >>> penalty.prox([1.0, 0.3, 0.4], step=1.0)
    array([0.5, 0. , 0. ])
    """

    name = "group_lasso"

    def __init__(self, groups: Any, strength: float = 1.0) -> None:
        self.groups = groups
        self.strength = strength
        labels = _names(groups)
        if not 0 < strength < inf:
            raise ValueError(f"strength must be a positive, finite number; got {strength!r}.")
        self._index = np.unique(labels, return_inverse=True)[1].reshape(-1)
        self._weight = strength * np.sqrt(np.bincount(self._index))

    def __repr__(self) -> str:
        return f"GroupLasso(groups={self.groups!r}, strength={self.strength!r})"

    def value(self, w: Any) -> float:
        """The penalty of the vector w."""
        return float(self._weight @ self._lengths(w))

    def conjugate(self, v: Any) -> float:
        """0 if ``||v_g|| <= strength sqrt(size of g)`` for every group, else inf."""
        return 0.0 if (self._lengths(v) <= self._weight).all() else inf

    def conjugate_bound(self, v: Any, errors: Any) -> float:
        """At least the conjugate at every point within `errors` of v, rounding included."""
        longest = self._lengths(np.abs(v) + errors) * (1 + 4 * (len(self._index) + 8) * _U)
        return 0.0 if (longest <= self._weight * (1 - 8 * _U)).all() else inf

    def prox(self, w: Any, step: float) -> np.ndarray:
        """Each group shortened by ``step strength sqrt(size of g)``, to zero at most."""
        w = np.asarray(w, dtype=np.float64)
        lengths = self._lengths(w)
        with np.errstate(divide="ignore", invalid="ignore"):
            kept = np.where(lengths > step * self._weight, 1 - step * self._weight / lengths, 0.0)
        return kept[self._index] * w

    def _lengths(self, w: Any) -> np.ndarray:
        """``||w_g||`` of each group."""
        w = np.asarray(w, dtype=np.float64)
        if w.shape != self._index.shape:
            raise ValueError(f"GroupLasso has groups of {len(self._index)} features; X has {w.size}.")
        return np.sqrt(np.bincount(self._index, w * w))


def _names(groups: Any) -> np.ndarray:
    """The group of each feature: whole numbers, or names."""
    try:
        labels = np.asarray(groups)
        if labels.dtype.kind == "O":
            labels = np.asarray(labels.tolist())
    except ValueError:  # lists of different lengths
        labels = np.empty(0)
    if labels.ndim != 1 or not labels.size:
        raise ValueError(
            f"groups must be a list with the group of each feature, such as [0, 0, 1]; got {_shown(groups)}."
        )
    # NumPy writes numbers among names as text, where 0 and "0" would be one group
    names = labels.dtype.kind == "U" and all(isinstance(name, str) for name in groups)
    if labels.dtype.kind not in "biu" and not names and not _whole(labels):
        raise ValueError(f"groups must be whole numbers, or names; got {_shown(groups)}.")
    return labels


def _whole(labels: np.ndarray) -> bool:
    return labels.dtype.kind == "f" and bool((np.isfinite(labels) & (labels == np.floor(labels))).all())


def _shown(groups: Any) -> str:
    return shortened(" ".join(repr(groups).split()), 60, mark="...")
