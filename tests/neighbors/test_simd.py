"""Sixteen numbers at a time: the formulas, the masks, and what is left of them with NaN."""

import numpy as np
import pytest

from maxmargin.engine import jit
from maxmargin.neighbors.search._simd import lowest_bit, square_apart, squares_of_boxes, squares_of_rows, within


@jit
def _rows(block, place, x, limit, out):
    return squares_of_rows(block, place, x, limit, out)


@jit
def _boxes(block, place, x, limit, out):
    return squares_of_boxes(block, place, x, limit, out)


@jit
def _apart(x, z):
    return square_apart(x, 16, z, 32, 48)


@jit
def _within(values, limit):
    return within(values, 3, limit)


@jit
def _lowest(mask):
    return lowest_bit(mask)


def bits(flags):
    return sum(1 << j for j, flag in enumerate(flags) if flag)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squares_of_rows_and_boxes(dtype):
    rng = np.random.default_rng(0)
    block, x, out = rng.normal(size=16 + 5 * 32).astype(dtype), rng.normal(size=5).astype(dtype), np.empty(16, dtype)
    mask = _rows(block, 16, x, dtype(9), out)
    true = np.square(block[16:96].reshape(5, 16) - x[:, None]).sum(axis=0)
    np.testing.assert_allclose(out, true, rtol=1e-5)
    assert mask == bits(out <= 9)
    mask = _boxes(block, 16, x, dtype(3), out)
    low, high = block[16:].reshape(5, 2, 16).transpose(1, 0, 2)
    true = np.square(np.maximum(np.maximum(low - x[:, None], x[:, None] - high), 0)).sum(axis=0)
    np.testing.assert_allclose(out, true, rtol=1e-5, atol=1e-6)
    assert mask == bits(out <= 3)


def test_square_apart():
    x, z = np.random.default_rng(1).normal(size=(2, 100)).astype(np.float32)
    np.testing.assert_allclose(_apart(x, z), np.square(x[16:64] - z[32:80]).sum(), rtol=1e-5)


def test_a_number_that_is_none_is_never_out():
    values = np.arange(20, dtype=np.float32)
    values[5] = np.nan
    assert _within(values, np.float32(7)) == bits([True] * 5 + [False] * 11)
    assert _within(values, np.float32(-1)) == bits([False, False, True])
    assert [_lowest(1 << j | 1 << 15) for j in range(16)] == list(range(16))
