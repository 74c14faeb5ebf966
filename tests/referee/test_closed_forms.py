"""The referee itself, where the optimum can be written down."""

from dataclasses import replace
from fractions import Fraction
from math import inf, log, nextafter

import numpy as np
import pytest

from maxmargin.certificates import Status
from maxmargin.svm import SVC

from . import programmes
from .judge import interval_complaints, status_complaints
from .machines import Optimum, binary_risk, optima
from .quadratic import ActiveSet, solve
from .smooth import solve_logistic

LINEAR, GIVEN = ("linear", 0, 0, 0), ("precomputed", 0, 0, 0)
TWO = np.array([[0.0], [2.0]])
PAIR = np.array([[-1.0], [1.0]])  # with labels of the same signs


def is_exactly(found, value):
    """Whether an interval contains the value, and is narrow enough to say so."""
    (low, high), settled = found
    assert settled
    assert low <= value <= high


def fractions(value, n):
    return [Fraction(value)] * n


@pytest.mark.parametrize("C", [0.125, 0.25, 0.5, 4.0, 1e12])
def test_soft_margin_of_two_points(C):
    c = min(Fraction(C), Fraction(1, 2))  # beyond 1/2 nothing is gained
    is_exactly(solve(lambda bits: programmes.classifier(LINEAR, TWO, [-1, 1], fractions(C, 2), bits)), 2 * c - 2 * c**2)


def test_hulls_of_two_points():
    is_exactly(solve(lambda bits: programmes.hulls(LINEAR, TWO, [-1, 1], bits)), 2)


@pytest.mark.parametrize("C", [0.25, 1.0, 10.0])
def test_soft_margin_of_orthogonal_samples(C):
    n, c = 20, min(Fraction(C), 1)
    sign = [1, -1] * (n // 2)
    is_exactly(
        solve(lambda bits: programmes.classifier(GIVEN, np.eye(n), sign, fractions(C, n), bits)), n * c - n * c**2 / 2
    )


@pytest.mark.parametrize("scale", [2.0**-80, 1.0, 2.0**80])
def test_scales_of_a_kernel_do_not_matter(scale):
    n, sign = 6, [1, -1] * 3
    # alpha = 1 / scale where C allows it
    found = solve(lambda bits: programmes.classifier(GIVEN, scale * np.eye(n), sign, fractions(2 / scale, n), bits))
    is_exactly(found, Fraction(n, 2) / Fraction(scale))


def test_nu_machines_of_orthogonal_samples():
    n, nu = 12, 0.25
    sign = [1, -1] * (n // 2)
    even = -Fraction(n, 2) * Fraction(nu) ** 2  # multipliers of nu each
    is_exactly(solve(lambda b: programmes.nu_classifier(GIVEN, np.eye(n), sign, fractions(1, n), nu, b)), even)
    is_exactly(solve(lambda b: programmes.one_class(GIVEN, np.eye(n), fractions(1, n), nu, b)), even)
    is_exactly(
        solve(lambda b: programmes.nu_regressor(GIVEN, np.eye(n), sign, fractions(2, n), nu, b)),
        n * (Fraction(1, 2) - Fraction(1, 8)),
    )


@pytest.mark.parametrize("C", [0.25, 3.0])
def test_tube_of_orthogonal_samples(C):
    n, epsilon = 8, Fraction(1, 4)
    b = min(Fraction(C), 1 - epsilon)
    y = [1.0, -1.0] * (n // 2)
    found = solve(lambda bits: programmes.regressor(GIVEN, np.eye(n), y, fractions(C, n), 0.25, bits))
    is_exactly(found, n * ((1 - epsilon) * b - b**2 / 2))
    squared = solve(lambda bits: programmes.regressor(GIVEN, np.eye(n), y, fractions(C, n), 0.25, bits, squared=True))
    # C (1 - epsilon - f)^2 + f^2 / 2 for each sample
    is_exactly(squared, n * Fraction(C) * (1 - epsilon) ** 2 / (1 + 2 * Fraction(C)))


@pytest.mark.parametrize("C", [Fraction(1, 8), Fraction(3)])
@pytest.mark.parametrize("intercept", [True, False])
def test_linear_losses_of_two_points(C, intercept):
    known = {
        ("squared_hinge", 0, 1): 2 * C / (1 + 4 * C),
        ("squared", 0, 1): C / (1 + 2 * C),
        ("hinge", 1, 0): min(Fraction(1), 2 * C),
        ("squared_hinge", 1, 0): 1 - 1 / (8 * C) if C > Fraction(1, 4) else 2 * C,
        ("squared", 1, 0): 1 - 1 / (4 * C) if C > Fraction(1, 2) else C,
        ("hinge", 0, 0): Fraction(0),
        ("squared_hinge", 0, 0): Fraction(0),
        ("perceptron", 1, 0): Fraction(0),
    }
    for (loss, l1, l2), value in known.items():
        found = binary_risk(PAIR, [-1, 1], [C, C], loss, l1, l2, intercept)
        is_exactly(((found.low, found.high), found.settled), value)
    # w/2 + w^2/4 + 2 C max(0, 1 - w): the slopes meet at w = 4 C - 1, if that is between 0 and 1
    w = min(max(4 * C - 1, Fraction(0)), Fraction(1))
    found = binary_risk(PAIR, [-1, 1], [C, C], "hinge", Fraction(1, 2), Fraction(1, 2), intercept)
    is_exactly(((found.low, found.high), found.settled), w / 2 + w**2 / 4 + 2 * C * (1 - w))


@pytest.mark.parametrize("C", [Fraction(1, 3), Fraction(5)])
def test_joint_machine_of_orthogonal_samples(C):
    a = min(C, Fraction(2, 3))
    found = solve(lambda bits: programmes.crammer_singer(np.eye(3), [0, 1, 2], 3, [C] * 3, bits, intercept=False))
    (low, _), settled = found
    assert settled
    assert abs(low - 3 * (a - Fraction(3, 4) * a**2)) < Fraction(1, 10**80)  # a third is not a binary fraction


@pytest.mark.parametrize("alpha", [1e-12, 0.5, 1e12])
def test_ridge_of_one_feature(alpha):
    rng = np.random.default_rng(0)
    x, y, s = rng.normal(size=9), rng.normal(size=9), rng.uniform(0.5, 2, size=9)
    xs, ys, ss = ([Fraction(v) for v in values] for values in (x, y, s))
    mean = lambda v: sum(a * b for a, b in zip(ss, v, strict=True)) / sum(ss)  # noqa: E731
    xs, ys = [v - mean(xs) for v in xs], [v - mean(ys) for v in ys]
    dot = lambda a, b: sum(i * j * k for i, j, k in zip(ss, a, b, strict=True))  # noqa: E731
    value = dot(ys, ys) - dot(xs, ys) ** 2 / (dot(xs, xs) + Fraction(alpha))
    is_exactly(solve(lambda bits: programmes.ridge(x[:, None], y.tolist(), s.tolist(), alpha, bits)), value)


@pytest.mark.parametrize(("l1", "l2"), [(0, 1), (1, 0), (Fraction(1, 4), Fraction(3, 4)), (0, 0)])
@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_intercepts_give_the_frequencies(l1, l2, classes):
    label = [0] * 5 + [1] * 3 + [2] * 2 if classes == 3 else [0] * 7 + [1] * 3
    (low, _), settled = solve_logistic(np.zeros((10, 1)), label, classes, fractions(2, 10), l1, l2, True)
    counts = np.bincount(label)
    assert settled
    assert float(low) == pytest.approx(-2 * sum(c * log(c / 10) for c in counts), rel=1e-15)


def test_logistic_of_two_points():
    # w^2 / 2 + 2 C log(1 + e^-w) with w = 2 C / (1 + e^w): at w = 1 if C = (1 + e) / 2
    C = Fraction((1 + np.e) / 2)
    (low, _), settled = solve_logistic(PAIR, [0, 1], 2, [C, C], 0, 1, False)
    assert settled
    assert float(low) == pytest.approx(0.5 + (1 + np.e) * np.log1p(np.exp(-1)), rel=1e-15)


def test_separable_classes_without_penalty_have_the_infimum_zero():
    assert solve_logistic(PAIR, [0, 1], 2, [Fraction(1)] * 2, 0, 0, True) == ((0, 0), True)


@pytest.mark.parametrize("steps", [0, 1, 3, 6])
def test_an_unfinished_active_set_gives_a_wide_interval_that_is_true(steps):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 3))
    sign = np.where(X[:, 0] + rng.normal(size=20) > 0, 1, -1).tolist()
    make = lambda bits: programmes.classifier(LINEAR, X, sign, fractions(3, 20), bits)  # noqa: E731
    (low, high), settled = solve(make)
    state = ActiveSet(make(384))
    assert not state.run(steps)
    wide = state.interval()
    assert settled
    assert wide[0] < low <= high < wide[1]


# ---------------------------------------------------------------- the judge


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] + rng.normal(size=30) > 0).astype(int)
    model = SVC(C=2.0, kernel="linear", tol=1e-6).fit(X, y)
    return model, optima(model, X, y)[0]


def test_a_true_interval_is_accepted(judged):
    model, optimum = judged
    primal, dual = nextafter(float(optimum.high), inf), nextafter(float(optimum.low), -inf)
    gap = primal - dual
    true = replace(
        model.certificate_.problems[0], primal=primal, dual=dual, gap=gap, relative_gap=gap / primal, kkt_violation=0.0
    )
    assert not [*interval_complaints(true, optimum), *status_complaints(model, true, "fit")]
    for wrong, words in (
        ({"primal": nextafter(dual, -inf)}, "below the optimum"),
        ({"dual": nextafter(primal, inf)}, "above the optimum"),
        ({"primal": dual, "dual": primal}, "dual"),
        ({"gap": 1.0}, "primal - dual"),
        ({"relative_gap": 0.0}, "relative gap"),
        ({"primal": -inf}, "primal"),
    ):
        assert any(words in complaint for complaint in interval_complaints(replace(true, **wrong), optimum))
    for wrong in ({"kkt_violation": 1.0}, {"status": Status.REFUTED}, {"definiteness": "fails"}):
        assert [*status_complaints(model, replace(true, **wrong), "fit")]


def test_an_optimum_known_as_an_interval_accuses_only_what_misses_all_of_it(judged):
    model, optimum = judged
    wide = Optimum(optimum.low - 1, optimum.high + 1, False)
    middle = float(optimum.low)
    certificate = replace(model.certificate_.problems[0], primal=middle, dual=middle, gap=0.0, relative_gap=0.0)
    assert not [*interval_complaints(certificate, wide)]
    assert [*interval_complaints(replace(certificate, primal=middle - 2, dual=middle - 3, gap=1.0), wide)]
