"""The elbow of the inertia: the rule, and curves that have none."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from maxmargin.cluster import KMeans, elbow
from maxmargin.cluster.kmeans._elbow import _depths


def groups(k, seed=0, n=60):
    """Groups evenly on a circle: with groups of groups the curve bends more than once."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(k) / k
    return np.concatenate([rng.normal((np.cos(a), np.sin(a)), 0.05, size=(n, 2)) for a in angle])


@pytest.mark.parametrize("k", [3, 4, 5])
def test_finds_separated_groups(k):
    found = elbow(groups(k), range(1, 11), random_state=0)
    assert found.chosen == k
    assert found.reason.startswith(f"K={k} lies deepest below the chord from K=1 to K=10")
    assert found.model.n_clusters == k and isinstance(found.model, KMeans)


def test_curve_never_rises_and_ends_on_the_chord():
    found = elbow(groups(5), [9, 2, 3, 5, 2], random_state=0, n_init=1)
    np.testing.assert_array_equal(found.n_clusters, [2, 3, 5, 9])
    assert (np.diff(found.inertias) <= 0).all()
    assert found.depths[0] == found.depths[-1] == 0
    assert found.chosen == found.n_clusters[found.depths.argmax()]


def test_depths_by_hand():
    # from (0, 1) to (1, 0): the chord at 1/4 is at 3/4, the curve at 1/10
    np.testing.assert_allclose(_depths(np.array([1, 2, 5]), np.array([11.0, 2.0, 1.0])), [0, 0.65, 0])


def test_weights_and_sparse_rows():
    X = groups(3)
    weights = np.ones(len(X))
    weights[:60] = 0  # one of the three is not there
    assert elbow(X, range(1, 7), random_state=0).chosen == 3
    assert elbow(X, range(1, 7), random_state=0, sample_weight=weights).chosen == 2
    assert elbow(sp.csr_matrix(X), range(1, 7), random_state=0).chosen == 3


def test_no_elbow():
    with pytest.warns(match="from 2 on there are fewer distinct rows"):
        found = elbow(np.ones((10, 2)), range(1, 5))
    assert found.chosen == 1
    assert "no elbow" in found.reason


def test_refusals():
    with pytest.raises(ValueError, match="at least three"):
        elbow(groups(3), [2, 3, 3])
    with pytest.raises(ValueError, match="init cannot be"):
        elbow(groups(3), init="random")


def test_more_clusters_than_distinct_rows_are_said_once():
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    with pytest.warns(ConvergenceWarning, match="from 4 on there are fewer distinct rows than clusters: 3") as said:
        elbow(X, range(1, 7), random_state=0)
    assert len(said) == 1
