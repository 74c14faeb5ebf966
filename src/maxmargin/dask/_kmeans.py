"""k-means on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import cluster
from ..messages import InputError
from ._estimator import OnCluster
from ._kmeans_fit import fit_kmeans
from ._partitions import is_collection


@dataclass(kw_only=True, eq=False, repr=False)
class KMeans(OnCluster, cluster.KMeans):
    """`maxmargin.cluster.KMeans` for rows on a cluster.

    From the same centres it takes the same steps as on one machine. ``init="k-means++"`` is k-means|| here; a function
    is not taken. The labels of all rows, four bytes each, are a fitted attribute and come to the client; rows do not.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        Where to compute. None is the current client; without one, the threads of this process.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin.dask import KMeans
    >>> made = da.random.default_rng(0)
    >>> X = made.normal(size=(1000, 2), chunks=(250, 2)) + 10 * made.integers(2, size=(1000, 1), chunks=(250, 1))
    >>> model = KMeans(n_clusters=2, tol=0, random_state=0).fit(X)
    >>> print(model.certificate_.statement)
    No point would change its cluster and no centre moves: a fixed point of both steps.

    """

    client: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find the clusters of X; returns the fitted `maxmargin.cluster.KMeans`."""
        return self._fit_ordinary(cluster.KMeans, fit_kmeans, X, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Go on with one mini-batch, which is in memory."""
        if is_collection(X):
            raise InputError(
                "partial_fit takes a batch that is in memory; got a dask collection. Type fit(X), or "
                "partial_fit(block.compute()) for each block.",
                argument="X",
            )
        return super().partial_fit(X, y, sample_weight)
