"""The intervals of linear certificates against arithmetic that does not round."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.certificates import evaluate_crammer_singer, evaluate_risk
from maxmargin.data import Rows
from maxmargin.linear_model import Ridge
from maxmargin.losses import make_loss
from maxmargin.penalties import make_penalty
from maxmargin.problems import CrammerSingerRisk, MultinomialRisk, Risk
from maxmargin.solvers import CrammerSinger, solve_risk
from maxmargin.svm import LinearSVC

LOSSES = ["hinge", "squared_hinge", "logistic", "squared", "perceptron", "epsilon_insensitive"]
LOSSES += ["squared_epsilon_insensitive"]


def _exact_loss(name: str, f: Fraction, y: Fraction, epsilon: Fraction) -> Fraction:
    z = y * f
    if name == "logistic":
        getcontext().prec = 60
        value = 1 + (-(Decimal(z.numerator) / Decimal(z.denominator))).exp()
        return Fraction(value.ln())
    return {
        "hinge": lambda: max(Fraction(0), 1 - z),
        "squared_hinge": lambda: max(Fraction(0), 1 - z) ** 2,
        "perceptron": lambda: max(Fraction(0), -z),
        "squared": lambda: (f - y) ** 2 / 2,
        "epsilon_insensitive": lambda: max(Fraction(0), abs(f - y) - epsilon),
        "squared_epsilon_insensitive": lambda: max(Fraction(0), abs(f - y) - epsilon) ** 2,
    }[name]()


def _exact_objective(problem: Risk, factors: tuple[float, np.ndarray], theta: np.ndarray) -> Fraction:
    """The objective at theta, the weights being the exact products of the factors."""
    C, weights = factors
    w = [Fraction(v) for v in theta.tolist()]
    X = problem.rows.take(slice(None))
    X = X.toarray() if sp.issparse(X) else X
    l1, l2 = Fraction(problem.penalty.l1), Fraction(problem.penalty.l2)
    total = sum((l1 * abs(v) + l2 * v * v / 2 for v in w[:-1]), Fraction(0))
    for x, y, s in zip(X.tolist(), problem.y.tolist(), weights.tolist(), strict=True):
        f = sum((Fraction(a) * v for a, v in zip(x, w[:-1], strict=True)), w[-1])
        loss = _exact_loss(problem.loss.name, f, Fraction(y), Fraction(problem.loss.epsilon))
        total += Fraction(C) * Fraction(s) * loss
    return total


def _random_problem(loss: str, penalty: str, seed: int) -> tuple[Risk, tuple[float, np.ndarray]]:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 30)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-3, 3, d) + rng.normal(size=d)
    target = X @ (rng.normal(size=d) / np.abs(X).max(axis=0)) + rng.normal(size=n)
    y = target if "insensitive" in loss else np.where(target > np.median(target), 1.0, -1.0)
    weights, C = rng.uniform(0.1, 3, n), float(10 ** rng.uniform(-2, 2))
    X = sp.csr_array(X) if seed % 3 == 1 else X.astype(np.float32) if seed % 3 == 2 else X
    problem = Risk(Rows(X), y, C * weights, make_loss(loss, 0.1), make_penalty(penalty), seed % 4 != 3)
    return problem, (C, weights)


@pytest.mark.parametrize("penalty", ["l2", "l1", "elastic_net", "none"])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_interval_contains_the_optimum(loss: str, penalty: str) -> None:
    """At a theta that is optimal to rounding the exact objective is the optimum but for its square."""
    for seed in range(6):
        problem, factors = _random_problem(loss, penalty, seed)
        solution = solve_risk(problem, tolerance=1e-10)
        e = solution.evidence
        assert e.gap == e.primal - e.dual >= 0
        exact = _exact_objective(problem, factors, solution.variables)
        assert Fraction(e.dual) <= exact <= Fraction(e.primal)
        # and not by being wide: rounding is all that it is widened by
        assert Fraction(e.primal) - exact <= Fraction(1, 10**11) * exact + Fraction(1, 10**300)


@pytest.mark.parametrize("loss", LOSSES)
def test_any_slopes_bound_from_below(loss: str) -> None:
    """Wherever theta and slopes are: dual <= objective at every other theta."""
    rng = np.random.default_rng(7)
    for seed in range(6):
        for penalty in ("l2", "l1", "elastic_net", "none"):
            problem, factors = _random_problem(loss, penalty, seed)
            best = solve_risk(problem, tolerance=1e-10).variables
            least = _exact_objective(problem, factors, best)
            theta = best * (1 + rng.normal(size=len(best)) * 10.0 ** rng.uniform(-9, 1))
            for u in (None, rng.normal(size=problem.n)):
                found = evaluate_risk(problem, theta, u)
                assert Fraction(found.dual) <= least
                assert _exact_objective(problem, factors, theta) <= Fraction(found.primal)


def test_a_model_that_is_not_finite_proves_nothing() -> None:
    problem, _ = _random_problem("hinge", "l2", 0)
    for value in (np.nan, np.inf, 1e308):
        found = evaluate_risk(problem, np.full(problem.d + 1, value))
        assert found.primal == found.gap == found.relative_gap == np.inf


def _value(x: list[float], w: list[Fraction], b: Fraction) -> Fraction:
    return sum((Fraction(a) * v for a, v in zip(x, w, strict=True)), b)


def _several_classes(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(12, 30)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1, d) + rng.normal(size=d)
    return X, rng.permutation(np.arange(n) % 3), rng.uniform(0.1, 3, n), float(10 ** rng.uniform(-2, 2))


def _exact_values(X: np.ndarray, theta: np.ndarray) -> list[list[Fraction]]:
    """``(x_i, 1) theta`` for theta of shape (d + 1, classes)."""
    columns = [[Fraction(v) for v in column] for column in theta.T.tolist()]
    return [
        [sum((Fraction(a) * v for a, v in zip(x, w[:-1], strict=True)), w[-1]) for w in columns] for x in X.tolist()
    ]


@pytest.mark.parametrize("penalty", ["l2", "l1", "elastic_net", "none"])
def test_multinomial_intervals_contain_the_optimum(penalty: str) -> None:
    getcontext().prec = 60
    for seed in range(5):
        X, label, weights, C = _several_classes(seed)
        problem = MultinomialRisk(Rows(X), label, 3, C * weights, make_penalty(penalty), seed % 2 == 0)
        solution = solve_risk(problem, tolerance=1e-9)
        l1, l2 = Fraction(problem.penalty.l1), Fraction(problem.penalty.l2)
        total = sum(
            (l1 * abs(v) + l2 * v * v / 2 for v in map(Fraction, solution.variables[:-1].ravel().tolist())), Fraction(0)
        )
        for f, y, s in zip(_exact_values(X, solution.variables), label.tolist(), weights.tolist(), strict=True):
            odds = sum(((Decimal((g - f[y]).numerator) / Decimal((g - f[y]).denominator)).exp() for g in f), Decimal(0))
            total += Fraction(C) * Fraction(s) * Fraction(odds.ln())
        e = solution.evidence
        assert Fraction(e.dual) <= total <= Fraction(e.primal)
        assert e.gap == e.primal - e.dual


def test_joint_hinge_intervals_contain_the_optimum() -> None:
    for seed in range(5):
        X, label, weights, C = _several_classes(seed)
        problem = CrammerSingerRisk(Rows(X), label.astype(np.int64), 3, C * weights, seed % 2 == 0)
        solution = CrammerSinger.solve(problem, None, 1e-9)
        total = sum((v * v / 2 for v in map(Fraction, solution.variables[:, :-1].ravel().tolist())), Fraction(0))
        for f, y, s in zip(_exact_values(X, solution.variables.T), label.tolist(), weights.tolist(), strict=True):
            loss = max(g - f[y] + (k != y) for k, g in enumerate(f))
            total += Fraction(C) * Fraction(s) * loss
        found = evaluate_crammer_singer(problem, solution.variables, solution.slopes)
        assert Fraction(found.dual) <= total <= Fraction(found.primal)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_hard_margin_intervals_contain_the_optimum(fit_intercept: bool) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        X = rng.normal(size=(12, 2)) * 10.0 ** rng.uniform(-3, 3)
        y = np.where(X @ rng.normal(size=2) > 0, 1, -1)
        if abs(y.sum()) == 12:
            continue
        model = LinearSVC(C=np.inf, tol=1e-9, fit_intercept=fit_intercept).fit(X, y)
        w, b = [Fraction(v) for v in model.coef_[0].tolist()], Fraction(float(model.intercept_[0]))
        margins = [
            int(t) * (sum(Fraction(a) * v for a, v in zip(x, w, strict=True)) + b)
            for x, t in zip(X.tolist(), y, strict=True)
        ]
        exact = sum(v * v for v in w) / 2 / min(margins) ** 2
        assert Fraction(model.certificate_.dual) <= exact <= Fraction(model.certificate_.primal)


def _solved_exactly(A: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Gauss and Jordan."""
    rows = [[*row, value] for row, value in zip(A, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def test_ridge_intervals_contain_the_optimum() -> None:
    for seed in range(9):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(6, 20)), int(rng.integers(1, 4))
        X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-3, 3, d) + 10.0 ** rng.uniform(-2, 3) * rng.normal(size=d)
        X = sp.csr_array(X) if seed % 3 == 1 else X.astype(np.float32) if seed % 3 == 2 else X
        y, s, alpha = 10 * rng.normal(size=n) + 5, rng.uniform(0.1, 3, n), float(10.0 ** rng.uniform(-8, 3))
        model = Ridge(alpha=alpha).fit(X, y, sample_weight=s)
        dense = (X.toarray() if sp.issparse(X) else X).tolist()
        Z = [[*map(Fraction, x), Fraction(1)] for x in dense]
        t, w = [Fraction(v) for v in y.tolist()], [Fraction(v) for v in s.tolist()]
        A = [[sum(c * z[j] * z[k] for c, z in zip(w, Z, strict=True)) for k in range(d + 1)] for j in range(d + 1)]
        for j in range(d):
            A[j][j] += Fraction(alpha)
        right = [sum(c * z[j] * v for c, z, v in zip(w, Z, t, strict=True)) for j in range(d + 1)]
        best = _solved_exactly(A, right)

        def objective(theta: list[Fraction], Z=Z, t=t, w=w, alpha=alpha) -> Fraction:  # type: ignore[no-untyped-def]
            squares = (c * (v - _value(z, theta, Fraction(0))) ** 2 for c, z, v in zip(w, Z, t, strict=True))
            return sum(squares, Fraction(alpha) * sum(v * v for v in theta[:-1]))

        figures = model.certificate_.figures
        own = objective([Fraction(v) for v in [*model.coef_.tolist(), float(model.intercept_)]])
        assert own <= Fraction(figures["objective"])
        assert Fraction(figures["objective"]) - Fraction(figures["duality gap"]) <= objective(best)
        assert figures["objective"] <= float(own) * (1 + 1e-9)
