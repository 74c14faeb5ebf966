"""The embedding that a positive semi-definite matrix is the Gram matrix of.

With the eigenvectors K = V L V', the rows of V L^1/2 have the inner products K: that is phi of the samples. For another
sample x with the kernel values k(x, x_i), phi(x) = (k(x, x_i))_i V L^-1/2 is the projection of its image on the span of
those of the samples, and on the samples themselves it is V L^1/2 again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from ..certificates import Guarantee, Status, are_floats, figures_reproduced, rounded_up
from ..data import validate_data
from ..engine import Stopwatch, thread_count
from ..estimators import KERNEL_CONSTRAINTS, KeepsGamma, KernelChoice, OwnEstimator, check_same_rows
from ..kernels import kernel_name, make_kernel
from ..messages import counted
from ..svm import kernel_of_fit, rows_of, stated_gamma, training_rows

_NEGATIVE = 1e-6  # eigenvalues below this fraction of the largest are no rounding errors


@dataclass(kw_only=True, eq=False, repr=False)
class KernelEmbedding(
    KernelChoice, ClassNamePrefixFeaturesOutMixin, TransformerMixin, KeepsGamma, OwnEstimator, BaseEstimator
):
    """Coordinates phi of samples whose inner products are the kernel values: phi from K.

    A linear model on them is a kernel model. Without a limit on the components, inner products of training rows are
    their kernel values up to rounding; the certificate states how far they are off.

    Parameters
    ----------
    n_components : int or None, default=None
        Largest number of coordinates, those of the largest eigenvalues; None keeps all that are not rounding errors.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        As in :class:`maxmargin.svm.SVC`; its matrix has to be positive semi-definite.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of the kernel matrix, the largest first.
    components_ : ndarray of shape (n_samples, n_components)
        ``V L**-1/2``: what kernel values are multiplied with.
    X_fit_ : ndarray or sparse matrix
        The training rows; for a precomputed kernel their matrix.
    certificate_ : Guarantee
        The largest error of an inner product and what was left out; ``certificate_.verify(X)`` recomputes them.
    gamma_ : float
        The gamma of the kernel, where it has one.
    n_features_in_ : int
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernel_approximation import KernelEmbedding
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> phi = KernelEmbedding(kernel="precomputed").fit_transform(K)
    >>> (phi @ phi.T).round(12)
    array([[2., 1.],
           [1., 2.]])

    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        **KERNEL_CONSTRAINTS,
    }

    n_components: int | None = field(default=None, kw_only=False)

    def fit(self, X: Any, y: Any = None) -> KernelEmbedding:
        """Find the coordinates.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"`` the square matrix of kernel values.
        y : ignored

        Returns
        -------
        self

        """
        self._validate_params()
        watch = Stopwatch()
        X, _ = training_rows(self, X, None)
        kernel, gamma = kernel_of_fit(self, X, np.ones(X.shape[0]))
        K = kernel.gram(rows_of(self.kernel, X), None, thread_count(None)).whole(np.float64)
        values, vectors = eigh(K)
        values, vectors = values[::-1], vectors[:, ::-1]
        if values[-1] < -_NEGATIVE * max(values[0], 0.0) or not values[0] >= 0:
            raise ValueError(
                f"the kernel matrix is not positive semi-definite: it has an eigenvalue of {values[-1]:.3g}, and no "
                f"vectors have such inner products. Use another kernel (maxmargin.kernels.check_mercer looks at one)."
            )
        rank = max(1, int(np.count_nonzero(values > len(K) * 2.0**-52 * values[0])))
        rank = rank if self.n_components is None else min(rank, self.n_components)
        self.eigenvalues_ = np.ascontiguousarray(values[:rank])
        self._dropped = float(np.maximum(values[rank:], 0.0).sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = vectors[:, :rank] / np.sqrt(self.eigenvalues_)
        self.components_ = np.ascontiguousarray(np.where(self.eigenvalues_ > 0, scaled, 0.0))
        self._n_features_out = rank
        self.X_fit_, self._gamma = X, gamma
        self.certificate_ = self._guarantee(K, self._map(X), watch)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of the rows of X.

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        """
        check_is_fitted(self)
        return self._map(self._checked(X))

    def _checked(self, X: Any) -> Any:
        if kernel_name(self.kernel) == "function":
            return np.asarray(X)
        rules: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}
        return validate_data(self, X, reset=False, **rules)

    def _map(self, X: Any) -> np.ndarray:
        rows = rows_of(self.kernel, X)
        columns = rows if kernel_name(self.kernel) == "precomputed" else rows_of(self.kernel, self.X_fit_)
        gram = make_kernel(self.kernel, self._gamma, self.coef0, self.degree).gram(rows, columns, thread_count(None))
        everything = np.arange(len(self.components_))
        return np.ascontiguousarray(gram.product(everything, np.ascontiguousarray(self.components_.T), np.float64).T)

    def _guarantee(self, K: np.ndarray, phi: np.ndarray, watch: Stopwatch) -> Guarantee:
        error, size = float(np.abs(phi @ phi.T - K).max()), float(np.abs(K.diagonal()).max(initial=0.0))
        figures = {
            "largest error": error,
            "largest kernel value": size,
            "components": float(phi.shape[1]),
            "eigenvalues left out": self._dropped,
        }
        words = (
            f"inner products of training rows in {counted(phi.shape[1], 'coordinate')} are their kernel values up to "
            f"{rounded_up(error, 2)}, where these are at most {rounded_up(size, 4)}; eigenvalues that add up to "
            f"{self._dropped:.2g} were left out."
        )
        # what is left out is positive semi-definite, and no value of it is larger than its trace
        holds = bool(error <= self._dropped + 1e-8 * size + 1e-300)
        proof = Guarantee("embedding", figures, words, holds, Status.CONVERGED, 0, watch.seconds())
        return replace(proof, _recompute=self._recertify)

    def _recertify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Guarantee:
        """The errors once more, with kernel values by plain code."""
        check_is_fitted(self)
        X = self._checked(X)
        check_same_rows(len(self.components_), X.shape[0])
        claim = self.certificate_
        kernel = make_kernel(self.kernel, self._gamma, self.coef0, self.degree)
        K = kernel.audit_gram(rows_of(self.kernel, X)).whole(np.float64)
        same = abs(stated_gamma(self, X, np.ones(X.shape[0])) - self._gamma) <= 1e-9 * abs(self._gamma)
        same = same and are_floats(self.components_) and bool(np.isfinite(self.components_).all())
        found = self._guarantee(K, self._map(X), Stopwatch())
        same = same and found.holds and figures_reproduced(claim.figures, found.figures)
        return replace(found, status=Status.CONVERGED if same else Status.REFUTED, holds=same)
