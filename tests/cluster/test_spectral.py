"""Normalised cuts: shapes that k-means cannot find, and the interval of the best cut against brute force."""

import itertools
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.linalg import eigh
from sklearn.cluster import SpectralClustering as Theirs
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from maxmargin.certificates import Status
from maxmargin.cluster import KMeans, SpectralClustering
from maxmargin.cluster.spectral._cuts import ncut, prefix_ncuts
from maxmargin.cluster.spectral._eigen import components, degrees, inverse_is_cheaper, smallest
from maxmargin.cluster.spectral._elimination import elimination_work, levels
from maxmargin.cluster.spectral._polish import polished

RULES = ["kmeans", "cluster_qr", "best_ncut", "sign", "median"]


def random_graph(seed, n, density=0.6):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < density), 1)
    return W + W.T


def ncut_by_hand(W, labels):
    total = 0.0
    for k in np.unique(labels):
        inside = labels == k
        volume = W[inside].sum()
        total += W[np.ix_(inside, ~inside)].sum() / volume if volume > 0 else 0.0
    return total


def best_ncut(W, k):
    """The smallest Ncut of all partitions into k clusters that each have similarities."""
    labels = np.array([(0, *rest) for rest in itertools.product(range(k), repeat=len(W) - 1)])
    total, valid = np.zeros(len(labels)), np.ones(len(labels), dtype=bool)
    for number in range(k):
        inside = (labels == number).astype(float)
        volume, out = inside @ W.sum(axis=1), ((inside @ W) * (1 - inside)).sum(axis=1)
        valid &= volume > 0
        total += out / np.where(volume > 0, volume, 1.0)
    return total[valid].min()


def fit_quietly(model, W):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(W)


SHAPES = {
    "moons": make_moons(300, noise=0.05, random_state=0),
    "circles": make_circles(300, factor=0.4, noise=0.05, random_state=0),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors", "rbf_nearest_neighbors"])
@pytest.mark.parametrize("rule", RULES)
def test_shapes_that_kmeans_cannot_find(shape, affinity, rule):
    X, y = SHAPES[shape]
    assert adjusted_rand_score(y, KMeans(2, random_state=0).fit_predict(X)) < 0.6
    model = SpectralClustering(2, affinity=affinity, gamma="median", assign_labels=rule, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.labels_[0] == 0
    assert model.certificate_.holds
    assert model.ncut_ == pytest.approx(ncut_by_hand(_dense(model.affinity_matrix_), model.labels_), abs=1e-12)


def _dense(W):
    return W.toarray() if sp.issparse(W) else W


class TestInterval:
    @pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("seed", range(4))
    def test_contains_the_best_two_way_cut(self, seed, rule, storage):
        W = random_graph(seed, 9)
        model = fit_quietly(
            SpectralClustering(2, affinity="precomputed", assign_labels=rule, random_state=0), storage(W)
        )
        best, figures = best_ncut(W, 2), model.certificate_.figures
        assert figures["best ncut at least"] <= best + 1e-12
        assert best <= model.ncut_ + 1e-12
        assert model.ncut_ == pytest.approx(ncut_by_hand(W, model.labels_))
        assert figures["best ncut at least"] == pytest.approx(model.eigenvalues_[1], rel=1e-5, abs=1e-12)
        assert figures["eigenvalues counted"] == 1

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("seed", range(3))
    def test_contains_the_best_three_way_cut(self, seed, rule):
        W = random_graph(10 + seed, 8)
        model = fit_quietly(SpectralClustering(3, affinity="precomputed", assign_labels=rule, random_state=0), W)
        best, figures = best_ncut(W, 3), model.certificate_.figures
        assert figures["best ncut at least"] <= best + 1e-12
        assert best <= model.ncut_ + 1e-12
        assert figures["best ncut at least"] == pytest.approx(model.eigenvalues_[:3].sum(), rel=1e-5)

    @pytest.mark.parametrize("k", [2, 3])
    @pytest.mark.parametrize("n", [4, 6, 8, 10])
    def test_contains_the_best_cut_of_small_graphs(self, n, k):
        """Dense, sparse and broken graphs, with weights of very different size."""
        for seed, density in itertools.product(range(3), (0.25, 0.5, 1.0)):
            W = random_graph(100 * n + seed, n, density)
            W **= 1 + 3 * seed
            if (W.sum(axis=1) > 0).sum() < max(k, 2):
                continue
            model = fit_quietly(SpectralClustering(k, affinity="precomputed", random_state=0), W)
            best, figures = best_ncut(W, k), model.certificate_.figures
            assert figures["best ncut at least"] <= best + 1e-12
            assert best <= model.ncut_ + 1e-12
            assert model.certificate_.holds

    def test_is_tight_for_equal_blocks(self):
        """Two complete graphs joined evenly: the second eigenvector is an indicator, and lambda_2 the best Ncut."""
        W = np.full((8, 8), 0.1)
        W[:4, :4] = W[4:, 4:] = 1.0
        np.fill_diagonal(W, 0.0)
        model = SpectralClustering(2, affinity="precomputed", assign_labels="sign").fit(W)
        assert model.ncut_ == pytest.approx(2 * 0.4 / 3.4)
        assert model.eigenvalues_[1] == pytest.approx(2 * 0.4 / 3.4)
        assert model.certificate_.figures["above the best at most"] < 1e-5

    def test_counts_what_a_solver_might_miss(self):
        """Claimed eigenvalues that are true ones, but not the smallest, are found out."""
        W = random_graph(3, 30)
        model = SpectralClustering(2, affinity="precomputed", assign_labels="sign").fit(W)
        degree = W.sum(axis=1)
        values, vectors = eigh(np.diag(degree) - W, np.diag(degree))
        model.eigenvalues_, model.eigenvectors_ = values[[0, 5]], vectors[:, [0, 5]]
        proof = model.certificate_.verify(W)
        assert proof.figures["eigenvalues counted"] == 0
        assert "unless the solver has missed" in proof.statement

    def test_sees_through_false_vectors(self):
        W = random_graph(3, 30)
        model = SpectralClustering(2, affinity="precomputed").fit(W)
        model.eigenvalues_ = model.eigenvalues_ + 0.1
        assert model.certificate_.verify(W).status is Status.REFUTED

    def test_after_pickling(self):
        X, _ = SHAPES["moons"]
        model = pickle.loads(pickle.dumps(SpectralClustering(2, gamma="median").fit(X)))
        assert model.certificate_.verify(X).figures["ncut"] == pytest.approx(model.ncut_)
        with pytest.raises(ValueError, match="expected 300 rows"):
            model.certificate_.verify(X[:20])


class TestEigenvalues:
    @pytest.mark.parametrize("solver", ["dense", "arpack", "lobpcg"])
    @pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
    def test_are_those_of_the_generalised_problem(self, solver, storage):
        W = random_graph(0, 120, density=0.1)
        degree = W.sum(axis=1)
        truth = eigh(np.diag(degree) - W, np.diag(degree), eigvals_only=True)[:4]
        model = SpectralClustering(4, affinity="precomputed", eigen_solver=solver, random_state=0).fit(storage(W))
        np.testing.assert_allclose(model.eigenvalues_, truth, atol=1e-8)
        v = model.eigenvectors_
        np.testing.assert_allclose(v.T @ (degree[:, None] * v), np.eye(4), atol=1e-8)
        np.testing.assert_allclose((np.diag(degree) - W) @ v, degree[:, None] * v * truth, atol=1e-6)

    def test_solvers_agree_on_vectors_and_signs(self):
        X, _ = make_blobs(900, centers=3, cluster_std=2.0, random_state=0)
        models = [
            SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=15, eigen_solver=solver, random_state=0)
            for solver in ("dense", "arpack", "arpack")
        ]
        dense, one, two = (model.fit(X).eigenvectors_ for model in models)
        np.testing.assert_array_equal(one, two)
        np.testing.assert_allclose(dense, one, atol=1e-8)

    @pytest.mark.parametrize("kind", ["line", "cloud"])
    def test_with_and_without_the_inverse(self, kind):
        """A graph of many levels is factorised, one of few is not; both are solved to the same precision."""
        rng = np.random.default_rng(0)
        X = np.arange(850.0)[:, None] + rng.uniform(size=(850, 1)) if kind == "line" else rng.normal(size=(850, 8))
        model = SpectralClustering(3, affinity="nearest_neighbors", random_state=0).fit(X)
        W = model.affinity_matrix_
        assert model.n_components_graph_ == 1
        assert inverse_is_cheaper(W, 2) == (kind == "line")
        figures = model.certificate_.figures
        assert figures["eigen-residual"] < 1e-7
        assert figures["eigenvalues counted"] == 1  # they are eigenvalues, and there are no smaller ones
        assert figures["best ncut at least"] == pytest.approx(model.eigenvalues_.sum(), rel=1e-3)

    def test_levels_are_those_of_the_graph(self):
        path = sp.diags_array([np.ones(9), np.ones(9)], offsets=[-1, 1], format="csr")
        assert levels(path).widths.tolist() == [1] * 10
        star = sp.csr_array((np.ones(6), (np.zeros(6, int), np.arange(1, 7))), shape=(7, 7))
        assert levels(sp.csr_array(star + star.T)).widths.tolist() == [1, 1, 5]  # seen from the end of a ray
        both = sp.block_diag([path, star + star.T], format="csr")
        assert elimination_work(both, components(both)[1]) == 10**3 + 7**3
        long = sp.diags_array([np.ones(199), np.ones(199)], offsets=[-1, 1], format="csr")
        assert elimination_work(long, np.zeros(200, int)) == 200

    def test_are_not_counted_where_that_takes_too_long(self, monkeypatch):
        X, _ = make_blobs(900, centers=3, cluster_std=3.0, random_state=0)
        monkeypatch.setattr("maxmargin.cluster.spectral._ncut_interval._COUNT_SPARSE", 1e3)
        proof = SpectralClustering(3, affinity="nearest_neighbors", random_state=0).fit(X).certificate_
        assert proof.figures["eigenvalues counted"] == 0
        assert "was not ruled out" in proof.statement

    def test_of_a_graph_in_parts(self):
        W = sp.block_diag([random_graph(k, 20) for k in range(3)], format="csr")
        count, part = components(W)
        assert count == 3
        found = smallest(W, part, 5, None, 0.0)
        degree = degrees(W)
        truth = eigh(np.diag(degree) - W.toarray(), np.diag(degree), eigvals_only=True)[:5]
        np.testing.assert_allclose(found.values, truth, atol=1e-12)
        assert (found.values[:3] == 0).all()


class TestCuts:
    @pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
    def test_of_prefixes_are_those_of_labels(self, storage):
        W = random_graph(0, 25)
        order = np.random.default_rng(0).permutation(25)
        values = prefix_ncuts(storage(W), order)
        for t in range(1, 25):
            labels = np.zeros(25, dtype=int)
            labels[order[t:]] = 1
            assert values[t - 1] == pytest.approx(ncut_by_hand(W, labels))
            assert ncut(storage(W), labels, 2) == pytest.approx(ncut_by_hand(W, labels))

    def test_best_threshold_is_not_worse_than_sign_or_median(self):
        for seed in range(10):
            W = random_graph(seed, 40, density=0.3)
            reached = {
                rule: fit_quietly(SpectralClustering(2, affinity="precomputed", assign_labels=rule), W).ncut_
                for rule in ("best_ncut", "sign", "median")
            }
            assert reached["best_ncut"] <= min(reached.values()) + 1e-12

    @pytest.mark.parametrize(("rule", "threshold"), [("sign", lambda v: 0.0), ("median", np.median)])
    def test_the_second_eigenvector_is_cut_at_the_threshold(self, rule, threshold):
        X, _ = make_blobs([30, 50], centers=[[0, 0], [4, 0]], cluster_std=1.0, random_state=0)
        model = SpectralClustering(2, gamma=0.5, assign_labels=rule).fit(X)
        v = model.eigenvectors_[:, 1]
        upper = v > threshold(v)
        np.testing.assert_array_equal(model.labels_ == model.labels_[0], upper == upper[0])

    @pytest.mark.parametrize("rule", ["sign", "median", "best_ncut"])
    def test_clusters_are_cut_in_two_again(self, rule):
        X, _ = make_blobs(90, centers=4, random_state=1)
        before = np.zeros(90)
        for k in (2, 3, 4):
            labels = SpectralClustering(k, gamma=0.5, assign_labels=rule).fit(X).labels_
            assert len(set(labels)) == k and all(len(set(before[labels == j])) == 1 for j in range(k))
            before = labels

    def test_a_single_point_can_be_the_smallest_ncut(self):
        """And lambda_2 is a bound of the normalised cut, not of the cut."""
        W = 1e-3 * np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0.5], [0, 0, 0.5, 0]])
        model = SpectralClustering(2, affinity="precomputed", assign_labels="best_ncut").fit(W)
        assert model.labels_.tolist() == [0, 0, 0, 1]
        assert model.ncut_ == pytest.approx(1 + 0.5 / 6.5)
        assert best_ncut(W, 2) == pytest.approx(1 + 0.5 / 6.5)
        assert W[3].sum() < model.eigenvalues_[1] <= model.ncut_

    def test_many_clusters_by_every_rule(self):
        X, y = make_blobs(300, centers=5, cluster_std=0.6, random_state=3)
        for rule in RULES:
            model = SpectralClustering(5, gamma="median", assign_labels=rule, random_state=0).fit(X)
            assert len(np.unique(model.labels_)) == 5
            if rule in ("kmeans", "cluster_qr", "best_ncut"):
                assert adjusted_rand_score(y, model.labels_) == 1

    def test_not_worse_than_sklearn(self):
        X, _ = make_blobs(500, centers=4, cluster_std=1.5, random_state=0)
        ours = SpectralClustering(4, affinity="nearest_neighbors", random_state=0).fit(X)
        theirs = Theirs(4, affinity="nearest_neighbors", random_state=0).fit(X)
        loops = sp.diags_array(theirs.affinity_matrix_.diagonal())
        assert abs(theirs.affinity_matrix_ - loops - ours.affinity_matrix_).max() == 0
        assert ours.ncut_ <= ncut(ours.affinity_matrix_, theirs.labels_, 4) + 1e-9


class TestPolish:
    @pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
    @pytest.mark.parametrize("k", [2, 3, 5])
    def test_ends_where_no_move_betters_the_cut(self, k, storage):
        rng = np.random.default_rng(k)
        for seed in range(4):
            W = random_graph(seed, 30, density=0.3)
            labels = np.concatenate([np.arange(k), rng.integers(k, size=30 - k)])
            moved, value = polished(storage(W), labels, k)
            assert value == pytest.approx(ncut_by_hand(W, moved), rel=1e-12)
            assert value <= ncut_by_hand(W, labels) + 1e-12
            assert len(np.unique(moved)) == k
            for i, other in itertools.product(range(30), range(k)):
                trial = moved.copy()
                trial[i] = other
                if len(np.unique(trial)) == k and W[i, moved == other].any():
                    assert ncut_by_hand(W, trial) >= value - 1e-9

    def test_leaves_the_best_cut_alone(self):
        W = np.full((8, 8), 0.1)
        W[:4, :4] = W[4:, 4:] = 1.0
        np.fill_diagonal(W, 0.0)
        labels = np.repeat([1, 0], 4)
        np.testing.assert_array_equal(polished(W, labels, 2)[0], labels)
        np.testing.assert_array_equal(polished(W, np.zeros(8, int), 1)[0], np.zeros(8))

    def test_finds_the_gap_that_kmeans_of_the_vectors_misses(self):
        """Long rings: k-means of two eigenvectors cuts the outer one in two, the best threshold is between them."""
        X, y = make_circles(3000, factor=0.5, noise=0.07, random_state=0)
        model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(X)
        assert model.n_components_graph_ == 1
        theirs = Theirs(2, affinity="nearest_neighbors", random_state=0).fit_predict(X)
        assert model.ncut_ < 0.1 * ncut(model.affinity_matrix_, theirs, 2)
        assert adjusted_rand_score(y, model.labels_) > 0.99

    def test_is_reproducible_and_not_worse_on_many_points(self):
        """Enough points that starts are made with some of them only."""
        X, _ = make_blobs(4500, centers=6, cluster_std=2.5, random_state=1)
        model = SpectralClustering(4, affinity="nearest_neighbors", random_state=3)
        labels = model.fit(X).labels_
        reached, vectors = model.ncut_, model.eigenvectors_
        np.testing.assert_array_equal(model.fit(X).labels_, labels)
        np.testing.assert_array_equal(model.eigenvectors_, vectors)
        theirs = Theirs(4, affinity="nearest_neighbors", random_state=3).fit(X)
        assert reached <= ncut(model.affinity_matrix_, theirs.labels_, 4) + 1e-12
        np.testing.assert_array_equal(polished(model.affinity_matrix_, labels, 4)[0], labels)


class TestParts:
    def test_as_many_as_clusters_are_a_perfect_cut(self):
        W = sp.block_diag([random_graph(k, 12, density=1.0) for k in range(3)], format="csr")
        model = SpectralClustering(3, affinity="precomputed").fit(W)
        np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 2], 12))
        assert model.ncut_ == 0 and model.n_components_graph_ == 3
        assert model.certificate_.holds
        assert "the best there is" in model.certificate_.statement

    def test_more_than_clusters_are_put_together_with_a_warning(self):
        W = sp.block_diag([random_graph(k, 12, density=1.0) for k in range(5)], format="csr")
        with pytest.warns(UserWarning, match="5 components, more than n_clusters=2"):
            model = SpectralClustering(2, affinity="precomputed").fit(W)
        assert model.ncut_ == 0
        assert set(np.bincount(model.labels_)) == {24, 36}

    @pytest.mark.parametrize("rule", RULES)
    def test_fewer_than_clusters_are_cut_further(self, rule):
        W = sp.block_diag([random_graph(k, 12, density=1.0) for k in range(2)], format="csr")
        model = SpectralClustering(4, affinity="precomputed", assign_labels=rule, random_state=0).fit(W)
        assert len(np.unique(model.labels_)) == 4
        assert not set(model.labels_[:12]) & set(model.labels_[12:])
        assert model.certificate_.figures["components"] == 2
        assert 0 < model.certificate_.figures["best ncut at least"] <= model.ncut_

    def test_isolated_points_are_told_of(self):
        W = np.zeros((14, 14))
        W[:12, :12] = random_graph(0, 12, density=1.0)
        with pytest.warns(UserWarning, match="2 of 14 points are isolated"):
            model = SpectralClustering(2, affinity="precomputed").fit(W)
        assert model.labels_[12] == model.labels_[13] == np.bincount(model.labels_[:12]).argmax()
        assert model.certificate_.figures["isolated points"] == 2
        assert model.certificate_.holds

    def test_nothing_to_cut(self):
        with pytest.raises(ValueError, match="only 0 of 5 points have a similarity"):
            SpectralClustering(2, affinity="precomputed").fit(np.eye(5))
        with pytest.raises(ValueError, match="Lower gamma"):
            SpectralClustering(2, gamma=1e9).fit(np.arange(5.0)[:, None])
        with pytest.raises(ValueError, match="raise n_neighbors"):
            SpectralClustering(2, gamma=1e9, affinity="rbf_nearest_neighbors", n_neighbors=3).fit(
                np.arange(5.0)[:, None]
            )
        with pytest.raises(ValueError, match="raise n_neighbors"):
            SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=1).fit(np.arange(5.0)[:, None])


class TestRefusals:
    @pytest.mark.parametrize(
        ("X", "words"),
        [
            ([[np.nan], [1.0]], "NaN"),
            (np.empty((0, 3)), "0 sample"),
            ([[1.0], [2.0]], "n_samples=2 should be >= n_clusters=8"),
        ],
    )
    def test_of_rows(self, X, words):
        with pytest.raises(ValueError, match=words):
            SpectralClustering().fit(X)

    def test_of_similarities(self):
        model = SpectralClustering(2, affinity="precomputed")
        with pytest.raises(ValueError, match="square"):
            model.fit(np.ones((4, 3)))
        with pytest.raises(ValueError, match="negative"):
            model.fit(np.eye(4) - 0.5)
        with pytest.warns(UserWarning, match="not symmetric"):
            model.fit(np.triu(np.ones((4, 4))))
        with pytest.raises(ValueError, match="needs points"):
            SpectralClustering(2, affinity="precomputed", gamma="median").fit(np.ones((4, 4)))

    def test_of_more_pairs_than_memory_holds(self):
        X = np.arange(2e6)[:, None]  # all pairs of them are 29 TiB
        with pytest.raises(MemoryError, match=r"affinity='rbf' joins all pairs.*'nearest_neighbors'.*n_neighbors"):
            SpectralClustering(2).fit(X)

    @pytest.mark.parametrize("wrong", [{"eigen_solver": "amg"}, {"assign_labels": "discretize"}, {"gamma": "mean"}])
    def test_of_parameters(self, wrong):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            SpectralClustering(**wrong).fit(np.arange(20.0)[:, None])


def test_other_kernels_and_functions():
    X, y = make_blobs(90, centers=3, cluster_std=0.5, random_state=0)
    for affinity in ("laplacian", lambda x, z: np.exp(-np.square(x - z).sum())):
        assert adjusted_rand_score(y, SpectralClustering(3, affinity=affinity, random_state=0).fit_predict(X)) == 1
    sparse = SpectralClustering(3, random_state=0).fit(sp.csr_matrix(X))
    np.testing.assert_array_equal(sparse.labels_, SpectralClustering(3, random_state=0).fit(X).labels_)


def test_one_cluster_is_the_whole():
    X, _ = SHAPES["moons"]
    model = SpectralClustering(1, gamma="median").fit(X)
    assert not model.labels_.any()
    assert model.ncut_ == 0


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 14),
    st.integers(1, 4),
    st.sampled_from(RULES),
    st.sampled_from(["rbf", "nearest_neighbors", "rbf_nearest_neighbors"]),
    st.sampled_from([1e-6, 1.0, 1e4]),
)
def test_hostile_points_end_in_an_interval(seed, n, k, rule, affinity, scale):
    rng = np.random.default_rng(seed)
    X = scale * rng.integers(-3, 4, size=(n, 2))  # many of them equal
    k = min(k, n)
    nearest = min(3, n)
    model = SpectralClustering(
        k, affinity=affinity, gamma="median", n_neighbors=nearest, assign_labels=rule, random_state=0
    )
    try:
        fit_quietly(model, X)
    except ValueError as error:
        assert "have a similarity to another" in str(error)
        return
    figures = model.certificate_.figures
    assert len(np.unique(model.labels_)) == k
    assert 0 <= figures["best ncut at least"] <= model.ncut_ <= k
    assert model.certificate_.holds, model.certificate_
