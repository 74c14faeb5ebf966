"""Linear models as ONNX graphs."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from maxmargin.linear_model import (
    ElasticNet,
    Lasso,
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    PolynomialRegression,
    Ridge,
)
from maxmargin.svm import LinearSVC, LinearSVR

pytest.importorskip("onnx")
NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    return X, y, np.concatenate([X[::5], X.mean(axis=0) + 3 * rng.normal(size=(60, 4))])


@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(),
        LinearSVC(multi_class="crammer_singer"),
        LinearSVC(fit_intercept=False),
        LogisticRegression(),
        LogisticRegression(C=1e3, fit_intercept=False),
        LogisticRegressionCV(Cs=3),
        LinearClassifier(),
        LinearClassifier(loss="logistic"),
        Perceptron(variant="averaged", tol=None),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("classes", [2, 3])
def test_classifiers(model, classes, iris, onnx_agrees):
    X, y, Q = iris
    rows = y < classes
    onnx_agrees(model.fit(X[rows], NAMES[y[rows]]), Q)


def test_probabilities_far_from_the_border_do_not_overflow(iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(LogisticRegression(C=1e3).fit(X, y), 1e4 * Q)
    onnx_agrees(LogisticRegression(C=1e3).fit(X[50:], y[50:]), 1e4 * Q)


@pytest.mark.parametrize(
    "model",
    [ElasticNet(0.01), Lasso(0.01), LinearRegression(), LinearSVR(), Ridge(), Ridge(fit_intercept=False)],
    ids=lambda m: type(m).__name__,
)
def test_regressors(model, iris, onnx_agrees):
    X, _, Q = iris
    onnx_agrees(model.fit(X[:, :3], X[:, 3]), Q[:, :3])
    onnx_agrees(model.fit(X[:, :1], X[:, 3]), Q[:, :1])


def test_several_targets(iris, onnx_agrees):
    X, _, Q = iris
    onnx_agrees(Ridge().fit(X[:, :2], X[:, 2:]), Q[:, :2])
    onnx_agrees(Ridge().fit(X[:, :2], X[:, 2:3]), Q[:, :2])
    onnx_agrees(LinearRegression().fit(X[:, :2], X[:, 2:3]), Q[:, :2])


def test_sparse_weights_and_single_precision(iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(LinearSVC().fit(X, y).sparsify(), Q)
    onnx_agrees(LinearSVC().fit(X.astype(np.float32), y), Q)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("degree", [1, 3, 12])
def test_polynomials_of_one_feature(intercept, degree, onnx_agrees):
    x = np.linspace(1990, 2020, 80)[:, None]
    y = np.sin(x[:, 0] / 3)
    Q = np.linspace(1988, 2022, 41)[:, None]
    onnx_agrees(PolynomialRegression(degree, fit_intercept=intercept).fit(x, y), Q)
    onnx_agrees(PolynomialRegression(degree, fit_intercept=intercept).fit(x, np.column_stack([y, x])), Q)


def test_polynomials_of_several_features(iris, onnx_agrees):
    X, _, Q = iris
    onnx_agrees(PolynomialRegression(3, alpha=1e-3).fit(X, X[:, 0] * X[:, 1]), Q)


def test_polynomial_without_anything_to_learn_from(onnx_agrees):
    model = PolynomialRegression(2, fit_intercept=False).fit(np.zeros((5, 1)), np.arange(5.0))
    onnx_agrees(model, np.ones((3, 1)))
