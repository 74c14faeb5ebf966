"""Solutions along C on a stored matrix, and Newton's step on a face."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from maxmargin.certificates import Status, evaluate, evaluate_tube
from maxmargin.kernels import MatrixGram, StoredMatrix
from maxmargin.problems import BoxQP
from maxmargin.solvers import PathProblem, smo, solve_certified, solve_stored_paths
from maxmargin.solvers.kernel._face_newton import minimise_on_face


def matrix_of(n, gamma, seed=0, d=4):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(-1))


def signs(X, seed=1):
    noise = np.random.default_rng(seed).normal(size=len(X))
    return np.where(X[:, 0] * X[:, 1] + 0.5 * noise > 0, 1.0, -1.0)


def box_of(sign, weight):
    return np.where(sign < 0, -weight, 0.0), np.where(sign > 0, weight, 0.0)


@pytest.mark.parametrize("gamma", [0.01, 0.3, 20.0])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-8])
def test_the_same_optimum_as_one_by_one(gamma, tolerance):
    X, K = matrix_of(300, gamma)
    sign = signs(X)
    weight = np.random.default_rng(2).uniform(0.5, 2.0, 300) * (np.arange(300) % 5 > 0)  # every fifth is left out
    low, high = box_of(sign, weight)
    Cs = np.array([0.01, 0.3, 10.0, 1000.0])
    (points,) = solve_stored_paths(StoredMatrix(K), sign, [PathProblem(low, high, Cs)], tolerance=tolerance)
    part = np.flatnonzero(weight)
    for C, point in zip(Cs, points, strict=True):
        problem = BoxQP.classifier(MatrixGram(K[np.ix_(part, part)], symmetric=True), sign[part], C * weight[part])
        alone = solve_certified(problem, tolerance=tolerance)
        assert point.status is Status.CONVERGED
        assert point.evidence.kkt_violation <= tolerance
        assert not point.variables[weight == 0].any()
        gap = max(point.evidence.gap, alone.evidence.gap) + 1e-9
        assert abs(point.evidence.dual - alone.evidence.dual) <= gap
        np.testing.assert_allclose(point.evidence.image, K @ point.variables, atol=1e-9 * C)


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("C", [0.05, 5.0, 500.0])
def test_a_regressor_with_one_variable_a_sample(C, epsilon):
    X, K = matrix_of(200, 0.2)
    y = np.sin(X[:, 0]) + 0.2 * np.random.default_rng(3).normal(size=200)
    box = PathProblem(-np.ones(200), np.ones(200), np.array([C / 2, C]))
    point = solve_stored_paths(StoredMatrix(K), y, [box], epsilon=epsilon, tolerance=1e-7)[0][-1]
    problem = BoxQP.regressor(MatrixGram(K, symmetric=True), y, np.full(200, C), epsilon)
    alone = solve_certified(problem, tolerance=1e-7)
    np.testing.assert_allclose(point.evidence.dual, alone.evidence.dual, rtol=1e-6)
    variables = np.concatenate([np.maximum(point.variables, 0), np.minimum(point.variables, 0)])
    again = evaluate(problem, variables)
    room = again.rounding + point.evidence.rounding
    np.testing.assert_allclose(again.dual, point.evidence.dual, rtol=1e-10, atol=room)
    np.testing.assert_allclose(again.primal, point.evidence.primal, rtol=1e-8, atol=room)


def test_newton_where_most_variables_are_free():
    X, K = matrix_of(400, 0.05, d=8)
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * np.random.default_rng(3).normal(size=400)
    box = PathProblem(-np.ones(400), np.ones(400), np.geomspace(1, 1000, 6))
    (points,) = solve_stored_paths(StoredMatrix(K), y, [box], epsilon=0.01, tolerance=1e-3)
    assert all(point.status is Status.CONVERGED for point in points)
    last = points[-1].variables
    assert 2 * np.count_nonzero((last != 0) & (np.abs(last) < 1000)) > 400
    # SMO alone takes 276,000 steps here
    assert sum(point.iterations for point in points) < 20_000


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3]), st.floats(0.01, 100))
@settings(max_examples=60, deadline=None)
def test_figures_are_those_of_the_plain_code(seed, epsilon, C):
    """At any feasible point, for samples of any weight: the compiled figures equal those of `evaluate`."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    _, K = matrix_of(n, 0.5, seed)
    weight = rng.choice([0.5, 1.0, 2.0], n)
    p = rng.normal(size=n) if epsilon else np.where(np.arange(n) % 2, 1.0, -1.0)
    low, high = (-weight, weight) if epsilon else box_of(p, weight)
    lower, upper = C * low, C * high
    beta = np.zeros(n)
    smo(K, beta, lower, upper, p.copy(), np.array([n]), 1e-12, int(rng.integers(0, 6)), epsilon)
    ours = evaluate_tube(p, lower, upper, beta, K @ beta, epsilon)
    gram = MatrixGram(K, symmetric=True)
    if epsilon:
        plain = evaluate(
            BoxQP.regressor(gram, p, upper, epsilon), np.concatenate([np.maximum(beta, 0), np.minimum(beta, 0)])
        )
    else:
        plain = evaluate(BoxQP(gram, p, lower, upper), beta)
    np.testing.assert_allclose([ours.primal, ours.dual], [plain.primal, plain.dual], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.gap, plain.gap, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.primal - ours.dual, ours.gap, rtol=1e-8, atol=1e-9 * C)
    np.testing.assert_allclose(ours.kkt_violation, plain.kkt_violation, rtol=1e-8, atol=1e-10)


def test_beta_that_breaks_a_constraint_proves_nothing():
    _, K = matrix_of(10, 0.5)
    sign = np.where(np.arange(10) % 2, 1.0, -1.0)
    low, high = box_of(sign, np.ones(10))
    beta = np.zeros(10)
    beta[1] = 0.5  # the sum is not 0
    assert evaluate_tube(sign, low, high, beta, K @ beta).gap == np.inf
    beta = 2.0 * high + 2.0 * low  # outside the box
    assert evaluate_tube(sign, low, high, beta, K @ beta).gap == np.inf


@pytest.mark.parametrize("seed", range(5))
def test_newton_on_a_face_ends_at_its_optimum(seed):
    """All slopes of those that are inside are equal; those that left are at a bound and want to go beyond it or not."""
    _, K = matrix_of(40, 0.3, seed)
    rng = np.random.default_rng(seed)
    low, high = np.zeros(40), rng.uniform(0.5, 3.0, 40)
    x, p = high / 2, rng.normal(size=40)
    total = x.sum()
    before = 0.5 * x @ K @ x - p @ x
    assert minimise_on_face(K, np.arange(40), x, p - K @ x, low, high)
    assert ((x >= low) & (x <= high)).all()
    np.testing.assert_allclose(x.sum(), total, rtol=1e-9)
    assert 0.5 * x @ K @ x - p @ x < before
    slope = (p - K @ x)[(x > low) & (x < high)]
    assert len(slope) > 1 and np.ptp(slope) < 1e-6


def test_an_indefinite_face_is_left_alone():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    x = np.array([0.5, 0.5])
    assert not minimise_on_face(K, np.arange(2), x, np.array([1.0, 0.0]), np.zeros(2), np.ones(2))
    np.testing.assert_array_equal(x, [0.5, 0.5])


def test_a_stop_returns_what_is_finished():
    X, K = matrix_of(200, 0.3)
    sign = signs(X)
    problem = PathProblem(*box_of(sign, np.ones(200)), np.array([1.0, 10.0]))
    (points,) = solve_stored_paths(StoredMatrix(K), sign, [problem], stop=np.ones(1, dtype=np.uint8))
    assert points == []
