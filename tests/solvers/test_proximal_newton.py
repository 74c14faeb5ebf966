"""Proximal Newton: proven gaps with the Hessian formed and by columns, sparsity, degenerate data."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.certificates import Status
from maxmargin.data import Rows
from maxmargin.losses import LOSSES, make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import Risk
from maxmargin.solvers import Monitor, Newton, ProximalNewton

from .risks import STORAGE, make_risk, proven

SMOOTH = [name for name, facts in LOSSES.items() if facts.convex and facts.smoothness < np.inf]


@pytest.fixture(params=["formed", "columns"])
def way(request, monkeypatch):
    """Both ways to minimise the model, whatever the number of features."""
    monkeypatch.setattr("maxmargin.solvers.linear.proximal_newton._NARROW", 10**9 if request.param == "formed" else 0)
    return request.param


@pytest.fixture(scope="module")
def make():
    """A function: a risk on clouds that overlap, of the loss's own kind."""

    def risk(loss="logistic", penalty="l1", store="dense64", intercept=True, C=0.5, n=150, d=8, strength=1.0):
        rng = np.random.default_rng(5)
        X = rng.normal(size=(n, d)) + 0.5
        X[np.abs(X) < 0.3] = 0.0
        target = X[:, :3] @ rng.normal(size=3) + 0.4 + rng.normal(size=n)
        c = C * rng.uniform(0.5, 1.5, n)
        return make_risk(X, target, c, make_loss(loss, 0.2), make_penalty(penalty, strength=strength), store, intercept)

    return risk


@pytest.mark.parametrize("store", STORAGE)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("penalty", ["l1", "l2", "elastic_net"])
@pytest.mark.parametrize("loss", SMOOTH)
def test_proves_its_gap(make, way, loss, penalty, intercept, store):
    problem = make(loss, penalty, store, intercept)
    solution = ProximalNewton.solve(problem, problem.start(), 1e-6)
    assert solution.status is Status.CONVERGED
    assert proven(problem, solution).relative_gap <= 2e-6


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("penalty", ["l2", "none"])
def test_same_minimum_as_newton(make, way, loss, penalty):
    problem = make(loss, penalty)
    found = ProximalNewton.solve(problem, problem.start(), 1e-11).variables
    reference = Newton.solve(problem, problem.start(), 1e-13).variables
    assert problem.value(found) == pytest.approx(problem.value(reference), rel=1e-9)
    assert_allclose(found, reference, atol=1e-3)


def test_both_ways_find_the_same_zeros(make, monkeypatch):
    found = []
    for narrow in (0, 10**9):
        monkeypatch.setattr("maxmargin.solvers.linear.proximal_newton._NARROW", narrow)
        problem = make("logistic", "l1", strength=8.0)
        found.append(ProximalNewton.solve(problem, problem.start(), 1e-10).variables)
    assert_allclose(found[0], found[1], atol=1e-5)
    assert_array_equal(found[0] == 0, found[1] == 0)
    assert 1 <= np.count_nonzero(found[0][:-1]) < problem.d


def test_a_penalty_above_the_largest_slope_leaves_no_weight(make, way):
    problem = make("logistic", "l1", strength=1e4)
    solution = ProximalNewton.solve(problem, problem.start(), 1e-12)
    assert solution.status is Status.CONVERGED
    assert_array_equal(solution.variables[:-1], np.zeros(problem.d))
    share = problem.weights[problem.y > 0].sum() / problem.weights.sum()
    assert solution.variables[-1] == pytest.approx(np.log(share / (1 - share)), rel=1e-6)


def test_wide_data(way):
    rng = np.random.default_rng(0)
    X = sp.random_array((60, 800), density=0.05, rng=rng, format="csr")
    y = np.where(rng.normal(size=60) > 0, 1.0, -1.0)
    problem = Risk(Rows(X), y, np.full(60, 5.0), make_loss("logistic"), make_penalty("l1"))
    solution = ProximalNewton.solve(problem, problem.start(), 1e-6)
    assert solution.status is Status.CONVERGED
    assert proven(problem, solution).relative_gap <= 2e-6
    assert np.count_nonzero(solution.variables) <= 62


def test_warm_start(make, way):
    problem = make()
    cold = ProximalNewton.solve(problem, problem.start(), 1e-8)
    again = ProximalNewton.solve(problem, cold.variables, 1e-7)
    assert again.status is Status.CONVERGED
    assert again.iterations <= 1


def test_start_is_not_changed(make, way):
    problem, start = make(), np.full(9, 0.1)
    ProximalNewton.solve(problem, start, 1e-6)
    assert_array_equal(start, np.full(9, 0.1))


def test_interrupted_and_budget(make, way):
    problem = make()
    solution = ProximalNewton.solve(problem, problem.start(), 1e-12, monitor=Monitor(callback=lambda state: True))
    assert solution.status is Status.INTERRUPTED
    assert solution.iterations == 0
    solution = ProximalNewton.solve(problem, problem.start(), 1e-14, 1)
    assert solution.status is Status.BUDGET_EXHAUSTED
    assert solution.iterations == 1


def test_deterministic(make, way):
    problem = make(store="csr32")
    first, second = (ProximalNewton.solve(problem, problem.start(), 1e-6).variables for _ in range(2))
    assert_array_equal(first, second)


@pytest.mark.parametrize("loss", SMOOTH)
def test_samples_without_weight_take_no_part(make, way, loss):
    whole = make(loss)
    c = whole.weights.copy()
    c[::3] = 0.0
    kept = np.flatnonzero(c)
    parts = [
        Risk(whole.rows, whole.y, c, whole.loss, whole.penalty),
        Risk(Rows(whole.rows.take(kept)), whole.y[kept], c[kept], whole.loss, whole.penalty),
    ]
    found = [ProximalNewton.solve(p, p.start(), 1e-10).variables for p in parts]
    assert_allclose(found[0], found[1], atol=1e-5)
    empty = Risk(whole.rows, whole.y, np.zeros(whole.n), whole.loss, whole.penalty)
    assert_array_equal(ProximalNewton.solve(empty, empty.start(), 1e-6).variables, np.zeros(whole.d + 1))


@pytest.mark.parametrize("loss", SMOOTH)
def test_a_row_twice_is_a_weight_of_two(make, way, loss):
    problem = make(loss)
    X = problem.rows.take(np.arange(problem.n))
    twice = Risk(
        Rows(np.vstack([X, X])), np.tile(problem.y, 2), np.tile(problem.weights, 2) / 2, problem.loss, problem.penalty
    )
    found = [ProximalNewton.solve(p, p.start(), 1e-10).variables for p in (problem, twice)]
    assert_allclose(found[0], found[1], atol=1e-5)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("penalty", ["l1", "l2", "elastic_net", "none"])
@pytest.mark.parametrize("loss", SMOOTH)
def test_small_and_degenerate(way, loss, penalty, intercept):
    made, penalty = make_loss(loss, 0.1), make_penalty(penalty)
    labels = np.array([-1.0, -1, 1, -1, 1, 1])
    problems = [
        Risk(Rows(np.array([[2.0]])), np.array([1.0]), np.array([1.0]), made, penalty, intercept),
        Risk(
            Rows(np.column_stack([np.ones(6), np.zeros(6), np.arange(6.0)])),
            labels,
            np.ones(6),
            made,
            penalty,
            intercept,
        ),
        Risk(Rows(sp.csr_array((6, 2))), labels, np.ones(6), made, penalty, intercept),
        Risk(Rows(np.arange(8.0).reshape(4, 2)), np.ones(4), np.ones(4), made, penalty, intercept),
    ]
    for problem in problems:
        solution = ProximalNewton.solve(problem, problem.start(), 1e-6, 200)
        assert np.isfinite(solution.variables).all()
        evidence = proven(problem, solution)
        if solution.status is Status.CONVERGED and penalty.name != "none":
            assert evidence.relative_gap <= 2e-6 or evidence.primal <= 1e-9


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_unscaled_data_end_truthfully(make, way, loss, scale):
    plain = make(loss)
    X = plain.rows.take(np.arange(plain.n)) * scale
    problem = Risk(Rows(X), plain.y, plain.weights, plain.loss, plain.penalty)
    solution = ProximalNewton.solve(problem, problem.start(), 1e-4, 100)
    assert np.isfinite(solution.variables).all()
    if solution.status is Status.CONVERGED:
        assert proven(problem, solution).relative_gap <= 2e-4
    else:
        assert solution.status in (Status.BUDGET_EXHAUSTED, Status.STALLED)


def test_ctrl_c_returns_what_there_is(make):
    def stop(state):
        raise KeyboardInterrupt

    problem = make()
    solution = ProximalNewton.solve(problem, problem.start(), 1e-12, monitor=Monitor(callback=stop))
    assert solution.status is Status.INTERRUPTED
    assert solution.keyboard
    assert np.isfinite(proven(problem, solution).gap)
