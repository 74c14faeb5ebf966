"""AdaBoost.R2."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import AdaBoostRegressor as Peer
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor as PeerTree

from maxmargin.certificates import Status
from maxmargin.ensemble import AdaBoostRegressor
from maxmargin.ensemble._boosted_trees import BoostedTrees
from maxmargin.tree import DecisionTreeRegressor

X, Y = load_diabetes(return_X_y=True)
X, Y = X[::3], Y[::3]


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("rate", [1.0, 0.4])
def test_with_bags_it_is_that_of_scikit_learn(loss, rate):
    tree = PeerTree(max_depth=3)  # which is what scikit-learn boosts by default
    settings = {"n_estimators": 20, "loss": loss, "learning_rate": rate, "random_state": 2}
    ours = AdaBoostRegressor(tree, resample=True, **settings).fit(X, Y)
    peer = Peer(**settings).fit(X, Y)
    assert_allclose(ours.estimator_errors_, peer.estimator_errors_, atol=1e-12)
    assert_allclose(ours.estimator_weights_, peer.estimator_weights_, atol=1e-12)
    assert_array_equal(ours.predict(X), peer.predict(X))
    assert_allclose(list(ours.staged_predict(X)), list(peer.staged_predict(X)))
    assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-12)


def test_the_default_is_our_tree_of_depth_three():
    model = AdaBoostRegressor(n_estimators=5, random_state=0).fit(X, Y)
    named = AdaBoostRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=5, random_state=0).fit(X, Y)
    assert {type(tree) for tree in model} == {DecisionTreeRegressor}
    assert {tree.get_depth() for tree in model} == {3}
    assert_array_equal(model.predict(X), named.predict(X))


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, sp.csr_array, sp.csc_array])
def test_trees_from_bins_made_once_are_those_of_a_fit(kind):
    """With 900 rows columns have more values than bins, which weights then move."""
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(900, 3)).astype(np.float32), rng.normal(size=900)
    rows = kind(1000 * rows) if kind in (sp.csr_array, sp.csc_array) else (1000 * rows).astype(kind)
    trees = BoostedTrees(rows, y)
    for weights in (np.full(900, 1 / 900), rng.random(900) ** 8 + 1e-9, rng.random(900)):
        settings = {"max_depth": 5, "max_features": 2, "ccp_alpha": 1e-3, "random_state": 1}
        ours, predicted = trees.learn(DecisionTreeRegressor(**settings), weights)
        alone = DecisionTreeRegressor(**settings).fit(rows, y, weights)
        for name in ("feature", "threshold", "value", "children_left"):
            assert_array_equal(getattr(ours.tree_, name), getattr(alone.tree_, name))
        assert_array_equal(predicted, alone.predict(rows))
        assert_array_equal(predicted, ours.predict(rows))


def test_bins_follow_the_weights():
    """What is hard to predict is the far end of one column: 20 of 20000 rows, less than one bin of equal numbers."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(20_000))
    rows, y = x[:, None], np.where(x > x[-20], 100 * (x - x[-20]) / (1 - x[-20]), 0.0)
    ours = AdaBoostRegressor(n_estimators=10).fit(rows, y)
    peer = AdaBoostRegressor(PeerTree(max_depth=3), n_estimators=10).fit(rows, y)
    assert ours.score(rows, y) > peer.score(rows, y) - 0.01


def test_with_weights_it_draws_nothing():
    one, other = (AdaBoostRegressor(LinearRegression(), n_estimators=10, random_state=s).fit(X, Y) for s in (0, 1))
    assert_array_equal(one.predict(X), other.predict(X))
    counts = np.random.default_rng(0).integers(0, 4, len(Y))
    weighted = AdaBoostRegressor(LinearRegression(), n_estimators=10).fit(X, Y, counts)
    repeated = AdaBoostRegressor(LinearRegression(), n_estimators=10).fit(
        np.repeat(X, counts, axis=0), np.repeat(Y, counts)
    )
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-8)


def test_regressors_that_take_no_weights_are_trained_on_bags():
    model = AdaBoostRegressor(KNeighborsRegressor(5), n_estimators=10, random_state=0).fit(X, Y)
    assert len(model) > 1
    assert model.certificate_.holds
    with pytest.raises(ValueError, match="KNeighborsRegressor doesn't support sample_weight"):
        AdaBoostRegressor(KNeighborsRegressor(5), resample=False).fit(X, Y)


def test_the_median_is_weighted():
    model = AdaBoostRegressor(n_estimators=7, random_state=0).fit(X, Y)
    votes = model.estimator_weights_[: len(model)]
    for row, found in zip(np.array([tree.predict(X) for tree in model]).T, model.predict(X), strict=True):
        assert votes[row < found].sum() <= votes.sum() / 2 + 1e-9
        assert votes[row <= found].sum() >= votes.sum() / 2 - 1e-9
    scores = list(model.staged_score(X, Y))
    assert scores[-1] == model.score(X, Y)


def test_a_regressor_without_errors_is_the_answer_alone():
    rows = np.arange(6.0)[:, None]
    model = AdaBoostRegressor(LinearRegression()).fit(rows, np.zeros(6))
    assert len(model) == 1
    assert model.certificate_.status is Status.CONVERGED
    assert "makes no error" in model.certificate_.statement
    assert_array_equal(model.predict(rows), np.zeros(6))


def test_no_edge():
    rows, y = np.zeros((8, 1)), np.array([0.0, 0, 0, 0, 1, 1, 1, 1])
    model = AdaBoostRegressor(DummyRegressor()).fit(rows, y)  # all errors are the largest
    assert len(model) == 1
    assert model.certificate_.status is Status.STALLED
    assert_allclose(model.predict(rows), 0.5)
    assert model.certificate_.holds


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="'loss' parameter"):
        AdaBoostRegressor(loss="cubic").fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        AdaBoostRegressor().fit(np.where(X == X[0, 0], np.nan, X), Y)
    model = AdaBoostRegressor(n_estimators=2).fit(X, Y)
    with pytest.raises(ValueError, match="about the training data"):
        model.certificate_.verify(X[:9], Y[:9])
