"""What `verify` believes: nothing that the model says of itself, and everything that is right."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.certificates import ModelCertificate, Status
from maxmargin.linear_model import LinearClassifier, LogisticRegression
from maxmargin.persistence import load, save
from maxmargin.svm import LinearSVC, LinearSVR


def _set(model, name, value):
    setattr(model, name, value)
    return model


TAMPERED = {
    "weights of zero": lambda m: _set(m, "coef_", np.zeros_like(m.coef_)),
    "weights moved": lambda m: _set(m, "coef_", m.coef_ * 1.01),
    "a weight that is not finite": lambda m: _set(m, "coef_", np.where(m.coef_ == m.coef_.max(), np.nan, m.coef_)),
    "an intercept that is not finite": lambda m: _set(m, "intercept_", np.full_like(m.intercept_, np.nan)),
    "an infinite intercept": lambda m: _set(m, "intercept_", np.full_like(m.intercept_, np.inf)),
    # one of them: a joint machine is the same with all of its intercepts moved together
    "an intercept moved": lambda m: _set(m, "intercept_", m.intercept_ - 50 * (np.arange(len(m.intercept_)) == 0)),
    "intercepts of another number": lambda m: _set(m, "intercept_", np.append(m.intercept_, 0.0)),
    "a feature less": lambda m: _set(m, "coef_", m.coef_[..., 1:]),
    "features of another number": lambda m: _set(m, "n_features_in_", m.n_features_in_ + 1),
    "weights that are not numbers": lambda m: _set(m, "coef_", "weights"),
    "no weights": lambda m: _set(m, "coef_", None),
}
OF_CLASSIFIERS = {
    "classes reversed": lambda m: _set(m, "classes_", m.classes_[::-1]),
    "other classes": lambda m: _set(m, "classes_", m.classes_ + 1),
    "a class more": lambda m: _set(m, "classes_", np.append(m.classes_, 99)),
    "a class less": lambda m: _set(m, "classes_", m.classes_[:-1]),
    "classes that are not numbers": lambda m: _set(m, "classes_", np.array([np.nan] * len(m.classes_))),
    "other class weights": lambda m: _set(m, "class_weight_", 2 * m.class_weight_),
}


def _claims(model, **changes):
    """The same model with other figures in its certificate."""
    old = model.certificate_
    model.certificate_ = ModelCertificate(tuple(replace(c, **changes) for c in old.problems), old._recompute)
    return model


OF_CLAIMS = {
    "a primal": lambda m: _claims(m, primal=m.certificate_.primal * (1 - 1e-6)),
    "a dual": lambda m: _claims(m, dual=m.certificate_.dual * (1 + 1e-6)),
    "a gap": lambda m: _claims(m, gap=0.5 * m.certificate_.primal),
    "a relative gap": lambda m: _claims(m, relative_gap=0.1),
    "figures that are not finite": lambda m: _claims(m, primal=np.nan, dual=np.nan),
}


@pytest.mark.parametrize("loose", [False, True])
@pytest.mark.parametrize("change", [*TAMPERED, *OF_CLASSIFIERS, *OF_CLAIMS])
def test_a_tampered_model_is_refuted(machine, two_classes, change, loose):
    """Also where the model brings a tolerance of its own."""
    X, y = two_classes
    model = machine().fit(X, y)
    if change in OF_CLASSIFIERS and not hasattr(model, "classes_"):
        pytest.skip("has no classes")
    {**TAMPERED, **OF_CLASSIFIERS, **OF_CLAIMS}[change](model)
    if loose:
        model.set_params(tol=1e9)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_a_file_that_brings_its_own_tolerance(two_classes, tmp_path):
    X, y = two_classes
    model = LinearSVC().fit(X, y)
    model.coef_ = np.zeros_like(model.coef_)
    model.set_params(tol=1e9)
    save(model, tmp_path / "model.mm")
    assert load(tmp_path / "model.mm").certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize("joint", [LogisticRegression, lambda **p: LinearSVC(multi_class="crammer_singer", **p)])
def test_joint_machines_are_checked_the_same_way(joint, three_classes):
    X, y = three_classes
    for change in {**TAMPERED, **OF_CLASSIFIERS, **OF_CLAIMS}.values():
        model = joint().fit(X, y)
        assert change(model).set_params(tol=1e9).certificate_.verify(X, y).status is Status.REFUTED


def test_an_intercept_where_there_is_none(two_classes):
    X, y = two_classes
    model = LinearSVC(fit_intercept=False, tol=0.5).fit(X, y)
    model.intercept_ = np.array([1e-9])
    assert model.certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize("tol", [1e-1, 1e-4, 1e-8, 1e-12])
@pytest.mark.parametrize("storage", [np.asarray, lambda X: X.astype(np.float32), sp.csr_array])
def test_what_is_right_is_not_refuted(machine, two_classes, storage, tol):
    X, y = two_classes
    rng = np.random.default_rng(0)
    X, weight = storage(X), rng.uniform(0, 2, len(y))
    for options in ({}, {"max_iter": 1}, {"fit_intercept": False}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = machine(tol=tol, **options).fit(X, y, sample_weight=weight)
        for jobs in (1, 2):
            model.n_jobs = jobs
            assert model.certificate_.verify(X, y, weight).status is model.certificate_.status


def test_interrupted_fits_keep_their_status(machine, two_classes):
    X, y = two_classes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = machine(callback=lambda report: True, tol=1e-12).fit(X, y)
    assert model.certificate_.verify(X, y).status is model.certificate_.status


def test_a_chunk_need_not_have_every_class():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 3
    model = LinearClassifier(solver="sgd", tol=0.5).partial_fit(X, y, classes=[0, 1, 2])
    model.partial_fit(X[y < 2], y[y < 2])
    assert model.certificate_.verify(X[y < 2], y[y < 2]).status is model.certificate_.status


def test_regressors_too(two_classes):
    X, _ = two_classes
    y = X @ np.arange(X.shape[1]) + 0.1 * np.random.default_rng(1).normal(size=len(X))
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive"):
        for change in {**TAMPERED, **OF_CLAIMS}.values():
            model = LinearSVR(loss=loss).fit(X, y)
            assert model.certificate_.verify(X, y).status is Status.CONVERGED
            assert change(model).set_params(tol=1e9).certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_hard_margin_that_was_not_reached_is_not_refuted():
    """It has a lower bound and no primal figure; the bound is checked all the same."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(26, 5)) * [1, 1e-5, 1e-11, 1e6, 1]
    X[rng.random(X.shape) < 0.5] = 0
    X, y = sp.csr_matrix(X), np.arange(26) == 21
    model = LinearSVC(C=np.inf, max_iter=10).fit(X, y)
    claim = model.certificate_
    assert claim.status is Status.BUDGET_EXHAUSTED and np.isinf(claim.primal) and claim.dual > 0
    assert claim.verify(X, y).status is Status.BUDGET_EXHAUSTED
    model.certificate_ = ModelCertificate(tuple(replace(p, dual=2 * p.dual) for p in claim.problems), claim._recompute)
    assert model.certificate_.verify(X, y).status is Status.REFUTED
