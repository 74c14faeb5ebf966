"""AdaBoost for classes: the same rounds as scikit-learn's, and what happens at the edges."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import AdaBoostClassifier as Peer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from maxmargin.certificates import Status
from maxmargin.ensemble import AdaBoostClassifier, DecisionBox, DecisionPlane, DecisionStump


def distinct(seed, n=400, d=5, classes=2):
    """Columns of different values that single precision, in which scikit-learn's trees read them, keeps apart."""
    rng = np.random.default_rng(seed)
    X = rng.permuted(np.tile(np.arange(n, dtype=np.float64) / 8, (d, 1)), axis=1).T
    score = X[:, 0] * X[:, 1] / n + 2 * X[:, 2] + rng.normal(scale=10, size=n)
    return X, np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_rounds_of_scikit_learn(classes, rate, weighted):
    X, y = distinct(classes, classes=classes)
    weights = np.random.default_rng(0).uniform(0.1, 2, len(y)) if weighted else None
    ours = AdaBoostClassifier(n_estimators=60, learning_rate=rate).fit(X, y, weights)
    peer = Peer(n_estimators=60, learning_rate=rate, random_state=0).fit(X, y, weights)
    assert len(ours) == len(peer.estimators_) == 60
    assert_allclose(ours.estimator_errors_, peer.estimator_errors_, rtol=0, atol=1e-8)
    assert_allclose(ours.estimator_weights_, peer.estimator_weights_, rtol=0, atol=1e-8)
    assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-8)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-8)
    assert_array_equal(ours.predict(X), peer.predict(X))


def test_the_rounds_of_scikit_learn_with_many_rows():
    """More different values than bins: thresholds inside a bin are found as well."""
    X, y = distinct(7, n=6000, d=4)
    ours, peer = AdaBoostClassifier(n_estimators=80).fit(X, y), Peer(n_estimators=80, random_state=0).fit(X, y)
    assert_allclose(ours.estimator_errors_, peer.estimator_errors_, rtol=0, atol=1e-8)
    assert_allclose(ours.estimator_weights_, peer.estimator_weights_, rtol=0, atol=1e-8)


def test_the_same_rounds_with_any_classifier():
    X, y = load_iris(return_X_y=True)
    learner = DecisionTreeClassifier(max_depth=2, random_state=0)
    ours = AdaBoostClassifier(learner, n_estimators=20, random_state=3).fit(X, y)
    peer = Peer(learner, n_estimators=20, random_state=3).fit(X, y)
    assert_allclose(ours.estimator_errors_, peer.estimator_errors_, atol=1e-8)
    assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-8)
    assert [tree.random_state for tree in ours] == [tree.random_state for tree in peer.estimators_]


@pytest.mark.parametrize("estimator", [None, "box"])
def test_sparse_rows_are_rows(estimator):
    X, y = make_classification(300, 12, n_informative=6, n_classes=3, random_state=0)
    X = np.where(np.abs(X) < 1, 0.0, X)
    dense = AdaBoostClassifier(estimator, n_estimators=25).fit(X, y)
    for container in (sp.csr_array, sp.csc_array):
        sparse = AdaBoostClassifier(estimator, n_estimators=25).fit(container(X), y)
        assert_allclose(sparse.estimator_errors_, dense.estimator_errors_, atol=1e-12)
        assert_allclose(sparse.decision_function(container(X)), dense.decision_function(X), atol=1e-12)
        assert sparse.certificate_.verify(container(X), y).holds


def test_single_precision_and_any_order_of_memory():
    X, y = distinct(2)
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    for other in (X.astype(np.float32), np.asfortranarray(X), X[::-1][::-1]):
        again = AdaBoostClassifier(n_estimators=30).fit(other, y)
        assert_array_equal(again.estimator_errors_, model.estimator_errors_)


@pytest.mark.parametrize("estimator", ["stump", "box", "linear", GaussianNB()])
def test_stages_add_up(estimator):
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(estimator, n_estimators=12).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == len(model)
    assert_allclose(stages[-1], model.decision_function(X), atol=1e-12)
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert_allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X), atol=1e-12)
    scores = list(model.staged_score(X, y))
    assert scores[-1] == model.score(X, y)
    assert_allclose(1 - np.array(scores), model.certificate_.training_errors, atol=1e-12)
    first = AdaBoostClassifier(estimator, n_estimators=1).fit(X, y)
    assert_allclose(stages[0], first.decision_function(X), atol=1e-12)


def test_learners_predict_by_themselves():
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])[y]
    model = AdaBoostClassifier(n_estimators=15).fit(X, names)
    votes = np.array([np.where(stump.predict(X) == model.classes_[1], 2.0, -2.0) for stump in model])
    mean = model.estimator_weights_ @ votes / model.estimator_weights_.sum()
    assert_allclose(model.decision_function(X), mean, atol=1e-12)
    assert all(isinstance(stump, DecisionStump) and stump.n_features_in_ == 30 for stump in model)


def test_a_learner_without_errors_is_the_answer_alone():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = AdaBoostClassifier().fit(X, [0, 0, 1, 1])
    assert len(model) == 1
    assert model.estimator_errors_[0] == 0
    assert model.estimator_weights_[0] == 1
    proof = model.certificate_
    assert proof.status is Status.CONVERGED
    assert proof.bounds.tolist() == [0.0]
    assert "makes no error, and is the answer alone" in proof.statement


def test_a_later_learner_without_errors_is_alone_as_well():
    class Impatient(KNeighborsClassifier):
        """Wrong on the heaviest row until it has got heavy enough."""

        def fit(self, X, y, sample_weight=None):
            y = np.array(y)
            if sample_weight.max() < 0.3:
                y[np.argmax(sample_weight)] = 1 - y[np.argmax(sample_weight)]
            return super().fit(X, y)

    X, y = np.arange(10.0)[:, None], np.array([0, 1] * 5)
    model = AdaBoostClassifier(Impatient(1)).fit(X, y)
    assert len(model) == 1
    assert model.score(X, y) == 1.0
    assert "the learner of round 2 makes no error" in model.certificate_.statement
    assert model.certificate_.holds


def test_no_edge_ends_it():
    X = np.zeros((10, 2))
    model = AdaBoostClassifier().fit(X, [0] * 7 + [1] * 3)  # all that can be done is to say the majority, once
    assert len(model) == 1
    assert model.certificate_.status is Status.STALLED
    assert "round 2 has no edge over guessing" in model.certificate_.statement
    assert_array_equal(model.predict(X), np.zeros(10))
    assert_array_equal(model.feature_importances_, np.zeros(2))
    with pytest.raises(ValueError, match=r"not better than random: its weighted error is 0\.5"):
        AdaBoostClassifier().fit(X, [0] * 5 + [1] * 5)


def test_constant_columns_do_not_matter():
    X, y = distinct(3)
    padded = np.column_stack([np.full(len(y), 7.0), X, np.zeros(len(y))])
    model, again = AdaBoostClassifier(n_estimators=30).fit(X, y), AdaBoostClassifier(n_estimators=30).fit(padded, y)
    assert_array_equal(model.estimator_errors_, again.estimator_errors_)
    assert_array_equal(again.feature_importances_[[0, -1]], [0.0, 0.0])


def test_one_class():
    model = AdaBoostClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert_array_equal(model.predict([[5.0]]), ["a"])
    assert_array_equal(model.predict_proba([[5.0]]), [[1.0]])


@pytest.mark.parametrize("estimator", ["stump", "box", "linear", GaussianNB()])
def test_rows_without_weight_are_as_good_as_absent(estimator):
    X, y = distinct(4)
    weights = (np.random.default_rng(1).random(len(y)) < 0.7).astype(float)
    with_zeros = AdaBoostClassifier(estimator, n_estimators=15).fit(X, y, weights)
    without = AdaBoostClassifier(estimator, n_estimators=15).fit(X[weights > 0], y[weights > 0])
    assert_allclose(with_zeros.estimator_errors_, without.estimator_errors_, atol=1e-12)
    assert_allclose(with_zeros.decision_function(X), without.decision_function(X), atol=1e-12)
    assert with_zeros.certificate_.verify(X, y, weights).holds


@pytest.mark.parametrize("estimator", ["stump", DecisionTreeClassifier(max_depth=1, random_state=0)])
def test_resampling_and_reweighting_agree_on_average(estimator):
    """Single rounds go their own ways; the first error, and the means over rounds and bags, do not."""
    X, y = distinct(5, n=1500)
    exact = AdaBoostClassifier(estimator, n_estimators=10).fit(X, y)
    drawn = [
        AdaBoostClassifier(estimator, n_estimators=10, resample=True, random_state=seed).fit(X, y) for seed in range(12)
    ]
    errors = np.array([model.estimator_errors_ for model in drawn])
    assert np.abs(errors[:, 0] - exact.estimator_errors_[0]).max() < 0.005
    assert abs(errors.mean() - exact.estimator_errors_.mean()) < 0.01
    curves = np.array([model.certificate_.training_errors for model in drawn])
    assert np.abs(curves.mean(axis=0) - exact.certificate_.training_errors).max() < 0.01
    assert all(model.certificate_.holds for model in drawn)
    assert_array_equal(drawn[0].predict(X), clone(drawn[0]).fit(X, y).predict(X))
    assert not np.array_equal(drawn[0].estimator_errors_, drawn[1].estimator_errors_)


@pytest.mark.parametrize("estimator", ["stump", "box", "linear"])
def test_twice_the_weight_is_twice_the_row(estimator):
    """Few rows of many columns: many thresholds are equally good, and rounding must not choose among them."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y, counts = rng.random((15, 30)), rng.integers(0, 3, 15), rng.integers(0, 5, 15)
        y[:3], counts[:3] = [0, 1, 2], 1  # no class without rows
        repeated = np.repeat(np.arange(15), counts)
        once = AdaBoostClassifier(estimator, n_estimators=15).fit(X[repeated], y[repeated])
        order = rng.permutation(15)
        weighted = AdaBoostClassifier(estimator, n_estimators=15).fit(X[order], y[order], counts[order])
        assert_allclose(weighted.estimator_errors_, once.estimator_errors_, atol=1e-10)
        assert_allclose(weighted.decision_function(X), once.decision_function(X), atol=1e-9)


def test_learners_that_take_no_weights_are_trained_on_bags():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(KNeighborsClassifier(1), n_estimators=3, random_state=0).fit(X + 0.0, y)
    assert model.certificate_.holds
    with pytest.raises(ValueError, match=r"KNeighborsClassifier doesn't support sample_weight; resample='auto'"):
        AdaBoostClassifier(KNeighborsClassifier(1), resample=False).fit(X, y)


def test_the_weak_learners_by_name():
    X, y = distinct(6)
    for name, kind in (("stump", DecisionStump), ("box", DecisionBox), ("linear", DecisionPlane)):
        model = AdaBoostClassifier(name, n_estimators=5).fit(X, y)
        assert all(type(learner) is kind for learner in model)
        same = AdaBoostClassifier(kind(), n_estimators=5).fit(X, y)
        assert_array_equal(same.estimator_errors_, model.estimator_errors_)


def test_parameters_of_the_weak_learner_count():
    X, y = distinct(8)
    gini, error = (
        AdaBoostClassifier(DecisionStump(criterion), n_estimators=1).fit(X, y) for criterion in ("gini", "error")
    )
    assert error.estimator_errors_[0] <= gini.estimator_errors_[0]
    wide = AdaBoostClassifier(DecisionBox(max_intervals=4), n_estimators=1).fit(X, y)
    assert wide.estimator_errors_[0] <= AdaBoostClassifier("box", n_estimators=1).fit(X, y).estimator_errors_[0]
    with pytest.raises(ValueError, match="criterion"):
        AdaBoostClassifier(DecisionStump("entropy")).fit(X, y)


def test_the_same_model_on_any_number_of_threads(monkeypatch):
    X, y = distinct(9, n=6000, d=6)
    X[:, 5] = X[:, 0]
    X[:, 1] = np.round(X[:, 1] / 50)
    models = []
    for threads in (1, 2, 5):
        monkeypatch.setattr("maxmargin.ensemble._boost_columns.thread_count", lambda jobs, number=threads: number)
        models.append(AdaBoostClassifier(n_estimators=40).fit(X, y))
    for one, other in pairwise(models):
        assert_array_equal(one.estimator_errors_, other.estimator_errors_)
        assert [stump.feature_ for stump in one] == [stump.feature_ for stump in other]
        assert [stump.threshold_ for stump in one] == [stump.threshold_ for stump in other]


def test_a_copy_by_pickle():
    X, y = distinct(10)
    model = AdaBoostClassifier(n_estimators=8).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.certificate_.verify(X, y).holds


def test_bad_input_is_named():
    X, y = distinct(11)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        AdaBoostClassifier().fit(np.where(X == X[3, 2], np.nan, X), y)
    with pytest.raises(ValueError, match=r"at least one non-zero|a positive entry"):
        AdaBoostClassifier().fit(X, y, np.zeros(len(y)))
    with pytest.raises(ValueError, match="'resample' parameter"):
        AdaBoostClassifier(resample="often").fit(X, y)
    with pytest.raises(ValueError, match="'estimator' parameter"):
        AdaBoostClassifier("stumps").fit(X, y)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        AdaBoostClassifier("linear").fit(sp.csr_array(X), y)
    with pytest.raises(ValueError, match="y has 70000 classes; at most 65536 can be told apart"):
        AdaBoostClassifier().fit(np.zeros((140_001, 1)), np.arange(140_001) % 70_000)
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features"):
        model.predict(X[:, :2])


def test_too_large_a_rate_is_reported():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="infinite values"):
        model = AdaBoostClassifier(n_estimators=30, learning_rate=23.0).fit(X, y)
    assert model.certificate_.status is Status.STALLED
