"""Gradient descent, conjugate gradients and proximal gradients: what is proven of them, and their formulas."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.certificates import Status, evaluate_risk
from maxmargin.data import Rows
from maxmargin.losses import LOSSES, make_loss
from maxmargin.penalties import PENALTIES, make_penalty
from maxmargin.problems import Risk
from maxmargin.solvers import ConjugateGradient, GradientDescent, Monitor, Newton, ProximalGradient
from maxmargin.solvers.linear._column_scale import column_scale
from maxmargin.solvers.linear.conjugate_gradient import line_minimum
from maxmargin.solvers.linear.gradient_descent import slope_at
from maxmargin.solvers.linear.proximal_gradient import prox_step

from .risks import STORAGE, noisy_plane

SOLVERS = {
    "gradient_descent": GradientDescent,
    "conjugate_gradient": ConjugateGradient,
    "proximal_gradient": ProximalGradient,
}
COMBINATIONS = [
    (name, loss, penalty)
    for name, solver in SOLVERS.items()
    for loss in LOSSES
    for penalty in PENALTIES
    if not solver.needs.missing(make_loss(loss), make_penalty(penalty))
]


def make_problem(loss="logistic", penalty="l2", **options):
    return noisy_plane(loss, penalty, **options)


@pytest.fixture(params=SOLVERS)
def solver(request):
    return SOLVERS[request.param]


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("name, loss, penalty", COMBINATIONS)
def test_reaches_the_tolerance(name, loss, penalty, storage):
    problem = make_problem(loss, penalty, storage=storage)
    solution = SOLVERS[name].solve(problem, problem.start(), 1e-6)
    assert solution.status is Status.CONVERGED
    assert evaluate_risk(problem, solution.variables, solution.slopes).relative_gap <= 1e-6
    again = SOLVERS[name].solve(problem, solution.variables, 1e-6, slopes=solution.slopes)
    assert again.iterations == 0


@pytest.mark.parametrize("precision", [1e-9, 1e-12])
def test_high_precision_without_an_intercept(solver, precision):
    problem = make_problem("squared_hinge", intercept=False)
    solution = solver.solve(problem, problem.start(), precision)
    assert solution.variables[-1] == 0
    assert evaluate_risk(problem, solution.variables).relative_gap <= precision
    best = Newton.solve(problem, problem.start(), 1e-14)
    assert_allclose(solution.variables, best.variables, atol=np.sqrt(precision) * 10)


def test_a_step_is_fixed_or_given():
    problem = make_problem()
    solution = GradientDescent.solve(problem, problem.start(), 1e-4, step="fixed")
    assert solution.status is Status.CONVERGED
    t = 1e-3
    one = GradientDescent.solve(problem, problem.start(), 0.0, 1, step=t)
    assert_array_equal(one.variables, -t * slope_at(problem, np.zeros(problem.n), problem.start()))


def test_a_step_that_is_too_long_leaves_a_finite_point():
    problem = make_problem("squared")
    solution = GradientDescent.solve(problem, problem.start(), 1e-8, 5000, step=10.0)
    assert solution.status in (Status.STALLED, Status.BUDGET_EXHAUSTED)
    assert np.isfinite(solution.variables).all()


@pytest.mark.parametrize("step", ["long", 0.0, -1.0, np.inf, None])
def test_refuses_other_steps(step):
    problem = make_problem()
    with pytest.raises(ValueError, match="step must be"):
        GradientDescent.solve(problem, problem.start(), 1e-4, step=step)


def test_line_search_never_rises():
    problem = make_problem("squared_hinge", "none")
    values = [
        problem.value(theta)
        for theta, _ in _first(GradientDescent(problem, problem.start(), 0.0).iterates(problem.start()), 30)
    ]
    assert (np.diff(values) <= 0).all()


def _first(iterates, count):
    for _, pair in zip(range(count), iterates, strict=False):
        yield pair


def test_fletcher_reeves_directions():
    """The second step is along -g_1 + ||g_1||^2 / ||g_0||^2 p_0."""
    problem = make_problem("squared", d=6)
    (first, _), (second, _) = _first(
        ConjugateGradient(problem, problem.start(), 0.0, precondition=False).iterates(problem.start()), 2
    )
    g0, g1 = (slope_at(problem, problem.decision(theta), theta) for theta in (problem.start(), first))
    p = -g1 + (g1 @ g1) / (g0 @ g0) * -g0
    step = second - first
    assert_allclose(step / np.linalg.norm(step), p / np.linalg.norm(p), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("precondition", [False, True])
def test_conjugate_gradients_end_after_d_steps_on_a_quadratic(precondition):
    problem = make_problem("squared", d=6)
    solution = ConjugateGradient.solve(problem, problem.start(), 1e-13, precondition=precondition)
    assert solution.iterations <= 2 * 7 + 2
    H = problem.weighted_gram(problem.weights)
    H[:6, :6] += np.eye(6)
    exact = np.linalg.solve(H, problem.transposed(problem.y))
    assert_allclose(solution.variables, exact, rtol=1e-6)


def test_line_minimum_is_one():
    problem = make_problem("logistic")
    theta = np.linspace(-1, 1, 5)
    f = problem.decision(theta)
    p = -slope_at(problem, f, theta)
    along = problem.decision(p)
    s = line_minimum(problem, f, along, theta, p)
    slope = p @ slope_at(problem, f + s * along, theta + s * p)
    assert abs(slope) <= 0.05 * (p @ p)


@pytest.mark.parametrize("storage", STORAGE)
def test_column_scale_is_the_diagonal(storage):
    problem = make_problem("squared_hinge", storage=storage)
    X = problem.rows.take(slice(None))
    X = np.asarray(X.todense() if sp.issparse(X) else X, dtype=np.float64)
    assert_allclose(column_scale(problem), np.append(2 * (X**2).sum(axis=0) + 1, 2 * problem.n), rtol=1e-6)


def test_prox_step_is_the_minimum():
    problem = make_problem(penalty="elastic_net")
    rng = np.random.default_rng(1)
    z, g, h = rng.normal(size=5), rng.normal(size=5), rng.uniform(0.5, 2, size=5)

    def model(x):
        return g @ x + problem.penalty.value(x[:-1]) + h @ (x - z) ** 2 / 2

    x = prox_step(problem, z, g, h)
    for _ in range(50):
        assert model(x) <= model(x + 1e-3 * rng.normal(size=5)) + 1e-15


def test_l1_has_exact_zeros():
    problem = make_problem("squared", "l1", d=8, C=0.02)
    solution = ProximalGradient.solve(problem, problem.start(), 1e-8)
    assert solution.status is Status.CONVERGED
    assert (solution.variables[:-1] == 0).any()


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_unscaled_data_ends_truthfully(solver, loss):
    problem = make_problem(loss, unit=1e4)
    solution = solver.solve(problem, problem.start(), 1e-6, 400)
    proven = evaluate_risk(problem, solution.variables, solution.slopes).relative_gap
    assert np.isfinite(solution.variables).all()
    assert (solution.status is Status.CONVERGED) == (proven <= 1e-6)
    if solver is not GradientDescent:  # the units of the columns do not matter to the other two
        assert solution.status is Status.CONVERGED


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("penalty", ["none", "l2"])
@pytest.mark.parametrize("x", [0.0, 1.0, 1e6])
def test_single_row(solver, loss, penalty, x):
    problem = Risk(Rows(np.array([[x]])), np.ones(1), np.ones(1), make_loss(loss, 0.1), make_penalty(penalty))
    solution = solver.solve(problem, problem.start(), 1e-6, 200)
    assert np.isfinite(solution.variables).all()
    assert problem.value(solution.variables) <= problem.value(problem.start())
    proven = evaluate_risk(problem, solution.variables, solution.slopes).relative_gap
    assert (solution.status is Status.CONVERGED) == (proven <= 1e-6)


def test_samples_without_weight_take_no_part(solver):
    problem = make_problem()
    weights = problem.weights.copy()
    weights[::3] = 0
    part = Risk(problem.rows, problem.y, weights, problem.loss, problem.penalty)
    y = np.where(weights == 0, -problem.y, problem.y)
    other = Risk(problem.rows, y, weights, problem.loss, problem.penalty)
    first, second = (solver.solve(p, p.start(), 1e-8).variables for p in (part, other))
    assert_array_equal(first, second)


def test_a_callback_stops_it(solver):
    problem = make_problem(d=8)
    heard = []
    monitor = Monitor(callback=lambda state: heard.append(state) or len(heard) == 3)
    solution = solver.solve(problem, problem.start(), 1e-12, monitor=monitor)
    assert solution.status is Status.INTERRUPTED
    assert solution.iterations == heard[-1]["iteration"] == 2  # the start is reported too
    assert problem.value(solution.variables) < problem.value(problem.start())
    assert solver.solve(problem, solution.variables, 1e-6, slopes=solution.slopes).status is Status.CONVERGED


def test_ctrl_c_keeps_what_was_found(solver):
    def interrupt(state):
        if state["iteration"] == 2:
            raise KeyboardInterrupt

    problem = make_problem(d=8)
    solution = solver.solve(problem, problem.start(), 1e-12, monitor=Monitor(callback=interrupt))
    assert solution.keyboard
    assert solution.status is Status.INTERRUPTED
    assert problem.value(solution.variables) < problem.value(problem.start())


def test_budget_and_determinism(solver):
    problem = make_problem(d=8)
    first, second = (solver.solve(problem, problem.start(), 1e-14, 4) for _ in range(2))
    assert first.status is Status.BUDGET_EXHAUSTED
    assert first.iterations == 4
    assert_array_equal(first.variables, second.variables)
    assert_array_equal(problem.start(), np.zeros(9))


@pytest.mark.parametrize("loss", ["hinge", "zero_one", "perceptron", "epsilon_insensitive"])
def test_needs_a_derivative(solver, loss):
    assert solver.needs.missing(make_loss(loss), make_penalty("l2"))


@pytest.mark.parametrize("penalty", ["l1", "elastic_net"])
def test_needs_no_l1(penalty):
    for solver in (GradientDescent, ConjugateGradient):
        assert solver.needs.missing(make_loss("logistic"), make_penalty(penalty))
    assert not ProximalGradient.needs.missing(make_loss("logistic"), make_penalty(penalty))
