"""One problem of many rows: which way it is solved, the solution, and the two bounds of the exact optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..certificates import (
    Evidence,
    LowerBound,
    Status,
    evaluate,
    evaluate_bracket,
    lower_bound,
    sampled_lower_bound,
    scaled_bound,
    violation_at,
)
from ..engine import Stopwatch, was_interrupted
from ..problems import BoxQP
from ..solvers import Monitor, feasible, solve_kernel, unproven
from ..solvers.large import (
    Approximation,
    ChosenRows,
    TimeLimit,
    best_scale,
    one_side,
    solve_in_cells,
    solve_near_rows,
    solve_on_landmarks,
)
from ._bracketed import Bracketed, Start
from ._large_choice import Choice
from ._large_costs import ProofCosts
from ._large_options import CACHE, LargeOptions

# Rows up to which the exact solver needs no start: it takes some seconds, as landmarks would.
_EXACT_AT_ONCE = 50_000
# A machine with a larger gap is no start for exact steps: its decision values cost more than the steps it saves.
_HOPELESS = 0.5
# Kernel values that are computed in well under a second after Ctrl-C.
_QUICK = 200_000_000
# Values of float32 kernels worse than this, relative to the diagonal, are no start.
_FLOAT32_LIMIT = 1e-4
_DRAWS = 200_000  # rows of a sampled bound at most
# The share of a time limit for the lower bound, at most.
_PROOF = 0.4


def solve_large(
    problem: BoxQP, options: LargeOptions, random: np.random.Generator, monitor: Monitor, start: Start | None = None
) -> Bracketed:
    """Solve one problem; `start` is what an earlier fit has found, if one is to be gone on from."""
    run = _Run(problem, options, random, monitor)
    if start is None or not (start.coefficients.any() or start.beta.any()):
        run.begin()
    else:
        run.go_on(start)
    run.refine()
    return run.result()


class _Run:
    """A problem on its way."""

    def __init__(self, problem: BoxQP, options: LargeOptions, random: np.random.Generator, monitor: Monitor) -> None:
        self.problem, self.options, self.random, self.monitor = problem, options, random, monitor
        self.watch = Stopwatch()
        self.n = problem.gram.shape[0]
        self.coefficients = self.beta = np.zeros(problem.n)
        self.evidence: Evidence | None = None
        self.method, self.words, self.iterations = "exact", "", 0
        self.out_of_time = False
        self.start: np.ndarray | None = None  # multipliers of which nothing is known, to go on from
        self.left: np.ndarray | None = None  # of the length of each row, by landmarks
        self.costs = ProofCosts(problem.gram, random)
        self.choice = Choice(problem, options, random)

    # ---------------------------------------------------------------- the way

    def begin(self) -> None:
        """The approximation that the method names, if any."""
        method = self.options.method
        if method == "auto" and self.n <= _EXACT_AT_ONCE:
            self.words = f"{self.n} rows are few enough for the exact solver. "
        elif method != "exact":
            self._approximate(method)

    def go_on(self, start: Start) -> None:
        """From what an earlier fit has found: with more landmarks, more passes over cells, or exact steps later."""
        if self.options.method == "landmarks":
            self._add_landmarks(start.coefficients)
            return
        beta = feasible(self.problem, start.beta)
        same = np.array_equal(start.coefficients, beta)  # one array then: its bounds take half, and prove more
        first = Approximation(beta if same else start.coefficients, beta, 0)
        self.take(first, start.method, "It goes on from the last fit. ")
        if self.options.method == "cells" and not (self.met or self.options.limit.over or was_interrupted()):
            self._train_further()

    def _add_landmarks(self, coefficients: np.ndarray) -> None:
        rows = np.flatnonzero(coefficients.reshape(-1, self.n).any(axis=0))
        first = rows if 0 < len(rows) <= self.choice.most() else None
        chosen = self.choice.landmarks(first)
        if chosen is not None:
            self.words += "It goes on from the last fit. "
            self._train_on(chosen, None if first is None else coefficients)

    def _approximate(self, method: str) -> None:
        landmarks = self.choice.landmarks() if method != "cells" else None
        cells = None if method == "landmarks" else self.choice.cells()
        if method == "auto":
            method, why = self.choice.compare(landmarks, cells)
            self.words += why
        if method == "landmarks" and landmarks is not None:
            self._train_on(landmarks)
        elif method == "cells" and cells is not None:
            self._train_in(cells)

    def _train_on(self, landmarks: ChosenRows, start: np.ndarray | None = None) -> None:
        o = self.options
        left = self._before_proof(len(landmarks.rows))
        found = solve_on_landmarks(
            self.problem, landmarks.rows, o.first_gap / 10, left, self.random, o.threads, self.monitor, start
        )
        used, chosen = int(np.count_nonzero(found.coefficients)), len(landmarks.rows)
        leave = "landmarks leave" if chosen > 1 else "landmark leaves"
        self.words += f"{chosen} {leave} {landmarks.left:.2%} of the kernel's trace. "
        if used < chosen and not found.finished:
            self.words += f"There was time for {used or 'none'} of them. "
        self.out_of_time = not found.finished and np.isfinite(o.limit.left)
        if o.goes_on and not was_interrupted():  # what these multipliers prove is not asked for
            self.start, self.left, found = found.beta, found.left, replace(found, beta=np.zeros(self.problem.n))
        self.take(found, "landmarks", found.words)

    def _train_further(self) -> None:
        """Train in cells from the multipliers there are; what was known stays where that proves no more."""
        cells = self.choice.cells()
        if cells is None:
            return
        known = self.coefficients, self.beta, self.method, self.evidence
        self.evidence = None
        self._train_in(cells, self.beta)
        before, after = (np.inf if e is None else e.gap for e in (known[3], self.evidence))
        if not after < before:
            self.coefficients, self.beta, self.method, self.evidence = known
            self.words += "That came no nearer. "

    def _train_in(self, cells: list[np.ndarray], start: np.ndarray | None = None) -> None:
        o = self.options
        left, cache = self._before_proof(self.n), int(CACHE * o.memory)
        found = solve_in_cells(self.problem, cells, o.first_gap, left, o.threads, cache, self.monitor, start)
        count = f"{len(cells)} cells" if len(cells) > 1 else "one cell"
        self.words += f"Trained in {count} of neighbouring rows{'' if found.finished else ', not to the end'}. "
        self.out_of_time = left.over
        self.take(found, "cells", "")

    def _before_proof(self, terms: int) -> TimeLimit:
        """The limit less what the bounds of a decision function of at most so many terms will take."""
        limit = self.options.limit
        if limit.left == np.inf:
            return limit
        below = min(self.costs.lower(self.n // 2), _PROOF * limit.left)
        return limit.sooner(min(below + self.costs.upper(min(terms, self.n // 2)), 0.8 * limit.left))

    # ---------------------------------------------------------------- what is known

    def take(self, found: Approximation, method: str, words: str) -> None:
        """Bound the optimum by an approximation."""
        self.beta = one_side(self.problem, found.beta)  # which is what the model keeps
        self.coefficients = self.beta if found.coefficients is found.beta else found.coefficients
        self.method, self.words = method, self.words + words
        self.iterations += found.iterations
        support = int(np.count_nonzero(self.beta))
        values = float(support) ** 2 + float(self.n) * np.count_nonzero(self.coefficients)
        if was_interrupted() and values > _QUICK:  # multipliers that are all zero bound the optimum by 0
            self.beta = np.zeros(self.problem.n)
            if float(self.n) * np.count_nonzero(self.coefficients) > 5 * _QUICK:
                return
        if self.coefficients is self.beta:
            if self.costs_too_much(self.costs.upper, support):
                self.out_of_time = True
                self.words += "There was no time for the bounds. "
                return
            self.evidence = self._joined(evaluate(self.problem, self.beta))
            image = self.evidence.image
            too_large = float(self.problem.p @ self.beta) < float(self.beta @ image)
            if not too_large or self.costs_too_much(self.costs.upper, support):
                return
            # both objectives are better with less of it
            self.coefficients = best_scale(self.problem, self.beta, image) * self.beta
        below = self._bound_below()
        linear = float(self.problem.p @ self.beta)
        if (
            below.confidence == 1
            and 0 < below.square < np.inf
            and linear < (1 - min(self.options.gap_tol, 1.0) / 10) * below.square
        ):
            # along t beta the dual is t p'beta - t^2/2 beta'K beta: this one is beyond its largest value
            self.beta, below = scaled_bound(self.problem, self.beta, below, max(linear / below.square, 0.0))
        self.evidence = evaluate_bracket(self.problem, self.coefficients, self.beta, below=below)

    def _bound_below(self) -> LowerBound:
        """What beta proves, or what a sample of rows says of it where the proof takes longer than there is time."""
        support = int(np.count_nonzero(self.beta))
        if not self.costs_too_much(self.costs.lower, support):
            watch = Stopwatch()
            proven = lower_bound(self.problem, self.beta)
            self.costs.learn(0.5 * float(support) ** 2, watch.seconds())
            return proven
        terms = np.flatnonzero(self.coefficients.reshape(-1, self.n).any(axis=0))
        left = self.options.limit.sooner(self.costs.upper(len(terms)))
        found = sampled_lower_bound(self.problem, self.beta, terms, self.random, rows=_DRAWS, left=left.remaining)
        self.beta, self.out_of_time = found.beta, True
        drawn = f"it is sampled, by {found.rows} rows" if found.confidence < 1 else "it is that of no multipliers, 0"
        self.words += f"There was no time to prove the lower bound: {drawn}. "
        return found

    def _joined(self, evidence: Evidence, beta: np.ndarray | None = None) -> Evidence:
        """The violation as `evaluate_bracket` has it: at the intercepts of the model."""
        if not len(evidence.image):
            return evidence
        beta = self.beta if beta is None else beta
        residual = self.problem.p - evidence.image
        return replace(evidence, kkt_violation=violation_at(self.problem, beta, residual, list(evidence.intercepts)))

    @property
    def met(self) -> bool:
        """Whether the gap is proven to be what was asked for."""
        found = self.evidence
        return found is not None and found.confidence == 1 and found.relative_gap <= self.options.gap_tol

    def refine(self) -> None:
        """Go on by exact steps, where the method allows it, until the gap is what was asked for or time is over."""
        o = self.options
        if self.met or o.method in ("landmarks", "cells") or o.limit.over or was_interrupted():
            return
        started = self._is_start()
        monitor, limit = self.monitor, o.limit
        if np.isfinite(o.limit.left):
            seconds = self.costs.upper(int(np.count_nonzero(self.beta)) if started else self.n // 2)
            seconds *= self.problem.n // self.n  # of a regressor's the bounds may be computed twice
            if self.evidence is not None and seconds > 0.9 * o.limit.left:
                return  # what is proven already is worth more than steps of which nothing will be
            proves = seconds < 0.5 * o.limit.left
            limit = o.limit.sooner(seconds) if proves else o.limit
            monitor = monitor.until(limit.is_over, proves)
        beta, image = self._start_of_steps(monitor, limit) if started else (None, None)
        if self.met:
            return
        solution = solve_kernel(
            self.problem,
            beta,
            o.tolerance,
            o.gap_tol,
            None,
            monitor,
            image=image,
            cache_bytes=int(CACHE * o.memory),
        )
        self.out_of_time = limit.over
        self.iterations += solution.iterations
        found = one_side(self.problem, solution.variables)
        evidence = solution.evidence if found is solution.variables else unproven(1)
        support = int(np.count_nonzero(found))
        if not len(evidence.image):  # time was over, or Ctrl-C came, and nothing was computed
            late = was_interrupted() and float(self.n) * support > _QUICK
            if late or self.costs_too_much(self.costs.upper, support):
                self.out_of_time = not late
            else:
                evidence = evaluate(self.problem, found)
        self._take_if_better(found, evidence, started)
        if self.beta is found and not len(evidence.image):
            self.words += "There was no time for their bounds: verify(X, y) computes them. "

    def _take_if_better(self, beta: np.ndarray, evidence: Evidence, started: bool) -> None:
        """Keep multipliers and the machine that they make, if they prove more than what is known."""
        known = self.evidence
        proven = known is not None and known.confidence < 1 and evidence.gap < np.inf  # where the other is sampled
        if known is None or evidence.gap < known.gap or proven:
            self.coefficients = self.beta = beta
            self.evidence = self._joined(evidence, beta)
            if self.method != "exact" or not started:
                self.words += "Exact steps from there. " if started else "Exact from the beginning. "
            self.method = "exact"

    def _is_start(self) -> bool:
        """Whether exact steps go on from what is known."""
        if self.start is not None:
            return True
        if self.evidence is not None and self.evidence.relative_gap > _HOPELESS:
            return self.coefficients is self.beta  # whose decision values are known
        return self.evidence is not None or bool(self.beta.any())

    def _start_of_steps(self, monitor: Monitor, limit: TimeLimit) -> tuple[np.ndarray, np.ndarray | None]:
        """Multipliers to go on from, and K beta where it is known.

        Those of a machine of landmarks are first brought nearer to the exact ones by steps among few rows: often that
        is all there is to do.
        """
        known, o = self.evidence, self.options
        beta = self.beta if self.start is None else self.start
        if known is None or not len(known.image):
            return beta, None
        if self.coefficients is beta:
            return beta, known.image
        twice = 2 * self.costs.upper(int(np.count_nonzero(beta))) if np.isfinite(limit.left) else 0.0
        if self.problem.gram.float32_error() > _FLOAT32_LIMIT or twice > limit.left:
            return beta, None
        residual = self.problem.p - known.image - known.intercepts[0]
        found = solve_near_rows(self.problem, beta, residual, self.left, o.tolerance, monitor, int(CACHE * o.memory))
        self.iterations += found.iterations
        if was_interrupted() or monitor.was_stopped:
            return found.beta, None
        beta = one_side(self.problem, found.beta)
        evidence = evaluate(self.problem, beta, wanted=o.gap_tol)
        self._take_if_better(beta, evidence, True)
        return beta, evidence.image

    def costs_too_much(self, seconds: Callable[[int], float], count: int) -> bool:
        """Whether bounds of so many terms take longer than there is time, by more than a tenth of the limit."""
        limit = self.options.limit
        return limit.left < np.inf and seconds(count) > max(limit.left, 0.0) + 0.05 * limit.seconds

    def result(self) -> Bracketed:
        if self.evidence is None and not self.coefficients.any():  # nothing was reached: the machine that is constant
            self.evidence = evaluate_bracket(self.problem, self.coefficients, self.beta)
        evidence = unproven(1) if self.evidence is None else self.evidence
        if self.met:
            status = Status.CONVERGED
        elif was_interrupted() or self.monitor.was_stopped:
            status = Status.INTERRUPTED
        elif self.out_of_time or self.options.limit.over:
            status = Status.BUDGET_EXHAUSTED
        else:
            status = Status.STALLED
        return Bracketed(
            self.coefficients,
            self.beta,
            evidence,
            status,
            self.iterations,
            self.watch.seconds(),
            self.method,
            self.words.strip(),
        )
