"""The machine that learns where the data is."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _num_samples

from ..certificates import KKTCases, region_cases
from ..estimators import check_same_rows
from ._cases import doubted, near, noise, sharp_cases
from ._fit import fit_one
from ._formulations import OneClass
from ._input import training_weights
from ._machine import KernelMachine
from ._screened import screened_values
from ._verify import Audit, audit_one


@dataclass(kw_only=True, eq=False, repr=False)
class OneClassSVM(OutlierMixin, KernelMachine):
    """One-class machine for outliers and novelty: `nu` bounds the share of training samples called outliers.

    A drop-in for :class:`sklearn.svm.OneClassSVM`, with a certificate. It separates the data from the origin of feature
    space: ``1/2 beta' K beta`` over ``0 <= beta_i <= weight_i`` with sum ``nu * sum(weight)``.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        Upper bound of the share of outliers, lower bound of the share of support vectors.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, as in scikit-learn; where all scores are below
        1, in units of how far they can be apart.

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        ``decision_function = score_samples - offset_``.

    Examples
    --------
    >>> from maxmargin.svm import OneClassSVM
    >>> model = OneClassSVM(gamma="auto", nu=0.5).fit([[0.0], [0.44], [0.45], [0.46], [1.0]])
    >>> model.predict([[0.45], [5.0]])
    array([ 1, -1])

    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelMachine._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    nu: float = 0.5

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneClassSVM:
        """Learn the region of the rows X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"`` the square matrix of kernel values.
        y : ignored
            Present for scikit-learn's sake.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample.

        """
        self._validate_params()
        fit_one(self, self._formulation(), X, None, sample_weight)
        return self

    def _formulation(self) -> OneClass:
        return OneClass(nu=self.nu, tol=self.tol, gap_tol=self.gap_tol)

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, None, np.ndarray]:
        X = self._validate_for_predict(X)
        check_same_rows(self.shape_fit_[0], X.shape[0], None if y is None else _num_samples(y))
        return X, None, training_weights(sample_weight, X)

    def _audits(self, X: Any, y: Any, weight: np.ndarray) -> list[Audit]:
        if not np.array_equal(self.offset_, -self.intercept_):  # predictions read one of them, the proof the other
            return []
        return audit_one(self, X, None, weight, self._unrounded_values_of(X))

    def kkt_cases(self, X: Any, y: Any = None, sample_weight: Any = None) -> KKTCases:
        """The optimality case of each training sample: inside the region, on its boundary, or outside."""
        return sharp_cases(self, X, y, sample_weight)

    def _cases(self, audits: list[Audit], y: Any, weight: np.ndarray) -> KKTCases:
        (audit,), rows = audits, np.flatnonzero(weight > 0)
        assert audit.problem is not None and audit.values is not None
        multipliers = self._spread(len(weight))[0, rows]
        close = near(self, audit, noise(audit, multipliers))
        found = region_cases(rows, multipliers, audit.problem.upper, audit.values, close)
        return doubted(found, self, 0, audit)

    def score_samples(self, X: Any) -> np.ndarray:
        """How deep the rows of X lie in the region, unshifted.

        Returns
        -------
        ndarray of shape (n_samples,)

        """
        return self.decision_function(X) + self.offset_

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed distance to the boundary of the region: positive inside, negative outside.

        Returns
        -------
        ndarray of shape (n_samples,)

        """
        return self._values_of(self._validate_for_predict(X))

    def _unrounded_values_of(self, X: Any) -> np.ndarray:
        return self._values_without_intercept(X) - self.offset_

    def _values_of(self, X: Any) -> np.ndarray:
        values = self._unrounded_values_of(X)
        return np.where(np.abs(values) <= self._boundary(), 0.0, values)

    def _boundary(self) -> np.ndarray:
        """How wide the boundary is: last bits shall not say that support vectors, which lie on it, are outside."""
        return np.maximum(1e-10 * np.abs(self.offset_), self._noise())

    def _noise(self) -> float:
        """What rounding makes of a value; nothing else is left where the origin is within the data, and w is zero."""
        if self._kernel_name in ("precomputed", "function") or not len(self.support_):
            return 0.0
        squared = self._fitted_kernel().gram(self._rows(self.support_vectors_), None, 1).diagonal()
        return 1e-14 * float(np.abs(self._dual_coef()).sum() * np.abs(squared).max())

    def predict(self, X: Any) -> np.ndarray:
        """1 for rows inside the region, -1 for outliers."""
        X, boundary = self._validate_for_predict(X), self._boundary()
        found = screened_values(
            self,
            X,
            [slice(None)],
            lambda sums, shift: sums[0] + shift,
            -self.offset_,
            lambda values, errors: np.abs(values[:, 0] + boundary) > errors[:, 0],
            self._unrounded_values_of,
        )
        values = self._unrounded_values_of(X) if found is None else found[:, 0]
        return np.where(values >= -boundary, 1, -1)
