"""The interior point of the box QP: exact with every system, stoppable, and at home with pairs and groups."""

import numpy as np
import pytest

from maxmargin.certificates import Status, evaluate
from maxmargin.data import Rows
from maxmargin.kernels import MatrixGram, make_kernel
from maxmargin.problems import BoxQP
from maxmargin.solvers import Monitor, solve_certified
from maxmargin.solvers.kernel._kernel_systems import FactoredSystem, WholeSystem, pivoted_factor, system_of
from maxmargin.solvers.kernel._polish import polish_free
from maxmargin.solvers.kernel.interior_box import InteriorBox, applies

MEMORY = 200_000_000


@pytest.fixture
def samples(clouds):
    X, y = clouds(n=120, d=4)
    return X, np.where(y == 1, 1.0, -1.0)


def problems(X, sign, kernel):
    gram = make_kernel(kernel, 0.3, 1.0, 2).gram(Rows(X))
    n = len(sign)
    target = X[:, 0] + 0.3 * sign
    return {
        "classifier": BoxQP.classifier(gram, sign, np.linspace(0.5, 5.0, n)),
        "regressor": BoxQP.regressor(gram, target, np.full(n, 2.0), 0.1),
        "nu regressor": BoxQP.nu_regressor(gram, target, np.full(n, 2.0), 0.4),
        "nu classifier": BoxQP.nu_classifier(gram, sign, np.ones(n), 0.3),
        "one class": BoxQP.one_class(gram, np.ones(n), 0.2),
        "hull distance": BoxQP.hull_distance(gram, sign),
    }


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize(
    "name", ["classifier", "regressor", "nu regressor", "nu classifier", "one class", "hull distance"]
)
def test_the_optimum_of_every_machine(samples, kernel, name):
    problem = problems(*samples, kernel)[name]
    solution = InteriorBox.solve(problem, None, 1e-6, system=system_of(problem, MEMORY))
    found = evaluate(problem, polish_free(problem, solution.variables))
    known = solve_certified(problem, tolerance=1e-8).evidence
    # of an optimum that is zero only the rounding errors of its terms can be asked for
    terms = float(np.abs(problem.gram.diagonal()).max()) * float(np.abs(solution.variables).sum()) ** 2
    assert found.kkt_violation <= 1e-6
    assert found.dual == pytest.approx(known.dual, rel=1e-8, abs=1e-14 * terms)


def test_both_systems_solve_the_same_equations(samples):
    X, _ = samples
    K = X @ X.T
    D = np.geomspace(1e-6, 1e6, len(X))
    g = np.sin(np.arange(len(X)))
    expected = np.linalg.solve(K + np.diag(D), g)
    for system in (WholeSystem(K), FactoredSystem(X)):
        assert system.factorise(D)
        assert system.solve(g) == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_a_factor_of_low_rank_is_found_where_there_is_one(samples):
    X, _ = samples
    K = (X @ X.T + 1.0) ** 2
    Phi = pivoted_factor(np.diagonal(K), K.__getitem__, 40)
    assert Phi is not None
    assert Phi.shape[1] == 15  # monomials of four variables up to degree two
    assert Phi @ Phi.T == pytest.approx(K, rel=1e-12, abs=1e-12)
    assert pivoted_factor(np.diagonal(K), K.__getitem__, 10) is None


def test_an_indefinite_matrix_has_no_factor():
    K = np.diag([1.0, 1.0, -1.0, -1.0, 0.0, 0.0])
    assert pivoted_factor(np.diagonal(K), K.__getitem__, 3) is None
    assert not WholeSystem(K).factorise(np.full(6, 1e-3))


def test_an_indefinite_kernel_is_left_to_the_other_solver(samples):
    X, sign = samples
    K = np.tanh(X @ X.T - 1.0)
    problem = BoxQP.classifier(MatrixGram(K, symmetric=True), sign, np.full(len(sign), 1e3))
    solution = InteriorBox.solve(problem, None, 1e-3, system=WholeSystem(K))
    assert solution.status is Status.STALLED


@pytest.mark.parametrize("wide", [False, True])
def test_a_bound_of_1e12_costs_no_digits(samples, wide):
    X, sign = samples
    gram = make_kernel("rbf", 0.3, 0.0, 3).gram(Rows(X))
    problem = BoxQP.classifier(gram, sign, np.full(len(sign), 1e12))
    solution = InteriorBox.solve(problem, None, 1e-3, system=system_of(problem, MEMORY), wide=wide)
    beta = polish_free(problem, solution.variables)
    assert np.abs(beta).max() < 1e11
    assert evaluate(problem, beta).kkt_violation <= 1e-6


def test_steps_count_against_the_budget(samples):
    problem = problems(*samples, "rbf")["classifier"]
    solution = InteriorBox.solve(problem, None, 1e-6, 3 * problem.n, system=system_of(problem, MEMORY))
    assert solution.status is Status.BUDGET_EXHAUSTED
    assert solution.iterations == 3 * problem.n
    assert np.isfinite(evaluate(problem, solution.variables).dual)  # feasible at every moment


def test_a_callback_stops_it(samples):
    problem = problems(*samples, "rbf")["classifier"]
    heard = []

    def callback(state):
        heard.append(state["iteration"])
        return len(heard) == 4

    solution = InteriorBox.solve(
        problem, None, 1e-6, system=system_of(problem, MEMORY), monitor=Monitor(callback=callback)
    )
    assert solution.status is Status.INTERRUPTED
    assert heard == [0, problem.n, 2 * problem.n, 3 * problem.n]
    assert np.isfinite(evaluate(problem, solution.variables).dual)


def test_an_interrupt_leaves_a_feasible_point(samples):
    problem = problems(*samples, "rbf")["classifier"]

    def callback(state):
        if state["iteration"] >= 2 * problem.n:
            raise KeyboardInterrupt
        return False

    solution = InteriorBox.solve(
        problem, None, 1e-6, system=system_of(problem, MEMORY), monitor=Monitor(callback=callback)
    )
    assert solution.keyboard
    assert np.isfinite(evaluate(problem, solution.variables).dual)


def test_boxes_without_an_inside_are_not_for_it(samples):
    X, sign = samples
    gram = make_kernel("rbf", 0.3, 0.0, 3).gram(Rows(X))
    n = len(sign)
    assert applies(BoxQP.one_class(gram, np.ones(n), 0.5))
    assert not applies(BoxQP.one_class(gram, np.ones(n), 1.0))
    assert not applies(BoxQP.classifier(gram, sign, np.full(n, np.inf)))
