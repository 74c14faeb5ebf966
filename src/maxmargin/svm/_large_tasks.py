"""The problems of one fit of many rows, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..certificates import Status, evaluate_bracket
from ..problems import BoxQP
from ..solvers import Monitor, unproven
from ..solvers.large import TimeLimit
from ._bracketed import Bracketed, Start, certificates_of
from ._large_options import LargeOptions
from ._large_solve import solve_large


@dataclass(frozen=True, eq=False, kw_only=True)
class LargeTasks:
    """The problems of one fit, where each of them begins, and what they are all solved with."""

    problems: Sequence[BoxQP]
    names: Sequence[str]
    starts: Sequence[Start | None]
    method: str
    gap_tol: float
    memory: float  # bytes
    n_landmarks: int | None
    limit: TimeLimit
    threads: int
    seed: int

    def solve(self, k: int, monitor: Monitor) -> Bracketed:
        """Solve one problem; those that are still to come get as much time each."""
        options = LargeOptions(
            method=self.method,
            gap_tol=self.gap_tol,
            memory=self.memory,
            n_landmarks=self.n_landmarks,
            limit=self.limit.share(len(self.problems) - k),
            threads=self.threads,
        )
        found = solve_large(self.problems[k], options, np.random.default_rng([self.seed, k]), monitor, self.starts[k])
        monitor.certified(certificates_of([found], [self.names[k]])[0])
        return found

    def untouched(self, k: int) -> Bracketed:
        """A problem that Ctrl-C left undone."""
        problem, start = self.problems[k], self.starts[k]
        zero = np.zeros(problem.n)
        coefficients, beta, method = zero, zero, "exact"
        if start is not None:
            coefficients, beta, method = start.coefficients, start.beta, start.method
        evidence = evaluate_bracket(problem, zero, zero) if start is None else unproven(1)
        return Bracketed(coefficients, beta, evidence, Status.INTERRUPTED, 0, 0.0, method, "Interrupted.")
