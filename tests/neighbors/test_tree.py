"""The tree finds what asking every pair finds, to the last bit, and looks at few rows for it."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from maxmargin.data import Rows
from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.neighbors.search import _tree
from maxmargin.neighbors.search._heap import empty_heaps, in_order
from maxmargin.neighbors.search._index import TileIndex, TreeIndex
from maxmargin.neighbors.search._partition import partition
from maxmargin.neighbors.search._scan import scan_all
from maxmargin.neighbors.search._simd import LANES
from maxmargin.neighbors.search._tiles import Columns, Search
from maxmargin.neighbors.search._tree import Tree, descend_all


def assert_exact(Z, X, k, leaf_size=16, threads=1):
    """The tree against every distance; the number of rows that it has left to others."""
    columns = Columns(Z)
    search = Search(columns.rows if X is None else columns.queries(X), columns, threads, own=X is None)
    squares, index, left = descend_all(Tree(columns.rows, leaf_size, threads), search, k)
    heaps = empty_heaps(search.rows.n, k)
    order, ids = np.arange(search.rows.n), np.arange(columns.rows.n)
    scan_all(search.rows.arrays, order, columns.rows.arrays, ids, search.own, heaps)
    done = np.setdiff1d(order, left)
    for found, true in zip((squares, index), in_order(*heaps, k), strict=True):
        np.testing.assert_array_equal(found[done], true[done])
    return len(left)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 300, 5000])
@pytest.mark.parametrize("leaf", [16, 48])
def test_a_partition_keeps_rows_and_their_indices_together(n, leaf):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3)).astype(np.float32)
    points = X.copy()
    index = partition(points, leaf, 2)
    np.testing.assert_array_equal(np.sort(index), np.arange(n))
    np.testing.assert_array_equal(points, X[index])


def test_a_partition_does_not_depend_on_the_threads():
    X = np.random.default_rng(0).normal(size=(100_000, 2)).astype(np.float32)
    first, second = (partition(X.copy(), 32, threads) for threads in (1, 3))
    assert (np.diff(np.sort(first)) == 1).all()
    np.testing.assert_array_equal(first, second)


def test_parts_of_a_partition_lie_apart():
    """Each run of 16 leaves is a part of its own: in one dimension, an interval."""
    X = np.random.default_rng(1).permutation(16 * 16 * 40).astype(np.float64)[:, None]
    points = X.copy()
    partition(points, 16, 1)
    runs = points.reshape(-1, 256)
    ends = np.column_stack([runs.min(axis=1), runs.max(axis=1)])
    np.testing.assert_array_equal(ends[:, 1] - ends[:, 0], 255)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_boxes_hold_their_rows(dtype):
    rng = np.random.default_rng(2)
    X = (rng.normal(size=(9000, 3)) * [1, 1e3, 1e-3] + 7).astype(dtype)
    tree = Tree(Rows(X), 30, 1)
    _, boxes, ids, width, levels, sizes, _, lowest = tree.arrays
    assert width == 32
    boxes = boxes.reshape(-1, 3, 2, LANES)
    span, points = width, X[ids] - tree.shift
    for level, size in zip(levels, sizes, strict=True):
        for node in range(size):
            part = points[node * span : (node + 1) * span]
            box = boxes[level + node // LANES, :, :, node % LANES]
            assert (box[:, 0] <= part.min(axis=0)).all()
            assert (box[:, 1] >= part.max(axis=0)).all()
        span *= LANES
    assert sizes[-1] <= LANES
    np.testing.assert_array_equal(lowest, [ids[a : a + width].min() for a in range(0, len(ids), width)])


@pytest.mark.parametrize("d", [1, 2, 5, 9])
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_grids_with_many_ties(d, own, dtype):
    rng = np.random.default_rng(d)
    Z = rng.integers(0, 4, size=(1200, d)).astype(dtype)
    X = None if own else rng.integers(0, 9, size=(230, d)).astype(np.float64) / 2
    for k in (1, 4, 50):
        assert_exact(Z, X, k, threads=2)


@given(st.data())
@settings(max_examples=60)
def test_any_small_data(data):
    numbers = st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.0 + 1e-9, 3.0, 1e-30, 1e9, 1e9 + 1, -1e9])
    rows = data.draw(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=80))
    X = np.array(rows)
    k = data.draw(st.integers(1, len(X) - 1))
    assert_exact(X, data.draw(st.sampled_from([None, X[::-1].copy()])), k)


@pytest.mark.parametrize("k", [1, 7, 700])
def test_all_rows_equal(k):
    Z = np.full((700, 3), 1.25)
    assert_exact(Z, Z[:40], k)
    assert_exact(Z, Z[:40] + 1, k)


def test_copies_do_not_make_the_tree_visit_all_of_them(monkeypatch):
    """Of copies of a row, those of the lowest indices are the answer; leaves of higher ones need not be visited."""
    Z = np.repeat(np.random.default_rng(3).normal(size=(4, 2)), 5000, axis=0)
    visited = []
    descend = _tree.descend
    monkeypatch.setattr(_tree, "descend", lambda *a: visited.append(descend(*a)) or visited[-1])
    assert_exact(Z, Z[::5000].copy(), 3)
    assert sum(leaves for leaves, _ in visited) <= 4 * 10


def test_close_rows_far_apart_need_float64_and_get_it():
    rng = np.random.default_rng(4)
    centres = 1e6 * rng.normal(size=(3, 3))
    Z = centres[rng.integers(0, 3, 4000)] + 1e-3 * rng.normal(size=(4000, 3))
    assert Tree(Rows(Z), 30, 1).unit < 1e-15
    assert Tree(Rows(Z[:, :2] * 0 + rng.normal(size=(4000, 2))), 30, 1).unit > 1e-8
    assert_exact(Z, Z[:300] + 1e-4, 5)


def test_one_far_row_does_not_spoil_the_others():
    Z = np.random.default_rng(5).normal(size=(3000, 3))
    Z[77] = 1e12
    assert_exact(Z, Z[:100] + 0.01, 5)


def test_queries_too_long_for_float32_are_left_to_the_tiles():
    Z = np.random.default_rng(6).normal(size=(3000, 2))
    X = Z[:50].copy()
    X[[3, 40]] = 1e30
    assert assert_exact(Z, X, 4) == 2
    for found, true in zip(
        TreeIndex(Z, 1, "kd_tree", 30).kneighbors(X, 4), TileIndex(Z, 1).kneighbors(X, 4), strict=True
    ):
        np.testing.assert_array_equal(found, true)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-40, 1e40, 1e200, 1e300])
def test_extreme_units(scale):
    rng = np.random.default_rng(7)
    unit = 2.0 ** np.round(np.log2(scale))
    Z, X = rng.integers(-99, 99, size=(900, 3)) * unit, rng.integers(-99, 99, size=(60, 3)) * unit
    for found, true in zip(
        TreeIndex(Z, 2, "kd_tree", 30).kneighbors(X, 6), TileIndex(Z, 1).kneighbors(X, 6), strict=True
    ):
        np.testing.assert_array_equal(found, true)


def test_few_features_few_leaves(monkeypatch):
    rng = np.random.default_rng(8)
    Z, X = rng.normal(size=(50_000, 3)), rng.normal(size=(400, 3))
    visited = []
    descend = _tree.descend
    monkeypatch.setattr(_tree, "descend", lambda *a: visited.append(descend(*a)) or visited[-1])
    assert assert_exact(Z, X, 5, 32) == 0
    leaves, asked = np.sum(visited, axis=0) / 400
    assert leaves < 20  # of 1563
    assert asked < 40


def test_a_tree_that_would_visit_most_rows_leaves_them_to_the_tiles():
    rng = np.random.default_rng(9)
    Z, X = rng.normal(size=(3000, 25)), rng.normal(size=(500, 25))
    left = assert_exact(Z, X, 5)
    assert 400 <= left < 500
    for found, true in zip(
        TreeIndex(Z, 2, "kd_tree", 30).kneighbors(X, 5), TileIndex(Z, 2).kneighbors(X, 5), strict=True
    ):
        np.testing.assert_array_equal(found, true)


def test_threads_and_leaf_size_do_not_matter():
    rng = np.random.default_rng(10)
    Z = rng.normal(size=(4000, 4)).round(1)
    answers = [
        TreeIndex(Z, threads, "kd_tree", leaf).kneighbors(None, 6) for threads, leaf in ((1, 1), (3, 30), (2, 999))
    ]
    for other in answers[1:]:
        for a, b in zip(answers[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("again", [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy])
def test_a_copy_searches_alike(again):
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
    model = KNeighborsClassifier(algorithm="kd_tree").fit(X, y)
    for a, b in zip(model.kneighbors(X[:50] + 0.1), again(model).kneighbors(X[:50] + 0.1), strict=True):
        np.testing.assert_array_equal(a, b)
