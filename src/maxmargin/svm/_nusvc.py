"""The kernel classifier with a bound on the share of margin errors instead of C."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from ._classifier import KernelClassifier
from ._formulations import NuMargin
from ._machine import KernelMachine
from ._verify import Audit


@dataclass(kw_only=True, eq=False, repr=False)
class NuSVC(KernelClassifier, KernelMachine):
    """Nu-support vector classifier: `nu` bounds the share of margin errors from above, that of support vectors below.

    A drop-in for :class:`sklearn.svm.NuSVC`, with a certificate. The problem solved is, in signed variables,
    ``1/2 beta' K beta`` over ``0 <= y_i beta_i <= weight_i`` with a fixed sum for each class; the decision function is
    scaled so that the margin boundaries are at -1 and 1.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        Upper bound of the share of margin errors.
    tol : float, default=1e-3
        Largest violation of the optimality conditions in the unscaled problem that is accepted, as in scikit-learn;
        where all decision values are below 1, in units of how far they can be apart.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.svm import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVC(nu=0.1).fit(X, y)
    >>> model.certificate_.relative_gap < 1e-6
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelClassifier._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    nu: float = 0.5

    def _formulation(self) -> NuMargin:
        return NuMargin(nu=self.nu, tol=self.tol, gap_tol=self.gap_tol)

    def _level(self, audit: Audit, coefficients: np.ndarray) -> float:
        """0 if the classes cannot be told apart at this nu: the two boundaries are then less apart than the model says.

        Decision values are not scaled there (`NuMargin.to_model`): those of all samples are 0 but for rounding.
        """
        assert audit.problem is not None
        positive = float(coefficients[audit.problem.upper > 0].sum())
        low, high = audit.evidence.intercepts
        return 1.0 if not positive > 0 or (high - low) / 2 > audit.problem.totals[0] / positive / 2 else 0.0
