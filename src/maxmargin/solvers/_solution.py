"""What a solver returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..certificates import Status


@dataclass(frozen=True)
class Solution:
    """Variables and how the solver ended. ``violation`` is the solver's own figure: a claim, not a proof.

    ``keyboard`` tells that the end was Ctrl-C, which the caller raises again once the state is safe; ``intercepts`` are
    then the best that is known of them.
    """

    beta: np.ndarray
    status: Status
    iterations: int
    violation: float
    keyboard: bool = False
    intercepts: tuple[float, ...] = ()
