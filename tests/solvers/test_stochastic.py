"""Stochastic gradients: what is proven of them, their directions and schedules, averaging, streaming."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.certificates import Status, averaged_guarantee, evaluate_risk, gradient_bound, prior_radius
from maxmargin.data import Rows
from maxmargin.losses import LOSSES, make_loss
from maxmargin.penalties import PENALTIES, make_penalty
from maxmargin.problems import Risk
from maxmargin.solvers import Monitor, Newton, StochasticGradient, StochasticState
from maxmargin.solvers.linear._directions import DECAYS, DIRECTIONS, init
from maxmargin.solvers.linear._mean_slopes import feasible_slopes
from maxmargin.solvers.linear._schedules import step_lengths
from maxmargin.solvers.linear._stochastic_pass import directed_pass, lazy_pass

from .risks import STORAGE, noisy_plane

CONVEX = [name for name in LOSSES if LOSSES[name].convex]


def make_problem(loss="hinge", penalty="l2", n=300, d=5, **options):
    return noisy_plane(loss, penalty, n, d, **options)


def sparse_rows(n=60, d=40, seed=0):
    rng = np.random.default_rng(seed)
    return sp.random_array((n, d), density=0.1, format="csr", rng=rng, data_sampler=rng.normal), rng


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", CONVEX)
def test_default_options_reach_one_per_cent(loss, penalty):
    if loss == "perceptron" and penalty == "none":
        pytest.skip("J(0) = 0 is the minimum, and no classifier; see the tests of the perceptron")
    problem = make_problem(loss, penalty)
    solution = StochasticGradient.solve(problem, problem.start(), 1e-2)
    assert solution.status is Status.CONVERGED
    assert evaluate_risk(problem, solution.variables, solution.slopes).relative_gap <= 1e-2
    again = StochasticGradient.solve(problem, solution.variables, 1e-2, slopes=solution.slopes)
    assert again.iterations == 0
    assert again.status is Status.CONVERGED


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("options", [{}, {"batch_size": 16}, {"direction": "momentum"}, {"direction": "adam"}])
def test_every_storage(storage, options):
    if "direction" in options and storage not in ("dense64", "csr64"):
        pytest.skip("compiled for two of the four: the rows are read by the same accessor")
    problem = make_problem("hinge", "elastic_net", storage=storage)
    solution = StochasticGradient.solve(problem, problem.start(), 1e-2, **options)
    assert solution.status is Status.CONVERGED
    assert evaluate_risk(problem, solution.variables, solution.slopes).relative_gap <= 1e-2


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("batch_size", [1, 16, 300])
@pytest.mark.parametrize("loss, penalty", [("logistic", "l2"), ("epsilon_insensitive", "l1")])
def test_every_direction_and_batch(direction, batch_size, loss, penalty):
    problem = make_problem(loss, penalty)
    solution = StochasticGradient.solve(problem, problem.start(), 5e-2, batch_size=batch_size, direction=direction)
    assert evaluate_risk(problem, solution.variables, solution.slopes).relative_gap <= 5e-2


@pytest.mark.parametrize("schedule", ["constant", "inverse", "inverse_sqrt"])
def test_every_schedule(schedule):
    problem = make_problem("logistic", "l2")
    solution = StochasticGradient.solve(problem, problem.start(), 2e-2, schedule=schedule)
    assert solution.status is Status.CONVERGED


def test_schedules_are_their_formulas():
    t = np.arange(5.0)
    assert_allclose(step_lengths("constant", 0.5, 0.1, 10, t), 0.5)
    assert_allclose(step_lengths("inverse", 0.5, 0.1, 10, t), 0.5 / (1 + 0.05 * t))
    assert_allclose(step_lengths("inverse", 0.5, 0.0, 10, t), 0.5 / (1 + t / 10))
    assert_allclose(step_lengths("inverse_sqrt", 0.5, 0.1, 10, t), 0.5 / np.sqrt(1 + t / 10))
    assert_allclose(step_lengths("auto", 0.5, 0.0, 10, t), 0.5 / np.sqrt(1 + t / 10))
    assert_allclose(step_lengths("inverse", 3.0, 0.1, 10, np.array([1e9])), 1 / (0.1 * 1e9), rtol=1e-6)  # 1/(mu t)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("penalty", ["none", "elastic_net"])
def test_directions_equal_a_plain_reimplementation(direction, penalty):
    problem = make_problem("logistic", penalty, n=40, d=3)
    eta, passes, batch = 0.05, 2, 4
    state = StochasticState(
        problem.start(), batch_size=batch, direction=direction, schedule="constant", eta0=eta, order="cyclic"
    )
    state.advance(problem, passes)

    X = np.column_stack([problem.rows.take(slice(None)), np.ones(problem.n)])
    beta, beta2, delta = DECAYS
    theta, m, v, t = np.zeros(4), np.zeros(4), np.zeros(4), 0
    total, weights = np.zeros(4), 0.0
    for _ in range(passes):
        for low in range(0, problem.n, batch):
            part = slice(low, low + batch)
            total, weights = total + (t + 1.0) ** 3 * theta, weights + (t + 1.0) ** 3
            t += 1
            y = problem.y[part]
            g = X[part].T @ (-y / (1 + np.exp(y * (X[part] @ theta)))) / batch
            m, v = beta * m + (1 - beta) * g, beta2 * v + (1 - beta2) * g**2
            along, a = {
                "plain": (g, np.ones(4)),
                "momentum": (m, np.ones(4)),
                "nesterov": (beta * m + (1 - beta) * g, np.ones(4)),
                "rmsprop": (g / (np.sqrt(v) + delta), 1 / (np.sqrt(v) + delta)),
                "adam": (
                    m / (1 - beta**t) / (np.sqrt(v / (1 - beta2**t)) + delta),
                    1 / (np.sqrt(v / (1 - beta2**t)) + delta),
                ),
            }[direction]
            theta = theta - eta * along
            l1, l2 = (eta * a[:-1] * problem.penalty.l1 / 40, eta * a[:-1] * problem.penalty.l2 / 40)
            theta[:-1] = np.sign(theta[:-1]) * np.maximum(np.abs(theta[:-1]) - l1, 0) / (1 + l2)
    assert_allclose(state.theta, theta, rtol=1e-10, atol=1e-13)
    assert_allclose(state.average, total / weights, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("l1, l2", [(0.0, 0.0), (0.0, 0.5), (0.02, 0.0), (0.02, 0.5), (0.5, 300.0)])
@pytest.mark.parametrize("batch", [1, 7])
def test_lazy_steps_equal_plain_ones(l1, l2, batch):
    """Iterate, mean of the iterates and slopes, whether weights shrink when they are looked at or at once."""
    X, rng = sparse_rows()
    n, d = X.shape
    y, c = np.where(rng.random(n) < 0.5, -1.0, 1.0), rng.uniform(0, 2, n)
    c[::9] = 0
    order = np.concatenate([rng.permutation(n) for _ in range(5)])
    steps = -(-len(order) // batch)
    eta, weight = 0.5 / np.sqrt(1 + np.arange(steps)), (1.0 + np.arange(steps)) ** 3
    found = []
    for rows, work in ((Rows(X), lazy_pass), (Rows(X.toarray()), lazy_pass), (Rows(X.toarray()), directed_pass)):
        theta, total, u = np.linspace(-1, 1, d + 1), np.zeros(d + 1), np.zeros(n)
        arguments = (
            rows.arrays,
            order,
            batch,
            y,
            c,
            make_loss("hinge").code,
            0.0,
            l1,
            l2,
            True,
            eta,
            weight,
            theta,
            total,
            u,
        )
        if work is lazy_pass:
            lazy_pass(*arguments, 0.5)
        else:
            directed_pass(*arguments, 0.5, DIRECTIONS["plain"], init("plain", d + 1), 0, DECAYS)
        found.append((theta, total / weight.sum(), u))
    for other in found[1:]:
        for first, second in zip(found[0], other, strict=True):
            assert_allclose(first, second, rtol=1e-10, atol=1e-10)
    if l1 > 0:
        assert (found[0][0] == 0).any()


@pytest.mark.parametrize("storage", ["dense64", "csr64"])
@pytest.mark.parametrize("intercept", [False, True])
def test_is_the_perceptron_step_by_step(storage, intercept):
    problem = make_problem("perceptron", "none", n=50, storage=storage, intercept=intercept)
    X = np.asarray(make_problem("perceptron", "none", n=50).rows.take(slice(None)))
    w, mistakes, passes = np.zeros(6), 0, 3
    iterates = []
    for _ in range(passes):
        for x, y in zip(np.column_stack([X, np.full(50, float(intercept))]), problem.y, strict=True):
            if y * (w @ x) <= 0:
                w = w + y * x
                mistakes += 1
            iterates.append(w)
    assert not np.array_equal(iterates[0], np.zeros(6))  # the first sample is a mistake from w = 0
    assert mistakes > 5
    for k in (1, 2, 20, 50):  # step by step in the first pass: the first k samples alone
        part = Risk(
            Rows(problem.rows.take(slice(0, k))),
            problem.y[:k],
            np.ones(k),
            problem.loss,
            problem.penalty,
            intercept,
        )
        state = StochasticState(np.zeros(6), schedule="constant", eta0=1.0, average=False, order="cyclic")
        assert_allclose(state.advance(part).average, iterates[k - 1], rtol=1e-14, atol=1e-14)
    solution = StochasticGradient.solve(
        problem, np.zeros(6), 0.0, passes, schedule="constant", eta0=1.0, average=False, order="cyclic"
    )
    assert_allclose(solution.variables, w, rtol=1e-14, atol=1e-14)


def test_perceptron_on_separable_data_is_proven_to_be_done():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X @ np.ones(3) > 0, 1.0, -1.0)
    X += 0.3 * y[:, None]
    problem = Risk(Rows(X), y, np.ones(80), make_loss("perceptron"), make_penalty("none"))
    solution = StochasticGradient.solve(problem, problem.start(), 1e-3, schedule="constant", eta0=1.0, average=False)
    assert solution.status is Status.CONVERGED
    assert (y * problem.decision(solution.variables) > 0).all()


def test_a_perceptron_that_cannot_be_done_says_so():
    problem = make_problem("perceptron", "none")
    solution = StochasticGradient.solve(problem, problem.start(), 1e-3, 20)
    assert solution.status is Status.BUDGET_EXHAUSTED
    assert solution.variables.any()  # J(0) = 0, but the origin is no classifier


@pytest.mark.parametrize("batch_size", [1, 200])
def test_averaged_guarantee_holds(batch_size):
    problem = make_problem("logistic", "l2", n=200, d=3, C=0.1)
    best = problem.value(Newton.solve(problem, problem.start(), 1e-12).variables)
    passes = 40
    solution = StochasticGradient.solve(problem, problem.start(), 0.0, passes, schedule="theory", batch_size=batch_size)
    steps = passes * 200 // batch_size
    found = averaged_guarantee(problem, solution.variables, steps)
    assert found.bound == pytest.approx(200 * found.radius * found.lipschitz / np.sqrt(steps))
    assert 0 <= found.primal - best <= found.bound
    assert found.relative == pytest.approx(found.bound / found.primal)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared"])
@pytest.mark.parametrize("penalty", ["l2", "elastic_net"])
def test_prior_radius_bounds_the_solution(loss, penalty):
    problem = make_problem(loss, penalty, n=60)
    solution = StochasticGradient.solve(problem, problem.start(), 1e-2)
    assert np.linalg.norm(solution.variables) <= prior_radius(problem)
    assert prior_radius(make_problem(loss, "none")) == np.inf


def test_gradient_bound_is_one():
    problem = make_problem("hinge", n=30)
    X = np.column_stack([problem.rows.take(slice(None)), np.ones(30)])
    assert gradient_bound(problem) == pytest.approx(np.linalg.norm(X, axis=1).max())
    assert averaged_guarantee(make_problem("squared"), np.zeros(6), 100).bound == np.inf
    assert averaged_guarantee(make_problem("hinge", "none"), np.zeros(6), 100, radius=2.0).bound < np.inf


def test_slopes_are_made_feasible():
    rng = np.random.default_rng(0)
    for loss in CONVEX:
        for penalty in ("none", "l1", "l2"):
            problem = make_problem(loss, penalty)
            u = feasible_slopes(problem, rng.normal(size=problem.n))
            assert (u >= problem.loss.dual_lower(problem.y)).all()
            assert (u <= problem.loss.dual_upper(problem.y)).all()
            assert abs(problem.weights @ u) <= 1e-9 * (problem.weights @ np.abs(u)) + 1e-12
            sums = problem.transposed(problem.weights * u)[:-1]
            if penalty != "l2":
                assert np.abs(sums).max() <= problem.penalty.l1 * (1 + 1e-3) + 1e-6


def test_chunks_in_order_equal_one_pass():
    problem = make_problem("hinge", "elastic_net", n=90)
    options = {"schedule": "inverse", "eta0": 0.1, "order": "cyclic", "samples": 90}
    whole = StochasticState(problem.start(), **options).advance(problem)
    parts = StochasticState(problem.start(), **options)
    for low in (0, 30, 60):
        rows = slice(low, low + 30)
        chunk = Risk(
            Rows(problem.rows.take(rows)), problem.y[rows], problem.weights[rows], problem.loss, problem.penalty
        )
        parts.advance(chunk)
        assert len(parts.slopes) == 30
    assert parts.steps == whole.steps == 90
    assert_allclose(parts.theta, whole.theta, rtol=1e-12, atol=1e-14)
    assert_allclose(parts.average, whole.average, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared"])
def test_a_stream_learns_and_says_how_well(loss):
    whole = make_problem(loss, "l2", n=6000)
    state = StochasticState(np.zeros(6), samples=6000)
    for low in range(0, 6000, 600):
        rows = slice(low, low + 600)
        weaker = make_penalty("l2", strength=0.1)  # the chunk's share of R
        part = Risk(Rows(whole.rows.take(rows)), whole.y[rows], whole.weights[rows], whole.loss, whole.penalty)
        found = state.advance(part).suboptimality(part)
        share = Risk(part.rows, part.y, part.weights, part.loss, weaker)
        least = share.value(Newton.solve(share, share.start(), 1e-12).variables)
        assert found.guarantee is None
        assert found.evidence.primal == pytest.approx(share.value(state.average))
        assert found.evidence.dual <= least * (1 + 1e-9)  # a bound from below, and not a loose one
        assert found.evidence.dual >= 0.95 * least
    best = whole.value(Newton.solve(whole, whole.start(), 1e-10).variables)
    assert whole.value(state.average) <= 1.01 * best


def test_the_bound_of_a_stream_falls():
    problem = make_problem("hinge", "l2", n=100)
    state = StochasticState(np.zeros(6), schedule="theory", radius=3.0, steps=400, order="replacement")
    bounds = [state.advance(problem).suboptimality(problem).guarantee for _ in range(4)]
    assert [bound.steps for bound in bounds] == [100, 200, 300, 400]
    assert (np.diff([bound.bound for bound in bounds]) < 0).all()
    assert bounds[-1].bound == pytest.approx(100 * 3.0 * gradient_bound(problem) / np.sqrt(400))


def test_long_passes_are_cut():
    """More steps than one compiled call makes, and the running sums start anew: the same answer."""
    problem = make_problem("hinge", "elastic_net", n=10_000, d=2)
    state = StochasticState(problem.start(), schedule="constant", eta0=0.01, order="cyclic").advance(problem)
    theta, total, u = np.zeros(3), np.zeros(3), np.zeros(10_000)
    eta, weight = np.full(10_000, 0.01), (1.0 + np.arange(10_000)) ** 3
    penalty = problem.penalty
    lazy_pass(
        *(problem.rows.arrays, np.arange(10_000), 1, problem.y, problem.weights, problem.loss.code, 0.0),
        *(penalty.l1 / 10_000, penalty.l2 / 10_000, True, eta, weight, theta, total, u, 1.0),
    )
    assert_allclose(state.theta, theta, rtol=1e-9, atol=1e-12)
    assert_allclose(state.average, total / weight.sum(), rtol=1e-9, atol=1e-12)


def test_seeds():
    problem = make_problem("logistic", "l2")
    first, second, other = (StochasticGradient.solve(problem, problem.start(), 0.0, 3, seed=seed) for seed in (0, 0, 1))
    assert_array_equal(first.variables, second.variables)
    assert_array_equal(first.slopes, second.slopes)
    assert not np.array_equal(first.variables, other.variables)
    assert not problem.start().any()


@pytest.mark.parametrize("loss", CONVEX)
@pytest.mark.parametrize("penalty", ["none", "l2"])
def test_unscaled_data_ends_truthfully(loss, penalty):
    problem = make_problem(loss, penalty, n=60, unit=1e4)
    solution = StochasticGradient.solve(problem, problem.start(), 1e-2, 50)
    proven = evaluate_risk(problem, solution.variables, solution.slopes).relative_gap
    assert np.isfinite(solution.variables).all()
    assert (solution.status is Status.CONVERGED) == (proven <= 1e-2)


@pytest.mark.parametrize("loss", CONVEX)
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("x", [0.0, 1.0, 1e6])
def test_single_row(loss, penalty, x):
    problem = Risk(Rows(np.array([[x]])), np.ones(1), np.ones(1), make_loss(loss, 0.1), make_penalty(penalty))
    solution = StochasticGradient.solve(problem, problem.start(), 1e-2, 50)
    assert np.isfinite(solution.variables).all()
    proven = evaluate_risk(problem, solution.variables, solution.slopes).relative_gap
    assert (solution.status is Status.CONVERGED) == (proven <= 1e-2)


def test_no_sample_has_weight():
    problem = make_problem(n=10)
    problem = Risk(problem.rows, problem.y, np.zeros(10), problem.loss, problem.penalty)
    assert StochasticGradient.solve(problem, problem.start(), 1e-2).status is Status.CONVERGED


def test_steps_that_are_too_long_leave_a_finite_point():
    problem = make_problem("squared", "none")
    solution = StochasticGradient.solve(problem, problem.start(), 1e-2, 50, eta0=100.0, schedule="constant")
    assert solution.status is Status.STALLED
    assert np.isfinite(solution.variables).all()


def test_a_callback_stops_it():
    problem = make_problem("hinge", "l1")
    heard = []
    monitor = Monitor(callback=lambda state: heard.append(state) or len(heard) == 4)
    solution = StochasticGradient.solve(problem, problem.start(), 1e-9, monitor=monitor)
    assert solution.status is Status.INTERRUPTED
    assert solution.iterations == heard[-1]["iteration"] == 3  # the start is reported too
    assert problem.value(solution.variables) < problem.value(problem.start())


def test_ctrl_c_keeps_what_was_found():
    def interrupt(state):
        if state["iteration"] == 3:
            raise KeyboardInterrupt

    problem = make_problem("hinge", "l2")
    solution = StochasticGradient.solve(problem, problem.start(), 1e-9, monitor=Monitor(callback=interrupt))
    assert solution.keyboard
    assert solution.status is Status.INTERRUPTED
    assert problem.value(solution.variables) < problem.value(problem.start())


@pytest.mark.parametrize(
    "options, message",
    [
        ({"direction": "sideways"}, "direction must be one of"),
        ({"schedule": "never"}, "schedule must be one of"),
        ({"order": "alphabetical"}, "order must be one of"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"batch_size": 1.5}, "batch_size must be"),
        ({"eta0": -1.0}, "eta0 must be"),
        ({"schedule": "theory"}, "give radius="),
    ],
)
def test_refuses_other_options(options, message):
    problem = make_problem("hinge", "none")
    with pytest.raises(ValueError, match=message):
        StochasticGradient.solve(problem, problem.start(), 1e-2, **options)


def test_theory_needs_bounded_slopes():
    problem = make_problem("squared", "l2")
    with pytest.raises(ValueError, match="bounded slopes"):
        StochasticGradient.solve(problem, problem.start(), 1e-2, schedule="theory")


def test_needs_a_convex_loss():
    assert StochasticGradient.needs.missing(make_loss("zero_one"), make_penalty("l2"))
