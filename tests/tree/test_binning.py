"""Bins: exact for few values, even for many, and never the wrong way round."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from maxmargin.tree._binning import MAX_BINS, Bins


def test_few_values_have_a_bin_each():
    X = np.array([[3.0, -0.0], [1.0, 0.0], [3.0, 5.0], [2.0, np.nan]])
    bins = Bins.of(X)
    assert bins.binned.n_bins.tolist() == [3, 2]
    assert bins.codes.tolist() == [[2, 0, 2, 1], [0, 0, 1, 2]]
    assert bins.low[0, :3].tolist() == bins.high[0, :3].tolist() == [1.0, 2.0, 3.0]
    assert bins.binned.missing.tolist() == [False, True]


def test_codes_are_there_by_row_too():
    X = np.random.default_rng(0).normal(size=(50, 37))
    both = Bins.of(X).binned.codes
    assert np.array_equal(both[: both.size // 2].reshape(37, 50).T, both[both.size // 2 :].reshape(50, 37))


@pytest.mark.parametrize("n", [255, 256, 300, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_values_share_bins_evenly(n, dtype):
    x = np.random.default_rng(n).permutation(n).astype(dtype)
    bins = Bins.of(x[:, None])
    codes, m = bins.codes[0].astype(int), int(bins.binned.n_bins[0])
    counts = np.bincount(codes)
    assert m == len(counts) <= MAX_BINS
    assert m > MAX_BINS // 2
    assert counts.max() <= 2 * np.ceil(n / MAX_BINS)


def test_a_frequent_value_has_a_bin_to_itself():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=3000), np.full(2000, 0.5)])
    bins = Bins.of(rng.permutation(x)[:, None])
    b = int(np.searchsorted(bins.low[0, : bins.binned.n_bins[0]], 0.5, side="right")) - 1
    assert bins.low[0, b] == bins.high[0, b] == 0.5


@given(arrays(np.float64, st.integers(1, 400), elements=st.floats(-5, 5, width=16) | st.just(np.nan)))
def test_codes_keep_the_order_of_the_values(x):
    bins = Bins.of(np.ascontiguousarray(np.column_stack([x, x])))
    m, codes = int(bins.binned.n_bins[1]), bins.codes[1].astype(int)
    missing = np.isnan(x)
    assert (codes[missing] == m).all()
    assert (codes[~missing] < max(m, 1)).all()
    assert (bins.low[1, codes[~missing]] <= x[~missing]).all()
    assert (x[~missing] <= bins.high[1, codes[~missing]]).all()
    assert (bins.high[1, : max(m - 1, 0)] < bins.low[1, 1:m]).all()


def test_the_number_of_threads_does_not_matter():
    X = np.random.default_rng(1).normal(size=(700, 40))
    one, all_ = Bins.of(X, n_jobs=1), Bins.of(X)
    assert np.array_equal(one.codes, all_.codes)
    assert np.array_equal(one.low, all_.low)
