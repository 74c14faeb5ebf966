"""Intervals that were false once: extreme widths of the kernel, large C, data far from the origin, rounding."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from tests.referee.machines import optima

from maxmargin.certificates import Status
from maxmargin.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

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


def exact_objective(X, y, weights, b, C, epsilon=None):
    """Of a linear machine, in rational numbers."""
    rows = [[Fraction(float(v)) for v in row] for row in X]
    values = [sum(v * w for v, w in zip(row, weights, strict=True)) + b for row in rows]
    if epsilon is None:
        losses = [max(0, 1 - int(t) * f) for f, t in zip(values, y, strict=True)]
    else:
        losses = [max(0, abs(f - Fraction(float(t))) - Fraction(epsilon)) for f, t in zip(values, y, strict=True)]
    return sum(w * w for w in weights) / 2 + Fraction(C) * sum(losses)


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e6, 1e7])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kind", [SVC, SVR])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_objective_of_the_model_is_at_most_the_stated_one(kind, storage, offset):
    """Rows far from the origin: multipliers and weights as they are kept, not as they were before rounding."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    target = X[:, 0] + 0.3 * rng.normal(size=30)
    y, X = (np.where(target > 0, 1, -1) if kind is SVC else target), X + offset
    model = kind(kernel="linear", C=100.0).fit(storage(X), y)
    epsilon = None if kind is SVC else model.epsilon
    coefficients = [Fraction(float(a)) for a in np.ravel(sp.csr_matrix(model.dual_coef_).toarray())]
    columns = X[model.support_].T
    weights = [sum(a * Fraction(float(v)) for a, v in zip(coefficients, column, strict=True)) for column in columns]
    b = Fraction(float(model.intercept_[0]))
    checked = model.certificate_.verify(storage(X), y)
    assert checked.status is not Status.REFUTED
    for primal in (model.certificate_.primal, checked.primal):
        assert exact_objective(X, y, weights, b, 100, epsilon) <= Fraction(primal)
    rounded = [Fraction(float(w)) for w in np.ravel(sp.csr_matrix(model.coef_).toarray())]
    assert exact_objective(X, y, rounded, b, 100, epsilon) <= Fraction(model.certificate_.primal) * (1 + Fraction(1e-6))


@pytest.mark.parametrize("scale", [1e-149, 1e-151, 1e-153])
def test_coefficients_whose_halves_overflow(scale):
    """Rows this small need coefficients above 1e300 for margins of 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = (X[:, 0] + 0.4 * rng.normal(size=30) > 0).astype(int)
    model = NuSVC(kernel="linear").fit(X * scale, y)
    assert np.isfinite(model.decision_function(X * scale)).all()
    np.testing.assert_array_equal(model.predict(X * scale), NuSVC(kernel="linear").fit(X, y).predict(X))
    assert model.certificate_.verify(X * scale, y).status is model.certificate_.status is Status.CONVERGED
    margins = model.kkt_cases(X * scale, y).margin
    np.testing.assert_allclose(margins, np.where(y == 1, 1, -1) * model.decision_function(X * scale), atol=1e-9)


@pytest.mark.parametrize("scale", [1e20, 1e100, 1e200])
@pytest.mark.parametrize("seed", range(4))
def test_intercepts_rounded_to_be_kept_leave_a_tube_confirmed(scale, seed):
    """Mean and half width are kept: the edges of the tube made of them are an ulp beside those of the fit."""
    X = np.random.default_rng(seed).normal(size=(30, 3))
    model = NuSVR().fit(X, X[:, 0] * 2 * scale)
    again = model.certificate_.verify(X, X[:, 0] * 2 * scale)
    assert model.certificate_.status is again.status is Status.CONVERGED
    assert model.certificate_.verify(X, X[:, 0] * 2.001 * scale).status is Status.REFUTED
