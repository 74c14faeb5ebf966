"""The lasso and the elastic net against closed forms, brute force and scikit-learn, and their proof."""

import itertools
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given, settings, strategies as st
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status, evaluate_risk
from maxmargin.data import Rows
from maxmargin.linear_model import ElasticNet, Lasso, LinearRegression, Ridge
from maxmargin.losses import make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import Risk
from maxmargin.solvers import WorkingSets


def data(n=60, d=10, k=0, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + offset + 0.5 * rng.normal(size=(n, 1))
    W = rng.normal(size=(d, k or 1)) * (rng.random((d, k or 1)) < 0.4)
    Y = X @ W + 0.5 * rng.normal(size=(n, k or 1)) + 3.0
    return X, Y if k else Y[:, 0]


def soft(x, t):
    return np.sign(x) * np.maximum(np.abs(x) - t, 0.0)


def objective(X, y, w, b, alpha, ratio=1.0, s=None):
    s = np.ones(len(y)) if s is None else np.asarray(s, dtype=float)
    loss = 0.5 * float(s @ (y - X @ w - b) ** 2) / s.sum()
    return loss + alpha * (ratio * np.abs(w).sum() + 0.5 * (1 - ratio) * float(w @ w))


def largest_alpha(X, y):
    return float(np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max()) / len(y)


# ---------------------------------------------------------------- closed forms and brute force


@pytest.mark.parametrize("ratio", [1.0, 0.6, 0.0])
def test_orthogonal_columns_are_thresholded(ratio):
    """With X'X = n I each weight is its own problem: soft(x_j'y / n, alpha ratio) / (1 + alpha (1 - ratio))."""
    rng = np.random.default_rng(0)
    n, d, alpha = 64, 8, 0.2
    X = np.linalg.qr(rng.normal(size=(n, d)))[0] * np.sqrt(n)
    y = X @ np.array([2.0, -1.0, 0.1, 0.0, 0.5, -0.19, 3.0, -0.21]) + 0.01 * rng.normal(size=n)
    model = ElasticNet(alpha, l1_ratio=ratio, fit_intercept=False).fit(X, y)
    expected = soft(X.T @ y / n, alpha * ratio) / (1 + alpha * (1 - ratio))
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-10, atol=1e-13)
    assert ((model.coef_ == 0) == (expected == 0)).all()


def test_one_feature_by_hand():
    """x = -1, 1 and y = 0, 4: the slope is 2 without a penalty, 2 - alpha with one, the mean of y the intercept."""
    for alpha in (0.5, 1.5, 2.0, 5.0):
        model = Lasso(alpha).fit([[-1.0], [1.0]], [0.0, 4.0])
        assert model.coef_[0] == pytest.approx(max(2 - alpha, 0), rel=1e-14)
        assert model.intercept_ == pytest.approx(2.0, rel=1e-14)


@pytest.mark.parametrize("offset", [0.0, 30.0])
def test_the_largest_alpha_is_where_the_first_weight_leaves_zero(offset):
    X, y = data(offset=offset)
    top = largest_alpha(X, y)
    above, below = Lasso(top * 1.0001).fit(X, y), Lasso(top * 0.999).fit(X, y)
    assert not above.coef_.any() and above.intercept_ == pytest.approx(y.mean())
    assert np.count_nonzero(below.coef_) == 1
    assert np.argmax(np.abs((X - X.mean(axis=0)).T @ (y - y.mean()))) == np.flatnonzero(below.coef_)[0]


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_every_pattern_of_signs(ratio, positive):
    """Four features: the best of the 3^4 stationary points with fixed signs is the minimum."""
    X, y = data(30, 4, seed=3)
    alpha = 0.15
    A, t = X - X.mean(axis=0), y - y.mean()
    best = np.inf
    for signs in itertools.product((0, 1) if positive else (-1, 0, 1), repeat=4):
        z = np.array(signs, dtype=float)
        used = z != 0
        w = np.zeros(4)
        if used.any():
            G = A[:, used].T @ A[:, used] / 30 + alpha * (1 - ratio) * np.eye(used.sum())
            w[used] = np.linalg.solve(G, A[:, used].T @ t / 30 - alpha * ratio * z[used])
        if (w * z >= 0).all():
            best = min(best, objective(X, y, w, y.mean() - X.mean(axis=0) @ w, alpha, ratio))
    model = ElasticNet(alpha, l1_ratio=ratio, positive=positive).fit(X, y)
    assert objective(X, y, model.coef_, model.intercept_, alpha, ratio) == pytest.approx(best, rel=1e-12)
    assert model.certificate_.dual <= best <= model.certificate_.primal * (1 + 1e-12)
    assert not positive or (model.coef_ >= 0).all()


@pytest.mark.parametrize("ratio", [1.0, 0.3])
def test_conditions_of_optimality(ratio):
    """x_j'r / n = alpha (ratio sign + (1 - ratio) w_j) where w_j is not zero, at most alpha ratio where it is."""
    X, y = data(80, 30, offset=1.0)
    alpha = 0.1
    model = ElasticNet(alpha, l1_ratio=ratio).fit(X, y)
    r = y - model.predict(X)
    assert abs(r.sum()) < 1e-10
    slopes, w = X.T @ r / 80, model.coef_
    used = w != 0
    assert 0 < used.sum() < 30
    expected = alpha * (ratio * np.sign(w) + (1 - ratio) * w)
    np.testing.assert_allclose(slopes[used], expected[used], rtol=1e-9)
    assert np.abs(slopes[~used]).max() <= alpha * ratio * (1 + 1e-9)


def test_squares_alone_are_a_ridge():
    """1/(2n) ||r||^2 + alpha/2 ||w||^2 is a ridge with the penalty n alpha."""
    X, y = data(50, 12)
    net, ridge = ElasticNet(0.3, l1_ratio=0.0).fit(X, y), Ridge(50 * 0.3).fit(X, y)
    np.testing.assert_allclose(net.coef_, ridge.coef_, rtol=1e-9)
    assert net.intercept_ == pytest.approx(ridge.intercept_, rel=1e-9)


def test_a_vanishing_penalty_is_least_squares():
    X, y = data(80, 6)
    np.testing.assert_allclose(Lasso(1e-10).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, atol=1e-8)


@settings(max_examples=30)
@given(
    n=st.integers(3, 30),
    d=st.integers(1, 40),
    seed=st.integers(0, 10**6),
    ratio=st.sampled_from([1.0, 0.5, 0.05]),
    sparse=st.booleans(),
    positive=st.booleans(),
)
def test_weights_are_repetitions(n, d, seed, ratio, sparse, positive):
    X, y = data(n, d, seed=seed)
    s = np.random.default_rng(seed).integers(0, 4, n)
    s[:2] = 1
    form = sp.csr_array if sparse else np.asarray
    options = {"alpha": 0.05, "l1_ratio": ratio, "positive": positive, "tol": 1e-10}
    weighted = ElasticNet(**options).fit(form(X), y, s)
    repeated = ElasticNet(**options).fit(form(X.repeat(s, axis=0)), y.repeat(s))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-5)
    values = [objective(X, y, m.coef_, m.intercept_, 0.05, ratio, s) for m in (weighted, repeated)]
    assert values[0] == pytest.approx(values[1], rel=1e-9)
    assert weighted.certificate_.verify(form(X), y, s).status is Status.CONVERGED


# ---------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize("storage", ["dense", "csr", "float32"])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 0.4])
@pytest.mark.parametrize(("n", "d", "k"), [(60, 10, 0), (60, 10, 1), (60, 10, 3), (25, 80, 0), (40, 700, 2)])
def test_as_scikit_learn(n, d, k, ratio, positive, storage):
    X, y = data(n, d, k)
    s = np.random.default_rng(2).uniform(0.2, 2, n)
    if storage == "float32":
        X = X.astype(np.float32)
    options = {"alpha": 0.1, "l1_ratio": ratio, "positive": positive}
    theirs = sklearn.linear_model.ElasticNet(**options, tol=1e-13, max_iter=10**6).fit(X.astype(np.float64), y, s)
    ours = ElasticNet(**options, tol=1e-10).fit(sp.csr_array(X) if storage == "csr" else X, y, s)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X.astype(np.float64)), atol=1e-4)
    np.testing.assert_array_equal(ours.sparse_coef_.toarray(), np.atleast_2d(ours.coef_))


def test_the_same_objective_as_scikit_learn_at_its_own_tolerance(load):
    X, y = load("breast_cancer")
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for alpha in (0.1, 0.01, 0.001):
        ours, theirs = Lasso(alpha).fit(X, y), sklearn.linear_model.Lasso(alpha).fit(X, y)
        mine, other = (objective(X, y, m.coef_, m.intercept_, alpha) for m in (ours, theirs))
        assert mine <= other * (1 + 1e-12)
        assert ours.certificate_.dual <= other


# ---------------------------------------------------------------- the solver


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("positive", [False, True])
def test_screening_leaves_out_zeros_alone(sparse, positive):
    """Wide data: what is screened is zero in a solution that was found without screening."""
    X, y = data(60, 900, seed=5)
    alpha = 0.2 * largest_alpha(X, y)
    c = np.full(60, 1 / 60)
    penalty = make_penalty("l1", strength=alpha, positive=positive)
    problem = Risk(Rows(sp.csr_array(X) if sparse else X), y, c, make_loss("squared"), penalty)
    solver = WorkingSets(problem, problem.start(), 1e-10)
    while solver.finished(False) is None:
        solver.step(1)
    theirs = sklearn.linear_model.Lasso(alpha, tol=1e-12, max_iter=10**6, positive=positive).fit(X, y)
    out = np.setdiff1d(np.arange(900), solver.alive)
    assert len(out) > 400
    assert not theirs.coef_[out].any()
    assert len(solver.working) < 900
    np.testing.assert_allclose(solver.variables()[:-1], theirs.coef_, atol=1e-6)


def test_a_design_is_shared_along_a_path_without_being_seen():
    X, y = data(50, 600)
    alphas = np.geomspace(1.0, 0.02, 8) * largest_alpha(X, y)
    path = Lasso(tol=1e-9).path(X, y, alphas)
    for alpha, w, b in zip(alphas, path.coefs, path.intercepts, strict=True):
        alone = Lasso(alpha, tol=1e-9).fit(X, y)
        value = objective(X, y, w, b, alpha)
        assert value == pytest.approx(objective(X, y, alone.coef_, alone.intercept_, alpha), rel=1e-8)


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_working_sets_of_sparse_columns_that_grow(ratio, dtype, monkeypatch):
    """The same path as that of dense rows, with weights, a Gram matrix that is extended, and rows read in pieces."""
    from maxmargin.solvers.linear import _lasso_design

    monkeypatch.setattr(_lasso_design, "_VALUES", 500)
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(150, 600)) * (rng.random((150, 600)) < 0.1)).astype(dtype)
    s, y = rng.uniform(0.5, 2.0, 150), X[:, :40] @ rng.normal(size=40) + 0.1 * rng.normal(size=150) + 2.0
    alphas = np.geomspace(0.9, 0.05, 6) * largest_alpha(X.astype(np.float64), y)
    model = ElasticNet(l1_ratio=ratio, tol=1e-12)
    sparse, dense = model.path(sp.csr_array(X), y, alphas, s), model.path(X, y, alphas, s)
    assert np.count_nonzero(sparse.coefs[-1]) > 64
    np.testing.assert_allclose(sparse.coefs, dense.coefs, atol=1e-4)
    A = X.astype(np.float64)
    for alpha, w, b, proof in zip(alphas, sparse.coefs, sparse.intercepts, sparse.certificates, strict=True):
        (part,) = proof.problems
        assert part.status is Status.CONVERGED
        value = objective(A, y, w, b, alpha, ratio, s)
        assert part.dual <= value <= part.primal
        slopes = A.T @ (s / s.sum() * (y - A @ w - b)) - alpha * (1 - ratio) * w
        assert np.abs(slopes).max() <= alpha * ratio * (1 + 1e-4)
        np.testing.assert_allclose(slopes[w != 0], alpha * ratio * np.sign(w[w != 0]), rtol=1e-3)


def test_columns_twice_and_columns_of_zeros():
    X, y = data(40, 5)
    twice = np.column_stack([X, X, np.zeros(40), np.ones(40)])
    for form in (np.asarray, sp.csr_array):
        model, one = Lasso(0.1).fit(form(twice), y), Lasso(0.1).fit(X, y)
        np.testing.assert_allclose(model.predict(twice), one.predict(X), atol=1e-9)
        assert model.certificate_.status is Status.CONVERGED
        assert not model.coef_[-2:].any()


def test_more_weights_than_a_gram_matrix_is_for(monkeypatch):
    from maxmargin.solvers.linear import _lasso_design, lasso

    for module in (lasso, _lasso_design):
        monkeypatch.setattr(module, "MOST_FEATURES", 100)
    X, y = data(40, 600)
    model = ElasticNet(1.0, l1_ratio=0.01).fit(X, y)
    assert np.count_nonzero(model.coef_) > 100
    assert model.certificate_.status is Status.CONVERGED and model.certificate_.relative_gap <= 1e-4


def test_warm_start_goes_on_and_a_small_budget_says_so():
    X, y = data(100, 800)
    alpha = 0.01 * largest_alpha(X, y)
    with pytest.warns(ConvergenceWarning, match="budget exhausted.*Raise max_iter"):
        short = Lasso(alpha, max_iter=2, tol=1e-9, warm_start=True).fit(X, y)
    assert short.certificate_.status is Status.BUDGET_EXHAUSTED and short.n_iter_ == 2
    assert short.certificate_.verify(X, y).status is Status.BUDGET_EXHAUSTED
    short.max_iter = 1000
    assert short.fit(X, y).certificate_.status is Status.CONVERGED
    again = short.fit(X, y)
    assert again.n_iter_ == 0
    with pytest.raises(ValueError, match="warm_start=True needs the targets and features of the last fit"):
        short.fit(X[:, 1:], y)


# ---------------------------------------------------------------- the proof


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    ratio=st.sampled_from([1.0, 0.7, 0.1]),
    positive=st.booleans(),
    intercept=st.booleans(),
    size=st.sampled_from([1e-8, 1e-3, 1.0]),
)
def test_the_interval_contains_the_optimum(seed, ratio, positive, intercept, size):
    """Whatever the weights: both ends hold, and feasible weights do not come below the lower one."""
    X, y = data(20, 6, seed=seed)
    rng = np.random.default_rng(seed)
    alpha = float(10 ** rng.uniform(-3, 1))
    options = {"l1_ratio": ratio, "positive": positive, "fit_intercept": intercept}
    model = ElasticNet(alpha, **options, tol=1e-9).fit(X, y)
    best = objective(X, y, model.coef_, model.intercept_, alpha, ratio)
    penalty = make_penalty("elastic_net", ratio, alpha, positive)
    problem = Risk(Rows(X), y, np.full(20, 1 / 20), make_loss("squared"), penalty, intercept)
    theta = np.append(model.coef_, model.intercept_) + size * rng.normal(size=7)
    theta[-1] *= intercept
    if positive:
        theta[:-1] = np.maximum(theta[:-1], 0.0)
    evidence = evaluate_risk(problem, theta)
    assert evidence.dual <= best * (1 + 1e-13)
    assert objective(X, y, theta[:-1], theta[-1], alpha, ratio) <= evidence.primal * (1 + 1e-13)
    if positive:
        theta[0] = -1e-300
        assert evaluate_risk(problem, theta).primal == np.inf


def test_verify_refutes_what_was_changed():
    X, y = data()
    model = Lasso(0.1).fit(X, y)
    assert model.certificate_.relative_gap < 1e-10
    assert pickle.loads(pickle.dumps(model)).certificate_.verify(X, y).status is Status.CONVERGED
    for name, value in {
        "coef_": model.coef_ + 1e-4,
        "intercept_": model.intercept_ + 0.1,
        "dual_gap_": 0.0,
        "alpha": 0.2,
        "n_features_in_": 11,
    }.items():
        other = pickle.loads(pickle.dumps(model))
        setattr(other, name, value)
        assert other.certificate_.verify(X, y).status is Status.REFUTED, name
    with pytest.raises(ValueError, match="expected 60 rows"):
        model.certificate_.verify(X[1:], y[1:])
    with pytest.raises(ValueError, match="X has 9 features"):
        model.certificate_.verify(X[:, 1:], y)


# ---------------------------------------------------------------- paths and parameters


def test_a_path_starts_where_the_first_weight_leaves_zero():
    X, y = data(60, 20)
    path = Lasso().path(X, y, 10, eps=1e-2)
    assert path.alphas[0] == pytest.approx(largest_alpha(X, y), rel=1e-12)
    np.testing.assert_allclose(path.alphas[-1], path.alphas[0] * 1e-2)
    assert not path.coefs[0].any() and path.coefs[1].any()
    assert path.coefs.shape == (10, 20) and path.intercepts.shape == (10,)
    assert all(proof.status is Status.CONVERGED for proof in path.certificates)
    theirs = sklearn.linear_model.lasso_path(X - X.mean(axis=0), y - y.mean(), alphas=path.alphas, tol=1e-10)[1]
    np.testing.assert_allclose(path.coefs, theirs.T, atol=1e-5)
    rising = Lasso().path(X, y, path.alphas[::-1])
    np.testing.assert_allclose(rising.coefs[::-1], path.coefs, atol=1e-6)


def test_paths_of_several_targets():
    X, Y = data(40, 8, 2)
    path = ElasticNet(l1_ratio=0.8).path(X, Y, [0.5, 0.1])
    assert path.coefs.shape == (2, 2, 8) and path.intercepts.shape == (2, 2)
    model = ElasticNet(0.1, l1_ratio=0.8).fit(X, Y)
    np.testing.assert_allclose(path.coefs[1], model.coef_, atol=1e-8)
    assert [part.label for part in path.certificates[1].problems] == ["target 0", "target 1"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": -1.0}, "alpha"),
        ({"selection": "random"}, "selection='random' is not supported"),
        ({"precompute": np.eye(10)}, "precompute takes no Gram matrix"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": 0.0}, "tol"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        Lasso(**parameters).fit(*data())


@pytest.mark.parametrize(
    ("alphas", "message"),
    [([], "alphas must be"), ([1.0, -1.0], "alphas must be"), (0, "at least 1"), ([np.inf], "alphas must be")],
)
def test_bad_paths_are_named(alphas, message):
    with pytest.raises(ValueError, match=message):
        Lasso().path(*data(), alphas)
    with pytest.raises(ValueError, match="l1_ratio > 0"):
        ElasticNet(l1_ratio=0.0).path(*data())


def test_constant_targets():
    for value in (0.0, 0.1, 1e10):
        model = Lasso(0.1).fit(np.random.default_rng(0).normal(size=(7, 3)), np.full(7, value))
        assert not model.coef_.any() and model.intercept_ == pytest.approx(value)
        assert model.certificate_.status is Status.CONVERGED


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_a_working_set_that_is_solved_to_rounding_is_left(l1_ratio, monkeypatch):
    """Fifty Newton steps were made at the optimum, where none is better, as its gap was never below the tolerance."""
    steps, newton = [], WorkingSets._newton

    def counted(*arguments):
        steps.append(1)
        return newton(*arguments)

    monkeypatch.setattr(WorkingSets, "_newton", counted)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 30)) + rng.normal(size=(200, 1))
        y = X[:, :10] @ rng.normal(size=10) + rng.normal(size=200)
        alpha = 0.1 * float(np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max()) / 200
        model = ElasticNet(alpha=alpha, l1_ratio=l1_ratio).fit(X, y)
        assert model.certificate_.relative_gap < 1e-10
    assert len(steps) / 5 <= 20


@pytest.mark.parametrize("exponent", [-300, 160, 330, 490])
def test_an_elastic_net_of_rows_in_another_unit_is_proven(exponent):
    """Weights are as small as rows are large: their squares, and l2 over the rounding of slopes, say nothing."""
    X, y = data()
    unit = 2.0**exponent
    model = ElasticNet(alpha=0.05 * unit).fit(unit * X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.verify(unit * X, y).status is Status.CONVERGED
    if exponent > 0:
        plain = Lasso(alpha=0.025).fit(X, y)
        np.testing.assert_allclose(model.coef_ * unit, plain.coef_, rtol=1e-2, atol=1e-3)


def test_an_alpha_below_the_rounding_of_slopes_is_named():
    X, y = data()
    with pytest.warns(ConvergenceWarning, match=r"alpha=0.01 is below the rounding of the slopes.*LinearRegression"):
        model = Lasso(alpha=0.01).fit(1e100 * X, y)
    assert model.certificate_.status is Status.STALLED


def test_an_alpha_near_the_rounding_of_slopes_is_not_said_to_leave_no_bound():
    X, y = data()
    with pytest.warns(ConvergenceWarning, match="alpha=1e-14 is near the rounding of the slopes") as caught:
        model = Lasso(alpha=1e-14).fit(X, y)
    words, worst = str(caught[0].message), model.certificate_.worst
    assert worst.dual > 0 and "nothing bounds" not in words
    bound = words.split("no better lower bound than ")[1].split(",")[0]
    assert Fraction(bound) <= Fraction(worst.dual) and float(bound) == pytest.approx(worst.dual, rel=1e-5)


@pytest.mark.parametrize("alpha, l1_ratio", [(0.1, 0.5), (0.1, 1e-9), (1e-9, 0.5), (10.0, 0.9)])
@pytest.mark.parametrize("unit", [1.0, 1e8, 1e12])
def test_bounds_of_an_elastic_net_contain_its_optimum(alpha, l1_ratio, unit):
    X, y = data()
    X = unit * X
    n, d = X.shape
    l1, l2 = alpha * l1_ratio, alpha * (1 - l1_ratio)
    problem = Risk(
        Rows(X), y, np.full(n, 1 / n), make_loss("squared"), make_penalty("elastic_net", l1_ratio, alpha, False), False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        best = ElasticNet(alpha=alpha, l1_ratio=l1_ratio, fit_intercept=False, tol=1e-14).fit(X, y).coef_
    value = 0.5 * np.mean((y - X @ best) ** 2) + l1 * np.abs(best).sum() + 0.5 * l2 * best @ best
    for theta in (np.append(best, 0.0), np.append(0.9 * best, 0.0), np.zeros(d + 1)):
        assert evaluate_risk(problem, theta).dual <= value * (1 + 1e-12)
