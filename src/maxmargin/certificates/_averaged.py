"""What averaging guarantees without any dual point.

From w = 0, T stochastic (proximal) steps of length eta along loss gradients no longer than rho satisfy, for every
point with ||theta*|| <= B,

    E f(mean theta) - f(theta*) <= B^2 / (2 eta T) + eta rho^2 / 2 = B rho / sqrt(T)      at eta = B / (rho sqrt(T)),

f = J/n being the mean of f_i = c_i loss_i + R/n (Zinkevich 2003; Shalev-Shwartz and Ben-David 2014, theorem 14.8;
with the proximal step of R in place of its gradient: Duchi and Singer 2009, theorem 2). The expectation is over
samples drawn with replacement; with all samples in every step nothing is random and the bound is certain. In terms of
J it is n B rho / sqrt(T).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problems import Risk


@dataclass(frozen=True)
class AveragedGuarantee:
    """The bound and what it is made of.

    Attributes
    ----------
    radius : float
        B: the bound is about theta no longer than this. That of the penalty is no shorter than the optimum; one that
        the user has given may be.
    lipschitz : float
        rho, a bound of the length of c_i loss'(f_i) (x_i, 1).
    steps : int
        T.
    bound : float
        n B rho / sqrt(T), or more for steps of another length: J of the mean iterate is above its minimum over
        all theta with ||theta|| <= B by no more than this, in expectation.
    primal : float
        J of the mean iterate.
    eta : float
        The length of the steps.
    certain : bool
        Whether every step had all samples, so that nothing is random and the bound is no expectation.

    """

    radius: float
    lipschitz: float
    steps: int
    bound: float
    primal: float
    eta: float = float("nan")
    certain: bool = False

    @property
    def relative(self) -> float:
        """The bound as a part of J."""
        return self.bound / max(abs(self.primal), 1e-300)


def averaged_guarantee(
    problem: Risk,
    theta: np.ndarray,
    steps: int,
    radius: float | None = None,
    lipschitz: float | None = None,
    eta: float | None = None,
    certain: bool = False,
) -> AveragedGuarantee:
    """The guarantee of the mean iterate `theta` after `steps` steps from the origin.

    `radius` is B; None: what is known beforehand, see `prior_radius`. `lipschitz` is rho; None: that of these samples.
    `eta` is the length of the steps; None: that of the theorem for so many of them. A loss whose slopes have no bound
    (the squared ones) has no guarantee: the bound is inf.
    """
    B = prior_radius(problem) if radius is None else float(radius)
    rho = gradient_bound(problem) if lipschitz is None else float(lipschitz)
    primal = problem.value(theta)
    if rho == 0 or B == 0:
        return AveragedGuarantee(B, rho, steps, 0.0, primal, eta or 0.0, certain)
    if steps < 1 or not np.isfinite(B * rho):
        return AveragedGuarantee(B, rho, steps, np.inf, primal, eta or 0.0, certain)
    if eta is None:
        eta = B / (rho * np.sqrt(steps))
    bound = problem.n * (B / (2 * eta * steps) * B + eta * rho / 2 * rho)  # squares may overflow where this does not
    return AveragedGuarantee(B, rho, steps, float(bound), primal, float(eta), certain)


def averaged_again(problem: Risk, theta: np.ndarray, claim: AveragedGuarantee) -> AveragedGuarantee | None:
    """A claimed guarantee recomputed from the samples; None if it is not reproduced. B is what was said of it."""
    eta = claim.eta if claim.eta > 0 else None
    found = averaged_guarantee(problem, theta, claim.steps, claim.radius, None, eta, claim.certain)
    same = np.isclose([found.lipschitz, found.bound, found.primal], [claim.lipschitz, claim.bound, claim.primal], 1e-9)
    return found if same.all() else None


def gradient_bound(problem: Risk) -> float:
    """rho: the largest c_i ||(x_i, 1)|| times the bound of the loss's slope."""
    return float((problem.weights * np.sqrt(row_squares(problem))).max(initial=0.0)) * problem.loss.lipschitz


def prior_radius(problem: Risk) -> float:
    """B from l2/2 ||w*||^2 + l1 ||w*||_1 <= J(0); inf without a penalty.

    Of the intercept it is known that some sample is at the point where its slope changes (or, for the logistic loss,
    that the two classes' slopes cancel): |b| <= reach + ||w|| max ||x||.
    """
    l1, l2, J0 = problem.l1, problem.l2, problem.value(problem.start())
    bounds = [np.inf]
    if l2 > 0:
        bounds.append(np.sqrt(2 * J0 / l2))
    if l1 > 0:
        bounds.append(J0 / l1)
    w = float(min(bounds))
    if not problem.fit_intercept or not np.isfinite(w):
        return w
    longest = float(np.sqrt(problem.rows.squared_norms(np.zeros(problem.d)).max(initial=0.0)))
    return float(np.hypot(w, _reach(problem) + w * longest))


def _reach(problem: Risk) -> float:
    """How far from 0 all decision values can lie on one side at the best intercept."""
    loss, y, c = problem.loss, problem.y, problem.weights
    if loss.kind != "classification":
        return float(np.abs(y[c > 0]).max(initial=0.0)) + loss.epsilon
    plus, minus = float(c[y > 0].sum()), float(c[y < 0].sum())
    if plus == 0 or minus == 0:
        return np.inf if loss.name == "logistic" else 1.0
    return 1.0 + abs(np.log(plus / minus))


def row_squares(problem: Risk) -> np.ndarray:
    """``||(x_i, 1)||^2``, without the 1 if there is no intercept."""
    return problem.rows.squared_norms(np.zeros(problem.d)) + float(problem.fit_intercept)
