"""What every solver returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..certificates import Status


@dataclass(frozen=True, eq=False)
class Solution:
    """Variables and how the solver ended.

    Attributes
    ----------
    variables : ndarray
        What was solved for: beta of a box QP, theta = (w, b) of a risk, one row or column of them a class.
    status : Status
        How it ended. Where there is evidence it is confirmed by it, else it is the solver's own word.
    iterations : int
        Iterations in the solver's own unit.
    violation : float
        The solver's own figure of the optimality conditions: a claim, not a proof.
    slopes : ndarray or None
        Variables of the dual, where the solver has some that the primal ones do not imply.
    intercepts : tuple of float
        The best that is known of the intercepts of a kernel machine whose solver was interrupted.
    evidence : Evidence, RiskEvidence or None
        Figures recomputed from the variables by `maxmargin.certificates`, where the caller asked for a proof.
    solver : str
        Name of the solver, where it was chosen from the table.
    problem : object or None
        The problem that was solved in the end, where it is not the one that was given (K in memory, say).
    keyboard : bool
        Whether Ctrl-C ended it: the caller raises it again once the state is safe.
    stats : dict
        What this solver alone has to say: the mistakes of a perceptron, the rank of a least-squares system.

    """

    variables: np.ndarray
    status: Status
    iterations: int
    violation: float = float("nan")
    slopes: np.ndarray | None = None
    intercepts: tuple[float, ...] = ()
    evidence: Any = None
    solver: str = ""
    problem: Any = None
    keyboard: bool = False
    stats: dict[str, Any] = field(default_factory=dict)
