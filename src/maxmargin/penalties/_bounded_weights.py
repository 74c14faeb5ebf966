"""Bounds on the weights: a box constraint, as a penalty that is infinite outside of it."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

_U = 2.0**-53


class BoundedWeights:
    """The penalty ``l2/2 ||w||**2`` for weights with ``lower <= w <= upper``, inf for all others.

    ``BoundedWeights(lower=0.0, upper=inf)`` asks for weights that are not negative.

    Parameters
    ----------
    lower, upper : float or array-like of shape (n_features,)
        The bounds, for all weights or one by one; infinite ones need ``l2 > 0``.
    l2 : float, default=1.0
        Factor of half the squared weights.

    Examples
    --------
    >>> from maxmargin.penalties import BoundedWeights
    >>> penalty = BoundedWeights(lower=0.0, upper=2.0)
    >>> penalty.value([1.0, 2.0]), penalty.value([1.0, -0.1])
    (2.5, inf)
    >>> penalty.prox([-1.0, 3.0, 9.0], step=1.0)
    array([0. , 1.5, 2. ])
    """

    name = "bounded_weights"

    def __init__(self, lower: Any, upper: Any, l2: float = 1.0) -> None:
        self.lower, self.upper, self.l2 = lower, upper, l2
        self._low, self._high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
        if not 0 <= l2 < inf:
            raise ValueError(f"l2 must be a finite number that is not negative; got {l2!r}.")
        for name, bound in (("lower", self._low), ("upper", self._high)):
            if bound.ndim > 1 or np.isnan(bound).any():
                raise ValueError(f"{name} must be a number, or a list with one for each feature; got {bound!r}.")
        if not ((self._low <= self._high) & (self._low < inf) & (self._high > -inf)).all():
            raise ValueError(f"lower must not be above upper; got lower={lower!r}, upper={upper!r}.")
        if l2 == 0 and not (np.isfinite(self._low) & np.isfinite(self._high)).all():
            raise ValueError(
                "bounds that are infinite need l2 > 0: without it weights may grow at no cost, and rounding leaves no "
                "lower bound of the optimum."
            )

    def __repr__(self) -> str:
        return f"BoundedWeights(lower={self.lower!r}, upper={self.upper!r}, l2={self.l2!r})"

    def value(self, w: Any) -> float:
        """The penalty of the vector w."""
        w = self._vector(w)
        return 0.5 * self.l2 * float(w @ w) if ((w >= self._low) & (w <= self._high)).all() else inf

    def conjugate(self, v: Any) -> float:
        """``sum_j max(lower_j v_j, upper_j v_j)``, with an L2 part the maximum of ``v_j w_j - l2/2 w_j**2``."""
        return float(self._terms(self._vector(v)).sum())

    def conjugate_bound(self, v: Any, errors: Any) -> float:
        """At least the conjugate at every point within `errors` of v, rounding included: convex, hence at an end."""
        v, errors = self._vector(v), np.asarray(errors, dtype=np.float64) * (1 + 4 * _U) + 4 * _U * np.abs(v)
        low, high = v - errors, v + errors
        terms = np.maximum(self._terms(low), self._terms(high))
        # a term is one product and one difference of numbers of this size, or less
        sizes = np.abs(terms) + np.maximum(np.abs(low * self._best(low)), np.abs(high * self._best(high)))
        return float(terms.sum()) + (16 + 2 * len(v)) * _U * float(sizes.sum())

    def prox(self, w: Any, step: float) -> np.ndarray:
        """``w / (1 + step l2)``, moved into the bounds."""
        return np.clip(self._vector(w) / (1 + step * self.l2), self._low, self._high)

    def _best(self, v: np.ndarray) -> np.ndarray:
        """The weights that maximise ``v_j w_j - l2/2 w_j**2`` within the bounds."""
        free = v / self.l2 if self.l2 > 0 else np.where(v > 0, self._high, self._low)
        return np.clip(free, self._low, self._high)

    def _terms(self, v: np.ndarray) -> np.ndarray:
        w = self._best(v)
        return v * w - 0.5 * self.l2 * w * w

    def _vector(self, w: Any) -> np.ndarray:
        w = np.asarray(w, dtype=np.float64)
        for name, bound in (("lower", self._low), ("upper", self._high)):
            if bound.ndim and bound.shape != w.shape:
                raise ValueError(f"BoundedWeights has {bound.size} bounds in {name}; X has {w.size} features.")
        return w
