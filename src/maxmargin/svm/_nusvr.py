"""The kernel regressor that finds the width of its own tube."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from ..certificates import Certificate, Status
from ..kernels import Gram
from ..problems import BoxQP
from ..solvers import CertifiedSolution
from ._audit import Audit
from ._regressor import KernelRegressor


class NuSVR(KernelRegressor):
    """Nu-support vector regressor: `nu` bounds the share of samples outside the tube, and the tube finds its width.

    A drop-in for :class:`sklearn.svm.NuSVR`, with a certificate.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        Upper bound of the share of samples outside the tube, lower bound of the share of support vectors.
    C : float, default=1.0
        Weight of the loss. Infinity is taken as 1e10.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, gap_tol, warm_start, n_jobs, callback
        As in :class:`maxmargin.svm.SVC`.

    Attributes
    ----------
    certificate_ : ModelCertificate
        Primal, dual, gap, violation and status, recomputed in float64.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, n_iter_, fit_status_, shape_fit_, n_features_in_
        As in scikit-learn.
    epsilon_ : float
        Half the width of the tube that was found.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.svm import NuSVR
    >>> X = np.linspace(0, 6, 100)[:, None]
    >>> model = NuSVR(C=10, nu=0.2).fit(X, np.sin(X).ravel())
    >>> print(model.certificate_.status)
    converged

    """

    _parameter_constraints: dict = {
        **KernelRegressor._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: str | Callable = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        gap_tol: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callable[[dict], Any] | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.gap_tol = gap_tol
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.callback = callback

    def _problem(self, gram: Gram, y: np.ndarray, weight: np.ndarray) -> BoxQP:
        return BoxQP.nu_regressor(gram, y, self._bound * weight, self.nu)

    def _variables(self, problem: BoxQP, coefficients: np.ndarray) -> np.ndarray:
        rises, falls = np.maximum(coefficients, 0.0), np.minimum(coefficients, 0.0)
        bound = problem.upper[: len(coefficients)]
        # Both variables of a sample may be non-zero where the tube is empty; the model keeps only their sum. Adding the
        # same amount to both changes neither the decision function nor the objective, and restores the totals.
        missing = problem.totals[0] - rises.sum()
        room = bound - np.abs(coefficients)
        # What rounding leaves missing is not spread: multipliers of 1e-17 would have conditions to meet.
        if missing > 1e-12 * problem.totals[0] and room.sum() >= missing:
            both = self._shared(problem, rises, falls, room, missing)
            # a sum that fills its room is rounded, and may be an ulp beyond the bound
            rises, falls = np.minimum(rises + both, bound), np.maximum(falls - both, -bound)
        return np.concatenate([rises, falls])

    def _shared(
        self, problem: BoxQP, rises: np.ndarray, falls: np.ndarray, room: np.ndarray, missing: float
    ) -> np.ndarray:
        """What both variables of a sample get: first of those in the middle of the tube, which it violates least."""
        n = len(rises)
        residual = (problem.p - problem.image(np.concatenate([rises, falls])))[:n]
        highest = residual[rises < problem.upper[:n]].max(initial=-np.inf)
        lowest = residual[falls > problem.lower[n:]].min(initial=np.inf)
        middle = (highest + lowest) / 2
        order = np.argsort(np.abs(residual - middle) if np.isfinite(middle) else -room, kind="stable")
        before = np.concatenate([[0.0], np.cumsum(room[order])[:-1]])
        both = np.zeros(n)
        both[order] = np.clip(missing - before, 0.0, room[order])
        return both

    def _confirmed(self, audit: Audit, claim: Certificate) -> Certificate:
        """As ever, but for the violation: the sums that are kept may be parted so that less is violated than was."""
        if claim.status is Status.CONVERGED and not claim.kkt_violation <= self.tol:
            return super()._confirmed(audit, claim)
        violation = min(claim.kkt_violation, audit.evidence.kkt_violation)
        return super()._confirmed(audit, replace(claim, kkt_violation=violation))

    def _after(self, solution: CertifiedSolution) -> None:
        upper, lower = solution.evidence.intercepts
        self.epsilon_ = (upper - lower) / 2

    def _intercepts(self) -> tuple[float, ...]:
        b = float(self.intercept_[0])
        return b + self.epsilon_, b - self.epsilon_
