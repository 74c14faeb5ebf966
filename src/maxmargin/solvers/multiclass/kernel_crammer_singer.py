"""The Crammer-Singer machine with a kernel, by the linear one on coordinates whose inner products are the kernel's.

With K = V diag(d) V' the rows of Phi = V sqrt(d) have the inner products of phi(x_i), so that the linear problem on
them is the kernel's own, with the same multipliers: n coordinates at most, as many as K has positive eigenvalues. The
answer is judged by K itself.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...certificates import Status, evaluate_kernel_crammer_singer
from ...data import Rows
from ...kernels import Definiteness
from ...problems import CrammerSingerRisk, KernelCrammerSinger
from .._monitor import Monitor
from .._solution import Solution
from .._solve_risk import solve_risk
from .crammer_singer import CrammerSinger

_FLAT = 1e-14  # eigenvalues, relative to the largest, that are rounding errors of K
_ROUNDS = 8  # each aims ten times lower
_FIRST = 1e-4


def solve_kernel_crammer_singer(
    problem: KernelCrammerSinger,
    tolerance: float,
    gap_tolerance: float | None,
    budget: int | None,
    monitor: Monitor | None,
    definiteness: Definiteness,
) -> Solution:
    """Multipliers (n, classes) with intercepts, until violation and gap are *proven* to be within tolerance."""
    values, vectors = np.linalg.eigh(problem.gram.whole(np.float64).astype(np.float64))
    kept = values > _FLAT * max(float(values[-1]), 1e-300)
    rows = np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))
    if not rows.shape[1]:
        rows = np.zeros((problem.n, 1))
    twin = CrammerSingerRisk(Rows(rows), problem.labels, problem.classes, problem.weights)
    start, slopes, used, target = None, None, 0, min(_FIRST, gap_tolerance or _FIRST)
    best: Solution | None = None
    for _ in range(_ROUNDS):
        left = None if budget is None else max(0, budget - used)
        own = None if monitor is None else monitor.after(used * CrammerSinger.steps_an_iteration)
        found = solve_risk(twin, "auto", start, target, left, own, slopes)
        used += found.iterations
        alpha, b = np.asarray(found.evidence.u), found.variables[:, -1]
        evidence = evaluate_kernel_crammer_singer(problem, alpha, b, definiteness)
        met = evidence.kkt_violation <= tolerance and (gap_tolerance is None or evidence.relative_gap <= gap_tolerance)
        ended = found.status is not Status.CONVERGED
        status = Status.CONVERGED if met else found.status if ended else Status.STALLED
        now = replace(found, variables=alpha, status=status, iterations=used, evidence=evidence)
        best = now if best is None or met or evidence.gap <= best.evidence.gap else replace(best, iterations=used)
        if met or ended:
            break
        start, slopes, target = found.variables, alpha, target / 10
    assert best is not None
    return best
