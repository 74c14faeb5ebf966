"""The penalties R(w) = sum_j l1 |w_j| + l2 / 2 w_j^2: four names for four choices of l1 and l2.

=============  ==========  ==========  ========================  =========================================
name           l1          l2          conjugate R*(v), each j   proximal step, each j
=============  ==========  ==========  ========================  =========================================
none           0           0           0 if v = 0, else inf      w
l2             0           1           v^2 / 2                   w / (1 + step)
l1             1           0           0 if |v| <= 1, else inf   sign(w) max(0, |w| - step)
elastic_net    r           1 - r       max(0, |v| - l1)^2 /      sign(w) max(0, |w| - step l1) /
                                       (2 l2)                    (1 + step l2)
=============  ==========  ==========  ========================  =========================================

The last line holds for all four, with the limit l2 -> 0 in the conjugate, and all four are scaled by a strength.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import jit

# name -> (l1, l2) for an l1_ratio
PENALTIES: dict[str, Callable[[float], tuple[float, float]]] = {
    "none": lambda ratio: (0.0, 0.0),
    "l2": lambda ratio: (0.0, 1.0),
    "l1": lambda ratio: (1.0, 0.0),
    "elastic_net": lambda ratio: (ratio, 1.0 - ratio),
}


@jit
def penalty_value(w, l1, l2):  # type: ignore[no-untyped-def]
    """The penalty of one coordinate."""
    return l1 * abs(w) + 0.5 * l2 * w * w


@jit
def penalty_conjugate(v, l1, l2):  # type: ignore[no-untyped-def]
    """Its convex conjugate, inf where it has no bound."""
    excess = abs(v) - l1
    if excess <= 0.0:
        return 0.0
    return 0.5 * excess * (excess / l2) if l2 > 0.0 else math.inf


@jit
def penalty_prox(w, step, l1, l2):  # type: ignore[no-untyped-def]
    """The x that minimises ``penalty_value(x) + (x - w)^2 / (2 step)``."""
    excess = abs(w) - step * l1
    if excess <= 0.0:
        return 0.0
    return math.copysign(excess / (1.0 + step * l2), w)


@dataclass(frozen=True)
class Penalty:
    """The penalty ``sum_j l1 |w_j| + l2/2 w_j**2`` of a vector w; `make_penalty` makes one.

    With `positive` it is infinite if any weight is negative. A negative v then costs nothing in the conjugate, and the
    proximal step ends at zero from below.

    Examples
    --------
    >>> from maxmargin.penalties import make_penalty
    >>> lasso = make_penalty("l1")
    >>> lasso.value([3.0, -0.5])
    3.5
    >>> lasso.prox([3.0, -0.5], step=1.0)
    array([2., 0.])
    >>> lasso.conjugate([1.0, -1.5])
    inf
    """

    name: str
    l1: float
    l2: float
    positive: bool = False

    @property
    def separable(self) -> tuple[float, float] | None:
        """``(l1, l2)``, which solvers that work weight by weight ask for; None for a penalty of another form."""
        return self.l1, self.l2

    def value(self, w: Any) -> float:
        """The penalty of the vector w."""
        w = np.ravel(np.asarray(w, dtype=np.float64))
        if self.positive and (w < 0).any():
            return math.inf
        out = np.empty(w.size)
        _values(w, self.l1, self.l2, out)
        return float(out.sum())  # numpy sums by pairs, which the loop would not

    def conjugate(self, v: Any) -> float:
        """The convex conjugate ``sup_w <v, w> - value(w)``, inf where it has no bound."""
        v = np.ravel(np.asarray(v, dtype=np.float64))
        if self.positive:
            v = np.maximum(v, 0.0)
        out = np.empty(v.size)
        _conjugates(v, self.l1, self.l2, out)
        return float(out.sum())

    def prox(self, w: Any, step: float) -> np.ndarray:
        """The proximal step: the x that minimises ``value(x) + ||x - w||**2 / (2 * step)``."""
        if not 0 <= step < math.inf:
            raise ValueError(f"step must be finite and not negative; got {step!r}.")
        w = np.asarray(w, dtype=np.float64)
        if self.positive:
            w = np.maximum(w, 0.0)
        out = np.empty(w.size)
        _proxes(np.ravel(w), float(step), self.l1, self.l2, out)
        return out.reshape(w.shape)


def make_penalty(name: str, l1_ratio: float = 0.5, strength: float = 1.0, positive: bool = False) -> Penalty:
    """The penalty of that name, times `strength`.

    Parameters
    ----------
    name : {"none", "l2", "l1", "elastic_net"}
        Which one.
    l1_ratio : float, default=0.5
        The part of the absolute values in the elastic net, from 0 (all squares) to 1 (all absolute values). The
        others do not look at it.
    strength : float, default=1.0
        Factor on the whole.
    positive : bool, default=False
        Whether negative weights are forbidden.

    Returns
    -------
    Penalty

    Examples
    --------
    >>> from maxmargin.penalties import make_penalty
    >>> make_penalty("elastic_net", l1_ratio=0.25, strength=2.0)
    Penalty(name='elastic_net', l1=0.5, l2=1.5, positive=False)
    """
    if name not in PENALTIES:
        raise ValueError(f"penalty must be one of {sorted(PENALTIES)}; got {name!r}.")
    if name == "elastic_net" and not 0 <= l1_ratio <= 1:
        raise ValueError(f"l1_ratio must be a number from 0 to 1; got {l1_ratio!r}.")
    if not 0 <= strength < math.inf:
        raise ValueError(f"strength must be a finite number that is not negative; got {strength!r}.")
    l1, l2 = PENALTIES[name](float(l1_ratio))
    return Penalty(name, strength * l1, strength * l2, positive)


@jit
def _values(w, l1, l2, out):  # type: ignore[no-untyped-def]
    for j in range(w.shape[0]):
        out[j] = penalty_value(w[j], l1, l2)


@jit
def _conjugates(v, l1, l2, out):  # type: ignore[no-untyped-def]
    for j in range(v.shape[0]):
        out[j] = penalty_conjugate(v[j], l1, l2)


@jit
def _proxes(w, step, l1, l2, out):  # type: ignore[no-untyped-def]
    for j in range(w.shape[0]):
        out[j] = penalty_prox(w[j], step, l1, l2)
