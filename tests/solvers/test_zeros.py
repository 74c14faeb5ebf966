"""Weights that an L1 penalty makes zero are zero, and the violation says what the gap says."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from maxmargin.certificates import evaluate_linear
from maxmargin.data import Rows
from maxmargin.linear_model import ElasticNet, Lasso, LassoCV, LinearClassifier, LogisticRegression
from maxmargin.losses import make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import MultinomialRisk, Risk
from maxmargin.solvers import _solve_risk, solve_risk
from maxmargin.solvers._zeros import with_exact_zeros
from maxmargin.solvers.linear import _interior_zeros, interior_point
from maxmargin.svm import LinearSVR


def rows(n, d, informative, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, :informative].sum(axis=1) + rng.normal(size=n)


def parts(model):
    certificate = model.certificate_
    return getattr(certificate, "problems", (certificate,))


# On some processors the interior point of narrow L1 machines stalls at a gap of 6e-9, or leaves a violation of 0.35
# beside a gap of 1e-14: known, and not mended yet.
_ROUNDING = pytest.mark.xfail(strict=False, reason="depends on the rounding of the processor")


@_ROUNDING
@pytest.mark.parametrize(("n", "d"), [(200, 30), (1000, 100), (2000, 20)])
@pytest.mark.parametrize("C", [0.01, 0.1])
@pytest.mark.parametrize("informative", [0, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_an_interior_point_leaves_the_zeros_of_the_optimum(n, d, C, informative, sparse):
    X, score = rows(n, d, informative)
    y, data = np.where(score > 0, 1, -1), sp.csr_array(X) if sparse else X
    for make in (
        lambda tol: LinearClassifier(penalty="l1", C=C, tol=tol).fit(data, y),
        lambda tol: LinearSVR(penalty="l1", C=C, tol=tol).fit(data, score),
    ):
        model, exact = make(1e-4), make(1e-9)
        assert exact.certificate_.relative_gap <= 1e-9 and exact.certificate_.kkt_violation < 1e-3
        zero, optimal = np.ravel(model.coef_) == 0, np.ravel(exact.coef_) == 0
        # weights that are next to zero at the optimum may be on either side of it
        assert np.abs(np.ravel(exact.coef_)[zero & ~optimal]).max(initial=0.0) < 1e-2
        assert (optimal & ~zero).sum() <= 2
        assert model.certificate_.kkt_violation < 0.1


@pytest.mark.parametrize("penalty", ["l1", "elastic_net"])
def test_zeros_make_neither_the_objective_nor_the_gap_worse(penalty, monkeypatch):
    for seed in range(4):
        X, score = rows(900, 40, 2, seed)
        y = np.where(score > 0, 1, -1)
        after = LinearClassifier(penalty=penalty, C=0.05).fit(X, y)
        with monkeypatch.context() as context:
            context.setattr(interior_point, "with_zeros", lambda problem, theta, *rest: theta)
            context.setattr(_solve_risk, "with_exact_zeros", lambda problem, theta, u, evidence: (theta, evidence))
            before = LinearClassifier(penalty=penalty, C=0.05).fit(X, y)
        assert (before.coef_ != 0).all() and before.certificate_.kkt_violation > 0.5
        assert (after.coef_ == 0).sum() >= 5 and after.certificate_.kkt_violation < 0.1
        assert after.certificate_.primal <= before.certificate_.primal
        assert after.certificate_.gap <= before.certificate_.gap
        assert after.certificate_.verify(X, y).status is after.certificate_.status


@_ROUNDING
def test_violations_of_all_machines_with_an_l1_part_fit_their_gaps():
    """A gap of rounding beside a violation of 2 was that of a weight of 2e-16 with the wrong sign."""
    X, labels = load_iris(return_X_y=True)
    for C in (0.003, 0.01, 0.1):
        model = LinearClassifier(penalty="l1", C=C).fit(X, labels)
        for part in parts(model):
            assert part.relative_gap < 1e-11 and part.kkt_violation < 1e-9
    X, score = rows(300, 12, 2)
    targets = np.column_stack([score, -X[:, 0], X[:, 1] ** 2])
    for model in (
        Lasso(0.1).fit(X, targets),
        Lasso(0.1, positive=True).fit(X, targets),
        ElasticNet(0.2).fit(X, targets),
        LassoCV(cv=3).fit(X, score),
        LogisticRegression(penalty="l1", C=0.05).fit(X, score > 0),
        LinearSVR(penalty="l1", C=0.05).fit(X, score),
        LinearClassifier(penalty="elastic_net", C=0.05).fit(X, score > 0),
    ):
        for part in parts(model):
            assert part.relative_gap < 1e-10 and part.kkt_violation < 1e-7
        assert (model.coef_ == 0).any() and (np.abs(model.coef_[model.coef_ != 0]) > 1e-7).all()


def problem(kind, penalty):
    X, score = rows(120, 6, 2)
    if kind == "multinomial":
        label = np.digitize(score, [-1.0, 1.0])
        return MultinomialRisk(Rows(X), label, 3, np.full(120, 0.05), penalty, True, 1)
    y = score if kind == "squared" else np.where(score > 0, 1.0, -1.0)
    return Risk(Rows(X), y, np.full(120, 0.02), make_loss(kind), penalty, True, 1)


@pytest.mark.parametrize("kind", ["hinge", "logistic", "squared_hinge", "squared", "multinomial"])
@pytest.mark.parametrize("name", ["l1", "elastic_net"])
def test_weights_that_are_rounding_are_set_to_zero_by_the_dual(kind, name):
    risk = problem(kind, make_penalty(name, 0.9))
    found = solve_risk(risk, tolerance=1e-9)
    zero = found.variables[:-1] == 0
    assert zero.any()
    off = found.variables.copy()
    off[:-1][zero] = 1e-18 * np.where(np.arange(zero.sum()) % 2, 1, -1)
    before = evaluate_linear(risk, off, found.slopes)
    assert before.kkt_violation > 0.1
    theta, after = with_exact_zeros(risk, off, found.slopes, before)
    np.testing.assert_array_equal(theta, found.variables)
    assert after.kkt_violation < 1e-3 and after.relative_gap <= 1e-9


def test_a_small_weight_that_is_right_stays():
    """Its subgradient is the dual's, and zero would be a worse answer."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + 0.12 * X[:, 1] + 1e-3 * rng.normal(size=200)
    risk = Risk(Rows(X), y, np.full(200, 1 / 200), make_loss("squared"), make_penalty("l1", strength=0.1), True, 1)
    found = solve_risk(risk, tolerance=1e-10)
    small = np.abs(found.variables[:-1])
    assert 0 < small[small > 0].min() < 0.05
    moved = found.variables + 1e-7
    moved[:-1][found.variables[:-1] == 0] = 0.0
    theta, _ = with_exact_zeros(risk, moved, None, evaluate_linear(risk, moved))
    np.testing.assert_array_equal(theta, moved)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_shift_is_the_least_of_all_kinks(seed):
    rng = np.random.default_rng(seed)
    left, s = rng.normal(size=(2, 15)), rng.choice([-1.0, 1.0], size=(2, 15))
    c = rng.uniform(size=15) * (rng.random(15) < 0.8)

    def value(t):
        return float((c * np.maximum(left - s * t, 0)).sum())

    assert value(_interior_zeros._best_shift(left, s, c)) == pytest.approx(
        min(map(value, (left / s).ravel())), abs=1e-12
    )
