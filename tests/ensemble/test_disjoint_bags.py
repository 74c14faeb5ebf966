"""Bags that share no row."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from maxmargin.certificates import Status
from maxmargin.ensemble import BaggingClassifier, BaggingRegressor


def test_every_row_is_in_one_bag_with_its_share_of_each_class():
    X, y = load_iris(return_X_y=True)
    y = np.where(y == 2, 1, y)  # 50 and 100 rows
    model = BaggingClassifier(n_estimators=7, bootstrap="disjoint", random_state=0).fit(X, y)
    bags = model.estimators_samples_
    np.testing.assert_array_equal(np.sort(np.concatenate(bags)), np.arange(150))
    assert {len(bag) for bag in bags} == {21, 22}
    for k, size in enumerate((50, 100)):
        counts = [np.count_nonzero(y[bag] == k) for bag in bags]
        assert set(counts) <= {size // 7, size // 7 + 1}
    assert model.expected_bag_fraction_ == pytest.approx(1 / 7)
    assert model.bag_fractions_.sum() == pytest.approx(1)


def test_learners_are_those_of_their_bags():
    X, y = load_breast_cancer(return_X_y=True)
    model = BaggingClassifier(KNeighborsClassifier(1), 5, bootstrap="disjoint", random_state=3).fit(X, y)
    parts = [KNeighborsClassifier(1).fit(X[bag], y[bag]).predict_proba(X) for bag in model.estimators_samples_]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(parts, axis=0))


def test_the_mean_of_the_means_of_equal_bags_is_the_mean():
    y = np.random.default_rng(0).normal(size=120)
    model = BaggingRegressor(DummyRegressor(), 8, bootstrap="disjoint", random_state=0).fit(y[:, None], y)
    assert model.predict([[0.0]])[0] == pytest.approx(y.mean(), rel=1e-12)


def test_predictions_of_learners_are_uncorrelated_as_they_are_not_with_replacement():
    # Var(mean) = r s^2 + (1 - r) s^2/B: with r = 0 a B-th of the variance of one learner.
    rng, made = np.random.default_rng(0), {}
    for bootstrap in (True, "disjoint"):
        said = []
        for _ in range(400):
            y = rng.normal(size=60)
            model = BaggingRegressor(DummyRegressor(), 6, bootstrap=bootstrap, random_state=0).fit(y[:, None], y)
            said.append([learner.predict([[0.0]])[0] for learner in model.estimators_])
        correlation = np.corrcoef(np.array(said).T)
        made[bootstrap] = correlation[np.triu_indices(6, 1)].mean()
    assert abs(made["disjoint"]) < 0.05
    assert made[True] > 0.3  # 1/2 for means: two bags of n draws share what the sample is


def test_the_estimate_is_gathered_again_and_a_changed_deal_is_refuted():
    X, y = load_iris(return_X_y=True)
    model = BaggingClassifier(n_estimators=5, bootstrap="disjoint", random_state=None).fit(X, y)
    again = model.certificate_.verify(X, y)
    assert again.status is Status.CONVERGED and again.figures == model.certificate_.figures
    object.__setattr__(model._bags, "deal", model._bags.deal ^ 1)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_rows_without_weight_are_in_no_bag():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    weight[::3] = 0.0
    model = BaggingRegressor(LinearRegression(), 4, bootstrap="disjoint", random_state=0).fit(X, y * 1.0, weight)
    bags = model.estimators_samples_
    np.testing.assert_array_equal(np.sort(np.concatenate(bags)), np.flatnonzero(weight))
    expected = [LinearRegression().fit(X[b], y[b], sample_weight=weight[b]).predict(X) for b in bags]
    np.testing.assert_allclose(model.predict(X), np.mean(expected, axis=0))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_samples": 0.5}, "max_samples=0.5 has no meaning"),
        ({"warm_start": True}, "warm_start=False"),
        ({"n_estimators": 151}, "150 rows cannot be dealt out to n_estimators=151"),
        ({"estimator": LinearSVC(), "n_estimators": 60}, "class 0 has 50 rows"),
    ],
)
def test_what_disjoint_bags_cannot_do_is_refused(settings, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        BaggingClassifier(bootstrap="disjoint", **settings).fit(X, y)


def test_weights_that_nobody_takes_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        BaggingClassifier(KNeighborsClassifier(), bootstrap="disjoint").fit(X, y, sample_weight=np.arange(150.0))
