"""Directions of a stochastic step: each an `init` of its memory and an `update`, as in optax.

    plain      d = g
    momentum   m = beta m + (1 - beta) g,                                   d = m            (Polyak 1964)
    nesterov   m as above,                                                  d = beta m + (1 - beta) g   (Nesterov 1983)
    rmsprop    v = beta2 v + (1 - beta2) g^2,                               d = a g          (Tieleman and Hinton 2012)
    adam       m and v as above, m^ = m/(1 - beta^t), v^ = v/(1 - beta2^t), d = a m^         (Kingma and Ba 2015)

with a = 1/(sqrt(v) + delta), or of v^ for Adam. Momentum is written as a mean of gradients: with a heavy ball's
m = beta m + g a step is 1/(1 - beta) times as long, and the penalty's proximal step would not fit to it. The factor a
(1 for the first three) is returned too: the proximal step of the penalty has to be taken in the same metric, or it
would stop at a point that is not a minimum.
"""

from __future__ import annotations

import numpy as np

from ...engine import jit, jit_inner

DIRECTIONS = {"plain": 0, "momentum": 1, "rmsprop": 2, "adam": 3, "nesterov": 4}
# Those whose steps are of the same length whatever the scale of the gradients.
NORMALISED = ("rmsprop", "adam")

# beta, beta2, delta as in Kingma and Ba. RMSprop is often run with a beta2 of 0.9; with single samples a gradient then
# shortens its own step by so much that the method settles beside the minimum.
DECAYS = (0.9, 0.999, 1e-8)


def init(name: str, size: int) -> np.ndarray:
    """Memory of a direction: the two means m and v of each variable, at zero."""
    return np.zeros((2, size if name != "plain" else 0))


@jit_inner
def _momentum(g, m, beta):  # type: ignore[no-untyped-def]
    return beta * m + (1.0 - beta) * g


@jit_inner
def _rmsprop(g, v, beta2):  # type: ignore[no-untyped-def]
    return beta2 * v + (1.0 - beta2) * g * g


@jit
def update(code, t, g, memory, j, beta, beta2, delta):  # type: ignore[no-untyped-def]
    """Direction and factor a of variable j for its gradient g at step t = 1, 2, ...; renews the memory."""
    if code == 0:
        return g, 1.0
    if code == 1 or code == 4:
        m = memory[0, j] = _momentum(g, memory[0, j], beta)
        # Nesterov's looks ahead by the step that the mean is about to take: its own gradient counts once more
        return (m if code == 1 else _momentum(g, m, beta)), 1.0
    v = memory[1, j] = _rmsprop(g, memory[1, j], beta2)
    if code == 2:
        a = 1.0 / (np.sqrt(v) + delta)
        return a * g, a
    m = memory[0, j] = _momentum(g, memory[0, j], beta)
    a = 1.0 / (np.sqrt(v / (1.0 - beta2**t)) + delta)
    return a * m / (1.0 - beta**t), a
