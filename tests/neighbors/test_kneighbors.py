"""Classifier and regressor: scikit-learn's answers, votes for unbalanced classes, and what is refused."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_score

from maxmargin.neighbors import KNeighborsClassifier, KNeighborsRegressor

STORAGES = ["float64", "float32", "csr", "csr float32"]


def stored(X, storage):
    X = X.astype(np.float32) if "float32" in storage else X
    return sp.csr_matrix(X) if "csr" in storage else X


def data(storage, n=400, m=90, d=6, seed=0):
    """Rows without equal distances, three classes, two values."""
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    label = rng.integers(0, 3, n)
    X += label[:, None] * 0.7
    return stored(X, storage), label, stored(Q, storage)


def inverse_square(distances):
    return 1.0 / (1e-3 + distances**2)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("weights", ["uniform", "distance", None, inverse_square])
def test_classifier_is_that_of_scikit_learn(weights, algorithm, storage):
    if "csr" in storage and "tree" in algorithm:
        pytest.skip("trees take no sparse rows")
    X, y, Q = data(storage)
    names = np.array(["c", "a", "b"])[y]
    ours, theirs = (
        room(n_neighbors=7, weights=weights, algorithm=algorithm).fit(X, names)
        for room in (KNeighborsClassifier, sklearn.neighbors.KNeighborsClassifier)
    )
    # scikit-learn takes inner products, where distances cancel: its squares are off by the rounding of squared lengths
    tolerance = {"rtol": 1e-5, "atol": 4e-6} if storage != "float64" else {"rtol": 1e-10, "atol": 1e-13}
    for query in (Q, X, None):
        distances, indices = ours.kneighbors(query, 9)
        expected, places = theirs.kneighbors(query, 9)
        np.testing.assert_allclose(distances**2, expected**2, **tolerance)
        np.testing.assert_array_equal(indices, places)
        assert distances.dtype == np.float64
    for query in (Q, None):
        np.testing.assert_array_equal(ours.predict(query), theirs.predict(query))
        np.testing.assert_allclose(ours.predict_proba(query), theirs.predict_proba(query), rtol=1e-4)
        assert ours.score(query, names[: len(ours.predict(query))]) == pytest.approx(
            theirs.score(query, names[: len(ours.predict(query))])
        )
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.effective_metric_ == theirs.effective_metric_
    assert ours.n_samples_fit_ == theirs.n_samples_fit_


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("weights", ["uniform", "distance", None, inverse_square])
@pytest.mark.parametrize("outputs", [1, 2])
def test_regressor_is_that_of_scikit_learn(outputs, weights, storage):
    X, label, Q = data(storage)
    y = np.random.default_rng(1).normal(size=(len(label), outputs)) + label[:, None]
    y = y.ravel() if outputs == 1 else y
    ours, theirs = (
        room(n_neighbors=4, weights=weights).fit(X, y)
        for room in (KNeighborsRegressor, sklearn.neighbors.KNeighborsRegressor)
    )
    for query in (Q, None):
        np.testing.assert_allclose(ours.predict(query), theirs.predict(query), rtol=1e-4, atol=1e-4)
    assert ours.score(None, y) == pytest.approx(theirs.score(None, y), abs=1e-4)
    assert ours.predict(Q).shape == theirs.predict(Q).shape


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
def test_real_data(load, name):
    X, y = load(name)
    ours = KNeighborsClassifier().fit(X[::2], y[::2])
    theirs = sklearn.neighbors.KNeighborsClassifier().fit(X[::2], y[::2])
    distances, indices = ours.kneighbors(X[1::2])
    expected, places = theirs.kneighbors(X[1::2])
    np.testing.assert_allclose(distances, expected, rtol=1e-7, atol=1e-6)
    differ = indices != places
    np.testing.assert_allclose(distances[differ], expected[differ], rtol=1e-12)  # ties, and no others
    same = ~differ.any(axis=1)
    np.testing.assert_array_equal(ours.predict(X[1::2])[same], theirs.predict(X[1::2])[same])


@pytest.mark.parametrize(
    "parameters",
    [
        {"p": 1},
        {"p": 3},
        {"p": np.inf},
        {"metric": "manhattan"},
        {"metric": "cosine"},
        {"metric": "minkowski", "metric_params": {"w": np.arange(1.0, 7.0)}},
        {"metric": lambda a, b: float(np.abs(a - b).max())},
        {"metric": sklearn.metrics.DistanceMetric.get_metric("chebyshev"), "algorithm": "ball_tree"},
        {"metric": "l2"},
        {"metric": "sqeuclidean"},
        {"p": None, "metric_params": {"p": 2}},
        {"metric": "nan_euclidean"},
    ],
)
def test_other_metrics(parameters):
    X, y, Q = data("float64", n=120)
    ours = KNeighborsRegressor(**parameters).fit(X, y)
    theirs = sklearn.neighbors.KNeighborsRegressor(**parameters).fit(X, y)
    np.testing.assert_allclose(ours.kneighbors(Q)[0], theirs.kneighbors(Q)[0], rtol=1e-9)
    np.testing.assert_allclose(ours.predict(Q), theirs.predict(Q))
    assert ours.certificate_.holds


def test_precomputed_distances():
    X, y, Q = data("float64")
    D, E = (sklearn.metrics.pairwise_distances(rows, X) for rows in (X, Q))
    given_distances = KNeighborsClassifier(metric="precomputed").fit(D, y)
    plain = KNeighborsClassifier().fit(X, y)
    np.testing.assert_array_equal(given_distances.predict(E), plain.predict(Q))
    assert given_distances.certificate_.holds
    assert cross_val_score(given_distances, D, y).mean() == pytest.approx(cross_val_score(plain, X, y).mean())


def test_sparse_distances_need_their_zeros():
    D = sklearn.metrics.pairwise_distances(np.arange(6.0)[:, None])
    model = KNeighborsClassifier(1, metric="precomputed").fit(D, np.arange(6))
    np.testing.assert_array_equal(model.predict(D[:2]), [0, 1])
    with pytest.raises(TypeError, match=r"'dok' format .* use CSR"):
        model.predict(sp.dok_array(D))


def test_several_outputs():
    X, y, Q = data("float64")
    both = np.column_stack([y, (y > 0) + 5])
    ours = KNeighborsClassifier().fit(X, both)
    theirs = sklearn.neighbors.KNeighborsClassifier().fit(X, both)
    np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))
    for a, b in zip(ours.predict_proba(Q), theirs.predict_proba(Q), strict=True):
        np.testing.assert_allclose(a, b)
    assert ours.outputs_2d_


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("with_query", [True, False])
def test_graph(mode, with_query):
    X, y, Q = data("float64")
    query = Q if with_query else None
    ours = KNeighborsClassifier().fit(X, y).kneighbors_graph(query, 3, mode)
    theirs = sklearn.neighbors.KNeighborsClassifier().fit(X, y).kneighbors_graph(query, 3, mode)
    assert ours.format == "csr"
    np.testing.assert_allclose(ours.toarray(), theirs.toarray())


# ---------------------------------------------------------------- ties and weights


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_ties_go_to_the_smaller_index(algorithm):
    X = np.array([[1.0], [-1.0], [1.0], [-1.0], [5.0], [1.0]])
    model = KNeighborsClassifier(n_neighbors=3, algorithm=algorithm, leaf_size=1).fit(X, np.arange(6))
    np.testing.assert_array_equal(model.kneighbors([[0.0]])[1], [[0, 1, 2]])
    np.testing.assert_array_equal(model.kneighbors(return_distance=False)[0], [2, 5, 1])


def test_equal_votes_go_to_the_first_class():
    model = KNeighborsClassifier(n_neighbors=2).fit([[0.0], [1.0]], ["z", "b"])
    assert model.predict([[-1.0]]) == ["b"]


def test_inverse_class_size_counts_each_class_alike():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(1000, 2)), rng.normal(size=(20, 2)) + 1.5])
    y = np.repeat(["common", "rare"], [1000, 20])
    model = KNeighborsClassifier(n_neighbors=15, weights="inverse_class_size").fit(X, y)
    Q = rng.normal(size=(200, 2))
    labels = y[model.kneighbors(Q, return_distance=False)]
    rare = (labels == "rare").sum(axis=1) / 20
    common = (labels == "common").sum(axis=1) / 1000
    np.testing.assert_allclose(model.predict_proba(Q)[:, 1], rare / (rare + common), rtol=1e-12)
    plain = KNeighborsClassifier(n_neighbors=15).fit(X, y)
    recall = [np.mean(m.predict(X[y == "rare"] + 0.01) == "rare") for m in (plain, model)]
    assert recall[1] > recall[0] + 0.3


def test_left_out_rows_do_not_count_for_the_size_of_their_class():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1], [34, 6])
    model = KNeighborsClassifier(n_neighbors=5, weights="inverse_class_size")
    scores = cross_val_score(model, X, y, cv=LeaveOneOut())
    assert model.fit(X, y).score(None, y) == pytest.approx(scores.mean())


def test_distances_too_small_to_be_inverted():
    model = KNeighborsRegressor(n_neighbors=2, weights="distance").fit([[1e-310], [-3e-310]], [0.0, 1.0])
    assert model.predict([[0.0]]) == pytest.approx([0.25], rel=1e-2)


def test_copies_of_a_row_outweigh_all_others():
    model = KNeighborsRegressor(n_neighbors=3, weights="distance").fit([[0.0], [0.0], [1.0]], [1.0, 2.0, 100.0])
    assert model.predict([[0.0]]) == [1.5]


# ---------------------------------------------------------------- interplay


def test_sparse_queries_for_a_tree():
    X, y, Q = data("float64")
    model = KNeighborsClassifier(algorithm="kd_tree").fit(X, y)
    np.testing.assert_array_equal(model.predict(sp.csr_array(Q)), model.predict(Q))


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_threads_do_not_matter(n_jobs):
    X, y, Q = data("float64", n=3000, m=500)
    model = KNeighborsClassifier(n_jobs=n_jobs).fit(X, y)
    one = KNeighborsClassifier(n_jobs=1).fit(X, y)
    for a, b in zip(model.kneighbors(Q), one.kneighbors(Q), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_pickle(algorithm):
    X, y, Q = data("float64")
    model = KNeighborsClassifier(algorithm=algorithm).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(Q), model.predict_proba(Q))
    assert again.certificate_.verify(X, y).holds


def test_grid_search():
    X, y, _ = data("float64")
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5], "weights": ["distance", "uniform"]}).fit(X, y)
    assert search.best_score_ > 0.4


# ---------------------------------------------------------------- the proof


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_certificate(algorithm, storage):
    if "csr" in storage and "tree" in algorithm:
        pytest.skip("trees take no sparse rows")
    X, y, _ = data(storage)
    model = KNeighborsClassifier(algorithm=algorithm).fit(X, y)
    proof = model.certificate_
    assert proof.name == "exact search"
    assert proof.holds
    assert proof.figures["rows checked"] == 32
    assert "left-out error" not in proof.figures
    assert "Nothing is claimed about the error" in str(proof)
    found = proof.verify(X, y)
    assert found.holds
    mean = cross_val_score(KNeighborsClassifier(), X, y, cv=LeaveOneOut()).mean()
    assert found.figures["left-out error"] == pytest.approx(1 - mean)


def test_certificate_of_a_regressor():
    X, y, _ = data("float64")
    model = KNeighborsRegressor().fit(X, y)
    error = model.certificate_.verify(X, y).figures["left-out squared error"]
    assert error == pytest.approx(np.mean((model.predict(None) - y) ** 2))


def test_other_rows_are_not_believed():
    X, y, _ = data("float64")
    model = KNeighborsClassifier().fit(X, y)
    assert not model.certificate_.verify(X + 0.01 * np.random.default_rng(0).normal(size=X.shape), y).holds
    with pytest.raises(ValueError, match="expected 400 rows, got X with 399"):
        model.certificate_.verify(X[1:], y[1:])


def test_a_broken_search_is_found_out(monkeypatch):
    X, y, _ = data("float64")
    model = KNeighborsClassifier().fit(X, y)
    good = model._index.kneighbors
    monkeypatch.setattr(model._index, "kneighbors", lambda X, k: tuple(part[:, 1:] for part in good(X, k + 1)))
    assert not model.certificate_.holds


def test_too_few_rows_prove_nothing():
    proof = KNeighborsClassifier(n_neighbors=5).fit([[0.0], [1.0]], [0, 1]).certificate_
    assert not proof.holds
    assert "2 training rows have no 5 neighbours" in proof.statement


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("room", [KNeighborsClassifier, KNeighborsRegressor])
class TestBadInput:
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2

    @pytest.mark.parametrize(
        ("parameters", "words"),
        [
            ({"weights": "nearest"}, "'weights' parameter .* Got 'nearest'"),
            ({"metric": "euclid"}, "'metric' parameter .* Got 'euclid'"),
            ({"algorithm": "octree"}, "'algorithm' parameter .* Got 'octree'"),
            ({"n_neighbors": 0}, "'n_neighbors' parameter .* Got 0"),
            ({"n_neighbors": 2.5}, "'n_neighbors' parameter .* Got 2.5"),
            ({"p": -1}, "'p' parameter .* Got -1"),
            ({"leaf_size": 0}, "'leaf_size' parameter .* Got 0"),
            ({"n_jobs": 0}, "n_jobs=0 has no meaning"),
        ],
    )
    def test_parameters(self, room, parameters, words):
        with pytest.raises(ValueError, match=words):
            room(**parameters).fit(self.X, self.y)

    def test_more_neighbours_than_rows(self, room):
        model = room(n_neighbors=8).fit(self.X, self.y)
        assert model.predict(self.X).shape == (8,)
        with pytest.raises(ValueError, match=r"n_neighbors = 9, n_samples_fit = 8.*Use n_neighbors of at most 8"):
            model.kneighbors(self.X, 9)
        with pytest.raises(ValueError, match=r"not its own neighbour\). Use n_neighbors of at most 7"):
            model.predict(None)

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_not_finite(self, room, bad):
        X = self.X.copy()
        X[3] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            room().fit(X, self.y)
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            room().fit(self.X, self.y).predict(X)

    def test_empty(self, room):
        with pytest.raises(ValueError, match="0 sample"):
            room().fit(np.empty((0, 2)), [])
        with pytest.raises(ValueError, match="0 sample"):
            room().fit(self.X, self.y).predict(np.empty((0, 1)))

    def test_count_in_a_query(self, room):
        model = room().fit(self.X, self.y)
        with pytest.raises(ValueError, match=r"n_neighbors > 0\. Got -1"):
            model.kneighbors(self.X, -1)
        with pytest.raises(TypeError, match="enter integer value"):
            model.kneighbors(self.X, 1.5)
        with pytest.raises(ValueError, match='got "edges"'):
            model.kneighbors_graph(mode="edges")

    @pytest.mark.parametrize(
        ("function", "words"),
        [
            (lambda d: d[:, :2], r"shape \(8, 2\); expected .* \(8, 3\)"),
            (np.zeros_like, "getting zero weights"),
            (lambda d: np.where(d > 0, 1.0, np.nan), "NaN or infinity"),
        ],
    )
    def test_functions_as_weights(self, room, function, words):
        model = room(n_neighbors=3, weights=function).fit(self.X, self.y)
        with pytest.raises(ValueError, match=words):
            model.predict(self.X)

    def test_trees_of_sparse_rows_are_tiles_and_say_so(self, room):
        with pytest.warns(UserWarning, match="algorithm='kd_tree' cannot use tree with sparse input"):
            model = room(algorithm="kd_tree").fit(sp.csr_array(self.X), self.y)
        np.testing.assert_array_equal(model.predict(self.X), room().fit(self.X, self.y).predict(self.X))


def test_inverse_class_size_is_for_classes():
    with pytest.raises(ValueError, match="'weights' parameter of KNeighborsRegressor"):
        KNeighborsRegressor(weights="inverse_class_size").fit([[0.0], [1.0]], [0.0, 1.0])
