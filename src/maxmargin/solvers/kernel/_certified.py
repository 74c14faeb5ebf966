"""Solve, prove, and go on where the proof falls short.

The solver's word is not taken: after each call the certificate is recomputed in float64 from beta. If it does not meet
the tolerance (float32 was too coarse, or a duality gap was asked for), the solver goes on from there, in float64.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...certificates import Evidence, Status, evaluate, evaluate_screened, in_float64
from ...kernels import MatrixGram
from ...problems import BoxQP
from .._monitor import Monitor
from .._solution import Solution
from ._hand_over import clear_of_slack, patience, patience_with, repair_steps, rounding_noise, solve_inside
from ._kernel_systems import system_of
from ._polish import polish_support
from .decomposition import Decomposition, automatic_budget

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
# An interior point that ends further off than rounding errors times this has lost its way.
_HELPLESS = 100.0
_PATIENT = 3  # rounds in which a gap that is asked for may stay as it is
_ROUNDS = 30  # each round but the first tightens the tolerance tenfold or repairs rounding


def without_dust(problem: BoxQP, beta: np.ndarray) -> np.ndarray:
    """Multipliers that rounding left a hair's breadth from a bound, set on it; a free variable takes the difference.

    A variable of 1e-17 is as good as none, but as one that may rise and fall it would have conditions to meet.
    """
    # relative to the variables themselves: a bound of 1e12 that none of them comes near says nothing of their rounding
    hair = 1e-14 * np.minimum(problem.upper - problem.lower, np.abs(beta).max(initial=0.0))
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


def untouched(problem: BoxQP, start: np.ndarray | None) -> Solution:
    """A problem that Ctrl-C left before its turn: its start, of which nothing is claimed."""
    beta = problem.feasible_start() if start is None else start
    return Solution(beta, Status.INTERRUPTED, 0, evidence=unproven(len(problem.totals)))


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
    inside: bool = True,
    screened: bool = False,
) -> Solution:
    """Minimise until violation (and gap, where asked for) are *proven* to be within tolerance.

    `image` is ``K start`` where the caller knows it: nothing is then computed before the solver begins. `inside`:
    whether an interior point may take over where SMO is slow. `screened`: whether values of ``evidence.image`` may be
    float32's that no figure of the evidence is made of.
    """
    budget = automatic_budget(problem.n) if budget is None else budget
    attempt = _Attempt(
        problem,
        tolerance,
        gap_tolerance,
        budget,
        monitor,
        cache_bytes=cache_bytes,
        shrinking=shrinking,
        steps_before=steps_before,
        inside=inside,
        screened=screened,
    )
    if start is not None and image is None:
        evidence = evaluate(attempt.problem, start, wanted=gap_tolerance)
        if attempt.met(evidence):
            return attempt.result(Status.CONVERGED, start, evidence)
        image = evidence.image
    return attempt.run(start, image)


class _Attempt:
    """One problem, from its start to its proof."""

    def __init__(
        self,
        problem: BoxQP,
        tolerance: float,
        gap_tolerance: float | None,
        budget: int,
        monitor: Monitor | None,
        *,
        cache_bytes: int,
        shrinking: bool,
        steps_before: int,
        inside: bool,
        screened: bool,
    ) -> None:
        self.given = problem
        self.problem = _in_float64(problem) if problem.n <= _TINY else problem
        self.tolerance, self.gap_tolerance, self.budget, self.monitor = tolerance, gap_tolerance, budget, monitor
        self.cache_bytes, self.shrinking, self.steps_before = cache_bytes, shrinking, steps_before
        self.small = problem.n <= _SMALL
        self.evaluate = evaluate_screened if screened else evaluate
        self.dtype = np.float32 if self.problem.gram.float32_error() <= _FLOAT32_LIMIT else np.float64
        self.used = 0
        # the number of steps at which SMO ends, and whether the interior point is to be tried then
        first = patience(problem, cache_bytes) if inside else None
        self.end, self.may_go_inside = budget if first is None else min(budget, first), first is not None
        self.best: tuple[np.ndarray, Evidence] | None = None
        self.narrowest, self.idle = np.inf, 0  # the gap so far, and the rounds in which it hardly moved

    def met(self, evidence: Evidence) -> bool:
        small_gap = self.gap_tolerance is None or evidence.relative_gap <= self.gap_tolerance
        return evidence.kkt_violation <= self.tolerance and small_gap

    def run(self, start: np.ndarray | None, image: np.ndarray | None) -> Solution:
        beta = self.problem.feasible_start() if start is None else start
        residual = None if image is None else self.problem.p - image
        target, before = self.tolerance, np.inf
        for _ in range(_ROUNDS):
            solution = self._smo(beta, residual, target)
            stopped = self._must_stop(solution)
            values = self.problem.n * np.count_nonzero(solution.variables)
            if stopped and self.best is not None:
                return self.result(solution.status, *self.best)
            if (solution.keyboard and values > _QUICK) or stopped:
                nothing = unproven(len(self.problem.totals), solution.intercepts)
                return replace(solution, status=Status.INTERRUPTED, iterations=self.used, evidence=nothing)
            beta, evidence = self._proven(solution)
            exact = not self.small or self.dtype == np.float64 or evidence.kkt_violation <= _EXACT
            out_of_steps = solution.status is Status.BUDGET_EXHAUSTED
            # small problems are solved to rounding, by the interior point if SMO does not get there
            unfinished = self.small and out_of_steps and self.may_go_inside and self.used < self.budget
            if self.met(evidence) and exact and not unfinished:
                return self._converged(beta, evidence)
            if solution.status is Status.INTERRUPTED or (out_of_steps and self.used >= self.budget):
                return self.result(solution.status, beta, evidence, solution.keyboard)
            stalled = solution.status is Status.STALLED and evidence.kkt_violation >= before / 2
            if (out_of_steps or stalled) and not self.may_go_inside:
                break
            if out_of_steps or stalled:
                done = self._go_inside(beta, evidence, stalled)
                if done is not None:
                    return done
                assert self.best is not None
                beta, evidence = self.best
            elif evidence.kkt_violation <= target and exact:
                target /= 10  # converged, but the gap is not small enough yet
                self.end = min(self.end, self.used + repair_steps(self.problem))
            if evidence.kkt_violation <= self.tolerance and exact and self._no_narrower(evidence):
                break
            self._in_float64()
            residual = self.problem.p - in_float64(self.problem, beta, evidence)
            before = evidence.kkt_violation
        assert self.best is not None
        return self.result(Status.STALLED, *self.best)

    def _must_stop(self, solution: Solution) -> bool:
        """Whether there is no time for a proof: who has asked computes what there is time for."""
        if self.monitor is None:
            return False
        return not self.monitor.proves or (solution.status is Status.INTERRUPTED and self.monitor.out_of_time)

    def _no_narrower(self, evidence: Evidence) -> bool:
        """Whether rounding keeps the gap that was asked for out of reach, by itself or as several rounds have shown."""
        if self.gap_tolerance is None or self.best is None:
            return False
        size = max(abs(evidence.primal), abs(evidence.dual))
        self.idle = 0 if self.best[1].gap < self.narrowest / 2 else self.idle + 1
        self.narrowest = min(self.narrowest, self.best[1].gap)
        return evidence.rounding > self.gap_tolerance * size or self.idle > _PATIENT

    def _smo(self, beta: np.ndarray, residual: np.ndarray | None, target: float) -> Solution:
        aim = _AIM_SMALL if self.small else _AIM_FLOAT32 if self.dtype == np.float32 else 1.0
        solution = Decomposition.solve(
            self.problem,
            beta,
            aim * target,
            max(0, self.end - self.used),
            self.monitor,
            dtype=self.dtype,
            residual=residual,
            cache_bytes=self.cache_bytes,
            shrinking=self.shrinking,
            before=self.steps_before + self.used,
        )
        self.used += solution.iterations
        return solution

    def _proven(self, solution: Solution) -> tuple[np.ndarray, Evidence]:
        """SMO's answer, cleaned and (where that is quick) made exact, and what is true of it."""
        beta = without_dust(self.problem, solution.variables)
        if self.small and solution.status is Status.CONVERGED:
            beta = polish_support(self.problem, beta)
        return self._keep(beta, self.evaluate(self.problem, beta, wanted=self.gap_tolerance))

    def _keep(self, beta: np.ndarray, evidence: Evidence) -> tuple[np.ndarray, Evidence]:
        """Remember the best: within the tolerance if one is, and then of the smallest gap."""

        def rank(found: Evidence) -> tuple[bool, float, float]:
            return found.kkt_violation > self.tolerance, found.gap, found.kkt_violation

        if self.best is None or rank(evidence) <= rank(self.best[1]):
            self.best = beta, evidence
        return beta, evidence

    def _whole(self) -> np.ndarray | None:
        """All of K, if it has been computed."""
        return None if self.problem.gram is self.given.gram else self.problem.gram.whole(np.float64)

    def _go_inside(self, beta: np.ndarray, evidence: Evidence, stalled: bool) -> Solution | None:
        """Try the interior point; None if SMO has to go on, from the better of the two answers."""
        self._in_float64()
        system = system_of(self.given, self.cache_bytes, self._whole())
        self.may_go_inside = system is not None
        self.end = self.budget if system is None else min(self.budget, patience_with(self.problem, system))
        if system is None or (self.used < self.end and not stalled):
            return None
        self.may_go_inside = False
        left, before = self.budget - self.used, self.steps_before + self.used
        solution = solve_inside(self.problem, system, self.tolerance, left, self.monitor, before)
        self.used += solution.iterations
        if solution.keyboard:
            return self.result(Status.INTERRUPTED, beta, evidence, keyboard=True)
        beta, evidence = self._keep(
            solution.variables, evaluate(self.problem, solution.variables, wanted=self.gap_tolerance)
        )
        assert self.best is not None
        if self.met(self.best[1]):
            return self._converged(*self.best)
        if solution.status is Status.INTERRUPTED:
            return self.result(Status.INTERRUPTED, *self.best)
        # Near the optimum, SMO may put the rest right; far from it, nothing is known yet of how far one can get.
        near = evidence.kkt_violation <= max(1.0, _HELPLESS * rounding_noise(self.problem, beta))
        self.end = min(self.budget, self.used + repair_steps(self.problem)) if near else self.budget
        return None

    def _in_float64(self) -> None:
        if self.small and self.dtype == np.float32:
            self.problem = _in_float64(self.problem)
        self.dtype = np.float64

    def _converged(self, beta: np.ndarray, evidence: Evidence) -> Solution:
        beta, evidence = clear_of_slack(self.problem, beta, evidence, self.tolerance)
        return self.result(Status.CONVERGED, beta, evidence)

    def result(self, status: Status, beta: np.ndarray, evidence: Evidence, keyboard: bool = False) -> Solution:
        return Solution(beta, status, self.used, evidence=evidence, keyboard=keyboard, problem=self.problem)
