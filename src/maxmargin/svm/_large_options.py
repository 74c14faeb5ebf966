"""What one problem of many rows is solved with, and what follows from the gap that is wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..solvers.large import TimeLimit

# The gap that is asked of a start of exact steps, where a smaller one is wanted in the end.
_START = 0.02
# The share of `memory` for kernel values of exact steps: they have panels of rows and figures of variables beside them.
CACHE = 0.8


@dataclass(frozen=True, kw_only=True)
class LargeOptions:
    """What the parameters of a fit say, in the units of the solvers."""

    method: str
    gap_tol: float
    memory: float  # bytes
    n_landmarks: int | None
    limit: TimeLimit
    threads: int

    @property
    def first_gap(self) -> float:
        """The gap that an approximation aims at: where exact steps follow it, a small one takes longer than they do."""
        return _START if self.method == "auto" and self.gap_tol <= _START / 4 else self.gap_tol

    @property
    def goes_on(self) -> bool:
        """Whether exact steps follow an approximation in any case, and no time limit can end them."""
        return self.gap_tol < self.first_gap and self.limit.left == np.inf

    @property
    def tolerance(self) -> float:
        """The violation that exact steps aim at first; if the gap is not met by then, they aim lower.

        Covtype: a violation of 0.3 left a gap of 1e-2, one of 1e-3 left 8e-7.
        """
        return min(5 * self.gap_tol**0.6, 0.3)
