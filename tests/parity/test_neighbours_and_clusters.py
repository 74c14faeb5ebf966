"""Neighbours and k-means against scikit-learn's: on usps, letter and a9a where they are at hand, and on the like.

Equal distances abound in letter (whole numbers) and a9a (zeros and ones). Which of several equally near rows is taken
is then a matter of taste, and only then may answers differ: that such rows are equally near is checked in integers or
long doubles.
"""

import math
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
import sklearn.neighbors

from maxmargin.cluster import KMeans
from maxmargin.neighbors import KNeighborsClassifier, KNeighborsRegressor

FOLDER = Path(os.environ.get("MAXMARGIN_DATA") or Path(__file__).parents[3] / "shared" / "data")
QUERIES = 250


def smooth_images(rng, n):
    """As usps: ten shapes of 16 x 16 pixels with smooth noise, values -1 to 1."""
    y = rng.integers(10, size=n)
    images = rng.normal(size=(10, 4, 4))[y] + 0.8 * rng.normal(size=(n, 4, 4))
    fine = np.kron(images, np.ones((1, 4, 4))) + 0.1 * rng.normal(size=(n, 16, 16))
    return np.clip(fine, -1, 1).reshape(n, 256), y


def whole_numbers(rng, n):
    """As letter: 26 classes, 16 features of values 0 to 15."""
    y = rng.integers(26, size=n)
    return np.clip(np.rint(rng.uniform(3, 12, size=(26, 16))[y] + 1.5 * rng.normal(size=(n, 16))), 0, 15), y


def zeros_and_ones(rng, n):
    """As a9a: one feature of each of 14 groups is on."""
    groups = np.array_split(np.arange(123), 14)
    columns = np.stack([rng.choice(group, size=n) for group in groups], axis=1)
    X = sp.csr_matrix((np.ones(14 * n), columns.ravel(), np.arange(0, 14 * n + 1, 14)), shape=(n, 123))
    score = X @ rng.normal(size=123)
    return X, (score > np.quantile(score, 0.76)).astype(int)


MADE = {"made as usps": smooth_images, "made as letter": whole_numbers, "made as a9a": zeros_and_ones}


def real(name):
    """Training rows, their labels and test rows, or a skipped test."""
    dense, sparse = FOLDER / f"{name}.npz", FOLDER / f"{name}_X_train.npz"
    if sparse.is_file():
        rows = [sp.csr_matrix(sp.load_npz(FOLDER / f"{name}_X_{part}.npz")) for part in ("train", "test")]
        return rows[0], np.load(FOLDER / f"{name}_y_train.npy", allow_pickle=False), rows[1]
    if dense.is_file():
        with np.load(dense, allow_pickle=False) as arrays:
            return arrays["X_train"], arrays["y_train"], arrays["X_test"]
    pytest.skip(f"{name} is not at hand")


@pytest.fixture(scope="module", params=["usps", "letter", "a9a", *MADE])
def data(request):
    """(name, X, y, queries)."""
    if request.param not in MADE:
        X, y, Q = real(request.param)
        return request.param, X, y, Q[:QUERIES]
    X, y = MADE[request.param](np.random.default_rng(0), 3000)
    return request.param, X[QUERIES:], y[QUERIES:], X[:QUERIES]


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def true_distances(Q, X, indices):
    """Distances of chosen pairs in long doubles; of whole numbers their squares are exact."""
    Q = dense(Q).astype(np.longdouble)
    difference = [dense(X[columns]).astype(np.longdouble) - row for row, columns in zip(Q, indices, strict=True)]
    return np.sqrt(np.square(difference).sum(axis=2))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_neighbours(data, dtype):
    name, X, y, Q = data
    X, Q, k = X.astype(dtype), Q.astype(dtype), 5
    ours = KNeighborsClassifier(k).fit(X, y)
    theirs = sklearn.neighbors.KNeighborsClassifier(k, algorithm="brute").fit(X, y)
    found, ours_index = ours.kneighbors(Q, k + 1)
    said, theirs_index = theirs.kneighbors(Q, k + 1)
    true, chosen = true_distances(Q, X, ours_index), true_distances(Q, X, theirs_index)
    np.testing.assert_allclose(found, true.astype(np.float64), rtol=1e-14, atol=0)
    # scikit-learn takes distances of float32 from inner products in float64, and reports them in float32
    np.testing.assert_allclose(said, found, rtol=1e-6 if dtype == np.float32 else 1e-12, atol=0)
    # theirs are as near as ours, place by place: where the rows differ, it is by a tie
    np.testing.assert_array_equal(chosen[ours_index != theirs_index], true[ours_index != theirs_index])
    # and predictions differ only where the tie is for the last place
    tied = true[:, k] == true[:, k - 1]
    np.testing.assert_array_equal(ours.predict(Q)[~tied], theirs.predict(Q)[~tied])
    if "usps" in name:
        assert not tied.any()
        np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_means_of_neighbours(data, weights):
    _, X, y, Q = data
    X, Q, k = X.astype(np.float64), Q.astype(np.float64), 5
    ours = KNeighborsRegressor(k, weights=weights).fit(X, y)
    theirs = sklearn.neighbors.KNeighborsRegressor(k, weights=weights, algorithm="brute").fit(X, y)
    found, _ = ours.kneighbors(Q, k + 1)
    clear = found[:, k] > found[:, k - 1] * (1 + 1e-12)
    np.testing.assert_allclose(ours.predict(Q)[clear], theirs.predict(Q)[clear], rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------- k-means


def start_off_the_grid(X, k):
    """Rows, a little moved: whole numbers would be as near to one of them as to another, and rounding would decide."""
    rng = np.random.RandomState(0)
    rows = dense(X[np.sort(rng.choice(X.shape[0], k, replace=False))])
    return (rows + rng.uniform(-0.3, 0.3, size=rows.shape)).astype(np.float32)


def inertia(X, model):
    """Of a model's centres and labels, in long doubles, added without rounding errors."""
    centres = model.cluster_centers_.astype(np.longdouble)
    squares = []
    for a in range(0, X.shape[0], 2000):
        part = dense(X[a : a + 2000]).astype(np.longdouble) - centres[model.labels_[a : a + 2000]]
        squares.extend(np.square(part).sum(axis=1).astype(np.float64))
    return math.fsum(squares)


def means(X, labels, k):
    """Of the rows of each cluster, in long doubles."""
    return np.array([dense(X[labels == j]).astype(np.longdouble).mean(axis=0) for j in range(k)]).astype(np.float64)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_kmeans_from_the_same_start(data, dtype):
    name, X, _, _ = data
    X, k = X.astype(dtype), 26 if "letter" in name else 10
    start = start_off_the_grid(X, k).astype(dtype)
    ours, theirs = (room(k, init=start, n_init=1, tol=0).fit(X) for room in (KMeans, sklearn.cluster.KMeans))
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.certificate_.holds
    # sums of n numbers, each of which may round, in an order that depends on the machine: we add in float64,
    # scikit-learn in the type of the rows
    true, largest, most = means(X, ours.labels_, k), abs(X).max(), np.bincount(ours.labels_).max()
    rounding = largest * np.finfo(dtype).eps
    in_float64 = most * largest * np.finfo(np.float64).eps
    np.testing.assert_allclose(ours.cluster_centers_, true, rtol=0, atol=rounding + in_float64)
    np.testing.assert_allclose(theirs.cluster_centers_, true, rtol=0, atol=most * rounding)
    exact = inertia(X, ours)
    assert exact == pytest.approx(inertia(X, theirs), rel=1e-10 if dtype == np.float64 else 1e-8)
    assert ours.inertia_ == pytest.approx(exact, rel=1e-12)
    # scikit-learn adds up float32 in float32: on a9a that alone is an error of 2e-6
    assert theirs.inertia_ == pytest.approx(exact, rel=1e-12 if dtype == np.float64 else 1e-5)
