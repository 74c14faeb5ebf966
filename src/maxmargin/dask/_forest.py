"""Forests on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import ensemble
from ._estimator import OnCluster
from ._forest_fit import fit_forest


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestClassifier(OnCluster, ensemble.RandomForestClassifier):
    """`maxmargin.ensemble.RandomForestClassifier` for rows on a cluster.

    Trees grow side by side from histograms, which are summed over the partitions. The forest depends on the rows,
    their order and `random_state`, and not on partitions or workers. How often a row is in a bag is drawn from a
    Poisson distribution, and weights count inside the trees. Takes numbers without gaps, ``node="axis"``, a number of
    trees, and ``bootstrap`` True or False.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin.dask import RandomForestClassifier
    >>> X = da.random.default_rng(0).normal(size=(1000, 5), chunks=(250, 5))
    >>> model = RandomForestClassifier(20, random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
    >>> model.certificate_.figures["out-of-bag error"] < 0.2
    True

    """

    client: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow on rows X with labels y; returns the fitted `maxmargin.ensemble.RandomForestClassifier`."""
        return self._fit_ordinary(ensemble.RandomForestClassifier, fit_forest, X, y, sample_weight)


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestRegressor(OnCluster, ensemble.RandomForestRegressor):
    """`maxmargin.ensemble.RandomForestRegressor` for rows on a cluster; see `RandomForestClassifier`.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin.dask import RandomForestRegressor
    >>> X = da.random.default_rng(0).normal(size=(1000, 5), chunks=(250, 5))
    >>> model = RandomForestRegressor(20, random_state=0).fit(X, X[:, 0] * X[:, 1])
    >>> model.predict(X).shape
    (1000,)

    """

    client: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow on rows X with targets y; returns the fitted `maxmargin.ensemble.RandomForestRegressor`."""
        return self._fit_ordinary(ensemble.RandomForestRegressor, fit_forest, X, y, sample_weight)
