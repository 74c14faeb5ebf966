"""A user's own kernel: a function, an object that can be called, a class of `Kernel`."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone

from maxmargin.certificates import IndefiniteKernelWarning, Status
from maxmargin.kernels import CallableKernel, Kernel
from maxmargin.svm import SVC


class Gaussian:
    def __init__(self, gamma):
        self.gamma = gamma

    def __call__(self, A, B):
        return np.exp(-self.gamma * cdist(A, B, "sqeuclidean"))


@dataclass(frozen=True)
class OwnClass(Kernel):
    """By way of a function, which is the shortest there is."""

    gamma: float = 0.5
    name = "gaussian of one's own"

    def gram(self, rows, columns=None, n_threads=1):
        return CallableKernel(Gaussian(self.gamma)).gram(rows, columns, n_threads)

    def audit_gram(self, rows):
        return self.gram(rows)


@pytest.mark.parametrize(
    "kernel", [Gaussian(0.5), Gaussian(0.5).__call__, OwnClass()], ids=["object", "method", "class"]
)
def test_own_kernel_is_the_named_one(kernel, circles):
    X, y = circles()
    named, own = SVC(gamma=0.5).fit(X, y), SVC(kernel=kernel).fit(X, y)
    assert own.certificate_.status is Status.CONVERGED
    assert own.certificate_.verify(X, y).status is Status.CONVERGED
    assert own.certificate_.dual <= named.certificate_.primal
    assert named.certificate_.dual <= own.certificate_.primal
    assert own.certificate_.definiteness == "shown"
    assert_allclose(own.decision_function(X), named.decision_function(X), atol=1e-2)


def test_own_kernel_is_cloned_and_pickled(circles):
    X, y = circles()
    model = clone(SVC(kernel=Gaussian(0.5))).fit(X, y)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_own_kernel_that_is_indefinite_proves_nothing(clouds):
    X, y = clouds()
    with pytest.warns(IndefiniteKernelWarning):
        model = SVC(kernel=lambda A, B: -np.abs(A @ B.T)).fit(X, y)
    assert model.certificate_.status is not Status.CONVERGED
    assert model.certificate_.relative_gap == np.inf


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(value, clouds):
    X, y = clouds()
    with pytest.raises(ValueError, match=r"(?i)finite|nan|inf"):
        SVC(kernel=lambda A, B: np.full((len(A), len(B)), value)).fit(X, y)
