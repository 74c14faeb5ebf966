import numpy as np
import pytest
from numpy.testing import assert_allclose

from maxmargin.bounds import boosting_error_bound, boosting_rounds


def test_the_formula():
    errors = np.array([0.1, 0.3, 0.45, 0.5])
    assert_allclose(boosting_error_bound(errors), np.cumprod(2 * np.sqrt(errors * (1 - errors))), rtol=1e-14)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0, 1.7])
def test_other_learning_rates(rate):
    errors = np.array([0.05, 0.2, 0.4])
    alpha = rate / 2 * np.log((1 - errors) / errors)
    factors = (1 - errors) * np.exp(-alpha) + errors * np.exp(alpha)
    assert_allclose(boosting_error_bound(errors, rate), np.cumprod(factors), rtol=1e-13)


def test_no_vote_makes_the_factor_smaller_than_that_of_a_rate_of_one():
    errors = np.array([0.02, 0.13, 0.31, 0.49])
    best = np.array([boosting_error_bound([e])[0] for e in errors])
    for rate in np.linspace(0.05, 1.95, 20):
        assert (np.array([boosting_error_bound([e], rate)[0] for e in errors]) >= best - 1e-15).all()


def test_a_rate_of_two_gains_nothing_and_more_loses():
    assert_allclose(boosting_error_bound([0.2, 0.4], 2.0), [1.0, 1.0], rtol=1e-14)
    assert (np.diff(boosting_error_bound([0.2, 0.3, 0.4], 3.0)) > 0).all()


def test_a_learner_without_errors_ends_it():
    assert boosting_error_bound([0.3, 0.0, 0.4]).tolist()[1:] == [0.0, 0.0]
    assert boosting_error_bound([0.0], 2.5)[0] == 0.0


def test_an_error_above_one_half_is_as_good_as_its_contrary():
    assert_allclose(boosting_error_bound([0.8]), boosting_error_bound([0.2]), rtol=1e-14)


@pytest.mark.parametrize("edge", [0.01, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("n", [1, 2, 100, 10**6])
def test_so_many_rounds_leave_no_room_for_an_error(n, edge):
    rounds = boosting_rounds(n, edge)
    assert boosting_error_bound([0.5 - edge] * rounds)[-1] < 1 / n
    assert rounds == 1 or np.exp(-2 * edge**2 * (rounds - 1)) >= 1 / n - 1e-15


def test_edges_make_it_fall_exponentially():
    """prod 2 sqrt(eps (1 - eps)) = prod sqrt(1 - 4 gamma^2) <= exp(-2 sum gamma^2)."""
    edges = np.random.default_rng(0).uniform(0.01, 0.45, size=50)
    bounds = boosting_error_bound(0.5 - edges)
    assert_allclose(bounds, np.cumprod(np.sqrt(1 - 4 * edges**2)), rtol=1e-12)
    assert (bounds < np.exp(-2 * np.cumsum(edges**2))).all()


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"errors must lie between 0 and 1; that of round 2 is 1\.5"):
        boosting_error_bound([0.2, 1.5])
    with pytest.raises(ValueError, match="that of round 1 is nan"):
        boosting_error_bound([np.nan])
    with pytest.raises(ValueError, match=r"errors must be a list of numbers"):
        boosting_error_bound([[0.2]])
    with pytest.raises(ValueError, match="learning_rate must be a positive"):
        boosting_error_bound([0.2], 0.0)
    with pytest.raises(ValueError, match="edge must be a number above 0 and up to 1/2"):
        boosting_rounds(10, 0.0)
    with pytest.raises(ValueError, match="n must be a whole number"):
        boosting_rounds(0, 0.1)
