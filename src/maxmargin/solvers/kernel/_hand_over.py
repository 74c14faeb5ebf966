"""When SMO gives way to the interior point, and what is made of its answer.

SMO's steps are cheap and most problems need few of them. With a large C or features of very different scales it moves
two variables at a time along a narrow valley: millions of steps, each of them a little progress. An interior point
takes 10 to 50 steps whatever the valley, each as long as thousands of SMO's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...certificates import Evidence, Status, evaluate, kkt_violation
from ...problems import BoxQP
from .._monitor import Monitor
from .._solution import Solution
from ._kernel_systems import KernelSystem, WholeSystem, may_solve
from ._polish import polish_free
from .decomposition import WHOLE
from .interior_box import InteriorBox, applies

_FIRST_STEPS = 20_000
# Gaps above this may be rounding errors times a large C (see `clear_of_slack`)
_GAP_OF_ROUNDING = 1e-9


def patience(problem: BoxQP, cache_bytes: int) -> int | None:
    """SMO steps after which the interior point is thought of; None if it cannot be tried at all."""
    if not (applies(problem) and may_solve(problem, cache_bytes)):
        return None
    # beyond one block only a factor of low rank helps, and looking for one takes the time of a sweep or two:
    # magic04, 8000 rows, C=100 took 0.42 s instead of 0.29 when that was tried after 10 n steps
    return _FIRST_STEPS + (10 if problem.n <= WHOLE else 100) * problem.n


def patience_with(problem: BoxQP, system: KernelSystem) -> int:
    """SMO steps that take the time of an interior point with this system: whichever is right, the other costs no more.

    Steps with a factor of low rank are soon made up for.
    """
    return _FIRST_STEPS + (problem.n**2 // 4 if isinstance(system, WholeSystem) else 10 * problem.n)


def repair_steps(problem: BoxQP) -> int:
    """SMO steps allowed to put right what the interior point has left."""
    return _FIRST_STEPS + 10 * problem.n


def solve_inside(
    problem: BoxQP, system: KernelSystem, tolerance: float, budget: int, monitor: Monitor | None, steps_before: int
) -> Solution:
    """The interior point's answer, made exact on its free variables."""
    used = 0
    # From near zero the hard margin is reached soonest; where the classes overlap, multipliers of the size of a large C
    # are too far away from there, but not from the middle of the box.
    for wide in (False, True):
        options: dict[str, Any] = {"system": system, "wide": wide, "before": steps_before + used}
        solution = InteriorBox.solve(problem, None, tolerance, budget - used, monitor, **options)
        used += solution.iterations
        if solution.status is Status.INTERRUPTED:
            return replace(solution, iterations=used)
        beta = polish_free(problem, solution.variables)
        violation = kkt_violation(problem, beta, problem.p - problem.image(beta))
        if violation <= tolerance or solution.status is Status.BUDGET_EXHAUSTED or any(problem.totals):
            break
    return Solution(beta, solution.status, used, violation)


def rounding_noise(problem: BoxQP, beta: np.ndarray) -> float:
    """About how far rounding errors of beta and of K beta may move the residuals of a sample."""
    length = np.sqrt(np.maximum(problem.gram.diagonal(), 0.0))
    lengths = length if problem.sample is None else length[problem.sample]
    return float(np.finfo(np.float64).eps * lengths.max(initial=0.0) * (lengths @ np.abs(beta)))


def clear_of_slack(
    problem: BoxQP, beta: np.ndarray, evidence: Evidence, tolerance: float
) -> tuple[np.ndarray, Evidence]:
    """The same answer larger by a factor of 1 + 1e-13 or so, if that proves more.

    Where C exceeds what the hard margin needs, margins that rounding leaves 1e-13 short of 1 cost C times that in the
    primal objective: at C = 1e12 as much as the objective itself. Multipliers larger by as small a factor lift all
    margins above 1, and cost only that factor.
    """
    far = np.maximum(np.abs(problem.lower), np.abs(problem.upper))
    if evidence.relative_gap <= _GAP_OF_ROUNDING or any(problem.totals) or (np.abs(beta) >= far / 2).any():
        return beta, evidence
    factors = np.geomspace(1e-15, tolerance, 40)
    gaps = [_gap_enlarged(problem, beta, evidence, factor) for factor in factors]
    if not min(gaps) < evidence.gap / 2:
        return beta, evidence
    best, factor, noise = (beta, evidence), float(factors[int(np.argmin(gaps))]), rounding_noise(problem, beta)
    # a margin counts as 1 only beyond the bound of its own rounding error, which may be far above its usual size
    for more in (0.0, 4.0, 1e2, 1e3, 1e4, 1e5):
        larger = beta * (1 + factor + more * noise)
        found = evaluate(problem, larger)
        if found.kkt_violation > tolerance or found.gap > 2 * best[1].gap:
            break
        if found.gap < best[1].gap:
            best = larger, found
    return best


def _gap_enlarged(problem: BoxQP, beta: np.ndarray, evidence: Evidence, factor: float) -> float:
    """About the gap of ``(1 + factor) beta`` with intercepts enlarged alike, from what is known of beta."""
    intercept = np.array(evidence.intercepts)[0 if problem.group is None else problem.group]
    larger, r = beta * (1 + factor), problem.p - (1 + factor) * (evidence.image + intercept)
    return float((problem.upper - larger) @ np.maximum(r, 0.0) + (larger - problem.lower) @ np.maximum(-r, 0.0))
