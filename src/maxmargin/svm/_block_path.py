"""Solutions of one problem along C where its matrix is not kept: every sweep computes the kernel values it needs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..certificates import Evidence, with_definiteness
from ..engine import raise_interrupt
from ..kernels import Definiteness, Gram
from ..problems import BoxQP
from ..solvers import Monitor, Solution, feasible, longest_useful, solve_kernel
from ._input import part_of
from ._search_problems import Box, SearchProblems


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockPath:
    """Solves problems of a search along C, from the smallest up, each from the one before.

    Attributes
    ----------
    problems : SearchProblems
    tol : float
        Largest violation of every solution.
    budget : int or None
        Largest number of steps of each.
    cache_bytes : int
        Memory for kernel values.
    monitor : Monitor
        Asked whether to stop.

    """

    problems: SearchProblems
    tol: float
    budget: int | None
    cache_bytes: int
    monitor: Monitor = field(default_factory=Monitor)

    def solve(
        self, gram: Gram, k: int, fold: int, Cs: np.ndarray, known: Definiteness, start: np.ndarray | None = None
    ) -> list[Solution]:
        """Problem k in one fold; none if a class is missing.

        `gram` is the matrix of all rows, `known` what is known of that of the problem's; `start` are coefficients of
        the problem's rows for the smallest C.
        """
        box, problem = self.problems.box(k, fold), self.problems.problems[k]
        if box is None:
            return []
        part = np.flatnonzero(box[0] < box[1])
        p, low, high = problem.p[part], box[0][part], box[1][part]
        sub = part_of(gram, problem.rows[part])
        points: list[Solution] = []
        begin, image = None if start is None else start[part], None
        for t, C in enumerate(Cs):
            qp = self._box_qp(sub, p, C, (low, high))
            if t:
                begin, image = _lengthened(points[-1], part, p, Cs[t - 1], C, (low, high), self.problems.epsilon)
            solution = self._solution(qp, begin, image, definite=not known.fails)
            raise_interrupt()
            if self.monitor.stopped:
                raise KeyboardInterrupt
            beta = np.zeros(len(problem.rows))
            beta[part] = self._coefficients(solution.variables)
            evidence = self._narrowed(with_definiteness(solution.evidence, qp, known))
            points.append(Solution(beta, solution.status, solution.iterations, evidence=evidence))
        return points

    def _solution(self, qp: BoxQP, start: np.ndarray | None, image: np.ndarray | None, *, definite: bool) -> Solution:
        """Of a matrix that is not positive semi-definite from zero, as a machine on its own is solved."""
        begin = feasible(qp, self._variables(start)) if definite and start is not None else None
        if image is not None:
            image = np.tile(image, 2) if self.problems.regression else image
        options: dict[str, Any] = {"definite": definite, "sign": self.problems.first_sign, "image": image}
        return solve_kernel(
            qp, begin, self.tol, None, self.budget, self.monitor, cache_bytes=self.cache_bytes, **options
        )

    # ---------------------------------------------------------------- a regressor's problem has two variables a sample

    def _box_qp(self, gram: Gram, p: np.ndarray, C: float, box: Box) -> BoxQP:
        low, high = box
        if self.problems.regression:
            return BoxQP.regressor(gram, p, C * high, self.problems.epsilon)
        return BoxQP(gram, p, C * low, C * high)

    def _variables(self, beta: np.ndarray) -> np.ndarray:
        return np.concatenate([np.maximum(beta, 0), np.minimum(beta, 0)]) if self.problems.regression else beta

    def _coefficients(self, beta: np.ndarray) -> np.ndarray:
        return beta.reshape(2, -1).sum(axis=0) if self.problems.regression else beta

    def _narrowed(self, evidence: Evidence) -> Evidence:
        if not self.problems.regression:
            return evidence
        return replace(evidence, image=evidence.image[: len(evidence.image) // 2])


def _lengthened(
    point: Solution, part: np.ndarray, p: np.ndarray, before: float, C: float, box: Box, epsilon: float
) -> tuple[np.ndarray, np.ndarray | None]:
    """A start for a larger C: the multiple of the last solution with the best objective, and its image."""
    beta, image = point.variables[part], point.evidence.image
    low, high = box
    factor = longest_useful(p, beta, p - image, epsilon, C / before)
    longer = np.clip(factor * beta, C * low, C * high)
    if factor == C / before:
        longer = np.where(beta == before * high, C * high, np.where(beta == before * low, C * low, longer))
    return longer, factor * image
