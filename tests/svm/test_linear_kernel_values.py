"""Machines with a linear kernel say what their weights say, also of rows far from the origin."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.kernels import Linear
from maxmargin.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

OFFSETS = [0.0, 1e4, 1e6, 1e8]
STORAGES = [np.asarray, sp.csr_matrix]
U = Fraction(1, 2**53)


def data(offset, classes=2):
    rng = np.random.default_rng(0)
    y = np.arange(42) % classes
    return rng.normal(size=(42, 3)) + 0.8 * np.eye(3)[y] + offset, y


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def exact_weights(coefficients, vectors):
    """``coefficients @ vectors`` in rational numbers, a list a row."""
    rows = [[Fraction(float(v)) for v in row] for row in vectors]
    return [
        [sum(Fraction(float(a)) * row[j] for a, row in zip(each, rows, strict=True)) for j in range(len(rows[0]))]
        for each in coefficients
    ]


def assert_as_weights_say(values, coefficients, model, X):
    """Within the rounding of float64 weights and products, and of sums in twice the precision."""
    vectors, n = dense(model.support_vectors_), len(model.support_)
    weights, values = exact_weights(coefficients, vectors), values.reshape(len(X), -1)
    assert values.shape[1] == len(weights)
    for k, w in enumerate(weights):
        b = Fraction(float(model.intercept_[k]))
        sizes = [3 * (n * U) ** 2 * Fraction(float(size)) for size in np.abs(coefficients[k]) @ np.abs(vectors)]
        for row, found in zip(X, values[:, k], strict=True):
            terms = [Fraction(float(v)) * each for v, each in zip(row, w, strict=True)]
            allowed = (len(terms) + 8) * U * (sum(map(abs, terms)) + abs(b))
            allowed += sum(abs(Fraction(float(v))) * size for v, size in zip(row, sizes, strict=True))
            assert abs(Fraction(float(found)) - (sum(terms) + b)) <= allowed


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize(
    "model",
    [
        SVC(kernel="linear"),
        SVC(kernel=Linear()),
        NuSVC(kernel="linear", nu=0.4),
        SVR(kernel="linear"),
        NuSVR(kernel="linear"),
    ],
    ids=str,
)
def test_values_are_those_of_the_weights(model, storage, offset):
    X, y = data(offset)
    model.fit(storage(X), y)
    values = model.decision_function if hasattr(model, "decision_function") else model.predict
    assert_as_weights_say(values(storage(X)), dense(model.dual_coef_), model, X)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("storage", STORAGES)
def test_values_of_the_one_class_machine_are_those_of_the_weights(storage, offset):
    """But for those on the boundary, which are zero."""
    X, _ = data(offset)
    model = OneClassSVM(kernel="linear").fit(storage(X))
    values = model.decision_function(storage(X))
    weights = exact_weights(dense(model.dual_coef_), dense(model.support_vectors_))[0]
    exact = [float(sum(Fraction(float(v)) * w for v, w in zip(row, weights, strict=True))) for row in X]
    noise = 1e-13 * model.dual_coef_.sum() * np.square(X).sum(axis=1).max() + 1e-10 * abs(model.offset_[0])
    off = values != 0
    np.testing.assert_allclose(values[off], (exact - model.offset_)[off], rtol=1e-9, atol=1e-15 * max(map(abs, exact)))
    assert off.any() == (offset > 0)  # at 0 the origin is among the rows, and the weights vanish
    assert (np.abs((exact - model.offset_)[~off]) <= noise).all()


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_values_of_several_classes_are_those_of_the_weights(multi_class, storage, offset):
    X, y = data(offset, 3)
    shape = "ovo" if multi_class == "ovo" else "ovr"
    model = SVC(kernel="linear", multi_class=multi_class, decision_function_shape=shape).fit(storage(X), y)
    dual, ends = dense(model.dual_coef_), np.cumsum([0, *model.n_support_])
    own = [slice(a, b) for a, b in pairwise(ends)]
    if multi_class == "ovr":
        coefficients = dual
    else:  # a row of dual_coef_ holds the multipliers against the first other class, the next one the second
        coefficients = np.zeros((3, dual.shape[1]))
        for k, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
            coefficients[k, own[a]], coefficients[k, own[b]] = dual[b - 1, own[a]], dual[a, own[b]]
    assert_as_weights_say(model.decision_function(storage(X)), coefficients, model, X)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("offset", [0.0, 1e6, 1e7])
def test_the_losses_of_the_decision_values_are_those_of_the_certificate(storage, offset):
    """At an offset of 1e6 the certificate stated 7.15, and the decision values came to 7.57."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y, X = np.where(X[:, 0] + 0.3 * rng.normal(size=30) > 0, 1, -1), X + offset
    model = SVC(kernel="linear", C=100.0).fit(storage(X), y)
    w = dense(model.coef_).ravel()
    hinges = np.maximum(0.0, 1.0 - y * model.decision_function(storage(X)))
    assert 0.5 * w @ w + 100 * hinges.sum() == pytest.approx(model.certificate_.primal, rel=1e-5)
    assert model.certificate_.verify(storage(X), y).status != "refuted"


@pytest.mark.parametrize("storage", STORAGES)
def test_float32_rows_are_widened(storage):
    X, y = data(0.0, 3)
    model = SVC(kernel="linear", decision_function_shape="ovo").fit(storage(X.astype(np.float32)), y)
    found = model.decision_function(storage(X.astype(np.float32)))
    assert found.dtype == np.float64
    wide = X.astype(np.float32).astype(np.float64)
    np.testing.assert_allclose(found, wide @ dense(model.coef_).T + model.intercept_, rtol=1e-12, atol=1e-12)


def test_a_machine_without_support_vectors():
    model = SVR(kernel="linear", epsilon=10.0).fit([[0.0], [1.0]], [1.0, 2.0])
    assert len(model.support_) == 0
    np.testing.assert_array_equal(model.predict([[5.0], [7.0]]), model.intercept_[[0, 0]])
