"""Step lengths of a stochastic method, as functions of the step t = 0, 1, ...

constant       eta0
inverse        eta0 / (1 + eta0 mu t), which becomes 1/(mu t), for a mean loss that is mu-strongly convex (mu = l2/n);
               without an L2 part eta0 / (1 + t / n)
inverse_sqrt   eta0 / sqrt(1 + t / n)
auto           the shorter of the two, and of them inverse_sqrt alone without an L2 part
theory         B / (rho sqrt(T)), constant, for T steps in all: see `maxmargin.certificates._averaged`
"""

from __future__ import annotations

import numpy as np

SCHEDULES = ("auto", "constant", "inverse", "inverse_sqrt", "theory")


def step_lengths(name: str, eta0: float, mu: float, n: float, t: np.ndarray) -> np.ndarray:
    """The lengths of the steps t. For "theory", eta0 is the length itself."""
    if name in ("constant", "theory"):
        return np.full(len(t), eta0)
    root = np.sqrt(1.0 + t / n)
    if name == "inverse_sqrt":
        return eta0 / root
    strong = 1.0 + eta0 * mu * t
    if name == "inverse":
        return eta0 / (strong if mu > 0 else 1.0 + t / n)
    return eta0 / np.maximum(strong, root)
