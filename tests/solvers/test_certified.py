"""Solving with proof: the solver's word is not taken."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from maxmargin.certificates import Status, evaluate
from maxmargin.data import Rows
from maxmargin.kernels import RBF, Linear, MatrixGram
from maxmargin.problems import BoxQP
from maxmargin.solvers import Decomposition, Monitor, Solution, solve_certified, untouched
from maxmargin.solvers.kernel import _certified


def test_evidence_is_recomputed_from_the_variables(classifier_problem):
    problem = classifier_problem(60)
    solution = solve_certified(problem, None, 1e-3)
    again = evaluate(problem, solution.variables)
    assert solution.evidence.dual == pytest.approx(again.dual, rel=1e-12)
    assert solution.evidence.kkt_violation == pytest.approx(again.kkt_violation, abs=1e-10)


def test_gap_tolerance_is_met_too(classifier_problem):
    problem = classifier_problem(2400, 6, distance=0.5)
    loose = solve_certified(problem, None, 1e-2)
    tight = solve_certified(problem, None, 1e-2, 1e-8)
    assert tight.status is Status.CONVERGED
    assert tight.evidence.relative_gap <= 1e-8 < loose.evidence.relative_gap
    assert tight.iterations > loose.iterations


def test_small_problems_are_solved_to_rounding(classifier_problem):
    for kernel in ("linear", "poly", "rbf"):
        for C in (0.01, 1.0, 100.0):
            problem = classifier_problem(120, 4, C=C, kernel=kernel)
            solution = solve_certified(problem, None, 1e-3)
            assert solution.status is Status.CONVERGED
            assert solution.evidence.kkt_violation <= 1e-9, (kernel, C)


@given(C=st.floats(1e-9, 0.01), half=st.integers(2, 60), seed=st.integers(0, 10))
@settings(max_examples=60)
def test_multipliers_at_their_bounds_stay_there(clouds, C, half, seed):
    """All of them at a bound, whose sum rounding makes a little more or less than zero: nobody is moved for that."""
    X, y = clouds(2 * half, 3, seed)
    X, sign = X[np.argsort(y, kind="stable")], np.repeat([-1.0, 1.0], half)
    problem = BoxQP.classifier(RBF(0.1).gram(Rows(X)), sign, np.full(2 * half, C))
    solution = solve_certified(problem, None, 1e-3)
    assert solution.status is Status.CONVERGED
    assert evaluate(problem, solution.variables).kkt_violation <= 1e-3


def test_a_claim_of_the_solver_is_checked(classifier_problem, monkeypatch):
    """A solver that says CONVERGED at zero multipliers is not believed."""
    problem = classifier_problem(40)

    def liar(problem, start, tolerance, budget, monitor, **options):
        return Solution(np.zeros(problem.n), Status.CONVERGED, 1, 0.0)

    monkeypatch.setattr(Decomposition, "solve", liar)
    monkeypatch.setattr(_certified, "polish_support", lambda problem, beta: beta)
    solution = solve_certified(problem, None, 1e-3)
    assert solution.status is Status.STALLED
    assert solution.evidence.kkt_violation == 2.0


def test_an_indefinite_kernel_ends_truthfully():
    rng = np.random.default_rng(0)
    for seed in range(5):
        A = rng.normal(size=(40, 40))
        problem = BoxQP.classifier(
            MatrixGram(A + A.T, symmetric=True), np.where(np.arange(40) % 2, 1.0, -1.0), np.ones(40)
        )
        solution = solve_certified(problem, None, 1e-3, budget=20_000)
        if solution.status is Status.CONVERGED:
            assert evaluate(problem, solution.variables).kkt_violation <= 1e-3, seed


def test_untouched_problem_claims_nothing(classifier_problem):
    problem = classifier_problem(20)
    left = untouched(problem, None)
    assert left.status is Status.INTERRUPTED
    assert not left.variables.any()
    assert left.evidence.relative_gap == left.evidence.kkt_violation == np.inf
    start = np.full(20, 0.5)
    assert untouched(problem, start).variables is start


@pytest.mark.parametrize("quick", [True, False])
def test_keyboard_interrupt_returns_the_state(classifier_problem, monkeypatch, quick):
    """A large problem is not certified after Ctrl-C: nothing is claimed of it then."""
    if not quick:
        monkeypatch.setattr(_certified, "_QUICK", -1)

    def interrupt(state):
        raise KeyboardInterrupt

    problem = classifier_problem(60)
    solution = solve_certified(problem, None, 1e-3, monitor=Monitor(callback=interrupt))
    assert solution.status is Status.INTERRUPTED
    assert solution.keyboard
    assert np.isfinite(solution.evidence.kkt_violation) == quick
    assert len(solution.evidence.intercepts) == 1


def test_float32_is_refined_until_the_proof_holds(classifier_problem):
    """Values of float32 kernels are too coarse for 1e-8: the fit goes on in float64 by itself."""
    problem = classifier_problem(2400, 3, C=10.0, distance=0.5)
    assert problem.gram.float32_error() < 1e-4  # so that float32 comes first
    solution = solve_certified(problem, None, 1e-8)
    assert solution.status is Status.CONVERGED
    assert evaluate(problem, solution.variables).kkt_violation <= 1e-8


def test_values_beyond_the_range_of_float32(clouds):
    """Kernel values near 1e44 are ordinary numbers in float64, and infinite in float32."""
    X, y = clouds(2200, 3, distance=4.0)
    sign = np.where(y == 1, 1.0, -1.0)
    plain, huge = (
        solve_certified(BoxQP.classifier(Linear().gram(Rows(X * s)), sign, np.full(2200, 1 / s**2)), None, 1e-3)
        for s in (1.0, 1e22)
    )
    assert plain.status is huge.status is Status.CONVERGED
    # with C in the proportion of 1 / s^2 so are the multipliers and the objective
    assert huge.evidence.dual * 1e44 == pytest.approx(plain.evidence.dual, rel=1e-3)
