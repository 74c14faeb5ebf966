"""What compiling costs and what it makes: pieces, constants as arguments, flags, garbage; order in compiled code."""

import gc

import numba
import numpy as np
import pytest
from numba.core import event
from numba.core.compiler import Flags
from numba.core.registry import cpu_target
from numpy.testing import assert_array_equal

from maxmargin.engine import jit, jit_inner, jit_within, select, sort_pairs
from maxmargin.engine._compiler import _Flags


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


def _compiled_anew(function):
    """The same function, which nothing is kept of between runs of the tests."""
    anew = jit(function.py_func)
    anew._cache.disable()
    return anew


def test_constants_and_variables_share_the_code():
    _compiled_anew(_thirds)(np.array([3.0, 6.0, 9.0]))
    assert len(_third_of.overloads) == 1
    (signature,) = _third_of.overloads
    assert signature[1] == numba.int64


def test_pieces_raise_through_who_calls_them():
    assert _all_checked(np.array([1.0, 2.0])) == 3.0
    with pytest.raises(ValueError, match="it is negative"):
        _all_checked(np.array([1.0, -2.0]))


def test_flags_are_compared_by_value():
    flags = Flags()
    flags.nrt = True
    ours = _Flags(flags)
    assert ours == flags
    assert flags == ours
    assert hash(ours) == hash(flags)
    assert ours.values() == flags.values()
    ours.nrt = False
    assert ours != flags


def test_what_functions_call_is_compiled_once_for_all_of_them():
    """Whether Python can call a function does not matter for what it calls."""
    plain, inner = Flags(), Flags()
    inner.no_cpython_wrapper = True
    assert _Flags(plain) != _Flags(inner)
    assert _Flags(plain).copy() == _Flags(inner).copy()


class _Collecting(event.Listener):
    """Whether Python would look for garbage while numba compiles, seen after the package has heard of it."""

    def __init__(self):
        self.seen = []

    def on_start(self, event):
        self.seen.append(gc.isenabled())

    def on_end(self, event):
        pass


@pytest.mark.parametrize("wanted", [True, False])
def test_garbage_waits_until_a_function_is_compiled(wanted):
    @jit_inner
    def piece(x):
        return x + 1

    @jit
    def whole(x):
        return piece(x) * 2

    was, seen = gc.isenabled(), _Collecting()
    try:
        gc.enable() if wanted else gc.disable()
        with event.install_listener("numba:compile", seen):
            assert _compiled_anew(whole)(3) == 8
        assert gc.isenabled() == wanted
    finally:
        gc.enable() if was else gc.disable()
    assert seen.seen == [False, False]


def test_garbage_is_looked_for_again_after_an_error():
    @jit
    def broken(x):
        return x.there_is_no_such_attribute

    was = gc.isenabled()
    try:
        gc.enable()
        with pytest.raises(numba.TypingError):
            broken(1.0)
        assert gc.isenabled()
    finally:
        gc.enable() if was else gc.disable()


def _is_changed():
    return "resolve_function_type" in vars(cpu_target.typing_context)


def test_numba_is_left_as_it_was():
    @jit
    def good(x):
        return np.zeros(3) + x

    @jit
    def broken(x):
        return x.there_is_no_such_attribute

    assert not _is_changed()
    assert_array_equal(_compiled_anew(good)(1.0), np.ones(3))
    with pytest.raises(numba.TypingError):
        broken(1.0)
    assert not _is_changed()


def test_functions_of_others_share_numbas_library():
    """What was compiled for ours serves theirs, too."""

    @jit
    def ours(n):
        return np.full(n, 2.0).sum() + np.dot(np.ones(n), np.ones(n))

    @numba.njit(nogil=True, fastmath={"contract"}, error_model="numpy")
    def theirs(n):
        return np.full(n, 2.0).sum() + np.dot(np.ones(n), np.ones(n))

    assert _compiled_anew(ours)(4) == theirs(4) == theirs.py_func(4) == 12.0


def test_expressions_of_arrays():
    @jit
    def expression(a, b, c):
        return a * b - c, (a + b).sum(), -c

    a, b, c = np.arange(3.0), np.full(3, 2.0), np.ones(3)
    product, total, negative = _compiled_anew(expression)(a, b, c)
    assert_array_equal(product, a * b - c)
    assert total == 9.0
    assert_array_equal(negative, -c)


def test_operations_are_told_apart_by_the_types_of_their_operands():
    @jit
    def mixed(x, k, values):
        return x + k, k + k, values[0] + x, values[k], k / 2, k // 2, x > k

    found = _compiled_anew(mixed)(0.5, 3, np.arange(4, dtype=np.float32))
    assert found == (3.5, 6, 0.5, 3.0, 1.5, 1, False)
    assert [type(value) for value in found] == [float, int, float, float, float, int, bool]


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
