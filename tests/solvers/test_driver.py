"""The loop that all solvers run in: budget, monitor, Ctrl-C, trace; and a solver of one's own."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from maxmargin.certificates import Status, evaluate_risk
from maxmargin.data import Rows
from maxmargin.linear_model import LinearClassifier
from maxmargin.losses import make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import Risk
from maxmargin.solvers import RISK_SOLVERS, Figures, IterativeSolver, Monitor, Needs, Trace, drive, solve_risk


class Counting(IterativeSolver):
    """Takes steps of two and has no more to say after ten."""

    def __init__(self, ends=None, at=10):
        self.theta, self.ends, self.at, self.looks, self.begun = np.zeros(1), ends, at, [], 0

    def begin(self, budget):
        self.begun = budget

    def step(self, most):
        self.iterations += min(2, most)
        self.theta = self.theta + 1.0
        return self.ends if self.iterations >= self.at else None

    def finished(self, last):
        self.looks.append(last)
        return Status.CONVERGED if self.iterations >= 2 * self.at else None

    def figures(self):
        return Figures(1.0 / (1 + self.iterations), primal=float(self.iterations))


class HeavyBall(IterativeSolver):
    """Gradient steps with momentum."""

    needs = Needs(smooth=True, no_l1=True)
    budget = 5000
    options = ("momentum",)

    def __init__(self, problem, start, tolerance, slopes=None, momentum=0.9):
        self.problem, self.theta, self.tolerance, self.momentum = problem, start, tolerance, momentum
        self.move, self.length = np.zeros_like(start), 1 / (problem.lipschitz_gradient() + problem.penalty.l2)

    def step(self, most):
        gradient = self.problem.loss_and_gradient(self.theta)[1]
        gradient[:-1] += self.problem.penalty.l2 * self.theta[:-1]
        self.move = self.momentum * self.move - self.length * gradient
        self.theta, self.iterations = self.theta + self.move, self.iterations + 1

    def finished(self, last):
        met = evaluate_risk(self.problem, self.theta).relative_gap <= self.tolerance
        return Status.CONVERGED if met else None


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.fixture
def problem(cancer):
    X, y = cancer
    return Risk(Rows(X), np.where(y > 0, 1.0, -1.0), np.ones(len(y)), make_loss("logistic"), make_penalty("l2"))


def test_the_budget_is_known_kept_and_said():
    solver = Counting()
    found = drive(solver, 7)
    assert (found.status, found.iterations, solver.begun) == (Status.BUDGET_EXHAUSTED, 7, 7)
    assert solver.looks == [False] * 4 + [True]


def test_a_last_look_may_find_that_it_is_done():
    assert drive(Counting(), 20).status is Status.CONVERGED


@pytest.mark.parametrize("status", [Status.STALLED, Status.CONVERGED])
def test_a_step_may_end_it(status):
    found = drive(Counting(ends=status), 100)
    assert (found.status, found.iterations) == (status, 10)


def test_reports_count_what_was_before_and_stop_it():
    heard = []
    monitor = Monitor(callback=lambda state: heard.append(state["iteration"]) or len(heard) == 3)
    found = drive(Counting(), 100, monitor, before=50)
    assert heard == [50, 52, 54]
    assert (found.status, found.iterations, found.keyboard) == (Status.INTERRUPTED, 4, False)


def test_ctrl_c_keeps_what_was_reached():
    def press(state):
        if state["iteration"] == 6:
            raise KeyboardInterrupt

    found = drive(Counting(), 100, Monitor(callback=press))
    assert (found.status, found.keyboard) == (Status.INTERRUPTED, True)
    assert_array_equal(found.variables, [3.0])


def test_other_errors_come_out():
    def broken(state):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        drive(Counting(), 100, Monitor(callback=broken))


@pytest.mark.parametrize("ends", [None, Status.STALLED])
def test_a_trace_has_every_step_the_first_and_the_last_too(ends):
    trace = Trace(variables=True)
    found = drive(Counting(ends=ends), 8 if ends is None else 100, Monitor(trace=trace))
    assert [point.iteration for point in trace.points] == list(range(0, found.iterations + 1, 2))
    assert [point.figures.primal for point in trace.points] == [float(point.iteration) for point in trace.points]
    assert_array_equal(np.concatenate([point.variables for point in trace.points]), np.arange(len(trace)))
    seconds = [point.seconds for point in trace.points]
    assert seconds == sorted(seconds)


def test_figures_are_not_asked_for_if_nobody_listens():
    class Shy(Counting):
        def figures(self):
            raise AssertionError("nobody listens")

    assert drive(Shy(), 7, Monitor()).iterations == 7


@pytest.mark.parametrize("name", [name for name in RISK_SOLVERS if name not in ("interior_point", "sgd")])
def test_every_solver_can_be_traced(name, problem):
    trace, tolerance = Trace(), 1e-4
    found = solve_risk(problem, name, tolerance=tolerance, monitor=Monitor(trace=trace))
    assert found.status is Status.CONVERGED
    iterations = [point.iteration for point in trace.points]
    assert iterations[0] == 0 and iterations == sorted(iterations) and max(iterations) == found.iterations
    believed = [point.figures.gap for point in trace.points if np.isfinite(point.figures.gap)]
    assert believed[-1] <= 10 * tolerance


def test_problems_of_one_fit_are_told_apart():
    trace = Trace()
    monitor = Monitor(trace=trace)
    for name in ("a", "b", "a"):
        drive(Counting(), 2, monitor.named(name))
    assert len(trace.of("a")) == 4 and len(trace.of("b")) == 2


def test_a_solver_of_ones_own(cancer):
    X, y = cancer
    model = LinearClassifier(loss="logistic", solver=HeavyBall, tol=1e-3).fit(X, y)
    assert model.solver_ == "HeavyBall"
    assert model.certificate_.status is Status.CONVERGED and model.certificate_.relative_gap <= 1e-3
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    slower = LinearClassifier(loss="logistic", solver=HeavyBall, tol=1e-3, solver_options={"momentum": 0.5}).fit(X, y)
    assert slower.n_iter_[0] > model.n_iter_[0]


def test_what_it_needs_is_checked(cancer):
    with pytest.raises(ValueError, match=r"solver='HeavyBall' needs a loss with a derivative .*'interior_point'"):
        LinearClassifier(loss="hinge", solver=HeavyBall).fit(*cancer)
    with pytest.raises(ValueError, match=r"solver_options has \['speed'\], .*takes \['momentum'\]"):
        LinearClassifier(loss="logistic", solver=HeavyBall, solver_options={"speed": 1}).fit(*cancer)
