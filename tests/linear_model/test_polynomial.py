"""Polynomials of any degree, wherever the data lies."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given, settings, strategies as st
from numpy.polynomial import chebyshev
from sklearn.preprocessing import PolynomialFeatures

from maxmargin.certificates import Status
from maxmargin.linear_model import PolynomialRegression

INTERVALS = [(0.0, 1.0), (-1.0, 1.0), (1990.0, 2020.0), (1e6, 1e6 + 1.0), (-3e-5, 2e-5)]


def exact_fit(x, y, degree, weights=None, alpha=0.0, penalised_from=1):
    """Power coefficients by the normal equations in rational arithmetic: no rounding at all."""
    weights = np.ones(len(x)) if weights is None else weights
    phi = [[Fraction(float(v)) ** k for k in range(degree + 1)] for v in x]
    s, t = [Fraction(float(v)) for v in weights], [Fraction(float(v)) for v in y]
    m = degree + 1
    rows = [
        [sum(w * p[i] * p[j] for w, p in zip(s, phi, strict=True)) for j in range(m)]
        + [sum(w * p[i] * v for w, p, v in zip(s, phi, t, strict=True))]
        for i in range(m)
    ]
    for i in range(penalised_from, m):
        rows[i][i] += Fraction(float(alpha))
    for k in range(m):
        for i in range(m):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][m] / rows[k][k] for k in range(m)]


def exact_values(coefficients, x):
    return np.array([float(sum(c * Fraction(float(v)) ** k for k, c in enumerate(coefficients))) for v in x])


@pytest.mark.parametrize(("low", "high"), INTERVALS)
@pytest.mark.parametrize("n", [16, 40])
def test_degree_15_reproduces_values_without_noise(low, high, n):
    x = np.linspace(low, high, n)
    coefficients = np.random.default_rng(0).normal(size=16)

    def f(x):
        return chebyshev.chebval((x - (low + high) / 2) / ((high - low) / 2), coefficients)

    model = PolynomialRegression(15).fit(x[:, None], f(x))
    between = np.linspace(low, high, 333)
    np.testing.assert_allclose(model.predict(x[:, None]), f(x), atol=1e-11)
    np.testing.assert_allclose(model.predict(between[:, None]), f(between), atol=1e-8)
    assert model.certificate_.holds
    assert model.certificate_.figures["gap"] < 1e-24


@pytest.mark.parametrize(("low", "high"), INTERVALS)
def test_degree_15_against_rational_arithmetic(low, high):
    x = np.linspace(low, high, 24)
    y = np.random.default_rng(1).normal(size=24)
    exact = exact_fit(x, y, 15)
    model = PolynomialRegression(15).fit(x[:, None], y)
    best, ours = y - exact_values(exact, x), y - model.predict(x[:, None])
    np.testing.assert_allclose(ours, best, atol=1e-11)
    assert np.linalg.norm(ours) == pytest.approx(np.linalg.norm(best), rel=1e-12)
    # a coefficient of a power is as sensitive as the problem makes it, and no more
    leading = float(exact[15])
    assert model.coef_[14] == pytest.approx(leading, rel=1e-8)


@pytest.mark.parametrize("alpha", [1e-12, 1e-3, 1.0])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (1990.0, 2020.0), (-2.0, 3.0)])
def test_ridge_on_the_powers_against_rational_arithmetic(low, high, alpha):
    x = np.linspace(low, high, 20)
    rng = np.random.default_rng(2)
    y, s = rng.normal(size=20), rng.uniform(0.5, 2, 20)
    exact = exact_fit(x, y, 10, s, alpha)
    model = PolynomialRegression(10, alpha=alpha).fit(x[:, None], y, s)
    np.testing.assert_allclose(model.predict(x[:, None]), exact_values(exact, x), atol=1e-10)
    size = max(abs(float(c)) for c in exact[1:])
    np.testing.assert_allclose(model.coef_, [float(c) for c in exact[1:]], rtol=1e-4, atol=1e-7 * size)
    assert model.certificate_.holds
    assert model.certificate_.verify(x[:, None], y, s).status is Status.CONVERGED


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("features", [1, 2, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_as_features_and_ridge(features, alpha, fit_intercept):
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, size=(60, features)), rng.normal(size=60)
    expansion = PolynomialFeatures(3, include_bias=False)
    Z = expansion.fit_transform(X)
    theirs = sklearn.linear_model.Ridge(alpha, fit_intercept=fit_intercept, solver="svd").fit(Z, y)
    ours = PolynomialRegression(3, alpha=alpha, fit_intercept=fit_intercept).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-9)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-8, abs=1e-10)
    np.testing.assert_array_equal(ours.powers_, expansion.powers_)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(Z), rtol=1e-8, atol=1e-9)
    sparse = PolynomialRegression(3, alpha=alpha, fit_intercept=fit_intercept).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.coef_, ours.coef_, rtol=1e-7, atol=1e-9)
    assert ours.certificate_.verify(X, y).holds


def test_exact_polynomials_by_hand():
    x = np.arange(6.0)
    model = PolynomialRegression(3).fit(x[:, None], 2 - x + 3 * x**3)
    np.testing.assert_allclose(model.coef_, [-1.0, 0.0, 3.0], atol=1e-11)
    assert model.intercept_ == pytest.approx(2.0, abs=1e-11)
    through_zero = PolynomialRegression(2, fit_intercept=False).fit(x[:, None], 4 * x**2 - x)
    np.testing.assert_allclose(through_zero.coef_, [-1.0, 4.0], atol=1e-12)
    assert through_zero.intercept_ == 0.0
    assert through_zero.predict([[0.0]])[0] == 0.0


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    degree=st.integers(1, 8),
    n=st.integers(1, 30),
    alpha=st.sampled_from([0.0, 1e-6, 1.0]),
    features=st.integers(1, 2),
    fit_intercept=st.booleans(),
)
def test_weights_are_repetitions(seed, degree, n, alpha, features, fit_intercept):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, features)) / 4  # repeated values: of any rank
    y, s = rng.normal(size=n), rng.integers(0, 4, n)
    s[0] = 1
    options = {"degree": degree if features == 1 else 2, "alpha": alpha, "fit_intercept": fit_intercept}
    weighted = PolynomialRegression(**options).fit(X, y, s)
    repeated = PolynomialRegression(**options).fit(X.repeat(s, axis=0), y.repeat(s))
    used = X[s > 0]
    np.testing.assert_allclose(weighted.predict(used), repeated.predict(used), rtol=1e-6, atol=1e-7)
    assert weighted.certificate_.verify(X, y, s).holds


def test_few_distinct_values():
    x, y = np.array([1.0, 1.0, 2.0])[:, None], np.array([1.0, 3.0, 5.0])
    line = PolynomialRegression(5).fit(x, y)
    assert line.rank_ == 2
    np.testing.assert_allclose(line.coef_, [3.0, 0, 0, 0, 0], atol=1e-12)
    ridge = PolynomialRegression(5, alpha=0.1).fit(x, y)
    theirs = sklearn.linear_model.Ridge(0.1).fit(PolynomialFeatures(5, include_bias=False).fit_transform(x), y)
    np.testing.assert_allclose(ridge.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    assert ridge.certificate_.holds
    nothing = PolynomialRegression(2, fit_intercept=False).fit(np.zeros((3, 1)), y)
    np.testing.assert_array_equal(nothing.coef_, 0.0)
    assert nothing.predict([[1.0]])[0] == 0.0


def test_degree_100():
    x = np.linspace(0, 1, 400)
    model = PolynomialRegression(100).fit(x[:, None], np.sin(60 * x))
    np.testing.assert_allclose(model.predict(x[:, None]), np.sin(60 * x), atol=1e-11)


def test_several_targets():
    rng = np.random.default_rng(0)
    x, Y = rng.uniform(size=(30, 1)), rng.normal(size=(30, 2))
    for alpha in (0.0, [0.1, 2.0]):
        both = PolynomialRegression(4, alpha=alpha).fit(x, Y)
        assert both.coef_.shape == (2, 4)
        for k in range(2):
            one = PolynomialRegression(4, alpha=np.atleast_1d(alpha)[k % np.size(alpha)]).fit(x, Y[:, k])
            np.testing.assert_allclose(both.coef_[k], one.coef_, rtol=1e-8)
            np.testing.assert_allclose(both.predict(x)[:, k], one.predict(x), rtol=1e-10)


def test_verify_refutes_other_coefficients():
    rng = np.random.default_rng(0)
    for features in (1, 2):
        X, y = rng.normal(size=(30, features)), rng.normal(size=30)
        model = PolynomialRegression(3).fit(X, y)
        assert pickle.loads(pickle.dumps(model)).certificate_.verify(X, y).holds
        assert model.certificate_.verify(X, y + X[:, 0]).status is Status.REFUTED
        model.coef_ = model.coef_ * (1 + 1e-6)
        assert model.certificate_.verify(X, y).status is Status.REFUTED
        with pytest.raises(ValueError, match="expected 30 rows"):
            model.certificate_.verify(X[1:], y[1:])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"degree": 0}, "degree"),
        ({"degree": 1.5}, "degree"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": [1.0, 1.0]}, "alpha"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        PolynomialRegression(**parameters).fit([[0.0], [1.0]], [0.0, 1.0])


def test_coefficients_beyond_float64():
    with pytest.raises(ValueError, match="degree 15 overflow float64"):
        PolynomialRegression(15).fit(np.linspace(0, 1e-30, 20)[:, None], np.random.default_rng(0).normal(size=20))


@pytest.mark.parametrize("features", [1, 2])
def test_verify_refutes_powers_of_another_degree(features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, features))
    model = PolynomialRegression(degree=2).fit(X, X[:, 0] ** 2)
    assert model.certificate_.verify(X, X[:, 0] ** 2).status is not Status.REFUTED
    model.degree = 3
    assert model.certificate_.verify(X, X[:, 0] ** 2).status is Status.REFUTED


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_powers_of_several_features_that_overflow_are_named(form):
    X = np.random.default_rng(0).normal(size=(20, 3))
    for scale in (1e80, 1e200):
        with pytest.raises(ValueError, match="squares of powers of degree 2 overflow float64"):
            PolynomialRegression(2).fit(form(X * scale), X[:, 0])
