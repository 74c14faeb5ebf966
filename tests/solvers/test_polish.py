"""Newton steps on the free variables."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from maxmargin.certificates import evaluate
from maxmargin.problems import BoxQP
from maxmargin.solvers import Decomposition, feasible, polish


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_from_a_good_answer_to_an_exact_one(classifier_problem, kernel, C):
    problem = classifier_problem(80, C=C, kernel=kernel)
    rough = Decomposition.solve(problem, None, 1e-3).variables
    exact = polish(problem, rough)
    assert evaluate(problem, exact).kkt_violation <= 1e-9
    assert ((problem.lower <= exact) & (exact <= problem.upper)).all()
    assert exact.sum() == pytest.approx(0, abs=1e-10 * C * 80)


def test_two_groups(classifier_problem):
    soft = classifier_problem(60, distance=4.0)
    problem = BoxQP.hull_distance(soft.gram, soft.p)
    rough = Decomposition.solve(problem, feasible(problem, np.zeros(60)), 1e-4).variables
    exact = polish(problem, rough)
    assert evaluate(problem, exact).kkt_violation <= 1e-10
    for g, total in enumerate(problem.totals):
        assert exact[problem.members(g)].sum() == pytest.approx(total, abs=1e-12)


@given(seed=st.integers(0, 10**6), exponent=st.floats(-3, 6), kernel=st.sampled_from(["linear", "rbf", "sigmoid"]))
@settings(max_examples=40)
def test_never_worse_and_always_feasible(classifier_problem, seed, exponent, kernel):
    C = 10.0**exponent
    problem = classifier_problem(25, C=C, kernel=kernel, seed=seed)
    start = feasible(problem, np.random.default_rng(seed).normal(size=25) * C)
    kept = start.copy()
    result = polish(problem, start)
    assert evaluate(problem, result).kkt_violation <= evaluate(problem, start).kkt_violation
    assert ((problem.lower <= result) & (result <= problem.upper)).all()
    assert result.sum() == pytest.approx(0, abs=1e-9 * C * 25)
    assert (start == kept).all()


def test_nothing_free_nothing_done(classifier_problem):
    problem = classifier_problem(20)
    assert (polish(problem, np.zeros(20)) == 0).all()
