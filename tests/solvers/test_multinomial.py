"""The multinomial problem: scikit-learn's optimum, proven."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from maxmargin.certificates import Status, evaluate_multinomial
from maxmargin.data import Rows
from maxmargin.penalties import make_penalty
from maxmargin.problems import MultinomialRisk
from maxmargin.solvers import Monitor, solve_risk
from maxmargin.solvers.multinomial_dual import MultinomialDual


def _problem(X, y, penalty="l2", fit_intercept=True, weights=None):
    c = np.ones(len(y)) if weights is None else weights
    return MultinomialRisk(Rows(X), y.astype(np.int64), len(set(y)), c, make_penalty(penalty), fit_intercept, 1)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_scikit_learns_weights(load, name, fit_intercept):
    X, y = load(name)
    peer = LogisticRegression(tol=1e-10, max_iter=10_000, fit_intercept=fit_intercept).fit(X, y)
    solution = solve_risk(_problem(X, y, fit_intercept=fit_intercept))
    assert solution.evidence.relative_gap <= 1e-12
    assert solution.variables[:-1].T == pytest.approx(peer.coef_, abs=1e-4)
    assert solution.variables[-1] == pytest.approx(peer.intercept_, abs=1e-4)


@pytest.mark.parametrize("penalty", ["l2", "l1", "elastic_net"])
@pytest.mark.parametrize("make", [lambda X: X, lambda X: X.astype(np.float32), sp.csr_array])
def test_gap_is_proven(load, penalty, make):
    X, y = load("iris")
    solution = solve_risk(_problem(make(X), y, penalty), tolerance=1e-5)
    assert solution.status is Status.CONVERGED
    assert solution.evidence.relative_gap <= 1e-5


def test_two_classes_are_the_binary_machine_with_half_the_penalty(load):
    X, y = load("breast_cancer")
    two = solve_risk(_problem(X, y)).variables
    peer = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(X, y)
    assert two[:-1, 1] - two[:-1, 0] == pytest.approx(peer.coef_[0], abs=1e-4)


def test_a_weight_of_two_is_the_row_twice(load):
    X, y = load("iris")
    weights = 1.0 + (np.arange(len(y)) % 2)
    again = np.repeat(np.arange(len(y)), weights.astype(int))
    one = solve_risk(_problem(X, y, weights=weights)).variables
    other = solve_risk(_problem(X[again], y[again])).variables
    assert one == pytest.approx(other, rel=1e-7, abs=1e-9)


def test_stops_when_it_is_told_and_goes_on(load):
    X, y = load("digits")
    problem = _problem(X, y)
    stopped = solve_risk(problem, monitor=Monitor(callback=lambda state: state["iteration"] >= 1))
    assert stopped.status is Status.INTERRUPTED
    assert solve_risk(problem, start=stopped.variables, tolerance=1e-3).status is Status.CONVERGED


@pytest.mark.parametrize("C", [1e-2, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("make", [lambda X: X, sp.csr_array])
def test_coordinate_ascent_finds_the_same(load, make, fit_intercept, C):
    X, y = load("iris")
    problem = _problem(make(X), y, fit_intercept=fit_intercept, weights=np.full(len(y), C))
    exact = solve_risk(problem).evidence
    solution = MultinomialDual.solve(problem, problem.start(), 1e-6, 10_000)
    found = evaluate_multinomial(problem, solution.variables)
    assert solution.status is Status.CONVERGED
    assert found.relative_gap <= 1e-5
    assert found.primal == pytest.approx(exact.primal, rel=1e-5)


@pytest.mark.parametrize("C", [1.0, 1e3, 1e6])
def test_wide_sparse_data_are_given_to_coordinate_ascent(C):
    rng = np.random.default_rng(0)
    X = sp.random_array((60, 2000), density=0.02, rng=rng, format="csr")
    solution = solve_risk(_problem(X, rng.integers(0, 3, 60), weights=np.full(60, C)), tolerance=1e-6)
    assert C > 1 or solution.solver == "dual_coordinate"  # it may give up on a large C
    assert np.isfinite(solution.variables).all()
    assert solution.status is Status.CONVERGED
