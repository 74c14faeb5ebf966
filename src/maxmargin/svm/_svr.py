"""The epsilon-insensitive kernel regressor."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from sklearn.utils._param_validation import Interval

from ._formulations import Tube
from ._machine import KernelMachine
from ._regressor import KernelRegressor


@dataclass(kw_only=True, eq=False, repr=False)
class SVR(KernelRegressor, KernelMachine):
    """Epsilon-support vector regressor whose every fit carries a proof.

    A drop-in for :class:`sklearn.svm.SVR`. Minimises ``1/2 ||w||^2 + C sum_i max(0, |y_i - f(x_i)| - epsilon)``.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss. Infinity is taken as 1e10.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.svm import SVR
    >>> X = np.linspace(0, 6, 100)[:, None]
    >>> model = SVR(C=10, epsilon=0.01).fit(X, np.sin(X).ravel())
    >>> bool(abs(model.predict(X) - np.sin(X).ravel()).max() < 0.02)
    True
    >>> print(model.certificate_.status)
    converged

    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelRegressor._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }

    C: float = 1.0
    epsilon: float = 0.1

    def _formulation(self) -> Tube:
        return Tube(C=self.C, epsilon=self.epsilon, tol=self.tol, gap_tol=self.gap_tol)
