"""The linear support vector regressor."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from scipy.optimize import linprog

from maxmargin.certificates import Status
from maxmargin.linear_model import Lasso
from maxmargin.svm import SVR, LinearSVR


@pytest.fixture(scope="module")
def line():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    return X, X @ [1.0, -2.0, 0.0, 0.5] + 3 + 0.3 * rng.normal(size=150)


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_absolute_loss_is_svr_with_a_linear_kernel(line, epsilon):
    X, y = line
    ours = LinearSVR(epsilon=epsilon).fit(X, y)
    theirs = sklearn.svm.SVR(kernel="linear", epsilon=epsilon, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[0], atol=1e-4)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    kernel = SVR(kernel="linear", epsilon=epsilon, tol=1e-6).fit(X, y)
    assert ours.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-5)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_without_an_intercept_as_scikit_learn(line, loss):
    X, y = line
    ours = LinearSVR(loss=loss, epsilon=0.1, fit_intercept=False).fit(X, y)
    parameters = {"loss": loss, "epsilon": 0.1, "fit_intercept": False, "dual": True, "tol": 1e-10, "max_iter": 10**7}
    theirs = sklearn.svm.LinearSVR(**parameters).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert ours.intercept_.tolist() == [0]


def test_squared_loss_without_a_tube_is_ridge(line):
    X, y = line
    model = LinearSVR(loss="squared_epsilon_insensitive", C=2.0).fit(X, y)
    A, t = X - X.mean(axis=0), y - y.mean()
    w = np.linalg.solve(A.T @ A + np.eye(4) / 4, A.T @ t)  # 1/2 |w|^2 + C |Aw - t|^2
    np.testing.assert_allclose(model.coef_, w, atol=1e-8)


def test_forms_and_proof(line):
    X, y = line
    model = LinearSVR(epsilon=0.1).fit(X, y)
    assert model.coef_.shape == (4,)
    assert model.intercept_.shape == (1,)
    assert isinstance(model.n_iter_, int)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    model.coef_ = model.coef_ * 1.01
    assert model.certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": np.inf}, "'C' parameter"),
        ({"epsilon": -1.0}, "'epsilon' parameter"),
        ({"loss": "hinge"}, "'loss' parameter"),
        ({"intercept_scaling": 3.0}, "intercept_scaling=3.0 has no meaning"),
    ],
)
def test_bad_parameters_are_named(line, parameters, message):
    with pytest.raises(ValueError, match=message):
        LinearSVR(**parameters).fit(*line)


def test_large_targets(line):
    X, y = line
    model = LinearSVR(C=1e6).fit(X, 1e5 * y)
    assert model.certificate_.status is Status.CONVERGED
    np.testing.assert_allclose(model.coef_ / 1e5, LinearSVR(C=1e6).fit(X, y).coef_, atol=1e-3)


# ---------------------------------------------------------------- an L1 penalty


def _sparse_line(seed=0, n=80, d=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + 1.0 + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_l1_is_a_linear_programme(fit_intercept, form):
    """min sum_j (p + q)_j + C sum_i xi_i with w = p - q and |y_i - f_i| <= epsilon + xi_i, by scipy's solver."""
    X, y = _sparse_line()
    n, d = X.shape
    C, epsilon = 0.3, 0.05
    A = np.column_stack([X, np.ones(n)]) if fit_intercept else X
    free = A.shape[1] - d
    cost = np.concatenate([np.ones(2 * d), np.zeros(free), np.full(n, C)])
    signed = np.column_stack([X, -X, np.ones((n, free))])
    rows = np.vstack([np.hstack([signed, -np.eye(n)]), np.hstack([-signed, -np.eye(n)])])
    bounds = [(0, None)] * (2 * d) + [(None, None)] * free + [(0, None)] * n
    best = linprog(cost, rows, np.concatenate([y + epsilon, epsilon - y]), bounds=bounds).fun
    model = LinearSVR(C=C, epsilon=epsilon, penalty="l1", tol=1e-7, fit_intercept=fit_intercept).fit(form(X), y)
    certificate = model.certificate_
    assert certificate.status is Status.CONVERGED
    assert certificate.dual <= best * (1 + 1e-9) and best * (1 - 1e-9) <= certificate.primal
    assert certificate.primal == pytest.approx(best, rel=1e-6)
    assert certificate.verify(form(X), y).status is Status.CONVERGED


def test_l1_with_the_squared_loss_and_without_a_tube_is_the_lasso():
    """C sum_i (y_i - f_i)^2 + ||w||_1 is 2 n C times the lasso's objective with alpha = 1 / (2 n C)."""
    X, y = _sparse_line()
    svr = LinearSVR(C=0.05, loss="squared_epsilon_insensitive", penalty="l1", tol=1e-10).fit(X, y)
    lasso = Lasso(1 / (2 * 80 * 0.05), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(svr.coef_, lasso.coef_, atol=1e-6)
    assert 0 < np.count_nonzero(svr.coef_) < 12


def test_l1_of_a_small_c_has_no_weights():
    """Below C = 1 / max_j |sum_i x_ij sign_i| no slope of the losses is worth a weight."""
    X, y = _sparse_line()
    model = LinearSVR(C=1e-4, penalty="l1").fit(X, y)
    assert not model.coef_.any() or np.abs(model.coef_).max() < 1e-6
    assert model.certificate_.status is Status.CONVERGED
    with pytest.raises(ValueError, match="penalty"):
        LinearSVR(penalty="elastic_net").fit(X, y)


def test_weights_that_an_l1_penalty_makes_zero_are_zero():
    """One of 1e-18 has no interval of subgradients: with a gap of rounding the violation was that of a weight amiss."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 6))
        model = LinearSVR(penalty="l1").fit(X, X[:, 0] + 0.3 * rng.normal(size=40))
        assert model.certificate_.relative_gap < 1e-11
        assert model.certificate_.kkt_violation < 1e-9
        kept = model.coef_[model.coef_ != 0]
        assert (np.abs(kept) > 1e-12).all()
