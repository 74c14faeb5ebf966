"""Least squares against closed forms and scikit-learn, and its proof."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given, settings, strategies as st

from maxmargin.certificates import Status, evaluate_normal_equations
from maxmargin.data import Rows
from maxmargin.linear_model import LinearRegression
from maxmargin.problems import LeastSquares
from maxmargin.solvers import solve_least_squares


def data(n=60, d=8, k=0, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + offset
    Y = X @ rng.normal(size=(d, k or 1)) + rng.normal(size=(n, k or 1))
    return X, Y if k else Y[:, 0]


def squares(X, y, w, b, s=None):
    return float(np.sum((np.ones(len(X)) if s is None else s) * (y - X @ w - b) ** 2))


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_normal_equations_by_hand(fit_intercept, storage):
    X, y = data(offset=1.0)
    s = np.random.default_rng(1).uniform(0.1, 3, len(X))
    A = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    theta = np.linalg.solve(A.T @ (s[:, None] * A), A.T @ (s * y))
    model = LinearRegression(fit_intercept=fit_intercept).fit(storage(X), y, s)
    np.testing.assert_allclose(model.coef_, theta[: X.shape[1]], rtol=1e-9)
    assert model.intercept_ == pytest.approx(theta[-1] if fit_intercept else 0.0, rel=1e-9)
    figures = model.certificate_.figures
    assert model.certificate_.holds
    assert figures["objective"] == pytest.approx(squares(X, y, model.coef_, model.intercept_, s), rel=1e-12)
    assert figures["relative gap"] < 1e-11


def test_a_line_through_four_points():
    model = LinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 8.0])
    assert model.coef_[0] == pytest.approx(2.3, rel=1e-14)
    assert model.intercept_ == pytest.approx(0.8, rel=1e-13)
    assert model.certificate_.figures["objective"] == pytest.approx(0.3, rel=1e-12)
    assert model.rank_ == 1
    np.testing.assert_allclose(model.singular_, [np.sqrt(5.0)])


@pytest.mark.parametrize("storage", ["dense", "csr", "float32"])
@pytest.mark.parametrize(
    ("n", "d", "k"), [(80, 10, 0), (80, 10, 1), (80, 10, 3), (15, 40, 0), (15, 40, 2), (10, 10, 0)]
)
def test_as_scikit_learn(n, d, k, storage):
    X, y = data(n, d, k)
    s = np.random.default_rng(2).uniform(0.2, 2, n)
    if storage == "float32":
        X = X.astype(np.float32)
    theirs = sklearn.linear_model.LinearRegression(tol=1e-14).fit(X.astype(np.float64), y, s)
    ours = LinearRegression().fit(sp.csr_array(X) if storage == "csr" else X, y, s)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X.astype(np.float64)), rtol=1e-8, atol=1e-8)
    if storage == "csr":
        assert not hasattr(ours, "rank_")
    else:
        assert ours.rank_ == theirs.rank_
        kept = slice(ours.rank_)
        np.testing.assert_allclose(ours.singular_[kept], theirs.singular_[kept], rtol=1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(40, 6), (10, 25)])
def test_the_shortest_weights_where_there_are_several(n, d, fit_intercept):
    X, y = data(n, d)
    X[:, 1] = 2 * X[:, 0]
    A, t = (X - X.mean(axis=0), y - y.mean()) if fit_intercept else (X, y)
    w = np.linalg.pinv(A, rcond=1e-12) @ t
    for form in (np.asarray, sp.csr_array):
        model = LinearRegression(fit_intercept=fit_intercept).fit(form(X), y)
        np.testing.assert_allclose(model.coef_, w, rtol=1e-7, atol=1e-9)
        # no proof of a unique minimum, and no claim of one
        assert "duality gap" not in model.certificate_.figures
        assert model.certificate_.holds


@settings(max_examples=25)
@given(n=st.integers(2, 30), d=st.integers(1, 12), seed=st.integers(0, 10**6), sparse=st.booleans())
def test_weights_are_repetitions(n, d, seed, sparse):
    X, y = data(n, d, seed=seed)
    s = np.random.default_rng(seed).integers(0, 4, n)
    s[0] = 1
    form = sp.csr_array if sparse else np.asarray
    weighted = LinearRegression().fit(form(X), y, s)
    repeated = LinearRegression().fit(form(X.repeat(s, axis=0)), y.repeat(s))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-6, atol=1e-6)
    assert weighted.certificate_.verify(form(X), y, s).status is Status.CONVERGED


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_the_gap_bounds_the_objective(fit_intercept, offset):
    """At weights beside the best ones the bound is above the true distance, and of its size where X is white."""
    X, y = data(40, 5, offset=offset)
    problem = LeastSquares(Rows(X), y[:, None], np.ones(40), np.zeros(1), fit_intercept)
    best = solve_least_squares(problem, method="svd").variables
    b = problem.intercept(best)
    least = squares(X, y, best[:, 0], b[0])
    rng = np.random.default_rng(0)
    for size in (1e-5, 1e-3, 1.0):
        W = best + size * rng.normal(size=best.shape)
        c = b + size * rng.normal() * fit_intercept
        evidence = evaluate_normal_equations(problem, W, c, full_rank=True)
        above = squares(X, y, W[:, 0], c[0]) - least
        assert 0 < above <= evidence.gap
        if not offset:
            assert evidence.gap < 10 * above + 1e-10
        # nobody asked for a proof of full rank
        assert evaluate_normal_equations(problem, W, c).gap == np.inf


def test_verify_refutes_other_weights():
    X, y = data()
    model = LinearRegression().fit(X, y)
    assert pickle.loads(pickle.dumps(model)).certificate_.verify(X, y).holds
    model.coef_ = model.coef_ + 1e-6
    assert model.certificate_.verify(X, y).status is Status.REFUTED
    with pytest.raises(ValueError, match="expected 60 rows"):
        model.certificate_.verify(X[1:], y[1:])


def test_what_is_not_supported_is_refused():
    X, y = data()
    with pytest.raises(ValueError, match="positive=True is not supported"):
        LinearRegression(positive=True).fit(X, y)
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        LinearRegression().fit(X, y, -np.ones(60))


def test_sparse_after_dense_leaves_no_singular_values():
    X, y = data()
    model = LinearRegression().fit(X, y)
    assert len(model.singular_) == 8
    assert not hasattr(model.fit(sp.csr_array(X), y), "singular_")


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("repeated", [1, 3])
def test_means_far_larger_than_spreads_leave_the_rank(storage, repeated):
    rng = np.random.default_rng(0)
    near = np.repeat(np.round(rng.normal(size=(8, 12)), 3), repeated, axis=0)  # 1e6 + near is near, up to 1e-10
    y = np.repeat(rng.normal(size=8), repeated)
    near = (near + 2.0**20) - 2.0**20
    model = LinearRegression().fit(storage(near + 2.0**20), y)
    shortest = np.linalg.pinv(near - near.mean(axis=0), rcond=1e-12) @ (y - y.mean())
    np.testing.assert_allclose(model.coef_, shortest, rtol=0, atol=1e-8 * np.abs(shortest).max())
    np.testing.assert_allclose(model.predict(storage(near + 2.0**20)), y, atol=1e-7)
    if storage is np.asarray:
        assert model.rank_ == 7


@pytest.mark.parametrize("shape", [(60, 7), (900, 60), (35, 30)])
@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_a_triangular_factor_gives_what_singular_values_give(shape, shift):
    """Rank, singular values and weights, for rows of full rank and for ones with a column twice."""
    rng = np.random.default_rng(shape[1])
    X = rng.normal(size=shape) + shift
    Y = rng.normal(size=(shape[0], 2))
    for fit_intercept in (True, False):
        for twice in (False, True):
            Z = np.column_stack([X[:, :-1], X[:, 0]]) if twice else X
            model = LinearRegression(fit_intercept=fit_intercept).fit(Z, Y)
            A = Z - Z.mean(axis=0) if fit_intercept else Z
            T = Y - Y.mean(axis=0) if fit_intercept else Y
            W, _, rank, sigma = np.linalg.lstsq(A, T, rcond=1e-12)
            size = np.linalg.norm(Z) * np.finfo(np.float64).eps * max(shape)
            assert model.rank_ == rank
            np.testing.assert_allclose(model.singular_, sigma, rtol=1e-9, atol=size)
            slack = 100 * size / sigma[rank - 1] * (1 + np.abs(W).max() * sigma[0] / sigma[rank - 1])
            np.testing.assert_allclose(model.coef_.T, W, atol=slack)
