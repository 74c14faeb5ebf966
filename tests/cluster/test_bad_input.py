"""What cannot be clustered is refused or told of, by a message that names the parameter, the column and the remedy."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline

from maxmargin.cluster import KMeans, SpectralClustering

X = np.random.default_rng(0).normal(size=(12, 3))
THREE = np.eye(3).repeat(4, axis=0)


@pytest.mark.parametrize("room", [KMeans, SpectralClustering])
class TestRows:
    def test_text(self, room):
        bad = pd.DataFrame(X, columns=["length", "width", "height"]).assign(colour="red")
        with pytest.raises(ValueError, match=r"Column 'colour' of X has 'red' in row 0, which is not a number"):
            room(2).fit(bad)

    @pytest.mark.parametrize(("value", "words"), [(np.nan, "missing"), (np.inf, "infinite")])
    def test_not_finite(self, room, value, words):
        bad = pd.DataFrame(X, columns=["length", "width", "height"])
        bad.loc[4, "width"] = value
        with pytest.raises(ValueError, match=rf"Column 'width' of X has 1 {words} values, the first in row 4"):
            room(2).fit(bad)

    def test_none(self, room):
        with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
            room(2).fit(X[:0])

    def test_more_clusters_than_rows(self, room):
        with pytest.raises(ValueError, match="n_samples=12 should be >= n_clusters=13"):
            room(13).fit(X)

    @pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
    def test_more_clusters_than_distinct_rows(self, room, storage):
        with pytest.warns(ConvergenceWarning, match=r"(X has 3 distinct|distinct clusters \(3\) found).*n_clusters"):
            model = room(5, random_state=0).fit(storage(THREE))
        assert model.certificate_.verify(storage(THREE)).holds

    def test_as_many_clusters_as_distinct_rows(self, room):
        labels = room(3, random_state=0).fit_predict(THREE)
        np.testing.assert_array_equal(labels, labels[::4].repeat(4))
        assert len(np.unique(labels)) == 3


class TestStartsAndWeights:
    def test_starts_that_are_not_finite(self):
        with pytest.raises(ValueError, match="Input init contains NaN"):
            KMeans(2, init=np.full((2, 3), np.nan)).fit(X)

    @pytest.mark.parametrize(
        ("weights", "words"),
        [
            (-np.ones(12), "Negative values in data passed to `sample_weight`"),
            (np.full(12, np.nan), "sample_weight contains NaN"),
            (np.ones(11), r"sample_weight.shape == \(11,\), expected \(12,\)"),
        ],
    )
    def test_weights(self, weights, words):
        with pytest.raises(ValueError, match=words):
            KMeans(2).fit(X, sample_weight=weights)

    @pytest.mark.parametrize("init", ["k-means++", "random"])
    def test_rows_of_no_weight_are_no_starts(self, init):
        weights = np.repeat([0.0, 1.0], 6)
        for seed in range(20):
            model = KMeans(3, init=init, n_init=1, max_iter=1, tol=1e9, random_state=seed)
            centres = model.fit(X, sample_weight=weights).cluster_centers_
            # after one step, means of rows that count
            assert pairwise_distances(centres, X[6:].mean(axis=0, keepdims=True)).max() < np.ptp(X[6:], axis=0).sum()
            assert (centres <= X[6:].max(axis=0) + 1e-12).all()
            assert (centres >= X[6:].min(axis=0) - 1e-12).all()

    @pytest.mark.parametrize(("init", "starts"), [("k-means++", 1), ("random", 10), (X[:3], 1)])
    def test_number_of_starts(self, init, starts, capsys):
        KMeans(3, init=init, n_init="auto", verbose=1, random_state=0).fit(X)
        assert capsys.readouterr().out.count("Initialization complete") == starts


class TestGraphs:
    @pytest.mark.parametrize("affinity", ["nearest_neighbors", "rbf_nearest_neighbors"])
    def test_more_neighbours_than_points(self, affinity):
        with pytest.raises(ValueError, match="n_neighbors=13 is more than the 12 points of X"):
            SpectralClustering(2, affinity=affinity, n_neighbors=13).fit(X)

    def test_isolated_points(self):
        far = np.concatenate([X, [[1e4, 0.0, 0.0]]])
        with pytest.warns(UserWarning, match="1 of 13 points are isolated.*Lower gamma"):
            model = SpectralClustering(2, random_state=0).fit(far)
        assert model.certificate_.figures["isolated points"] == 1

    def test_nothing_but_isolated_points(self):
        with pytest.raises(ValueError, match="only 0 of 12 points have a similarity to another"):
            SpectralClustering(2).fit(1e5 * X)

    @pytest.mark.parametrize("further", [0, 8])
    def test_given_distances_make_the_graph_of_neighbours(self, further):
        rows = np.random.default_rng(1).normal(size=(60, 2))
        direct = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=6, random_state=0).fit(rows)
        given = SpectralClustering(2, affinity="precomputed_nearest_neighbors", n_neighbors=6, random_state=0)
        graph = KNeighborsTransformer(n_neighbors=5 + further)
        for model in (given.fit(pairwise_distances(rows)), make_pipeline(graph, given).fit(rows)[-1]):
            assert abs(model.affinity_matrix_ - direct.affinity_matrix_).max() == 0
            np.testing.assert_array_equal(model.labels_, direct.labels_)

    def test_given_distances_that_will_not_do(self):
        model = SpectralClustering(2, affinity="precomputed_nearest_neighbors", n_neighbors=6)
        with pytest.raises(ValueError, match="a matrix of distances has to be square"):
            model.fit(X)
        with pytest.raises(ValueError, match="some samples have only 4 neighbors"):
            model.fit(KNeighborsTransformer(n_neighbors=3).fit_transform(X))
        with pytest.raises(ValueError, match="gamma='median' needs points"):
            model.set_params(gamma="median").fit(pairwise_distances(X))


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weights", [np.full(12, 1e307), np.full(12, 1.7e308), np.r_[1.7e308, np.ones(11)]])
def test_weights_that_overflow_are_named(storage, weights):
    with pytest.raises(ValueError, match=r"sample_weight has values so large .* Divide it by its largest value"):
        KMeans(2).fit(storage(10 * X), sample_weight=weights)
    with pytest.raises(ValueError, match="X has values so large"):
        KMeans(2).fit(storage(1e200 * X), sample_weight=np.ones(12))


@pytest.mark.parametrize("scale", [1e154, 1e200, 1e300])
def test_graphs_of_huge_rows(scale):
    """Neighbours are found at any scale; what needs squares is refused by name."""
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 8])
    model = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=5, random_state=0)
    small, large = clone(model).fit(rows), clone(model).fit(scale * rows)
    np.testing.assert_array_equal(large.labels_, small.labels_)
    assert "nan" not in str(large.certificate_)
    with pytest.raises(ValueError, match=r"affinity='rbf' has values that are not finite for these rows.* Scale X"):
        SpectralClustering(2).fit(scale * rows)
    with pytest.raises(ValueError, match=r"gamma='median' is 1 / d\*\*2, d=.* Scale X"):
        SpectralClustering(2, affinity="rbf_nearest_neighbors", gamma="median").fit(1e20 * scale**0.9 * rows)


def test_similarities_that_add_up_to_more_than_float64_holds():
    with pytest.raises(ValueError, match=r"similarities must add up to a finite number; the largest is 1e\+308"):
        SpectralClustering(2, affinity="precomputed").fit(np.full((4, 4), 1e308))
