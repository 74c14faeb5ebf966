"""What the methods that only differ in their step share: checking, reporting, stopping.

A method is a generator of iterates ``(theta, violation)``, one a step; it ends where rounding leaves no step to take.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..certificates import Status, evaluate_risk
from ..engine import keep_interrupt
from ..problems import Risk
from ._monitor import Monitor
from ._risk_solution import RiskSolution

# A gap is computed (three passes over the rows or more) after a quarter more steps than at the last time, or when the
# violation has fallen this far, though not in each of so few steps.
_GROWTH = 0.25
_FALL = 0.3
_APART = 3


def run(
    problem: Risk,
    start: np.ndarray,
    iterates: Iterator[tuple[np.ndarray, float]],
    tolerance: float,
    budget: int,
    monitor: Monitor | None,
    slopes: np.ndarray | None = None,
) -> RiskSolution:
    """Follow the iterates until the relative gap is proven, the budget is spent, or someone says stop."""
    theta, step, u = start, 0, slopes
    with keep_interrupt() as interrupt:
        evidence = evaluate_risk(problem, theta, slopes)
        u, gap = evidence.u, evidence.relative_gap
        if evidence.relative_gap <= tolerance:
            return RiskSolution(theta, u, Status.CONVERGED, 0)
        checked, reference = 0, np.inf
        while step < budget:
            ahead = next(iterates, None)
            if ahead is None:
                break
            theta, violation = ahead
            step += 1
            due = step - checked >= max(1, int(_GROWTH * checked))
            if due or (violation <= _FALL * reference and step - checked >= _APART):
                evidence = evaluate_risk(problem, theta)
                u, gap, checked, reference = evidence.u, evidence.relative_gap, step, violation
                if evidence.relative_gap <= tolerance:
                    return RiskSolution(theta, u, Status.CONVERGED, step)
            if monitor is not None and monitor.report(step, violation, gap):
                return RiskSolution(theta, u, Status.INTERRUPTED, step)
    if interrupt.kept:
        return RiskSolution(theta, u, Status.INTERRUPTED, step, keyboard=True)
    evidence = evaluate_risk(problem, theta)
    ended = Status.BUDGET_EXHAUSTED if step >= budget else Status.STALLED
    status = Status.CONVERGED if evidence.relative_gap <= tolerance else ended
    return RiskSolution(theta, evidence.u, status, step)
