"""Kernel machines and their calibrated searches as ONNX graphs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_iris, load_wine

from maxmargin.svm import SVC, SVCCV, SVR, SVRCV, LinearSVCCV, NuSVC, NuSVR, OneClassSVM

# whether sigmoid kernels are definite is no concern of these tests
pytestmark = pytest.mark.filterwarnings("ignore::maxmargin.certificates.IndefiniteKernelWarning")

pytest.importorskip("onnx")
KERNELS = ["linear", "poly", "rbf", "sigmoid"]
NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    return X, y, np.concatenate([X[::5], X.mean(axis=0) + 2 * rng.normal(size=(60, 4))])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "parameters",
    [{}, {"decision_function_shape": "ovo"}, {"break_ties": True}, {"multi_class": "ovr"}],
    ids=["votes", "ovo", "ties", "ovr"],
)
def test_classes_of_every_kernel(kernel, parameters, iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(SVC(kernel=kernel, coef0=0.5, **parameters).fit(X, NAMES[y]), Q)


@pytest.mark.parametrize("kernel", KERNELS)
def test_other_machines_of_every_kernel(kernel, iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(SVC(kernel=kernel).fit(X[50:], y[50:]), Q)
    onnx_agrees(NuSVC(kernel=kernel, nu=0.1).fit(X, y), Q)
    onnx_agrees(SVR(kernel=kernel).fit(X, X[:, 0] + X[:, 1]), Q)
    onnx_agrees(NuSVR(kernel=kernel).fit(X, X[:, 0]), Q)
    found = onnx_agrees(OneClassSVM(kernel=kernel).fit(X), np.concatenate([X, Q]))
    assert set(found["label"]) == {-1, 1}


def test_labels_of_every_type(iris, onnx_agrees):
    X, y, Q = iris
    for labels in (y + 10, y == 1, y.astype(float), NAMES[y], NAMES[y].astype(object), y.astype(np.uint8)):
        onnx_agrees(SVC().fit(X, labels), Q)


def test_rows_far_from_the_origin_keep_their_digits(iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(SVC(gamma=0.3).fit(X + 1e6, y), Q + 1e6)


def test_linear_machines_of_unscaled_columns_keep_all_digits(run_onnx):
    """Multipliers cancel: the machine itself is 4e-11 off here (5e-10 on breast_cancer), the graph must not be."""
    from maxmargin.persistence import to_onnx

    X, y = load_wine(return_X_y=True)
    X, y = X[y > 0], y[y > 0]
    model = SVC(kernel="linear").fit(X, y)
    wide = model.support_vectors_.astype(np.longdouble)
    exact = X.astype(np.longdouble) @ (model.dual_coef_[0].astype(np.longdouble) @ wide) + model.intercept_[0]
    error = np.abs(run_onnx(to_onnx(model), X)["decision"] - exact).max() / np.abs(exact).max()
    assert error < (1e-14 if np.finfo(np.longdouble).eps < 1e-18 else 1e-8)  # where there is no wider float


def test_sparse_and_single_precision_training(iris, onnx_agrees):
    X, y, Q = iris
    sparse = SVC().fit(sp.csr_array(X), y)
    onnx_agrees(sparse, Q)
    for kernel in KERNELS:  # rows in float64 are predicted in float64, whatever the machine was trained in
        onnx_agrees(SVC(kernel=kernel).fit(X.astype(np.float32), y), Q)


def test_machines_without_support_vectors_or_degree(iris, onnx_agrees):
    X, y, Q = iris
    for kernel in KERNELS:
        constant = SVR(kernel=kernel, epsilon=1.0).fit(X, np.full(len(X), 3.0))
        assert len(constant.support_) == 0
        np.testing.assert_array_equal(onnx_agrees(constant, Q)["value"], np.full(len(Q), 3.0))
    onnx_agrees(SVC(kernel="poly", degree=0).fit(X[:100], y[:100]), Q)


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic", None])
def test_searches_with_calibrated_probabilities(calibration, iris, onnx_agrees):
    X, y, Q = iris
    for search in (SVCCV(Cs=3, gammas=2, calibration=calibration), LinearSVCCV(Cs=3, calibration=calibration)):
        onnx_agrees(search.fit(X, NAMES[y]), Q)
        onnx_agrees(search.fit(X[50:], y[50:]), Q)


def test_search_for_a_regressor(iris, onnx_agrees):
    X, _, Q = iris
    onnx_agrees(SVRCV(Cs=2, gammas=2).fit(X, X[:, 0]), Q)


def test_probabilities_of_overlapping_classes_where_the_vote_is_overruled(onnx_agrees):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(240, 2)), rng.integers(0, 4, 240)
    Q = 2 * rng.normal(size=(300, 2))
    found = onnx_agrees(SVCCV(Cs=2, gammas=2).fit(X, y), Q)
    # the predicted class is always the most probable one, and often only because it was raised
    np.testing.assert_array_equal(found["probabilities"].argmax(axis=1), found["label"])


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.integers(3, 6), st.booleans())
def test_coupling_and_raising_are_those_of_the_calibration(seed, classes, certain):
    onnxruntime = pytest.importorskip("onnxruntime")
    from onnx import helper

    from maxmargin.persistence._onnx_graph import IR_VERSION, OPSET, Graph
    from maxmargin.persistence._onnx_machines import _coupled, _raised
    from maxmargin.search._calibration import _raised as raised
    from maxmargin.search._coupling import couple

    rng = np.random.default_rng(seed)
    r = rng.random((20, classes * (classes - 1) // 2))
    r = np.round(r) if certain else r
    winner = rng.integers(0, classes, 20)
    graph = Graph()
    p = _coupled(graph, graph.input("X", float, r.shape[1]), classes)
    index = graph.input("winner", int, 1).flat()
    outputs = {"value": (p, ["N", classes]), "probabilities": (_raised(graph, p, index, classes), ["N", classes])}
    written = helper.make_model(
        graph.finish(outputs), opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
    )
    session = onnxruntime.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
    coupled, lifted = session.run(None, {"X": r, "winner": winner[:, None]})
    np.testing.assert_allclose(coupled, couple(r, classes), rtol=0, atol=1e-12)
    np.testing.assert_allclose(lifted, raised(couple(r, classes), winner), rtol=0, atol=1e-12)


@settings(max_examples=20)
@given(data=st.data())
def test_random_machines(data):
    """Any kernel, number of classes, size of data and penalty."""
    onnxruntime = pytest.importorskip("onnxruntime")
    from maxmargin.persistence import to_onnx

    rng = np.random.default_rng(data.draw(st.integers(0, 2**31)))
    n, d, k = data.draw(st.integers(8, 30)), data.draw(st.integers(1, 5)), data.draw(st.integers(2, 4))
    scale = 10.0 ** data.draw(st.integers(-3, 3))
    X, y = scale * rng.normal(size=(n, d)), np.arange(n) % k
    kernel, C = data.draw(st.sampled_from(KERNELS)), 10.0 ** data.draw(st.integers(-2, 2))
    shape = data.draw(st.sampled_from(["ovo", "ovr"]))
    model = SVC(kernel=kernel, C=C, coef0=data.draw(st.sampled_from([0.0, 1.0])), decision_function_shape=shape)
    model.fit(X, y)
    Q = scale * rng.normal(size=(25, d))
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    label, decision = session.run(None, {"X": Q})
    expected = model.decision_function(Q)
    # relative to what is added up: multipliers times kernel values
    size = np.abs(model.dual_coef_).sum() * max(1.0, np.abs(model._fitted_kernel()(Q, model.support_vectors_)).max())
    np.testing.assert_allclose(decision, expected, rtol=1e-10, atol=1e-12 * size)
    clear = np.abs(model._binary_values(Q)).min(axis=1) > 1e-10 * size
    np.testing.assert_array_equal(label[clear], model.predict(Q)[clear])
