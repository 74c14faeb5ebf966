"""The joint machine of Crammer and Singer: solved, and proven for the weights that predict."""

from __future__ import annotations

import numpy as np

from ..certificates import RiskEvidence, Status, evaluate_crammer_singer
from ..problems import CrammerSingerRisk
from ..solvers import Monitor, crammer_singer

# Sweeps that count as one iteration: each is cheap, and the intercepts need many.
SWEEPS = 10


def solve_all_classes(
    problem: CrammerSingerRisk,
    start: np.ndarray | None,
    alpha: np.ndarray | None,
    tolerance: float,
    budget: int | None,
    monitor: Monitor,
    seed: int,
) -> tuple[np.ndarray, RiskEvidence, Status, int, bool]:
    """Weights (a row a class), the evidence (its slopes are the multipliers), status, iterations, and Ctrl-C."""
    if alpha is not None and alpha.shape == (problem.n, problem.classes):
        alpha = np.where(problem.weights[:, None] > 0, alpha, 0.0)  # those that no longer take part
    else:
        alpha = None
    budget = crammer_singer.BUDGET if budget is None else SWEEPS * budget
    solution = crammer_singer.solve(problem, start, tolerance, budget, monitor, alpha, seed)
    evidence = evaluate_all_classes(problem, solution.W, solution.alpha)
    met = evidence.relative_gap <= tolerance
    status = Status.CONVERGED if met else solution.status
    if not met and status is Status.CONVERGED:
        status = Status.STALLED
    return solution.W, evidence, status, -(-solution.iterations // SWEEPS), solution.keyboard


def evaluate_all_classes(problem: CrammerSingerRisk, W: np.ndarray, alpha: np.ndarray | None) -> RiskEvidence:
    """The figures of a joint machine; the violation is how far the weights are from those of the multipliers."""
    if alpha is None or alpha.shape != (problem.n, problem.classes):
        alpha = np.zeros((problem.n, problem.classes))
    e = evaluate_crammer_singer(problem, W, alpha)
    violation = float(np.abs(W - problem.transposed(e.alpha))[:, :-1].max(initial=0.0))
    return RiskEvidence(e.primal, e.dual, e.gap, e.relative_gap, violation, e.alpha, np.empty(0), e.rounding)
