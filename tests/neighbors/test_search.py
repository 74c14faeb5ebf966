"""The search by tiles finds what asking every pair finds, to the last bit, whatever the data."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.neighbors import NearestNeighbors

from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.neighbors.search import _tiles
from maxmargin.neighbors.search._heap import EMPTY, empty_heaps, in_order
from maxmargin.neighbors.search._index import OtherMetricIndex, TileIndex, TreeIndex, choose_algorithm
from maxmargin.neighbors.search._scan import scan_all
from maxmargin.neighbors.search._tiles import Columns, Search


def asking_all(search, k):
    """The k nearest by every distance, nearest first, equal ones by index."""
    m, n = search.rows.n, search.columns.rows.n
    heaps = empty_heaps(m, k)
    scan_all(search.rows.arrays, np.arange(m), search.columns.rows.arrays, np.arange(n), search.own, heaps)
    return in_order(*heaps, k)


def assert_exact(search, k):
    for found, true in zip(search.nearest(k), asking_all(search, k), strict=True):
        np.testing.assert_array_equal(found, true)


def sparse_rows(rng, shape, dtype):
    X = rng.normal(size=shape)
    return np.where(np.abs(X) > 1, X, 0).astype(dtype)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("storage", ["dense, dense", "dense, csr", "csr, dense", "csr, csr"])
def test_equals_a_plain_sort(storage, dtype, threads):
    rng = np.random.default_rng(0)
    Z, X = sparse_rows(rng, (1500, 12), dtype), sparse_rows(rng, (130, 12), dtype)
    left, right = (sp.csr_array if kind == "csr" else np.asarray for kind in storage.split(", "))
    columns = Columns(right(Z))
    search = Search(columns.queries(left(X)), columns, threads)
    squares, index = search.nearest(9)
    D = np.square(X[:, None].astype(np.float64) - Z[None].astype(np.float64)).sum(axis=2)
    np.testing.assert_allclose(squares, np.sort(D, axis=1)[:, :9], rtol=1e-13)
    np.testing.assert_array_equal(index, np.argsort(D, axis=1, kind="stable")[:, :9])
    assert_exact(search, 9)


@pytest.mark.parametrize("d", [1, 3, 130])
@pytest.mark.parametrize("k", [1, 4, 60])
def test_a_row_is_not_its_own_neighbour(d, k):
    rng = np.random.default_rng(1)
    columns = Columns(rng.integers(0, 3, size=(700, d)).astype(np.float64))
    search = Search(columns.rows, columns, 2, own=True)
    assert_exact(search, k)
    assert not (search.nearest(k)[1] == np.arange(700)[:, None]).any()


@pytest.mark.parametrize("tile", [np.float32, np.float64])
def test_the_precision_of_tiles_does_not_matter(tile):
    rng = np.random.default_rng(2)
    columns = Columns(rng.normal(size=(2000, 40)))
    search = Search(columns.queries(rng.normal(size=(300, 40))), columns, 2)
    search._dtype = tile
    assert_exact(search, 5)


def test_clusters_far_apart_need_float64_and_get_it():
    rng = np.random.default_rng(3)
    centres = 1e6 * rng.normal(size=(4, 6))
    Z = centres[rng.integers(0, 4, 3000)] + 1e-3 * rng.normal(size=(3000, 6))
    columns = Columns(Z)
    search = Search(columns.queries(Z[:2500] + 1e-3), columns, 2)
    assert_exact(search, 5)
    assert search._dtype == np.float64


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_an_offset_costs_nothing(offset):
    rng = np.random.default_rng(4)
    columns = Columns(rng.normal(size=(2000, 5)) + offset)
    search = Search(columns.queries(rng.normal(size=(200, 5)) + offset), columns, 1)
    assert_exact(search, 5)
    assert search._dtype == np.float32  # about their mean, the rows are as short as ever


def test_one_far_row_does_not_spoil_the_others():
    rng = np.random.default_rng(5)
    Z = rng.normal(size=(2000, 5))
    Z[77] = 1e12
    columns = Columns(Z)
    assert_exact(Search(columns.queries(Z[:100]), columns, 1), 5)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-40, 1e40, 1e160, 1e300])
def test_extreme_units(scale):
    """Squares of such values under- or overflow; distances do not."""
    rng = np.random.default_rng(6)
    Z, X = rng.integers(-999, 999, size=(300, 4)) * 1.0, rng.integers(-999, 999, size=(50, 4)) * 1.0
    unit = 2.0 ** np.round(np.log2(scale))
    index, plain = TileIndex(Z * unit, 1), TileIndex(Z, 1)
    distances, found = index.kneighbors(X * unit, 5)
    expected, true = plain.kneighbors(X, 5)
    np.testing.assert_array_equal(found, true)
    np.testing.assert_allclose(distances, expected * unit, rtol=1e-15)


def test_queries_out_of_all_proportion_are_refused():
    index = TileIndex(np.eye(3) * 1e-200, 1)
    with pytest.raises(ValueError, match="too far from those of the training data"):
        index.kneighbors(np.eye(3), 1)


coordinates = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-8, 1 + 1e-15, 1e8, 1e8 + 1, 1e30, -1e30, 1e-30, 1e-160, 1e100]),
    st.floats(-1e3, 1e3, allow_subnormal=True),
)


@given(
    values=st.lists(st.lists(coordinates, min_size=3, max_size=3), min_size=1, max_size=12),
    copies=st.integers(1, 40),
    k=st.integers(1, 30),
    own=st.booleans(),
    csr=st.booleans(),
)
@settings(max_examples=150)
def test_hostile_rows(values, copies, k, own, csr):
    X = np.repeat(np.array(values), copies, axis=0)
    k = min(k, len(X) - own)
    if k == 0:
        return
    columns = Columns(sp.csr_array(X) if csr else X)
    assert_exact(Search(columns.rows, columns, 1, own=own), k)


@given(
    values=st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5]), min_size=2, max_size=2), min_size=8, max_size=60)
)
@settings(max_examples=60)
@pytest.mark.parametrize("method", ["kd_tree", "ball_tree"])
@pytest.mark.parametrize("own", [True, False])
def test_trees_keep_the_rule_for_ties(method, own, values):
    X = np.array(values)
    tiles, tree = TileIndex(X, 1), TreeIndex(X, 1, method, 2)
    for k in (1, 3, len(X) - 1):
        for found, true in zip(
            tree.kneighbors(None if own else X, k), tiles.kneighbors(None if own else X, k), strict=True
        ):
            np.testing.assert_array_equal(found, true)


def test_too_few_columns_leave_places_empty():
    columns = Columns(np.arange(10.0)[:, None])
    squares, index = Search(columns.rows, columns).nearest(3, ids=np.array([4, 7]))
    np.testing.assert_array_equal(squares[:, 2], np.inf)
    np.testing.assert_array_equal(index[:, 2], EMPTY)
    np.testing.assert_array_equal(index[5, :2], [4, 7])


def test_few_rows_and_many_agree(monkeypatch):
    rng = np.random.default_rng(7)
    columns = Columns(rng.normal(size=(3000, 300)))
    search = Search(columns.queries(rng.normal(size=(3, 300))), columns, 2)
    few = search.nearest(4)
    monkeypatch.setattr(_tiles, "_FEW_ROWS", 0)
    for a, b in zip(few, search.nearest(4), strict=True):
        np.testing.assert_array_equal(a, b)


def test_columns_are_pickled_once():
    X = np.random.default_rng(8).normal(size=(1000, 20))
    columns = Columns(X)
    assert columns.centred_squares.shape == (1000,)
    stored = pickle.dumps(columns)
    assert len(stored) < 1.1 * X.nbytes
    np.testing.assert_array_equal(pickle.loads(stored).rows.arrays[0], X)


def test_the_choice_between_tree_and_tiles():
    assert choose_algorithm(1_000_000, 2, 5) == "kd_tree"
    assert choose_algorithm(1_000_000, 100, 5) == "brute"
    assert choose_algorithm(500, 2, 5) == "brute"
    assert choose_algorithm(1_000_000, 2, 500_000) == "brute"


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("metric", ["manhattan", "chebyshev"])
def test_other_metrics_are_those_of_scikit_learn_and_take_no_pool_of_joblib(metric, sparse, monkeypatch):
    """A pool that Ctrl-C finds being made or ended may stay locked, and whoever deletes it then waits for ever."""
    if sparse and metric == "chebyshev":
        pytest.skip("scikit-learn does not know it of sparse rows")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    X[50:55] = X[0]  # copies hide a row from itself
    X, Z = (sp.csr_array(X), sp.csr_array(X[:70] + 0.1)) if sparse else (X, X[:70] + 0.1)
    known = NearestNeighbors(metric=metric, n_jobs=1).fit(X)
    monkeypatch.setattr("multiprocessing.pool.Pool.__init__", lambda *given: pytest.fail("a pool was made"))
    index = OtherMetricIndex(X, 2, metric=metric)
    for queries in (Z, None):
        distances, found = index.kneighbors(queries, 7)
        np.testing.assert_allclose(distances, known.kneighbors(queries, 7)[0], rtol=1e-12)
        assert queries is not None or not (found == np.arange(400)[:, None]).any()


def test_the_proof_of_bray_curtis_is_of_the_distances_that_were_searched():
    """SciPy divides by sum |x + z|, scikit-learn's search by sum |x| + |z|: they differ where signs do."""
    X = np.random.default_rng(0).normal(size=(150, 6))
    model = KNeighborsClassifier(5, metric="braycurtis").fit(X, np.arange(150) % 3)
    assert model.certificate_.holds and model.certificate_.verify(X, np.arange(150) % 3).holds
