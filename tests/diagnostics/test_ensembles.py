"""Bagging lowers variance and leaves bias as it is, boosting lowers bias: measured."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from maxmargin.diagnostics import bias_variance
from maxmargin.ensemble import AdaBoostClassifier, BaggingClassifier, BaggingRegressor
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor


def difference(a, b):
    """Mean of a - b over the test rows, which are the same for both, and its standard error."""
    apart = a - b
    return apart.mean(), apart.std(ddof=1) / np.sqrt(len(apart))


def does_not_rise(before, after):
    """No rise that two standard errors would show, which is what the verdicts of curves ask for as well."""
    rise, error = difference(after, before)
    return rise < 2 * error


def rule(X):
    """Friedman's function without its noise."""
    return 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]


def rings(n, seed):
    """Two classes that only a sum of many stumps can part: inside or outside of a ball."""
    X = np.random.default_rng(seed).normal(size=(n, 4))
    return X, (np.square(X).sum(axis=1) > 3.36).astype(int)  # the median of chi-squared with 4 degrees of freedom


@pytest.fixture(scope="module")
def friedman():
    """A tree, a tree of one bag and 20 bagged ones, all judged on the same rows after training on the same samples."""
    X, y = make_friedman1(1000, noise=2.0, random_state=0)
    rows = {"X": X[:250], "y": y[:250], "X_test": X[250:], "y_test": y[250:], "truth": rule}
    learners = (
        DecisionTreeRegressor(),
        BaggingRegressor(DecisionTreeRegressor(), n_estimators=1),
        BaggingRegressor(DecisionTreeRegressor(), n_estimators=20),
    )
    return [bias_variance(learner, **rows, n_resamples=15, random_state=0) for learner in learners]


def test_bagged_trees_have_less_variance_and_no_more_bias(friedman):
    tree, _, bags = friedman
    fall, error = difference(tree.variance_of_rows, bags.variance_of_rows)
    assert fall > 10 * error
    assert bags.variance < 0.3 * tree.variance
    assert does_not_rise(tree.bias_of_rows, bags.bias_of_rows)
    assert bags.error < tree.error


def test_a_mean_of_bags_has_the_bias_of_one_bag(friedman):
    _, one, many = friedman
    fall, error = difference(one.variance_of_rows, many.variance_of_rows)
    assert fall > 10 * error
    assert does_not_rise(one.bias_of_rows, many.bias_of_rows)


def test_the_same_for_classes():
    X, y = rings(800, 0)
    options = {"X_test": X[300:], "y_test": y[300:], "loss": "squared", "n_resamples": 15, "random_state": 0}
    tree = bias_variance(DecisionTreeClassifier(), X[:300], y[:300], **options)
    bags = bias_variance(BaggingClassifier(n_estimators=15), X[:300], y[:300], **options)
    fall, error = difference(tree.variance_of_rows, bags.variance_of_rows)
    assert fall > 10 * error
    assert does_not_rise(tree.bias_of_rows, bags.bias_of_rows)


def test_boosted_stumps_lose_their_bias_round_by_round():
    X, y = rings(1000, 1)
    options = {"X_test": X[400:], "y_test": y[400:], "n_resamples": 20, "random_state": 0}
    results = [
        bias_variance(AdaBoostClassifier(n_estimators=rounds), X[:400], y[:400], **options) for rounds in (1, 10, 100)
    ]
    for before, after in pairwise(results):
        fall, error = difference(before.bias_of_rows, after.bias_of_rows)
        assert fall > 3 * error
    assert results[-1].bias < 0.4 * results[0].bias
    assert results[-1].error < 0.5 * results[0].error
