"""AdaBoost.R2."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import AdaBoostRegressor as Peer
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from maxmargin.certificates import Status
from maxmargin.ensemble import AdaBoostRegressor

X, Y = load_diabetes(return_X_y=True)
X, Y = X[::3], Y[::3]


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("rate", [1.0, 0.4])
def test_with_bags_it_is_that_of_scikit_learn(loss, rate):
    ours = AdaBoostRegressor(n_estimators=20, loss=loss, learning_rate=rate, resample=True, random_state=2).fit(X, Y)
    peer = Peer(n_estimators=20, loss=loss, learning_rate=rate, random_state=2).fit(X, Y)
    assert_allclose(ours.estimator_errors_, peer.estimator_errors_, atol=1e-12)
    assert_allclose(ours.estimator_weights_, peer.estimator_weights_, atol=1e-12)
    assert_array_equal(ours.predict(X), peer.predict(X))
    assert_allclose(list(ours.staged_predict(X)), list(peer.staged_predict(X)))
    assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-12)


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
