"""A whole number is a degree, whatever its type."""

import numpy as np
import pytest

from maxmargin.certificates import Status
from maxmargin.kernel_ridge import KernelRidge
from maxmargin.kernels import Polynomial
from maxmargin.svm import SVC

X = np.random.default_rng(0).normal(size=(80, 4))
Y = np.sin(X[:, 0])


@pytest.mark.parametrize("degree", [2.0, np.float64(2), np.int32(2)])
def test_it_is_the_same_machine(degree):
    ridge = KernelRidge(kernel="poly", degree=degree).fit(X, Y)
    assert ridge.certificate_.verify(X, Y).status is Status.CONVERGED
    np.testing.assert_array_equal(ridge.predict(X), KernelRidge(kernel="poly", degree=2).fit(X, Y).predict(X))
    machine = SVC(kernel=Polynomial(degree=degree)).fit(X, Y > 0)
    assert machine.certificate_.verify(X, Y > 0).status is Status.CONVERGED
    assert Polynomial(degree=degree) == Polynomial(degree=2)
