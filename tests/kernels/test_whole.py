"""All of a small matrix at once: half of it computed, the other half mirrored."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from maxmargin.data import Rows
from maxmargin.kernels import RBF, Linear, Polynomial, Sigmoid

KERNELS = [Linear(), Polynomial(0.2, 1.0, 3), RBF(0.2), Sigmoid(0.1, 0.2)]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 64, 65, 150])
def test_the_same_values_as_by_blocks_and_symmetric_to_the_last_bit(kernel, dtype, n):
    X = np.random.default_rng(n).normal(size=(n, 5)) + 1
    gram = kernel.gram(Rows(X))
    everything = np.arange(n)
    whole = gram.whole(dtype)
    assert whole.dtype == dtype
    assert whole.flags.c_contiguous
    assert np.array_equal(whole, whole.T)
    rtol = 1e-12 if dtype == np.float64 else 1e-4
    assert_allclose(whole, gram.block(everything, everything, np.float64), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("to", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_chosen_samples_in_their_own_order(to):
    X = np.random.default_rng(0).normal(size=(90, 4))
    gram = RBF(0.3).gram(Rows(to(X)))
    chosen = np.random.default_rng(1).permutation(90)[:70]
    everything = np.arange(90)
    expected = gram.block(everything, everything, np.float64)[np.ix_(chosen, chosen)]
    assert_allclose(gram.restricted(chosen).whole(np.float64), expected, rtol=1e-12)


def test_rows_against_other_columns_are_not_mirrored():
    X = np.random.default_rng(0).normal(size=(20, 4))
    gram = RBF(0.3).gram(Rows(X[:8]), Rows(X[8:16]))
    assert_allclose(gram.whole(np.float64), gram.block(np.arange(8), np.arange(8), np.float64), rtol=1e-12)
