from math import comb

import numpy as np
import pytest

from maxmargin.bounds import majority_vote_error


def _by_counting(p, T):
    chances = [comb(T, k) * p**k * (1 - p) ** (T - k) for k in range(T + 1)]
    return sum(chance * (1.0 if 2 * k > T else 0.5 if 2 * k == T else 0.0) for k, chance in enumerate(chances))


@pytest.mark.parametrize("p", [0.0, 0.01, 0.3, 0.5, 0.77, 1.0])
@pytest.mark.parametrize("T", [1, 2, 3, 4, 9, 10, 51])
def test_the_tail_with_ties_tossed(p, T):
    assert majority_vote_error(p, T) == pytest.approx(_by_counting(p, T), rel=1e-12, abs=1e-300)


def test_an_even_voter_more_changes_nothing():
    assert majority_vote_error(0.3, 6) == majority_vote_error(0.3, 5)


def test_it_falls_below_one_half_and_grows_above():
    T = np.arange(1, 60, 2)
    assert (np.diff([majority_vote_error(0.4, int(t)) for t in T]) < 0).all()
    assert (np.diff([majority_vote_error(0.6, int(t)) for t in T]) > 0).all()
    assert {majority_vote_error(0.5, int(t)) for t in T} == {0.5}


def test_below_the_bound_of_hoeffding():
    for p in (0.1, 0.3, 0.45):
        for T in (1, 4, 11, 200):
            assert majority_vote_error(p, T) <= np.exp(-2 * T * (0.5 - p) ** 2)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"p must be a probability, between 0 and 1; got 1\.2"):
        majority_vote_error(1.2, 3)
    with pytest.raises(ValueError, match="T must be a whole number"):
        majority_vote_error(0.2, 0)
