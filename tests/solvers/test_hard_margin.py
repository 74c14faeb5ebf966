"""The hard margin as the distance of two convex hulls."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose

from maxmargin.certificates import NotSeparableError, Status
from maxmargin.data import Rows
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import BoxQP
from maxmargin.solvers import Monitor, solve_certified, solve_hard_margin
from maxmargin.solvers.kernel import _certified


def problem_of(X, sign, kernel, C=np.inf):
    return BoxQP.classifier(
        kernel.gram(Rows(np.asarray(X, dtype=float))), np.asarray(sign, dtype=float), np.full(len(sign), C)
    )


def test_two_points_in_closed_form():
    solution = solve_hard_margin(problem_of([[3.0, 0.0], [1.0, 0.0]], [1, -1], Linear()))
    # w = (1, 0): margin from 1 to 3, multipliers ||w||^2 / 2 each
    assert_allclose(solution.variables, [0.5, -0.5])
    assert solution.status is Status.CONVERGED
    assert solution.evidence.primal == pytest.approx(0.5)
    assert solution.evidence.dual == pytest.approx(0.5)
    assert solution.evidence.intercepts[0] == pytest.approx(-2.0)


def test_is_the_limit_of_the_soft_margin(circles):
    X, y = circles(60)
    sign = np.where(y == 1, 1.0, -1.0)
    hard = solve_hard_margin(problem_of(X, sign, RBF(0.5)), None, 1e-8)
    largest = np.abs(hard.variables).max()
    soft = solve_certified(problem_of(X, sign, RBF(0.5), C=10 * largest), None, 1e-8)
    assert_allclose(hard.variables, soft.variables, atol=1e-6 * largest)
    assert hard.evidence.dual == pytest.approx(soft.evidence.dual, rel=1e-8)


def test_margins(circles):
    X, y = circles(100)
    sign = np.where(y == 1, 1.0, -1.0)
    problem = problem_of(X, sign, RBF(1.0))
    solution = solve_hard_margin(problem, None, 1e-3)
    margins = sign * (problem.image(solution.variables) + solution.evidence.intercepts[0])
    assert margins.min() >= 1 - 1e-3
    assert_allclose(margins[solution.variables != 0], 1, atol=1e-3)


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_either_margins_or_a_proof(seed):
    """Random clouds in the plane: a machine with all margins at least 1, or hulls that meet."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    sign = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) + rng.uniform(0, 3) * sign[:, None]
    problem = problem_of(X, sign, Linear())
    try:
        solution = solve_hard_margin(problem, None, 1e-3)
    except NotSeparableError as error:
        p = error.proof
        assert (p.positive_weights >= 0).all()
        assert (p.negative_weights >= 0).all()
        assert p.positive_weights.sum() == pytest.approx(1)
        assert p.negative_weights.sum() == pytest.approx(1)
        assert (sign[p.positive] > 0).all()
        assert (sign[p.negative] < 0).all()
        distance = np.linalg.norm(p.positive_weights @ X[p.positive] - p.negative_weights @ X[p.negative])
        assert distance <= 1e-6 * np.linalg.norm(X, axis=1).max()
        assert p.scale == pytest.approx(np.linalg.norm(X, axis=1).max())
    else:
        assert solution.status is Status.CONVERGED
        w = solution.variables @ X
        margins = sign * (X @ w + solution.evidence.intercepts[0])
        assert margins.min() >= 1 - 1e-3
        assert solution.evidence.dual <= 0.5 * (w @ w) / margins.min() ** 2 * (1 + 1e-9)
        assert solution.evidence.dual <= solution.evidence.primal


def test_gap_tolerance(circles):
    X, y = circles(80)
    problem = problem_of(X, np.where(y == 1, 1.0, -1.0), RBF(0.3))
    solution = solve_hard_margin(problem, None, 1e-1, 1e-9)
    assert solution.status is Status.CONVERGED
    assert solution.evidence.relative_gap <= 1e-9


def test_warm_start(circles):
    X, y = circles(80)
    problem = problem_of(X, np.where(y == 1, 1.0, -1.0), RBF(0.3))
    cold = solve_hard_margin(problem, None, 1e-6)
    warm = solve_hard_margin(problem, cold.variables, 1e-6)
    assert warm.status is Status.CONVERGED
    assert warm.iterations <= cold.iterations / 2
    assert warm.evidence.dual == pytest.approx(cold.evidence.dual, rel=1e-6)


def test_budget(circles):
    X, y = circles(80)
    problem = problem_of(X, np.where(y == 1, 1.0, -1.0), RBF(0.3))
    solution = solve_hard_margin(problem, None, 1e-6, budget=3)
    assert solution.status is Status.BUDGET_EXHAUSTED
    assert solution.iterations <= 3
    assert solution.evidence.relative_gap > 0


@pytest.mark.parametrize("quick", [True, False])
def test_keyboard_interrupt_returns_the_state(circles, monkeypatch, quick):
    if not quick:
        monkeypatch.setattr(_certified, "_QUICK", -1)

    def interrupt(state):
        raise KeyboardInterrupt

    X, y = circles(80)
    problem = problem_of(X, np.where(y == 1, 1.0, -1.0), RBF(0.3))
    solution = solve_hard_margin(problem, None, 1e-6, monitor=Monitor(callback=interrupt))
    assert solution.status is Status.INTERRUPTED
    assert solution.keyboard
    assert np.isfinite(solution.variables).all()


def test_watched_fit_of_a_class_with_one_sample():
    """A variable that alone has to be 1 may neither rise nor fall: the watcher's figures stay numbers."""
    heard = []
    X = [[0.0, 0.0], [2.0, 1.0], [1.0, 2.0], [1.0, 1.0], [3.0, 3.0]]
    solution = solve_hard_margin(
        problem_of(X, [1, -1, -1, -1, -1], Linear()), None, 1e-6, monitor=Monitor(callback=heard.append)
    )
    assert solution.status is Status.CONVERGED
    assert heard
    assert all(np.isfinite(state["violation"]) for state in heard)
    assert all(np.isfinite(state["gap"]) for state in heard)


def test_tiny_margin_is_no_overlap():
    """Classes 1e-4 apart, of samples with length 1: separable."""
    X = np.array([[1.0, 0.0], [1.0, 1e-4]])
    solution = solve_hard_margin(problem_of(X, [1, -1], Linear()))
    assert solution.status is Status.CONVERGED
    assert solution.evidence.primal == pytest.approx(0.5 * (2 / 1e-4) ** 2, rel=1e-4)
