"""Compiled functions that only compiled functions call, constants as arguments, order in compiled code."""

import numba
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from maxmargin.engine import jit, jit_inner, jit_within, select, sort_pairs


@jit_inner
def _twice(x):
    return x + x


@jit_within
def _third_of(values, k):
    return _twice(values[k]) / 6.0


@jit_inner
def _checked(x):
    if x < 0:
        raise ValueError("it is negative")
    return x


@jit
def _thirds(values):
    return _third_of(values, 0), _third_of(values, 1), _third_of(values, values.shape[0] - 1)


@jit
def _all_checked(values):
    total = 0.0
    for k in range(values.shape[0]):
        total += _checked(values[k])
    return total


@jit
def _selected(values, k):
    return select(values, k)


@jit
def _sorted(keys, values):
    sort_pairs(keys, values)


def test_pieces_are_part_of_who_calls_them():
    assert _thirds(np.array([3.0, 6.0, 9.0])) == (1.0, 2.0, 3.0)


def test_constants_and_variables_share_the_code():
    _thirds(np.array([3.0, 6.0, 9.0]))
    assert len(_third_of.overloads) == 1
    (signature,) = _third_of.overloads
    assert signature[1] == numba.int64


def test_pieces_raise_through_who_calls_them():
    assert _all_checked(np.array([1.0, 2.0])) == 3.0
    with pytest.raises(ValueError, match="it is negative"):
        _all_checked(np.array([1.0, -2.0]))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 257])
@pytest.mark.parametrize("distinct", [1, 3, 1000])
def test_select_is_what_sorting_gives(n, distinct):
    values = np.random.default_rng(n).integers(0, distinct, n).astype(float)
    values[values == 0] = np.inf
    for k in {0, n // 3, n // 2, n - 1}:
        assert _selected(values.copy(), k) == np.sort(values)[k]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 257])
@pytest.mark.parametrize("distinct", [1, 3, 1000])
def test_pairs_stay_together(n, distinct):
    keys = np.random.default_rng(n).integers(0, distinct, n).astype(float)
    partner = np.arange(n, dtype=float)
    found, carried = keys.copy(), partner.copy()
    _sorted(found, carried)
    assert_array_equal(found, np.sort(keys))
    assert_array_equal(keys[carried.astype(int)], found)
    assert_array_equal(np.sort(carried), partner)
