"""A cascade of boosted stages."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from maxmargin.certificates import Status
from maxmargin.ensemble import AdaBoostClassifier, CascadeClassifier


def rare(seed, n, share=0.001, d=8):
    """Normal rows, of which a few lie close together off the centre."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.random(n) < share
    X[y] = 0.6 * rng.normal(size=(y.sum(), d)) + np.array([1.5, -1.5, 1.4, 1.4, -1.4, 0, 0, 0])[:d]
    return X, y


@pytest.fixture(scope="module")
def trained():
    X, y = rare(0, 100_000)
    settings = {"target_false_positive_rate": 0.01, "validation_fraction": 0.3, "carry_votes": True, "random_state": 0}
    return X, y, CascadeClassifier(**settings).fit(X, y)


def test_one_in_a_thousand_is_found_as_often_at_a_fraction_of_the_cost(trained):
    X, y, cascade = trained
    balanced = np.where(y, 0.5 / y.sum(), 0.5 / (~y).sum())
    full = AdaBoostClassifier(n_estimators=200).fit(X, y, balanced)
    new, truth = rare(1, 300_000)
    found, by_full = cascade.predict(new), full.predict(new)
    stages, learners = cascade.prediction_cost(new)
    assert found[truth].mean() >= by_full[truth].mean() > 0.9
    assert found[~truth].mean() < 1.5 * by_full[~truth].mean() < 0.015
    assert learners.mean() < 0.03 * len(full)
    assert stages.mean() < 2


def test_rates_are_products(trained):
    X, y, cascade = trained
    proof = cascade.certificate_
    assert proof.holds
    assert (proof.detections >= 0.995 - 1e-12).all()
    assert_allclose(proof.figures["detection"], np.prod(proof.detections))
    assert_allclose(proof.figures["false positive rate"], np.prod(proof.false_positive_rates))
    assert proof.figures["false positive rate"] <= 0.01
    # with all rows to set the thresholds on, the products are the rates of the whole
    same = CascadeClassifier(max_stages=4).fit(X[:20_000], y[:20_000])
    said = same.predict(X[:20_000])
    assert_allclose(said[y[:20_000]].mean(), same.certificate_.figures["detection"], atol=1e-12)
    assert_allclose(said[~y[:20_000]].mean(), same.certificate_.figures["false positive rate"], atol=1e-12)
    assert same.certificate_.figures["detection"] >= 0.995**4
    assert same.certificate_.figures["detection, all rows"] == same.certificate_.figures["detection"]


def test_cost_is_counted(trained):
    X, _, cascade = trained
    stages, learners = cascade.prediction_cost(X)
    assert_allclose(stages.mean(), cascade.mean_stages_)
    assert_allclose(learners.mean(), cascade.cost_)
    sizes = np.array([len(stage) for stage in cascade.stages_])
    assert_array_equal(learners, np.cumsum(sizes)[stages - 1])
    assert_array_equal(stages[cascade.predict(X)], len(sizes))  # what is found has passed them all


@pytest.mark.parametrize("carry", [False, True])
def test_rows_leave_where_a_stage_rejects_them(carry):
    X, y = rare(7, 5000, share=0.02)
    cascade = CascadeClassifier(max_stages=4, carry_votes=carry).fit(X, y)
    votes = np.array([stage.decision_function(X) * stage.estimator_weights_.sum() / 2 for stage in cascade.stages_])
    passed = (np.cumsum(votes, axis=0) if carry else votes) > cascade.thresholds_[:, None]
    assert len(passed) == 4
    assert_array_equal(cascade.predict(X), passed.all(axis=0))
    first = np.where(passed.all(axis=0), len(passed), np.argmin(passed, axis=0) + 1)
    assert_array_equal(cascade.prediction_cost(X)[0], first)
    decision = cascade.decision_function(X)
    assert_array_equal(decision > 0, cascade.predict(X))
    assert (np.diff(first[np.argsort(decision)]) >= 0).all()  # the lower the value, the earlier


def test_carried_votes_go_on_where_boosting_was():
    """A row starts the second stage with the weight exp(-y F / 2) of the first, its class with half of the total."""
    X, y = rare(8, 3000, share=0.1)
    cascade = CascadeClassifier(min_detection=0.97, max_stages=2, carry_votes=True).fit(X, y)
    first, second = cascade.stages_
    votes = first.decision_function(X) * first.estimator_weights_.sum() / 2
    kept = votes > cascade.thresholds_[0]
    rows, truth = X[kept], y[kept]
    weights = np.exp(-0.5 * np.where(truth, 1, -1) * votes[kept])
    for side in (truth, ~truth):
        weights[side] /= 2 * weights[side].sum()
    assert_allclose(second.estimator_errors_[0], weights[second[0].predict(rows) != truth].sum(), rtol=1e-9)


def test_it_is_verified_from_the_model_alone(trained):
    X, y, cascade = trained
    again = cascade.certificate_.verify(X, y)
    assert again.holds
    assert_array_equal(again.detections, cascade.certificate_.detections)
    other = cascade.certificate_.verify(X, np.roll(y, 1))
    assert not other.holds
    assert other.status is Status.REFUTED
    with pytest.raises(ValueError, match="expected 100000 rows"):
        cascade.certificate_.verify(X[:10], y[:10])


def test_either_class_may_be_the_rare_one():
    X, y = rare(2, 4000, share=0.03)
    one = CascadeClassifier().fit(X, np.where(y, "z", "a"))
    other = CascadeClassifier().fit(X, np.where(y, "a", "z"))
    assert (one.positive_, other.positive_) == ("z", "a")
    assert_array_equal(one.predict(X) == "z", other.predict(X) == "a")
    assert_array_equal(one.decision_function(X), -other.decision_function(X))
    turned = CascadeClassifier(pos_label="a").fit(X, np.where(y, "z", "a"))
    assert turned.positive_ == "a"
    with pytest.raises(ValueError, match="pos_label='b' is not a class of y"):
        CascadeClassifier(pos_label="b").fit(X, np.where(y, "z", "a"))
    for changed in ("z", "b", {"a": None}):
        turned.pos_label = changed
        assert turned.certificate_.verify(X, np.where(y, "z", "a")).status is Status.REFUTED


def test_sparse_rows_and_weights():
    X, y = rare(3, 4000, share=0.05)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense, sparse = CascadeClassifier(max_stages=3).fit(X, y), CascadeClassifier(max_stages=3).fit(sp.csr_array(X), y)
    assert_array_equal(sparse.predict(sp.csr_array(X)), dense.predict(X))
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = CascadeClassifier(max_stages=3).fit(X, y, weights)
    repeated = CascadeClassifier(max_stages=3).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_array_equal(weighted.predict(X), repeated.predict(X))
    assert weighted.certificate_.verify(X, y, weights).holds


@pytest.mark.parametrize("estimator", ["box", "linear", GaussianNB()])
def test_other_learners(estimator):
    X, y = rare(4, 3000, share=0.05)
    model = CascadeClassifier(estimator, max_stages=3, n_estimators=10, validation_fraction=0.3, random_state=1)
    model.fit(X, y)
    assert model.certificate_.holds
    assert model.predict(X)[y].mean() > 0.9
    assert_array_equal(clone(model).fit(X, y).predict(X), model.predict(X))


def test_how_it_ends():
    X, y = rare(5, 3000, share=0.05)
    done = CascadeClassifier(max_stages=30).fit(X, y).certificate_
    assert "no negative is left" in done.statement
    assert "100.0 % of the positives and 0.0 % of the negatives pass" in done.statement
    short = CascadeClassifier(n_estimators=1, max_false_positive_rate=0.05).fit(X, y).certificate_
    assert short.status is not Status.CONVERGED
    assert "did not come down to max_false_positive_rate=0.05" in short.statement
    few = CascadeClassifier(max_stages=1, target_false_positive_rate=1e-6).fit(X, y).certificate_
    assert few.status is Status.BUDGET_EXHAUSTED
    assert "1 stages were not enough for target_false_positive_rate" in few.statement


def test_bad_input_is_named():
    X, y = rare(6, 500, share=0.1)
    with pytest.raises(ValueError, match="needs two classes; y has one class only"):
        CascadeClassifier().fit(X, np.zeros(500))
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        CascadeClassifier().fit(X, np.arange(500) % 3)
    with pytest.raises(ValueError, match="the positives have no weight"):
        CascadeClassifier().fit(X, y, (~y).astype(float))
    with pytest.raises(ValueError, match="needs two rows of each class; one has 1"):
        CascadeClassifier(validation_fraction=0.5).fit(X, np.arange(500) == 7)
    with pytest.raises(ValueError, match="not better than random"):
        CascadeClassifier().fit(np.zeros((500, 2)), y)
    with pytest.raises(ValueError, match="'min_detection' parameter"):
        CascadeClassifier(min_detection=0.0).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        CascadeClassifier().fit(np.where(X == X[0, 0], np.nan, X), y)


@pytest.mark.parametrize("weight", [5e-324, 1e-300])
def test_weights_whose_share_is_nothing(weight):
    """Boosting left such rows out, and what it said of the others had another length."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 4))
    y = (X[:, 0] + 0.5 * rng.normal(size=80) > 0).astype(int)
    used = np.arange(80) % 3 > 0
    largest = 1.0 if weight == 5e-324 else 1e300
    model = CascadeClassifier(random_state=0).fit(X, y, sample_weight=np.where(used, largest, weight))
    alone = CascadeClassifier(random_state=0).fit(X[used], y[used])
    assert np.array_equal(model.predict(X), alone.predict(X))
