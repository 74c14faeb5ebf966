"""Kernel ridge regression: closed forms, scikit-learn's answers, and what its certificate proves."""

import pickle
import warnings
from dataclasses import replace
from functools import partial

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge as TheirKernelRidge
from sklearn.linear_model import Ridge as TheirRidge

from maxmargin.certificates import IndefiniteKernelWarning, Status, evaluate_kernel_ridge
from maxmargin.data import Rows
from maxmargin.kernel_ridge import KernelRidge
from maxmargin.kernels import KNOWN, RBF, CallableKernel, Linear, Polynomial
from maxmargin.linear_model import Ridge
from maxmargin.problems import KernelRidgeProblem


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)


def objective(K, y, s, alpha, a):
    return float(s @ (y - K @ a) ** 2 + alpha * a @ K @ a)


SETTINGS = [
    {},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 3.0, "alpha": 1e-3},
    {"kernel": "poly", "degree": 2, "coef0": 0.5},
    {"kernel": "polynomial"},
    {"kernel": "laplacian", "gamma": 0.3},
    {"kernel": "cosine"},
    {"kernel": lambda a, b, power=1: float(a @ b) ** power, "kernel_params": {"power": 2}},
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", SETTINGS, ids=lambda o: str(o.get("kernel", "default"))[:12])
def test_same_as_scikit_learn(options, weighted, data):
    X, y = data
    weight = np.random.default_rng(1).uniform(0.1, 2, size=60) if weighted else None
    ours, theirs = (m(**options).fit(X, y, weight) for m in (KernelRidge, TheirKernelRidge))
    scale = np.abs(theirs.dual_coef_).max()
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-9 * scale)
    np.testing.assert_allclose(ours.predict(X[:7] + 0.1), theirs.predict(X[:7] + 0.1), atol=1e-9)
    assert ours.certificate_.status is Status.CONVERGED
    assert ours.certificate_.relative_gap <= 1e-9


def test_closed_form(data):
    X, y = data
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    model = KernelRidge(alpha=0.3, kernel=RBF(0.5)).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, np.linalg.solve(K + 0.3 * np.eye(60), y), rtol=1e-9, atol=1e-11)
    # the least objective is alpha y'(K + alpha I)^-1 y
    assert model.certificate_.dual <= 0.3 * y @ np.linalg.solve(K + 0.3 * np.eye(60), y) * (1 + 1e-12)
    assert model.certificate_.primal >= 0.3 * y @ np.linalg.solve(K + 0.3 * np.eye(60), y) * (1 - 1e-12)


def test_linear_kernel_is_ridge_without_an_intercept(data):
    X, y = data
    kernel, linear = KernelRidge(alpha=2.0).fit(X, y), Ridge(alpha=2.0, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(X.T @ kernel.dual_coef_, linear.coef_, rtol=1e-10)
    np.testing.assert_allclose(kernel.predict(X), TheirRidge(2.0, fit_intercept=False).fit(X, y).predict(X), rtol=1e-9)
    objective = linear.certificate_.figures["objective"]
    assert kernel.certificate_.dual <= objective and kernel.certificate_.primal >= objective * (1 - 1e-12)


def test_polynomial_kernel_is_ridge_on_its_feature_map(data):
    X, y = data
    kernel = Polynomial(0.5, 1.0, 2)
    ours = KernelRidge(alpha=0.7, kernel=kernel).fit(X, y)
    explicit = Ridge(alpha=0.7, fit_intercept=False).fit(kernel.feature_map(X), y)
    np.testing.assert_allclose(ours.predict(X), explicit.predict(kernel.feature_map(X)), rtol=1e-8, atol=1e-9)


def test_interval_contains_the_exact_optimum():
    """In two hundred bits."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(9, 2)), rng.normal(size=9)
    for kernel, alpha in [(RBF(0.7), 0.1), (Polynomial(1.0, 1.0, 3), 1e-4), (Linear(), 1e-6), (RBF(1e-3), 1e-8)]:
        model = KernelRidge(alpha=alpha, kernel=kernel, tol=1e-3).fit(X, y)
        with mpmath.workprec(200):
            rows = [[mpmath.mpf(float(v)) for v in row] for row in X]
            dot = [[mpmath.fdot(a, b) for b in rows] for a in rows]
            if isinstance(kernel, RBF):
                g = mpmath.mpf(kernel.gamma)
                K = [[mpmath.exp(-g * (dot[i][i] + dot[j][j] - 2 * dot[i][j])) for j in range(9)] for i in range(9)]
            elif isinstance(kernel, Polynomial):
                K = [[(dot[i][j] + 1) ** 3 for j in range(9)] for i in range(9)]
            else:
                K = dot
            right = mpmath.matrix([mpmath.mpf(float(v)) for v in y])
            a = mpmath.lu_solve(mpmath.matrix(K) + mpmath.mpf(alpha) * mpmath.eye(9), right)
            optimum = mpmath.mpf(alpha) * sum(right[i] * a[i] for i in range(9))
            assert mpmath.mpf(model.certificate_.dual) <= optimum <= mpmath.mpf(model.certificate_.primal)


def test_gap_is_the_residual_of_the_equations(data):
    """For any coefficients, not only the best: P - D = sum s (r - alpha a / s)^2."""
    X, y = data
    rng = np.random.default_rng(3)
    weight = rng.uniform(0.5, 2, size=60)
    model = KernelRidge(alpha=0.4, kernel=RBF(0.5)).fit(X, y, weight)
    model.dual_coef_ = model.dual_coef_ + 0.1 * rng.normal(size=60)
    K = RBF(0.5)(X)
    found = model.certificate_.verify(X, y, weight)
    residual = y - K @ model.dual_coef_ - 0.4 * model.dual_coef_ / weight
    assert found.gap == pytest.approx(float(weight @ residual**2), rel=1e-9)
    assert found.primal == pytest.approx(objective(K, y, weight, 0.4, model.dual_coef_), rel=1e-9)
    assert found.status is Status.REFUTED


def test_weights(data):
    X, y = data
    twice = KernelRidge(kernel="rbf", gamma=0.5).fit(np.vstack([X, X[:20]]), np.append(y, y[:20]))
    weighted = KernelRidge(kernel="rbf", gamma=0.5).fit(X, y, np.where(np.arange(60) < 20, 2.0, 1.0))
    np.testing.assert_allclose(twice.predict(X), weighted.predict(X), rtol=1e-9)
    assert weighted.certificate_.dual <= twice.certificate_.primal
    assert twice.certificate_.dual <= weighted.certificate_.primal
    without = KernelRidge(kernel="rbf", gamma=0.5).fit(X, y, np.where(np.arange(60) < 20, 0.0, 1.0))
    assert not without.dual_coef_[:20].any()
    rest = KernelRidge(kernel="rbf", gamma=0.5).fit(X[20:], y[20:])
    np.testing.assert_allclose(without.predict(X), rest.predict(X), rtol=1e-9)
    weights = np.where(np.arange(60) < 20, 0.0, 1.0)
    assert without.certificate_.verify(X, y, weights).status is Status.CONVERGED
    assert without.certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize("storage", [sp.csr_array, sp.csr_matrix, lambda X: X.astype(np.float32)])
def test_other_storage(storage, data):
    X, y = data
    X = X.astype(np.float32).astype(np.float64)
    dense = KernelRidge(kernel=RBF(0.5) + Linear()).fit(X, y)
    other = KernelRidge(kernel=RBF(0.5) + Linear()).fit(storage(X), y)
    np.testing.assert_allclose(dense.predict(X), other.predict(storage(X)), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(dense.predict(X), other.predict(X), rtol=1e-8, atol=1e-9)
    assert other.certificate_.verify(storage(X), y).status is Status.CONVERGED


def test_several_targets_with_their_own_alpha(data):
    X, y = data
    Y = np.column_stack([y, y**2, X[:, 1]])
    model = KernelRidge(alpha=[0.1, 1.0, 1.0], kernel="rbf").fit(X, Y)
    assert model.predict(X).shape == (60, 3) and len(model.certificate_.problems) == 3
    for t, alpha in enumerate([0.1, 1.0, 1.0]):
        single = KernelRidge(alpha=alpha, kernel="rbf").fit(X, Y[:, t])
        np.testing.assert_allclose(model.predict(X)[:, t], single.predict(X), rtol=1e-9)
        assert model.certificate_.problems[t].primal == pytest.approx(single.certificate_.primal, rel=1e-9)
    with pytest.raises(ValueError, match="one number for each of 3 targets"):
        KernelRidge(alpha=[0.1, 1.0]).fit(X, Y)


def test_precomputed_and_blocks(data):
    X, y = data
    named = KernelRidge(kernel="rbf", gamma=0.5).fit(X, y)
    matrix = KernelRidge(kernel="precomputed").fit(RBF(0.5)(X), y)
    block = KernelRidge(kernel=CallableKernel(lambda A, B: RBF(0.5)(A, B))).fit(X, y)
    np.testing.assert_allclose(matrix.predict(RBF(0.5)(X[:5], X)), named.predict(X[:5]), rtol=1e-9)
    np.testing.assert_allclose(block.predict(X[:5]), named.predict(X[:5]), rtol=1e-9)
    assert matrix.certificate_.verify(RBF(0.5)(X), y).status is Status.CONVERGED
    with pytest.raises(ValueError, match="square"):
        KernelRidge(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="symmetric"):
        KernelRidge(kernel="precomputed").fit(np.tri(60), y)
    with pytest.raises(ValueError, match="kernel_params"):
        KernelRidge(kernel="rbf", kernel_params={"gamma": 1.0}).fit(X, y)


def test_no_penalty(data):
    X, y = data
    model = KernelRidge(alpha=0.0, kernel=RBF(3.0)).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-9)
    assert model.certificate_.status is Status.CONVERGED
    with pytest.warns(ConvergenceWarning, match="Raise alpha"):
        model = KernelRidge(alpha=0.0).fit(X, y)  # more rows than dimensions: nothing bounds it from below
    assert model.certificate_.status is Status.STALLED and model.certificate_.dual == 0
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(model.predict(X), X @ best, atol=1e-8)


def test_indefinite_kernels_prove_nothing(data):
    X, y = data
    with pytest.warns(IndefiniteKernelWarning, match="not positive semi-definite"):
        model = KernelRidge(kernel="sigmoid", gamma=2.0, coef0=-1.0).fit(X, y)
    K = np.tanh(2.0 * X @ X.T - 1.0)
    np.testing.assert_allclose(model.predict(X), K @ np.linalg.solve(K + np.eye(60), y), atol=1e-6)
    assert model.certificate_.status is Status.STATIONARY and model.certificate_.dual == -np.inf
    assert model.certificate_.verify(X, y).status is Status.STATIONARY


def test_changes_are_refuted(data):
    X, y = data
    for change in ("dual_coef_", "X_fit_", "kernel", "alpha", "claim", "rows"):
        model = KernelRidge(kernel="rbf", gamma=0.5).fit(X, y)
        assert model.certificate_.verify(X, y).status is Status.CONVERGED
        rows = X
        if change in ("dual_coef_", "X_fit_"):
            values = getattr(model, change).copy()
            values.flat[3] += 0.01
            setattr(model, change, values)
        elif change == "kernel":
            model.gamma = 0.6
        elif change == "alpha":
            model.alpha = 1.1
        elif change == "rows":
            rows = X + 0.01
        else:
            claim = model.certificate_.problems[0]
            model.certificate_ = replace(model.certificate_, problems=(replace(claim, primal=claim.dual * 0.9),))
        assert model.certificate_.verify(rows, y).status is Status.REFUTED, change
    with pytest.raises(ValueError, match="training data"):
        model.certificate_.verify(X[:5], y[:5])


def test_odd_input(data):
    X, y = data
    assert not KernelRidge().fit(X, np.zeros(60)).dual_coef_.any()
    assert KernelRidge().fit(X, np.zeros(60)).certificate_.status is Status.CONVERGED
    for none in (np.zeros(60), 0.0):
        with pytest.raises(ValueError, match="zero"):
            KernelRidge().fit(X, y, none)
    with pytest.raises(ValueError, match="at least 0"):
        KernelRidge().fit(X, y, np.linspace(-1, 1, 60))
    with pytest.raises(ValueError, match="alpha"):
        KernelRidge(alpha=[-1.0]).fit(X, y)
    with pytest.raises(ValueError, match="overflow"):
        KernelRidge().fit(X * 1e200, y)
    one = KernelRidge(kernel="rbf").fit([[1.0]], [2.0])
    assert one.predict([[1.0]])[0] == pytest.approx(1.0)
    assert hasattr(one, "gamma_") and not hasattr(KernelRidge().fit(X, y), "gamma_")
    model = clone(KernelRidge(kernel=RBF(0.5))).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_report(data):
    X, y = data
    page = KernelRidge(kernel="rbf").fit(X, y).report(X, y)
    assert "kernel ridge regression" in str(page.data).lower()


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", RBF(0.3) + Linear()])
def test_verify_takes_the_rows_in_either_storage(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4)) * (rng.uniform(size=(20, 4)) < 0.6)
    y = rng.normal(size=20)
    for fitted, given in [(X, sp.csr_array(X)), (sp.csr_array(X), X)]:
        certificate = KernelRidge(kernel=kernel).fit(fitted, y).certificate_
        assert certificate.verify(given, y).status is Status.CONVERGED
        assert certificate.verify(given * 1.001, y).status is Status.REFUTED


@pytest.mark.parametrize("seed", range(6))
def test_large_coefficients_that_cancel(seed):
    # three features, twelve rows: a tiny alpha makes coefficients of 1e6 and more whose values nearly cancel
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    weights = rng.choice([1e-6, 1.0, 1e6], size=12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # float64 does not always prove a small gap
        model = KernelRidge(alpha=1e-10).fit(X, y, sample_weight=weights)
    checked = model.certificate_.verify(X, y, weights)
    with mpmath.workdps(50):
        x = mpmath.matrix(X.tolist())
        w = x.T * mpmath.matrix(model.dual_coef_.tolist())
        f = x * w
        rows = zip(weights.tolist(), y.tolist(), f, strict=True)
        terms = [mpmath.mpf(s) * (mpmath.mpf(t) - v) ** 2 for s, t, v in rows]
        objective = mpmath.fsum(terms) + mpmath.mpf(1e-10) * mpmath.fsum([v**2 for v in w])
        assert model.certificate_.primal >= objective
        assert checked.primal >= objective
    assert checked.status is model.certificate_.status


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_targets_whose_squares_overflow_are_refused_by_name(data, kernel):
    X, y = data
    model = KernelRidge(kernel=kernel).fit(X, y * 1e150)
    assert model.certificate_.verify(X, y * 1e150).status is model.certificate_.status is Status.CONVERGED
    for size in (1e155, 1e160, 1e300):
        with pytest.raises(ValueError, match="y has values so large that the sum of their squares overflows"):
            KernelRidge(kernel=kernel).fit(X, y * size)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian", RBF(0.2) + Linear()])
def test_ordinary_data_of_any_scale_converge(kernel, scale):
    """Without a warning, which would be an error here; and so says `verify`."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 5))
    y = X[:, 0] + rng.normal(size=150)
    if isinstance(kernel, str):
        options = {} if kernel == "linear" else {"gamma": 0.2 / scale ** (1 if kernel == "laplacian" else 2)}
    else:
        kernel, options = RBF(0.2 / scale**2) + Linear() * scale**-2, {}
    for alpha in (1.0, 1e-3) if kernel != "linear" or scale < 1e6 else (1.0,):
        model = KernelRidge(alpha=alpha, kernel=kernel, **options).fit(X * scale, y)
        assert model.certificate_.status is Status.CONVERGED
        assert model.certificate_.gap <= 1e-3 * (y @ y)
        assert model.certificate_.verify(X * scale, y).status is Status.CONVERGED


def test_rounding_excuses_no_other_error():
    """Coefficients of rows of 1e6 are as good as float64 has them; any that are visibly worse are not converged."""
    rng = np.random.default_rng(0)
    X = 1e6 * rng.normal(size=(150, 5))
    y = X[:, 0] / 1e6 + rng.normal(size=150)
    model = KernelRidge(tol=1e-12).fit(X, y)
    gap = model.certificate_.gap
    assert 1e-9 * (y @ y) < gap < 1e-3 * (y @ y)
    assert model.certificate_.status is Status.CONVERGED
    for size in (1e-6, 1e-3, 1.0):
        model.dual_coef_ = model.dual_coef_ * (1 + size * rng.choice([-1, 1], size=150))
        assert model.certificate_.verify(X, y).status is Status.REFUTED, size
    with pytest.warns(ConvergenceWarning, match="scale the features"):
        model = KernelRidge().fit(100 * X, y)  # the rounding of coefficients is as large as the targets
    assert model.certificate_.status is Status.STALLED


def test_a_gap_that_is_proven_bounds_the_distance_to_the_best_function(data):
    """P(a) - min P is the squared distance of the values and alpha times that of the functions."""
    X, y = data
    best = KernelRidge(kernel="rbf", gamma=0.5).fit(X, y)
    a = best.dual_coef_ * (1 + 0.01 * np.random.default_rng(0).normal(size=60))
    K = RBF(0.5)(X)
    other = replace_coefficients(best, a).certificate_.verify(X, y)
    assert float(np.sum((K @ a - K @ best.dual_coef_) ** 2)) <= other.gap


def replace_coefficients(model, a):
    changed = pickle.loads(pickle.dumps(model))
    changed.dual_coef_ = a
    return changed


@pytest.mark.parametrize("n", [130, 701, 900])
@pytest.mark.parametrize("targets", [1, 3])
def test_a_changed_coefficient_is_refuted_at_any_place(n, targets):
    """Whichever square of the kernel matrix it is multiplied with."""
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 3)), rng.normal(size=(n, targets)).squeeze()
    model = KernelRidge(kernel="rbf").fit(X, y)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    for place in (0, 127, 128, n - 1):
        a = model.dual_coef_.copy()
        a[place] += 0.01
        assert replace_coefficients(model, a).certificate_.verify(X, y).status is Status.REFUTED
    kernel = RBF(1 / 3)
    for threads in (1, 2):  # the proof of a fit sees it as well
        gram = kernel.gram(Rows(X), None, threads)
        problem = KernelRidgeProblem(gram, y.reshape(n, -1), np.ones(n), np.ones(targets))
        for place in (0, 127, 128, n - 1):
            a = model.dual_coef_.reshape(n, -1).copy()
            a[place] += 0.01
            for k, found in enumerate(evaluate_kernel_ridge(problem, a, KNOWN)):
                residual = problem.targets[:, k] - kernel(X) @ a[:, k] - a[:, k]
                exact = float(residual @ residual)
                assert exact * (1 - 1e-9) <= found.gap <= exact * (1 + 1e-9) + 2 * found.rounding


@pytest.mark.parametrize("alpha", [1e100, 1e200, 1e300])
def test_a_penalty_that_leaves_nothing_of_the_model_is_proven(data, alpha):
    """Coefficients are y / alpha, the squares of which underflow."""
    X, y = data
    model = KernelRidge(alpha=alpha, kernel="rbf").fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.dual <= float(np.sum(y**2)) * (1 + 1e-12)
    assert model.certificate_.relative_gap < 1e-6
    assert model.certificate_.verify(X, y).status is Status.CONVERGED


def test_coefficients_that_underflow_are_named(data):
    X, y = data
    with pytest.warns(ConvergenceWarning, match=r"underflow float64.*lower alpha, or scale y"):
        KernelRidge(alpha=1e300, kernel="rbf").fit(X, 1e-15 * y)


def _negative(a, b, gamma=1.0):
    return -gamma * float(np.dot(a, b))


@pytest.mark.parametrize(
    "kernel, words",
    [
        (_negative, "the kernel function _negative is"),
        (partial(_negative, gamma=3.0), "the kernel function _negative with gamma=3.0 is"),
        ("sigmoid", r"the kernel Sigmoid\(gamma=0.25, coef0=1.0\) is"),
    ],
)
def test_an_indefinite_kernel_is_named_in_words(data, kernel, words):
    with pytest.warns(IndefiniteKernelWarning, match=words):
        KernelRidge(kernel=kernel, alpha=0.1).fit(*data)


def test_a_kernel_of_scikit_learns_has_its_name():
    assert str(KernelRidge(kernel="laplacian", gamma=0.5)._kernel_of(3)).startswith("'laplacian' (")


def test_equations_that_an_indefinite_kernel_leaves_unsolved_are_not_said_to_hold(data):
    _, y = data
    model = KernelRidge(kernel="precomputed", alpha=1.0)
    with pytest.warns() as caught:
        model.fit(-np.eye(len(y)), y)
    assert [w.category for w in caught] == [IndefiniteKernelWarning, ConvergenceWarning]
    indefinite, stalled = (str(w.message) for w in caught)
    assert "do not hold" in indefinite
    assert f"violated by up to {model.certificate_.kkt_violation:.2e}" in stalled
    assert model.certificate_.status is Status.STALLED
    with pytest.warns(IndefiniteKernelWarning, match="the equations of the model hold"):
        assert model.set_params(alpha=2.0).fit(-np.eye(len(y)), y).certificate_.status is Status.STATIONARY
