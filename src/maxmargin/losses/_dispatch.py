"""Functions for compiled code that take the code of a loss first, and are those of that loss.

``loss_value(code, f, y, epsilon)`` is the value function of the loss that the type of `code` says, and so on for the
four others. The loss is known when a loop over samples is compiled: nothing is asked while it runs, and the functions
of other losses are not compiled.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from ..engine import INNER
from ._registry import KINDS


def _functions_of(code: Any) -> Any:
    """The facts of a loss by the type that the compiler has for its code; None if it is no code of a loss."""
    return KINDS.get(getattr(code, "instance_class", None))


def _by_loss(role: str) -> Any:
    """A function of ``(code, f, y, epsilon)``, or of u instead of f."""

    def function(code: Any, f: Any, y: Any, epsilon: Any) -> Any:
        raise RuntimeError("functions that take the code of a loss are called from compiled code only")

    @overload(function, jit_options=INNER)
    def choose(code, f, y, epsilon):  # type: ignore[no-untyped-def]
        facts = _functions_of(code)
        if facts is None:
            return None
        own = getattr(facts, role)
        return lambda code, f, y, epsilon: own(f, y, epsilon)

    return function


loss_value = _by_loss("value")
loss_derivative = _by_loss("derivative")
loss_curvature = _by_loss("curvature")
loss_conjugate = _by_loss("conjugate")


def loss_prox(code: Any, v: Any, y: Any, step: Any, epsilon: Any) -> Any:
    """The proximal step of the loss that `code` says; for compiled code."""
    raise RuntimeError("functions that take the code of a loss are called from compiled code only")


@overload(loss_prox, jit_options=INNER)
def _prox(code, v, y, step, epsilon):  # type: ignore[no-untyped-def]
    facts = _functions_of(code)
    if facts is None:
        return None
    own = facts.prox
    return lambda code, v, y, step, epsilon: own(v, y, step, epsilon)
