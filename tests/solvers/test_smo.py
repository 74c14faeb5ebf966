"""SMO on a block."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.certificates import evaluate, kkt_violation
from maxmargin.kernels import MatrixGram
from maxmargin.problems import BoxQP
from maxmargin.solvers import smo


def block(seed, n=30, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    K = np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    sign = np.where(np.arange(n) < n // 2, 1.0, -1.0)
    return K, sign


def run(problem, K, beta, tolerance, max_steps=100_000, dtype=np.float64):
    """SMO from beta; variables of the problem have to be ordered by group."""
    groups = np.zeros(problem.n, int) if problem.group is None else problem.group
    ends = np.searchsorted(groups, np.arange(len(problem.totals)), side="right")
    r = (problem.p - K @ beta).astype(dtype)
    steps, left = smo(K.astype(dtype), beta, problem.lower, problem.upper, r, ends, dtype(tolerance), max_steps, 0.0)
    return steps, left, r


@given(st.integers(0, 10**6), st.floats(-3, 3))
@settings(max_examples=30)
def test_classifier(seed, exponent):
    K, sign = block(seed)
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), sign, np.full(30, 10.0**exponent))
    beta = np.zeros(30)
    _, left, r = run(problem, K, beta, 1e-6)
    assert left <= 1e-6
    assert ((problem.lower <= beta) & (beta <= problem.upper)).all()
    assert beta.sum() == pytest.approx(0, abs=1e-9 * 10.0**exponent)
    assert_allclose(r, problem.p - K @ beta, atol=1e-9 * max(1, 10.0**exponent))
    assert left == pytest.approx(kkt_violation(problem, beta, problem.p - K @ beta), abs=1e-8)
    assert evaluate(problem, beta).gap <= 1e-6 * 30 * 10.0**exponent * (1 + 1e-9)


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_two_groups_keep_their_sums(seed):
    K, sign = block(seed)
    problem = BoxQP.hull_distance(MatrixGram(K, symmetric=True), sign)
    beta = np.zeros(30)
    beta[0], beta[-1] = 1.0, -1.0
    _, left, r = run(problem, K, beta, 1e-8)
    assert left <= 1e-8
    assert beta[:15].sum() == pytest.approx(1, abs=1e-12)
    assert beta[15:].sum() == pytest.approx(-1, abs=1e-12)
    assert ((problem.lower <= beta) & (beta <= problem.upper)).all()
    assert_allclose(r, -K @ beta, atol=1e-12)
    e = evaluate(problem, beta)
    assert e.gap <= 1e-6


def test_float32_block():
    K, sign = block(3)
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), sign, np.ones(30))
    beta = np.zeros(30)
    _, left, _ = run(problem, K, beta, 1e-4, dtype=np.float32)
    assert left <= 1e-4
    assert kkt_violation(problem, beta, problem.p - K @ beta) <= 2e-4


def test_budget_of_steps():
    K, sign = block(4)
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), sign, np.ones(30))
    beta = np.zeros(30)
    steps, left, r = run(problem, K, beta, 1e-9, max_steps=3)
    assert steps == 3
    assert left == pytest.approx(kkt_violation(problem, beta, r))
    assert left > 1e-9
    before = beta.copy()
    assert run(problem, K, beta, 1e-9, max_steps=0)[0] == 0
    assert_array_equal(beta, before)


def test_each_step_raises_the_dual():
    K, sign = block(5)
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), sign, np.ones(30))
    beta, values = np.zeros(30), [0.0]
    for _ in range(40):
        if run(problem, K, beta, 1e-9, max_steps=1)[0] == 0:
            break
        values.append(evaluate(problem, beta).dual)
    assert len(values) > 10
    gains = np.diff(values)
    assert (gains[:10] > 0).all()
    assert (gains >= -1e-13 * values[-1]).all()  # near the end a gain drowns in rounding


def test_an_optimum_takes_no_step():
    K, sign = block(6)
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), sign, np.ones(30))
    beta = np.zeros(30)
    run(problem, K, beta, 1e-9)
    assert run(problem, K, beta, 1e-6)[0] == 0


def test_nobody_may_move():
    K, sign = block(7)
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), sign, np.zeros(30))
    steps, left, _ = run(problem, K, np.zeros(30), 1e-9)
    assert steps == 0
    assert left <= 0


def test_duplicated_samples_have_no_curvature():
    """K_ii + K_jj - 2 K_ij = 0 for contradictory twins: the step goes to the bound instead of to infinity."""
    K = np.ones((2, 2))
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), np.array([1.0, -1.0]), np.full(2, 5.0))
    beta = np.zeros(2)
    _, left, _ = run(problem, K, beta, 1e-9)
    assert_array_equal(beta, [5.0, -5.0])
    assert left <= 0
