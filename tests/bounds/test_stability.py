"""Stability, on a distribution for which everything can be computed.

A sample is x = +1 with probability p and -1 otherwise, its loss is |w - x|, of slope 1. If the part q of m samples is
+1, the mean loss is 1 + (1 - 2 q) w within [-1, 1], and the regularised minimiser is (2 q - 1) / (2 lambda), clipped.
Expectations are sums over the binomial distribution of q m: there is no chance in these tests.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from maxmargin.bounds import best_regularisation, stability_bound

CHANCES = [0.5, 0.55, 0.7, 0.95, 1.0]


def _learned(q, regularisation):
    return np.clip((2 * q - 1) / (2 * regularisation), -1, 1)


def _risk(w, p):
    return p * np.abs(w - 1) + (1 - p) * np.abs(w + 1)


def _expected_risk(p, regularisation, samples):
    heads = np.arange(samples + 1)
    return binom.pmf(heads, samples, p) @ _risk(_learned(heads / samples, regularisation), p)


@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("regularisation", [0.05, 0.5, 3.0])
def test_the_learner_minimises(q, regularisation):
    w = np.linspace(-3, 3, 60_001)
    objective = _risk(w, q) + regularisation * w**2
    learned = _learned(q, regularisation)
    assert _risk(learned, q) + regularisation * learned**2 <= objective.min() + 1e-12


@pytest.mark.parametrize("p", CHANCES)
@pytest.mark.parametrize("samples", [1, 5, 30, 400])
@pytest.mark.parametrize("regularisation", [0.01, 0.1, 1.0, 10.0])
def test_the_expected_risk_is_within_the_bound(p, samples, regularisation):
    best = _learned(p, regularisation)
    promised = _risk(best, p) + regularisation * best**2 + stability_bound(1.0, regularisation, samples)
    assert _expected_risk(p, regularisation, samples) <= promised


@pytest.mark.parametrize("samples", [10, 1000])
@pytest.mark.parametrize("regularisation", [0.5, 2.0])
def test_one_sample_moves_the_loss_by_half_of_the_bound(samples, regularisation):
    heads = np.arange(samples + 1)
    moves = np.abs(np.diff(_learned(heads / samples, regularisation)))  # the loss has slope 1
    bound = stability_bound(1.0, regularisation, samples)
    assert 0.49 * bound <= moves.max() <= bound


@pytest.mark.parametrize("p", CHANCES)
@pytest.mark.parametrize("samples", [1, 5, 30, 400])
def test_the_best_regularisation_keeps_its_promise(p, samples):
    chosen = best_regularisation(1.0, 1.0, samples)
    assert _expected_risk(p, chosen.regularisation, samples) <= _risk(_learned(p, 1e-9), p) + chosen.excess


@pytest.mark.parametrize("samples", [100, 1000])
def test_the_rate_is_right(samples):
    """With a chance that the samples can just not tell from 1/2, a fair part of the excess is real."""
    p = 0.5 + 0.5 / np.sqrt(samples)
    chosen = best_regularisation(1.0, 1.0, samples)
    real = _expected_risk(p, chosen.regularisation, samples) - _risk(1.0, p)
    assert 0.1 * chosen.excess <= real <= chosen.excess


@pytest.mark.parametrize(("lipschitz", "radius", "samples"), [(1.0, 1.0, 10), (0.2, 7.0, 1000), (30.0, 0.5, 3)])
def test_no_other_regularisation_promises_more(lipschitz, radius, samples):
    def promise(exponent):
        regularisation = np.exp(exponent)
        return regularisation * radius**2 + stability_bound(lipschitz, regularisation, samples)

    found = minimize_scalar(promise, bounds=(-20, 20), method="bounded", options={"xatol": 1e-9})
    chosen = best_regularisation(lipschitz, radius, samples)
    assert_allclose(chosen.regularisation, np.exp(found.x), rtol=1e-5)
    assert_allclose(chosen.excess, found.fun, rtol=1e-9)
    assert_allclose(chosen.excess, promise(np.log(chosen.regularisation)), rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (stability_bound, (0.0, 1.0, 1), r"lipschitz must be a positive finite number; got 0\.0"),
        (stability_bound, (1.0, 0.0, 1), r"regularisation must be a positive finite number; got 0\.0"),
        (stability_bound, (1.0, 1.0, -3), "samples must be a whole number of at least 1; got -3"),
        (best_regularisation, (1.0, np.inf, 1), "radius must be a positive finite number; got inf"),
        (best_regularisation, (1.0, 1.0, True), "samples must be a whole number of at least 1; got True"),
    ],
)
def test_wrong_arguments_are_named(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)
