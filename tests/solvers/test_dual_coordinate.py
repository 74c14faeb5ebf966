"""Dual coordinate ascent: proven gaps, the constraint of the intercept, samples that are left out."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.certificates import Status
from maxmargin.data import Rows
from maxmargin.losses import LOSSES, make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import Risk
from maxmargin.solvers import DualCoordinate, Monitor, Newton
from maxmargin.svm import SVC

from .risks import STORAGE, make_risk, proven

CONVEX = [name for name, facts in LOSSES.items() if facts.convex]


@pytest.fixture(scope="module")
def make():
    """A function: a risk on clouds that overlap, of the loss's own kind."""

    def risk(loss="hinge", penalty="l2", store="dense64", intercept=True, C=0.3, n=120, d=5, offset=0.0, strength=1.0):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(n, d)) + offset
        X[np.abs(X) < 0.3] = 0.0
        target = (X - offset) @ rng.normal(size=d) + 0.7 + rng.normal(size=n)
        c = C * rng.uniform(0.5, 1.5, n)
        return make_risk(X, target, c, make_loss(loss, 0.2), make_penalty(penalty, strength=strength), store, intercept)

    return risk


@pytest.mark.parametrize("store", STORAGE)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("penalty", ["l2", "elastic_net"])
@pytest.mark.parametrize("loss", CONVEX)
def test_proves_its_gap(make, loss, penalty, intercept, store):
    problem = make(loss, penalty, store, intercept)
    solution = DualCoordinate.solve(problem, problem.start(), 1e-6)
    assert solution.status is Status.CONVERGED
    # perceptron: zero is optimal, and the gap relative to it
    assert proven(problem, solution).relative_gap <= 2e-6 or proven(problem, solution).primal <= 1e-12


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "epsilon_insensitive"])
def test_slopes_sum_to_zero_and_stay_in_their_domain(make, loss):
    problem = make(loss)
    for budget in (1, 3, 1000):
        u = DualCoordinate.solve(problem, problem.start(), 1e-6, budget).slopes
        c = problem.weights
        assert abs(c @ u) <= 1e-9 * (c @ np.abs(u))
        assert np.isfinite(problem.loss.conjugate(u, problem.y)).all()


@pytest.mark.parametrize("loss", CONVEX)
def test_shrinking_changes_nothing(make, loss):
    problem = make(loss, offset=1.0)
    with_it, without = (
        DualCoordinate.solve(problem, problem.start(), 1e-9, shrinking=shrinking) for shrinking in (True, False)
    )
    assert with_it.status is without.status is Status.CONVERGED
    assert problem.value(with_it.variables) == pytest.approx(problem.value(without.variables), rel=1e-8, abs=1e-12)
    assert_allclose(with_it.variables[:-1], without.variables[:-1], atol=1e-3)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared", "squared_epsilon_insensitive"])
def test_same_minimum_as_newton(make, loss, intercept):
    problem = make(loss, intercept=intercept, offset=2.0)
    found = DualCoordinate.solve(problem, problem.start(), 1e-10).variables
    reference = Newton.solve(problem, problem.start(), 1e-12).variables
    assert problem.value(found) == pytest.approx(problem.value(reference), rel=1e-9)
    assert_allclose(found, reference, atol=1e-4)


@pytest.mark.parametrize("C", [1e-4, 0.3, 30.0])
def test_same_machine_as_the_kernel_one(make, C):
    problem = make("hinge", C=C)
    X = problem.rows.take(np.arange(problem.n))
    machine = SVC(kernel="linear", C=1.0, tol=1e-8, gap_tol=1e-8).fit(X, problem.y, problem.weights)
    solution = DualCoordinate.solve(problem, problem.start(), 1e-7, 100_000)
    assert solution.status is Status.CONVERGED
    theirs = problem.value(np.append(machine.coef_[0], machine.intercept_[0]))
    assert problem.value(solution.variables) == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_warm_start(make, loss):
    problem = make(loss)
    cold = DualCoordinate.solve(problem, problem.start(), 1e-7)
    again = DualCoordinate.solve(problem, cold.variables, 1e-7, slopes=cold.slopes)
    assert again.status is Status.CONVERGED
    assert again.iterations <= 0.1 * cold.iterations + 2
    stronger = Risk(problem.rows, problem.y, 1.1 * problem.weights, problem.loss, problem.penalty)
    for slopes in (cold.slopes, None):  # without slopes those of the weights serve
        warm = DualCoordinate.solve(stronger, cold.variables, 1e-7, slopes=slopes)
        assert proven(stronger, warm).relative_gap <= 2e-7


def test_interrupted(make):
    problem = make(n=400)
    heard = []
    monitor = Monitor(callback=lambda state: heard.append(state) or len(heard) == 2)
    solution = DualCoordinate.solve(problem, problem.start(), 1e-15, monitor=monitor)
    assert solution.status is Status.INTERRUPTED
    assert len(heard) == 2
    assert np.isfinite(proven(problem, solution).gap)


def test_budget(make):
    problem = make()
    solution = DualCoordinate.solve(problem, problem.start(), 1e-12, 3)
    assert solution.status is Status.BUDGET_EXHAUSTED
    assert solution.iterations == 3


def test_deterministic(make):
    problem = make(store="csr32")
    runs = [DualCoordinate.solve(problem, problem.start(), 1e-5, seed=seed) for seed in (1, 1, 2)]
    assert_array_equal(runs[0].variables, runs[1].variables)
    assert_array_equal(runs[0].slopes, runs[1].slopes)
    assert (runs[0].variables != runs[2].variables).any()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "squared"])
def test_samples_without_weight_take_no_part(make, loss):
    whole = make(loss)
    c = whole.weights.copy()
    c[::3] = 0.0
    kept = np.flatnonzero(c)
    parts = [
        Risk(whole.rows, whole.y, c, whole.loss, whole.penalty),
        Risk(Rows(whole.rows.take(kept)), whole.y[kept], c[kept], whole.loss, whole.penalty),
    ]
    found = [DualCoordinate.solve(p, p.start(), 1e-9) for p in parts]
    assert_allclose(found[0].variables, found[1].variables, atol=1e-4)
    assert (found[0].slopes[::3] == 0).all()
    empty = Risk(whole.rows, whole.y, np.zeros(whole.n), whole.loss, whole.penalty)
    assert_array_equal(DualCoordinate.solve(empty, empty.start(), 1e-6).variables, np.zeros(whole.d + 1))


def test_a_row_twice_is_a_weight_of_two(make):
    problem = make("hinge")
    X = problem.rows.take(np.arange(problem.n))
    twice = Risk(
        Rows(np.vstack([X, X])), np.tile(problem.y, 2), np.tile(problem.weights, 2) / 2, problem.loss, problem.penalty
    )
    values = [p.value(DualCoordinate.solve(p, p.start(), 1e-8, 100_000).variables) for p in (problem, twice)]
    assert values[0] == pytest.approx(values[1], rel=1e-7)


@pytest.mark.parametrize("loss", CONVEX)
@pytest.mark.parametrize("intercept", [True, False])
def test_small_and_degenerate(loss, intercept):
    made = make_loss(loss, 0.1)
    one = Risk(Rows(np.array([[2.0]])), np.array([1.0]), np.array([1.0]), made, make_penalty("l2"), intercept)
    constant = Risk(
        Rows(np.column_stack([np.ones(6), np.zeros(6), np.arange(6.0)])),
        np.array([-1.0, -1, 1, -1, 1, 1]),
        np.ones(6),
        made,
        make_penalty("l2"),
        intercept,
    )
    nothing = Risk(
        Rows(sp.csr_array((6, 2))), np.array([-1.0, -1, 1, -1, 1, 1]), np.ones(6), made, make_penalty("l2"), intercept
    )
    one_class = Risk(Rows(np.arange(8.0).reshape(4, 2)), np.ones(4), np.ones(4), made, make_penalty("l2"), intercept)
    for problem in (one, constant, nothing, one_class):
        solution = DualCoordinate.solve(problem, problem.start(), 1e-6, 2000)
        assert np.isfinite(solution.variables).all()
        evidence = proven(problem, solution)
        if solution.status is Status.CONVERGED:
            assert evidence.relative_gap <= 2e-6 or evidence.primal <= 1e-9
        else:  # a logistic loss of one class alone has no minimum, and of a zero the relative gap is not small
            assert evidence.primal <= 1e-2 or evidence.relative_gap <= 1e-4


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "epsilon_insensitive"])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_unscaled_data_end_truthfully(make, loss, scale):
    plain = make(loss)
    X = plain.rows.take(np.arange(plain.n)) * scale
    problem = Risk(Rows(X), plain.y, plain.weights, plain.loss, plain.penalty)
    solution = DualCoordinate.solve(problem, problem.start(), 1e-4, 300)
    assert np.isfinite(solution.variables).all()
    if solution.status is Status.CONVERGED:
        assert proven(problem, solution).relative_gap <= 2e-4
    else:
        assert solution.status is Status.BUDGET_EXHAUSTED


def test_ctrl_c_returns_what_there_is(make):
    def stop(state):
        raise KeyboardInterrupt

    problem = make()
    solution = DualCoordinate.solve(problem, problem.start(), 1e-12, monitor=Monitor(callback=stop))
    assert solution.status is Status.INTERRUPTED
    assert solution.keyboard
    assert np.isfinite(proven(problem, solution).gap)
