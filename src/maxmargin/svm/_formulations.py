"""The five formulations of a support vector machine: their dual problem, and what a model keeps of its solution.

The words are LIBSVM's: C- and nu-classification, epsilon- and nu-regression, one class. A formulation is made from an
estimator's parameters. It says what problem a fit solves, how the problem's variables become coefficients of the
decision function, and how they are made again from those when a model is verified or a fit starts from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..certificates import REPRODUCED, Certificate, Evidence, Status, evaluate, evaluate_hard_margin
from ..kernels import Gram, Kernel
from ..messages import FloatRangeError
from ..problems import BoxQP
from ..solvers import Solution
from ._solved import Solved, certificate_of, judged
from ._tube_variables import sum_of_sides, with_totals

NOT_FINITE = (
    "The dual coefficients or intercepts are not finite: values of X are too large or too small for products of rows "
    "in float64. Scale X, for example by sklearn.preprocessing.StandardScaler."
)

# The share of how far decision values are apart that rounding may take of a fit that is called converged
_PROVEN = 1e-3
_ROUNDED = 0.1  # rounding that changes a gap by less is nothing to look at again
_U = 2.0**-53


@dataclass(frozen=True, kw_only=True)
class Formulation(ABC):
    """What all of them have; a solution's variables are the coefficients, unless one says otherwise.

    Attributes
    ----------
    tol : float
        Largest violation of the optimality conditions that was asked for.
    gap_tol : float or None
        Largest relative duality gap that was asked for.

    """

    tol: float
    gap_tol: float | None = None

    # how the error begins that says that all samples with weight are of one class
    one_class_error = "Invalid input -"

    @property
    def tolerance(self) -> float:
        """The violation up to which a fit is called converged."""
        return float(self.tol)

    def tolerance_of(self, problem: BoxQP) -> float:
        """The same for one problem, where decision values have no unit of their own, as a margin of 1 is one."""
        return self.tolerance

    def resolves(self, problem: BoxQP, evidence: Evidence) -> bool:
        """Whether a violation within the tolerance says something, or the gap does: float64 may have no such digits."""
        return True

    @abstractmethod
    def problem(self, gram: Gram, target: Any, weight: np.ndarray) -> BoxQP:
        """The dual problem of some samples: their matrix, their signs or targets, and their weights."""

    def not_as_asked(self, sign: np.ndarray, weight: np.ndarray) -> str:
        """What of the parameters these samples do not allow, in words; nothing if they do."""
        return ""

    def to_model(self, solution: Solution) -> tuple[np.ndarray, float]:
        """Coefficients and intercept of the decision function."""
        return solution.variables, solution.evidence.intercepts[0]

    def to_variables(self, problem: BoxQP, coefficients: np.ndarray, intercept: float) -> tuple[np.ndarray, tuple]:
        """Variables and intercepts of the problem again."""
        return coefficients, (intercept,)

    def kept_rounding(self, intercept: float) -> float:
        """What rounding may have done to the intercepts of a problem, where a model keeps others to make them of."""
        return 0.0

    def as_kept(self, solved: Solved, problem: BoxQP, kernel: Kernel) -> Solved:
        """The same with figures of what the model keeps, where that is not what was solved for."""
        return solved

    def attributes(self, solution: Solution) -> dict[str, Any]:
        """Fitted attributes that no other formulation has."""
        return {}

    def evaluate(self, problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...]) -> Evidence:
        """The figures of a model that is verified."""
        return evaluate(problem, beta, intercepts, audit=True)

    def comparable(self, claim: Certificate, evidence: Evidence, tolerance: float) -> Certificate:
        """A claim as it is compared with recomputed figures."""
        return claim


@dataclass(frozen=True, kw_only=True)
class SoftMargin(Formulation):
    """C-classification; an infinite C is the hard margin."""

    C: float

    @property
    def tolerance(self) -> float:
        """`tol`, but no more than the margin, which is 1: beyond it a multiplier may stand anywhere."""
        return min(float(self.tol), 1.0)

    def problem(self, gram: Gram, target: Any, weight: np.ndarray) -> BoxQP:
        return BoxQP.classifier(gram, target, self.C * weight)

    def evaluate(self, problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...]) -> Evidence:
        return (evaluate if np.isfinite(self.C) else evaluate_hard_margin)(problem, beta, intercepts, audit=True)


@dataclass(frozen=True, kw_only=True)
class NuMargin(Formulation):
    """nu-classification: the decision function is scaled so that the margin boundaries are at -1 and 1."""

    nu: float

    one_class_error = "specified nu is infeasible:"

    def tolerance_of(self, problem: BoxQP) -> float:
        total, (largest, apart, _) = _sum_of_multipliers(problem), _sizes(problem)
        return _in_units_of(self.tolerance, total * apart * apart, total * largest * largest)

    def problem(self, gram: Gram, target: Any, weight: np.ndarray) -> BoxQP:
        return BoxQP.nu_classifier(gram, target, weight, min(self.nu, _largest_nu(target, weight)))

    def not_as_asked(self, sign: np.ndarray, weight: np.ndarray) -> str:
        largest = _largest_nu(sign, weight)
        if self.nu <= largest * (1 + 1e-9):
            return ""
        return (
            f"nu={self.nu:g}, but it can be at most {largest:.4g} there (twice the share of the smaller class), which "
            f"is used. Lower nu."
        )

    def to_model(self, solution: Solution) -> tuple[np.ndarray, float]:
        # On the margin boundaries f + b = rho and -rho; the intercepts of the two groups are b - rho and b + rho.
        low, high = _without_margin(solution)
        rho = (high - low) / 2
        if not rho > 0:
            rho = 1.0  # the classes coincide in feature space: every scale is as good
        with np.errstate(over="ignore"):
            coefficients = solution.variables / rho
            if not np.isfinite(np.abs(coefficients).sum()):  # decision values are sums of them
                raise FloatRangeError(NOT_FINITE)
        return coefficients, (low + high) / 2 / rho

    def to_variables(self, problem: BoxQP, coefficients: np.ndarray, intercept: float) -> tuple[np.ndarray, tuple]:
        positive = coefficients[problem.upper > 0].sum()
        rho = problem.totals[0] / positive if positive > 0 else 1.0
        beta = coefficients * rho
        # scaling there and back leaves multipliers an ulp beside their bound
        bound = np.where(problem.upper > 0, problem.upper, problem.lower)
        beta = np.where(np.abs(beta - bound) <= 1e-12 * np.abs(bound), bound, beta)
        return beta, ((intercept - 1) * rho, (intercept + 1) * rho)

    def as_kept(self, solved: Solved, problem: BoxQP, kernel: Kernel) -> Solved:
        """What is certified are the multipliers that the scaled ones give back.

        They are others by what scaling rounds, which is much where rows are far from the origin, and one next to a
        bound may then be on it. Both margin boundaries are told by one number of the model, and may lie anywhere before
        the end of a fit.
        """
        solution, certificate = solved.solution, solved.certificate
        if not len(solution.evidence.image):
            return solved
        claims = certificate.status in (Status.CONVERGED, Status.STATIONARY)
        beta, intercepts = self.to_variables(problem, *self.to_model(solution))
        other = any(((beta == b) != (solution.variables == b)).any() for b in (problem.lower, problem.upper))
        # beta' K beta changes by 4 _U |beta|' |K| |beta| at most, where scaling rounds each of them twice. NuSVC of
        # 6000 rows takes 116 ms, and 142 ms if what is kept is always evaluated
        moved = 4 * _U * float(np.abs(beta).sum()) ** 2 * float(np.abs(problem.gram.diagonal()).max(initial=0.0))
        if claims and not other and moved <= _ROUNDED * solution.evidence.gap:
            return solved
        evidence = judged(kernel, problem, self.evaluate(problem, beta, intercepts))
        met = evidence.kkt_violation <= self.tolerance_of(problem)
        if evidence.definiteness != "fails":
            met &= np.isfinite(evidence.gap) and (self.gap_tol is None or evidence.relative_gap <= self.gap_tol)
        status = Status.STALLED if claims and not met else certificate.status
        figures = status, certificate.iterations, certificate.seconds, certificate.label
        return replace(solved, certificate=Certificate.of(evidence, *figures))

    def evaluate(self, problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...]) -> Evidence:
        """The figures; where there is no margin, the model has kept the middle of the two intercepts only."""
        low, high = intercepts
        if abs(high - low - 2) <= 1e-9:
            best = evaluate(problem, beta)
            first, second = best.intercepts
            size = max(1.0, abs(first + second))
            # kernel values of this size are rounded by more than the margin
            rounding = 1e-12 * float(np.abs(beta).sum()) * float(np.abs(problem.gram.diagonal()).max())
            apart = abs(first + second - low - high)
            if second - first <= 1e-9 * size + rounding and apart <= REPRODUCED * size + rounding:
                return best
        return evaluate(problem, beta, intercepts)


def _largest_nu(sign: np.ndarray, weight: np.ndarray) -> float:
    """The largest nu that some samples allow: twice the share of the smaller class."""
    return 2 * min(weight[sign > 0].sum(), weight[sign < 0].sum()) / weight.sum()


def _without_margin(solution: Solution) -> tuple[float, float]:
    """Both intercepts; where a class has all multipliers at their bounds, its own is only bounded from one side.

    All its samples are margin errors then. The margin is drawn so wide that the best of them stands half way between
    its middle and the other boundary: none of them is given a margin.
    """
    low, high = solution.evidence.intercepts
    problem, f = solution.problem, solution.evidence.image
    if problem is None or not len(f):
        return low, high
    positive = problem.group == 0
    if (solution.variables[positive] == problem.upper[positive]).all():
        return min(low, -4 * float(f[positive].max()) - 3 * high), high
    if (solution.variables[~positive] == problem.lower[~positive]).all():
        return low, max(high, -4 * float(f[~positive].min()) - 3 * low)
    return low, high


@dataclass(frozen=True, kw_only=True)
class OneClass(Formulation):
    """The region that holds all but a share of nu of the samples."""

    nu: float

    def tolerance_of(self, problem: BoxQP) -> float:
        total, (largest, apart, differ) = _sum_of_multipliers(problem), _sizes(problem)
        return _in_units_of(self.tolerance, total * max(differ, apart * apart), total * largest * largest)

    def problem(self, gram: Gram, target: Any, weight: np.ndarray) -> BoxQP:
        return BoxQP.one_class(gram, weight, self.nu)

    def attributes(self, solution: Solution) -> dict[str, Any]:
        return {"offset_": -np.array(solution.evidence.intercepts)}


@dataclass(frozen=True, kw_only=True)
class Tube(Formulation):
    """epsilon- and, where there is a nu, nu-regression.

    A problem has two variables a sample, one for each side of the tube; their sum is the coefficient of the sample.

    Attributes
    ----------
    C : float
        Infinity (a tube that nothing may leave) is taken as a number beyond what any kernel needs.
    epsilon : float
        Half the width of the tube: given, or with a nu that of the fitted model.
    nu : float or None
        Largest share of the samples outside the tube.

    """

    C: float
    epsilon: float
    nu: float | None = None

    def tolerance_of(self, problem: BoxQP) -> float:
        targets = problem.p.reshape(2, -1).mean(axis=0)  # p has epsilon added and taken away
        known = float(np.abs(problem.p).max())
        unit = float(np.ptp(targets))
        if self.nu is None:
            # targets closer than the rounding of epsilon are one target
            return min(self.tolerance, max(self.tolerance * unit, 8 * 2.0**-53 * known))
        largest, _, _ = _sizes(problem)
        return _in_units_of(self.tolerance, unit, _sum_of_multipliers(problem) * largest * largest + known)

    def resolves(self, problem: BoxQP, evidence: Evidence) -> bool:
        """Targets far from zero have no digits for the tolerance: each residual is off by half an ulp of its target.

        A violation of zero is then one of rounded numbers, and says nothing unless the gap is small.
        """
        rounded = 2.0**-53 * float(np.abs(problem.p).max(initial=0.0)) > self.tolerance_of(problem)
        differ = bool(np.ptp(problem.p.reshape(2, -1)[0]) > 0)
        return not (rounded and differ) or evidence.definiteness == "fails" or evidence.relative_gap <= self.tolerance

    @property
    def bound(self) -> float:
        """The largest coefficient of a sample of weight 1."""
        return float(self.C) if np.isfinite(self.C) else 1e10

    def problem(self, gram: Gram, target: Any, weight: np.ndarray) -> BoxQP:
        if self.nu is None:
            return BoxQP.regressor(gram, target, self.bound * weight, self.epsilon)
        return BoxQP.nu_regressor(gram, target, self.bound * weight, self.nu)

    def to_model(self, solution: Solution) -> tuple[np.ndarray, float]:
        return sum_of_sides(solution.variables), float(np.mean(solution.evidence.intercepts))

    def to_variables(self, problem: BoxQP, coefficients: np.ndarray, intercept: float) -> tuple[np.ndarray, tuple]:
        beta = np.concatenate([np.maximum(coefficients, 0.0), np.minimum(coefficients, 0.0)])
        if self.nu is None:
            return beta, (intercept,)
        return with_totals(problem, beta), (intercept + self.epsilon, intercept - self.epsilon)

    def kept_rounding(self, intercept: float) -> float:
        """With a nu: their mean and half their difference are kept, and both are rounded, as is each sum of the two."""
        return 0.0 if self.nu is None else 4 * 2.0**-53 * (abs(intercept) + abs(self.epsilon))

    def attributes(self, solution: Solution) -> dict[str, Any]:
        if self.nu is None:
            return {}
        upper, lower = solution.evidence.intercepts
        return {"epsilon_": (upper - lower) / 2}

    def as_kept(self, solved: Solved, problem: BoxQP, kernel: Kernel) -> Solved:
        """Both variables of a sample may be non-zero, mostly in a fit that ended early; the model keeps their sum.

        What is certified are the variables that this sum gives back; their own sums may be rounded once more.
        """
        solution = solved.solution
        if not len(solution.evidence.image):
            return solved
        kept, _ = self.to_variables(problem, *self.to_model(solution))
        if np.array_equal(kept, solution.variables):
            return solved
        evidence = judged(kernel, problem, evaluate(problem, kept, wanted=self.gap_tol))
        within = evidence.kkt_violation <= self.tolerance_of(problem)
        met = within and (self.gap_tol is None or evidence.relative_gap <= self.gap_tol)
        met = met and self.resolves(problem, evidence)
        claims = solution.status in (Status.CONVERGED, Status.STATIONARY)
        status = (
            Status.STALLED if claims and not (met or (evidence.definiteness == "fails" and within)) else solution.status
        )
        solution = replace(solution, evidence=evidence, status=status)
        certificate = certificate_of(solution, solved.certificate.seconds, solved.certificate.label)
        return replace(solved, solution=solution, certificate=certificate)

    def comparable(self, claim: Certificate, evidence: Evidence, tolerance: float) -> Certificate:
        """With a nu, but for the violation: the sums that are kept may be parted so that less is violated than was."""
        if self.nu is None or (claim.status is Status.CONVERGED and not claim.kkt_violation <= tolerance):
            return claim
        return replace(claim, kkt_violation=min(claim.kkt_violation, evidence.kkt_violation))


def _in_units_of(tol: float, unit: float, values: float) -> float:
    """`tol` in units of how far decision values can be apart, if that is less than 1; not below their rounding.

    A tolerance of 0.001 is met by any multipliers where all values are smaller than that. Where rounding is more than
    `_PROVEN` of the unit, nothing would be said by a violation within it: such a fit cannot converge. A unit of zero is
    that of samples or targets that coincide, for which all multipliers are as good.
    """
    if not (np.isfinite(unit) and np.isfinite(values)):
        return tol
    rounding = 1024 * 2.0**-53 * values
    return min(tol, max(tol * unit, min(rounding, _PROVEN * unit) if unit > 0 else rounding))


def _sum_of_multipliers(problem: BoxQP) -> float:
    return float(np.abs(problem.totals).sum())


def _sizes(problem: BoxQP) -> tuple[float, float, float]:
    """Of samples in feature space: largest length, largest distance from the first, range of products with it."""
    gram = problem.gram
    squares = np.abs(gram.diagonal())
    with np.errstate(over="ignore", invalid="ignore"):
        products = gram.block(np.array([0]), np.arange(gram.shape[0]), np.float64)[0]
        apart = np.abs((squares - products) + (squares[0] - products))
        return float(np.sqrt(squares.max())), float(np.sqrt(apart.max())), float(np.ptp(products))
