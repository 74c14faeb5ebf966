"""The RBF kernel as a sum of polynomial kernels, cut off.

About any centre,

    exp(-gamma ||x - z||^2) = exp(-gamma ||x||^2) exp(-gamma ||z||^2) sum_k (2 gamma <x, z>)^k / k!.

Cut off after the degree D, each term is a polynomial kernel with an explicit map. With t = 2 gamma ||x|| ||z|| the two
factors are at most exp(-t), so that what is left out is at most exp(-t) sum_{k > D} t^k / k!: the probability that a
Poisson variable of mean t is above D, which rises with t. For all rows within a distance R of the centre, the error is
at most that for t = 2 gamma R^2.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import comb, factorial, sqrt
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammainc
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Guarantee, Status, figures_reproduced, rounded_down, rounded_up
from ..data import validate_data
from ..engine import Stopwatch, warn
from ..estimators import OwnEstimator, check_same_rows
from ..kernels import RBF, Polynomial
from ..messages import byte_size, counted

_MOST_COLUMNS = 200_000
_MANY_COLUMNS = 20_000  # from here on their number is said before they are made
_SAMPLE = 500  # rows whose errors are measured
_U = 2.0**-53


@dataclass(kw_only=True, eq=False, repr=False)
class TruncatedRBF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OwnEstimator, BaseEstimator):
    """An explicit map of the RBF kernel, cut off after a degree, with a bound on its error.

    ``transform(X) @ transform(Z).T`` is ``exp(-gamma ||x - z||**2)`` up to `error_bound_` for all rows within the
    radius of the training rows. A linear machine on it is an RBF machine up to that error. Meant for few features: the
    columns number ``comb(n_features + degree, degree)``.

    Parameters
    ----------
    gamma : {"scale", "auto"} or float, default="scale"
        Of the kernel; "scale" is ``1 / (n_features * X.var())``.
    degree : int or None, default=3
        Degree after which the sum is cut off; None is the smallest that meets `tol`.
    tol : float, default=1e-3
        Error that is asked for where `degree` is None.

    Attributes
    ----------
    gamma_ : float
        The gamma of the kernel.
    degree_ : int
        The degree.
    centre_ : ndarray of shape (n_features,)
        Mean of the training rows, which the sum is taken about.
    radius_ : float
        Largest distance of a training row from it.
    error_bound_ : float
        No kernel value of rows within the radius is off by more.
    certificate_ : Guarantee
        The bound, and the largest error measured; ``certificate_.verify(X)`` recomputes them.
    n_features_in_ : int
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernel_approximation import TruncatedRBF
    >>> from maxmargin.kernels import RBF
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> map = TruncatedRBF(gamma=0.2, degree=None, tol=1e-6).fit(X)
    >>> F = map.transform(X)
    >>> bool(np.abs(F @ F.T - RBF(0.2)(X)).max() <= map.error_bound_ <= 1e-6)
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "degree": [Interval(Integral, 0, None, closed="left"), None],
        "tol": [Interval(Real, 0.0, 1.0, closed="neither")],
    }

    gamma: str | float = field(default="scale", kw_only=False)
    degree: int | None = 3
    tol: float = 1e-3

    def fit(self, X: Any, y: Any = None) -> TruncatedRBF:
        """Find centre, radius and degree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        """
        self._validate_params()
        watch = Stopwatch()
        X = validate_data(self, X, dtype=[np.float64, np.float32]).astype(np.float64, copy=False)
        d = X.shape[1]
        self.gamma_ = self._stated_gamma(X)
        self.centre_ = X.mean(axis=0)
        self.radius_ = _longest(X - self.centre_)
        mean = 2 * self.gamma_ * self.radius_**2
        self.degree_ = _least_degree(mean, self.tol, d) if self.degree is None else int(self.degree)
        if comb(d + self.degree_, self.degree_) > _MOST_COLUMNS:
            raise ValueError(
                f"degree {self.degree_} on {d} features makes {comb(d + self.degree_, self.degree_)} columns, more "
                f"than {_MOST_COLUMNS}: lower degree or gamma, or raise tol."
            )
        self._n_features_out = comb(d + self.degree_, self.degree_)
        if self._n_features_out > _MANY_COLUMNS:
            chosen = "" if self.degree is not None else f", the least that meets tol={self.tol:g} with this gamma,"
            warn(
                f"degree {self.degree_}{chosen} on {counted(d, 'feature')} makes {self._n_features_out:,} columns, "
                f"{byte_size(8 * self._n_features_out * len(X))} for {counted(len(X), 'row')}. Raise tol, lower degree "
                f"or gamma, or use Nystroem or a machine with the RBF kernel itself.",
                stacklevel=2,
            )
        self.error_bound_ = self._bound(self.radius_)
        self._rows = len(X)
        self.certificate_ = self._guarantee(X, watch)
        return self

    def _stated_gamma(self, X: np.ndarray) -> float:
        if self.gamma == "scale":
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                variance = X.var()
                gamma = float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
            if not 0 < gamma < np.inf:
                raise ValueError(
                    f"gamma='scale' is 1 / (n_features * variance of X), which float64 does not hold: X has a variance "
                    f"of {variance:.3g}. Scale X (StandardScaler), or give gamma as a number."
                )
            return gamma
        return 1.0 / X.shape[1] if self.gamma == "auto" else float(self.gamma)

    def _bound(self, radius: float) -> float:
        """Truncation, and the rounding of a sum of that many terms, none of whose sizes add up to more than 1."""
        root = sqrt(2 * self.gamma_) * radius
        t = root * root  # a product overflows to inf, a power raises
        d = len(self.centre_)
        rounding = (comb(d + self.degree_, self.degree_) + 8 * (self.degree_ + d) + 50) * _U
        return float(min(gammainc(self.degree_ + 1, t) * (1 + 1e-9) + 2 * rounding, 1.0 + 2 * rounding))

    def error_bound(self, X: Any) -> float:
        """What kernel values between rows of X, and between them and training rows, may be off by.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        float

        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False).astype(np.float64, copy=False)
        return self._bound(max(_longest(X - self.centre_), self.radius_))

    def transform(self, X: Any) -> np.ndarray:
        """The explicit map of the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)

        """
        check_is_fitted(self)
        return self._map(self._checked(X))

    def _checked(self, X: Any) -> np.ndarray:
        return validate_data(self, X, dtype=[np.float64, np.float32], reset=False).astype(np.float64, copy=False)

    def _map(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            X = (X - self.centre_) * sqrt(2 * self.gamma_)  # in units of the kernel, in which powers are of its size
            weight = np.exp(-0.5 * np.einsum("ij,ij->i", X, X))[:, None]
            parts = [Polynomial(1.0, 0.0, k).feature_map(X) / sqrt(factorial(k)) for k in range(self.degree_ + 1)]
            # so far from the centre that exp(-x^2/2) is 0, all features are: also where a power overflows
            mapped = np.where(weight > 0, np.hstack(parts) * weight, 0.0)
        if not np.isfinite(mapped).all():
            raise ValueError(
                f"X has values so large that their products of degree {self.degree_} overflow float64. Scale X."
            )
        return mapped

    def _guarantee(self, X: np.ndarray, watch: Stopwatch) -> Guarantee:
        F = self._map(X[:_SAMPLE])
        error = float(np.abs(F @ F.T - RBF(self.gamma_)(X[:_SAMPLE])).max())
        bound = self._bound(_longest(X - self.centre_))
        figures = {"error bound": bound, "largest error measured": error, "radius": self.radius_}
        words = (
            f"kernel values of rows within {rounded_down(self.radius_, 4)} of the centre are off by at most "
            f"{rounded_up(bound, 2)}; the largest error measured on {len(F)} training rows is {error:.2g}."
        )
        holds = bool(error <= bound and bound <= self.error_bound_ * (1 + 1e-9))
        proof = Guarantee("truncation error", figures, words, holds, Status.CONVERGED, 0, watch.seconds())
        return replace(proof, _recompute=self._recertify)

    def _recertify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Guarantee:
        """The bound and the errors once more."""
        check_is_fitted(self)
        X = self._checked(X)
        check_same_rows(self._rows, len(X))
        found, claim = self._guarantee(X, Stopwatch()), self.certificate_
        same = abs(self._stated_gamma(X) - self.gamma_) <= 1e-9 * self.gamma_
        same = same and bool(np.allclose(X.mean(axis=0), self.centre_, rtol=1e-9, atol=1e-12 * (1 + self.radius_)))
        same = same and figures_reproduced(claim.figures, found.figures) and found.holds
        return replace(found, status=Status.CONVERGED if same else Status.REFUTED, holds=same)


def _longest(X: np.ndarray) -> float:
    return float(np.sqrt(np.einsum("ij,ij->i", X, X).max(initial=0.0))) * (1 + 1e-12)


def _least_degree(mean: float, tol: float, d: int) -> int:
    """The smallest degree whose bound is at most `tol`."""
    degree = 0
    while gammainc(degree + 1, mean) > tol / 2:
        degree += 1
        if comb(d + degree, degree) > _MOST_COLUMNS:
            break
    return degree
