"""The kernel classifier with a bound on the share of margin errors instead of C."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from ..certificates import REPRODUCED, Certificate, Evidence, Status, evaluate
from ..kernels import Gram
from ..problems import BoxQP
from ..solvers import CertifiedSolution, Monitor, feasible, solve_certified
from ._base import Solved
from ._classifier import KernelClassifier
from ._one_vs_one import Pair


class NuSVC(KernelClassifier):
    """Nu-support vector classifier: `nu` bounds the share of margin errors from above, that of support vectors below.

    A drop-in for :class:`sklearn.svm.NuSVC`, with a certificate. The problem solved is, in signed variables,
    ``1/2 beta' K beta`` over ``0 <= y_i beta_i <= weight_i`` with a fixed sum for each class; the decision function is
    scaled so that the kerbs are at -1 and 1.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        Upper bound of the share of margin errors.
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, class_weight, verbose, max_iter, \
decision_function_shape, break_ties, random_state, gap_tol, warm_start, n_jobs, callback
        As in :class:`maxmargin.svm.SVC`. `tol` is the violation in the unscaled problem, as in scikit-learn.

    Attributes
    ----------
    certificate_ : ModelCertificate
        Primal, dual, gap, violation and status, recomputed in float64.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, classes_, class_weight_, n_iter_, fit_status_, \
shape_fit_, n_features_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.svm import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVC(nu=0.1).fit(X, y)
    >>> model.certificate_.relative_gap < 1e-6
    True

    """

    _parameter_constraints: dict = {
        **KernelClassifier._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str | Callable = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        gap_tol: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callable[[dict], Any] | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tol = gap_tol
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.callback = callback

    def _problem(self, gram: Gram, pair: Pair, weight: np.ndarray) -> BoxQP:
        largest = 2 * min(weight[pair.sign > 0].sum(), weight[pair.sign < 0].sum()) / weight.sum()
        return BoxQP.nu_classifier(gram, pair.sign, weight, min(self.nu, largest))

    def _check_every_class(self, classes: np.ndarray, label: np.ndarray, weight: np.ndarray) -> None:
        total = np.bincount(label, weights=weight, minlength=len(classes))
        if (total > 0).sum() == 1:
            raise ValueError("specified nu is infeasible: all samples with positive weights belong to the same class.")
        super()._check_every_class(classes, label, weight)

    def _check_problems(self, pairs: list[Pair], weight: np.ndarray, classes: np.ndarray) -> None:
        for pair in pairs:
            w = weight[pair.rows]
            largest = 2 * min(w[pair.sign > 0].sum(), w[pair.sign < 0].sum()) / w.sum()
            if self.nu > largest * (1 + 1e-9):
                warnings.warn(
                    f"specified nu is infeasible for {pair.label(classes)}: nu={self.nu:g}, but it can be at most "
                    f"{largest:.4g} there (twice the share of the smaller class), which is used. Lower nu.",
                    stacklevel=3,
                )

    def _solve(
        self, problem: BoxQP, start: np.ndarray | None, monitor: Monitor, rows: np.ndarray, engine: dict[str, Any]
    ) -> CertifiedSolution:
        if start is not None:
            start = feasible(problem, start)
        return solve_certified(problem, start, self.tol, self.gap_tol, self._budget, monitor, **engine)

    def _scale(self, solution: CertifiedSolution) -> tuple[np.ndarray, float]:
        # On the kerbs f + b = rho and -rho; the intercepts of the two groups are b - rho and b + rho.
        low, high = solution.evidence.intercepts
        low, high = self._without_margin(solution, low, high)
        rho = (high - low) / 2
        if not rho > 0:
            rho = 1.0  # the classes coincide in feature space: every scale is as good
        return solution.beta / rho, (low + high) / 2 / rho

    def _of_what_is_kept(self, solved: Solved, problems: list[BoxQP], scaled: list[tuple[np.ndarray, float]]) -> Solved:
        """A fit that ended early is certified by the multipliers that the scaled ones give back.

        Both margin boundaries are told by one number of the model, and may lie anywhere before the end.
        """
        certificates = []
        for certificate, solution, problem, kept in zip(
            solved.certificates, solved.solutions, problems, scaled, strict=True
        ):
            early = certificate.status not in (Status.CONVERGED, Status.STATIONARY) and len(solution.evidence.image)
            if early:
                evidence = self._judged(problem, self._evaluate(problem, *self._unscale(problem, *kept)))
                figures = certificate.status, certificate.iterations, certificate.seconds, certificate.label
                certificate = Certificate.of(evidence, *figures)
            certificates.append(certificate)
        return replace(solved, certificates=certificates)

    def _without_margin(self, solution: CertifiedSolution, low: float, high: float) -> tuple[float, float]:
        """Intercepts where a class has all multipliers at their bounds, and its own is only bounded from one side.

        All its samples are margin errors then. The street is drawn so wide that the best of them stands half way
        between its middle and the other kerb: none of them is given a margin.
        """
        problem, f = solution.problem, solution.evidence.image
        if problem is None or not len(f):
            return low, high
        positive = problem.group == 0
        if (solution.beta[positive] == problem.upper[positive]).all():
            return min(low, -4 * float(f[positive].max()) - 3 * high), high
        if (solution.beta[~positive] == problem.lower[~positive]).all():
            return low, max(high, -4 * float(f[~positive].min()) - 3 * low)
        return low, high

    def _evaluate(self, problem: BoxQP, beta: np.ndarray, intercepts: tuple[float, ...]) -> Evidence:
        """The figures; where there is no margin, `_scale` has kept the middle of the two intercepts only."""
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

    def _unscale(self, problem: BoxQP, coefficients: np.ndarray, intercept: float) -> tuple[np.ndarray, tuple]:
        positive = coefficients[problem.upper > 0].sum()
        rho = problem.totals[0] / positive if positive > 0 else 1.0
        beta = coefficients * rho
        # scaling there and back leaves multipliers an ulp beside their bound
        bound = np.where(problem.upper > 0, problem.upper, problem.lower)
        beta = np.where(np.abs(beta - bound) <= 1e-12 * np.abs(bound), bound, beta)
        return beta, ((intercept - 1) * rho, (intercept + 1) * rho)
