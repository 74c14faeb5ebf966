"""Every cell of a search against GridSearchCV over scikit-learn's machines, on the same folds, both at tol=1e-6."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine, make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.preprocessing import scale

from maxmargin.svm import SVCCV, SVRCV

# whether sigmoid kernels are definite is no concern of these tests
pytestmark = pytest.mark.filterwarnings("ignore::maxmargin.certificates.IndefiniteKernelWarning")

CS = np.logspace(-2, 3, 4)
GAMMAS = np.logspace(-3, 0.5, 4)


def digits(classes):
    X, y = load_digits(return_X_y=True)
    rows = np.flatnonzero(y < classes)[:700]
    return X[rows] / 16.0, y[rows]


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def noisy():
    X, y = make_classification(500, 8, flip_y=0.2, weights=[0.8], random_state=0)
    return X, np.where(y == 1, "yes", "no")


DATA = {
    "binary": breast_cancer(),
    "noisy": noisy(),
    "iris": load_iris(return_X_y=True),
    "wine": (scale(load_wine().data), load_wine().target),
    "five digits": digits(5),
    "ten digits": digits(10),
}


def uneven_weights(n):
    """Some are 0, no two sums of them are equal: round numbers make the intercept ambiguous."""
    rng = np.random.default_rng(0)
    return rng.uniform(0.2, 3.0, n) * (rng.random(n) > 0.2)


def compare(search, theirs, X, y, folds, samples=2, **fit):
    """Scores within so many test samples in every cell and fold, and the same or a tied winner."""
    ours = search.fit(X, y, **fit)
    grid = {"C": ours.Cs} if "param_gamma" not in ours.cv_results_ else {"C": ours.Cs, "gamma": ours.gammas}
    peer = GridSearchCV(theirs, grid, cv=folds, scoring=ours.scoring).fit(X, y, **fit)
    assert peer.cv_results_["params"] == ours.cv_results_["params"]
    for k, (_, test) in enumerate(folds):
        difference = np.abs(peer.cv_results_[f"split{k}_test_score"] - ours.cv_results_[f"split{k}_test_score"])
        assert difference.max() <= samples / len(test) + 1e-9
    best = peer.cv_results_["mean_test_score"]
    assert best[ours.best_index_] >= best.max() - samples / min(len(test) for _, test in folds)
    expected = "stationary" if getattr(ours, "kernel", "") == "sigmoid" else "converged"
    assert (ours.cv_results_["status"] == expected).all()
    assert ours.cv_results_["kkt_violation"].max() <= 1e-6
    return ours, peer


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_classes(name, form):
    X, y = DATA[name]
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    compare(SVCCV(CS, GAMMAS, cv=folds, tol=1e-6), sklearn.svm.SVC(tol=1e-6), form(X), y, folds)


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_kernels(kernel):
    X, y = DATA["iris"]
    folds = list(StratifiedKFold(4).split(X, y))
    options = {"kernel": kernel, "coef0": 1.0 if kernel == "poly" else -1.0, "tol": 1e-6}
    gammas = 10 if kernel == "linear" else [0.003, 0.01, 0.03]
    compare(SVCCV([0.1, 1, 10], gammas, cv=folds, **options), sklearn.svm.SVC(**options), scale(X), y, folds)


def test_precomputed_and_callable():
    X, y = DATA["binary"]
    folds = list(StratifiedKFold(3).split(X, y))
    K = np.exp(-0.02 * ((X[:, None] - X[None]) ** 2).sum(-1))
    kernel = {"kernel": "precomputed", "tol": 1e-6}
    compare(SVCCV(CS, cv=folds, **kernel), sklearn.svm.SVC(**kernel), K, y, folds)
    ours = SVCCV(CS, cv=folds, kernel=lambda A, B: np.exp(-0.02 * ((A[:, None] - B[None]) ** 2).sum(-1))).fit(X, y)
    again = SVCCV(CS, [0.02], cv=folds).fit(X, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], again.cv_results_["mean_test_score"], atol=0.01)


@pytest.mark.parametrize("class_weight", ["balanced", {"no": 1, "yes": 3}])
def test_class_weights(class_weight):
    X, y = DATA["noisy"]
    folds = list(StratifiedKFold(4).split(X, y))
    options = {"class_weight": class_weight, "tol": 1e-6}
    # smaller C with balanced classes: the intercept is not unique, see below
    compare(SVCCV(CS[1:], GAMMAS, cv=folds, **options), sklearn.svm.SVC(**options), X, y, folds)


def test_an_intercept_that_is_not_unique():
    """Balanced classes, all multipliers at their bounds: any b of an interval is optimal.

    scikit-learn's lies wherever rounding errors put it, mostly at an end; ours in the middle, in every fold.
    """
    X, y = DATA["noisy"]
    folds = list(StratifiedKFold(4).split(X, y))
    intercepts = []

    def scoring(estimator, X_test, y_test):
        intercepts.append(estimator.intercept_[0])
        return estimator.score(X_test, y_test)

    search = SVCCV([0.01], [0.2], cv=folds, class_weight="balanced", scoring=scoring, n_jobs=1, tol=1e-6).fit(X, y)
    for (train, _), b in zip(folds, intercepts, strict=True):
        peer = sklearn.svm.SVC(C=0.01, gamma=0.2, class_weight="balanced", tol=1e-6).fit(X[train], y[train])
        sign = np.where(y[train] == "yes", 1, -1)
        residual = sign - (peer.decision_function(X[train]) - peer.intercept_[0])
        first, last = residual[sign < 0].max(), residual[sign > 0].min()
        assert first < last
        np.testing.assert_allclose(b, (first + last) / 2, atol=1e-9)
    assert search.best_score_ > 0.6


@pytest.mark.parametrize("name", ["noisy", "wine"])
def test_sample_weights(name):
    X, y = DATA[name]
    weight = uneven_weights(len(y))
    folds = list(StratifiedKFold(3).split(X, y))
    search = SVCCV(CS, GAMMAS, cv=folds, tol=1e-6)
    compare(search, sklearn.svm.SVC(tol=1e-6), X, y, folds, sample_weight=weight)


def test_group_folds():
    X, y = DATA["noisy"]
    groups = np.random.default_rng(0).integers(0, 12, len(y))
    folds = list(GroupKFold(4).split(X, y, groups))
    by_groups = SVCCV(CS, GAMMAS, cv=GroupKFold(4), tol=1e-6).fit(X, y, groups=groups)
    ours, _ = compare(SVCCV(CS, GAMMAS, cv=folds, tol=1e-6), sklearn.svm.SVC(tol=1e-6), X, y, folds)
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], by_groups.cv_results_["mean_test_score"])


def negative_errors(estimator, X, y):
    return -float(np.sum(estimator.predict(X) != y)) / len(y) + 0.0 * len(estimator.support_)


@pytest.mark.parametrize("name", ["noisy", "wine"])
@pytest.mark.parametrize("scoring", [negative_errors, "balanced_accuracy", "f1_macro"])
def test_scorers(name, scoring):
    X, y = DATA[name]
    folds = list(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0).split(X, y))
    search = SVCCV(CS, GAMMAS, cv=folds, tol=1e-6, scoring=scoring)
    compare(search, sklearn.svm.SVC(tol=1e-6), X, y, folds, samples=4)


def test_a_scorer_of_decision_values():
    X, y = DATA["binary"]
    folds = list(StratifiedKFold(3).split(X, y))
    search = SVCCV(CS, GAMMAS, cv=folds, tol=1e-6, scoring="roc_auc")
    ours, peer = compare(search, sklearn.svm.SVC(tol=1e-6), X, y, folds)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], peer.cv_results_["mean_test_score"], atol=1e-3)


def test_the_machine_of_a_fold_is_a_machine():
    """What a scorer is given predicts rows that nobody has seen, and its proof can be verified."""
    X, y = DATA["wine"]
    seen = []

    def scoring(estimator, X_test, y_test):
        again = estimator.decision_function(X_test.copy())
        np.testing.assert_allclose(again, estimator.decision_function(X_test), atol=1e-9)
        assert np.array_equal(estimator.predict(X_test.copy()), estimator.predict(X_test))
        seen.append(estimator)
        return balanced_accuracy_score(y_test, estimator.predict(X_test))

    folds = list(StratifiedKFold(3).split(X, y))
    SVCCV([1.0], [0.1], cv=folds, scoring=scoring).fit(X, y)
    for machine in seen:
        train = next(t for t, _ in folds if machine.shape_fit_[0] == len(t) and machine._support_is_of(X[t]))
        assert str(machine.certificate_.verify(X[train], y[train]).status) == "converged"


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
def test_regression(form, weighted):
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X), (y - y.mean()) / y.std()
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    fit = {"sample_weight": uneven_weights(len(y))} if weighted else {}
    grid = {"C": np.logspace(-2, 2, 5), "gamma": np.logspace(-3, 0, 4)}
    ours = SVRCV(*grid.values(), cv=folds, tol=1e-6).fit(form(X), y, **fit)
    peer = GridSearchCV(sklearn.svm.SVR(tol=1e-6), grid, cv=folds).fit(form(X), y, **fit)
    for k in range(4):
        key = f"split{k}_test_score"
        np.testing.assert_allclose(ours.cv_results_[key], peer.cv_results_[key], atol=1e-4)
    assert ours.best_params_ == peer.best_params_
    assert ours.cv_results_["kkt_violation"].max() <= 1e-6


def test_a_class_that_a_fold_does_not_train_on():
    X, y = DATA["iris"]
    folds = list(KFold(3).split(X))  # rows are ordered by class: each fold lacks one in training
    with pytest.warns(UserWarning, match="fold 0"):
        ours = SVCCV(CS, GAMMAS, cv=folds, tol=1e-6, calibration=None).fit(X, y)
    peer = GridSearchCV(sklearn.svm.SVC(tol=1e-6), {"C": CS, "gamma": GAMMAS}, cv=folds).fit(X, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], peer.cv_results_["mean_test_score"], atol=0.02)


@pytest.mark.parametrize("name", ["noisy", "wine"])
@pytest.mark.parametrize("memory", [0.2, 3.0])
def test_little_memory_changes_nothing(name, memory):
    X, y = DATA[name]
    folds = list(StratifiedKFold(3).split(X, y))
    little = SVCCV(CS, GAMMAS, cv=folds, tol=1e-6, memory=memory).fit(X, y)
    assert not little.storage_.startswith("stored") or (name, memory) == ("wine", 3.0)
    plenty = SVCCV(CS, GAMMAS, cv=folds, tol=1e-6).fit(X, y)
    assert plenty.storage_.startswith("stored")
    a, b = little.cv_results_["mean_test_score"], plenty.cv_results_["mean_test_score"]
    np.testing.assert_allclose(a, b, atol=1.5 / len(y))
