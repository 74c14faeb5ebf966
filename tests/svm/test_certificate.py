"""The certificate of a fitted model: recomputed, confirmed, and refuted where the model was tampered with."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import CASES, Status
from maxmargin.svm import SVC


@pytest.fixture(scope="module")
def cancer(load):
    return load("breast_cancer")


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_verify_confirms(cancer, kernel, C):
    X, y = cancer
    model = SVC(kernel=kernel, C=C).fit(X, y)
    claimed, found = model.certificate_, model.certificate_.verify(X, y)
    assert claimed.status is found.status is Status.CONVERGED
    assert found.primal == pytest.approx(claimed.primal, rel=1e-8)
    assert found.dual == pytest.approx(claimed.dual, rel=1e-8)
    assert found.kkt_violation == pytest.approx(claimed.kkt_violation, abs=1e-8)
    assert found.relative_gap == pytest.approx(claimed.relative_gap, abs=1e-8)
    assert (found.iterations, found.seconds) == (claimed.iterations, claimed.seconds)
    assert [p.label for p in found.problems] == [p.label for p in claimed.problems]


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_verify_confirms_each_problem_of_many_classes(load, assert_truthful, storage):
    X, y = load("wine")
    X = storage(X)
    model = SVC().fit(X, y)
    assert len(model.certificate_.problems) == 3
    assert [p.label for p in model.certificate_.problems] == ["0 against 1", "0 against 2", "1 against 2"]
    assert_truthful(model, X, y)


def test_verify_confirms_hard_margins(load, assert_truthful):
    X, y = load("iris")
    X, y = X[y != 2], y[y != 2]
    model = SVC(C=np.inf, kernel="linear").fit(X, y)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    assert_truthful(model, X, y)


def test_verify_confirms_precomputed_and_callable(cancer, assert_truthful):
    X, y = cancer
    K = X @ X.T
    assert_truthful(SVC(kernel="precomputed", C=0.1).fit(K, y), K, y)
    assert_truthful(SVC(kernel=lambda A, B: A @ B.T, C=0.1).fit(X, y), X, y)


def test_verify_knows_weights(cancer):
    X, y = cancer
    weight = np.random.default_rng(0).uniform(0, 3, len(y)) * (np.arange(len(y)) % 5 > 0)
    model = SVC(class_weight={0: 2.0, 1: 0.5}).fit(X, y, weight)
    found = model.certificate_.verify(X, y, weight)
    assert found.status is Status.CONVERGED
    assert found.dual == pytest.approx(model.certificate_.dual, rel=1e-8)
    assert model.certificate_.verify(X, y).status is Status.REFUTED  # another problem


def test_the_copy_of_a_model_proves_for_itself(cancer):
    X, y = cancer
    model = SVC().fit(X, y)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        other.dual_coef_ = other.dual_coef_ * 0.5
        assert other.certificate_.verify(X, y).status is Status.REFUTED
        assert model.certificate_.verify(X, y).status is Status.CONVERGED


def scaled(model, factor):
    model.dual_coef_ = model.dual_coef_ * factor


def one_changed(model):
    coef = model.dual_coef_.copy()
    free = np.argmin(np.abs(np.abs(coef[0]) - model.C / 2))
    coef[0, free] *= 0.5
    model.dual_coef_ = coef


def flipped(model):
    model.dual_coef_ = -model.dual_coef_


def swapped(model):
    coef = model.dual_coef_.copy()
    coef[0, [0, 1]] = coef[0, [0, 1]] * [0.9, 1.1]
    model.dual_coef_ = coef


def moved(model, by):
    model.intercept_ = model.intercept_ + by


TAMPER = {
    "multipliers halved": lambda m: scaled(m, 0.5),
    "multipliers doubled": lambda m: scaled(m, 2.0),
    "multipliers 1 % larger": lambda m: scaled(m, 1.01),
    "one multiplier halved": one_changed,
    "two multipliers changed": swapped,
    "signs flipped": flipped,
    "intercept moved by 5": lambda m: moved(m, 5.0),
    "intercept moved by 0.1": lambda m: moved(m, 0.1),
    "intercept moved by -0.1": lambda m: moved(m, -0.1),
}


@pytest.mark.parametrize("tamper", TAMPER)
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_verify_refutes_a_model_that_was_tampered_with(cancer, tamper, C):
    """With C = 1e-3 nearly all multipliers are at their bound: more than the bound is refuted as well."""
    X, y = cancer
    model = SVC(C=C).fit(X, y)
    TAMPER[tamper](model)
    found = model.certificate_.verify(X, y)
    assert found.status is Status.REFUTED
    assert found.primal >= model.certificate_.dual  # whatever it is, it is no better than the optimum
    assert "refuted" in str(found)


@pytest.mark.parametrize("tamper", ["multipliers halved", "multipliers doubled", "intercept moved by 0.1"])
def test_verify_refutes_a_hard_margin_that_was_tampered_with(load, tamper):
    X, y = load("iris")
    X, y = X[y != 2], y[y != 2]
    model = SVC(C=np.inf, kernel="linear").fit(X, y)
    TAMPER[tamper](model)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_verify_refutes_another_bound_than_was_trained(cancer):
    X, y = cancer
    model = SVC(C=0.1).fit(X, y)
    model.C = 10.0
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_verify_refutes_other_data(cancer):
    X, y = cancer
    model = SVC().fit(X, y)
    assert model.certificate_.verify(X[::-1], y).status is Status.REFUTED
    assert model.certificate_.verify(X, 1 - y).status is Status.REFUTED


def test_verify_needs_the_training_rows(cancer):
    X, y = cancer
    model = SVC().fit(X, y)
    with pytest.raises(ValueError, match="569 rows, got X with 500"):
        model.certificate_.verify(X[:500], y[:500])
    with pytest.raises(ValueError, match=r"labels that the model was not trained on.*7"):
        model.certificate_.verify(X, np.where(y == 1, 1, 7))


def test_a_status_short_of_convergence_stands(cancer):
    X, y = cancer
    with pytest.warns(ConvergenceWarning, match=r"budget exhausted.*max_iter"):
        model = SVC(C=100, kernel="linear", max_iter=10).fit(X, y)
    assert model.certificate_.status is Status.BUDGET_EXHAUSTED
    assert model.certificate_.verify(X, y).status is Status.BUDGET_EXHAUSTED
    assert model.fit_status_ == 1
    assert model.certificate_.kkt_violation > model.tol


def test_gap_tolerance(cancer):
    X, y = cancer
    X, y = np.vstack([X + k * 1e-3 for k in range(4)]), np.tile(y, 4)  # too many for an exact answer
    model = SVC(gap_tol=1e-8).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.relative_gap <= 1e-8 < SVC(tol=0.1).fit(X, y).certificate_.relative_gap


def test_small_problems_are_exact(real_data):
    """At most a thousand samples: ten digits without being asked for."""
    _, X, y = real_data
    X, y = X[::10] if len(X) > 2000 else X, y[::10] if len(X) > 2000 else y
    for kernel in ("poly", "rbf"):
        model = SVC(kernel=kernel).fit(X, y)
        assert model.certificate_.kkt_violation <= 1e-9
        assert model.certificate_.relative_gap <= 1e-9


def test_dual_value_is_that_of_the_multipliers(cancer):
    """And they are feasible: in their box, with sum zero."""
    X, y = cancer
    for kernel, K in (("linear", X @ X.T), ("rbf", None)):
        model = SVC(kernel=kernel, gamma=0.02).fit(X, y)
        if K is None:
            K = np.exp(-0.02 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
        beta = np.zeros(len(y))
        beta[model.support_] = model.dual_coef_[0]
        assert np.abs(beta).max() <= 1.0
        assert (beta * np.where(y == 1, 1, -1) >= 0).all()
        assert beta.sum() == pytest.approx(0, abs=1e-9)
        dual = np.abs(beta).sum() - beta @ K @ beta / 2
        f = K @ beta + model.intercept_[0]
        primal = beta @ K @ beta / 2 + np.maximum(0, 1 - np.where(y == 1, 1, -1) * f).sum()
        assert model.certificate_.dual == pytest.approx(dual, rel=1e-9)
        assert model.certificate_.primal == pytest.approx(primal, rel=1e-9)


class TestCases:
    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    @pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
    def test_cases_follow_from_complementary_slackness(self, cancer, kernel, C):
        X, y = cancer
        model = SVC(kernel=kernel, C=C).fit(X, y)
        cases = model.kkt_cases(X, y)
        sign = np.where(y == 1, 1, -1)
        assert len(cases) == len(y)
        assert_array_equal(cases.sample, np.arange(len(y)))
        assert_allclose(cases.margin, sign * model.decision_function(X), atol=1e-8)
        assert_array_equal(np.flatnonzero(cases.multiplier), np.sort(model.support_))
        outside, on_boundary, right, wrong = (cases.names() == name for name in CASES)
        tol = model.tol
        assert (cases.margin[outside] >= 1 - tol).all()
        assert_allclose(cases.margin[on_boundary], 1, atol=tol)
        assert (cases.margin[right | wrong] <= 1 + tol).all()
        assert (cases.margin[wrong] < 0).all()
        assert cases.violation.max() <= model.certificate_.kkt_violation + 1e-8

    def test_many_classes(self, load):
        X, y = load("wine")
        model = SVC().fit(X, y)
        cases = model.kkt_cases(X, y)
        assert len(cases) == 2 * len(y)  # every sample is in two of three pairs
        assert_array_equal(np.unique(cases.problem), [0, 1, 2])
        assert_array_equal(np.sort(np.unique(cases.sample)), np.arange(len(y)))

    def test_hard_margin_has_nobody_inside(self, load):
        X, y = load("iris")
        X, y = X[y != 2], y[y != 2]
        counts = SVC(C=np.inf, kernel="linear").fit(X, y).kkt_cases(X, y).counts()
        assert counts["inside, correctly classified"] == counts["inside, misclassified"] == 0
        assert counts["on the margin boundary"] >= 2


def test_a_refutation_without_figures_prints_none():
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(int)
    text = str(SVC().fit(X, y).certificate_.verify(X + 1, y))
    assert "refuted" in text and "nan" not in text
    assert "nothing could be recomputed" in text
