"""The bound of averaged subgradient descent, against descents written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from maxmargin.bounds import averaged_sgd_bound


def _mean_iterate(subgradient, d, step_size, steps):
    w, total = np.zeros(d), np.zeros(d)
    for _ in range(steps):
        total += w
        w = w - step_size * subgradient(w)
    return total / steps


@pytest.mark.parametrize("steps", [1, 10, 400])
@pytest.mark.parametrize("d", [1, 5, 20])
def test_mean_absolute_error(steps, d):
    """F(w) = mean of |<a_i, w> - t_i|, one sample a step; some w has no error at all."""
    rng = np.random.default_rng(d)
    A = rng.normal(size=(30, d))
    best = rng.normal(size=d)
    t = A @ best
    bound = averaged_sgd_bound(np.linalg.norm(best), np.linalg.norm(A, axis=1).max(), steps)

    def one_sample(w):
        i = rng.integers(len(A))
        return np.sign(A[i] @ w - t[i]) * A[i]

    gaps = []
    for _ in range(20):
        gaps.append(np.abs(A @ _mean_iterate(one_sample, d, bound.step_size, steps) - t).mean())
    assert np.mean(gaps) <= bound.gap


# Powers of two, so that the last step on the way ends exactly at the minimum and the rest stay there.
@pytest.mark.parametrize("steps", [64, 4096])
@pytest.mark.parametrize(("radius", "lipschitz"), [(1.0, 1.0), (8.0, 0.25)])
def test_half_of_the_bound_is_reached(steps, radius, lipschitz):
    """F(w) = lipschitz |w - radius|: sqrt(T) of the T steps are spent on the way, at half the distance on average."""
    bound = averaged_sgd_bound(radius, lipschitz, steps)
    mean = _mean_iterate(lambda w: lipschitz * np.sign(w - radius), 1, bound.step_size, steps)
    gap = lipschitz * abs(mean[0] - radius)
    assert 0.4 * bound.gap <= gap <= bound.gap


@pytest.mark.parametrize("step_size", [0.01, 0.3])
def test_steps_of_any_size(step_size):
    """The lemma: F(mean w) - F(w*) <= mean <w_t - w*, v_t> <= ||w*||^2/(2 eta T) + eta/(2T) sum ||v_t||^2."""
    rng = np.random.default_rng(0)
    A, best, T = rng.normal(size=(30, 4)), rng.normal(size=4), 200
    W, V = np.zeros((T + 1, 4)), np.zeros((T, 4))
    for t in range(T):
        V[t] = np.sign(A @ (W[t] - best)) @ A / 30
        W[t + 1] = W[t] - step_size * V[t]
    gap = np.abs(A @ (W[:T].mean(axis=0) - best)).mean()
    middle = np.mean(((W[:T] - best) * V).sum(axis=1))
    radius, lipschitz = np.linalg.norm(best), np.linalg.norm(V, axis=1).max()
    lemma = radius**2 / (2 * step_size * T) + step_size / 2 * np.mean((V**2).sum(axis=1))
    assert gap <= middle <= lemma
    # with ||v|| <= rho, no size makes it smaller than the one of the theorem, whose gap it is
    bound = averaged_sgd_bound(radius, lipschitz, T)

    def largest(eta):
        return radius**2 / (2 * eta * T) + eta * lipschitz**2 / 2

    assert_allclose(bound.gap, largest(bound.step_size))
    assert bound.gap < largest(step_size)


def test_closed_form():
    assert_allclose(averaged_sgd_bound(3.0, 2.0, 25), (3 / (2 * 5), 3 * 2 / 5))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, 1.0, 1), r"radius must be a positive finite number; got 0\.0"),
        ((1.0, np.nan, 1), "lipschitz must be a positive finite number; got nan"),
        ((1.0, 1.0, 0), "steps must be a whole number of at least 1; got 0"),
        ((1.0, 1.0, 2.5), r"steps must be a whole number of at least 1; got 2\.5"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        averaged_sgd_bound(*arguments)
