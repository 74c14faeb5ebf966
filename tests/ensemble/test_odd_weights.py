"""Weights of rows that differ by any number of orders: as many draws as rows, errors out of bag that mean something."""

import numpy as np
import pytest

from maxmargin.certificates import Status
from maxmargin.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from maxmargin.ensemble._bag_rows import RowBags
from maxmargin.ensemble._forest_bags import Bags
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor

N = 1000
FORESTS = [RandomForestClassifier, RandomForestRegressor, BaggingClassifier, BaggingRegressor]
OTHERS = [DecisionTreeClassifier, DecisionTreeRegressor, AdaBoostClassifier, AdaBoostRegressor]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4))
    return X, X[:, 0] + 0.5 * rng.normal(size=N)


def target_of(kind, score):
    return score if kind.__name__.endswith("Regressor") else (score > 0).astype(int)


def fitted(kind, X, y, weight):
    options = {"random_state": 0}
    if "Tree" not in kind.__name__:
        options["n_estimators"] = 10
    if kind in FORESTS:
        options["oob_score"] = True
    return kind(**options).fit(X, target_of(kind, y), sample_weight=weight)


def one_of(value):
    weight = np.ones(N)
    weight[0] = value
    return weight


@pytest.mark.parametrize("value", [1e-6, 0.1, 1e-300, 1e300])
def test_one_row_of_another_weight_asks_for_no_more_draws(rows, value):
    X, y = rows
    weight = one_of(value)
    assert Bags.of(X, y, weight, None).draws <= N
    for inside in (True, False):
        bags = RowBags.of(X, y, weight, None, True, inside=inside)
        assert bags.bags.draws <= N and len(bags.rows(0)) <= N


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize("value", [1e-6, 0.1, 1e-300])
def test_one_light_row_does_not_matter_to_the_error_out_of_bag(rows, kind, value):
    X, y = rows
    plain, light = (fitted(kind, X, y, weight) for weight in (np.ones(N), one_of(value)))
    assert 0.5 < plain.oob_score_ < 0.95
    assert light.oob_score_ == pytest.approx(plain.oob_score_, abs=0.05)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.filterwarnings("ignore:.*rounding errors hide the gains")  # of light rows: a named end, and true
@pytest.mark.parametrize("kind", [*FORESTS, *OTHERS])
@pytest.mark.parametrize(
    "weight",
    [
        np.full(N, 1e-300),
        np.full(N, 1e300),
        np.where(np.arange(N) % 2, 1e-300, 1e300),
        one_of(1e300),
        10.0 ** np.random.default_rng(1).uniform(-300, 300, N),
    ],
    ids=["1e-300", "1e300", "both", "one of 1e300", "all orders"],
)
def test_weights_of_any_order_give_finite_answers_that_are_verified(rows, kind, weight):
    X, y = rows
    model = fitted(kind, X, y, weight)
    assert np.isfinite(np.asarray(model.predict(X), dtype=float)).all()
    assert model.certificate_.verify(X, target_of(kind, y), weight).status is not Status.REFUTED


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("kind", [*FORESTS, *OTHERS])
def test_equal_weights_are_none_even_if_their_sum_is_infinite(rows, kind):
    X, y = rows
    plain, heavy = (fitted(kind, X, y, np.full(N, value)) for value in (1.0, 1e308))
    np.testing.assert_allclose(heavy.predict(X), plain.predict(X), rtol=1e-12)
