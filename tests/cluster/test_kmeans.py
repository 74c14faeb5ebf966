"""k-means: scikit-learn's steps from the same start, its proof, and input that is out of the ordinary."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
from hypothesis import given, settings, strategies as st
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.cluster import KMeans
from maxmargin.cluster.kmeans._assignment import Assignment
from maxmargin.cluster.kmeans._points import Points


def spread(seed=0, n=900, d=5, groups=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 1.5 * rng.integers(0, groups, size=(n, 1))


def sparse(seed=0, n=600, d=40):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, size=(n, d)) * (1 + rng.integers(0, 4, size=(n, 1)))
    X[5] = 0  # an empty row
    return X + 0.0


def start_of(X, k, seed=1):
    return X[np.random.default_rng(seed).choice(len(X), k, replace=False)]


@pytest.mark.parametrize("tol", [0.0, 1e-4])
@pytest.mark.parametrize("k", [1, 2, 7, 16, 33, 600])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_same_start_same_end_as_sklearn(k, tol, storage):
    X = spread() if storage is np.asarray else sparse()
    start = start_of(X[:600], k)
    X = storage(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # equal rows in the sparse data
        ours = KMeans(k, init=start, tol=tol).fit(X)
        theirs = sklearn.cluster.KMeans(k, init=start, tol=tol, n_init=1).fit(X)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-6, abs=1e-9)
    if storage is np.asarray:  # integers have points halfway between centres, where rounding decides
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-10)
        assert ours.n_iter_ == theirs.n_iter_
    assert ours.labels_.dtype == theirs.labels_.dtype


@pytest.mark.parametrize("k", [3, 20])
def test_same_start_same_end_in_float32(k):
    X = spread().astype(np.float32)
    start = start_of(X, k)
    ours = KMeans(k, init=start, tol=0).fit(X)
    theirs = sklearn.cluster.KMeans(k, init=start, tol=0, n_init=1).fit(X)
    assert ours.cluster_centers_.dtype == np.float32
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-5)
    assert (ours.labels_ != theirs.labels_).mean() < 0.01
    assert ours.certificate_.holds


@pytest.mark.parametrize("k", [2, 25])
def test_weights_as_in_sklearn(k):
    X, weights = spread(), np.random.default_rng(3).exponential(size=900)
    weights[::7] = 0
    start = start_of(X, k)
    ours = KMeans(k, init=start, tol=0).fit(X, sample_weight=weights)
    theirs = sklearn.cluster.KMeans(k, init=start, tol=0, n_init=1).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)
    assert ours.certificate_.verify(X, sample_weight=weights).holds
    assert not ours.certificate_.verify(X).holds


def test_bounds_spare_distances_and_change_nothing():
    X = Points(spread(n=2000))
    rng = np.random.default_rng(0)
    centres = X.at(rng.choice(2000, 12, replace=False))
    carried = Assignment(X, 12)
    for _ in range(10):
        carried.update(centres)
        fresh = Assignment(X, 12)
        fresh.update(centres)
        np.testing.assert_array_equal(carried.labels, fresh.labels)
        np.testing.assert_allclose(carried.sums, fresh.sums, atol=1e-9)
        centres = carried.sums / np.bincount(carried.labels, minlength=12)[:, None]
    assert carried.distances < 0.7 * 10 * 2000 * 12


def test_inertia_never_rises_and_is_the_inertia():
    X = spread()
    model = KMeans(9, random_state=0, tol=0).fit(X)
    assert (np.diff(model.inertia_history_) <= 1e-9).all()
    assert len(model.inertia_history_) == model.n_iter_
    assert model.inertia_history_[-1] == pytest.approx(model.inertia_, rel=1e-12)
    by_hand = np.square(X - model.cluster_centers_[model.labels_]).sum()
    assert model.inertia_ == pytest.approx(by_hand, rel=1e-12)
    assert model.score(X) == pytest.approx(-by_hand, rel=1e-12)
    assert model.n_distances_ < 900 * 9 * model.n_iter_


class TestCertificate:
    def test_of_a_fixed_point(self):
        X = spread()
        model = KMeans(8, tol=0, random_state=0).fit(X)
        proof = model.certificate_.verify(X)
        assert proof.holds and proof.status is Status.CONVERGED
        assert proof.figures["points that would change"] == 0
        assert proof.figures["largest move of a centre"] <= proof.figures["rounding"]
        means = [X[model.labels_ == k].mean(axis=0) for k in range(8)]
        np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-12)

    def test_of_an_early_end(self):
        X = spread()
        model = KMeans(8, init=start_of(X, 8), max_iter=1, tol=0).fit(X)
        assert model.certificate_.status is Status.BUDGET_EXHAUSTED
        assert not model.certificate_.holds
        assert "Not a fixed point" in model.certificate_.statement

    def test_of_a_tolerance_says_so(self):
        X = spread()
        model = KMeans(8, init=start_of(X, 8), tol=0.5).fit(X)
        assert model.certificate_.status is Status.CONVERGED
        assert model.certificate_.figures["largest move of a centre"] > model.certificate_.figures["rounding"]

    def test_sees_through_false_claims(self):
        X = spread()
        model = KMeans(8, tol=0, random_state=0).fit(X)
        model.cluster_centers_ = model.cluster_centers_ + 0.1
        refuted = model.certificate_.verify(X)
        assert refuted.status is Status.REFUTED and not refuted.holds

    def test_is_about_the_training_data(self):
        X = spread()
        model = KMeans(3, random_state=0).fit(X)
        with pytest.raises(ValueError, match="expected 900 rows"):
            model.certificate_.verify(X[:10])

    def test_after_pickling(self):
        X = spread()
        model = pickle.loads(pickle.dumps(KMeans(3, random_state=0).fit(X)))
        assert model.certificate_.verify(X).figures["inertia"] == pytest.approx(model.inertia_)


class TestStarts:
    def test_do_not_depend_on_the_order_of_the_rows(self):
        X = spread()
        mixed = np.random.default_rng(5).permutation(900)
        for init in ("k-means++", "random"):
            a = KMeans(5, init=init, n_init=2, random_state=0).fit(X)
            b = KMeans(5, init=init, n_init=2, random_state=0).fit(X[mixed])
            np.testing.assert_array_equal(a.labels_[mixed], b.labels_)

    def test_weight_two_is_two_rows(self):
        X = spread(n=120)
        weights = np.random.default_rng(0).integers(0, 4, size=120)
        for init in ("k-means++", "random"):
            a = KMeans(5, init=init, random_state=0).fit(X, sample_weight=weights)
            b = KMeans(5, init=init, random_state=0).fit(X.repeat(weights, axis=0))
            np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, atol=1e-9)

    def test_the_best_of_several_is_kept(self):
        X = spread()
        one = [KMeans(12, init="random", n_init=1, random_state=s).fit(X).inertia_ for s in range(5)]
        several = KMeans(12, init="random", n_init=10, random_state=0).fit(X).inertia_
        assert several <= np.median(one)

    def test_by_a_function(self):
        X = spread()
        model = KMeans(4, init=lambda X, k, random_state: X[:k], n_init=1).fit(X)
        assert model.inertia_ == KMeans(4, init=X[:4]).fit(X).inertia_
        with pytest.raises(ValueError, match="does not match the number of clusters"):
            KMeans(4, init=lambda X, k, random_state: X[:2]).fit(X)

    def test_of_given_centres_there_is_one(self):
        X = spread()
        with pytest.warns(RuntimeWarning, match="performing only one init"):
            KMeans(4, init=X[:4], n_init=3).fit(X)

    def test_random_rows_are_different(self):
        X = np.repeat(np.arange(4.0), 200)[:, None]
        model = KMeans(4, init="random", n_init=1, random_state=0).fit(X)
        assert model.inertia_ == 0


def test_empty_clusters_are_seeded_anew_as_in_sklearn():
    X = spread()
    start = np.vstack([start_of(X, 5), np.full((3, 5), 1e3)])
    ours = KMeans(8, init=start, tol=0).fit(X)
    theirs = sklearn.cluster.KMeans(8, init=start, tol=0, n_init=1).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert len(np.unique(ours.labels_)) == 8
    assert (np.diff(ours.inertia_history_) <= 1e-9).all()


def test_more_clusters_than_distinct_rows():
    X = np.array([[0.0, 0.0], [1.0, 1.0]]).repeat(5, axis=0)
    with pytest.warns(
        ConvergenceWarning, match=r"Number of distinct clusters \(2\) found smaller than n_clusters \(4\)"
    ):
        model = KMeans(4, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert model.certificate_.holds
    assert model.certificate_.figures["clusters without points"] == 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_from_the_origin(dtype):
    X = spread(n=300, d=3).astype(dtype)
    near = KMeans(4, init=X[:4], tol=0).fit(X)
    away = (X + dtype(1000)).astype(dtype)
    far = KMeans(4, init=away[:4], tol=0).fit(away)
    assert (near.labels_ != far.labels_).mean() < 0.02
    assert far.certificate_.holds


def test_same_bits_again():
    X = spread(n=3000, d=40)
    a, b = (KMeans(20, random_state=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)
    np.testing.assert_array_equal(a.labels_, a.predict(X))


def test_distances_of_transform():
    X = spread()
    model = KMeans(600, init=X[:600], max_iter=1).fit(X)
    apart = np.sqrt(np.square(X[:, None] - model.cluster_centers_).sum(axis=2))
    np.testing.assert_allclose(model.transform(X), apart, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(model.transform(sp.csr_matrix(X)), apart, rtol=1e-7, atol=1e-12)
    assert list(model.get_feature_names_out()[:2]) == ["kmeans0", "kmeans1"]


class TestMiniBatches:
    def test_centres_are_the_means_of_what_they_were_given(self):
        X = np.array([[0.0], [10.0], [1.0], [11.0], [2.0], [12.0]])
        model = KMeans(2, init=[[0.0], [10.0]])
        for part in (X[:2], X[2:4], X[4:]):
            model.partial_fit(part)
        np.testing.assert_allclose(model.cluster_centers_, [[1.0], [11.0]])
        assert model.n_steps_ == 3
        assert not model.certificate_.holds
        assert "nothing is proven" in model.certificate_.statement

    def test_find_the_clusters(self):
        rng = np.random.default_rng(0)
        centres = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]])
        model = KMeans(4, random_state=0)
        for _ in range(20):
            model.partial_fit(centres[rng.integers(0, 4, size=50)] + rng.normal(size=(50, 2)))
        apart = np.linalg.norm(centres[:, None] - model.cluster_centers_, axis=2)
        assert apart.min(axis=1).max() < 0.5

    def test_go_on_after_fit(self):
        X = spread()
        model = KMeans(5, random_state=0, tol=0).fit(X)
        before = model.cluster_centers_.copy()
        model.partial_fit(X[:50])
        assert 0 < np.abs(model.cluster_centers_ - before).max() < 0.5
        assert model.fit(X).certificate_.holds

    def test_the_first_has_to_be_large_enough(self):
        with pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=8"):
            KMeans().partial_fit([[0.0], [1.0]])


class TestRefusals:
    @pytest.mark.parametrize(
        ("X", "words"),
        [
            ([[np.nan], [1.0]], "NaN"),
            (np.empty((0, 3)), "0 sample"),
            ([[1.0], [2.0]], "n_samples=2 should be >= n_clusters=8"),
            (np.full((9, 1), 1e200) * np.arange(9)[:, None], "Scale X"),
        ],
    )
    def test_of_rows(self, X, words):
        with pytest.raises(ValueError, match=words):
            KMeans().fit(X)

    def test_of_weights(self):
        X = spread(n=20)
        with pytest.raises(ValueError, match=r"[Nn]egative"):
            KMeans(2).fit(X, sample_weight=np.full(20, -1.0))
        with pytest.raises(ValueError, match="zero"):
            KMeans(2).fit(X, sample_weight=np.zeros(20))

    def test_of_starts(self):
        with pytest.raises(ValueError, match="does not match the number of features"):
            KMeans(2, init=[[0.0], [1.0]]).fit(spread(n=20))

    def test_of_parameters(self):
        with pytest.raises(ValueError, match="algorithm"):
            KMeans(algorithm="full").fit(spread())


@st.composite
def hostile(draw):
    n, d = draw(st.integers(2, 25)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(-2, 3, size=(n, d)) * 10.0 ** draw(st.integers(-8, 8)) + draw(st.sampled_from([0.0, 1.0, 1e6]))
    if draw(st.booleans()):
        X[:, 0] += 1e-7 * rng.normal(size=n)
    weights = draw(st.sampled_from([np.ones(n), 10.0 ** rng.integers(-6, 6, size=n), np.arange(n) + 0.0]))
    return X.astype(draw(st.sampled_from([np.float32, np.float64]))), weights, draw(st.integers(1, n))


@settings(max_examples=60, deadline=None)
@given(hostile(), st.sampled_from(["k-means++", "random"]), st.booleans())
def test_hostile_input_ends_in_a_fixed_point(case, init, as_sparse):
    X, weights, k = case
    X = sp.csr_matrix(X) if as_sparse else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(k, init=init, n_init=1, tol=0, random_state=0).fit(X, sample_weight=weights)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.holds, model.certificate_
    assert np.isfinite(model.cluster_centers_).all()


@pytest.mark.parametrize("weight", [1e20, 1e100])
def test_weights_that_magnify_the_rounding_of_a_centre_are_confirmed(weight):
    X = np.random.default_rng(0).normal(size=(12, 3))
    weights = np.r_[weight, np.ones(11)]
    model = KMeans(2, random_state=0).fit(X, sample_weight=weights)
    assert model.certificate_.verify(X, sample_weight=weights).status is model.certificate_.status is Status.CONVERGED
    model.inertia_ = weight
    assert model.certificate_.verify(X, sample_weight=weights).status is Status.REFUTED
