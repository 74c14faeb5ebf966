"""A few hundred tampered and honest models of every estimator; `make fuzz` has ten thousand of each."""

import warnings

import numpy as np
import pytest

from .models import RECIPES, WITHOUT, estimators, recipes_are_complete
from .tamper import tampered, untouched


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def test_every_estimator_has_a_recipe():
    recipes_are_complete()
    assert not WITHOUT - set(estimators())


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_a_change_is_refuted(name):
    counts, wrong = tampered(12, 0, [name], models=2)
    assert not wrong
    assert sum(counts.values()) > 6  # the rest changed nothing that anyone could see


def test_what_is_honest_is_not_refuted():
    counts, wrong = untouched(300, 1, list(RECIPES))
    assert not wrong
    assert sum(counts.values()) == 300
