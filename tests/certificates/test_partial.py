"""Evidence from sums of parts of the rows: that of all rows, whatever the parts and their order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest

from maxmargin.certificates import (
    BoundedSum,
    SlopeRule,
    balanced_rule,
    evaluate_linear,
    evidence_of_classes,
    evidence_of_parts,
    multinomial_part,
    risk_part,
    rule_part,
)
from maxmargin.data import Rows
from maxmargin.losses import SmoothedLoss, make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import MultinomialRisk, Risk


def added(parts):
    return reduce(lambda a, b: a + b, parts)


def pieces(problem, count):
    """Problems of the rows between random cuts."""
    cuts = [
        0,
        *sorted(np.random.default_rng(count).choice(np.arange(1, problem.n), count - 1, replace=False)),
        problem.n,
    ]
    for low, high in pairwise(cuts):
        named = "y" if isinstance(problem, Risk) else "label"
        arrays = {name: getattr(problem, name)[low:high] for name in (named, "weights")}
        yield replace(problem, rows=Rows(problem.rows.take(slice(low, high))), **arrays)


def test_sums_are_within_their_errors():
    numbers = np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(50)
    exact = sum(Fraction(x) for x in numbers)
    for order in (numbers, numbers[::-1], np.sort(numbers)):
        found = added([BoundedSum(x, 0.0) for x in order])
        assert abs(Fraction(float(found.value)) - exact) <= Fraction(float(found.error))
        assert Fraction(float(found.low)) <= exact <= Fraction(float(found.high))
    endless = BoundedSum(1e308, 0.0) + BoundedSum(1e308, 0.0)
    assert endless.error == np.inf


@pytest.mark.parametrize("name", ["hinge", "squared_hinge", "logistic", "epsilon_insensitive"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_parts_of_a_risk_prove_what_the_whole_proves(name, fit_intercept):
    rng = np.random.default_rng(1)
    X, loss = rng.normal(size=(200, 4)), make_loss(name, 0.1)
    y = np.where(X[:, 0] + rng.normal(size=200) > 0, 1.0, -1.0)
    problem = Risk(Rows(X), y, rng.uniform(0, 2, 200), loss, make_penalty("l2"), fit_intercept)
    theta = np.append(rng.normal(size=4), 0.3 * fit_intercept)
    rule = SlopeRule(0.4 if loss.piecewise_linear else 0.0)
    if fit_intercept:
        sums = [figure.value for figure in rule_part(problem, problem.decision(theta), rule)]
        rule = balanced_rule(rule, *map(float, sums))
    whole = evaluate_linear(problem, theta, rule, as_given=True)
    for count in (1, 2, 7, 40):
        parts = [risk_part(part, theta, rule) for part in pieces(problem, count)]
        for order in (parts, parts[::-1]):
            found = evidence_of_parts(problem.penalty, theta, fit_intercept, added(order))
            assert found.primal == pytest.approx(whole.primal, rel=1e-13)
            assert found.dual == pytest.approx(whole.dual, rel=1e-12, abs=1e-12 * whole.primal)
            assert found.kkt_violation == pytest.approx(whole.kkt_violation, rel=1e-12)
            assert found.dual <= problem.value(theta) <= found.primal


def test_parts_of_a_multinomial_problem_prove_what_the_whole_proves():
    rng = np.random.default_rng(2)
    X, label = rng.normal(size=(150, 3)), rng.integers(0, 3, 150)
    problem = MultinomialRisk(Rows(X), label, 3, rng.uniform(0.5, 2, 150), make_penalty("l2"), False)
    theta = rng.normal(size=(4, 3)) * [[1], [1], [1], [0]]
    whole = evaluate_linear(problem, theta)
    for count in (1, 5):
        parts = [multinomial_part(part, theta, np.zeros(3)) for part in pieces(problem, count)]
        found = evidence_of_classes(problem.penalty, theta, False, added(parts))
        assert found.primal == pytest.approx(whole.primal, rel=1e-13)
        assert found.dual == pytest.approx(whole.dual, rel=1e-12, abs=1e-12)


def test_slopes_that_sum_to_something_prove_nothing_with_an_intercept_and_one_class():
    X = np.ones((5, 1))
    problem = Risk(Rows(X), np.ones(5), np.ones(5), make_loss("hinge"), make_penalty("l2"), True)
    theta = np.zeros(2)
    found = evidence_of_parts(problem.penalty, theta, True, risk_part(problem, theta, SlopeRule(1.0)))
    assert found.dual == 0


@pytest.mark.parametrize("name", ["hinge", "perceptron", "epsilon_insensitive"])
def test_a_smoothed_loss_is_near_the_loss_and_its_slopes_are_of_its_dual(name):
    loss, width = make_loss(name, 0.3), 0.5
    smoothed, f = SmoothedLoss(loss, width), np.linspace(-3, 3, 2001)
    for y in (-1.0, 1.0):
        targets = np.full_like(f, y)
        excess = smoothed.value(f, targets) - loss.value(f, targets)
        assert excess.min() >= -1e-15 and excess.max() <= width / 8 * (1 + 1e-12)
        u = smoothed.derivative(f, targets)
        assert np.isfinite(loss.conjugate(u, targets)).all()
        np.testing.assert_allclose(np.gradient(smoothed.value(f, targets), f)[1:-1], u[1:-1], atol=0.01)
        gap = loss.value(f, targets) + loss.conjugate(u, targets) - u * f
        assert gap.min() >= -1e-14 and gap.max() <= width / 16 * (1 + 1e-9)


def test_rules_that_no_fit_leaves_are_not_sound():
    assert SlopeRule(0.1, 0.5, 1.0).is_sound()
    for rule in (SlopeRule(-1.0), SlopeRule(0.1, 1.5), SlopeRule(float("nan")), SlopeRule(0.1, shift=float("inf"))):
        assert not rule.is_sound()
