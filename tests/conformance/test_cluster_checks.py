"""scikit-learn's checks of an estimator for those that cluster, every one of them, without exceptions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.cluster import KMeans, SpectralClustering

# The checks fit constant columns and few distinct rows: fewer clusters than asked for are reported, as they should be.
pytestmark = pytest.mark.filterwarnings("ignore:Number of distinct clusters")


@pytest.mark.filterwarnings("ignore:algorithm='elkan' doesn't make sense")
@parametrize_with_checks([KMeans(n_clusters=3), KMeans(n_clusters=3, init="random", algorithm="elkan")])
def test_kmeans(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:.* points are isolated", "ignore:The graph has .* components")
@parametrize_with_checks(
    [
        SpectralClustering(n_clusters=3),
        SpectralClustering(n_clusters=3, affinity="nearest_neighbors", n_neighbors=5, assign_labels="best_ncut"),
        SpectralClustering(n_clusters=2, affinity="rbf_nearest_neighbors", gamma="median", eigen_solver="lobpcg"),
    ]
)
def test_spectral(estimator, check):
    check(estimator)
