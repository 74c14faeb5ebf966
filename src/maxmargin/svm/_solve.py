"""Solving the binary problems of one fit, each by what its kernel matrix allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..certificates import IndefiniteKernelError, NotSeparableError, Status, with_definiteness
from ..engine import Stopwatch
from ..kernels import Kernel, definiteness
from ..problems import BoxQP
from ..solvers import Monitor, Solution, solve_kernel, untouched
from ._formulations import Formulation
from ._solved import Solved, certificate_of


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """One binary problem to solve.

    Attributes
    ----------
    problem : BoxQP
    start : ndarray or None
        Variables to start from.
    rows : ndarray
        The rows of X that its samples are.
    name : str
        Of its certificate.

    """

    problem: BoxQP
    start: np.ndarray | None
    rows: np.ndarray
    name: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Tasks:
    """The binary problems of one fit, and what they are all solved with.

    `first` is the sign of the class that LIBSVM lists first, 0 where variables are no classes.
    """

    tasks: Sequence[Task]
    formulation: Formulation
    kernel: Kernel
    first: int
    budget: int | None
    cache_bytes: int
    workers: int  # problems that run side by side and divide the cache
    shrinking: bool
    solver: str = "auto"

    def solve(self, k: int, monitor: Monitor) -> Solved:
        """Solve one problem, claim no more than its matrix allows, and certify what the model keeps."""
        watch, task = Stopwatch(), self.tasks[k]
        problem, known = task.problem, definiteness(self.kernel, task.problem.gram)
        if known.fails:
            self._check_bounds(problem, known.smallest)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # the certificate says what that leaves
            solution = self._solution(task, monitor, definite=not known.fails)
        if len(solution.evidence.image):  # else it was interrupted, and nothing is claimed
            evidence, status = with_definiteness(solution.evidence, problem, known), solution.status
            gap_tol = self.formulation.gap_tol
            # what the matrix lacks of being semi-definite may allow no smaller gap
            wide = gap_tol is not None and evidence.relative_gap > gap_tol
            if status is Status.CONVERGED and (wide or not self.formulation.resolves(problem, evidence)):
                status = Status.STALLED
            solution = replace(solution, evidence=evidence, status=status)
        solved = Solved(solution, certificate_of(solution, watch.seconds(), task.name), known.smallest)
        kept = self.formulation.as_kept(solved, problem, self.kernel)
        monitor.certified(kept.certificate)
        return kept

    def untouched(self, k: int) -> Solved:
        """A problem that Ctrl-C left undone keeps its start."""
        task = self.tasks[k]
        solution = untouched(task.problem, task.start)
        solved = Solved(solution, certificate_of(solution, 0.0, task.name))
        return self.formulation.as_kept(solved, task.problem, self.kernel)

    def _solution(self, task: Task, monitor: Monitor, *, definite: bool) -> Solution:
        formulation = self.formulation
        try:
            return solve_kernel(
                task.problem,
                task.start,
                formulation.tolerance_of(task.problem),
                formulation.gap_tol,
                self.budget,
                monitor,
                definite=definite,
                sign=self.first,
                cache_bytes=self.cache_bytes // self.workers,
                shrinking=self.shrinking,
                solver=self.solver,
                screened=True,
            )
        except NotSeparableError as error:
            proof = error.proof  # in rows of this problem: the user knows rows of X
            rows = {"positive": task.rows[proof.positive], "negative": task.rows[proof.negative]}
            proof = replace(proof, **rows, kernel=self.kernel)
            raise NotSeparableError(str(error), proof) from None

    def _check_bounds(self, problem: BoxQP, smallest: float | None) -> None:
        """Refuse a hard margin of an indefinite matrix."""
        if not np.isfinite(problem.upper - problem.lower).all():
            raise IndefiniteKernelError(
                f"C=inf asks for a hard margin, which needs a positive semi-definite kernel matrix; that of "
                f"the kernel {self.kernel} has an eigenvalue of {smallest:.3g}. Use a finite C or "
                f"another kernel."
            )
