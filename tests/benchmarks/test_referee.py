"""The referee is right: against direct formulas, closed forms, and certificates computed by other code."""

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.kernel.cases import Case, targets
from benchmarks.kernel.judge import judge_model, value_error
from benchmarks.kernel.multipliers import Multipliers, pairs
from benchmarks.referee import box_qp, judge, products, rbf_product
from sklearn.datasets import make_blobs, make_classification, make_friedman1
from sklearn.svm import SVC, SVR

import maxmargin.svm


def _case(**settings):
    return Case("test", prepare=None, required=targets(1, 1), **settings)


def _kernel(X, Z, gamma):
    return np.exp(-gamma * ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))


def _classifier_box(sign, C):
    return np.where(sign > 0, 0.0, -C), np.where(sign > 0, C, 0.0)


def _of(model):
    classes = model.classes_
    return Multipliers(model.support_, np.asarray(model.dual_coef_), classes[::-1] if len(classes) == 2 else classes)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("block", [1, 50, 2**22])
@pytest.mark.parametrize("dense_limit", [0, 2**26])
def test_product_is_the_product(monkeypatch, sparse, block, dense_limit):
    monkeypatch.setattr(products, "BLOCK", block)
    monkeypatch.setattr(products, "DENSE", dense_limit)
    rng = np.random.default_rng(0)
    X, Z, coef = rng.normal(size=(23, 4)), rng.normal(size=(9, 4)), rng.normal(size=(9, 3))
    X[X < 0], Z[Z < 0] = 0, 0
    given = (sp.csr_matrix(X), sp.csr_matrix(Z)) if sparse else (X, Z)
    np.testing.assert_allclose(rbf_product(*given, coef, 0.7), _kernel(X, Z, 0.7) @ coef, rtol=1e-12, atol=1e-13)


def test_product_without_vectors_is_zero():
    assert not rbf_product(np.ones((5, 2)), np.ones((0, 2)), np.ones((0, 3)), 1.0).any()


@pytest.mark.parametrize("seed", range(5))
def test_intercept_is_the_best_breakpoint(seed):
    rng = np.random.default_rng(seed)
    target = rng.normal(size=31).round(1)  # with ties
    sign = rng.choice([-1.0, 1.0], size=31)
    lower, upper = _classifier_box(sign, rng.uniform(0.1, 3.0, size=31))

    def loss(t):
        return np.maximum(upper * (target - t), lower * (target - t)).sum()

    best = box_qp.best_intercept(target, lower, upper)
    assert loss(best) <= min(loss(t) for t in target) + 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_gap_is_primal_minus_dual(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    sign = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, 1.0, -1.0)
    lower, upper = _classifier_box(sign, 2.0)
    b = rng.uniform(lower, upper)
    positive = sign > 0
    b[positive] *= -b[~positive].sum() / b[positive].sum()  # their sum is zero; shrink both to stay inside
    b *= 2.0 / max(2.0, np.abs(b).max())
    f = _kernel(X, X, 0.5) @ b
    verdict = judge(f, b, sign, lower, upper)
    hinge = np.maximum(0.0, 1.0 - sign * (f + verdict.intercept))
    assert verdict.primal == pytest.approx(0.5 * b @ f + 2.0 * hinge.sum())
    assert verdict.dual == pytest.approx(np.abs(b).sum() - 0.5 * b @ f)
    assert verdict.gap == pytest.approx(verdict.primal - verdict.dual)
    assert verdict.gap > 0
    assert verdict.sum_residual < 1e-14


def test_two_points_in_closed_form():
    """Two points at kernel value k: alpha = 1 / (1 - k), objective 1 / (1 - k)."""
    k = np.exp(-0.8)
    b = np.array([1.0, -1.0]) / (1 - k)
    f = np.array([[1.0, k], [k, 1.0]]) @ b
    sign = np.array([1.0, -1.0])
    verdict = judge(f, b, sign, *_classifier_box(sign, 10.0))
    assert verdict.primal == pytest.approx(1 / (1 - k))
    assert verdict.dual == pytest.approx(1 / (1 - k))
    assert verdict.gap == pytest.approx(0, abs=1e-14)
    assert verdict.violation == pytest.approx(0, abs=1e-14)


def test_violation_is_between_who_may_rise_and_who_may_fall():
    lower, upper = np.zeros(3), np.ones(3)
    r = np.array([5.0, 1.0, 2.0])
    assert box_qp.violation(r, np.array([1.0, 0.5, 0.0]), lower, upper) == 1.0  # the third rises, the second falls
    assert box_qp.violation(r, np.array([1.0, 1.0, 1.0]), lower, upper) == 0.0  # nobody can rise
    assert box_qp.violation(r, np.array([1.0, 0.0, 1.0]), lower, upper) == 0.0  # those that may fall are above
    assert box_qp.violation(-r, np.array([1.0, 0.0, 0.0]), lower, upper) == 4.0


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-5])
def test_violation_is_what_tol_bounds(tol):
    X, y = make_classification(n_samples=200, n_features=5, random_state=3)
    judged = judge_model(_case(gamma=0.3), X, y, 0.3, _of(SVC(gamma=0.3, tol=tol).fit(X, y)))
    assert tol / 10 < judged.violation < 1.01 * tol


def test_a_sum_that_is_not_zero_costs():
    sign = np.array([1.0, -1.0])
    verdict = judge(np.array([1.0, 0.3]), np.array([1.0, 0.0]), sign, *_classifier_box(sign, 1.0))
    assert verdict.sum_residual == 1.0


@pytest.mark.parametrize("classes", [2, 4])
def test_agrees_with_certificates(classes):
    X, y = make_blobs(n_samples=160, centers=classes, cluster_std=4.0, n_features=3, random_state=0)
    model = maxmargin.svm.SVC(C=2.0, gamma=0.05).fit(X, y)
    verdict = judge_model(_case(C=2.0, gamma=0.05), X, y, 0.05, _of(model))
    proof = model.certificate_
    assert verdict.problems == classes * (classes - 1) // 2
    assert verdict.primal == pytest.approx(sum(c.primal for c in proof.problems), rel=1e-9)
    assert verdict.dual == pytest.approx(sum(c.dual for c in proof.problems), rel=1e-9)
    assert verdict.relative_gap < 1e-3
    assert verdict.violation == pytest.approx(max(c.kkt_violation for c in proof.problems), abs=1e-9)
    assert verdict.vectors == len(model.support_)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_finds_small_gaps_of_good_models_and_large_ones_of_bad(classes, sparse):
    X, y = make_classification(
        n_samples=150, n_features=6, n_informative=4, n_redundant=0, n_classes=classes, random_state=1
    )
    model = SVC(C=3.0, gamma=0.2, tol=1e-5).fit(X, y)
    good = _of(model)
    rows = sp.csr_matrix(X) if sparse else X
    case = _case(C=3.0, gamma=0.2)
    assert judge_model(case, rows, y, 0.2, good).relative_gap < 1e-5
    halved = Multipliers(good.support, good.coef / 2, good.order)
    assert judge_model(case, rows, y, 0.2, halved).relative_gap > 1e-2
    turned = Multipliers(good.support, good.coef, good.order[::-1])  # the signs of the other class: all clipped to 0
    if classes == 2:
        lost = judge_model(case, rows, y, 0.2, turned)
        assert lost.vectors == 0
        assert not lost.solved


def test_gap_falls_with_the_tolerance():
    X, y = make_classification(n_samples=200, n_features=5, random_state=3)
    gaps = [
        judge_model(_case(gamma=0.3), X, y, 0.3, _of(SVC(gamma=0.3, tol=tol).fit(X, y))).relative_gap
        for tol in (1e-1, 1e-3, 1e-5)
    ]
    assert gaps[0] > gaps[1] > gaps[2]


def test_clips_to_the_box_and_says_so():
    X, y = make_classification(n_samples=100, n_features=5, random_state=0)
    fitted = _of(SVC(gamma=0.2, tol=1e-5).fit(X, y))
    outside = Multipliers(fitted.support, fitted.coef * (1 + 1e-4), fitted.order)
    verdict = judge_model(_case(gamma=0.2), X, y, 0.2, outside)
    assert verdict.clipped == pytest.approx(1e-4)
    assert verdict.relative_gap < 1e-3


def test_regressor_by_the_formula_of_the_primal():
    X, y = make_friedman1(n_samples=120, random_state=0)
    y = (y - y.mean()) / y.std()
    model = SVR(C=1.5, gamma=0.3, epsilon=0.2, tol=1e-6).fit(X, y)
    case = _case(C=1.5, gamma=0.3, epsilon=0.2, regression=True)
    verdict = judge_model(case, X, y, 0.3, Multipliers(model.support_, model.dual_coef_))
    f = model.predict(X)
    w = model.dual_coef_ @ _kernel(model.support_vectors_, model.support_vectors_, 0.3) @ model.dual_coef_.T
    primal = 0.5 * w.item() + 1.5 * np.maximum(0.0, np.abs(y - f) - 0.2).sum()
    assert verdict.primal == pytest.approx(primal, rel=1e-4)
    assert verdict.relative_gap < 1e-5
    assert value_error(f, verdict) < 1e-10


def test_pairs_follow_the_order_of_the_model():
    y = np.array([2, 2, 0, 1, 0])
    multipliers = Multipliers(np.array([0, 2, 3]), np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]), np.array([2, 0, 1]))
    first, second, third = pairs(multipliers, y)  # 2 against 0, 2 against 1, 0 against 1
    assert first.rows.tolist() == [0, 1, 2, 4]
    assert first.sign.tolist() == [1, 1, -1, -1]
    assert first.on_support.tolist() == [0.1, -0.2, 0.0]
    assert second.on_support.tolist() == [0.4, 0.0, 0.3]
    assert third.on_support.tolist() == [0.0, 0.5, -0.6]


def test_decision_values_are_compared_up_to_the_intercept():
    X, y = make_blobs(n_samples=60, centers=2, cluster_std=4.0, random_state=0)
    model = SVC(gamma=0.1).fit(X, y)
    verdict = judge_model(_case(gamma=0.1), X, y, 0.1, _of(model))
    values = model.decision_function(X)
    assert value_error(values + 5.0, verdict) < 1e-12
    values[7] += 1e-3
    assert value_error(values, verdict) == pytest.approx(1e-3)


def test_decision_values_of_several_classes_are_not_compared():
    X, y = make_blobs(n_samples=60, centers=3, random_state=0)
    model = SVC(gamma=0.1).fit(X, y)
    verdict = judge_model(_case(gamma=0.1), X, y, 0.1, _of(model))
    assert value_error(model.decision_function(X), verdict) is None
