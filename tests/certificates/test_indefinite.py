"""What a gap proves where K is semi-definite up to a shift."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin.certificates import evaluate, with_definiteness
from maxmargin.kernels import KNOWN, Definiteness, MatrixGram
from maxmargin.problems import BoxQP


def two_samples(s, C):
    """D = 2 alpha + s alpha^2 on [0, C]: the optimum is 2 C + s C^2."""
    return BoxQP.classifier(MatrixGram(-s * np.eye(2), symmetric=True), np.array([1.0, -1.0]), np.full(2, C))


@pytest.mark.parametrize("s", [1e-9, 1e-3])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_interval_contains_the_optimum_of_a_slightly_indefinite_problem(s, alpha):
    C = 2.0
    problem, beta = two_samples(s, C), alpha * C * np.array([1.0, -1.0])
    plain = evaluate(problem, beta)
    found = with_definiteness(plain, problem, Definiteness("shown", s))
    optimum = 2 * C + s * C**2
    assert found.dual <= optimum <= found.primal
    assert found.gap >= found.primal - found.dual - 1e-12
    assert found.definiteness == "shown"
    if alpha == 0.0:
        assert plain.primal < optimum  # without the shift it would be missed


def test_variables_that_share_a_row_count_together():
    s, C = 1e-3, 1.0
    problem = BoxQP.regressor(MatrixGram(-s * np.eye(2), symmetric=True), np.array([1.0, -1.0]), np.full(2, C), 0.0)
    found = with_definiteness(evaluate(problem, np.zeros(4)), problem, Definiteness("shown", s))
    plain = evaluate(problem, np.zeros(4))
    assert found.primal - plain.primal == pytest.approx(s / 2 * 2 * (2 * C) ** 2)


def test_failing_matrix_leaves_no_lower_bound():
    problem = two_samples(1.0, 1.0)
    found = with_definiteness(evaluate(problem, np.zeros(2)), problem, Definiteness("fails", np.inf, -1.0))
    assert (found.dual, found.gap, found.relative_gap, found.definiteness) == (-np.inf, np.inf, np.inf, "fails")


def test_known_matrix_changes_nothing():
    problem = two_samples(0.0, 1.0)
    evidence = evaluate(problem, np.zeros(2))
    assert with_definiteness(evidence, problem, KNOWN) is evidence


def test_without_bounds_a_shift_is_an_assumption():
    problem = BoxQP.classifier(MatrixGram(np.eye(2), symmetric=True), np.array([1.0, -1.0]), np.full(2, np.inf))
    evidence = evaluate(two_samples(0.0, 1.0), np.zeros(2))
    assert with_definiteness(evidence, problem, Definiteness("shown", 1e-9)).definiteness == "assumed"
    assert with_definiteness(evidence, problem, Definiteness("shown", 0.0)).definiteness == "shown"
