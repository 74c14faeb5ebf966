"""Linear machines on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import linear_model, svm
from ._estimator import OnCluster
from ._linear_fit import fit_linear_classifier, fit_linear_regressor
from ._ridge_fit import fit_ridge


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVC(OnCluster, svm.LinearSVC):
    """`maxmargin.svm.LinearSVC` for rows on a cluster.

    Minimises what that one does, ``1/2 ||w||**2 + C sum_i s_i loss(y_i f(x_i))`` for two classes and one class against
    the rest for more: each step is one sum of d x d matrices over the partitions. Takes ``penalty="l2"``,
    ``multi_class="ovr"`` and a finite `C`.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin.dask import LinearSVC
    >>> X = da.random.default_rng(0).normal(size=(1000, 5), chunks=(250, 5))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> model = LinearSVC().fit(X, y)
    >>> print(model.certificate_.status)
    converged

    """

    client: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on rows X with labels y; returns the fitted `maxmargin.svm.LinearSVC`."""
        return self._fit_ordinary(svm.LinearSVC, fit_linear_classifier, X, y, sample_weight)


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegression(OnCluster, linear_model.LogisticRegression):
    """`maxmargin.linear_model.LogisticRegression` for rows on a cluster.

    Binary or multinomial, by Newton's method: each step is one sum over the partitions of matrices whose side is the
    number of features (times classes, if there are more than two). Takes an L2 penalty and a finite `C`.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin.dask import LogisticRegression
    >>> X = da.random.default_rng(0).normal(size=(1000, 5), chunks=(250, 5))
    >>> model = LogisticRegression().fit(X, X[:, 0] > 0)
    >>> print(model.certificate_.status)
    converged

    """

    client: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on rows X with labels y; returns the fitted `maxmargin.linear_model.LogisticRegression`."""
        return self._fit_ordinary(linear_model.LogisticRegression, fit_linear_classifier, X, y, sample_weight)


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVR(OnCluster, svm.LinearSVR):
    """`maxmargin.svm.LinearSVR` for rows on a cluster.

    Takes ``penalty="l2"`` and both losses.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin.dask import LinearSVR
    >>> X = da.random.default_rng(0).normal(size=(1000, 5), chunks=(250, 5))
    >>> model = LinearSVR(epsilon=0.1).fit(X, 2 * X[:, 0] + 1)
    >>> print(model.certificate_.status)
    converged

    """

    client: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on rows X with targets y; returns the fitted `maxmargin.svm.LinearSVR`."""
        return self._fit_ordinary(svm.LinearSVR, fit_linear_regressor, X, y, sample_weight)


@dataclass(kw_only=True, eq=False, repr=False)
class Ridge(OnCluster, linear_model.Ridge):
    """`maxmargin.linear_model.Ridge` for rows on a cluster.

    Means, centred normal equations and refinements are one sum over the partitions each. Takes `alpha` above 0; y may
    have several columns.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin.dask import Ridge
    >>> X = da.random.default_rng(0).normal(size=(1000, 5), chunks=(250, 5))
    >>> model = Ridge().fit(X, 2 * X[:, 0] + 1)
    >>> model.certificate_.holds
    True

    """

    client: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on rows X with targets y; returns the fitted `maxmargin.linear_model.Ridge`."""
        return self._fit_ordinary(linear_model.Ridge, fit_ridge, X, y, sample_weight)
