"""Bagging: scikit-learn's ensembles, with evidence from the rows outside the bags that can be gathered again."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.ensemble
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from maxmargin.bounds import bootstrap_inclusion
from maxmargin.certificates import Status
from maxmargin.ensemble import BaggingClassifier, BaggingRegressor
from maxmargin.ensemble._bag_rows import RowBags

CLASSES = make_classification(300, n_classes=3, n_informative=5, flip_y=0.1, random_state=0)
TARGETS = make_regression(200, n_features=5, noise=10.0, random_state=0)


def test_the_error_is_one_minus_the_score():
    X, y = CLASSES
    names = np.array(["no", "perhaps", "yes"])[y]
    model = BaggingClassifier(KNeighborsClassifier(), 40, oob_score=True, random_state=0).fit(X, names)
    figures = model.certificate_.figures
    assert figures["rows judged"] == 300
    e = figures["out-of-bag error"]
    assert e == pytest.approx(1 - model.oob_score_, abs=1e-12)
    assert e == np.mean(model.classes_[model.oob_decision_function_.argmax(axis=1)] != names)
    assert np.sqrt(e * (1 - e) / 300) < figures["standard error"] < 1.2 * np.sqrt(e * (1 - e) / 300)


def test_as_good_as_scikit_learns():
    X, y = CLASSES
    settings = {"n_estimators": 60, "oob_score": True}
    ours = [BaggingClassifier(random_state=s, **settings).fit(X, y).oob_score_ for s in range(5)]
    theirs = [sklearn.ensemble.BaggingClassifier(random_state=s, **settings).fit(X, y).oob_score_ for s in range(5)]
    assert np.mean(ours) > np.mean(theirs) - 3 * np.hypot(np.std(ours), np.std(theirs))


def test_predictions_are_means_over_the_learners():
    X, y = CLASSES
    model = BaggingClassifier(KNeighborsClassifier(), 7, max_features=0.5, random_state=0).fit(X, y)
    parts = [m.predict_proba(X[:, c]) for m, c in zip(model.estimators_, model.estimators_features_, strict=True)]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(parts, axis=0), rtol=1e-12)
    linear = BaggingClassifier(LinearSVC(), 5, n_jobs=2, random_state=0).fit(X, y)
    parts = [m.decision_function(X) for m in linear.estimators_]
    np.testing.assert_allclose(linear.decision_function(X), np.mean(parts, axis=0), rtol=1e-12)
    assert not hasattr(model, "decision_function")


def test_neither_order_nor_repetition_of_rows_matters():
    X, y = CLASSES
    weights = np.random.default_rng(0).integers(0, 3, 300)
    repeated = np.random.default_rng(1).permutation(np.repeat(np.arange(300), weights))
    one = BaggingClassifier(n_estimators=5, random_state=0).fit(X, y, sample_weight=weights)
    other = BaggingClassifier(n_estimators=5, random_state=0).fit(X[repeated], y[repeated])
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_the_squared_error_is_that_of_scikit_learns_predictions():
    X, y = TARGETS
    model = BaggingRegressor(LinearRegression(), 40, oob_score=True, random_state=0).fit(X, y)
    expected = np.mean((model.oob_prediction_ - y) ** 2)
    assert model.certificate_.figures["out-of-bag squared error"] == pytest.approx(expected, rel=1e-12)
    assert model.oob_error_curve_[-1] == pytest.approx(expected, rel=1e-12)
    assert len(model.oob_error_curve_) == 40


def test_learners_without_probabilities_vote():
    X, y = CLASSES
    model = BaggingClassifier(LinearSVC(), 30, oob_score=True, random_state=0).fit(X, y)
    votes = np.zeros((300, 3))
    for learner, bag in zip(model.estimators_, model.estimators_samples_, strict=True):
        unseen = np.setdiff1d(np.arange(300), bag)
        votes[unseen, learner.predict(X[unseen])] += 1
    assert model.certificate_.figures["out-of-bag error"] == np.mean(votes.argmax(axis=1) != y)


def test_two_classes_are_the_sign_of_the_sum_of_votes():
    X, y = CLASSES[0], np.where(CLASSES[1] == 0, 1, -1)
    model = BaggingClassifier(LinearSVC(), 9, random_state=0).fit(X, y)
    votes = np.array([model.classes_[learner.predict(X)] for learner in model.estimators_])
    assert (np.abs(votes.sum(axis=0)) < 9).any()  # they do not always agree
    np.testing.assert_array_equal(model.predict(X), np.sign(votes.sum(axis=0)))


def _bags(n, weight=None, max_samples=None, replace=True):
    return RowBags.of(np.arange(float(n))[:, None], np.zeros(n), weight, max_samples, replace)


@pytest.mark.parametrize("n", [1, 2, 50])
def test_expected_share_of_a_bag(n):
    assert _bags(n).expected_share() == pytest.approx(bootstrap_inclusion(n), rel=1e-14)
    assert bootstrap_inclusion(n) == pytest.approx(1 - (1 - 1 / n) ** n, rel=1e-14)
    assert _bags(100, max_samples=30, replace=False).expected_share() == 0.3


def test_share_of_a_bag_with_weights():
    weight = np.array([4.0, 2.0, 2.0, 0.0])
    bags = _bags(4, weight)
    p = weight / 8
    assert bags.expected_share() == pytest.approx(np.mean(1 - (1 - p) ** 4))
    drawn = np.bincount(np.concatenate([bags.rows(seed) for seed in range(2000)]), minlength=4)
    assert drawn[3] == 0
    np.testing.assert_allclose(drawn / drawn.sum(), p, atol=0.02)
    assert _bags(4, weight / 8).bags.draws == bags.bags.draws == 4  # once, once and twice
    assert _bags(4, np.array([1.0, 1e9, 1.0, 0.0])).bags.draws == 3  # odds, not repetitions


def test_without_replacement_no_row_is_drawn_twice():
    bags = _bags(50, max_samples=0.6, replace=False)
    assert all(len(np.unique(bags.rows(seed))) == 30 for seed in range(20))
    with pytest.raises(ValueError, match="max_samples=60 must be <= n_samples=50"):
        _bags(50, max_samples=60, replace=False)


def test_bags_hold_what_is_expected():
    X, y = CLASSES
    model = BaggingClassifier(KNeighborsClassifier(), 200, random_state=0).fit(X, y)
    assert model.expected_bag_fraction_ == pytest.approx(1 - (1 - 1 / 300) ** 300)
    spread = model.bag_fractions_.std() / np.sqrt(200)
    assert abs(model.bag_fractions_.mean() - model.expected_bag_fraction_) < 4 * spread
    assert model.bag_fractions_[0] == len(np.unique(model.estimators_samples_[0])) / 300


def test_subsets_of_rows_and_columns():
    X, y = CLASSES
    model = BaggingClassifier(
        KNeighborsClassifier(), 15, max_samples=0.5, max_features=0.4, bootstrap=False, random_state=0
    ).fit(X, y)
    assert model.bag_fractions_ == pytest.approx(0.5)
    assert {len(columns) for columns in model.estimators_features_} == {8}
    assert model.certificate_.kind == "estimate"


def test_nothing_is_claimed_when_every_row_is_in_every_bag():
    X, y = CLASSES
    model = BaggingClassifier(KNeighborsClassifier(), 3, bootstrap=False, random_state=0).fit(X, y)
    assert model.certificate_.kind == "nothing" and not model.certificate_.holds
    assert "No row was left out" in model.certificate_.statement


def test_a_warm_start_ends_where_one_fit_does():
    X, y = CLASSES
    model = BaggingClassifier(n_estimators=3, warm_start=True, random_state=0).fit(X, y)
    first = list(model.estimators_)
    model.set_params(n_estimators=6).fit(X, y)
    assert model.estimators_[:3] == first
    whole = BaggingClassifier(n_estimators=6, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    assert model.certificate_.figures == whole.certificate_.figures
    with pytest.warns(UserWarning, match="does not fit new learners"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=2 must be larger"):
        model.set_params(n_estimators=2).fit(X, y)


def test_rows_that_are_in_every_bag_are_said():
    X, y = CLASSES
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        model = BaggingClassifier(n_estimators=2, oob_score=True, random_state=0).fit(X, y)
    assert np.isnan(model.oob_decision_function_).any()
    with pytest.raises(ValueError, match="only available if bootstrap=True"):
        BaggingClassifier(oob_score=True, bootstrap=False).fit(X, y)


def test_verify_gathers_it_again_and_refutes_other_labels():
    X, y = CLASSES
    model = BaggingClassifier(KNeighborsClassifier(), 20, random_state=0).fit(X, y)
    again = model.certificate_.verify(X, y)
    assert again.figures == model.certificate_.figures
    assert again.status is Status.CONVERGED and again.kind == "estimate" and not again.holds
    other = model.certificate_.verify(X, np.roll(y, 7))
    assert other.status is Status.REFUTED and not other.holds
    with pytest.raises(ValueError, match="expected 300 rows, got y with 10"):
        model.certificate_.verify(X[:10], y[:10])


def test_sparse_rows_and_weights():
    X, y = CLASSES
    weights = np.where(y == 0, 3.0, 1.0)
    dense = BaggingClassifier(KNeighborsClassifier(), 10, random_state=0).fit(X, y, sample_weight=weights)
    csr = BaggingClassifier(KNeighborsClassifier(), 10, random_state=0).fit(sp.csr_array(X), y, sample_weight=weights)
    assert dense.certificate_.figures == csr.certificate_.figures


def test_several_targets():
    X, y = make_regression(100, n_targets=2, random_state=0)
    model = BaggingRegressor(LinearRegression(), 30, random_state=0).fit(X, y)
    assert np.isfinite(model.certificate_.figures["out-of-bag squared error"])


def test_the_default_learner_is_our_tree():
    X, y = load_iris(return_X_y=True)
    model = BaggingClassifier(random_state=0).fit(X, y)
    assert type(model.estimators_[0]).__module__.startswith("maxmargin.tree")
    assert model.certificate_.figures["out-of-bag error"] < 0.1


def test_learners_that_part_classes_get_a_row_of_each():
    """Of 40 rows one is of the third class: more than a third of the bags would lack it."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    y[7] = 2
    model = BaggingClassifier(LinearSVC(), 20, random_state=0).fit(X, y)
    bags = model.estimators_samples_
    assert all(set(y[bag]) == {0, 1, 2} for bag in bags)
    assert 41 in {len(bag) for bag in bags} and {len(bag) for bag in bags} <= {40, 41}
    assert model.decision_function(X).shape == (40, 3)
    assert model.certificate_.figures["rows judged"] == 39  # the one row is in every bag
    voters = BaggingClassifier(KNeighborsClassifier(), 20, random_state=0).fit(X, y)
    assert {len(bag) for bag in voters.estimators_samples_} == {40}
    weighted = BaggingClassifier(LinearSVC(), 20, random_state=0).fit(X, y, sample_weight=(y != 2).astype(float))
    assert not any(7 in bag for bag in weighted.estimators_samples_)  # no weight, no row


def test_weights_without_replacement_are_warned_of():
    X, y = CLASSES
    with pytest.warns(UserWarning, match="once at most, however large its weight"):
        BaggingClassifier(KNeighborsClassifier(), 2, bootstrap=False).fit(X, y, sample_weight=np.ones(300))


def test_scores_of_an_earlier_fit_do_not_stay():
    X, y = CLASSES
    model = BaggingClassifier(KNeighborsClassifier(), 30, oob_score=True, random_state=0).fit(X, y)
    model.set_params(warm_start=True, oob_score=False, n_estimators=31).fit(X, y)
    assert not hasattr(model, "oob_score_") and not hasattr(model, "oob_decision_function_")
