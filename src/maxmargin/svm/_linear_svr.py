"""The linear support vector regressor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from ..certificates import Certificate, KKTCases, are_floats, confirmed
from ..data import Rows
from ..engine import thread_count
from ..estimators import check_training, check_weights, conclude, monitor_of, solve_all
from ..linear import (
    LinearMachine,
    Tasks,
    advice,
    check_finite,
    checked_training,
    refuse_intercept_scaling,
    regressor_cases,
    training_rows,
    verify,
)
from ..losses import make_loss
from ..penalties import make_penalty
from ..problems import Risk


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVR(RegressorMixin, LinearMachine):
    """Linear support vector regressor whose every fit carries a proof.

    A drop-in for :class:`sklearn.svm.LinearSVR`. Minimises ``1/2 ||w||**2 + C sum_i s_i max(0, |y_i - f(x_i)| -
    epsilon)``, or the square of that loss. Unlike there, the intercept is not penalised, and ``||w||_1`` may take the
    place of ``1/2 ||w||**2``.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube in which errors cost nothing.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        Without or with the square.
    intercept_scaling, dual, max_iter
        As in :class:`LinearSVC`.
    penalty : {"l2", "l1"}, default="l2"
        The penalty R(w): half the squared length, or the sum of the absolute weights, many of which are then zero.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights.
    intercept_ : ndarray of shape (1,)
        The intercept.
    n_iter_, fit_status_, n_features_in_
        As in scikit-learn. ``fit_status_`` is 0 if the certificate's status is CONVERGED.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.svm import LinearSVR
    >>> X = np.linspace(-1, 1, 100)[:, None]
    >>> model = LinearSVR(C=100, epsilon=0.1).fit(X, 3 * X.ravel() + 1)
    >>> bool(abs(model.predict(X) - 3 * X.ravel() - 1).max() < 0.11)
    True
    >>> print(model.certificate_.status)
    converged

    """

    _parameter_constraints = {
        **LinearMachine._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        "penalty": [StrOptions({"l1", "l2"})],
        "intercept_scaling": [Interval(Real, 0.0, None, closed="neither")],
        "dual": ["boolean", StrOptions({"auto"})],
    }

    epsilon: float = 0.0
    loss: str = "epsilon_insensitive"
    intercept_scaling: float = 1.0
    dual: bool | str = "auto"
    max_iter: int | None = 1000
    penalty: str = "l2"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVR:
        """Train on rows X with targets y."""
        self._validate_params()
        refuse_intercept_scaling(self.intercept_scaling)
        X, y = training_rows(self, X, y, y_numeric=True)
        problem = self._risk(X, y, sample_weight)
        start, slopes = self._start(problem)
        tasks = Tasks(self, [problem].__getitem__, [start], [slopes], [""], self.solver)
        monitor = monitor_of(self)
        parts, interrupted = solve_all(tasks.solve, tasks.untouched, tasks.names, monitor, side_by_side=False)
        part = parts[0]
        check_finite(part.theta)
        self.coef_, self.intercept_, self.solver_ = part.theta[:-1].copy(), part.theta[-1:].copy(), part.solver
        self.n_iter_ = part.certificate.iterations
        self._slopes, self._rows_seen = part.slopes, problem.n
        conclude(self, [part.certificate], monitor, interrupted, partial(advice, self, parts))
        return self

    def _risk(self, X: Any, y: Any, sample_weight: Any) -> Risk:
        weight = check_weights(sample_weight, X)
        C = np.full(X.shape[0], float(self.C)) if weight is None else float(self.C) * weight
        terms = make_loss(self.loss, self.epsilon), make_penalty(self.penalty)
        return Risk(Rows(X), np.asarray(y, dtype=np.float64), C, *terms, self.fit_intercept, thread_count(self.n_jobs))

    def _start(self, problem: Risk) -> tuple[np.ndarray | None, np.ndarray | None]:
        if not (self.warm_start and hasattr(self, "coef_")):
            return None, None
        if len(self.coef_) != problem.d:
            raise ValueError(
                f"warm_start=True needs the features of the last fit ({len(self.coef_)}); got {problem.d}. Set "
                f"warm_start=False to begin again."
            )
        start = np.append(self.coef_, self.intercept_[0] * self.fit_intercept)
        slopes = self._slopes
        return start, slopes if isinstance(slopes, np.ndarray) and len(slopes) == problem.n else None

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        return verify(self, self._recomputed, X, y, sample_weight)

    def _recomputed(self, X: Any, y: np.ndarray, weight: np.ndarray | None) -> list[Certificate] | None:
        coef, intercept = np.asarray(self.coef_), np.asarray(self.intercept_)
        claims = self.certificate_.problems
        fits = coef.shape == (X.shape[1],) and intercept.shape == (1,) and len(claims) == 1
        if not fits or not are_floats(coef, intercept):
            return None
        theta = np.append(coef, intercept).astype(np.float64)
        return [confirmed(self._risk(X, y, weight), theta, self._slopes, claims[0], self.tol)]

    def kkt_cases(self, X: Any, y: Any, sample_weight: Any = None) -> KKTCases:
        """The optimality case of each training sample: inside the tube, on its edge, above or below it.

        The cases are those of the optimum, proven by a gap: a fit that has converged is solved on for it. Samples that
        it does not decide are counted apart.
        """
        check_training(self, X, y, sample_weight)
        X, y, weight = checked_training(self, X, y, sample_weight)
        theta = np.append(self.coef_, self.intercept_)
        problem = self._risk(X, y.astype(np.float64), weight)
        return regressor_cases(problem, theta, self._slopes, self.certificate_.problems[0])

    def predict(self, X: Any) -> np.ndarray:
        """Predicted targets ``X @ coef_ + intercept_``."""
        return self._linear_values(X)[:, 0]
