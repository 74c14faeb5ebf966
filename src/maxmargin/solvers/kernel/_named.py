"""Solve by the solver that a user has named, and prove: whatever it claims, the certificate is recomputed from beta."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...certificates import Evidence, Status, evaluate
from ...kernels import MODERATE, MatrixGram
from ...problems import BoxQP
from .._driver import IterativeSolver
from .._monitor import Monitor
from .._solution import Solution
from ._certified import without_dust
from .active_set import ActiveSet
from .indefinite import LibsvmSteps
from .projected_gradient import ProjectedGradient

NAMED: dict[str, type[IterativeSolver]] = {
    "projected_gradient": ProjectedGradient,
    "smo": LibsvmSteps,
    "active_set": ActiveSet,
}
_ROUNDS = 12  # each aims ten times lower than the last
# What a fit by SMO may do when the user names no number, about half a minute of it: variables looked at. The rest of a
# step takes as long as so many of them.
_LOOKS, _STEP = 12_000_000_000, 400


def solve_named(
    name: str,
    problem: BoxQP,
    start: np.ndarray | None,
    tolerance: float,
    gap_tolerance: float | None,
    budget: int | None,
    monitor: Monitor | None,
    *,
    sign: int,
    cache_bytes: int,
    shrinking: bool,
) -> Solution:
    """Minimise until violation (and gap, where asked for) are *proven* to be within tolerance, by one solver alone."""
    solver = NAMED[name]
    options: dict[str, Any] = {}
    if solver is LibsvmSteps:
        options = {"sign": sign, "cache_bytes": cache_bytes, "shrinking": shrinking, "definite": True}
        small = problem.gram.shape[0] <= MODERATE
    else:
        small = _fits(name, problem, cache_bytes)
    if small and not isinstance(problem.gram, MatrixGram):
        problem = replace(problem, gram=MatrixGram.of(problem.gram))
    if budget is None:
        budget = _steps_for(problem.n) if solver is LibsvmSteps else solver.budget_for(problem)

    def met(evidence: Evidence) -> bool:
        return evidence.kkt_violation <= tolerance and (gap_tolerance is None or evidence.relative_gap <= gap_tolerance)

    used, target, beta = 0, tolerance, start
    best: Solution | None = None
    for _ in range(_ROUNDS):
        found = solver.solve(problem, beta, target, budget - used, monitor, before=used, **options)
        used += found.iterations
        beta = without_dust(problem, found.variables)
        evidence = evaluate(problem, beta, wanted=gap_tolerance)
        claims = found.status in (Status.CONVERGED, Status.STATIONARY)
        status = Status.CONVERGED if met(evidence) else Status.STALLED if claims else found.status
        now = replace(found, variables=beta, status=status, iterations=used, evidence=evidence, problem=problem)
        better = best is None or evidence.gap < best.evidence.gap or met(evidence)
        best = now if better else replace(best, iterations=used, status=status, keyboard=now.keyboard)  # type: ignore[type-var]
        if met(evidence) or not claims:
            break
        target /= 10
    assert best is not None
    return best


def _steps_for(n: int) -> int:
    """Steps of SMO when the user names no number, each of which looks at all n variables; at least 100 for each."""
    return max(100 * n, _LOOKS // (n + _STEP))


def _fits(name: str, problem: BoxQP, cache_bytes: int) -> bool:
    """Refuse a problem whose matrix does not fit the memory that it may take."""
    if 8 * problem.n**2 > cache_bytes:
        raise ValueError(
            f"solver={name!r} holds the whole kernel matrix, {8e-6 * problem.n**2:.0f} MB for {problem.n} variables; "
            f"cache_size allows {1e-6 * cache_bytes:.0f} MB. Raise cache_size, or use 'auto', 'decomposition' or 'smo'."
        )
    return True
