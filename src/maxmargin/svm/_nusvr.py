"""The kernel regressor that finds the width of its own tube."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from sklearn.utils._param_validation import Interval

from ._formulations import Tube
from ._machine import KernelMachine
from ._regressor import KernelRegressor


@dataclass(kw_only=True, eq=False, repr=False)
class NuSVR(KernelRegressor, KernelMachine):
    """Nu-support vector regressor: `nu` bounds the share of samples outside the tube, and the tube finds its width.

    A drop-in for :class:`sklearn.svm.NuSVR`, with a certificate.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        Upper bound of the share of samples outside the tube, lower bound of the share of support vectors.
    C : float, default=1.0
        Weight of the loss. Infinity is taken as 1e10.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, as in scikit-learn; where the range of y is
        below 1, in units of it.

    Attributes
    ----------
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

    _parameter_constraints: ClassVar[dict] = {
        **KernelRegressor._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    nu: float = 0.5
    C: float = 1.0

    def _formulation(self) -> Tube:
        width = getattr(self, "epsilon_", 0.0)
        return Tube(C=self.C, nu=self.nu, epsilon=width, tol=self.tol, gap_tol=self.gap_tol)
