"""A penalty that a user brings: which methods it has to have, and the form that solvers and certificates take."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, Protocol

import numpy as np

from ._penalties import Penalty

_U = 2.0**-53
# Weights up to which the growth of a penalty is found one weight at a time, by two conjugates each.
_MANY = 4000
# How far a conjugate or value may be off relative to its size: 64 roundings, and four for each weight.
_ROUNDINGS = 64, 4


class PenaltyFunctions(Protocol):
    """What an object needs to be the `penalty` of a `LinearClassifier`: a class with these methods, written with NumPy.

    `w` and `v` are vectors with one entry a feature, which must not be changed. The penalty is convex, never negative,
    and may be inf: bounds on the weights are a penalty that is 0 within them and inf outside. It grows in every
    direction: without that, rounding leaves no lower bound.

    Instead of `conjugate` a norm may have ``dual_norm(v)``. Optional are ``conjugate_bound(v, errors)``, a number
    that is at least the conjugate at every point whose entries differ from v by at most `errors`, rounding included
    (needed for more than 4000 features; else it is derived from the conjugate), and ``name``.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.penalties import as_penalty
    >>> class Largest:  # the largest absolute weight
    ...     def value(self, w):
    ...         return np.abs(w).max()
    ...
    ...     def dual_norm(self, v):
    ...         return np.abs(v).sum()
    ...
    ...     def prox(self, w, step):
    ...         a = -np.sort(-np.abs(w))
    ...         level = ((np.cumsum(a) - step) / np.arange(1, len(a) + 1)).max()
    ...         return np.clip(w, -max(level, 0.0), max(level, 0.0))
    >>> as_penalty(Largest()).conjugate(np.array([0.5, 0.5])), as_penalty(Largest()).conjugate(np.array([1.0, 0.5]))
    (0.0, inf)
    """

    def value(self, w: np.ndarray) -> float:
        """The penalty, not negative; inf where weights are not allowed."""

    def conjugate(self, v: np.ndarray) -> float:
        """``sup_w <v, w> - value(w)``, inf where that has no bound: the lower bound of a certificate rests on it."""

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        """The x that minimises ``value(x) + ||x - w||**2 / (2 * step)``."""


class CustomPenalty:
    """A user's penalty in the form that solvers and certificates take; `as_penalty` makes one.

    ``separable`` is None: it is not a sum of ``l1 |w_j| + l2/2 w_j**2``, which some solvers need.
    """

    separable = None

    def __init__(self, functions: Any) -> None:
        self.functions = functions
        self.name = str(getattr(functions, "name", type(functions).__name__))
        for method, use in _REQUIRED.items():
            if not callable(getattr(functions, method, None)):
                if method == "conjugate" and callable(getattr(functions, "dual_norm", None)):
                    continue
                raise ValueError(f"the penalty {self.name} has no method {method}: {use}.")
        self._growth: tuple[float, float] | None = None

    def value(self, w: Any) -> float:
        """The penalty."""
        return self._number("value", w)

    def conjugate(self, v: Any) -> float:
        """The convex conjugate, inf where it has no bound (or is not a number)."""
        if callable(getattr(self.functions, "conjugate", None)):
            found = self._number("conjugate", v)
            return inf if np.isnan(found) else found
        return 0.0 if self._number("dual_norm", v) <= 1 else inf

    def prox(self, w: Any, step: float) -> np.ndarray:
        """The proximal step."""
        w = _locked(w)
        with np.errstate(all="ignore"):
            found = np.array(self.functions.prox(w, float(step)), dtype=np.float64)
        if found.shape != w.shape:
            raise ValueError(
                f"prox of the penalty {self.name} has to return a vector of {w.size} weights; it returned an array of "
                f"shape {found.shape}."
            )
        return found

    def value_error(self, value: float, d: int) -> float:
        """A bound of the rounding error of a value or conjugate of d weights, as it is assumed of right functions."""
        constant, each = _ROUNDINGS
        return (constant + each * d) * _U * abs(value)

    def conjugate_bound(self, v: np.ndarray, errors: np.ndarray) -> float:
        """At least the conjugate at every point within `errors` of v; inf if no such number is known.

        With E the sum of the errors, any such point is ``(1 - s) v / (1 - s) + s q``, where s = E / r and q lies in
        the hull of the points ±r on the axes. The conjugate is convex, hence at most the mixture of its values.
        """
        if callable(getattr(self.functions, "conjugate_bound", None)):
            found = float(self.functions.conjugate_bound(_locked(v), _locked(errors)))
            return inf if np.isnan(found) else found
        r, most = self._known_growth(len(v))
        share = float((errors + 4 * _U * np.abs(v)).sum()) * (1 + 1e-6) / r
        if not share < 0.5:
            return inf
        inner = self.conjugate(v / (1 - share))
        total = (1 - share) * inner + share * most
        return total + self.value_error(abs(inner) + share * abs(most), len(v)) if isfinite(total) else inf

    def _known_growth(self, d: int) -> tuple[float, float]:
        """A radius r, and the largest conjugate at ±r on the axes."""
        if self._growth is None:
            self._growth = self._find_growth(d)
        return self._growth

    def _find_growth(self, d: int) -> tuple[float, float]:
        if d > _MANY:
            raise ValueError(
                f"the penalty {self.name} has no method conjugate_bound, which {d} features (more than {_MANY}) need: "
                f"a number that is at least the conjugate at all points within errors of v."
            )
        most = inf
        for r in 10.0 ** np.arange(12, -13, -1):  # the larger, the less rounding costs; the conjugate grows with it
            most = self._largest_on_axes(r, d, max(1.0, r))
            if most <= max(1.0, r):
                return float(r), most
        raise ValueError(
            f"the penalty {self.name} does not grow in every direction: its conjugate is {most:g} at a distance of "
            f"1e-12 from 0. Rounding errors alone then leave no lower bound; add a multiple of the squared weights."
        )

    def _largest_on_axes(self, r: float, d: int, limit: float) -> float:
        """The largest conjugate at ±r on the axes, or the first one above the limit."""
        largest = self.conjugate(np.zeros(d))
        for j in range(d):
            for sign in (-r, r):
                v = np.zeros(d)
                v[j] = sign
                largest = max(largest, self.conjugate(v))
                if largest > limit:
                    return largest
        return largest

    def check(self, d: int) -> None:
        """Refuse functions that contradict each other on vectors of d weights."""
        from ._consistency import check_penalty

        check_penalty(self, d)
        if not callable(getattr(self.functions, "conjugate_bound", None)):
            self._known_growth(d)

    def _number(self, method: str, w: Any) -> float:
        with np.errstate(all="ignore"):
            found = np.asarray(getattr(self.functions, method)(_locked(w)), dtype=np.float64)
        if found.size != 1:
            raise ValueError(
                f"{method} of the penalty {self.name} has to return one number; it returned an array of shape "
                f"{found.shape}."
            )
        return float(found.reshape(-1)[0])


def _locked(w: Any) -> np.ndarray:
    """A vector that a user's function cannot write to."""
    view = np.asarray(w, dtype=np.float64).view()
    view.flags.writeable = False
    return view


_REQUIRED = {
    "value": "there is nothing to minimise without it",
    "conjugate": "without a conjugate (or, of a norm, dual_norm) there is no lower bound of the optimum, hence no "
    "certificate",
    "prox": "solvers take their steps by it",
}


def as_penalty(penalty: Any) -> Penalty | CustomPenalty:
    """A penalty of `make_penalty` as it is; any other object as a `CustomPenalty`.

    Raises ValueError for a class in place of an object, and for a method that is missing. Whether the functions hang
    together is checked where the number of weights is known.
    """
    if isinstance(penalty, type):
        raise ValueError(
            f"penalty must be an object with the methods of a penalty; got the class {penalty.__name__} itself."
        )
    return penalty if isinstance(penalty, (Penalty, CustomPenalty)) else CustomPenalty(penalty)
