"""What kernel regressors share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import column_or_1d

from ..certificates import Certificate, Status, evaluate
from ..engine import one_blas_thread
from ..kernels import Gram
from ..problems import BoxQP
from ..solvers import CertifiedSolution, feasible
from ._audit import Audit
from ._base import KernelMachine, Solved, part_of


class KernelRegressor(RegressorMixin, KernelMachine):
    """Base of the kernel regressors; not for direct use.

    A problem has two variables a sample, one for each side of the tube; their sum is the coefficient of the sample.
    """

    _parameter_constraints: dict = {
        **KernelMachine._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
    }

    @property
    def _bound(self) -> float:
        """C, where infinity (a tube that nothing may leave) is a number beyond what any kernel needs."""
        return float(self.C) if np.isfinite(self.C) else 1e10

    @abstractmethod
    def _problem(self, gram: Gram, y: np.ndarray, weight: np.ndarray) -> BoxQP:
        """The dual problem of the samples that take part."""

    @abstractmethod
    def _variables(self, problem: BoxQP, coefficients: np.ndarray) -> np.ndarray:
        """Variables of the problem again from the coefficients that the model keeps."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRegressor:
        """Train on rows X with targets y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"`` the square matrix of kernel values.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            C is multiplied by it, sample by sample; a sample without positive weight takes no part.

        Returns
        -------
        self

        """
        self._validate_params()
        X, y = self._validate_training(X, y, y_numeric=True)
        y = column_or_1d(y, warn=True).astype(np.float64)
        weight = self._validate_weights(sample_weight, X)
        gram = self._kernel_for(X, weight).gram(self._rows(X), None, self._threads())
        rows = np.flatnonzero(weight > 0)
        problem = self._problem(part_of(gram, rows), y[rows], weight[rows])
        start = self._start(problem, rows, len(y))
        solved = self._of_what_is_kept(self._solve_one(problem, start), problem)
        solution = solved.solutions[0]
        coef = np.zeros(len(y))
        coef[rows] = solution.beta.reshape(2, -1).sum(axis=0)
        self.n_iter_ = solution.iterations
        self._settle(X, coef, float(np.mean(solution.evidence.intercepts)))
        self._after(solution)
        self._conclude(solved)
        return self

    def _of_what_is_kept(self, solved: Solved, problem: BoxQP) -> Solved:
        """The same with figures of the variables that can be made again from the model.

        Both variables of a sample may be non-zero, mostly in a fit that ended early; the model keeps their sum.
        """
        (solution,), (certificate,) = solved.solutions, solved.certificates
        kept = self._variables(problem, solution.beta.reshape(2, -1).sum(axis=0))
        if np.array_equal(kept, solution.beta) or not len(solution.evidence.image):
            return solved
        evidence = self._judged(problem, evaluate(problem, kept, wanted=self.gap_tol))
        within = evidence.kkt_violation <= self.tol
        met = within and (self.gap_tol is None or evidence.relative_gap <= self.gap_tol)
        claims = solution.status in (Status.CONVERGED, Status.STATIONARY)
        status = (
            Status.STALLED if claims and not (met or (evidence.definiteness == "fails" and within)) else solution.status
        )
        figures = status, certificate.iterations, certificate.seconds, certificate.label
        return replace(
            solved,
            solutions=[replace(solution, variables=kept, evidence=evidence, status=status)],
            certificates=[Certificate.of(evidence, *figures)],
        )

    def _settle(self, X: Any, coefficients: np.ndarray, intercept: float) -> None:
        """Fitted attributes from the coefficients of all rows."""
        support = np.flatnonzero(coefficients)
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self._keep(X, support, coefficients[None, support], np.array([intercept]))

    def _after(self, solution: CertifiedSolution) -> None:
        """Fitted attributes of a subclass."""

    def _start(self, problem: BoxQP, rows: np.ndarray, n: int) -> np.ndarray | None:
        if not self._may_start_warm(n):
            return None
        return feasible(problem, self._variables(problem, self._spread(n)[0, rows]))

    def _intercepts(self) -> tuple[float, ...]:
        """One for each group of the problem."""
        return (float(self.intercept_[0]),)

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
        X = self._validate_for_predict(X)
        y = column_or_1d(y, warn=True).astype(np.float64)
        self._check_same_rows(X, y)
        return X, y, self._validate_weights(sample_weight, X)

    def _audits(self, X: Any, y: np.ndarray, weight: np.ndarray) -> list[Audit]:
        rows = np.flatnonzero(weight > 0)
        gram = self._fitted_kernel().audit_gram(self._rows(X))
        problem = self._problem(part_of(gram, rows), y[rows], weight[rows])
        beta = self._variables(problem, self._spread(len(y))[0, rows])
        evidence = self._judged(problem, evaluate(problem, beta, self._intercepts(), audit=True))
        expected = evidence.image[: len(rows)] + self.intercept_[0]
        return [Audit.of(problem, beta, evidence, self._values_of(X)[rows], expected)]

    def predict(self, X: Any) -> np.ndarray:
        """Predicted targets of the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)

        """
        return self._values_of(self._validate_for_predict(X))

    def _values_of(self, X: Any) -> np.ndarray:
        with one_blas_thread():
            values = self._support_values(X, [slice(None)], self._dual_coef())[0]
        return values.ravel() + self.intercept_[0]

    @property
    def coef_(self) -> Any:
        """Weights of the features (linear kernel only; read-only)."""
        return self._linear_weights()
