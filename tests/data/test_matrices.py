"""Sparse matrices that are odd or malformed, in every estimator; many more: ``python -m tests.data.fuzz_matrices``."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.cluster import KMeans, SpectralClustering
from maxmargin.ensemble import RandomForestClassifier
from maxmargin.linear_model import PolynomialRegression, Ridge
from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.svm import SVC, SVCCV, LinearSVC
from maxmargin.tree import DecisionTreeClassifier

from .fuzz_matrices import GROUP, NAMES, look, run
from .matrix_models import recipes_are_complete


def test_every_estimator_has_a_recipe():
    recipes_are_complete()


@pytest.mark.parametrize("name", NAMES)
def test_odd_and_malformed_matrices(name):
    first = GROUP * NAMES.index(name)
    assert not [fault for number in range(first, first + GROUP) for fault in look(number, 3)[0]]


def test_matrices_are_tried_in_a_process_of_their_own():
    first = GROUP * NAMES.index("DecisionStump")
    tally, found = run(2, 0, first, show=lambda fault: None)
    assert tally["DecisionStump", "tried"] == 2 and not found


@pytest.fixture
def split():
    """Rows, and the same rows as CSR with every entry in two parts, unsorted."""
    rng = np.random.default_rng(0)
    X = np.rint(8 * rng.normal(size=(120, 6))) / 8
    row, column = np.nonzero(X)
    part = rng.integers(1, 5, len(row)).astype(float)
    columns = np.concatenate([column, column])
    values = np.concatenate([X[row, column] - part, part])
    order = np.lexsort((rng.random(len(columns)), np.concatenate([row, row])))
    indptr = np.append(0, np.cumsum(2 * np.bincount(row, minlength=len(X))))
    return X, sp.csr_array((values[order], columns[order], indptr), shape=X.shape), (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("metric", ["cosine", "manhattan", "euclidean"])
def test_neighbours_of_rows_in_parts(split, metric):
    X, M, y = split
    expected = KNeighborsClassifier(3, metric=metric).fit(X, y).kneighbors()
    found = KNeighborsClassifier(3, metric=metric).fit(M, y).kneighbors()
    np.testing.assert_allclose(found[0], expected[0], atol=1e-12)


def test_affinities_of_rows_in_parts(split):
    X, M, _ = split
    for affinity in ("rbf", "laplacian"):
        expected, found = (SpectralClustering(2, affinity=affinity, random_state=0).fit(Z) for Z in (X, M))
        np.testing.assert_allclose(found.affinity_matrix_, expected.affinity_matrix_, atol=1e-12)


def test_automatic_ranges_of_rows_in_parts(split):
    X, M, y = split
    expected, found = (SVCCV(Cs=3, gammas=2, cv=2, refit=False).fit(Z, y).cv_results_ for Z in (X, M))
    np.testing.assert_allclose(found["param_C"].astype(float), expected["param_C"].astype(float))
    np.testing.assert_allclose(found["param_gamma"].astype(float), expected["param_gamma"].astype(float))


@pytest.mark.parametrize(
    "model", [SVC(), LinearSVC(), Ridge(), KNeighborsClassifier(), DecisionTreeClassifier(), RandomForestClassifier()]
)
@pytest.mark.parametrize("index", [100_000_000, -5])
def test_an_index_out_of_range_is_named(model, index):
    X, y = sp.csr_array(np.random.default_rng(0).normal(size=(20, 30))), np.arange(20) % 2
    model.fit(X, y)
    X.indices[100] = index
    for ask in (lambda: model.fit(X, y), lambda: model.predict(X), lambda: model.score(X, y)):
        with pytest.raises(ValueError, match=f"X.indices holds {index} in row 3, and X has 30 columns"):
            ask()


def test_read_only_rows_and_indices_of_64_bits():
    X, y = sp.csr_array(np.random.default_rng(0).normal(size=(20, 3))), np.arange(20.0)
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    expected = PolynomialRegression(2).fit(X.toarray(), y).predict(X.toarray())
    np.testing.assert_allclose(PolynomialRegression(2).fit(X, y).predict(X), expected, rtol=1e-6)
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    expected = KMeans(3, random_state=0).fit(X).labels_
    np.testing.assert_array_equal(KMeans(3, random_state=0).fit(wide).labels_, expected)
