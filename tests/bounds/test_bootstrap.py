import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from maxmargin.bounds import bootstrap_inclusion


@pytest.mark.parametrize("n", [1, 2, 3, 17, 300])
def test_the_formula(n):
    exact = 1 - (1 - Fraction(1, n)) ** n
    assert bootstrap_inclusion(n) == pytest.approx(float(exact), rel=1e-14)


def test_it_falls_to_its_limit_and_stays_there():
    values = [bootstrap_inclusion(n) for n in (1, 2, 5, 30, 10**3, 10**6)]
    assert all(a > b for a, b in pairwise(values))
    assert bootstrap_inclusion(10**15) == pytest.approx(1 - 1 / math.e, rel=1e-14)


def test_bags_hold_so_much_on_the_average():
    rng = np.random.default_rng(0)
    n, bags = 40, 4000
    held = [len(np.unique(rng.integers(0, n, n))) / n for _ in range(bags)]
    assert abs(np.mean(held) - bootstrap_inclusion(n)) < 4 * np.std(held) / np.sqrt(bags)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="n must be a whole number of at least 1; got 0"):
        bootstrap_inclusion(0)
