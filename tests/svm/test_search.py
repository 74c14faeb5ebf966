"""SVCCV and SVRCV: memory, Ctrl-C and resuming, races, threads, probabilities, bad input."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_regression
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.preprocessing import scale

from maxmargin.svm import SVC, SVCCV, SVRCV, LinearSVCCV
from maxmargin.svm._stored_search import StoredSearch


def noisy(n=300, seed=0):
    return make_classification(n, 6, flip_y=0.1, random_state=seed)


def scores(search):
    return search.cv_results_["mean_test_score"]


# ---------------------------------------------------------------- the same answer however it is computed


@pytest.mark.parametrize("classes", [2, 4])
def test_the_same_to_the_last_bit(classes):
    X, y = make_classification(240, 8, n_informative=5, n_classes=classes, random_state=0)
    first, second = (SVCCV(5, 5, cv=4).fit(X, y) for _ in range(2))
    assert np.array_equal(scores(first), scores(second))
    assert np.array_equal(first.cv_results_["relative_gap"], second.cv_results_["relative_gap"])
    assert np.array_equal(first.predict_proba(X), second.predict_proba(X))


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("classes", [2, 4])
def test_any_number_of_threads(n_jobs, classes):
    X, y = make_classification(240, 8, n_informative=5, n_classes=classes, random_state=0)
    one = SVCCV(4, 4, cv=4, n_jobs=1, tol=1e-6).fit(X, y)
    many = SVCCV(4, 4, cv=4, n_jobs=n_jobs, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(scores(many), scores(one), atol=1.5 / len(y))


def test_values_in_any_order():
    X, y = noisy()
    up = SVCCV([0.1, 1, 10], [0.01, 0.1], tol=1e-6).fit(X, y)
    down = SVCCV([10, 0.1, 1], [0.1, 0.01], tol=1e-6).fit(X, y)
    by_cell = {tuple(p.values()): s for p, s in zip(up.cv_results_["params"], scores(up), strict=True)}
    for params, score in zip(down.cv_results_["params"], scores(down), strict=True):
        assert abs(by_cell[tuple(params.values())] - score) <= 1.5 / len(y)


def test_every_cell_is_certified():
    X, y = noisy()
    search = SVCCV(6, 6).fit(X, y)
    results = search.cv_results_
    assert len(results["certificate"]) == 36
    for certificate, violation in zip(results["certificate"], results["kkt_violation"], strict=True):
        assert certificate.dual <= certificate.primal * (1 + 1e-12)
        assert violation <= 1e-3
    assert str(search.certificate_.verify(X, y).status) == "converged"


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_single_precision(kind):
    X, y = noisy()
    search = SVCCV([0.1, 1, 10], [0.05, 0.5]).fit(X.astype(kind), y)
    assert search.best_estimator_.support_vectors_.dtype == kind
    assert search.best_score_ > 0.8


# ---------------------------------------------------------------- automatic ranges


def test_the_winner_is_inside_the_automatic_ranges():
    X, y = load_breast_cancer(return_X_y=True)
    search = SVCCV().fit(scale(X), y)
    Cs, gammas = np.unique(search.cv_results_["param_C"]), np.unique(search.cv_results_["param_gamma"])
    assert len(Cs) == len(gammas) == 10
    assert search.best_score_ >= 0.97
    assert gammas[0] < search.best_params_["gamma"] < gammas[-1]


def test_distances_that_overflow_are_named():
    X, y = noisy()
    with pytest.raises(ValueError, match=r"X has values so large that squared distances overflow .* or give gammas"):
        SVCCV(3, 4).fit(1e300 * X, y)


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_automatic_ranges_follow_the_scale_of_the_data(factor):
    X, y = noisy()
    one, other = SVCCV(3, 4).fit(X, y), SVCCV(3, 4).fit(factor * X, y)
    np.testing.assert_allclose(other.cv_results_["param_gamma"] * factor**2, one.cv_results_["param_gamma"], rtol=1e-6)
    np.testing.assert_allclose(other.cv_results_["param_C"], one.cv_results_["param_C"], rtol=1e-6)


def test_automatic_c_follows_the_targets():
    X, y = make_regression(120, 4, noise=5.0, random_state=0)
    one, other = SVRCV(3, 3, epsilon=0.1).fit(X, y), SVRCV(3, 3, epsilon=1.0).fit(X, 10 * y)
    np.testing.assert_allclose(other.cv_results_["param_C"], 10 * one.cv_results_["param_C"], rtol=1e-6)
    np.testing.assert_allclose(scores(other), scores(one), atol=1e-3)


# ---------------------------------------------------------------- memory


@pytest.mark.parametrize("memory", [60, 400])
def test_peak_memory(memory):
    """Within `memory` and 60 MB: the interpreter's arrays of n numbers, tiles, and compiled code."""
    program = f"""
        import resource, numpy as np
        from maxmargin.svm import SVCCV
        rng = np.random.default_rng(0)
        X = rng.normal(size=(3000, 8)); y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=3000) > 0)
        few = rng.permutation(3000)[:300]
        for m in ({memory}, 0.5):  # compiled code of both engines
            SVCCV([1.0, 10.0], [0.1], cv=2, memory=m, calibration=None).fit(X[few], y[few])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        search = SVCCV([0.1, 1.0, 10.0], [0.03, 0.1, 0.3], cv=3, memory={memory}, calibration=None).fit(X, y)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(search.storage_.split(":")[0], (after - before) / 1024)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    storage, megabytes = done.stdout.split()
    assert storage == ("stored" if memory == 400 else "blocks")
    assert float(megabytes) <= memory + 60


# ---------------------------------------------------------------- Ctrl-C and resuming


@pytest.mark.parametrize("memory", [1000, 0.5])
def test_ctrl_c_keeps_what_is_finished(memory):
    X, y = make_classification(900, 8, flip_y=0.2, random_state=1)
    search = SVCCV(np.logspace(-1, 3, 6), np.logspace(-3, 1, 12), cv=5, warm_start=True, memory=memory, tol=1e-5)
    search.set_params(calibration=None)
    SVCCV([1.0], [0.1], cv=2, memory=memory).fit(X, y)  # compiled
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(50):  # until the signal comes
            search.fit(X, y)
            search.set_params(tol=search.tol * 0.999)
    timer.join()
    status = search.cv_results_["status"]
    done = status == "converged"
    assert set(status) <= {"converged", "unfinished"}
    assert np.isnan(search.cv_results_["mean_test_score"][~done]).all()
    assert time.perf_counter() - begin < 60


def test_a_resumed_search_repeats_nothing(monkeypatch):
    X, y = noisy()
    search = SVCCV([0.1, 1, 10], [0.01, 0.1, 1], cv=3, warm_start=True, calibration=None)
    solved = []
    real = StoredSearch._solve

    def counting(self, chain, gamma):
        if len(solved) == 4 and not resumed:
            raise KeyboardInterrupt
        before = {f: len(self._plan(gamma, f)) for f in chain.folds}
        solved.append(sum(before.values()))
        real(self, chain, gamma)

    monkeypatch.setattr(StoredSearch, "_solve", counting)
    resumed = False
    with pytest.raises(KeyboardInterrupt):
        search.set_params(n_jobs=1).fit(X, y)
    finished = int(np.isfinite([search.cv_results_[f"split{k}_test_score"] for k in range(3)]).sum())
    assert finished == sum(solved) > 0
    resumed = True
    search.fit(X, y)
    assert sum(solved) == 27
    again = SVCCV([0.1, 1, 10], [0.01, 0.1, 1], cv=3, calibration=None).fit(X, y)
    np.testing.assert_allclose(scores(search), scores(again), atol=1.5 / len(y))


# ---------------------------------------------------------------- races


@pytest.mark.parametrize("memory", [1000, 0.5])
def test_a_race_finds_the_same_winner(memory):
    X, y = noisy(400)
    grid = np.logspace(-2, 2, 5), np.logspace(-3, 1, 5)
    full = SVCCV(*grid, cv=8, memory=memory, tol=1e-6).fit(X, y)  # finer than a sample: the same scores in both
    with pytest.warns(UserWarning, match="race=True dropped"):
        raced = SVCCV(*grid, cv=8, memory=memory, tol=1e-6, race=True).fit(X, y)
    assert raced.best_params_ == full.best_params_
    assert set(raced.cv_results_["status"]) == {"converged", "dropped"}
    dropped = raced.cv_results_["status"] == "dropped"
    assert dropped.sum() > 3
    assert np.isnan(scores(raced)[dropped]).all()
    np.testing.assert_allclose(scores(raced)[~dropped], scores(full)[~dropped], atol=1.5 / len(y))


@pytest.mark.parametrize("kind", ["kernel", "blocks", "linear"])
def test_a_race_does_not_depend_on_which_thread_is_faster(kind, monkeypatch):
    X, y = noisy(240)
    found, solve = [], StoredSearch._solve
    for slow in (0, 1):

        def solving(engine, chain, gamma, slow=slow):
            time.sleep(0.05 * (gamma % 2 == slow))
            solve(engine, chain, gamma)

        def scorer(model, X, y, slow=slow):  # of which no bound is known
            time.sleep(0.01 * ((X[0, 0] > 1) == slow))
            return model.score(X, y)

        monkeypatch.setattr(StoredSearch, "_solve", solving)
        options = {"cv": 6, "race": True, "n_jobs": 2, "refit": False}
        if kind == "linear":
            X, y = np.random.default_rng(0).normal(size=(3000, 10)), np.arange(3000) % 2
            X[:, 0] += 2 * y
            Cs = np.logspace(-9, 1, 9)
            search = LinearSVCCV(Cs, class_weight={0: 1.5, 1: 1.0}, scoring=scorer, **options)
        else:
            memory = {"memory": 0.2} if kind == "blocks" else {}
            search = SVCCV(np.logspace(-2, 2, 4), np.logspace(-3, 2, 6), calibration=None, **memory, **options)
        with pytest.warns(UserWarning, match="race=True dropped"):
            results = search.fit(X, y).cv_results_
        found.append({k: v for k, v in results.items() if k.startswith("split") or k in ("status", "relative_gap")})
    for name, values in found[0].items():
        np.testing.assert_array_equal(found[1][name], values, err_msg=name)


# ---------------------------------------------------------------- probabilities


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_predict_is_the_most_probable_class(method):
    X, y = noisy(500)
    search = SVCCV(4, 4, calibration=method, class_weight="balanced").fit(X[:300], y[:300])
    P = search.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert np.array_equal(search.predict(X), search.classes_[np.argmax(P, axis=1)])


def test_predict_is_the_most_probable_class_of_many():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    search = SVCCV([1, 10], [0.05, 0.2], cv=3).fit(X[:600], y[:600])
    P = search.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert np.array_equal(search.predict(X), search.classes_[np.argmax(P, axis=1)])


@pytest.mark.parametrize("seed", range(3))
def test_probabilities_are_as_good_as_calibrated_classifiers(seed):
    X, y = make_classification(1600, 10, n_informative=6, flip_y=0.15, weights=[0.7], random_state=seed)
    X, X_test, y, y_test = train_test_split(X, y, random_state=seed, stratify=y)
    ours = SVCCV(5, 5).fit(X, y)
    peer = CalibratedClassifierCV(SVC(**ours.best_params_), ensemble=False).fit(X, y)
    p, q = ours.predict_proba(X_test), peer.predict_proba(X_test)
    assert brier_score_loss(y_test, p[:, 1]) <= 1.01 * brier_score_loss(y_test, q[:, 1])
    assert log_loss(y_test, p) <= 1.01 * log_loss(y_test, q)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Cs": []}, "Cs must be"),
        ({"gammas": []}, "gammas must be"),
        ({"gammas": [0.1, 0.0]}, "gammas must be positive and finite; got 0"),
        ({"gammas": [np.inf]}, "gammas must be positive and finite; got inf"),
        ({"Cs": [-1.0]}, "Cs must be positive and finite; got -1"),
        ({"Cs": 0}, "Cs must be a number of automatic values"),
        ({"scoring": ["accuracy", "f1"]}, "scoring must be one"),
        ({"kernel": "linear", "gammas": [0.1]}, "gammas has no meaning for kernel='linear'"),
        ({"memory": 0}, "memory"),
        ({"rule": "worst"}, "rule"),
    ],
)
def test_parameters_are_refused_by_name(parameters, message):
    X, y = noisy()
    with pytest.raises(ValueError, match=message):
        SVCCV(**parameters).fit(X, y)


def test_a_fold_with_one_class():
    X, y = noisy()
    order = np.argsort(y, kind="stable")
    with pytest.raises(ValueError, match=r"fold 1 has class 0 alone"):
        SVCCV(3, 3, cv=KFold(2)).fit(X[order], y[order])


def test_a_scorer_that_fails_somewhere():
    X, y = noisy()

    def scoring(estimator, X_test, y_test):
        if estimator.gamma > 0.5 and estimator.C > 5:
            raise RuntimeError("no score today")
        return estimator.score(X_test, y_test)

    folds = list(StratifiedKFold(3).split(X, y))
    search = SVCCV([1, 10], [0.1, 1.0], cv=folds, scoring=scoring)
    with pytest.warns(FitFailedWarning, match=r"C=10, gamma=1, fold 0: RuntimeError: no score today"):
        search.fit(X, y)
    assert list(search.cv_results_["status"]) == ["converged", "converged", "converged", "failed"]
    assert np.isfinite(scores(search)[:3]).all()
    with pytest.raises(RuntimeError, match=r"C=10, gamma=1, fold 0"):
        search.set_params(error_score="raise", n_jobs=1).fit(X, y)


@pytest.mark.parametrize("memory", [1000, 0.2])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_gamma_whose_values_overflow_fails_alone(memory, classes):
    X, y = make_classification(150, 8, n_informative=5, n_classes=classes, random_state=0)
    search = SVCCV([0.1, 1.0], [0.1, 1e60], kernel="poly", degree=9, memory=memory, tol=0.1)
    with pytest.warns(FitFailedWarning, match=r"C=0.1, gamma=1e\+60, fold 0: (FloatRange|Value)Error"):
        search.fit(X, y)
    assert list(search.cv_results_["status"]) == ["converged", "failed", "converged", "failed"]


def test_regressors_have_no_probabilities():
    X, y = make_regression(60, 3, random_state=0)
    search = SVRCV(2, 2).fit(X, y)
    assert not hasattr(search, "predict_proba")
    assert search.predict(X).shape == (60,)
