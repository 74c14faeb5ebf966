"""Crammer and Singer's machine: the gap, the constraints, and the same objective as LIBLINEAR."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import LinearSVC

from maxmargin.certificates import Status, evaluate_crammer_singer
from maxmargin.data import Rows
from maxmargin.problems import CrammerSingerRisk
from maxmargin.solvers import CrammerSinger, Monitor

from .risks import STORAGE


@pytest.fixture(scope="module")
def make(load):
    """A function: the machine on iris."""

    def risk(store="dense64", intercept=True, C=1.0, offset=0.0, threads=1):
        X, y = load("iris")
        weights = C * np.random.default_rng(0).uniform(0.5, 1.5, len(y))
        return CrammerSingerRisk(Rows(STORAGE[store](X + offset)), y.astype(np.int64), 3, weights, intercept, threads)

    return risk


def proven(problem, solution):
    return evaluate_crammer_singer(problem, solution.variables, solution.slopes)


@pytest.mark.parametrize("store", STORAGE)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [1e-4, 0.1, 1.0])
def test_proves_its_gap(make, store, intercept, C):
    problem = make(store, intercept, C)
    solution = CrammerSinger.solve(problem, None, 1e-6, 100_000)
    assert solution.status is Status.CONVERGED
    evidence = proven(problem, solution)
    assert evidence.relative_gap <= 1e-6
    assert evidence.primal == pytest.approx(problem.value(solution.variables), rel=1e-12)
    assert evidence.gap == pytest.approx(evidence.primal - evidence.dual, rel=1e-3, abs=1e-9 * evidence.primal)


def test_any_feasible_point_has_a_gap_that_is_not_negative(make):
    rng = np.random.default_rng(1)
    problem = make(intercept=False)
    best = proven(problem, CrammerSinger.solve(problem, None, 1e-8, 100_000))
    for _ in range(20):
        alpha = -rng.exponential(size=(problem.n, 3)) * rng.integers(0, 2, size=(problem.n, 3))
        found = evaluate_crammer_singer(problem, rng.normal(size=(3, problem.d + 1)) * [1, 1, 1, 1, 0], alpha)
        assert found.primal >= best.dual
        assert found.dual <= best.primal
        assert found.gap == pytest.approx(found.primal - found.dual, rel=1e-9)
        C = problem.bounds()
        assert (found.u <= C).all()
        assert_allclose(found.u.sum(axis=1), 0, atol=1e-12)


def solution_dual(problem, solution):
    return evaluate_crammer_singer(problem, solution.variables, solution.slopes).dual


def test_multipliers_that_do_not_balance_prove_nothing(make):
    problem = make()
    solution = CrammerSinger.solve(problem, None, 1e-6)
    alpha = solution.slopes.copy()
    assert np.abs(alpha.sum(axis=0)).max() <= 1e-9 * np.abs(alpha).sum()
    alpha[problem.labels == 0] = 0.0
    found = evaluate_crammer_singer(problem, solution.variables, alpha)
    assert found.dual <= solution_dual(problem, solution) and found.relative_gap > 0.1


@pytest.mark.parametrize("intercept", [True, False])
def test_same_objective_as_liblinear(load, intercept):
    """LIBLINEAR penalises its intercept: it is given as a column of ones, to both."""
    X, y = load("iris")
    X = np.column_stack([X, np.ones(len(X))]) if intercept else X
    problem = CrammerSingerRisk(Rows(X), y.astype(np.int64), 3, np.ones(len(y)), fit_intercept=False)
    ours = CrammerSinger.solve(problem, None, 1e-7, 100_000)
    theirs = LinearSVC(multi_class="crammer_singer", fit_intercept=False, tol=1e-8, max_iter=100_000).fit(X, y)
    value = problem.value(np.column_stack([theirs.coef_, np.zeros(3)]))
    assert problem.value(ours.variables) == pytest.approx(value, rel=1e-6)


def test_a_shift_of_the_data_changes_the_intercepts_alone(make):
    plain, moved = (make(offset=offset) for offset in (0.0, 7.0))
    found = [CrammerSinger.solve(p, None, 1e-8, 100_000) for p in (plain, moved)]
    assert plain.value(found[0].variables) == pytest.approx(moved.value(found[1].variables), rel=1e-7)
    assert_allclose(found[0].variables[:, :-1], found[1].variables[:, :-1], atol=1e-2)


def test_two_classes_are_a_binary_machine(clouds):
    """With w_1 = -w_0 the loss is that of a hinge on f_1 - f_0, at twice the weight in ||w||^2."""
    from maxmargin.svm import SVC

    X, y = clouds(60)
    problem = CrammerSingerRisk(Rows(X), y.astype(np.int64), 2, np.ones(60))
    solution = CrammerSinger.solve(problem, None, 1e-8, 100_000)
    machine = SVC(kernel="linear", C=2.0, tol=1e-8, gap_tol=1e-8).fit(X, y)
    assert_allclose(solution.variables[1, :-1] - solution.variables[0, :-1], machine.coef_[0], atol=1e-3)


def test_shrinking_changes_nothing(make):
    problem = make()
    values = [
        problem.value(CrammerSinger.solve(problem, None, 1e-8, 100_000, shrinking=shrinking).variables)
        for shrinking in (True, False)
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-7)


def test_warm_start(make):
    problem = make()
    cold = CrammerSinger.solve(problem, None, 1e-6)
    again = CrammerSinger.solve(problem, cold.variables, 1e-6, slopes=cold.slopes)
    assert again.status is Status.CONVERGED
    assert again.iterations <= 0.1 * cold.iterations + 2


def test_interrupted_budget_and_determinism(make):
    problem = make("csr32")
    solution = CrammerSinger.solve(problem, None, 1e-12, monitor=Monitor(callback=lambda state: True))
    assert solution.status is Status.INTERRUPTED
    first, second = (CrammerSinger.solve(problem, None, 1e-12, 5) for _ in range(2))
    assert first.status is Status.BUDGET_EXHAUSTED
    assert first.iterations == 5
    assert_array_equal(first.variables, second.variables)
    assert proven(problem, first).gap < np.inf


def test_threads_change_nothing(make):
    alone, together = (make(threads=threads) for threads in (1, 2))
    W = np.random.default_rng(0).normal(size=(3, 5))
    assert_array_equal(alone.decision(W), together.decision(W))
    assert_array_equal(alone.transposed(alone.bounds()), together.transposed(together.bounds()))


@pytest.mark.parametrize("intercept", [True, False])
def test_small_and_degenerate(intercept):
    cases = [
        (np.array([[2.0]]), [0], 2, [1.0]),
        (np.zeros((4, 2)), [0, 1, 2, 0], 3, np.ones(4)),
        (np.ones((4, 2)), [0, 1, 2, 0], 3, np.ones(4)),
        (np.arange(8.0).reshape(4, 2), [1, 1, 1, 1], 3, np.ones(4)),
        (np.arange(8.0).reshape(4, 2), [0, 1, 2, 0], 3, [0.0, 1.0, 1.0, 0.0]),
        (np.arange(8.0).reshape(4, 2), [0, 1, 2, 0], 3, np.zeros(4)),
        (1e6 * np.arange(8.0).reshape(4, 2), [0, 1, 0, 1], 2, np.ones(4)),
    ]
    for X, labels, classes, weights in cases:
        problem = CrammerSingerRisk(Rows(X), np.array(labels), classes, np.asarray(weights, dtype=float), intercept)
        solution = CrammerSinger.solve(problem, None, 1e-6, 2000)
        assert np.isfinite(solution.variables).all()
        evidence = proven(problem, solution)
        assert evidence.gap >= 0
        if solution.status is Status.CONVERGED:
            assert evidence.relative_gap <= 1e-6


def test_a_row_twice_is_a_weight_of_two(make):
    problem = make()
    X = problem.rows.take(np.arange(problem.n))
    twice = CrammerSingerRisk(Rows(np.vstack([X, X])), np.tile(problem.labels, 2), 3, np.tile(problem.weights, 2) / 2)
    values = [p.value(CrammerSinger.solve(p, None, 1e-7, 100_000).variables) for p in (problem, twice)]
    assert values[0] == pytest.approx(values[1], rel=1e-6)


def test_ctrl_c_returns_what_there_is(make):
    def stop(state):
        raise KeyboardInterrupt

    problem = make()
    solution = CrammerSinger.solve(problem, None, 1e-12, monitor=Monitor(callback=stop))
    assert solution.status is Status.INTERRUPTED
    assert solution.keyboard
    assert np.isfinite(proven(problem, solution).gap)
