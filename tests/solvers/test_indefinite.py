"""Stationary points of indefinite problems, beside LIBSVM's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.preprocessing import StandardScaler

from maxmargin.certificates import Status, kkt_violation
from maxmargin.kernels import MatrixGram, Sigmoid
from maxmargin.problems import BoxQP
from maxmargin.solvers import solve_stationary


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), np.where(y == 1, 1.0, -1.0)


def dual(K, p, beta):
    return float(p @ beta - beta @ K @ beta / 2)


@pytest.mark.parametrize(
    "gamma, coef0, C", [(1 / 30, 0.0, 1.0), (0.3, -1.0, 1.0), (0.5, 0.0, 100.0), (0.01, -1.0, 10.0)]
)
def test_at_least_as_good_as_libsvm_and_the_same_point(cancer, gamma, coef0, C):
    X, sign = cancer
    K = Sigmoid(gamma, coef0)(X)
    peer = sklearn.svm.SVC(kernel="precomputed", C=C).fit(K, sign)
    theirs = np.zeros(len(sign))
    theirs[peer.support_] = peer.dual_coef_[0]
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), sign, np.full(len(sign), C))
    found = solve_stationary(problem, sign=-1)
    assert found.status is Status.STATIONARY
    assert found.evidence.kkt_violation <= 1e-3
    assert dual(K, sign, found.variables) >= dual(K, sign, theirs) * (1 - 1e-14)
    assert np.abs(found.variables - theirs).max() < 0.05 * C  # and not another point of a better objective
    values = K @ found.variables + found.evidence.intercepts[0]
    assert np.mean((values > 0) != (peer.predict(K) > 0)) <= 1 / 569


def problems():
    X, y = make_moons(40, noise=0.3, random_state=0)
    gram = MatrixGram(Sigmoid(2.0, -0.5)(X), symmetric=True)
    sign, ones = np.where(y == 1, 1.0, -1.0), np.ones(40)
    return {
        "classifier": BoxQP.classifier(gram, sign, ones),
        "nu classifier": BoxQP.nu_classifier(gram, sign, ones, 0.4),
        "regressor": BoxQP.regressor(gram, X[:, 0], ones, 0.1),
        "nu regressor": BoxQP.nu_regressor(gram, X[:, 0], ones, 0.4),
        "one class": BoxQP.one_class(gram, ones, 0.3),
    }


@pytest.mark.parametrize("name", list(problems()))
def test_every_kind_of_problem_ends_stationary(name):
    problem = problems()[name]
    found = solve_stationary(problem, tolerance=1e-6)
    assert found.status is Status.STATIONARY
    assert kkt_violation(problem, found.variables, problem.p - problem.image(found.variables)) <= 1e-6
    assert (problem.lower <= found.variables).all() and (found.variables <= problem.upper).all()
    for g, total in enumerate(problem.totals):
        assert found.variables[problem.members(g)].sum() == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("name", list(problems()))
def test_rows_that_do_not_fit_give_the_same(name, monkeypatch):
    problem = problems()[name]
    whole = solve_stationary(problem)
    monkeypatch.setattr("maxmargin.solvers.kernel.indefinite.MODERATE", 10)
    rows = solve_stationary(problem, cache_bytes=8 * 40 * 5)
    np.testing.assert_allclose(rows.variables, whole.variables, atol=1e-9)


def test_variables_are_set_aside_as_in_libsvm():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1200, 8))
    sign = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(1200) > 0, 1.0, -1.0)
    K = Sigmoid(0.02, 0.0)(X)
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), sign, np.full(1200, 100.0))
    for shrinking in (True, False):
        peer = sklearn.svm.SVC(kernel="precomputed", C=100.0, shrinking=shrinking).fit(K, sign)
        assert peer.n_iter_[0] > 1000  # else nothing is set aside
        theirs = np.zeros(len(sign))
        theirs[peer.support_] = peer.dual_coef_[0]
        found = solve_stationary(problem, sign=-1, shrinking=shrinking)
        assert dual(K, sign, found.variables) >= dual(K, sign, theirs) * (1 - 1e-14)
        assert np.mean(np.abs(found.variables - theirs) > 10) < 0.01


def test_from_a_start_the_objective_only_rises():
    problem = problems()["classifier"]
    K = problem.gram.whole(np.float64)
    start = np.random.default_rng(0).uniform(problem.lower, problem.upper)
    start -= np.where(problem.upper > 0, max(start.sum(), 0), min(start.sum(), 0)) / 20
    start = np.clip(start, problem.lower, problem.upper)
    balance = start[problem.upper > 0].sum() / -start[problem.lower < 0].sum()
    start[problem.lower < 0] *= min(balance, 1.0)
    start[problem.upper > 0] /= max(balance, 1.0)
    found = solve_stationary(problem, start)
    assert dual(K, problem.p, found.variables) > dual(K, problem.p, start)


def test_budget_is_kept():
    found = solve_stationary(problems()["classifier"], budget=3)
    assert found.status is Status.BUDGET_EXHAUSTED
    assert found.iterations == 3
