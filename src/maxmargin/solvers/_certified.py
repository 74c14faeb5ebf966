"""Solve, prove, and go on where the proof falls short.

The solver's word is not taken: after each call the certificate is recomputed in float64 from beta. If it does not meet
the tolerance (float32 was too coarse, or a duality gap was asked for), the solver goes on from there, in float64.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..certificates import Evidence, Status, evaluate
from ..kernels import MatrixGram
from ..problems import BoxQP
from . import decomposition
from ._monitor import Monitor
from ._polish import polish_support

# Values of float32 kernels worse than this (relative to the diagonal) would mislead: start in float64 at once.
_FLOAT32_LIMIT = 1e-4
# Kernel values that can be computed in well under a second after Ctrl-C.
_QUICK = 20_000_000
# Small problems are solved to rounding. Up to the first number all of K is computed in float64; up to the second SMO
# works in float32 and the answer is made exact on its support vectors, with all of K only where that is not enough.
# At 569 samples (breast cancer) both take 2.1 ms; where float32 is not enough it is twice that (digits: 5.6).
_TINY = 640
_SMALL = 1024
# SMO aims lower than was asked for by this factor. In small problems, so that Newton's steps find the right set of free
# variables (digits: 80 SMO steps more, 0.05 ms, and one Newton step instead of three, 0.6 ms less); in float32, so that
# the certificate holds at the first attempt.
_AIM_SMALL, _AIM_FLOAT32 = 0.1, 0.9
_EXACT = 1e-9
_ROUNDS = 30  # each round but the first tightens the tolerance tenfold or repairs rounding


@dataclass(frozen=True)
class CertifiedSolution:
    """A solution and the evidence recomputed from it. The status is the evidence's, not the solver's."""

    beta: np.ndarray
    status: Status
    iterations: int
    evidence: Evidence
    keyboard: bool = False
    problem: BoxQP | None = None

    @classmethod
    def untouched(cls, problem: BoxQP, start: np.ndarray | None) -> CertifiedSolution:
        """A problem that Ctrl-C left before its turn: its start, of which nothing is claimed."""
        beta = problem.feasible_start() if start is None else start
        return cls(beta, Status.INTERRUPTED, 0, unproven(len(problem.totals)))


def _without_dust(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """Multipliers that rounding left a hair's breadth from a bound, set on it; a free variable takes the difference.

    A variable of 1e-17 is as good as none, but as one that may rise and fall it would have conditions to meet.
    """
    hair = 1e-14 * np.where(np.isfinite(problem.upper - problem.lower), problem.upper - problem.lower, 0.0)
    clean = np.where(beta - problem.lower <= hair, problem.lower, beta)
    clean = np.where(problem.upper - clean <= hair, problem.upper, clean)
    for g in range(len(problem.totals)):
        members = np.arange(problem.n)[problem.members(g)]
        room = np.minimum(clean[members] - problem.lower[members], problem.upper[members] - clean[members])
        swept = float((beta[members] - clean[members]).sum())
        if swept and room.max() > 0:
            freest = members[np.argmax(room)]
            clean[freest] = np.clip(clean[freest] + swept, problem.lower[freest], problem.upper[freest])
    return clean


def _in_float64(problem: BoxQP) -> BoxQP:
    """The same small problem with all of K computed."""
    return replace(problem, gram=MatrixGram.of(problem.gram))


def unproven(groups: int, intercepts: tuple[float, ...] | None = None) -> Evidence:
    """Figures that nobody has computed, as they are in an interrupted fit too large to certify within a second."""
    nan = float("nan")
    return Evidence(nan, nan, np.inf, np.inf, np.inf, intercepts or (0.0,) * groups, np.empty(0))


def solve_certified(
    problem: BoxQP,
    start: np.ndarray | None = None,
    tolerance: float = 1e-3,
    gap_tolerance: float | None = None,
    budget: int | None = None,
    monitor: Monitor | None = None,
    *,
    cache_bytes: int = 200_000_000,
    shrinking: bool = True,
    steps_before: int = 0,
    image: np.ndarray | None = None,
) -> CertifiedSolution:
    """Minimise until violation (and gap, where asked for) are *proven* to be within tolerance.

    `image` is ``K start`` where the caller knows it: nothing is then computed before the solver begins.
    """
    budget = decomposition.automatic_budget(problem.n) if budget is None else budget
    small = problem.n <= _SMALL
    if problem.n <= _TINY:
        problem = _in_float64(problem)
    dtype = np.float32 if problem.gram.float32_error() <= _FLOAT32_LIMIT else np.float64
    residual, target, used, proven = None, tolerance, 0, None

    def met(evidence: Evidence) -> bool:
        small_gap = gap_tolerance is None or evidence.relative_gap <= gap_tolerance
        return evidence.kkt_violation <= tolerance and small_gap

    if start is None:
        beta = problem.feasible_start()
    elif image is not None:
        beta, residual = start, problem.p - image
    else:
        beta, evidence = start, evaluate(problem, start, wanted=gap_tolerance)
        if met(evidence):
            return CertifiedSolution(beta, Status.CONVERGED, 0, evidence, problem=problem)
        residual = problem.p - evidence.image
    for _ in range(_ROUNDS):
        aim = _AIM_SMALL if small else _AIM_FLOAT32 if dtype == np.float32 else 1.0
        solution = decomposition.solve(
            problem,
            beta,
            aim * target,
            budget - used,
            monitor,
            dtype=dtype,
            residual=residual,
            cache_bytes=cache_bytes,
            shrinking=shrinking,
            steps_before=steps_before + used,
        )
        used += solution.iterations
        if solution.keyboard and problem.n * np.count_nonzero(solution.beta) > _QUICK:
            return CertifiedSolution(
                solution.beta,
                Status.INTERRUPTED,
                used,
                unproven(len(problem.totals), solution.intercepts),
                keyboard=True,
            )
        beta = _without_dust(problem, solution.beta)
        if small and solution.status is Status.CONVERGED:
            beta = polish_support(problem, beta)
        evidence = evaluate(problem, beta, wanted=gap_tolerance)
        exact = not small or dtype == np.float64 or evidence.kkt_violation <= _EXACT
        if met(evidence) and exact:
            return CertifiedSolution(beta, Status.CONVERGED, used, evidence, problem=problem)
        if solution.status in (Status.INTERRUPTED, Status.BUDGET_EXHAUSTED):
            return CertifiedSolution(beta, solution.status, used, evidence, solution.keyboard, problem)
        stalled = solution.status is Status.STALLED and dtype == np.float64
        if stalled and proven is not None and evidence.kkt_violation >= proven.kkt_violation / 2:
            break
        if evidence.kkt_violation <= target and exact:
            target /= 10  # converged, but the gap is not small enough yet
        if small and dtype == np.float32:
            problem = _in_float64(problem)
        proven, residual, dtype = evidence, problem.p - evidence.image, np.float64
    return CertifiedSolution(beta, Status.STALLED, used, evidence, problem=problem)
