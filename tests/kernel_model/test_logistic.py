"""Kernel logistic regression: against the linear one, brute force, exact intervals, and changed models."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from maxmargin.certificates import Status, evaluate_kernel_logistic
from maxmargin.data import Rows
from maxmargin.kernel_model import KernelLogisticRegression
from maxmargin.kernels import KNOWN, RBF, Linear, Polynomial
from maxmargin.linear_model import LogisticRegression
from maxmargin.problems import KernelLogisticProblem


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.2, random_state=0)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def objective(K, z, c, a, b):
    return 0.5 * a @ K @ a + c @ np.logaddexp(0, -z * (K @ a + b))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_linear_kernel_is_logistic_regression(C, fit_intercept, cancer):
    X, y = cancer
    ours = KernelLogisticRegression(C=C, kernel="linear", tol=1e-11, fit_intercept=fit_intercept).fit(X, y)
    linear = LogisticRegression(C=C, tol=1e-10, fit_intercept=fit_intercept).fit(X, y)
    np.testing.assert_allclose(ours.dual_coef_ @ X, linear.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), linear.predict_proba(X), atol=1e-5)
    assert ours.certificate_.dual <= linear.certificate_.primal
    assert linear.certificate_.dual <= ours.certificate_.primal
    theirs = TheirLogisticRegression(C=C, tol=1e-10, max_iter=10000, fit_intercept=fit_intercept).fit(X, y)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-3, atol=1e-4)


def test_several_classes_are_one_problem_a_class():
    X, y = load_iris(return_X_y=True)
    ours = KernelLogisticRegression(kernel="linear", tol=1e-11).fit(X, y)
    theirs = OneVsRestClassifier(TheirLogisticRegression(tol=1e-10, max_iter=10000)).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert ours.dual_coef_.shape == (3, 150) and len(ours.certificate_.problems) == 3
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_array_equal(ours.predict(X), np.argmax(ours.decision_function(X), axis=1))


def test_polynomial_kernel_is_logistic_regression_on_its_feature_map(moons):
    X, y = moons
    kernel = Polynomial(0.5, 1.0, 3)
    ours = KernelLogisticRegression(C=5.0, kernel=kernel, tol=1e-11).fit(X, y)
    explicit = LogisticRegression(C=5.0, tol=1e-10).fit(kernel.feature_map(X), y)
    np.testing.assert_allclose(ours.decision_function(X), explicit.decision_function(kernel.feature_map(X)), atol=1e-3)


@pytest.mark.parametrize("kernel", ["rbf", RBF(2.0) + Linear(), Polynomial(coef0=1.0, degree=2)], ids=str)
def test_no_function_is_better_than_the_lower_bound(kernel, moons):
    """A general-purpose minimiser finds the same objective."""
    X, y = moons[0][:50], moons[1][:50]
    model = KernelLogisticRegression(C=3.0, kernel=kernel, tol=1e-10).fit(X, y)
    K, z, c = model._fitted_kernel()(X), np.where(y == 1, 1.0, -1.0), np.full(50, 3.0)
    values, vectors = np.linalg.eigh(K)
    L = vectors * np.sqrt(np.maximum(values, 0.0))  # w in an orthonormal basis

    def risk(theta):
        z_f = z * (L @ theta[:-1] + theta[-1])
        p = -z * c / (1 + np.exp(z_f))
        gradient = np.append(theta[:-1] + L.T @ p, p.sum())
        return 0.5 * theta[:-1] @ theta[:-1] + c @ np.logaddexp(0, -z_f), gradient

    found = minimize(risk, np.zeros(51), jac=True, method="BFGS", options={"gtol": 1e-8, "maxiter": 5000})
    assert model.certificate_.dual <= found.fun * (1 + 1e-12)
    assert found.fun == pytest.approx(model.certificate_.primal, rel=1e-7)
    a, b = model.dual_coef_[0], float(model.intercept_[0])
    assert objective(K, z, c, a, b) == pytest.approx(model.certificate_.primal, rel=1e-12)


def test_weak_duality_for_any_variables(moons):
    X, y = moons
    z, rng = np.where(y == 1, 1.0, -1.0), np.random.default_rng(0)
    best = KernelLogisticRegression(C=2.0, kernel=RBF(1.0), tol=1e-12).fit(X, y).certificate_.primal
    problem = KernelLogisticProblem(RBF(1.0).gram(Rows(X)), z, np.full(len(z), 2.0))
    for _ in range(20):
        alpha = rng.uniform(0.1, 1.9, size=len(z))
        for sign in (1, -1):
            alpha[z == sign] *= 30 / alpha[z == sign].sum()
        alpha = np.minimum(alpha, 2.0)
        j = int(np.argmax((z > 0) & (alpha < 1)))
        alpha[j] -= float((z * alpha).sum())
        found = evaluate_kernel_logistic(problem, z * alpha, float(rng.normal()), KNOWN)
        assert found.dual <= best <= found.primal
    outside = evaluate_kernel_logistic(problem, z * 3.0, 0.0, KNOWN)
    assert outside.dual == 0  # which is below any optimum
    unbalanced = evaluate_kernel_logistic(problem, np.where(z > 0, 0.5, 0.0), 0.0, KNOWN)
    assert unbalanced.dual == 0


def test_variables_are_probabilities_of_the_other_label(moons):
    X, y = moons
    model = KernelLogisticRegression(C=4.0, tol=1e-10).fit(X, y)
    other = model.predict_proba(X)[np.arange(len(y)), 1 - y]
    np.testing.assert_allclose(np.abs(model.dual_coef_[0]), 4.0 * other, atol=1e-4)
    assert abs(model.dual_coef_.sum()) <= 1e-9 * np.abs(model.dual_coef_).sum()


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3, 1e6])
def test_extreme_penalties_converge(C, moons):
    X, y = moons
    model = KernelLogisticRegression(C=C).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.relative_gap <= 1e-6
    assert model.certificate_.verify(X, y).status is Status.CONVERGED


def test_weights(moons):
    X, y = moons
    options = {"kernel": RBF(1.0), "tol": 1e-10}
    weighted = KernelLogisticRegression(**options).fit(X, y, np.where(np.arange(120) < 30, 2.0, 1.0))
    twice = KernelLogisticRegression(**options).fit(np.vstack([X, X[:30]]), np.append(y, y[:30]))
    np.testing.assert_allclose(weighted.decision_function(X), twice.decision_function(X), atol=1e-4)
    zero = KernelLogisticRegression(**options).fit(X, y, np.where(np.arange(120) < 30, 0.0, 1.0))
    rest = KernelLogisticRegression(**options).fit(X[30:], y[30:])
    np.testing.assert_allclose(zero.decision_function(X), rest.decision_function(X), atol=1e-4)
    assert not zero.dual_coef_[:, :30].any()
    classes = KernelLogisticRegression(class_weight={0: 3.0, 1: 1.0}, **options).fit(X, y)
    by_sample = KernelLogisticRegression(**options).fit(X, y, np.where(y == 0, 3.0, 1.0))
    np.testing.assert_allclose(classes.decision_function(X), by_sample.decision_function(X), atol=1e-6)
    assert classes.certificate_.verify(X, y).status is Status.CONVERGED


def test_other_storage_and_kernels(moons):
    X, y = moons
    model = KernelLogisticRegression(gamma=1.0, tol=1e-10).fit(X, y)
    expected = model.decision_function(X)
    sparse = KernelLogisticRegression(gamma=1.0, tol=1e-10).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.decision_function(X), expected, atol=1e-4)
    assert sparse.certificate_.verify(sp.csr_array(X), y).status is Status.CONVERGED
    matrix = KernelLogisticRegression(kernel="precomputed", tol=1e-10).fit(RBF(1.0)(X), y)
    np.testing.assert_allclose(matrix.decision_function(RBF(1.0)(X)), expected, atol=1e-4)
    own = KernelLogisticRegression(kernel=lambda A, B: RBF(1.0)(A, B), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(own.decision_function(X), expected, atol=1e-4)
    assert own.certificate_.verify(X, y).status is Status.CONVERGED
    assert model.gamma_ == 1.0 and not hasattr(matrix, "gamma_")


def test_ends_early_and_says_so(moons):
    X, y = moons
    with pytest.warns(ConvergenceWarning, match="budget exhausted"):
        model = KernelLogisticRegression(C=1e4, max_iter=1, tol=1e-12).fit(X, y)
    assert model.certificate_.status is Status.BUDGET_EXHAUSTED and model.fit_status_ == 1
    better = KernelLogisticRegression(C=1e4).fit(X, y)
    assert model.certificate_.dual <= better.certificate_.primal


def test_refusals(moons):
    X, y = moons
    with pytest.raises(ValueError, match="positive semi-definite"):
        KernelLogisticRegression(kernel="sigmoid", gamma=2.0, coef0=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="range"):
        KernelLogisticRegression(C=np.inf).fit(X, y)
    with pytest.raises(ValueError, match="greater than one"):
        KernelLogisticRegression().fit(X, np.zeros(120))


def test_changes_are_refuted(moons):
    X, y = moons
    for change in ("dual_coef_", "X_fit_", "intercept_", "C", "_gamma", "classes_", "claim", "labels"):
        model, labels = KernelLogisticRegression().fit(X, y), y
        assert model.certificate_.verify(X, y).status is Status.CONVERGED
        if change in ("dual_coef_", "X_fit_", "intercept_"):
            values = getattr(model, change).copy()
            values.flat[0] += 0.05
            setattr(model, change, values)
        elif change == "C":
            model.C = 1.1
        elif change == "_gamma":
            model._gamma *= 1.1
        elif change == "classes_":
            model.classes_ = np.array([1, 0])
        elif change == "labels":
            labels = 1 - y
        else:
            claim = model.certificate_.problems[0]
            model.certificate_ = replace(model.certificate_, problems=(replace(claim, primal=claim.dual * 0.99),))
        assert model.certificate_.verify(X, labels).status is Status.REFUTED, change
    with pytest.raises(ValueError, match="training data"):
        model.certificate_.verify(X[:5], y[:5])


def test_report(moons):
    X, y = moons
    assert "kernel logistic regression" in str(KernelLogisticRegression().fit(X, y).report(X, y).data).lower()


@pytest.mark.parametrize("C", [1.0, 1e4])
def test_kernel_values_beyond_float64_stall_with_a_warning(C):
    rng = np.random.default_rng(0)
    X, y = 1e3 * rng.normal(size=(14, 2)), np.arange(14) % 2  # values of 1e18, and errors of them above 1
    model = KernelLogisticRegression(C=C, kernel="poly", gamma=0.5, coef0=1.0)
    with pytest.warns(ConvergenceWarning, match="Scale the features"):
        model.fit(X, y)
    assert model.certificate_.status is Status.STALLED
    assert model.certificate_.verify(X, y).status is Status.STALLED


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("C", [1.0, 1e6])
@pytest.mark.parametrize("exponent", [20, 40, 62, 300, 500])
def test_what_rounding_keeps_from_converging_is_no_worse_than_no_model(exponent, C):
    """Coefficients that cancel to one part in 2^exponent are beyond float64: the fit says so, and is of use."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
    X *= 2.0**exponent
    model = KernelLogisticRegression(kernel="linear", C=C).fit(X, y)
    proof = model.certificate_
    assert proof.verify(X, y).status is proof.status
    assert 0 <= proof.dual <= proof.primal
    assert (proof.status is Status.CONVERGED) == (proof.relative_gap <= 1e-6)
    if np.isfinite(proof.primal):
        assert proof.primal < C * 60 * np.log(2)
        assert exponent == 500 or model.score(X, y) > 0.7  # there, products overflow on the way
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_tolerance_below_rounding_is_said_to_be_one(moons):
    with pytest.warns(ConvergenceWarning, match="Rounding errors allow no better. Raise tol"):
        KernelLogisticRegression(tol=1e-300).fit(*moons)
