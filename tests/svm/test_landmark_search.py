"""Searches that compare candidates by machines over landmarks, and train the winner exactly."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from maxmargin.certificates import Status
from maxmargin.svm import SVC, SVCCV, SVR, SVRCV, LargeSVC

GRID = {"Cs": [0.1, 1.0, 10.0], "gammas": [0.1, 1.0]}


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.25, random_state=0)


def test_scores_are_those_of_landmark_machines_and_the_winner_is_exact(moons):
    X, y = moons
    folds = list(StratifiedKFold(3).split(X, y))
    search = SVCCV(**GRID, cv=folds, n_landmarks=60, calibration=None).fit(X, y)
    assert search.storage_.startswith("landmarks: machines over 60 rows")
    for k, params in enumerate(search.cv_results_["params"]):
        gaps = []
        for f, (train, test) in enumerate(folds):
            machine = LargeSVC(method="landmarks", n_landmarks=60, **params)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                machine.fit(X[train], y[train])
            gaps.append(machine.certificate_.relative_gap)
            assert search.cv_results_[f"split{f}_test_score"][k] == machine.score(X[test], y[test])
        assert search.cv_results_["relative_gap"][k] == pytest.approx(max(gaps))
    winner = search.best_estimator_
    assert type(winner) is SVC and winner.shape_fit_ == X.shape
    assert search.certificate_.verify(X, y).status is Status.CONVERGED


@pytest.mark.parametrize("sparse", [False, True])
def test_many_landmarks_choose_as_exact_machines_do(moons, sparse):
    X, y = moons
    X = sp.csr_matrix(X) if sparse else X
    exact, found = (SVCCV(**GRID, cv=3, n_landmarks=m).fit(X, y) for m in (None, 150))
    assert found.best_params_ == exact.best_params_
    np.testing.assert_allclose(found.predict_proba(X), exact.predict_proba(X), atol=0.05)
    assert found.certificate_.verify(X, y).status is Status.CONVERGED  # its calibration is made again, too


def test_classes_that_a_fold_does_not_train_on():
    X, y = load_iris(return_X_y=True)
    rows = np.arange(150)
    folds = [(rows[y != k], rows[y == k]) for k in range(3)] + [(rows[::2], rows[1::2])]
    with pytest.warns(UserWarning, match="lacks a class"):
        exact, found = (SVCCV([1.0], [0.1], cv=folds, n_landmarks=m, calibration=None).fit(X, y) for m in (None, 40))
    for f in range(4):
        key = f"split{f}_test_score"
        np.testing.assert_allclose(found.cv_results_[key], exact.cv_results_[key], atol=0.03)


def test_weights_and_scorers(moons):
    X, y = moons
    weights = np.where(np.arange(300) % 3 == 0, 0.0, 1.0)
    exact, found = (
        SVCCV(**GRID, cv=3, n_landmarks=m, scoring="roc_auc", class_weight="balanced").fit(X, y, weights)
        for m in (None, 120)
    )
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], exact.cv_results_["mean_test_score"], atol=0.02)


def test_a_regressor_is_searched_too():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, size=(200, 1))
    y = np.sin(X).ravel() + 0.1 * rng.normal(size=200)
    search = SVRCV([0.1, 1.0], [0.1, 1.0], cv=4, n_landmarks=30).fit(X, y)
    assert type(search.best_estimator_) is SVR and search.best_score_ > 0.5
    exact = SVRCV([0.1, 1.0], [0.1, 1.0], cv=4).fit(X, y)
    assert search.best_params_ == exact.best_params_


def test_a_winner_far_from_the_exact_machine_is_said(moons):
    X, y = moons
    with pytest.warns(ConvergenceWarning, match="1 of 1 candidates .* raise n_landmarks"):
        search = SVCCV([100.0], [30.0], cv=3, n_landmarks=3, calibration=None).fit(X, y)
    assert search.cv_results_["relative_gap"][0] > 0.01


@pytest.mark.parametrize("kernel", ["sigmoid", "precomputed", lambda A, B: A @ B.T])
def test_kernels_without_a_lower_bound_are_refused(kernel, moons):
    X, y = moons
    with pytest.raises(ValueError, match="positive semi-definite by its formula"):
        SVCCV([1.0], kernel=kernel, n_landmarks=10).fit(X @ X.T if kernel == "precomputed" else X, y)
