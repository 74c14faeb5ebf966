"""What linear classifiers share."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Certificate
from ._fit import fit_classifier
from ._formulation import LinearFormulation
from ._machine import LinearMachine
from ._start import dense_coef
from ._verify import verify_classifier


class LinearClassifierMachine(ClassifierMixin, LinearMachine, metaclass=ABCMeta):
    """Base of the linear classifiers; not for direct use.

    A subclass says what it minimises (`_formulation`).

    Parameters
    ----------
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of the class.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    classes_, class_weight_, n_iter_, fit_status_, n_features_in_
        As in scikit-learn. ``fit_status_`` is 0 if the certificate's status is CONVERGED.

    """

    _parameter_constraints: dict = {
        **LinearMachine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    coef_: Any

    @abstractmethod
    def _formulation(self) -> LinearFormulation:
        """What is minimised."""

    def _warn_of_unused(self) -> None:
        """Warn of parameters that others make useless."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on rows X with labels y."""
        self._validate_params()
        formulation = self._formulation()
        self._warn_of_unused()
        fit_classifier(self, formulation, X, y, sample_weight)
        return self

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        in_chunks = self.solver == "sgd"
        return verify_classifier(self, self._formulation(), X, y, sample_weight, in_chunks)

    # ---------------------------------------------------------------- prediction

    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values ``X @ coef_.T + intercept_``.

        Returns
        -------
        ndarray
            Shape (n_samples,) for two classes, positive for ``classes_[1]``; else (n_samples, n_classes).

        """
        values = self._linear_values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> np.ndarray:
        """Labels of the rows of X."""
        values = self.decision_function(X)
        return self.classes_[(values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)]

    @property
    def margin_width_(self) -> np.ndarray:
        """Distance of the two margin boundaries of each decision value, ``2 / ||coef_||``; inf where it is constant."""
        check_is_fitted(self)
        lengths = np.linalg.norm(np.asarray(dense_coef(self), dtype=np.float64), axis=1)
        with np.errstate(divide="ignore"):
            return 2.0 / lengths

    def sparsify(self) -> Self:
        """Keep ``coef_`` as a CSR matrix, which for many zeros (an L1 penalty) takes less memory.

        Returns
        -------
        self

        """
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep ``coef_`` as an array again, undoing `sparsify`.

        Returns
        -------
        self

        """
        check_is_fitted(self)
        self.coef_ = dense_coef(self)
        return self
