"""The referee of linear models is right: closed forms, scipy's solvers on tiny problems, weak duality."""

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.linear.cases import Case
from benchmarks.linear.contenders import Coefficients
from benchmarks.linear.judge import Judge
from benchmarks.referee import Binary, Multinomial, binary, lower_bound, with_constant
from benchmarks.referee.linear_problem import _balance
from benchmarks.referee.margin_losses import MARGIN_LOSSES, SmoothedHinge
from scipy.optimize import LinearConstraint, minimize
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

LOSSES = {**MARGIN_LOSSES, "smoothed_hinge": SmoothedHinge(0.3)}
SETTINGS = [
    ("hinge", "l2"),
    ("squared_hinge", "l2"),
    ("logistic", "l2"),
    ("logistic", "l1"),
    ("squared_hinge", "l1"),
]


def _data(n=60, d=4, seed=0):
    X, y = make_classification(n_samples=n, n_features=d, n_informative=3, n_redundant=0, flip_y=0.1, random_state=seed)
    return X, 2 * y - 1


def _problem(loss, penalty="l2", free=True, C=0.7, sparse=False, **data):
    X, y = _data(**data)
    rows = with_constant(sp.csr_matrix(X) if sparse else X)
    return binary(rows, y, loss, C=C, penalty=penalty, free_intercept=free)


# ---------------------------------------------------------------- losses


@pytest.mark.parametrize("name", LOSSES)
def test_slope_is_minus_the_derivative_and_curvature_that_of_the_slope(name):
    loss, z, h = LOSSES[name], np.linspace(-3, 3, 61) + 0.0123, 1e-6
    np.testing.assert_allclose((loss.value(z - h) - loss.value(z + h)) / (2 * h), loss.slope(z), atol=1e-8)
    np.testing.assert_allclose((loss.slope(z - h) - loss.slope(z + h)) / (2 * h), loss.curvature(z), atol=1e-6)


@pytest.mark.parametrize("name", LOSSES)
def test_fenchel_young(name):
    loss, rng = LOSSES[name], np.random.default_rng(0)
    z, a = rng.normal(size=200) * 3, rng.uniform(0, min(loss.most, 5.0), size=200)
    assert (loss.value(z) + loss.conjugate(a) + a * z >= -1e-12).all()
    touching = loss.slope(z)
    np.testing.assert_allclose(loss.value(z) + loss.conjugate(touching) + touching * z, 0.0, atol=1e-12)


def test_logistic_does_not_overflow():
    z = np.array([-1e4, 0.0, 1e4])
    loss = MARGIN_LOSSES["logistic"]
    np.testing.assert_allclose(loss.value(z), [1e4, np.log(2), 0.0])
    np.testing.assert_allclose(loss.slope(z), [1.0, 0.5, 0.0])
    assert np.isfinite(loss.conjugate(loss.slope(z))).all()


# ---------------------------------------------------------------- bounds


@pytest.mark.parametrize(("loss", "penalty"), SETTINGS)
@pytest.mark.parametrize("free", [True, False])
def test_no_value_is_below_any_bound(loss, penalty, free):
    problem, rng = _problem(loss, penalty, free), np.random.default_rng(1)
    thetas = rng.normal(size=(30, 5)) * rng.choice([0.1, 1.0, 3.0], size=(30, 1))
    assert max(problem.dual(t) for t in thetas) <= min(problem.value(t) for t in thetas)


@pytest.mark.parametrize(("loss", "penalty"), SETTINGS)
@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_bounds_are_sharp_from_any_start(loss, penalty, free, sparse):
    problem = _problem(loss, penalty, free, sparse=sparse)
    far = np.random.default_rng(2).normal(size=5) * 3
    bounds = [lower_bound(problem, start) for start in (np.zeros(5), far)]
    for proof in bounds:
        assert proof.dual <= problem.value(proof.theta) * (1 + 1e-12)
    assert bounds[0].dual == pytest.approx(bounds[1].dual, rel=1e-5)
    best = min(problem.value(proof.theta) for proof in bounds)
    smoothed = 1e-2 if loss == "hinge" else 1e-6  # the hinge's bound is sharper than the smoothed problem's own point
    assert best - bounds[0].dual <= smoothed * best


def test_conjugate_gradients_find_the_same(monkeypatch):
    problem = _problem("logistic")
    direct = lower_bound(problem, np.zeros(5)).dual
    monkeypatch.setattr("benchmarks.referee.linear_problem.DIRECT", 2)
    assert lower_bound(problem, np.zeros(5)).dual == pytest.approx(direct, rel=1e-6)


def test_blocks_of_rows_add_up(monkeypatch):
    problem = _problem("squared_hinge")
    whole = lower_bound(problem, np.zeros(5)).dual
    monkeypatch.setattr("benchmarks.referee.linear_problem.BLOCK", 16)
    assert lower_bound(problem, np.zeros(5)).dual == pytest.approx(whole, rel=1e-12)


def test_a_sharp_start_is_left_alone():
    problem = _problem("logistic")
    theta = lower_bound(problem, np.zeros(5)).theta
    assert lower_bound(problem, theta).theta is theta


def test_slopes_of_both_classes_are_balanced():
    sign, a = np.array([1.0, 1.0, -1.0]), np.array([0.5, 0.5, 0.25])
    factors = _balance(sign, a)
    np.testing.assert_allclose(factors, [0.25, 0.25, 1.0])
    assert _balance(np.ones(2), np.ones(2)).tolist() == [0.0, 0.0]  # one class alone: nothing is feasible but zero


# ---------------------------------------------------------------- closed forms


@pytest.mark.parametrize("free", [True, False])
def test_squared_hinge_is_ridge_where_no_margin_is_beyond_one(free):
    X, y = _data()
    C, rows = 1e-3, with_constant(X)
    ridge = np.diag([1.0] * 4 + [0.0 if free else 1.0])
    theta = np.linalg.solve(2 * C * rows.T @ rows + ridge, 2 * C * rows.T @ y)
    assert (y * (rows @ theta) < 1).all()
    objective = C * ((y - rows @ theta) ** 2).sum() + 0.5 * theta @ ridge @ theta
    problem = binary(rows, y, "squared_hinge", C=C, free_intercept=free)
    proof = lower_bound(problem, np.zeros(5))
    np.testing.assert_allclose(proof.theta, theta, rtol=1e-6)
    assert problem.value(theta) == pytest.approx(objective)
    assert problem.dual(theta) == pytest.approx(objective, rel=1e-9)
    assert proof.dual == pytest.approx(objective, rel=1e-9)


@pytest.mark.parametrize(("C", "optimum"), [(10.0, 1 / 8), (0.05, 2 * 0.05 - 2 * 0.05**2 * 4)])
def test_two_points_in_closed_form(C, optimum):
    """Points at -2 and 2: w = 1/2 if C allows it, else w = 4 C."""
    problem = binary(with_constant(np.array([[-2.0], [2.0]])), [-1, 1], "hinge", C=C)
    assert problem.value(np.array([min(0.5, 4 * C), 0.0])) == pytest.approx(optimum)
    assert lower_bound(problem, np.zeros(2)).dual == pytest.approx(optimum, rel=1e-4)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_logistic_without_features_is_the_entropy_of_the_classes(penalty):
    y = np.repeat([1, -1], [30, 10])
    rows = with_constant(np.zeros((40, 1)))
    optimum = -2.0 * (30 * np.log(30 / 40) + 10 * np.log(10 / 40))
    proof = lower_bound(binary(rows, y, "logistic", C=2.0, penalty=penalty), np.zeros(2))
    assert proof.dual == pytest.approx(optimum, rel=1e-9)


def test_a_strong_l1_penalty_leaves_nothing():
    X, y = _data()
    pull = np.abs(X.T @ (y / 2 - y.mean() / 2)).max()  # at w = 0 with the best intercept
    problem = binary(with_constant(X), y, "logistic", C=0.5 / pull, penalty="l1")
    share = (y > 0).mean()
    optimum = -0.5 / pull * len(y) * (share * np.log(share) + (1 - share) * np.log(1 - share))
    proof = lower_bound(problem, np.zeros(5))
    assert not proof.theta[:4].any()
    assert proof.dual == pytest.approx(optimum, rel=1e-9)


def test_multinomial_of_two_classes_is_the_binary_model_at_half_the_price():
    X, y = _data()
    rows = with_constant(X)
    two = lower_bound(Multinomial(rows, (y + 1) // 2, C=0.7), np.zeros(10)).dual
    one = lower_bound(binary(rows, y, "logistic", C=1.4), np.zeros(5)).dual
    assert two == pytest.approx(one / 2, rel=1e-6)


# ---------------------------------------------------------------- other solvers


@pytest.mark.parametrize("free", [True, False])
def test_hinge_as_a_quadratic_program_for_scipy(free):
    problem = _problem("hinge", free=free, n=14, d=3)
    n, d = problem.rows.shape
    margins = LinearConstraint(np.hstack([problem.sign[:, None] * problem.rows, np.eye(n)]), 1.0, np.inf)
    weight = np.concatenate([[1.0] * (d - 1), [0.0 if free else 1.0], np.zeros(n)])
    cost = np.concatenate([np.zeros(d), np.full(n, problem.C)])
    found = minimize(
        lambda v: 0.5 * v @ (weight * v) + cost @ v,
        np.concatenate([np.zeros(d), np.ones(n)]),
        jac=lambda v: weight * v + cost,
        bounds=[(None, None)] * d + [(0, None)] * n,
        constraints=margins,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert problem.value(found.x[:d]) == pytest.approx(found.fun, rel=1e-6)
    assert lower_bound(problem, np.zeros(d)).dual == pytest.approx(found.fun, rel=1e-5)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_smooth_losses_with_scipy(loss):
    problem = _problem(loss)
    found = minimize(problem.value, np.zeros(5), method="BFGS", options={"gtol": 1e-7})
    assert lower_bound(problem, np.zeros(5)).dual == pytest.approx(found.fun, rel=1e-6)


def test_multinomial_with_scipy():
    X, y = make_classification(n_samples=80, n_features=4, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    problem = Multinomial(with_constant(X), y, C=0.5)
    found = minimize(problem.value, np.zeros(15), method="BFGS", options={"gtol": 1e-5})
    proof = lower_bound(problem, np.zeros(15))
    assert proof.dual == pytest.approx(found.fun, rel=1e-6)
    gradient = problem.at(proof.theta + 0.1, problem.scores(proof.theta + 0.1)).gradient
    numeric = [
        (problem.value(proof.theta + 0.1 + h) - problem.value(proof.theta + 0.1 - h)) / 2e-6 for h in 1e-6 * np.eye(15)
    ]
    np.testing.assert_allclose(gradient, numeric, atol=1e-6)


# ---------------------------------------------------------------- models


def _case(loss, penalty="l2"):
    return Case("test", None, loss, (), 1.0, penalty=penalty, C=0.5)


def _of(model, penalised=False):
    return Coefficients(model.coef_, model.intercept_, penalised)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_model_is_judged_by_the_problem_that_it_solves(classes):
    X, y = make_classification(
        n_samples=120, n_features=5, n_informative=4, n_redundant=0, n_classes=classes, random_state=1
    )
    judge = Judge(_case("squared_hinge"), X + 2.0, y * 3)
    model = LinearSVC(C=0.5, tol=1e-8, max_iter=100_000, random_state=0).fit(X + 2.0, y * 3)
    own, other = judge(_of(model, penalised=True)), judge(_of(model, penalised=False))
    assert own.relative_gap < 1e-6
    assert own.reached
    assert other.relative_gap > 1e-4  # it costs something to penalise the intercept
    assert own.problems == (1 if classes == 2 else 3)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_gap_falls_with_the_tolerance(classes, sparse):
    X, y = make_classification(
        n_samples=120, n_features=5, n_informative=4, n_redundant=0, n_classes=classes, random_state=1
    )
    X = sp.csr_matrix(X) if sparse else X
    judge = Judge(_case("logistic"), X, y)
    gaps = [judge(_of(LogisticRegression(C=0.5, tol=tol).fit(X, y))).relative_gap for tol in (1e-1, 1e-3, 1e-7)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert abs(gaps[2]) < 3e-6


def test_coefficients_that_are_not_zero_are_counted():
    X, y = _data()
    judge = Judge(_case("logistic", "l1"), X, y)
    judged = judge(Coefficients(np.array([[1.0, 0.0, 0.0, 0.5]]), np.zeros(1), penalised=False))
    assert judged.nonzeros == 2
    assert not judged.reached


@pytest.mark.parametrize("coef", [np.ones((1, 3)), np.full((1, 4), np.nan), np.ones((2, 4))])
def test_what_is_no_model_is_refused(coef):
    X, y = _data()
    with pytest.raises(ValueError, match="coefficients of shape"):
        Judge(_case("hinge"), X, y)(Coefficients(coef, np.zeros(len(coef)), penalised=False))


def test_problems_are_what_they_say():
    assert isinstance(_problem("hinge"), Binary)
    X, y = _data()
    with pytest.raises(ValueError, match="free intercept"):
        Judge(_case("logistic"), X, np.arange(len(y)) % 3)(Coefficients(np.ones((3, 4)), np.zeros(3), penalised=True))
