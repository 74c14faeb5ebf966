"""Kernel blocks that the pairs of classes share."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from maxmargin.data import Rows
from maxmargin.kernels import RBF, SharedBlocks


@pytest.fixture(params=[np.asarray, sp.csr_array], ids=["dense", "csr"])
def shared(request):
    X = np.random.default_rng(0).normal(size=(30, 4))
    members = [np.arange(0, 30, 3), np.array([1, 4]), np.arange(2, 30, 3)]  # the second class lacks most samples
    return SharedBlocks(RBF(0.3).gram(Rows(request.param(X))), members)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("a", "b"), [(0, 1), (0, 2), (1, 2)])
def test_matrix_of_a_pair(shared, dtype, a, b):
    rows = np.concatenate([shared.members[a], shared.members[b]])
    pair = shared.pair(a, b, rows)
    whole = pair.whole(dtype)
    assert whole.dtype == dtype
    assert pair.shape == (len(rows), len(rows))
    assert_allclose(whole, shared.gram.block(rows, rows, np.float64), rtol=1e-12 if dtype == np.float64 else 1e-5)
    assert_allclose(whole, whole.T, rtol=1e-12 if dtype == np.float64 else 1e-5)
    everything = np.arange(len(rows))
    assert_allclose(pair.block(everything, everything, dtype), whole, rtol=1e-12 if dtype == np.float64 else 1e-5)
    assert_allclose(pair.diagonal(), np.diag(whole), rtol=1e-6)


def test_blocks_are_computed_once_also_by_several_threads(shared):
    asked = []
    restricted = shared.gram.restricted

    def counting(index):
        asked.append(len(index))
        return restricted(index)

    shared.gram.restricted = counting
    pairs = [(0, 1), (1, 2)] * 4

    def whole(pair):
        return shared.pair(*pair, np.concatenate([shared.members[k] for k in pair])).whole(np.float64)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(whole, pairs))
    assert asked.count(2) == 1
    assert asked.count(10) == 2  # one for the first class, one for the third


def test_memory_is_known_beforehand(shared):
    assert shared.bytes_needed() == 8 * (10**2 + 2**2 + 10**2)
