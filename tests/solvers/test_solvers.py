"""What holds for every solver: certificate, feasibility, any feasible start, budget, monitor, status."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from maxmargin.certificates import Status, evaluate
from maxmargin.problems import BoxQP
from maxmargin.solvers import (
    Decomposition,
    Monitor,
    ProjectedGradient,
    feasible,
    solve_certified,
)
from maxmargin.solvers.kernel import decomposition

SOLVERS = {
    "decomposition": Decomposition.solve,
    "projected_gradient": ProjectedGradient.solve,
    "certified": solve_certified,
}


@pytest.fixture(params=SOLVERS)
def solve(request):
    return SOLVERS[request.param]


def assert_feasible(problem, beta):
    scale = float(np.abs(np.concatenate([problem.lower, problem.upper])).max())
    assert (beta >= problem.lower).all()
    assert (beta <= problem.upper).all()
    for g, total in enumerate(problem.totals):
        assert beta[problem.members(g)].sum() == pytest.approx(total, abs=1e-10 * scale * problem.n)


def hulls(problem):
    return BoxQP.hull_distance(problem.gram, problem.p)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_reaches_the_tolerance(solve, classifier_problem, kernel, C):
    problem = classifier_problem(50, kernel=kernel, C=C)
    solution = solve(problem, None, 1e-5)
    assert solution.status is Status.CONVERGED
    assert_feasible(problem, solution.variables)
    found = evaluate(problem, solution.variables)
    assert found.relative_gap <= 1e-4
    assert found.dual == pytest.approx(evaluate(problem, solve_certified(problem, None, 1e-9).variables).dual, rel=1e-6)


def test_two_groups(solve, classifier_problem):
    problem = hulls(classifier_problem(40, distance=3.0))
    start = feasible(problem, np.zeros(40))
    solution = solve(problem, start, 1e-7)
    assert solution.status is Status.CONVERGED
    assert_feasible(problem, solution.variables)
    reference = ProjectedGradient.solve(problem, start, 1e-10, 200_000)
    value, best = (b @ problem.image(b) for b in (solution.variables, reference.variables))
    assert value == pytest.approx(best, rel=1e-5)


def test_any_feasible_start_leads_to_the_same_optimum(solve, classifier_problem):
    problem = classifier_problem(50, C=2.0)
    best = evaluate(problem, solve_certified(problem, None, 1e-9).variables).dual
    rng = np.random.default_rng(0)
    for scale in (0.1, 1.0, 10.0):
        start = feasible(problem, rng.normal(size=50) * scale)
        kept = start.copy()
        solution = solve(problem, start, 1e-6)
        assert solution.status is Status.CONVERGED
        assert evaluate(problem, solution.variables).dual == pytest.approx(best, rel=1e-6)
        assert_array_equal(start, kept)  # the caller's array is the caller's


def test_start_at_the_optimum(solve, classifier_problem):
    problem = classifier_problem(40)
    best = solve_certified(problem, None, 1e-9).variables
    again = solve(problem, best, 1e-4)
    assert again.status is Status.CONVERGED
    assert again.iterations <= 1


@pytest.mark.parametrize("budget", [0, 1, 7])
def test_budget(solve, classifier_problem, budget):
    problem = classifier_problem(60, C=100.0)
    solution = solve(problem, None, 1e-9, budget=budget)
    assert solution.status is Status.BUDGET_EXHAUSTED
    assert solution.iterations <= budget
    assert_feasible(problem, solution.variables)


def test_callback_stops(solve, classifier_problem):
    problem = classifier_problem(60, C=100.0)
    solution = solve(problem, None, 1e-12, monitor=Monitor(callback=lambda state: True))
    assert solution.status is Status.INTERRUPTED
    assert_feasible(problem, solution.variables)


def test_monitor_hears_of_the_way(solve, classifier_problem):
    heard = []
    solve(classifier_problem(60), None, 1e-6, monitor=Monitor(callback=heard.append))
    assert heard
    assert set(heard[0]) == {"problem", "iteration", "violation", "gap", "seconds"}
    assert heard[0]["violation"] > 0
    assert [state["iteration"] for state in heard] == sorted(state["iteration"] for state in heard)


@pytest.mark.parametrize("tolerance", [1e-15, 1e-18, 1e-300])
def test_convergence_is_never_claimed_without_proof(solve, classifier_problem, tolerance):
    """Tolerances below rounding: the end is an honest one, and it is an end."""
    problem = classifier_problem(40, C=50.0, kernel="poly")
    solution = solve(problem, None, tolerance, budget=3000)
    assert_feasible(problem, solution.variables)
    if solution.status is Status.CONVERGED:
        claim = solution.evidence.kkt_violation if solve is solve_certified else solution.violation
        assert claim <= tolerance


@pytest.fixture(scope="module", params=[5, 120], ids=["few features", "many features"])
def large(request, classifier_problem):
    """With many features kernel values are dear, and rows are kept."""
    d = request.param
    return classifier_problem(2500, d, C=1.0, gamma=1 / d, distance=1.5 / np.sqrt(d))


class TestManySamples:
    """More variables than a working set has: rounds, sweeps, and both precisions."""

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("shrinking", [True, False])
    def test_decomposition(self, large, dtype, shrinking):
        """With and without samples left out of the sweeps."""
        solution = Decomposition.solve(large, None, 1e-3, dtype=dtype, shrinking=shrinking)
        assert solution.status is Status.CONVERGED
        assert_feasible(large, solution.variables)
        assert evaluate(large, solution.variables).relative_gap <= 1e-3
        if not shrinking:
            assert evaluate(large, solution.variables).kkt_violation <= 2e-3

    @pytest.mark.parametrize("shrinking", [True, False])
    def test_certified(self, large, shrinking):
        """What was left out is looked at again before anything is claimed."""
        solution = solve_certified(large, None, 1e-3, shrinking=shrinking)
        assert solution.status is Status.CONVERGED
        assert evaluate(large, solution.variables).kkt_violation <= 1e-3

    def test_next_to_no_memory(self, large):
        """Smaller working sets and more rounds, and the same end."""
        solution = solve_certified(large, None, 1e-2, cache_bytes=10_000)
        assert solution.status is Status.CONVERGED
        assert evaluate(large, solution.variables).kkt_violation <= 1e-2

    def test_certified_to_a_gap(self, large):
        solution = solve_certified(large, None, 1e-3, 1e-7)
        assert solution.status is Status.CONVERGED
        assert solution.evidence.relative_gap <= 1e-7
        assert_feasible(large, solution.variables)
        assert evaluate(large, solution.variables).dual == solution.evidence.dual

    def test_warm_start_and_known_residual(self, large):
        best = solve_certified(large, None, 1e-4)
        start = feasible(large, best.variables + np.random.default_rng(0).normal(size=2500) * 0.05)
        residual = large.p - large.image(start)
        with_residual = Decomposition.solve(large, start, 1e-4, residual=residual)
        without = Decomposition.solve(large, start, 1e-4)
        assert_array_equal(with_residual.variables, without.variables)
        assert evaluate(large, without.variables).dual == pytest.approx(best.evidence.dual, rel=1e-5)

    def test_two_groups(self, classifier_problem):
        problem = hulls(classifier_problem(2300, 4, distance=6.0))
        start = feasible(problem, np.zeros(2300))
        solution = solve_certified(problem, start, 1e-6)
        assert solution.status is Status.CONVERGED
        assert_feasible(problem, solution.variables)
        assert solution.evidence.kkt_violation <= 1e-6

    def test_budget_is_for_all_rounds_together(self, large):
        solution = solve_certified(large, None, 1e-9, 1e-12, budget=500)
        assert solution.status is Status.BUDGET_EXHAUSTED
        assert solution.iterations <= 500

    def test_two_variables_a_sample(self, large):
        """As a regressor has them: n variables that share n / 2 rows."""
        gram = large.gram.restricted(np.arange(1200))
        doubled = BoxQP.regressor(gram, np.sin(np.arange(1200.0)), np.ones(1200), 0.1)
        solution = solve_certified(doubled, None, 1e-3)
        assert solution.status is Status.CONVERGED
        assert_feasible(doubled, solution.variables)
        assert solution.evidence.kkt_violation <= 1e-3


@pytest.mark.parametrize("C", [0.3, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("seed", range(4))
def test_blocks_that_grow_while_variables_are_left_out(classifier_problem, monkeypatch, C, seed):
    """Many free variables double the block up to the whole problem, of which a part may have been left out."""
    monkeypatch.setattr(decomposition, "WHOLE", 8)
    monkeypatch.setattr(decomposition, "WORKING_SET", 40)
    problem = classifier_problem(150, 3, seed=seed, C=C, distance=1.0)
    solution = Decomposition.solve(problem, None, 1e-6)
    assert_feasible(problem, solution.variables)
    # left out variables are looked at again by the one who asks for a proof
    found = evaluate(problem, Decomposition.solve(problem, solution.variables, 1e-6, shrinking=False).variables)
    assert found.relative_gap <= 1e-5
