"""The linear support vector regressor."""

import numpy as np
import pytest
import sklearn.svm

from maxmargin.certificates import Status
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
