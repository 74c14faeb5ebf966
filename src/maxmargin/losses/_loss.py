"""A loss as users and solvers hold it: a name, a code, the width of the tube, and methods over arrays."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ..engine import jit
from ._dispatch import loss_conjugate, loss_curvature, loss_derivative, loss_prox, loss_value
from ._facts import LossFacts
from ._registry import ALIASES, CODES, LOSSES


@dataclass(frozen=True)
class Loss:
    """A loss of a decision value f and a label or target y; `make_loss` makes one.

    The methods take numbers or arrays, broadcast them and return float64. `name`, `code` (what compiled
    functions know it by) and `epsilon` (half the width of the tube; 0 for a loss that has none) identify it.

    Examples
    --------
    >>> from maxmargin.losses import make_loss
    >>> hinge = make_loss("hinge")
    >>> hinge.value([2.0, 0.5, -1.0], 1.0)
    array([0. , 0.5, 2. ])
    >>> hinge.derivative(-1.0, 1.0)
    -1.0
    >>> hinge.lipschitz, hinge.smoothness
    (1.0, inf)
    """

    name: str
    code: tuple[int]
    epsilon: float = 0.0

    @property
    def facts(self) -> LossFacts:
        """What the file of this loss states about it."""
        return LOSSES[self.name]

    @property
    def kind(self) -> str:
        """``"classification"`` (labels -1 and +1), ``"regression"`` (any targets) or ``"both"``."""
        return self.facts.kind

    @property
    def convex(self) -> bool:
        """Whether it is convex in f."""
        return self.facts.convex

    @property
    def lipschitz(self) -> float:
        """Bound of the absolute derivative, inf if there is none."""
        return self.facts.lipschitz

    @property
    def smoothness(self) -> float:
        """Bound of the curvature, inf if the derivative jumps."""
        return self.facts.smoothness

    @property
    def piecewise_linear(self) -> bool:
        """Whether it is continuous and made of finitely many straight pieces."""
        return self.facts.piecewise_linear

    @property
    def twice_differentiable(self) -> bool:
        """Whether the curvature is the second derivative everywhere."""
        return self.facts.twice_differentiable

    @property
    def has_prox(self) -> bool:
        """Whether there is a proximal step; every loss of this package has one."""
        return True

    def dual_lower(self, y: Any) -> Any:
        """Smallest u with a finite conjugate, -inf if there is none."""
        lower, upper = self.facts.slopes
        y = self._labels(y)
        # a slope s in the margin is u = y s in f: the label -1 turns the interval round (0 - 0 is 0, not -0)
        return (np.where(y < 0, 0.0 - upper, lower) if self.kind == "classification" else np.full(y.shape, lower))[()]

    def dual_upper(self, y: Any) -> Any:
        """Largest u with a finite conjugate, inf if there is none."""
        lower, upper = self.facts.slopes
        y = self._labels(y)
        return (np.where(y < 0, 0.0 - lower, upper) if self.kind == "classification" else np.full(y.shape, upper))[()]

    def value(self, f: Any, y: Any) -> Any:
        """The loss."""
        return _over(_values, self.code, f, self._labels(y), self.epsilon)

    def derivative(self, f: Any, y: Any) -> Any:
        """Its derivative in f; at a kink one fixed subgradient."""
        return _over(_derivatives, self.code, f, self._labels(y), self.epsilon)

    def curvature(self, f: Any, y: Any) -> Any:
        """Its second derivative in f where there is one; at a kink a limit from one side."""
        return _over(_curvatures, self.code, f, self._labels(y), self.epsilon)

    def conjugate(self, u: Any, y: Any) -> Any:
        """The convex conjugate ``sup_f u f - value(f, y)``, inf outside of ``[dual_lower(y), dual_upper(y)]``."""
        return _over(_conjugates, self.code, u, self._labels(y), self.epsilon)

    def prox(self, v: Any, y: Any, step: Any) -> Any:
        """The proximal step: the f that minimises ``value(f, y) + (f - v)**2 / (2 * step)``.

        For the zero-one loss, which is not convex, one of the two candidates: v, or a point a hair beyond the
        boundary, whichever has the smaller objective.
        """
        step = np.asarray(step, dtype=np.float64)
        if not np.all((step >= 0) & (step < np.inf)):
            raise ValueError(f"step must be finite and not negative; got {step!r}.")
        v, y, step = np.broadcast_arrays(np.asarray(v, dtype=np.float64), self._labels(y), step)
        out = np.empty(v.size)
        _proxes(self.code, np.ravel(v), np.ravel(y), np.ravel(step), self.epsilon, out)
        return out.reshape(v.shape) if v.ndim else float(out[0])

    def _labels(self, y: Any) -> np.ndarray:
        y = np.asarray(y, dtype=np.float64)
        if self.kind == "classification" and not np.all(np.abs(y) == 1.0):
            wrong = y[np.abs(y) != 1.0].flat[0]
            raise ValueError(f"the {self.name} loss takes labels y of -1 and +1; found {wrong!r}.")
        return y


def make_loss(name: str, epsilon: float = 0.0) -> Loss:
    """The loss of that name.

    Parameters
    ----------
    name : str
        One of `LOSSES`, or ``"log_loss"`` for ``"logistic"``, ``"squared_error"`` for ``"squared"``.
    epsilon : float, default=0.0
        Half the width of the tube in which errors cost nothing, for the two epsilon-insensitive losses. The others
        have no tube, and their `epsilon` is 0 whatever is given.

    Returns
    -------
    Loss

    Examples
    --------
    >>> from maxmargin.losses import make_loss
    >>> make_loss("epsilon_insensitive", epsilon=0.1).value([1.05, 1.5], 1.0)
    array([0. , 0.4])
    """
    name = ALIASES.get(name, name)
    if name not in LOSSES:
        raise ValueError(f"loss must be one of {sorted([*LOSSES, *ALIASES])}; got {name!r}.")
    if not LOSSES[name].uses_epsilon:
        return Loss(name, CODES[name])
    if not (isfinite(epsilon) and epsilon >= 0):
        raise ValueError(f"epsilon must be a finite number that is not negative; got {epsilon!r}.")
    return Loss(name, CODES[name], float(epsilon))


def _over(loop: Any, code: tuple[int], f: Any, y: np.ndarray, epsilon: float) -> Any:
    f = np.asarray(f, dtype=np.float64)
    if f.shape != y.shape:
        f, y = np.broadcast_arrays(f, y)
    out = np.empty(f.size)
    loop(code, np.ravel(f), np.ravel(y), epsilon, out)
    return out.reshape(f.shape) if f.ndim else float(out[0])


@jit
def _values(code, f, y, epsilon, out):  # type: ignore[no-untyped-def]
    for i in range(f.shape[0]):
        out[i] = loss_value(code, f[i], y[i], epsilon)


@jit
def _derivatives(code, f, y, epsilon, out):  # type: ignore[no-untyped-def]
    for i in range(f.shape[0]):
        out[i] = loss_derivative(code, f[i], y[i], epsilon)


@jit
def _curvatures(code, f, y, epsilon, out):  # type: ignore[no-untyped-def]
    for i in range(f.shape[0]):
        out[i] = loss_curvature(code, f[i], y[i], epsilon)


@jit
def _conjugates(code, u, y, epsilon, out):  # type: ignore[no-untyped-def]
    for i in range(u.shape[0]):
        out[i] = loss_conjugate(code, u[i], y[i], epsilon)


@jit
def _proxes(code, v, y, step, epsilon, out):  # type: ignore[no-untyped-def]
    for i in range(v.shape[0]):
        out[i] = loss_prox(code, v[i], y[i], step[i], epsilon)
