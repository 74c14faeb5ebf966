"""Forests: bags, votes, the out-of-bag error and its curve, and that threads and order make no difference."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine, make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split

from maxmargin.certificates import Status
from maxmargin.ensemble import BaggingClassifier, RandomForestClassifier, RandomForestRegressor
from maxmargin.ensemble._forest_bags import Bags


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def same_forest(a, b):
    return all(
        np.array_equal(s.tree_.feature, t.tree_.feature) and np.array_equal(s.tree_.threshold, t.tree_.threshold)
        for s, t in zip(a, b, strict=True)
    )


# ---------------------------------------------------------------- accuracy beside scikit-learn


@pytest.mark.parametrize("load", [load_digits, load_breast_cancer])
def test_accuracy_is_not_below_scikit_learns(load):
    parts = train_test_split(*load(return_X_y=True), random_state=0)
    scores = {}
    for kind in (RandomForestClassifier, sklearn.ensemble.RandomForestClassifier):
        models = [kind(40, random_state=seed).fit(parts[0], parts[2]) for seed in range(3)]
        scores[kind] = [model.score(parts[1], parts[3]) for model in models]
    ours, theirs = scores.values()
    assert np.mean(ours) > np.mean(theirs) - 0.015


def test_regression_is_not_below_scikit_learns():
    parts = train_test_split(*load_diabetes(return_X_y=True), random_state=0)
    ours = RandomForestRegressor(60, random_state=0).fit(parts[0], parts[2]).score(parts[1], parts[3])
    theirs = (
        sklearn.ensemble.RandomForestRegressor(60, random_state=0).fit(parts[0], parts[2]).score(parts[1], parts[3])
    )
    assert ours > theirs - 0.05


# ---------------------------------------------------------------- the formulas of the votes


def test_mean_and_product_are_those_of_the_trees(wine):
    X, y = wine
    for combine in ("mean", "product"):
        model = RandomForestClassifier(9, combine=combine, max_depth=3, random_state=0).fit(X, y)
        shares = []
        for member in model.estimators_:
            tree, leaves = member.tree_, member.apply(X)
            p = tree.value[leaves, 0]
            if combine == "product":
                w = tree.weighted_n_node_samples[leaves, None]
                p = np.log((w * p + 1 / 3) / (w + 1))
            shares.append(p)
        expected = np.mean(shares, axis=0)
        if combine == "product":
            expected = np.exp(expected)
            expected /= expected.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
        assert np.array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])


def test_regression_is_the_mean_of_the_trees():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(7, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), np.mean([t.predict(X) for t in model.estimators_], axis=0), rtol=1e-12)


def test_out_of_bag_is_judged_by_the_trees_that_left_a_row_out(wine):
    X, y = wine
    model = RandomForestClassifier(25, oob_score=True, random_state=1).fit(X, y)
    sums, counts, curve = np.zeros((len(y), 3)), np.zeros(len(y)), []
    for member, bag in zip(model.estimators_, model.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(y)), bag)
        sums[out] += member.predict_proba(X[out])
        counts[out] += 1
        judged = counts > 0
        curve.append(np.mean(sums[judged].argmax(axis=1) != y[judged]))
    np.testing.assert_allclose(model.oob_error_curve_, curve, atol=1e-12)
    np.testing.assert_allclose(model.oob_decision_function_, sums / counts[:, None], atol=1e-12)
    assert model.oob_score_ == pytest.approx(1 - curve[-1])
    binomial = np.sqrt(curve[-1] * (1 - curve[-1]) / len(y))
    assert binomial < model.certificate_.figures["standard error"] < 1.3 * binomial


def test_out_of_bag_values():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, y)
    expected = 1 - np.sum((y - model.oob_prediction_) ** 2) / np.sum((y - y.mean()) ** 2)
    assert model.oob_score_ == pytest.approx(expected)
    assert model.oob_error_curve_[-1] == pytest.approx(np.mean((y - model.oob_prediction_) ** 2))
    called = RandomForestRegressor(40, oob_score=lambda a, b: np.abs(a - b).max(), random_state=0).fit(X, y)
    assert called.oob_score_ == pytest.approx(np.abs(y - model.oob_prediction_).max())


def test_certificate_is_recomputed(wine):
    X, y = wine
    model = RandomForestClassifier(30, random_state=0).fit(X, y)
    found = model.certificate_.verify(X, y)
    assert found.figures == model.certificate_.figures
    assert found.status is Status.CONVERGED and found.kind == "estimate" and not found.holds
    assert model.certificate_.figures["share of the rows in a bag"] == pytest.approx(0.632, abs=0.02)
    assert model.certificate_.verify(X, np.roll(y, 40)).status is Status.REFUTED
    with pytest.raises(ValueError, match="expected 178 rows of positive weight, got X with 100"):
        model.certificate_.verify(X[:100], y[:100])
    unbagged = RandomForestClassifier(3, bootstrap=False).fit(X, y)
    assert unbagged.certificate_.kind == "nothing" and not unbagged.certificate_.holds
    assert "nothing is claimed" in unbagged.certificate_.statement


# ---------------------------------------------------------------- what makes no difference


def test_threads_make_no_difference(wine):
    X, y = wine
    forests = [RandomForestClassifier(12, random_state=3, n_jobs=n).fit(X, y) for n in (1, 2, None)]
    for other in forests[1:]:
        assert same_forest(forests[0], other)
        assert np.array_equal(forests[0].predict_proba(X), other.predict_proba(X))
        assert np.array_equal(forests[0].oob_error_curve_, other.oob_error_curve_)
    assert not same_forest(forests[0], RandomForestClassifier(12, random_state=4).fit(X, y))


def test_order_and_repetition_make_no_difference(wine):
    X, y = wine
    rng = np.random.default_rng(0)
    order, weight = rng.permutation(len(y)), rng.integers(0, 3, len(y))
    one = RandomForestClassifier(8, random_state=0).fit(X, y)
    assert same_forest(one, RandomForestClassifier(8, random_state=0).fit(X[order], y[order]))
    weighted = RandomForestClassifier(8, random_state=0).fit(X, y, weight)
    repeated = RandomForestClassifier(8, random_state=0).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert same_forest(weighted, repeated)
    assert same_forest(weighted, RandomForestClassifier(8, random_state=0).fit(X, y, 0.3 * weight))
    assert max(bag.max() for bag in weighted.estimators_samples_) < len(y)
    assert weighted.certificate_.verify(X, y, weight).figures == weighted.certificate_.figures


def test_bags_draw_repetitions_by_their_number_and_all_else_alike():
    X, y = np.arange(400.0)[:, None], np.zeros(400)
    for weight, times in ((np.where(np.arange(400) < 100, 3.0, 1.0), 3), (np.where(np.arange(400) < 100, 3.7, 0.9), 1)):
        bags = Bags.of(X, y, weight, None)
        counts = np.mean([bags.counts(seed) for seed in range(300)], axis=0)
        assert counts[:100].mean() / counts[100:].mean() == pytest.approx(times, rel=0.05)
        drawn = np.where(np.arange(400) < 100, times, 1)
        assert bags.expected_share() == pytest.approx(np.mean(1 - (1 - drawn / drawn.sum()) ** drawn.sum()))
        held = np.mean([np.mean(bags.counts(s) > 0) for s in range(100)])
        assert held == pytest.approx(bags.expected_share(), abs=0.01)
    assert Bags.of(X, y, None, 0.25).draws == 100
    assert Bags.of(X, y, None, 7).draws == 7


@pytest.mark.parametrize("weight", [1e-6, 0.1, 0.9, 1e9])
def test_one_odd_weight_among_ones_changes_no_bag(weight):
    X, y = make_classification(1000, 5, random_state=0)
    weights = np.ones(1000)
    weights[0] = weight
    assert Bags.of(X, y, weights, None).draws == 1000
    plain = RandomForestClassifier(20, random_state=0).fit(X, y)
    odd = RandomForestClassifier(20, random_state=0).fit(X, y, weights)
    for one, other in zip(plain.estimators_samples_, odd.estimators_samples_, strict=True):
        assert np.array_equal(one, other)
    error, spread = (plain.certificate_.figures[name] for name in ("out-of-bag error", "standard error"))
    assert odd.certificate_.figures["out-of-bag error"] == pytest.approx(error, abs=2 * spread)
    assert odd.certificate_.verify(X, y, weights).status is Status.CONVERGED
    learners = BaggingClassifier(n_estimators=10, random_state=0).fit(X, y, weights)
    assert {len(bag) for bag in learners.estimators_samples_} == {1000}


@pytest.mark.parametrize("class_weight", [None, "balanced", "balanced_subsample"])
def test_a_rare_class_is_judged_and_its_error_is_that_of_new_rows(class_weight):
    settings = {"n_informative": 6, "flip_y": 0.02, "class_sep": 0.8}
    X, y = make_classification(16000, 20, weights=[0.97, 0.03], random_state=0, **settings)
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    model = RandomForestClassifier(100, class_weight=class_weight, random_state=0).fit(X, y)
    figures, wrong = model.certificate_.figures, model.predict(X_new) != y_new
    assert model.certificate_.kind == "estimate" and not model.certificate_.holds
    for name, mask in ((" of class 0", y_new == 0), (" of class 1", y_new == 1)):
        held_out = wrong[mask].mean()
        # both are samples; the forest out of bag is smaller than the whole, which costs little
        spread = np.hypot(figures["standard error" + name], np.sqrt(held_out * (1 - held_out) / mask.sum()))
        assert abs(figures["error" + name] - held_out) <= 3 * spread
        assert figures["rows judged" + name] == np.count_nonzero((y == 0) == ("0" in name))
    spread = figures["standard error"] * np.sqrt(2)
    assert abs(figures["out-of-bag error"] - wrong.mean()) <= 3 * spread
    binomial = np.sqrt(figures["out-of-bag error"] * (1 - figures["out-of-bag error"]) / len(y))
    assert figures["standard error"] >= binomial


def test_nothing_is_claimed_where_a_class_is_hardly_judged():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), np.repeat(["common", "rare"], [490, 10])
    proof = RandomForestClassifier(50, random_state=0).fit(X, y).certificate_
    assert proof.kind == "nothing" and "10 of 10 rows of class rare" in proof.statement
    assert proof.figures["rows judged of class rare"] == 10
    y = np.repeat(["common", "other"], 250)
    crowded = RandomForestClassifier(50, max_samples=4.0, random_state=0).fit(X, y).certificate_
    assert crowded.kind == "nothing" and "of the learners on the average" in crowded.statement
    assert RandomForestClassifier(50, max_samples=2.0, random_state=0).fit(X, y).certificate_.kind == "estimate"


def test_no_errors_are_not_no_error():
    X = np.repeat([[0.0], [1.0]], 100, axis=0) + np.random.default_rng(0).uniform(0, 0.1, (200, 1))
    figures = RandomForestClassifier(50, random_state=0).fit(X, np.repeat([0, 1], 100)).certificate_.figures
    assert figures["out-of-bag error"] == 0 and figures["standard error of class 0"] > 0.005


def test_trees_of_other_rows_claim_nothing(wine):
    X, y = wine
    model = RandomForestClassifier(5, warm_start=True, random_state=0).fit(X[:100], y[:100])
    model.set_params(n_estimators=10).fit(X, y)
    assert model.certificate_.kind == "nothing" and "5 trees are of an earlier fit" in model.certificate_.statement
    with pytest.raises(ValueError, match="cannot be verified"):
        model.certificate_.verify(X, y)


def test_a_tree_is_the_tree_of_its_bag(wine):
    X, y = wine
    model = RandomForestClassifier(3, random_state=0).fit(X, y)
    member, bag = model.estimators_[1], model.estimators_samples_[1]
    again = clone(member).fit(X[bag], y[bag])
    assert np.array_equal(again.tree_.threshold, member.tree_.threshold)
    np.testing.assert_allclose(again.tree_.value, member.tree_.value, atol=1e-12)


def test_warm_start_is_one_fit(wine):
    X, y = wine
    once = RandomForestClassifier(10, random_state=0).fit(X, y)
    model = RandomForestClassifier(4, random_state=0, warm_start=True).fit(X, y)
    model.set_params(n_estimators=10).fit(X, y)
    assert same_forest(once, model)
    assert np.array_equal(once.oob_error_curve_, model.oob_error_curve_)
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="must be larger or equal"):
        model.set_params(n_estimators=3).fit(X, y)


def test_pickles(wine):
    X, y = wine
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    assert again.certificate_.verify(X, y).figures == model.certificate_.figures


# ---------------------------------------------------------------- number of trees, classes of unequal size


def test_auto_stops_when_the_error_has_settled(wine):
    X, y = wine
    model = RandomForestClassifier("auto", random_state=0).fit(X, y)
    trees, curve = len(model.estimators_), model.oob_error_curve_
    assert trees % 16 == 0
    assert 32 <= trees < 1024
    assert np.abs(curve[trees // 2 :] - curve[-1]).max() <= model.certificate_.figures["standard error"]
    assert same_forest(model, RandomForestClassifier(trees, random_state=0).fit(X, y))
    with pytest.raises(ValueError, match="goes by the out-of-bag error"):
        RandomForestClassifier("auto", bootstrap=False).fit(X, y)


def test_class_weights_help_a_rare_class():
    rng = np.random.default_rng(0)
    y = (rng.random(1500) < 0.06).astype(int)
    X = rng.normal(size=(1500, 4)) + 0.9 * y[:, None]
    scores = {}
    for weight in (None, "balanced", "balanced_subsample", {0: 1.0, 1: 15.0}):
        model = RandomForestClassifier(25, class_weight=weight, min_samples_leaf=5, random_state=0).fit(
            X[:1000], y[:1000]
        )
        scores[str(weight)] = balanced_accuracy_score(y[1000:], model.predict(X[1000:]))
    assert min(score for name, score in scores.items() if name != "None") > scores["None"] + 0.03


# ---------------------------------------------------------------- ways through the trees, odd input


def test_paths_and_leaves(wine):
    X, y = wine
    model = RandomForestClassifier(4, random_state=0).fit(X, y)
    leaves = model.apply(X)
    paths, ends = model.decision_path(X)
    assert leaves.shape == (len(y), 4)
    assert paths.shape == (len(y), ends[-1])
    for t, member in enumerate(model):
        assert np.array_equal(leaves[:, t], member.apply(X))
        assert (np.asarray(paths[np.arange(len(y)), ends[t] + leaves[:, t]]) == 1).all()
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert len(model) == 4


def test_missing_values_and_categories(wine):
    X, y = wine
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    model = RandomForestClassifier(20, random_state=0).fit(holes, y)
    assert model.certificate_.figures["out-of-bag error"] < 0.15
    frame = pd.DataFrame({"size": X[:, 0], "kind": np.where(y == 1, "a", "b")})
    model = RandomForestClassifier(10, max_features=None, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.9
    assert model.predict(frame.assign(kind="never seen")).shape == y.shape


def test_refusals(wine):
    X, y = wine
    for options, words in (
        ({"bootstrap": False, "oob_score": True}, "only available if bootstrap=True"),
        ({"bootstrap": False, "max_samples": 0.5}, "max_samples=0.5 has no meaning"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"combine": "vote"}, "combine"),
        ({"monotonic_cst": [1] * 13}, "monotonic_cst must be None"),
    ):
        with pytest.raises(ValueError, match=words):
            RandomForestClassifier(**options).fit(X, y)
    with pytest.raises(ValueError, match="criterion"):
        RandomForestRegressor(criterion="absolute_error").fit(X, y)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        RandomForestClassifier(1, oob_score=True, random_state=0).fit(X, y)


def test_one_row_and_one_class():
    assert RandomForestClassifier(3).fit([[1.0]], [5]).predict([[2.0]]).tolist() == [5]
    assert RandomForestRegressor(3).fit([[1.0], [2.0]], [4.0, 4.0]).predict([[9.0]]).tolist() == [4.0]


@pytest.mark.parametrize("node", ["oblique", "box"])
@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_nodes_are_those_of_the_fit(forest, node):
    """With another node afterwards the trees read beyond the columns that they were given."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X[:, 0] > np.random.default_rng(1).normal(size=60)
    model = forest(n_estimators=8, random_state=0, node=node).fit(X, y.astype(int))
    before = model.predict(X)
    staged = list(model.staged_predict(X))
    model.set_params(node="axis")
    np.testing.assert_array_equal(model.predict(X), before)
    np.testing.assert_array_equal(np.array(list(model.staged_predict(X))), np.array(staged))
    plain = forest(n_estimators=8, random_state=0).fit(X, y.astype(int))
    np.testing.assert_array_equal(
        plain.set_params(node=node).predict(X), clone(plain).set_params(node="axis").fit(X, y.astype(int)).predict(X)
    )
    del model._learners
    with pytest.raises(ValueError, match="this tree was grown on"):
        model.predict(X)
