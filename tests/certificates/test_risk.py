"""The duality gap of regularised risks: a bound at any point, whoever found it, and zero at the optimum alone."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from maxmargin.certificates import evaluate_multinomial, evaluate_risk
from maxmargin.data import Rows
from maxmargin.losses import LOSSES, make_loss
from maxmargin.penalties import PENALTIES, make_penalty
from maxmargin.problems import MultinomialRisk, Risk
from maxmargin.solvers import solve_risk

CONVEX = [name for name, facts in LOSSES.items() if facts.convex]


def _problem(loss, penalty, seed=0, n=30, d=3, fit_intercept=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    loss = make_loss(loss, 0.1)
    y = rng.normal(size=n) if loss.kind == "regression" else np.where(rng.normal(size=n) + X[:, 0] > 0, 1.0, -1.0)
    c = rng.uniform(0, 2, n) * (rng.uniform(size=n) > 0.1)
    return Risk(Rows(X), y, c, loss, make_penalty(penalty), fit_intercept, 1)


@pytest.mark.parametrize("loss", CONVEX)
@settings(max_examples=25)
@given(
    penalty=st.sampled_from(sorted(PENALTIES)),
    theta=st.lists(st.floats(-50, 50), min_size=4, max_size=4),
    other=st.lists(st.floats(-3, 3), min_size=4, max_size=4),
    seed=st.integers(0, 20),
    fit_intercept=st.booleans(),
)
def test_weak_duality(loss, penalty, theta, other, seed, fit_intercept):
    problem = _problem(loss, penalty, seed, fit_intercept=fit_intercept)
    theta, other = np.array(theta), np.array(other)
    if not fit_intercept:
        theta[-1] = other[-1] = 0.0
    found = evaluate_risk(problem, theta)
    assert found.gap >= 0
    assert found.dual <= problem.value(other) * (1 + 1e-9) + 1e-9  # the bound holds at every point
    assert found.primal == pytest.approx(problem.value(theta))
    if np.isfinite(found.gap):
        assert found.primal - found.dual == pytest.approx(found.gap, rel=1e-6, abs=1e-7 * (1 + abs(found.primal)))


@pytest.mark.parametrize("penalty", ["l2", "l1", "elastic_net"])
@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared", "epsilon_insensitive"])
def test_a_changed_answer_is_found_out(loss, penalty):
    problem = _problem(loss, penalty)
    solution = solve_risk(problem, tolerance=1e-8)
    assert solution.evidence.relative_gap <= 1e-8
    moved = solution.variables + np.array([0.1, 0, 0, 0])
    assert evaluate_risk(problem, moved, solution.evidence.u).relative_gap > 1e-5


def test_slopes_outside_of_their_domain_prove_nothing():
    problem = _problem("hinge", "l2")
    theta = np.zeros(4)
    wild = evaluate_risk(problem, theta, np.full(problem.n, 1e6))
    assert wild.dual <= wild.primal


def test_gradient_and_hessian_are_those_of_the_value():
    for loss in ("logistic", "squared", "squared_hinge", "squared_epsilon_insensitive"):
        problem = _problem(loss, "none", seed=3)
        theta = np.array([0.3, -0.2, 0.1, 0.05])
        value, gradient, H = problem.second_order(theta)
        assert value == pytest.approx(problem.value(theta))
        assert problem.loss_and_gradient(theta)[1] == pytest.approx(gradient)
        for k, e in enumerate(np.eye(4)):
            difference = (problem.value(theta + 1e-6 * e) - problem.value(theta - 1e-6 * e)) / 2e-6
            assert gradient[k] == pytest.approx(difference, rel=1e-5, abs=1e-6)
        h = problem.curvature_weights(problem.decision(theta))
        assert H == pytest.approx(problem.weighted_gram(h))
        assert H @ theta == pytest.approx(problem.hessian_product(h, theta))
        assert H.diagonal() == pytest.approx(problem.hessian_diagonal(h))
        assert np.linalg.eigvalsh(H)[-1] <= problem.lipschitz_gradient() * (1 + 1e-9)


@settings(max_examples=30)
@given(seed=st.integers(0, 50), penalty=st.sampled_from(["l2", "l1", "elastic_net"]), scale=st.floats(0.01, 5))
def test_weak_duality_of_the_multinomial(seed, penalty, scale):
    rng = np.random.default_rng(seed)
    X, label = rng.normal(size=(25, 2)), rng.integers(0, 3, 25)
    problem = MultinomialRisk(Rows(X), label, 3, rng.uniform(0, 2, 25), make_penalty(penalty), True, 1)
    found = evaluate_multinomial(problem, scale * rng.normal(size=(3, 3)))
    best = solve_risk(problem, tolerance=1e-6).evidence
    assert found.gap >= 0
    assert found.dual <= best.primal * (1 + 1e-9)
    assert best.dual <= found.primal * (1 + 1e-9)
