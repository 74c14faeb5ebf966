"""Screened figures are those of float64: rows that are certainly outside the margin need no float64 value."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

from maxmargin.certificates import evaluate, evaluate_screened, in_float64
from maxmargin.data import Rows
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import BoxQP
from maxmargin.solvers import solve_certified

N = 1400


def blobs(rng, n, d, apart=3.0):
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return rng.normal(size=(n, d)) + apart * y[:, None] / np.sqrt(d), y


def problems(kind, rng):
    """A problem of each kind in which few samples have multipliers."""
    X, y = blobs(rng, N, 6)
    rows = Rows(sp.csr_array(X) if kind == "sparse" else X)
    gram, C = RBF(0.05).gram(rows), rng.uniform(0.5, 2.0, N)
    if kind == "regressor":
        return BoxQP.regressor(gram, X[:, 0] + 0.05 * rng.normal(size=N), C, 0.2)
    if kind == "nu regressor":
        return BoxQP.nu_regressor(gram, X[:, 0] + 0.05 * rng.normal(size=N), C, 0.2)
    if kind == "nu classifier":
        return BoxQP.nu_classifier(gram, y, C, 0.1)
    if kind == "one class":
        return BoxQP.one_class(gram, C, 0.1)
    if kind == "offset":
        gram = RBF(0.05).gram(Rows(X + 1e4))
    return BoxQP.classifier(gram, y, C)


def screened(problem, beta, monkeypatch):
    """Screened figures, however small the problem is."""
    monkeypatch.setattr("maxmargin.certificates._screened._LEAST_VALUES", 0)
    return evaluate_screened(problem, beta)


def assert_same_figures(found, full):
    """No worse than by rounding, and both intervals are about the same objectives."""
    size = max(abs(full.primal), abs(full.dual), 1e-300)
    assert found.primal <= full.primal + 1e-12 * size
    assert found.dual >= full.dual - 1e-12 * size
    assert abs(found.primal - full.primal) <= full.rounding + 1e-12 * size
    assert abs(found.dual - full.dual) <= full.rounding + 1e-12 * size
    assert found.kkt_violation == pytest.approx(full.kkt_violation, rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(found.intercepts, full.intercepts, rtol=1e-9, atol=1e-9)


KINDS = ["classifier", "sparse", "offset", "regressor", "nu regressor", "nu classifier", "one class"]


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 0.3])
@pytest.mark.parametrize("kind", KINDS)
def test_the_figures_are_those_of_float64(kind, tolerance, monkeypatch):
    problem = problems(kind, np.random.default_rng(0))
    beta = solve_certified(problem, tolerance=tolerance).variables
    found, full = screened(problem, beta, monkeypatch), evaluate(problem, beta)
    assert found.rough is not None and found.rough.mean() > 0.3
    assert not found.rough[beta != 0].any()
    assert_same_figures(found, full)
    assert (np.abs(found.image - full.image)[found.rough] > 0).any()  # they are float32's
    np.testing.assert_allclose(in_float64(problem, beta, found), full.image, rtol=1e-11, atol=1e-11)


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS), st.floats(-3, 0), st.floats(0, 6))
@settings(max_examples=25, deadline=None)
def test_the_figures_of_any_multipliers_are_those_of_float64(seed, kind, part, large):
    """Whoever found them: few, unbalanced, at their bounds, of a solver that has ended far from the optimum."""
    rng = np.random.default_rng(seed)
    problem = problems(kind, rng)
    problem = replace(
        problem,
        lower=problem.lower * 10.0**large,
        upper=problem.upper * 10.0**large,
        totals=tuple(t * 10.0**large for t in problem.totals),
    )
    beta = problem.feasible_start()
    if not beta.any():
        chosen = rng.random(problem.n) < max(10.0**part, 4 / problem.n)
        width = np.where(problem.upper > 0, problem.upper, problem.lower)
        beta = np.where(chosen, width * rng.choice([0.01, 0.5, 1.0], problem.n), 0.0)
        over, under = beta[beta > 0].sum(), -beta[beta < 0].sum()
        beta *= np.where(beta > 0, min(1.0, under / max(over, 1e-300)), min(1.0, over / max(under, 1e-300)))
    with pytest.MonkeyPatch.context() as patch:
        found = screened(problem, beta, patch)
    assert_same_figures(found, evaluate(problem, beta))


def test_float32_that_is_off_by_its_whole_bound_changes_nothing(monkeypatch):
    """The bound is all that is relied on: values anywhere within it give the same interval."""
    from maxmargin.kernels import TiledGram

    problem = problems("classifier", np.random.default_rng(3))
    beta = solve_certified(problem, tolerance=1e-3).variables
    full, honest = evaluate(problem, beta), TiledGram.float32_products

    def worst(self, j, coef, i=None):
        values, errors = honest(self, j, coef, i)
        sign = np.where(np.arange(values.shape[1]) % 2, 1.0, -1.0)
        return values + 0.999 * sign * 30 * errors, 32 * errors

    monkeypatch.setattr(TiledGram, "float32_products", worst)
    found = screened(problem, beta, monkeypatch)
    assert found.rough is not None and found.rough.any()
    assert_same_figures(found, full)


@pytest.mark.parametrize("gamma", [1e-6, 30.0])
def test_a_bound_that_says_nothing_leaves_all_to_float64(gamma, monkeypatch):
    """Large multipliers that cancel: float32 settles nothing, and float64 is asked."""
    rng = np.random.default_rng(4)
    X, y = blobs(rng, N, 6, 0.2)
    problem = BoxQP.classifier(RBF(gamma).gram(Rows(X)), y, np.full(N, 1e8))
    beta = np.where(np.arange(N) < 400, y * 1e7, 0.0)
    beta[:400] -= beta[:400].sum() / 400
    beta = np.clip(beta, problem.lower, problem.upper)
    found = screened(problem, beta, monkeypatch)
    assert found.rough is None or not found.rough.any() or gamma > 1
    full = evaluate(problem, beta)
    assert found.primal == pytest.approx(full.primal, rel=1e-9)
    linear = BoxQP.classifier(Linear().gram(Rows(X)), y, np.ones(N))
    assert screened(linear, np.zeros(N), monkeypatch).rough is None


def test_a_row_beyond_the_range_of_float32_is_left_to_float64(monkeypatch):
    """One that is not among those looked at first."""
    rng = np.random.default_rng(6)
    X, y = blobs(rng, N, 6)
    X *= 1e13
    X[N // 2 + 1] = 3e15
    problem = BoxQP.classifier(RBF(1e-28).gram(Rows(X)), y, np.ones(N))
    beta = np.where(np.arange(N) < 20, np.where(y > 0, problem.upper, problem.lower) / 2, 0.0)
    beta[:20] -= beta[:20].mean()
    beta = np.clip(beta, problem.lower, problem.upper)
    found, full = screened(problem, beta, monkeypatch), evaluate(problem, beta)
    assert found.rough is None or not found.rough.any()
    assert found.primal == pytest.approx(full.primal, rel=1e-12)
