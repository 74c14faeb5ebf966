"""The formulas of the certificate: weak duality, the gap as a sum, the best intercept, the violation."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from maxmargin.certificates import best_intercept, evaluate, evaluate_hard_margin, kkt_violation
from maxmargin.kernels import MatrixGram
from maxmargin.problems import BoxQP


def random_problem(seed, hulls=False):
    """A classifier's problem (or that of two hulls) with bounds of all sizes, some of them zero, and its matrix."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 15))
    root = rng.normal(size=(n, int(rng.integers(1, 6))))
    K = root @ root.T
    sign = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    gram = MatrixGram(K, symmetric=True)
    if hulls:
        return rng, K, BoxQP.hull_distance(gram, sign)
    C = 10.0 ** rng.uniform(-3, 3, n) * (rng.random(n) < 0.9)
    return rng, K, BoxQP.classifier(gram, sign, C)


def random_feasible(rng, problem):
    """Somewhere in the box, some variables at their bounds, with the right sums."""
    beta = np.where(problem.upper > 0, problem.upper, problem.lower) * rng.choice([0, rng.random(), 1], problem.n)
    positive = beta > 0
    if len(problem.totals) == 2:  # two convex combinations
        for members in (problem.upper > 0, problem.lower < 0):
            part = np.abs(beta[members]) + 1e-3
            beta[members] = np.sign(problem.upper[members] + problem.lower[members]) * part / part.sum()
        return beta
    plus, minus = beta[positive].sum(), -beta[~positive].sum()
    if plus > minus:
        beta[positive] *= minus / plus
    elif minus > 0:
        beta[~positive] *= plus / minus
    return beta


def primal_at(problem, K, v, b):
    """P(w, b) for w = sum v_i phi(x_i), by its definition."""
    value = v @ K @ v / 2
    for g, total in enumerate(problem.totals):
        m = problem.members(g)
        r = (problem.p - K @ v)[m] - b[g]
        value += np.maximum(problem.upper[m] * r, problem.lower[m] * r).sum() + total * b[g]
    return value


@given(st.integers(0, 10**6), st.booleans())
def test_weak_duality(seed, hulls):
    """No w and no b whatsoever have a primal value below the dual value of a feasible point."""
    rng, K, problem = random_problem(seed, hulls)
    beta = random_feasible(rng, problem)
    dual = evaluate(problem, beta).dual
    assert dual == pytest.approx(problem.p @ beta - beta @ K @ beta / 2, rel=1e-9, abs=1e-9)
    for _ in range(5):
        v, b = rng.normal(size=problem.n) * 10.0 ** rng.uniform(-3, 1), rng.normal(size=len(problem.totals))
        primal = primal_at(problem, K, v, b)
        assert primal >= dual - 1e-9 * (1 + abs(primal) + abs(dual))


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_gap_is_primal_minus_dual(seed, hulls, own_intercepts):
    rng, K, problem = random_problem(seed, hulls)
    beta = random_feasible(rng, problem)
    b = tuple(rng.normal(size=len(problem.totals))) if own_intercepts else None
    e = evaluate(problem, beta, b)
    assert e.primal == pytest.approx(primal_at(problem, K, beta, e.intercepts), rel=1e-9)
    assert e.gap == pytest.approx(e.primal - e.dual, rel=1e-6, abs=1e-9 * (1 + abs(e.primal)))
    assert e.gap >= 0
    assert e.relative_gap == pytest.approx(e.gap / max(abs(e.primal), abs(e.dual)))
    if b is not None:
        assert e.intercepts == b
    assert_allclose(e.image, K @ beta, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 10**6))
def test_best_intercepts_beat_all_others(seed):
    rng, _, problem = random_problem(seed)
    beta = random_feasible(rng, problem)
    best = evaluate(problem, beta)
    for b in rng.normal(size=10) * 10.0 ** rng.uniform(-2, 2):
        other = evaluate(problem, beta, (float(b),))
        assert other.primal >= best.primal - 1e-9 * (1 + abs(best.primal))
        # extended precision may narrow one of the two
        assert abs(other.dual - best.dual) <= other.rounding + best.rounding


@given(st.data())
def test_intercept_is_the_middle_of_all_minimisers(data):
    """Whole numbers: sums are exact, and brute force over the breakpoints finds every minimiser."""
    n = data.draw(st.integers(1, 8))
    whole = st.integers(-6, 6)
    residual = np.array(data.draw(st.lists(whole, min_size=n, max_size=n)), dtype=float)
    ends = np.array(data.draw(st.lists(st.tuples(whole, whole), min_size=n, max_size=n)), dtype=float)
    lower, upper = ends.min(axis=1), ends.max(axis=1)
    total = float(data.draw(st.integers(int(lower.sum()), int(upper.sum()))))

    def objective(b):
        r = residual - b
        return np.maximum(upper * r, lower * r).sum() + total * b

    values = np.array([objective(b) for b in residual])
    minimisers = residual[values == values.min()]
    b = best_intercept(residual, lower, upper, total)
    assert objective(b) == values.min()
    assert b == (minimisers.min() + minimisers.max()) / 2


def test_flat_interval_of_a_machine_without_samples_on_the_boundary():
    """Both multipliers at their bound: every b between the residuals is best, the middle is taken."""
    assert best_intercept(np.array([-3.0, 1.0]), np.array([0.0, -2.0]), np.array([2.0, 0.0]), 0.0) == -1.0


@pytest.mark.parametrize("C", [1e-5, 0.1, 1 / 3, 7e9])
def test_an_interval_of_best_intercepts_is_seen_among_many_samples(C):
    """Added up one after the other, 20,000 equal weights are off by more than a slope of zero may be."""
    n = 20_000
    residual = np.concatenate([np.linspace(-2, -1, n // 2), np.linspace(1, 2, n // 2)])
    upper, lower = np.where(residual > 0, C, 0.0), np.where(residual > 0, 0.0, -C)
    assert [best_intercept(residual, lower, upper, 0.0, end) for end in (-1, 0, 1)] == [-1.0, 0.0, 1.0]
    one_more = np.append(residual, 1.5), np.append(lower, 0.0), np.append(upper, C)
    assert best_intercept(*one_more, 0.0, -1) == 1.0


def test_violation_is_the_contradiction_of_two_demands():
    problem = BoxQP.classifier(MatrixGram(np.eye(4), symmetric=True), np.array([1.0, 1, -1, -1]), np.ones(4))
    residual = np.array([0.5, 2.0, -1.0, 0.25])
    # may rise: beta < upper (samples 1, 2, 3); may fall: beta > lower (samples 0, 1, 3)
    beta = np.array([1.0, 0.5, -1.0, -0.5])
    assert kkt_violation(problem, beta, residual) == 2.0 - 0.25
    # at zero multipliers positive samples may only rise, negative ones only fall
    assert kkt_violation(problem, np.zeros(4), residual) == 2.0 + 1.0
    # at the upper bounds it is the other way round, and nothing contradicts
    assert kkt_violation(problem, np.array([1.0, 1, -1, -1]), np.array([5.0, 4, 1, 2])) == 0.0
    # nobody may move
    pinned = BoxQP.classifier(problem.gram, problem.p, np.zeros(4))
    assert kkt_violation(pinned, np.zeros(4), residual) == 0.0


def test_violation_is_counted_group_by_group():
    sign = np.array([1.0, 1, -1, -1])
    problem = BoxQP.hull_distance(MatrixGram(np.eye(4), symmetric=True), sign)
    beta = np.array([0.5, 0.5, -0.5, -0.5])
    assert kkt_violation(problem, beta, np.array([0.0, 1.0, 50.0, 53.0])) == 3.0


@given(st.integers(0, 10**6))
def test_zero_violation_and_zero_gap_go_together(seed):
    """The gap is at most the violation times the room that the variables have, and zero when it is zero."""
    rng, _, problem = random_problem(seed)
    beta = random_feasible(rng, problem)
    e = evaluate(problem, beta)
    room = (problem.upper - problem.lower).sum()
    assert e.gap <= e.kkt_violation * room * (1 + 1e-9) + 1e-9 * (1 + abs(e.primal))


def test_empty_objective_has_no_gap():
    problem = BoxQP.classifier(MatrixGram(np.zeros((2, 2)), symmetric=True), np.array([1.0, -1]), np.zeros(2))
    e = evaluate(problem, np.zeros(2))
    assert (e.primal, e.dual, e.gap, e.relative_gap, e.kkt_violation) == (0, 0, 0, 0, 0)


class TestHardMargin:
    """Two points at -1 and +1 on a line: w = 1, b = 0, both multipliers 1/2."""

    problem = BoxQP.classifier(
        MatrixGram(np.array([[1.0, -1], [-1, 1]]), symmetric=True), np.array([1.0, -1]), np.full(2, np.inf)
    )

    def test_optimum(self):
        e = evaluate_hard_margin(self.problem, np.array([0.5, -0.5]))
        assert e.dual <= 0.5 <= e.primal
        assert e.gap <= 1e-14
        assert e.kkt_violation == 0
        assert e.intercepts == (0.0,)

    @pytest.mark.parametrize("scale", [0.1, 0.9, 1.1, 3.0])
    def test_primal_is_scaled_to_be_feasible(self, scale):
        e = evaluate_hard_margin(self.problem, scale * np.array([0.5, -0.5]))
        assert e.primal == pytest.approx(0.5)
        assert e.dual == pytest.approx(scale - scale**2 / 2)
        assert e.gap == pytest.approx((1 - scale) ** 2 / 2)
        assert e.kkt_violation == pytest.approx(abs(scale - 1))

    def test_a_wrong_intercept_costs(self):
        e = evaluate_hard_margin(self.problem, np.array([0.5, -0.5]), (0.5,))
        assert e.primal == pytest.approx(2.0)
        assert e.kkt_violation == pytest.approx(0.5)

    def test_a_direction_that_does_not_separate_proves_nothing(self):
        e = evaluate_hard_margin(self.problem, np.array([0.5, -0.5]), (5.0,))
        assert e.primal == e.gap == e.relative_gap == np.inf

    def test_other_points_must_be_outside(self):
        """A third point inside the margin is a violation although it has no multiplier."""
        x = np.array([1.0, -1.0, 0.2])
        problem = BoxQP.classifier(
            MatrixGram(np.outer(x, x), symmetric=True), np.array([1.0, -1, 1]), np.full(3, np.inf)
        )
        e = evaluate_hard_margin(problem, np.array([0.5, -0.5, 0.0]), (0.0,))
        assert e.kkt_violation == pytest.approx(0.8)
