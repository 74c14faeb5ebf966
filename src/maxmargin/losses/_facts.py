"""What a loss has to state: five scalar functions and a handful of facts."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any


@dataclass(frozen=True)
class LossFacts:
    """One loss, as its file states it.

    The functions are compiled, scalar, in float64. They take the decision value f, the label or target y and the
    half-width epsilon of the tube, which most losses do not look at.
    """

    name: str
    """What users call it."""
    kind: str
    """``"classification"`` (of the margin y f with y = -1 or +1), ``"regression"`` (of f - y) or ``"both"``."""
    slopes: tuple[float, float]
    """Where the conjugate is finite, a closed interval: of slopes in y f for classification, in f otherwise."""
    value: Any
    """``(f, y, epsilon)``."""
    derivative: Any
    """``(f, y, epsilon)``, at a kink one fixed subgradient."""
    curvature: Any
    """``(f, y, epsilon)``, the second derivative where there is one."""
    conjugate: Any
    """``(u, y, epsilon)``: the supremum over f of ``u f - value``, inf outside of the interval of slopes."""
    prox: Any
    """``(v, y, step, epsilon)``: the f that minimises ``value + (f - v)**2 / (2 * step)``."""
    convex: bool = True
    """Whether it is convex in f."""
    smoothness: float = inf
    """Bound of the curvature, inf if the derivative jumps."""
    piecewise_linear: bool = False
    """Whether it is continuous and made of finitely many straight pieces."""
    twice_differentiable: bool = False
    """Whether the curvature is the second derivative everywhere, and continuous."""
    uses_epsilon: bool = False
    """Whether it has a tube of half-width epsilon."""

    @property
    def lipschitz(self) -> float:
        """Bound of the absolute derivative, inf if there is none: of a convex loss, the steepest slope."""
        return max(abs(slope) for slope in self.slopes) if self.convex else inf
