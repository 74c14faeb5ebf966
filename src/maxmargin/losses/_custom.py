"""A loss that a user brings: which methods it has to have, and the form that solvers and certificates take."""

from __future__ import annotations

from math import inf
from numbers import Real
from typing import Any, Protocol

import numpy as np

from ._loss import Loss

# The largest power of two at which an unbounded interval of slopes is looked for, and the smallest.
_EXPONENTS = np.arange(-300, 301)
# Where the smoothness of a loss that does not state it is estimated: an interval of margins, and points in it.
_SPAN, _POINTS = 5.0, 2001
# A difference quotient that grows this much on an interval a thousand times shorter is that of a jump.
_JUMP = 50.0


class LossFunctions(Protocol):
    """What an object needs to be the `loss` of a `LinearClassifier`: a class with these methods, written with NumPy.

    All methods take arrays of one shape and return one of that shape; they must not change their arguments. `f` are
    decision values, `y` labels -1 and +1. The loss is convex in `f` and never negative.

    Two more are optional. ``prox(v, y, step)``, the f that minimises ``value(f, y) + (f - v)**2 / (2 * step)``, is
    needed of a loss with kinks (the derivative jumps). ``smoothness`` is a bound of the curvature, inf if there are
    kinks; if it is not stated, it is estimated, and corrected while solving. ``lipschitz``, a bound of the absolute
    derivative, and ``name`` may be stated as well.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.losses import as_loss
    >>> class Squared:
    ...     def value(self, f, y):
    ...         return (f - y) ** 2 / 2
    ...
    ...     def derivative(self, f, y):
    ...         return f - y
    ...
    ...     def conjugate(self, u, y):
    ...         return u * y + u**2 / 2
    >>> round(float(as_loss(Squared()).smoothness), 6)  # found by difference quotients
    1.0
    """

    def value(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The loss, not negative."""

    def derivative(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Its derivative in f; at a kink any one subgradient."""

    def conjugate(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        """``sup_f u f - value(f, y)``, inf where that has no bound: what the lower bound of a certificate rests on."""


class CustomLoss:
    """A user's loss in the form that solvers and certificates take: checked results, and the interval of slopes.

    `as_loss` makes one, and refuses functions that are missing or contradict each other. There is no compiled code
    of it (`code` is None): solvers that run through the samples in compiled loops cannot take it.
    """

    code = None
    epsilon = 0.0
    kind = "classification"
    convex = True
    piecewise_linear = False
    twice_differentiable = False

    def __init__(self, functions: Any) -> None:
        self.functions = functions
        self.name = str(getattr(functions, "name", type(functions).__name__))
        for method, use in _REQUIRED.items():
            if not callable(getattr(functions, method, None)):
                raise ValueError(f"the loss {self.name} has no method {method}: {use}.")
        self._ends = {y: (self._end(y, -1.0), self._end(y, 1.0)) for y in (-1.0, 1.0)}
        self.lipschitz = self._constant("lipschitz", inf)
        self.smoothness = self._constant("smoothness", None)

    @property
    def has_prox(self) -> bool:
        """Whether there is a proximal step."""
        return callable(getattr(self.functions, "prox", None))

    def value(self, f: Any, y: Any) -> np.ndarray:
        """The loss."""
        return self._call("value", f, y)

    def derivative(self, f: Any, y: Any) -> np.ndarray:
        """Its derivative in f; at a kink one subgradient."""
        return self._call("derivative", f, y)

    def conjugate(self, u: Any, y: Any) -> np.ndarray:
        """The convex conjugate, inf where it has no bound (or is not a number)."""
        found = self._call("conjugate", u, y)
        found[np.isnan(found)] = inf
        return found

    def prox(self, v: Any, y: Any, step: Any) -> np.ndarray:
        """The proximal step."""
        return self._call("prox", v, y, step)

    def curvature(self, f: Any, y: Any) -> np.ndarray:
        """About the second derivative, from differences: a scale, on which no figure of a certificate rests."""
        f = np.asarray(f, dtype=np.float64)
        h = 1e-4 * np.maximum(1.0, np.abs(f))
        rise = self.derivative(f + h, y) - self.derivative(f - h, y)
        return np.nan_to_num(np.maximum(rise / (2 * h), 0.0), posinf=0.0)

    def dual_lower(self, y: Any) -> np.ndarray:
        """Smallest u with a finite conjugate, -inf if there is none."""
        return np.where(np.asarray(y) < 0, self._ends[-1.0][0], self._ends[1.0][0])

    def dual_upper(self, y: Any) -> np.ndarray:
        """Largest u with a finite conjugate, inf if there is none."""
        return np.where(np.asarray(y) < 0, self._ends[-1.0][1], self._ends[1.0][1])

    def _call(self, method: str, *arguments: Any) -> np.ndarray:
        """What a method returns, as float64 of the right shape; it sees arrays that it cannot write to."""
        views = []
        for array in np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in arguments)):
            view = array.view()
            view.flags.writeable = False
            views.append(view)
        with np.errstate(all="ignore"):
            found = np.array(getattr(self.functions, method)(*views), dtype=np.float64)
        if found.shape != views[0].shape:
            raise ValueError(
                f"{method} of the loss {self.name} has to return an array of the shape of its arguments, "
                f"{views[0].shape}; it returned one of {found.shape}."
            )
        return found

    def _constant(self, name: str, default: float | None) -> float:
        stated = getattr(self.functions, name, default)
        if stated is None:
            return self._estimated_smoothness()
        if not isinstance(stated, Real) or not float(stated) > 0:
            raise ValueError(f"{name} of the loss {self.name} must be a positive number; got {stated!r}.")
        return float(stated)

    def _end(self, y: float, sign: float) -> float:
        """The last slope in one direction at which the conjugate is finite, to the last bit."""

        def finite(sizes: np.ndarray) -> np.ndarray:
            return np.isfinite(self.conjugate(sign * sizes, np.full(len(sizes), y)))

        inside = finite(2.0**_EXPONENTS)
        if inside[-1]:
            return sign * inf
        if not inside[0]:
            return 0.0
        low = 2.0 ** _EXPONENTS[np.flatnonzero(inside)[-1]]
        high = 2 * low
        for _ in range(60):
            middle = low + (high - low) / 2
            if not low < middle < high:
                break
            low, high = (middle, high) if finite(np.array([middle]))[0] else (low, middle)
        return sign * low

    def _estimated_smoothness(self) -> float:
        """The steepest rise of the derivative that is found; inf if it is that of a jump."""
        largest = 0.0
        for y in (-1.0, 1.0):
            f = np.linspace(-_SPAN, _SPAN, _POINTS)
            rise = self._steepness(f, y)
            k = int(rise.argmax())
            closer = float(self._steepness(np.linspace(f[k], f[k + 1], 1001), y).max())
            if closer > _JUMP * rise[k]:
                return inf
            largest = max(largest, float(rise[k]), closer)
        return largest if largest > 0 else inf  # a straight line is flat everywhere: nothing to step by

    def _steepness(self, f: np.ndarray, y: float) -> np.ndarray:
        """Difference quotients of the derivative between neighbouring points; 0 where they are not known."""
        with np.errstate(invalid="ignore"):
            rise = np.abs(np.diff(self.derivative(f, np.full(len(f), y)))) / (f[1] - f[0])
        return np.where(np.isfinite(rise), rise, 0.0)


_REQUIRED = {
    "value": "there is nothing to minimise without it",
    "derivative": "solvers, and the slopes of the lower bound, need it",
    "conjugate": "without a conjugate there is no lower bound of the optimum, hence no certificate",
}


def as_loss(loss: Any) -> Loss | CustomLoss:
    """A loss of `make_loss` as it is; any other object as a `CustomLoss`, whose functions are checked.

    Raises ValueError for a class in place of an object, for a method that is missing, and for functions that contradict
    each other at some point.
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, type):
        raise ValueError(f"loss must be an object with the methods of a loss; got the class {loss.__name__} itself.")
    from ._consistency import check_loss

    custom = CustomLoss(loss)
    check_loss(custom)
    return custom
