"""Intervals that were false once: extreme widths of the kernel, large C, data far from the origin, rounding."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from tests.referee.machines import optima

from maxmargin.certificates import Status
from maxmargin.svm import SVC, SVR, OneClassSVM

A, a = make_moons(40, noise=0.3, random_state=0)
B, b = make_moons(80, noise=0.25, random_state=0)


def assert_contains_the_optimum(model, X, y):
    for certificates in (model.certificate_.problems, model.certificate_.verify(X, y).problems):
        for certificate, optimum in zip(certificates, optima(model, X, y), strict=True):
            assert optimum.settled
            assert certificate.dual <= optimum.low
            assert optimum.high <= certificate.primal
            assert certificate.status is not Status.REFUTED


def test_a_kernel_matrix_that_is_the_identity():
    """All distances are beyond the kernel's reach: K = I, every multiplier is 1, the optimum is 40."""
    model = SVC(C=10, gamma=1e20).fit(B, b)
    np.testing.assert_allclose(np.abs(model.dual_coef_), 1.0, rtol=1e-9)
    assert model.certificate_.primal == pytest.approx(40, rel=1e-9)
    assert_contains_the_optimum(model, B, b)


def test_the_diagonal_is_exact_where_the_rest_nearly_vanishes():
    model = SVC(gamma=1e12, C=1e4).fit(A, a)
    assert model.certificate_.primal == pytest.approx(20, rel=1e-9)
    assert_contains_the_optimum(model, A, a)


@pytest.mark.parametrize(
    "model",
    [
        SVC(gamma=1e-4, C=1e8, tol=1e-6),
        SVC(gamma=1e-6, C=1e10),
        SVC(kernel="poly", C=1e6, coef0=1.0),
        SVC(kernel="linear", C=1e9),
        SVC(C=100, tol=1e-10),
    ],
    ids=str,
)
def test_large_multipliers(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(A, a)
    assert_contains_the_optimum(model, A, a)


def test_rows_far_from_the_origin_are_confirmed():
    model = SVC(gamma=1.0, C=10).fit(A + 1e6, a)
    assert model.certificate_.verify(A + 1e6, a).status is Status.CONVERGED
    assert_contains_the_optimum(model, A + 1e6, a)


def test_stated_intervals_contain_the_optimum_by_rounding_too():
    """Default parameters: the misses were a few units in the last place."""
    X = StandardScaler().fit_transform(load_breast_cancer().data)[:60]
    y = load_breast_cancer().target[:60]
    for model in (SVC(), SVC(kernel="linear"), SVC(kernel="poly"), SVC(C=np.inf)):
        assert_contains_the_optimum(model.fit(X, y), X, y)
    assert_contains_the_optimum(SVR().fit(X, X[:, 0] ** 2), X, X[:, 0] ** 2)
    assert_contains_the_optimum(OneClassSVM().fit(X), X, None)


def test_a_large_finite_c_of_a_regressor_is_taken_as_it_is():
    X, y = np.array([[0.0], [0.0], [1.0]]), np.array([0.0, 4.0, 1.0])
    model = SVR(C=1e11, epsilon=0.1).fit(X, y)
    assert np.abs(model.dual_coef_).max() == 1e11
    assert_contains_the_optimum(model, X, y)
