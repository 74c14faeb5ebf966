"""Going on from the last solution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.svm import SVC


@pytest.fixture(scope="module")
def data(clouds):
    return clouds(2300, 5, distance=0.7)


def assert_same_machine(model, fresh, X):
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.dual == pytest.approx(fresh.certificate_.dual, rel=1e-4)
    assert_allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-2)


def test_resume_after_an_exhausted_budget(data):
    X, y = data
    model = SVC(max_iter=300, warm_start=True)
    fits = 0
    while fits < 100:
        fits += 1
        try:
            model.fit(X, y)
        except ConvergenceWarning:
            assert model.certificate_.status is Status.BUDGET_EXHAUSTED
        else:
            break
    assert fits > 1
    assert_same_machine(model, SVC().fit(X, y), X)


def test_the_same_again_costs_nothing(data):
    X, y = data
    model = SVC(warm_start=True).fit(X, y)
    first = model.certificate_.iterations
    model.fit(X, y)
    assert model.certificate_.iterations <= first / 20
    assert model.certificate_.status is Status.CONVERGED


@pytest.mark.parametrize(
    "change", [{"C": 0.1}, {"C": 5.0}, {"gamma": 0.05}, {"kernel": "linear"}, {"class_weight": "balanced"}]
)
def test_other_parameters(data, change):
    X, y = data
    model = SVC(gamma=0.2, warm_start=True).fit(X, y).set_params(**change).fit(X, y)
    assert_same_machine(model, SVC(gamma=0.2).set_params(**change).fit(X, y), X)


def test_other_weights_and_labels(data):
    X, y = data
    rng = np.random.default_rng(0)
    weight = rng.uniform(0, 2, len(y)) * (rng.random(len(y)) < 0.8)
    flipped = np.where(rng.random(len(y)) < 0.1, 1 - y, y)
    model = SVC(gamma=0.2, warm_start=True).fit(X, y).fit(X, flipped, weight)
    assert_same_machine(model, SVC(gamma=0.2).fit(X, flipped, weight), X)


def test_many_classes(load):
    X, y = load("digits")
    model = SVC(C=0.1, warm_start=True).fit(X, y).set_params(C=1.0).fit(X, y)
    fresh = SVC(C=1.0).fit(X, y)
    for warm, cold in zip(model.certificate_.problems, fresh.certificate_.problems, strict=True):
        assert warm.status is Status.CONVERGED
        assert warm.dual == pytest.approx(cold.dual, rel=1e-6)


def test_off_by_default(data):
    X, y = data
    model = SVC().fit(X, y)
    first = model.certificate_.iterations
    assert model.fit(X, y).certificate_.iterations == first


def test_other_rows_are_refused(data):
    X, y = data
    model = SVC(warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"warm_start=True needs the rows and classes of the last fit \(2300 rows"):
        model.fit(X[:-2], y[:-2])
    with pytest.raises(ValueError, match=r"warm_start.*classes"):
        model.fit(X, np.where(y == 0, 5, y))
    assert_allclose(model.decision_function(X), SVC().fit(X, y).decision_function(X))  # the old model is whole


def test_the_first_fit_has_nothing_to_start_from(data):
    X, y = data
    warm, cold = SVC(warm_start=True).fit(X, y), SVC().fit(X, y)
    assert (warm.dual_coef_ == cold.dual_coef_).all()
