"""Ridge regression against closed forms, and its proof."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given, settings, strategies as st
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status, evaluate_normal_equations
from maxmargin.data import Rows
from maxmargin.linear_model import Ridge
from maxmargin.problems import LeastSquares
from maxmargin.solvers import solve_least_squares

SOLVERS = ["cholesky", "svd", "sparse_cg"]


def data(n=60, d=8, k=0, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + offset
    Y = X @ rng.normal(size=(d, k or 1)) + rng.normal(size=(n, k or 1))
    return X, Y if k else Y[:, 0]


def closed_form(X, y, alpha, s=None, fit_intercept=True):
    """The normal equations with the intercept as one more column, that is not penalised."""
    s = np.ones(len(X)) if s is None else s
    A = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    penalty = np.diag(np.append(np.full(X.shape[1], alpha), [0.0] * fit_intercept))
    solution = np.linalg.solve(A.T @ (s[:, None] * A) + penalty, A.T @ (s * y))
    return (solution[:-1], solution[-1]) if fit_intercept else (solution, 0.0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(60, 8), (12, 30)])
def test_closed_form(n, d, fit_intercept, solver):
    X, y = data(n, d, offset=1.0)
    s = np.random.default_rng(1).uniform(0.1, 3, n)
    for alpha in (0.1, 10.0):
        w, b = closed_form(X, y, alpha, s, fit_intercept)
        for X_ in (X, sp.csr_array(X)):
            model = Ridge(alpha, solver=solver, fit_intercept=fit_intercept).fit(X_, y, s)
            np.testing.assert_allclose(model.coef_, w, rtol=1e-9, atol=1e-11)
            assert model.intercept_ == pytest.approx(b, rel=1e-9, abs=1e-11)
            assert model.certificate_.holds
            assert model.certificate_.figures["relative residual"] < 1e-14
            # the objective itself is known to its rounding alone
            assert model.certificate_.figures["relative gap"] < 1e-12


def test_one_feature_by_hand():
    x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 3.0, 5.0, 7.0])
    for alpha in (0.0, 1.0, 5.0):
        model = Ridge(alpha).fit(x[:, None], y)
        slope = 10 / (5 + alpha)
        assert model.coef_[0] == pytest.approx(slope, rel=1e-14)
        assert model.intercept_ == pytest.approx(4 - 1.5 * slope, rel=1e-14)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize(("n", "d", "k"), [(80, 10, 0), (80, 10, 1), (80, 10, 3), (15, 40, 0), (15, 40, 2)])
def test_as_scikit_learn(n, d, k, storage, solver):
    X, y = data(n, d, k)
    s = np.random.default_rng(2).uniform(0, 2, n)
    alpha = 0.5 if k < 2 else np.linspace(0.1, 3, k)
    theirs = sklearn.linear_model.Ridge(alpha, solver="cholesky").fit(X, y, s)
    ours = Ridge(alpha, solver=solver).fit(X if storage == "dense" else sp.csr_array(X), y, s)
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-10)
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)


def test_real_data_as_scikit_learn(load):
    X, y = load("breast_cancer")
    for alpha in (1e-6, 1.0, 1e6):
        ours, theirs = Ridge(alpha).fit(X, y), sklearn.linear_model.Ridge(alpha, solver="svd").fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(40, 6), (10, 25)])
def test_least_squares_of_any_rank_is_the_shortest(n, d, fit_intercept, solver):
    X, y = data(n, d)
    X[:, 1] = 2 * X[:, 0]  # never of full rank
    A, t = (X - X.mean(axis=0), y - y.mean()) if fit_intercept else (X, y)
    w = np.linalg.lstsq(A, t, rcond=1e-12)[0]
    for X_ in (X, sp.csr_array(X)):
        model = Ridge(0.0, solver=solver, fit_intercept=fit_intercept).fit(X_, y)
        np.testing.assert_allclose(model.coef_, w, rtol=1e-7, atol=1e-9)
        assert model.certificate_.holds
        assert "duality gap" not in model.certificate_.figures
    assert solver == "sparse_cg" or model.solver_ == "svd"


def test_ill_conditioned_equations_are_left_to_orthogonal_factors():
    rng = np.random.default_rng(0)
    U, V = np.linalg.qr(rng.normal(size=(50, 8)))[0], np.linalg.qr(rng.normal(size=(8, 8)))[0]
    X = U @ np.diag(np.logspace(0, -9, 8)) @ V.T  # A'A has a condition of 1e18
    w = rng.normal(size=8)
    model = Ridge(0.0, fit_intercept=False).fit(X, X @ w)
    assert model.solver_ == "svd"
    np.testing.assert_allclose(model.coef_, w, atol=1e-5)
    np.testing.assert_allclose(model.predict(X), X @ w, atol=1e-14)
    mild = Ridge(0.0).fit(*data())
    assert mild.solver_ == "cholesky"


def test_data_far_from_the_origin():
    X, y = data(200, 5)
    near, far = Ridge(1.0).fit(X, y), Ridge(1.0).fit(X + 1e6, y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-8)
    assert far.certificate_.holds


@settings(max_examples=25)
@given(
    n=st.integers(2, 30),
    d=st.integers(1, 30),
    seed=st.integers(0, 10**6),
    alpha=st.sampled_from([0.0, 1e-3, 1.0, 1e3]),
    solver=st.sampled_from(SOLVERS),
    sparse=st.booleans(),
    fit_intercept=st.booleans(),
)
def test_weights_are_repetitions(n, d, seed, alpha, solver, sparse, fit_intercept):
    X, y = data(n, d, seed=seed)
    s = np.random.default_rng(seed).integers(0, 4, n)
    s[0] = 1
    form = sp.csr_array if sparse else np.asarray
    options = {"alpha": alpha, "solver": solver, "fit_intercept": fit_intercept}
    weighted = Ridge(**options).fit(form(X), y, s)
    repeated = Ridge(**options).fit(form(X.repeat(s, axis=0)), y.repeat(s))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-6, atol=1e-7)
    assert weighted.certificate_.verify(form(X), y, s).status is Status.CONVERGED


@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_float32_rows_are_used_as_they_are(storage):
    X, y = data(3000, 20)
    X = X.astype(np.float32)
    form = np.asarray if storage == "dense" else sp.csr_array
    for solver in SOLVERS:
        narrow = Ridge(solver=solver).fit(form(X), y)
        wide = Ridge(solver=solver).fit(form(X.astype(np.float64)), y)
        np.testing.assert_allclose(narrow.coef_, wide.coef_, rtol=1e-12)
        np.testing.assert_allclose(narrow.predict(form(X)), wide.predict(form(X.astype(np.float64))), rtol=1e-12)
        assert narrow.coef_.dtype == np.float64


@pytest.mark.parametrize("solver", ["cholesky", "svd"])
def test_float32_is_not_copied_to_float64_as_a_whole(solver):
    X, y = data(40_000, 50)
    X = X.astype(np.float32)
    Ridge(solver=solver).fit(X[:500], y[:500])
    tracemalloc.start()
    try:
        Ridge(solver=solver).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes  # 8 MB; a copy in float64 would be 16


@pytest.mark.parametrize(("n", "d"), [(300, 2500), (4000, 2500)])
def test_large_sparse_rows_by_gradients(n, d):
    rng = np.random.default_rng(0)
    X = sp.random_array((n, d), density=0.01, format="csr", rng=rng)
    y = rng.normal(size=n)
    model = Ridge(0.1).fit(X, y)
    assert model.solver_ == ("sparse_cg" if n > 2000 else "cholesky")
    assert model.certificate_.figures["relative residual"] < 1e-14
    theirs = sklearn.linear_model.Ridge(0.1, solver="sparse_cg", tol=1e-12).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-8)
    assert Ridge(0.1, solver="lsqr").fit(X, y).solver_ == "sparse_cg"


# ---------------------------------------------------------------- the proof


def test_the_gap_bounds_the_objective():
    X, y = data(40, 5)
    problem = LeastSquares(Rows(X), y[:, None], np.ones(40), np.array([2.0]))
    best = solve_least_squares(problem).variables
    b = problem.intercept(best)
    rng = np.random.default_rng(0)

    def objective(W, c):
        return float(((y - X @ W[:, 0] - c[0]) ** 2).sum() + 2 * (W**2).sum())

    for size in (1e-6, 1e-3, 1.0):
        W, c = best + size * rng.normal(size=best.shape), b + size * rng.normal()
        evidence = evaluate_normal_equations(problem, W, c)
        assert evidence.objective == pytest.approx(objective(W, c), rel=1e-12)
        assert 0 < objective(W, c) - objective(best, b) <= evidence.gap * (1 + 1e-6) + 1e-12
        # the same by the dual: u = r with its mean removed
        r = y - X @ W[:, 0] - c[0]
        u = r - r.mean()
        dual = 2 * float(y @ u) - float(u @ u) - float(((X.T @ u) ** 2).sum()) / 2
        # and the rounding of the objective
        assert evidence.gap == pytest.approx(objective(W, c) - dual, rel=1e-4, abs=1e-13 * evidence.objective)


def test_verify_refutes_other_weights():
    X, y = data()
    model = Ridge().fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.verify(X, y).holds
    assert pickle.loads(pickle.dumps(model)).certificate_.verify(X, y).holds
    model.coef_ = model.coef_ + 1e-6
    found = model.certificate_.verify(X, y)
    assert found.status is Status.REFUTED
    assert not found.holds
    assert "normal equations" in str(found)
    with pytest.raises(ValueError, match="expected 60 rows"):
        model.certificate_.verify(X[1:], y[1:])


def test_a_budget_that_is_too_small_says_so():
    X, y = data(200, 50)
    with pytest.warns(ConvergenceWarning, match="budget exhausted.*relative residual"):
        model = Ridge(solver="sparse_cg", max_iter=2).fit(X, y)
    assert model.certificate_.status is Status.BUDGET_EXHAUSTED
    assert not model.certificate_.holds
    assert model.n_iter_[0] == 2
    assert model.certificate_.verify(X, y).status is Status.BUDGET_EXHAUSTED


# ---------------------------------------------------------------- the estimator


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"positive": True}, "positive=True is not supported"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": [1.0, 2.0]}, r"one number for each of 1 targets.*\(2,\)"),
        ({"alpha": [np.nan]}, "alpha must be finite"),
        ({"solver": "sag"}, "solver.*cholesky.*'sag'"),
        ({"max_iter": 0}, "max_iter"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    X, y = data()
    with pytest.raises(ValueError, match=message):
        Ridge(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-np.ones(60), "Negative values in data passed to `sample_weight`: -1 for sample 0"),
        (np.zeros(60), "all samples have zero or negative weights"),
        (np.ones(59), r"sample_weight.shape == \(59,\), expected \(60,\)"),
        (np.full(60, np.nan), "sample_weight contains NaN"),
        (np.ones((60, 2)), "1D array or scalar"),
    ],
)
def test_bad_weights_are_named(weights, message):
    X, y = data()
    with pytest.raises(ValueError, match=message):
        Ridge().fit(X, y, weights)


def test_degenerate_data():
    constant = Ridge().fit(np.ones((5, 2)), np.arange(5.0))
    np.testing.assert_allclose(constant.coef_, 0.0, atol=1e-12)
    assert constant.intercept_ == pytest.approx(2.0)
    for alpha in (0.0, 1.0):
        one = Ridge(alpha).fit([[3.0, 4.0]], [7.0])
        assert one.predict([[3.0, 4.0]])[0] == pytest.approx(7.0)
        zero = Ridge(alpha, fit_intercept=False).fit(np.zeros((4, 3)), np.ones(4))
        np.testing.assert_array_equal(zero.coef_, 0.0)
        assert zero.certificate_.holds


@pytest.mark.parametrize("alpha", [[1.0, 2.0], -1.0, np.nan, "much"])
def test_a_penalty_that_no_fit_takes_refutes(alpha):
    X = np.random.default_rng(0).normal(size=(30, 3))
    model = Ridge().fit(X, X[:, 0])
    model.alpha = alpha
    assert not model.certificate_.verify(X, X[:, 0]).holds


def test_weights_beyond_float64_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(ValueError, match=r"up to 1e\+308, add up to more than float64 holds"):
        Ridge().fit(X, X[:, 0], sample_weight=np.full(30, 1e308))


def test_weighted_squares_that_overflow_are_refused_by_name():
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(ValueError, match=r"sample_weight has values up to 1e\+306, for which weighted sums"):
        Ridge().fit(1e3 * X, X[:, 0], sample_weight=np.full(30, 1e306))


def test_a_path_is_one_fit_for_each_alpha():
    X, y = data(50, 5)
    path = Ridge().path(X, y, [10.0, 0.1])
    for alpha, w, b, proof in zip(path.alphas, path.coefs, path.intercepts, path.certificates, strict=True):
        alone = Ridge(alpha).fit(X, y)
        np.testing.assert_array_equal(w, alone.coef_)
        assert b == alone.intercept_ and proof.holds
    automatic = Ridge().path(X, y, 5)
    middle = float(((X - X.mean(axis=0)) ** 2).sum()) / 5
    np.testing.assert_allclose(automatic.alphas, middle * np.geomspace(1e3, 1e-3, 5), rtol=1e-10)
    with pytest.raises(ValueError, match="alphas must be"):
        Ridge().path(X, y, [])


@pytest.mark.parametrize("solver", ["lsqr", "sparse_cg"])
def test_gradients_are_not_stopped_by_the_size_of_the_means(solver):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 12)), rng.normal(size=8)
    X[:, 0] = 1e8
    model, direct = Ridge(alpha=1e-3, solver=solver).fit(X, y), Ridge(alpha=1e-3).fit(X, y)
    np.testing.assert_allclose(model.coef_, direct.coef_, rtol=0, atol=1e-8 * np.abs(direct.coef_).max())


@pytest.mark.parametrize(("n", "d", "alpha"), [(90, 40, 0.0), (90, 40, 0.5), (30, 70, 0.5)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled_steps_are_those_of_two_threads(n, d, alpha, fit_intercept, dtype, monkeypatch):
    """On rows of two strips steps are made of products, on those of one strip in compiled code: the same ones."""
    rng = np.random.default_rng(2)
    X = (rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3) + 0.2 * np.eye(n, d)).astype(dtype)
    y, s = rng.normal(size=n), rng.uniform(0.5, 2.0, n)
    model = Ridge(alpha, solver="sparse_cg", fit_intercept=fit_intercept, trace=True)
    whole, alone = model.fit(sp.csr_array(X), y, s), Ridge(**model.get_params()).set_params(trace=False)
    together = alone.fit(sp.csr_array(X), y, s)
    monkeypatch.setattr(Rows, "strips", lambda self, threads, outputs=1: [(0, self.n // 2), (self.n // 2, self.n)])
    parts = Ridge(**model.get_params()).fit(sp.csr_array(X), y, s)
    assert len(whole.trace_.points) == whole.n_iter_[0] + 1
    np.testing.assert_allclose(whole.trace_["violation"][:6], parts.trace_["violation"][:6], rtol=1e-6)
    w, b = closed_form(X.astype(np.float64), y, alpha, s, fit_intercept)
    for found in (whole, together, parts):
        np.testing.assert_allclose(found.coef_, w, atol=1e-8 * np.abs(w).max())
        assert found.intercept_ == pytest.approx(b, abs=1e-8)
        assert found.certificate_.holds and found.certificate_.verify(sp.csr_array(X), y, s).holds


def test_gradients_end_at_a_small_part_of_the_tolerance():
    """The slope is what the tolerance asks for, as the certificate finds it, and a looser one takes fewer steps."""
    rng = np.random.default_rng(0)
    X = sp.random(400, 150, 0.1, format="csr", random_state=0)
    y, steps = X @ rng.normal(size=150) + rng.normal(size=400), []
    A, t = X.toarray() - X.toarray().mean(axis=0), y - y.mean()
    for tol in (1e-2, 1e-4, 1e-6, 0.0):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # nothing is within a tolerance of 0
            model = Ridge(1e-3, solver="sparse_cg", tol=tol).fit(X, y)
        slope = A.T @ (t - A @ model.coef_) - 1e-3 * model.coef_
        assert np.linalg.norm(slope) <= max(1e-4 * tol, 1e-12) * 1.01 * np.linalg.norm(A.T @ t)
        steps.append(int(model.n_iter_[0]))
    assert steps == sorted(set(steps))


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("targets", [1, 2])
def test_sparse_rows_by_some_steps_or_by_cholesky(alpha, targets):
    """Many well-conditioned sparse features take some steps; where these are not enough, Cholesky takes over."""
    rng = np.random.default_rng(0)
    X = sp.random(1800, 900, 0.004, format="csr", random_state=0) + sp.vstack([sp.eye(900)] * 2)
    Y = X @ rng.normal(size=(900, targets)) + rng.normal(size=(1800, targets))
    easy = Ridge(alpha).fit(sp.csr_array(X), Y)
    assert easy.solver_ == "sparse_cg" and easy.certificate_.holds
    scales = sp.diags_array(np.geomspace(1.0, 1e4, 900))
    hard = Ridge(alpha).fit(sp.csr_array(X @ scales), Y)
    assert hard.solver_ == "cholesky" and hard.certificate_.holds
    exact = Ridge(alpha, solver="svd").fit((X @ scales).toarray(), Y)
    np.testing.assert_allclose(hard.predict(X @ scales), exact.predict((X @ scales).toarray()), atol=1e-6)
    np.testing.assert_allclose(easy.coef_, Ridge(alpha, solver="svd").fit(X.toarray(), Y).coef_, atol=1e-8)


def test_several_targets_are_proven_as_each_by_itself():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(70, 6)) + 3.0
    Y = X @ rng.normal(size=(6, 4)) + rng.normal(size=(70, 4))
    weights = rng.uniform(0.5, 2.0, 70)
    for form in (np.asarray, sp.csr_array):
        together = Ridge(0.5).fit(form(X), Y, weights).certificate_.figures
        apart = [Ridge(0.5).fit(form(X), y, weights).certificate_.figures for y in Y.T]
        assert together["objective"] == pytest.approx(sum(one["objective"] for one in apart), rel=1e-12)
        # gaps are bounds of rounding here, of sums that may be taken in another order
        least, most = (factor * sum(one["duality gap"] for one in apart) for factor in (0.5, 2.0))
        assert least <= together["duality gap"] <= most
