"""Columns of two values that exclude each other, searched as one: the same tree as column by column."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from maxmargin.ensemble import RandomForestClassifier
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor
from maxmargin.tree._binning import Bins
from maxmargin.tree._bundles import NoBundles


@pytest.fixture
def table():
    """Two numbers, the indicators of two attributes, one that is turned round, and one that excludes nothing."""
    rng = np.random.default_rng(0)
    kind, place = rng.integers(0, 5, 600), rng.integers(0, 3, 600)
    indicators = np.column_stack([kind[:, None] == np.arange(4), place[:, None] == np.arange(3)]).astype(float)
    indicators[:, 2] = 1 - indicators[:, 2]
    X = np.column_stack([rng.normal(size=(600, 2)), indicators, rng.integers(0, 2, 600)])
    y = (X[:, 0] + (kind == 2) - (place == 1) + rng.normal(scale=0.7, size=600) > 0).astype(int) + (kind == 3)
    return X, y


def test_indicators_of_one_attribute_are_a_bundle(table):
    X, _ = table
    bundles = Bins.of(X).binned.bundles
    found = bundles.bundle
    assert_array_equal(found[:2], -1)
    assert len(set(found[2:6])) == 1
    assert len(set(found[6:9])) == 1
    assert found[2] >= 0 and found[6] >= 0 and found[2] != found[6]
    n = len(X)
    for j in range(2, 9):
        codes = bundles.codes[found[j] * n : (found[j] + 1) * n]
        assert_array_equal(codes == bundles.level[j], Bins.of(X).codes[j] == bundles.value[j])


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 7}, {"max_features": 3, "random_state": 4}])
def test_the_tree_is_that_of_the_columns_one_by_one(table, criterion, limits, monkeypatch):
    X, y = table
    cls = DecisionTreeRegressor if criterion == "squared_error" else DecisionTreeClassifier
    weight = np.random.default_rng(1).integers(1, 4, len(y)) / 2
    bundled = cls(criterion=criterion, **limits).fit(X, y, sample_weight=weight).tree_
    monkeypatch.setattr("maxmargin.tree._bundles._LEVELS", 1)
    assert isinstance(Bins.of(X).binned.bundles, NoBundles)
    single = cls(criterion=criterion, **limits).fit(X, y, sample_weight=weight).tree_
    assert_array_equal(bundled.feature, single.feature)
    assert_array_equal(bundled.threshold, single.threshold)
    assert_array_equal(bundled.children_left, single.children_left)


def test_a_forest_whose_columns_are_all_indicators(table):
    X, y = table
    forest = RandomForestClassifier(20, random_state=0).fit(X[:, 2:9], y)
    assert forest.certificate_.kind == "estimate"
    assert forest.score(X[:, 2:9], y) > 0.5
