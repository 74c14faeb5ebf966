"""Stochastic (proximal, sub)gradient descent, for any convex loss and any penalty.

    minimise J = sum_i f_i,      f_i = c_i loss(<x_i, w> + b, y_i) + R(w)/n,
    g = mean over a batch of c_i loss'(f_i) (x_i, 1),      theta <- prox(theta - eta_t d(g)),

prox that of eta_t R/n, so that L1 gives exact zeros and L2 divides w by 1 + eta_t l2/n; at a kink any subgradient. With
c_i = C and the hinge these are the steps of the soft margin's f_i = 1/(2n) ||w||^2 + C max(0, 1 - z_i), the L2 part
taken implicitly. With the perceptron loss, no penalty, C = 1, steps of 1, the order as given and no averaging, it *is*
the perceptron: w += y x on a mistake. (z = 0 counts as one: the loss's slope there is that of a mistake, by
convention, and so the first sample is a mistake from w = 0.) The answer is the mean of the iterates (Polyak and
Juditsky 1992), the later ones counting more (Shamir and Zhang 2013), unless ``average=False``.

The dual point is the mean of the slopes loss'(f_i) seen at the visits of each sample, later passes counting more: for
the hinge that is how often the sample was within the margin. Iterations are passes over the samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...certificates import Status, evaluate_risk
from ...problems import Risk
from .._driver import IterativeSolver
from .._solution import Solution
from .._trace import Figures
from ._mean_slopes import EQUATIONS, evidence_of_mean
from ._stochastic_state import StochasticState

_GROWTH = 0.2  # between two gaps, which cost a few passes


class StochasticGradient(IterativeSolver):
    """Stochastic gradients; options as those of `StochasticState`.

    ``order=None`` is "shuffle", or "replacement" for the schedule "theory", whose bound is of such samples and of the
    number of steps that the budget allows. The perceptron loss without a penalty has the perceptron's steps, unless
    options say otherwise: constant ones of length 1, one sample each, and no averaging.
    """

    name = "sgd"
    works_in_dual = True
    budget = 1000
    options = (
        "batch_size",
        "direction",
        "momentum",
        "decay",
        "delta",
        "schedule",
        "eta0",
        "average",
        "order",
        "seed",
        "radius",
    )

    def __init__(
        self,
        problem: Risk,
        start: np.ndarray,
        tolerance: float,
        slopes: np.ndarray | None = None,
        *,
        batch_size: int | str = 1,
        direction: str | None = None,
        momentum: float | None = None,
        decay: float | None = None,
        delta: float | None = None,
        schedule: str | None = None,
        eta0: float | None = None,
        average: bool | None = None,
        order: str | None = None,
        seed: int = 0,
        radius: float | None = None,
    ) -> None:
        self.problem, self.tolerance, self.at_origin = problem, tolerance, not start.any()
        rule = is_perceptron(problem)
        schedule = schedule or ("constant" if rule else "auto")
        eta0 = 1.0 if rule and eta0 is None and schedule == "constant" else eta0
        average = not rule if average is None else average
        self.state = StochasticState(
            start,
            batch_size=batch_size,
            direction=direction,
            momentum=momentum,
            decay=decay,
            delta=delta,
            schedule=schedule,
            eta0=eta0,
            average=average,
            order=order or ("replacement" if schedule == "theory" else "shuffle"),
            seed=seed,
            radius=radius,
        )
        self.steps_a_pass = -(-problem.n // max(1, min(self.state.batch_size, problem.n)))
        self.best = _Best(problem, start, slopes, keep=average and schedule != "theory")
        self.mean = np.zeros(problem.n)
        # systems of d equations are part of a gap's cost
        self.apart = max(1, problem.d // 8 if problem.d <= EQUATIONS else 1)
        self.due = 1

    def begin(self, budget: int) -> None:
        self.state.planned = budget * self.steps_a_pass

    def step(self, most: int) -> Status | None:
        self.state.advance(self.problem, slopes=self.mean, tries=True)
        self.iterations += 1
        # steps too long for this loss: what was found before is the answer
        return None if np.isfinite(self.state.theta + self.state.average).all() else Status.STALLED

    def finished(self, last: bool) -> Status | None:
        if self.iterations and (last or self.iterations >= self.due):
            self.best.meet(self.state.average, self.mean)
            self.due = self.iterations + max(self.apart, int(_GROWTH * self.iterations))
        return Status.CONVERGED if self.best.relative_gap <= self.tolerance else None

    def figures(self) -> Figures:
        best = self.best
        if self.traced and self.iterations:  # of this pass, lower than before or not
            e = evidence_of_mean(self.problem, self.state.average, self.mean)
            return Figures(e.kkt_violation, e.relative_gap, e.primal, e.dual)
        return Figures(best.violation, best.relative_gap, best.primal, best.dual)

    def variables(self) -> np.ndarray:
        return self.best.theta

    def result(self, status: Status, keyboard: bool) -> Solution:
        if status is Status.INTERRUPTED and not keyboard and self.iterations:
            self.best.meet(self.state.average, self.mean)
        stats = {"theory": self._theory()} if self.state.schedule == "theory" else {}
        return Solution(self.best.theta, status, self.iterations, slopes=self.best.u, keyboard=keyboard, stats=stats)

    def _theory(self) -> dict[str, Any] | None:
        """What the bound of the mean is made of; None where it does not apply: of another start, or of the last step.

        Samples of a shuffled pass are not independent; where all of them are in each step, their order is nothing.
        """
        state = self.state
        certain = self.steps_a_pass == 1
        if not (self.at_origin and state.averages and state.steps and (certain or state.order == "replacement")):
            return None
        return {"steps": state.steps, "radius": state.radius, "eta": state.eta0, "certain": certain}


def is_perceptron(problem: Risk) -> bool:
    """Whether the steps are to be the perceptron's: its loss and no penalty, of which the origin is a minimum too."""
    return problem.loss.name == "perceptron" and problem.l1 == 0 and problem.l2 == 0


class _Best:
    """The lowest J and the highest dual value met; they need not be from the same pass.

    With ``keep=False`` the latest theta is the answer, lower or not: the last iterate, or the mean that a bound is of.
    """

    def __init__(self, problem: Risk, start: np.ndarray, slopes: np.ndarray | None, keep: bool) -> None:
        self.problem, self.keep = problem, keep
        self.theta, self.u = start, slopes
        self.primal, self.dual, self.violation = np.inf, -np.inf, np.inf
        if slopes is not None or start.any():
            self.meet(start, slopes)
        elif problem.l1 + problem.l2 > 0 and problem.value(start) == 0:
            # J cannot be below 0: the origin is the minimum, as always for a penalised perceptron
            self.meet(start, np.zeros(problem.n))

    def meet(self, theta: np.ndarray, slopes: np.ndarray | None) -> None:
        problem = self.problem
        evidence = evaluate_risk(problem, theta) if slopes is None else evidence_of_mean(problem, theta, slopes)
        if not np.isfinite(evidence.primal):
            return
        if not self.keep or evidence.primal <= self.primal:
            self.theta, self.primal, self.violation = theta, evidence.primal, evidence.kkt_violation
        if evidence.dual > self.dual:
            self.u, self.dual = evidence.u, evidence.dual

    @property
    def gap(self) -> float:
        return max(self.primal - self.dual, 0.0) if np.isfinite(self.primal) else np.inf

    @property
    def relative_gap(self) -> float:
        return self.gap / max(abs(self.primal), abs(self.dual), 1e-300) if np.isfinite(self.gap) else np.inf
