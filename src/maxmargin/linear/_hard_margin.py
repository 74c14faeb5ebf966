"""The hard margin of a linear machine: solved in multipliers, proven for the weights that predict.

    minimise 1/2 ||w||^2  subject to  y_i (<x_i, w> + b) >= 1,     maximise sum_i |beta_i| - 1/2 ||sum_i beta_i x_i||^2

over beta_i y_i >= 0 with sum 0. Samples of weight zero take no part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..certificates import NotSeparableError, RiskEvidence, Status, hard_margin_evidence
from ..kernels import make_kernel
from ..problems import BoxQP, Risk
from ..solvers import Monitor, solve_hard_margin


def solve_widest_street(
    problem: Risk, start: np.ndarray | None, tolerance: float, budget: int | None, monitor: Monitor
) -> tuple[np.ndarray, np.ndarray, Status, int, bool]:
    """Weights, multipliers, status, iterations, and whether Ctrl-C came; raises `NotSeparableError` with a proof."""
    kept = np.flatnonzero(problem.weights > 0)
    gram = make_kernel("linear", 0.0, 0.0, 1).gram(problem.rows, None, problem.threads)
    if len(kept) < problem.n:
        gram = gram.restricted(kept)
    box = BoxQP.classifier(gram, problem.y[kept], np.full(len(kept), np.inf))
    start = None if start is None else start[kept]
    try:
        solution = solve_hard_margin(box, start, tolerance, tolerance, budget, monitor)
    except NotSeparableError as error:
        proof = replace(error.proof, positive=kept[error.proof.positive], negative=kept[error.proof.negative])
        words = str(error).replace("with this kernel", "by a hyperplane").replace(" in feature space", "")
        raise NotSeparableError(words.replace("another kernel", "SVC with another kernel"), proof) from None
    beta = np.zeros(problem.n)
    beta[kept] = solution.beta
    theta = problem.transposed(beta)
    theta[-1] = solution.evidence.intercepts[0]
    return theta, beta, solution.status, solution.iterations, solution.keyboard


def evaluate_street(problem: Risk, theta: np.ndarray, beta: np.ndarray | None) -> RiskEvidence:
    """Both objectives from the weights and the multipliers, the primal rounded up and the dual down.

    The direction of the weights is scaled until the closest sample has margin 1, which makes it feasible. Multipliers
    of the heavier sign are scaled by 1 - t until their sum is exactly zero.
    """
    return hard_margin_evidence(problem, theta, np.zeros(problem.n) if beta is None else beta)
