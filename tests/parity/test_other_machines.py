"""Regressors, nu-machines and the one-class machine against scikit-learn's, both run to a small tolerance."""

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

import maxmargin.svm
from maxmargin.certificates import Status

REGRESSORS = [
    ("SVR", {"C": 10.0, "epsilon": 0.2}),
    ("SVR", {"C": 1.0, "epsilon": 0.0, "kernel": "linear"}),
    ("SVR", {"C": 1.0, "epsilon": 0.5, "kernel": "poly", "degree": 2, "coef0": 1.0}),
    ("NuSVR", {"C": 10.0, "nu": 0.3}),
    ("NuSVR", {"C": 1.0, "nu": 0.8, "kernel": "linear"}),
]


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X), (y - y.mean()) / y.std()


def fit_both(name, data, weight=None, tol=1e-8, **options):
    models = [getattr(module, name)(tol=tol, **options) for module in (maxmargin.svm, sklearn.svm)]
    for model in models:
        model.fit(*data, sample_weight=weight)
    return models


def assert_proven(model, *data):
    assert model.certificate_.status is Status.CONVERGED
    found = model.certificate_.verify(*data)
    assert found.status is Status.CONVERGED
    for claim, proof in zip(model.certificate_.problems, found.problems, strict=True):
        assert max(claim.dual, proof.dual) <= min(claim.primal, proof.primal)
        assert proof.dual == pytest.approx(claim.dual, rel=1e-6)


@pytest.mark.parametrize(("name", "options"), REGRESSORS, ids=str)
def test_regressors(diabetes, name, options):
    X, y = diabetes
    ours, theirs = fit_both(name, (X, y), **options)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert ours.dual_coef_.shape == (1, len(ours.support_))
    assert ours.dual_coef_.sum() == pytest.approx(0, abs=1e-6)
    assert_proven(ours, X, y)
    if options.get("kernel") == "linear":
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    else:
        assert_array_equal(ours.support_, theirs.support_)
        assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)


def test_weighted_regressor(diabetes):
    X, y = diabetes
    weight = np.random.default_rng(0).uniform(0, 2, len(y))
    weight[::7] = 0
    ours, theirs = fit_both("SVR", (X, y), weight, gamma=0.05)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    assert ours.certificate_.verify(X, y, weight).status is Status.CONVERGED


@pytest.mark.parametrize("nu", [0.1, 0.3])
@pytest.mark.parametrize("name", ["breast_cancer", "wine"])
def test_nu_classifier(load, name, nu):
    X, y = load(name)
    ours, theirs = fit_both("NuSVC", (X, y), nu=nu)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    assert_proven(ours, X, y)


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_one_class(load, nu):
    X, _ = load("wine")
    ours, theirs = fit_both("OneClassSVM", (X,), nu=nu)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert_allclose(ours.offset_, theirs.offset_, rtol=1e-5)
    inside = np.abs(theirs.decision_function(X)) > 1e-4
    assert_array_equal(ours.predict(X)[inside], theirs.predict(X)[inside])
    assert_proven(ours, X, None)


@pytest.mark.parametrize(
    ("name", "tamper"),
    [
        ("SVR", "dual_coef_"),
        ("SVR", "intercept_"),
        ("NuSVR", "dual_coef_"),
        ("NuSVR", "intercept_"),
        ("NuSVC", "dual_coef_"),
        ("NuSVC", "intercept_"),
        ("OneClassSVM", "dual_coef_"),
        ("OneClassSVM", "intercept_"),
    ],
)
def test_verify_refutes_tampered_machines(load, diabetes, name, tamper):
    X, y = load("breast_cancer") if name == "NuSVC" else diabetes
    model = getattr(maxmargin.svm, name)(**({"nu": 0.3} if name != "SVR" else {}), tol=1e-6).fit(X, y)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    value = getattr(model, tamper).copy()
    if tamper == "dual_coef_":  # two coefficients change, their sum does not
        first, second = np.argsort(np.abs(np.abs(value[0]) - np.median(np.abs(value[0]))))[:2]
        value[0, first] += 0.3 * np.abs(value[0]).max()
        value[0, second] -= 0.3 * np.abs(value[0]).max()
    else:
        value += 0.2 * max(1.0, float(np.abs(value).max()))
    setattr(model, tamper, value)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_more_samples_than_a_working_set(clouds, name):
    """Every machine on the solver for many samples, with its certificate confirmed."""
    X, y = clouds(2300, 4)
    target = np.sin(X[:, 0]) + 0.1 * y if name.endswith("SVR") else y
    options = {} if name in ("SVC", "SVR") else {"nu": 0.2}
    model = getattr(maxmargin.svm, name)(**options).fit(X, target)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.verify(X, target).status is Status.CONVERGED
    assert model.certificate_.kkt_violation <= model.tol


def test_one_against_the_rest(load):
    """Each problem is the two-class machine of one class against all others."""
    X, y = load("wine")
    model = maxmargin.svm.SVC(multi_class="ovr").fit(X, y)
    values = model.decision_function(X)
    assert values.shape == (len(y), 3)
    for k in range(3):
        binary = maxmargin.svm.SVC().fit(X, y == k)
        assert_allclose(values[:, k], binary.decision_function(X), atol=1e-6)
    assert_array_equal(model.predict(X), np.argmax(values, axis=1))
    assert [p.label for p in model.certificate_.problems] == [f"{k} against the rest" for k in range(3)]
    assert_proven(model, X, y)
    cases = model.kkt_cases(X, y)
    assert len(cases) == 3 * len(y)
