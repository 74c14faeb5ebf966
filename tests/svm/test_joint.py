"""The machine of Crammer and Singer with kernels: the linear one's answer, a QP's answer, and its proof."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from maxmargin.certificates import Status
from maxmargin.kernels import RBF, Linear
from maxmargin.persistence import load, save
from maxmargin.svm import SVC, LinearSVC

X, Y = load_iris(return_X_y=True)
JOINT = {"multi_class": "crammer_singer"}


def test_a_linear_kernel_is_the_linear_machine():
    x, y = load_wine(return_X_y=True)
    x = scale(x)
    linear = LinearSVC(C=0.3, tol=1e-7, **JOINT).fit(x, y)
    kernel = SVC(C=0.3, kernel="linear", gap_tol=1e-6, **JOINT).fit(x, y)
    assert kernel.certificate_.primal == pytest.approx(linear.certificate_.primal, rel=2e-6)
    np.testing.assert_allclose(kernel.coef_, linear.coef_, atol=2e-3)
    # a constant in all decision values changes nothing
    f, g = kernel.decision_function(x), linear.decision_function(x)
    np.testing.assert_allclose(f - f.mean(axis=1)[:, None], g - g.mean(axis=1)[:, None], atol=5e-3)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e8])
@pytest.mark.parametrize("n", [3, 6, 10, 100])
@pytest.mark.parametrize("make", [SVC, LinearSVC])
def test_rows_that_say_nothing_are_solved_and_proven(make, n, C):
    """All multipliers are at their bounds, and the intercepts alone decide."""
    x, y = np.zeros((n, 2)), np.arange(n) % 3
    model = make(C=C, tol=1e-4, **JOINT).fit(x, y)
    proof = model.certificate_
    assert proof.status is Status.CONVERGED
    assert proof.relative_gap <= 1e-2
    assert proof.verify(x, y).status is Status.CONVERGED


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_figures_that_overflow_are_not_refuted():
    x, y = np.ones((3, 3)), np.arange(3)
    model = SVC(C=1e200, kernel="linear", max_iter=100, **JOINT).fit(x, y)
    assert model.certificate_.status is not Status.CONVERGED
    assert model.certificate_.verify(x, y).status is model.certificate_.status


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("weight", [1e160, 1e300])
def test_weights_whose_squares_overflow_claim_no_more_than_is_known(weight):
    weights = np.r_[weight, np.ones(len(Y) - 1)]
    model = SVC(kernel="linear", max_iter=1000, **JOINT).fit(X, Y, sample_weight=weights)
    again = model.certificate_.verify(X, Y, sample_weight=weights)
    assert again.status is model.certificate_.status is not Status.REFUTED
    assert 0 <= model.certificate_.dual <= model.certificate_.primal


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_nine_points_by_a_quadratic_programme(seed):
    """The dual in 27 variables by SciPy's sequential least squares."""
    rng = np.random.default_rng(seed)
    x, y, C = rng.normal(size=(9, 2)), np.repeat([0, 1, 2], 3), 1.3
    K = np.exp(-0.8 * ((x[:, None] - x) ** 2).sum(axis=2))
    own = np.arange(9), y
    bound = np.zeros((9, 3))
    bound[own] = C

    def dual(a):
        a = a.reshape(9, 3)
        return 0.5 * np.einsum("ik,ij,jk->", a, K, a) - a[own].sum()

    constraints = [
        {"type": "eq", "fun": lambda a: a.reshape(9, 3).sum(axis=1)},
        {"type": "eq", "fun": lambda a: a.reshape(9, 3).sum(axis=0)[:2]},
    ]
    limits = [(-C, b) for b in bound.ravel()]
    best = -minimize(
        dual, np.zeros(27), bounds=limits, constraints=constraints, options={"ftol": 1e-12, "maxiter": 500}
    ).fun
    model = SVC(C=C, gamma=0.8, gap_tol=1e-6, **JOINT).fit(x, y)
    assert model.certificate_.dual == pytest.approx(best, rel=1e-5)
    assert model.certificate_.dual <= best * (1 + 1e-6) and model.certificate_.primal >= best * (1 - 1e-6)


def test_the_objectives_by_their_formulas():
    model = SVC(C=2.0, gamma=0.5, gap_tol=1e-6, class_weight={0: 2.0}, **JOINT).fit(X, Y)
    assert str(model.certificate_.status) == "converged" and len(model.certificate_.problems) == 1
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    alpha = np.zeros((150, 3))
    alpha[model.support_] = model.dual_coef_.T
    f = K @ alpha + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), f, atol=1e-8)
    c = 2.0 * np.where(Y == 0, 2.0, 1.0)
    own = np.arange(150), Y
    g = f + 1.0
    g[own] -= 1.0
    square = np.einsum("ik,ij,jk->", alpha, K, alpha)
    assert model.certificate_.primal == pytest.approx(0.5 * square + c @ (g.max(axis=1) - f[own]), rel=1e-9)
    assert model.certificate_.dual == pytest.approx(alpha[own].sum() - 0.5 * square, rel=1e-9)
    np.testing.assert_allclose(alpha.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(alpha.sum(axis=0), 0, atol=1e-9)
    assert (alpha[own] <= c + 1e-12).all() and (np.delete(alpha.ravel(), np.arange(150) * 3 + Y) <= 0).all()


def test_it_is_verified_saved_and_traced(tmp_path):
    model = SVC(trace=True, **JOINT).fit(X, Y)
    assert str(model.certificate_.verify(X, Y).status) == "converged"
    assert model.trace_["gap"][-1] == model.certificate_.relative_gap
    save(model, tmp_path / "model.mm")
    again = load(tmp_path / "model.mm")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert str(again.certificate_.verify(X, Y).status) == "converged"
    for change in (lambda m: m.dual_coef_.__imul__(1.01), lambda m: m.intercept_.__iadd__([0.1, 0.0, 0.0])):
        other = load(tmp_path / "model.mm")
        change(other)
        assert str(other.certificate_.verify(X, Y).status) == "refuted"
    other = load(tmp_path / "model.mm")
    claim = replace(other.certificate_.problems[0], dual=other.certificate_.dual * 1.01)
    other.certificate_ = replace(other.certificate_, problems=(claim,))
    assert str(other.certificate_.verify(X, Y).status) == "refuted"


def test_weights_are_repetitions():
    weight = np.random.default_rng(0).integers(0, 3, 150)
    weighted = SVC(gamma=0.5, gap_tol=1e-6, **JOINT).fit(X, Y, weight.astype(float))
    repeated = SVC(gamma=0.5, gap_tol=1e-6, **JOINT).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    assert weighted.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=1e-5)
    assert str(weighted.certificate_.verify(X, Y, weight.astype(float)).status) == "converged"


@pytest.mark.parametrize(
    "options, words",
    [
        ({"solver": "smo"}, "needs solver='auto'"),
        ({"C": np.inf}, "a finite C"),
        ({"cache_size": 0.01}, "holds the whole kernel matrix"),
        ({"kernel": "sigmoid", "gamma": 0.05, "coef0": -2.0}, "positive semi-definite"),
        ({"decision_function_shape": "ovo"}, "needs multi_class='ovo'"),
    ],
)
def test_what_it_refuses(options, words):
    with pytest.raises(ValueError, match=words):
        SVC(**JOINT, **options).fit(X, Y)


def test_two_classes_are_a_binary_machine_of_twice_the_penalty(tmp_path):
    """1/2 (||w_0||^2 + ||w_1||^2) + C sum xi with w_1 = -w_0, by the margins of the joint problem's own solution."""
    rows, labels = X[50:], Y[50:]
    joint = SVC(kernel="linear", C=0.3, gap_tol=1e-10, **JOINT).fit(rows, labels)
    twin = SVC(kernel="linear", C=0.6, gap_tol=1e-10).fit(rows, labels)
    np.testing.assert_array_equal(joint.decision_function(rows), twin.decision_function(rows))
    np.testing.assert_array_equal(joint.kkt_cases(rows, labels).multiplier, twin.kkt_cases(rows, labels).multiplier)
    assert str(joint.certificate_.verify(rows, labels).status) == "converged"
    assert joint.loo_error_bound(rows, labels).bound == twin.loo_error_bound(rows, labels).bound
    # the joint objective at (w, -w) / 2 is half of the binary one, and no direction lowers it
    sign = np.where(labels == joint.classes_[1], 1.0, -1.0)

    def objective(W, b):
        f = rows @ W.T + b
        own, other = np.where(sign > 0, f[:, 1], f[:, 0]), np.where(sign > 0, f[:, 0], f[:, 1])
        return 0.5 * np.square(W).sum() + 0.3 * np.maximum(0, 1 - (own - other)).sum()

    W, b = np.vstack([-joint.coef_, joint.coef_]) / 2, np.array([-1, 1]) * joint.intercept_ / 2
    best = objective(W, b)
    assert best == pytest.approx(joint.certificate_.primal / 2, rel=1e-9)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(50):
            assert objective(W + size * rng.normal(size=W.shape), b + size * rng.normal(size=2)) >= best * (1 - 1e-9)
    save(joint, tmp_path / "model.mm")
    np.testing.assert_array_equal(load(tmp_path / "model.mm").predict(rows), joint.predict(rows))
    # what was made a joint machine afterwards is another one
    twin.multi_class = "crammer_singer"
    assert str(twin.certificate_.verify(rows, labels).status) == "refuted"


def test_what_has_no_meaning_for_it():
    model = SVC(**JOINT).fit(X, Y)
    with pytest.raises(ValueError, match="needs binary problems"):
        model.loo_error_bound(X, Y)


def test_kernel_values_that_the_fit_rounds_more_than_the_audit_refute_nothing():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    model = SVC(kernel=RBF(1.0) + Linear(), C=1e5, **JOINT).fit(x, y)
    again = model.certificate_.verify(x, y)
    assert model.certificate_.status is again.status is Status.CONVERGED
    # the larger room does not let other data pass
    assert model.certificate_.verify(x, np.roll(y, 1)).status is Status.REFUTED
