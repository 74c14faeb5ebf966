"""Bags that share no row."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from maxmargin.certificates import Status
from maxmargin.ensemble import BaggingClassifier, BaggingRegressor, RandomForestClassifier, RandomForestRegressor
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor


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


# ---------------------------------------------------------------- forests


def test_every_row_is_in_the_bag_of_one_tree_with_its_share_of_each_class():
    X, y = load_iris(return_X_y=True)
    y = np.where(y == 2, 1, y)  # 50 and 100 rows
    model = RandomForestClassifier(7, bootstrap="disjoint", random_state=0).fit(X, y)
    bags = model.estimators_samples_
    np.testing.assert_array_equal(np.sort(np.concatenate(bags)), np.arange(150))
    assert {len(bag) for bag in bags} == {21, 22}
    for k, size in enumerate((50, 100)):
        assert {np.count_nonzero(y[bag] == k) for bag in bags} <= {size // 7, size // 7 + 1}
    figures = model.certificate_.figures
    assert figures["share of the rows in a bag"] == pytest.approx(1 / 7)
    assert figures["share expected"] == pytest.approx(1 / 7)
    assert figures["rows judged"] == 150


def test_the_bags_of_a_forest_are_those_of_bagged_trees():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(6, bootstrap="disjoint", random_state=3).fit(X, y)
    bags = BaggingClassifier(n_estimators=6, bootstrap="disjoint", random_state=3).fit(X, y)
    for ours, theirs in zip(forest.estimators_samples_, bags.estimators_samples_, strict=True):
        np.testing.assert_array_equal(ours, np.sort(theirs))


def test_trees_are_those_of_their_bags():
    X, y = load_breast_cancer(return_X_y=True)
    model = RandomForestClassifier(5, bootstrap="disjoint", max_features=None, max_depth=3, random_state=3).fit(X, y)
    weight = np.zeros(len(y))
    for tree, bag in zip(model.estimators_, model.estimators_samples_, strict=True):
        weight[:] = 0.0
        weight[bag] = 1.0
        alone = DecisionTreeClassifier(max_depth=3, random_state=tree.random_state).fit(X, y, weight)
        # a threshold lies between values of all rows in a forest, of those with a weight in a tree
        np.testing.assert_array_equal(tree.tree_.feature, alone.tree_.feature)
        np.testing.assert_allclose(tree.predict_proba(X[bag]), alone.predict_proba(X[bag]))


def test_a_row_is_judged_by_all_trees_but_its_own():
    X, y = load_iris(return_X_y=True)
    y = X[:, 2]
    model = RandomForestRegressor(4, bootstrap="disjoint", oob_score=True, random_state=0).fit(X[:, :2], y)
    said = np.array([tree.predict(X[:, :2]) for tree in model.estimators_])
    for t, bag in enumerate(model.estimators_samples_):
        others = np.delete(said, t, axis=0).mean(axis=0)
        np.testing.assert_allclose(model.oob_prediction_[bag], others[bag])
    assert model.oob_error_curve_[-1] == pytest.approx(np.mean((model.oob_prediction_ - y) ** 2))


def test_a_single_disjoint_bag_holds_all_rows_and_nothing_is_claimed():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(1, bootstrap="disjoint", max_features=None).fit(X, y)
    np.testing.assert_array_equal(model.estimators_samples_[0], np.arange(150))
    assert model.certificate_.kind == "nothing"
    np.testing.assert_array_equal(model.predict(X), DecisionTreeClassifier().fit(X, y).predict(X))


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize("seed", [None, 5])
def test_a_forest_is_grown_again_and_a_changed_deal_is_refuted(forest, seed):
    X, y = load_iris(return_X_y=True)
    model = forest(5, bootstrap="disjoint", random_state=seed).fit(X, y)
    again = model.certificate_.verify(X, y)
    assert again.status is Status.CONVERGED and again.figures == model.certificate_.figures
    model._dealt[:2] = (model._dealt[:2] + 1) % 5
    assert model.certificate_.verify(X, y).status is Status.REFUTED
    model._dealt[:2] = (model._dealt[:2] - 1) % 5
    model.estimators_.pop()
    assert model.certificate_.verify(X, y).status is Status.REFUTED
    model.estimators_.clear()
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_weights_count_in_trees_and_deal_no_row_twice():
    X, y = load_iris(return_X_y=True)
    weight = np.tile([0.0, 1.0, 2.0], 50)  # repetitions, were bags drawn
    model = RandomForestRegressor(4, bootstrap="disjoint", max_depth=2, random_state=0).fit(X, y, weight)
    bags = model.estimators_samples_
    np.testing.assert_array_equal(np.sort(np.concatenate(bags)), np.flatnonzero(weight))
    for tree, bag in zip(model.estimators_, bags, strict=True):
        own = np.zeros(150)
        own[bag] = weight[bag]
        expected = DecisionTreeRegressor(max_depth=2, random_state=tree.random_state).fit(X, y, own)
        np.testing.assert_allclose(tree.predict(X[bag]), expected.predict(X[bag]))
    assert model.certificate_.verify(X, y, weight).status is Status.CONVERGED


def test_balanced_weights_are_those_of_each_bag():
    X, y = load_breast_cancer(return_X_y=True)
    settings = {"max_depth": 2, "max_features": None, "class_weight": "balanced_subsample", "random_state": 0}
    model = RandomForestClassifier(3, bootstrap="disjoint", **settings).fit(X, y)
    for tree in model.estimators_:
        np.testing.assert_allclose(tree.tree_.value[0, 0], [0.5, 0.5])


def test_rows_held_out_are_in_no_bag():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(4, bootstrap="disjoint", validation_fraction=0.2, random_state=0).fit(X, y)
    assert len(np.unique(np.concatenate(model.estimators_samples_))) == 120
    assert len(model.validation_error_curve_) == 4
    assert model.certificate_.verify(X, y).status is Status.CONVERGED


def test_bags_of_the_next_fit_are_drawn_again():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(4, bootstrap="disjoint", random_state=0).fit(X, y)
    model.set_params(bootstrap=True).fit(X, y)
    drawn = RandomForestClassifier(4, random_state=0).fit(X, y)
    for ours, theirs in zip(model.estimators_samples_, drawn.estimators_samples_, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_samples": 0.5}, "max_samples=0.5 has no meaning .* max_samples=None"),
        ({"warm_start": True}, "warm_start=True cannot add trees .* warm_start=False"),
        ({"n_estimators": "auto"}, 'n_estimators="auto" adds trees .* use a number of trees'),
        ({"n_estimators": "auto", "validation_fraction": 0.2}, 'n_estimators="auto" adds trees'),
        ({"n_estimators": 151}, "150 rows cannot be dealt out to n_estimators=151"),
        ({"bootstrap": "joint"}, "bootstrap"),
    ],
)
def test_what_forests_of_disjoint_bags_cannot_do_is_refused(forest, settings, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        forest(**{"bootstrap": "disjoint", **settings}).fit(X, y)
