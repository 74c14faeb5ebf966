"""The explicit map of the polynomial kernel.

By the binomial and the multinomial theorem,

    (gamma <x, z> + c)^D = sum_k binom(D, k) c^(D - k) gamma^k sum_(|a| = k) (k! / a!) x^a z^a,

so that the monomials x^a of degree at most D, each times the root of its weight, have the kernel for inner products.

In floating point a feature is a product of at most D rounded factors with a rounded weight: it is off by (2 D + 10)
roundings of itself at most. An inner product of c features adds c more, all relative to a sum of sizes that Cauchy's
inequality bounds: <phi(x), phi(z)> is within roundings(c + 4 D + 20) sqrt(k(x, x) k(z, z)) of k(x, z).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain, combinations_with_replacement
from math import comb, factorial, sqrt
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Guarantee, Status, are_floats, figures_reproduced, rounded_up
from ..data import Rows, validate_data
from ..engine import Stopwatch
from ..estimators import OwnEstimator, TakesSparse, check_same_rows
from ..kernels import Polynomial, roundings

_SAMPLE = 500  # rows whose errors are measured


@dataclass(kw_only=True, eq=False, repr=False)
class PolynomialMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TakesSparse, OwnEstimator, BaseEstimator):
    """The monomials whose inner products are the polynomial kernel.

    ``transform(X) @ transform(Z).T`` is ``(gamma <x, z> + coef0) ** degree`` up to rounding, so that a linear machine
    on the features is the machine of that kernel. Sparse rows give sparse features.

    Parameters
    ----------
    degree : int, default=3
        Degree of the kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the inner product; "scale" is ``1 / (n_features * X.var())``, "auto" ``1 / n_features``.
    coef0 : float, default=0.0
        Constant of the kernel, at least 0: no real map has a negative one. With 0 there are the monomials of the
        highest degree alone.
    max_columns : int, default=200000
        More features than this are refused: they number ``comb(n_features + degree, degree)``, and
        ``comb(n_features + degree - 1, degree)`` where `coef0` is 0.

    Attributes
    ----------
    gamma_ : float
        The gamma of the kernel.
    weights_ : ndarray of shape (n_features_out,)
        What each monomial of ``sqrt(gamma) x`` is multiplied with.
    error_bound_ : float
        An inner product of features is off by at most this part of ``sqrt(k(x, x) k(z, z))``.
    certificate_ : Guarantee
        The bound, and the largest error measured; ``certificate_.verify(X)`` recomputes them.
    n_features_in_ : int
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernel_approximation import PolynomialMap
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> F = PolynomialMap(2, gamma=1.0, coef0=1.0).fit_transform(X)
    >>> F.shape
    (2, 6)
    >>> (F @ F.T).round(9)
    array([[ 36., 144.],
           [144., 676.]])

    """

    _parameter_constraints: ClassVar[dict] = {
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, 0.0, None, closed="left")],
        "max_columns": [Interval(Integral, 1, None, closed="left")],
    }

    degree: int = field(default=3, kw_only=False)
    gamma: str | float = "scale"
    coef0: float = 0.0
    max_columns: int = 200_000

    def fit(self, X: Any, y: Any = None) -> PolynomialMap:
        """Find gamma and the weights of the monomials.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        """
        self._validate_params()
        watch = Stopwatch()
        X = validate_data(self, X, **_RULES)
        columns = count_columns(X.shape[1], int(self.degree), float(self.coef0))
        if columns > self.max_columns:
            raise ValueError(
                f"degree {self.degree} on {X.shape[1]} features makes {columns} columns, more than "
                f"max_columns={self.max_columns}: lower degree, raise max_columns, or use Nystroem."
            )
        self.gamma_ = self._stated_gamma(X)
        self.weights_ = _weights(X.shape[1], int(self.degree), float(self.coef0))
        self.error_bound_ = self._bound(columns)
        self._n_features_out, self._rows = columns, X.shape[0]
        self.certificate_ = self._guarantee(X, watch)
        return self

    def _stated_gamma(self, X: Any) -> float:
        if self.gamma == "auto":
            return 1.0 / X.shape[1]
        if self.gamma != "scale":
            return float(self.gamma)
        with np.errstate(over="ignore", invalid="ignore"):
            variance = Rows(X).variance(np.ones(X.shape[0]))
            gamma = float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
        if not 0 < gamma < np.inf:
            raise ValueError(
                f"gamma='scale' is 1 / (n_features * variance of X), which float64 does not hold: X has a variance of "
                f"{variance:.3g}. Scale X (StandardScaler), or give gamma as a number."
            )
        return gamma

    def _bound(self, columns: int) -> float:
        return roundings(columns + 4 * int(self.degree) + 20) * 1.001

    def transform(self, X: Any) -> Any:
        """The weighted monomials of the rows of X, in float64.

        Returns
        -------
        ndarray or CSR of shape (n_samples, n_features_out)
            Sparse where X is.

        """
        check_is_fitted(self)
        return self._map(validate_data(self, X, reset=False, **_RULES))

    def _map(self, X: Any) -> Any:
        degree = int(self.degree)
        # in units of the kernel, in which powers are of its size
        X = X.astype(np.float64) * sqrt(self.gamma_)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            if degree == 0:
                ones = np.ones((X.shape[0], 1))
                F: Any = sp.csr_array(ones) if sp.issparse(X) else ones
            else:
                bias = bool(self.coef0 > 0)
                F = PolynomialFeatures((0 if bias else degree, degree), include_bias=bias).fit_transform(X)
            F = sp.csr_array(F).multiply(self.weights_).tocsr() if sp.issparse(F) else F * self.weights_
        if not np.isfinite(F.data if sp.issparse(F) else F).all():
            raise ValueError(f"X has values so large that their products of degree {degree} overflow float64. Scale X.")
        if not sp.issparse(X) or isinstance(X, sp.sparray):
            return F
        return sp.csr_matrix(F)

    def _guarantee(self, X: Any, watch: Stopwatch) -> Guarantee:
        columns = len(self.weights_)
        kernel = Polynomial(self.gamma_, float(self.coef0), int(self.degree))
        some = X[:_SAMPLE].astype(np.float64)
        F = self._map(some)
        products = (F @ F.T).toarray() if sp.issparse(F) else F @ F.T
        values = kernel.plain(some, some)
        accuracy = kernel.plain_accuracy(Rows(some))
        # of what underflows, nothing is said
        size = np.maximum(accuracy.scale, 1e-150)
        error = float((np.abs(products - values) / size / size[:, None]).max())
        bound = self._bound(columns)
        figures = {"error bound": bound, "largest error measured": error, "columns": float(columns)}
        words = (
            f"inner products of the {columns} features are kernel values up to {rounded_up(bound, 2)} of "
            f"sqrt(k(x, x) k(z, z)); the largest error measured on {F.shape[0]} training rows is {error:.2g} of it."
        )
        holds = bool(error <= bound + accuracy.absolute and bound <= self.error_bound_)
        proof = Guarantee("explicit map", figures, words, holds, Status.CONVERGED, 0, watch.seconds())
        return replace(proof, _recompute=self._recertify)

    def _recertify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Guarantee:
        """The bound and the errors once more, and the weights by their formula."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **_RULES)
        check_same_rows(self._rows, X.shape[0])
        claim = self.certificate_
        right = _weights(X.shape[1], int(self.degree), float(self.coef0))
        same = are_floats(self.weights_) and self.weights_.shape == right.shape == (self._n_features_out,)
        if not (same and np.allclose(self.weights_, right, rtol=1e-12, atol=0.0)):
            return replace(claim, status=Status.REFUTED, holds=False)
        found = self._guarantee(X, Stopwatch())
        same = found.holds and abs(self._stated_gamma(X) - self.gamma_) <= 1e-9 * self.gamma_
        same = (
            same and figures_reproduced(claim.figures, found.figures) and self.error_bound_ == self._bound(len(right))
        )
        return replace(found, status=Status.CONVERGED if same else Status.REFUTED, holds=same)


_RULES: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}


def count_columns(d: int, degree: int, coef0: float) -> int:
    """How many monomials of d variables the kernel has."""
    return comb(d + degree, degree) if coef0 > 0 else comb(d + degree - 1, degree)


def monomials(d: int, degree: int, coef0: float) -> list[np.ndarray]:
    """The variables of each monomial, one array of shape (count, k) for each degree k that the kernel has."""
    found = []
    for k in range(degree + 1) if coef0 > 0 else [degree]:
        combinations = chain.from_iterable(combinations_with_replacement(range(d), k))
        found.append(np.fromiter(combinations, dtype=np.int64).reshape(comb(d + k - 1, k), k))
    return found


def _weights(d: int, degree: int, coef0: float) -> np.ndarray:
    """Roots of the weights of the monomials; those of gamma are in the rows."""
    parts = []
    for factors in monomials(d, degree, coef0):
        k = factors.shape[1]
        repeated, run = np.ones(len(factors)), np.ones(len(factors))
        for p in range(1, k):  # the product of how often each has come so far is the product of the factorials
            run = np.where(factors[:, p] == factors[:, p - 1], run + 1, 1.0)
            repeated *= run
        parts.append(np.sqrt(float(comb(degree, k)) * coef0 ** (degree - k) * (float(factorial(k)) / repeated)))
    return np.concatenate(parts)
