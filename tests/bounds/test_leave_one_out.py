"""What is said of the machines without a sample, against those machines."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.bounds import left_out_signs, squared_spans, xi_alpha_errors
from maxmargin.certificates import NotSeparableError
from maxmargin.kernels import MatrixGram
from maxmargin.problems import BoxQP
from maxmargin.solvers import solve_certified, solve_hard_margin


def _problem(K, y, C):
    return BoxQP.classifier(MatrixGram(np.ascontiguousarray(K), symmetric=True), y, np.broadcast_to(C, y.shape))


def _solve(K, y, C, tolerance=1e-10):
    problem = _problem(K, y, C)
    return (solve_certified if np.isfinite(C).all() else solve_hard_margin)(problem, None, tolerance)


def _margins_without(K, y, C, i):
    """The smallest and the largest margin that an optimal machine without sample i gives to it."""
    others = np.arange(len(y)) != i
    if len(set(y[others])) < 2:
        return -np.inf, -np.inf  # no machine, by definition an error
    C = np.broadcast_to(C, y.shape)[others]
    solution = _solve(K[np.ix_(others, others)], y[others], C)
    beta, f = solution.variables, float(K[i, others] @ solution.variables)
    problem, r = _problem(K[np.ix_(others, others)], y[others], C), y[others] - solution.evidence.image
    low = r[beta < problem.upper].max(initial=-np.inf)
    high = r[beta > problem.lower].min(initial=np.inf)
    return tuple(sorted((y[i] * (f + low), y[i] * (f + high))))


def _assert_true(K, y, C, signs, tolerance=1e-6):
    """No sign is wrong. Returns the part of those found among the samples whose sign is clear.

    It is not where the optimal machines without the sample do not agree: their intercept may be an interval.
    """
    clear, found = 0, 0
    for i, sign in enumerate(signs):
        worst, best = _margins_without(K, y, C, i)
        if sign == 1:
            assert worst > -tolerance, (i, worst)
        if sign == -1:
            assert best < tolerance, (i, best)
        if worst > 0.01 or best < -0.01:
            clear, found = clear + 1, found + (sign != 0)
    return found / clear if clear else 1.0


def _rbf(X, gamma=0.5):
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))


KERNELS = {"linear": lambda X: X @ X.T, "rbf": _rbf, "poly": lambda X: (X @ X.T / X.shape[1] + 1.0) ** 3}


def _clouds(n, d, distance, seed, share=0.5):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < share * n, 1.0, -1.0)
    return rng.normal(size=(n, d)) + distance / 2 * y[:, None], y


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [0.001, 0.01, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize(("d", "distance", "share"), [(2, 2.0, 0.5), (5, 1.0, 0.5), (10, 0.0, 0.3)])
def test_signs_are_those_of_every_optimal_machine(kernel, C, d, distance, share):
    X, y = _clouds(40, d, distance, seed=d, share=share)
    K = KERNELS[kernel](X)
    signs = left_out_signs(_problem(K, y, C), _solve(K, y, C, 1e-3).variables)
    assert _assert_true(K, y, C, signs) >= 0.9


@pytest.mark.parametrize("kernel", KERNELS)
def test_hard_margin(kernel):
    X, y = _clouds(40, 5, 5.0, seed=0)
    K = KERNELS[kernel](X)
    signs = left_out_signs(_problem(K, y, np.inf), _solve(K, y, np.inf, 1e-3).variables)
    assert _assert_true(K, y, np.inf, signs) >= 0.9


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_multipliers_that_are_not_optimal_prove_less_but_nothing_false(C):
    X, y = _clouds(30, 3, 1.0, seed=1)
    K, rng = _rbf(X), np.random.default_rng(0)
    best = _solve(K, y, C).variables
    random = rng.uniform(0, C, 30) * y
    random[y > 0] *= -random[y < 0].sum() / random[y > 0].sum()
    random *= C / max(C, np.abs(random).max())
    for beta in (np.zeros(30), best / 2, random):
        _assert_true(K, y, C, left_out_signs(_problem(K, y, C), beta))


def test_weights_of_samples():
    X, y = _clouds(40, 3, 1.0, seed=2)
    C = np.random.default_rng(0).choice([0.1, 1.0, 30.0], size=40)
    K = _rbf(X)
    _assert_true(K, y, C, left_out_signs(_problem(K, y, C), _solve(K, y, C).variables))


def test_a_duplicated_sample_is_known_without_one_of_them():
    """The machine without one of the two that fits the other well fits it, too."""
    X, y = _clouds(20, 3, 6.0, seed=3)
    X, y = np.vstack([X, X]), np.tile(y, 2)
    K = _rbf(X)
    signs = left_out_signs(_problem(K, y, 10.0), _solve(K, y, 10.0).variables)
    _assert_true(K, y, 10.0, signs)
    assert (signs == 1).all()


def test_the_only_sample_of_a_class_is_an_error():
    X, y = _clouds(10, 2, 2.0, seed=0, share=0.1)
    K = _rbf(X)
    signs = left_out_signs(_problem(K, y, 1.0), _solve(K, y, 1.0).variables)
    assert (y > 0).sum() == 1
    assert signs[y > 0] == -1


@given(
    X=st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=3, max_size=9),
    labels=st.integers(1, 2**9 - 2),
    C=st.sampled_from([1e-4, 0.01, 0.3, 1.0, 7.0, 1e3, np.inf]),
    kernel=st.sampled_from(sorted(KERNELS)),
    weighted=st.booleans(),
)
def test_hostile_samples(X, labels, C, kernel, weighted):
    """Ties, duplicates with either label, classes of one sample, all samples in one point."""
    X = np.array(X, dtype=np.float64)
    y = np.where((labels >> np.arange(len(X))) & 1, 1.0, -1.0)
    if len(set(y)) < 2:
        return
    K = KERNELS[kernel](X)
    bounds = C * (1.0 + (np.arange(len(X)) % 3) * weighted)
    try:
        beta = _solve(K, y, bounds, 1e-3).variables
    except NotSeparableError:
        return
    _assert_true(K, y, bounds, left_out_signs(_problem(K, y, bounds), beta))


def test_xi_alpha_is_no_bound_when_the_intercept_can_jump():
    """Equal classes and a small C: without one sample its class is the smaller one, and loses everywhere."""
    X, y = _clouds(40, 2, 3.0, seed=0)
    K, C = _rbf(X), 1e-3
    solution = _solve(K, y, C)
    f = solution.evidence.image + solution.evidence.intercepts[0]
    counted = xi_alpha_errors(np.abs(solution.variables), np.maximum(1 - y * f, 0), radius=1.0)
    assert max(_margins_without(K, y, C, i)[1] for i in range(40)) < 0  # every sample is an error
    assert counted.mean() < 0.2
    assert_array_equal(left_out_signs(_problem(K, y, C), solution.variables), -1)


def test_xi_alpha_holds_with_free_support_vectors_all_the_way():
    X, y = _clouds(60, 2, 2.0, seed=0)
    K = _rbf(X, 0.1)
    solution = _solve(K, y, 1.0)
    f = solution.evidence.image + solution.evidence.intercepts[0]
    counted = xi_alpha_errors(np.abs(solution.variables), np.maximum(1 - y * f, 0), float(1 - K.min()))
    errors = np.array([_margins_without(K, y, 1.0, i)[0] <= 0 for i in range(60)])
    assert not (errors & ~counted).any()


@pytest.mark.parametrize("d", [2, 5, 40])
def test_spans_are_distances_from_the_plane_of_the_free_ones(d):
    rng = np.random.default_rng(d)
    X, free = rng.normal(size=(12, d)), np.array([0, 3, 4, 7])
    spans = squared_spans(X @ X[free].T, free, (X * X).sum(axis=1))
    for i in range(12):
        plane = X[[j for j in free if j != i]]
        along = (plane[1:] - plane[0]).T
        away = X[i] - plane[0]
        away = away - along @ np.linalg.lstsq(along, away, rcond=None)[0]
        assert_allclose(spans[i], away @ away, rtol=1e-6, atol=1e-6)


def test_a_span_predicts_the_margin_while_no_multiplier_meets_a_bound():
    """All samples free, as with a narrow kernel: the rule is exact."""
    X, y = _clouds(20, 4, 1.0, seed=0)
    K = _rbf(X, 2.0)
    beta = _solve(K, y, 100.0).variables
    assert (np.abs(beta) > 0).all()
    spans = squared_spans(K, np.arange(20), np.diag(K))
    predicted = 1 - np.abs(beta) * spans
    found = [_margins_without(K, y, 100.0, i)[0] for i in range(20)]
    assert_allclose(predicted, found, atol=1e-6)


def test_a_lone_free_vector_has_no_plane():
    assert_array_equal(squared_spans(np.ones((1, 1)), [0], [1.0]), [np.inf])
    assert_array_equal(squared_spans(np.ones((2, 0)), [], [1.0, 1.0]), [np.inf, np.inf])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1], [0.0, 1.0], 1.0), "one number a sample"),
        (([-0.1], [0.0], 1.0), "must not be negative"),
        (([0.1], [0.0], 0.0), "radius must be a positive finite number"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        xi_alpha_errors(*arguments)
    with pytest.raises(ValueError, match="free must have 2 numbers"):
        squared_spans(np.ones((3, 2)), [0], np.ones(3))
