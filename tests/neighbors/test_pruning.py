"""Images bring no two rows farther apart, and the search by pruning finds what asking every pair finds."""

import numpy as np
import pytest

from maxmargin.data import Rows
from maxmargin.engine import one_blas_thread
from maxmargin.neighbors.search import _pruning, _tiles
from maxmargin.neighbors.search._heap import empty_heaps, in_order
from maxmargin.neighbors.search._projection import COARSE, FINE, Projection
from maxmargin.neighbors.search._scan import scan_all
from maxmargin.neighbors.search._tiles import Columns, Search


def low_rank(rng, n, d, rank, noise=0.05):
    """Rows near a subspace."""
    return rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d)) + noise * rng.normal(size=(n, d))


@pytest.fixture
def pruned(monkeypatch):
    """What the pruning did, with any number of rows and columns."""
    monkeypatch.setattr(_pruning, "_REPAID", 0)
    monkeypatch.setattr(_tiles, "_PRUNED_COLUMNS", 1)
    runs, original = [], _pruning.Pruning._search
    monkeypatch.setattr(_pruning.Pruning, "_search", lambda *a: runs.append(original(*a)) or runs[-1])
    return runs


def assert_exact(search, k):
    heaps = empty_heaps(search.rows.n, k)
    order, ids = np.arange(search.rows.n), np.arange(search.columns.rows.n)
    scan_all(search.rows.arrays, order, search.columns.rows.arrays, ids, search.own, heaps)
    for found, true in zip(search.nearest(k), in_order(*heaps, k), strict=True):
        np.testing.assert_array_equal(found, true)


def rows_done(runs):
    return sum(len(found.squares) for found in runs)


@pytest.mark.parametrize("d", [64, 150, 520])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_images_bring_no_rows_farther_apart(d, dtype, offset):
    """|x' - z'| <= |x - z| + e_x + e_z, for images of few, of more, and of all coordinates."""
    rng = np.random.default_rng(d)
    X = (low_rank(rng, 150, d, 5, 1e-3) + offset).astype(dtype)
    X[1] = X[0]
    X[2] = X[0] * dtype(1 + 1e-6)
    with one_blas_thread():
        projection = Projection(Rows(X))
        images = projection.images(Rows(X), np.arange(len(X)), 2)
    true = X.astype(np.longdouble)
    true = np.sqrt(np.square(true[:12, None] - true[None, :]).sum(axis=2))
    every = np.hstack([images.fine[:, 1:], images.far]) if images.far.shape[1] else images.fine
    assert images.coarse.shape[1] == COARSE
    for image in (images.coarse, images.fine, every):
        image = image.astype(np.longdouble)
        apart = np.sqrt(np.square(image[:12, None] - image[None, :]).sum(axis=2))
        assert (apart <= true + images.errors[:12, None] + images.errors).all()
    # and the bound is not empty talk: errors are small, and what the images keep is most of the distance
    assert (images.errors < 1e-4 * np.linalg.norm(X - projection.mean, axis=1) + 1e-30).all()
    assert np.median(apart / np.maximum(true, 1e-300)) > 0.9


@pytest.mark.parametrize("d", [64, 513])
def test_directions_are_orthonormal_and_ordered(d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, d)) * np.linspace(3, 0.1, d) ** 2
    with one_blas_thread():
        projection = Projection(Rows(X))
    p = projection.basis.shape[1]
    assert p == (2 * FINE - 2 if d >= 4 * FINE else d // 2 - 1)
    np.testing.assert_allclose(projection.basis.T @ projection.basis, np.eye(p), atol=1e-12)
    variances = np.square((X - X.mean(axis=0)) @ projection.basis).sum(axis=0)
    assert (np.diff(variances) <= 1e-6 * variances[0]).all()
    assert 0.5 < projection.kept <= 1 + 1e-9


@pytest.mark.parametrize("d", [64, 150, 520])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("own", [True, False])
def test_equals_asking_all(pruned, d, dtype, own):
    rng = np.random.default_rng(d)
    Z = low_rank(rng, 1700, d, 6).astype(dtype)
    columns = Columns(Z)
    rows = columns.rows if own else columns.queries(low_rank(rng, 300, d, 6) + 1)
    assert_exact(Search(rows, columns, 2, own=own), 5)
    assert rows_done(pruned) == rows.n


@pytest.mark.parametrize("k", [1, 3, 8])
def test_ties_and_copies(pruned, monkeypatch, k):
    monkeypatch.setattr(_pruning.Found, "repays", lambda *a: True)
    rng = np.random.default_rng(1)
    Z = np.kron(rng.integers(0, 2, size=(1800, 4)), np.ones(20)).astype(np.float32)
    Z[:, :7] += rng.integers(0, 2, size=(1800, 7)).astype(np.float32)
    columns = Columns(Z)
    assert_exact(Search(columns.rows, columns, 1, own=True), k)
    assert_exact(Search(columns.queries(Z[:200] + 0.5), columns, 1), k)
    assert rows_done(pruned) == 2000


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_extreme_units(pruned, scale):
    rng = np.random.default_rng(2)
    Z = low_rank(rng, 1500, 64, 4) * scale
    columns = Columns(Z)
    assert_exact(Search(columns.queries(Z[:100] * 1.01), columns, 1), 5)


def test_a_far_row_and_a_far_query(pruned):
    rng = np.random.default_rng(3)
    Z = low_rank(rng, 1500, 64, 4)
    Z[77] = 1e9
    X = Z[:100].copy()
    X[5] = 1e25
    columns = Columns(Z)
    assert_exact(Search(columns.queries(X), columns, 1), 5)


def test_few_pairs_are_asked(pruned):
    rng = np.random.default_rng(4)
    columns = Columns(low_rank(rng, 20_000, 200, 5, 0.01).astype(np.float32))
    search = Search(columns.queries(columns.rows.take(np.arange(0, 20_000, 20)) + np.float32(0.01)), columns, 2)
    search.nearest(5)
    found = pruned[-1]
    pairs = 20_000 * len(found.squares)
    assert found.compared < 0.5 * pairs
    assert found.passed < 0.02 * pairs
    assert found.asked < 0.002 * pairs


def test_noise_of_all_directions_is_left_to_the_tiles(pruned):
    rng = np.random.default_rng(5)
    columns = Columns(rng.normal(size=(3000, 128)))
    assert_exact(Search(columns.queries(rng.normal(size=(200, 128))), columns, 1), 5)
    assert not pruned


def test_sieves_that_do_not_repay_are_left_after_a_few_rows(pruned):
    """Long directions that all neighbours share tell nothing about them."""
    rng = np.random.default_rng(6)
    Z = rng.normal(size=(3000, 128))
    Z[:, :2] *= 1e-3
    Z[:, 2] = 1e3 * (np.arange(3000) % 2)
    columns = Columns(Z)
    assert_exact(Search(columns.queries(Z[:300] + 0.1), columns, 1), 5)
    assert 0 < rows_done(pruned) < 50


def test_rows_add_up_until_images_are_worth_their_price():
    rng = np.random.default_rng(7)
    columns = Columns(low_rank(rng, 5000, 64, 4))
    search = Search(columns.queries(low_rank(rng, 150, 64, 4)), columns, 1)
    made = []
    for _ in range(4):
        search.nearest(3)
        made.append(columns._pruning is not None)
    assert made == [False, False, True, True]


@pytest.mark.parametrize("rows", [5, 32, 33])
def test_few_rows_that_the_pilot_has_all(pruned, monkeypatch, rows):
    """The certificate of a search asks for 32 rows: after the pilot none is left."""
    monkeypatch.setattr(_pruning.Found, "repays", lambda *_: True)
    rng = np.random.default_rng(0)
    columns = Columns(low_rank(rng, 900, 80, 4))
    assert_exact(Search(columns.queries(low_rank(rng, rows, 80, 4)), columns, 2), 3)
    assert rows_done(pruned) == rows
