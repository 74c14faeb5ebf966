"""The hard margin of a linear machine: solved in multipliers, as a kernel machine with the linear kernel is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..certificates import NotSeparableError, Status, not_separable
from ..kernels import make_kernel
from ..problems import BoxQP, HardMarginRisk
from ._driver import Solver
from ._hard_margin import solve_hard_margin
from ._monitor import Monitor
from ._solution import Solution


class LinearHardMargin(Solver):
    """Weights and multipliers (`slopes`); raises `NotSeparableError` with a proof. Its budget is its own."""

    name = "decomposition"
    steps_an_iteration = 0

    @classmethod
    def solve(
        cls,
        problem: HardMarginRisk,
        start: np.ndarray | None,
        tolerance: float,
        budget: int | None = None,
        monitor: Monitor | None = None,
        slopes: np.ndarray | None = None,
        **options: Any,
    ) -> Solution:
        """As in every solver; the steps are those of `solve_hard_margin`."""
        kept = np.flatnonzero(problem.weights > 0)
        gram = make_kernel("linear", 0.0, 0.0, 1).gram(problem.rows, None, problem.threads)
        if len(kept) < problem.n:
            gram = gram.restricted(kept)
        box = BoxQP.classifier(gram, problem.y[kept], np.full(len(kept), np.inf))
        multipliers = None if slopes is None else slopes[kept]
        try:
            found = solve_hard_margin(box, multipliers, tolerance, tolerance, None, monitor)
        except NotSeparableError as error:
            proof = replace(error.proof, positive=kept[error.proof.positive], negative=kept[error.proof.negative])
            raise not_separable(proof, linear=True) from None
        beta = np.zeros(problem.n)
        beta[kept] = found.variables
        theta = problem.transposed(beta)
        theta[-1] = found.evidence.intercepts[0]
        return Solution(theta, found.status, found.iterations, slopes=beta, keyboard=found.keyboard)

    def step(self, most: int) -> Status | None:
        raise NotImplementedError("the steps are those of `solve_hard_margin`.")

    finished = step  # type: ignore[assignment]
