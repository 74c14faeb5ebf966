"""The fused exponential of the RBF kernel against numpy's."""

import numpy as np
import pytest

from maxmargin.kernels._transform import rbf_tile


def fused_exp(arguments, dtype):
    """``exp(-arguments)``: distances given as squared lengths, with inner products of zero."""
    tile, scratch = np.zeros((1, len(arguments)), dtype), np.empty(len(arguments), dtype)
    rbf_tile(tile, 1, len(arguments), np.zeros(1), np.arange(1), 0, arguments.astype(dtype), 1.0, scratch)
    return tile[0]


def test_float64_to_the_last_digits():
    x = np.concatenate([np.linspace(0, 10, 20_001), np.logspace(-300, 0, 1001)])
    error = np.abs(fused_exp(x, np.float64) / np.exp(-x) - 1)
    assert error.max() <= 5e-15


def test_float64_error_grows_no_faster_than_the_rounding_of_the_argument():
    x = np.linspace(0, 700, 70_001)
    error = np.abs(fused_exp(x, np.float64) / np.exp(-x) - 1)
    assert (error <= 2e-15 + 4e-16 * x).all()


def test_float32():
    x = np.linspace(0, 80, 20_001).astype(np.float32)
    error = np.abs(fused_exp(x, np.float32).astype(np.float64) / np.exp(-x.astype(np.float64)) - 1)
    assert (error <= 4e-7 + 2e-7 * x).all()


@pytest.mark.parametrize(("dtype", "smallest"), [(np.float32, 2e-38), (np.float64, 3e-308)])
def test_far_away_is_tiny_and_neither_zero_nor_subnormal(dtype, smallest):
    far = fused_exp(np.array([1e3, 1e6, 1e30]), dtype)
    assert (far >= np.finfo(dtype).tiny).all()
    assert (far <= smallest).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_distance_that_rounding_made_negative_counts_as_zero(dtype):
    tile, scratch = np.array([[1.0 + 1e-3]], dtype), np.empty(1, dtype)
    rbf_tile(tile, 1, 1, np.ones(1), np.arange(1), 0, np.ones(1, dtype), 5.0, scratch)
    assert tile[0, 0] == 1.0


def test_only_the_first_rows_of_a_tile_and_each_with_its_own_length():
    tile, scratch = np.zeros((3, 5)), np.empty(5)
    rbf_tile(tile, 2, 5, np.array([9.0, 1.0, 2.0]), np.array([0, 2, 1]), 1, np.zeros(5), 1.0, scratch)
    np.testing.assert_allclose(tile, np.exp([[-2.0], [-1.0], [0.0]]) * [[1], [1], [0]] * np.ones(5), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_falls_with_distance(dtype):
    values = fused_exp(np.linspace(0, 50, 5001), dtype)
    assert (np.diff(values) <= 0).all()
