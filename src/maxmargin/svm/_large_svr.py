"""The kernel regressor for many rows, with the exact optimum between two bounds."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from ._formulations import Tube
from ._large_fit import fit_large_regressor
from ._large_machine import LargeMachine
from ._regressor import KernelRegressor
from ._verify import Audit, again_one


@dataclass(kw_only=True, eq=False, repr=False)
class LargeSVR(KernelRegressor, LargeMachine):
    """Epsilon-support vector regressor for many rows, which says how far it is from the exact one.

    The machine of `SVR`, found approximately. Its certificate is of the *exact* problem: whatever was approximated, the
    exact optimum is proven to lie between two numbers.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss; finite.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.svm import LargeSVR
    >>> X = np.linspace(0, 6, 2000)[:, None]
    >>> model = LargeSVR(method="landmarks", n_landmarks=30).fit(X, np.sin(X).ravel())
    >>> model.certificate_.relative_gap < 0.01
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelRegressor._parameter_constraints,
        **LargeMachine._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }

    C: float = 1.0
    epsilon: float = 0.1

    def _formulation(self) -> Tube:
        return Tube(C=self.C, epsilon=self.epsilon, tol=np.inf, gap_tol=self.gap_tol)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LargeSVR:
        """Train on rows X with targets y."""
        self._validate_params()
        self._refuse_kernel()
        fit_large_regressor(self, self._formulation(), X, y, sample_weight)
        return self

    def _audits(self, X: Any, y: np.ndarray, weight: np.ndarray) -> list[Audit]:
        if self.multipliers_.shape != (1, X.shape[0]):
            return []
        rows, problem, coefficients, _ = again_one(self, X, y, weight)
        kept = coefficients, self.multipliers_.toarray()[0, rows]
        coefficients, beta = (self._formulation().to_variables(problem, values, 0.0)[0] for values in kept)
        return [self._audit(problem, coefficients, beta, 0, self._values_of(X)[rows])]

    def _cases_by(self, coefficients: np.ndarray, bound: np.ndarray, residual: np.ndarray) -> np.ndarray:
        """By where the samples lie: the multipliers of the lower bound belong to no decision function."""
        return np.where(np.abs(residual) > self.epsilon, np.copysign(bound, residual), 0.0)

    def decision_interval(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Between what the predictions of the exact machine lie.

        Returns
        -------
        low, high : ndarray of shape (n_samples,)
            Proven: they follow from the duality gap, since the objective is strongly convex.

        """
        X = self._checked(X)
        low, high = self._intervals(X, self._values_of(X)[:, None])
        return low.ravel(), high.ravel()
