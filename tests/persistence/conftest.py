"""What tests of models in files share."""

import numpy as np
import pytest


def _operators(graph):
    """All nodes of a graph, those in bodies of loops among them."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _operators(attribute.g)


def _close(found, expected):
    """1e-10 of the largest value, or of 1 for probabilities and the like."""
    assert found.shape == expected.shape
    scale = np.abs(expected).max(initial=1e-300)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * scale)


@pytest.fixture
def run_onnx():
    """Outputs of an ONNX graph by name, for an array or a dict of inputs."""
    onnxruntime = pytest.importorskip("onnxruntime")

    def session_of(written):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        return onnxruntime.InferenceSession(written.SerializeToString(), options, ["CPUExecutionProvider"])

    def run(written, X):
        session = session_of(written) if hasattr(written, "graph") else written
        feed = X if isinstance(X, dict) else {"X": np.asarray(X, dtype=np.float64)}
        return dict(zip([output.name for output in session.get_outputs()], session.run(None, feed), strict=True))

    run.session_of = session_of
    return run


@pytest.fixture
def onnx_agrees(run_onnx):
    """Assert that a model and its graph say the same of rows, of one row, and of none; the outputs by name."""
    from maxmargin.persistence import to_onnx

    def check(model, X, feed=None, exact=False):
        written = to_onnx(model)
        # a product with one number next to a MatMul is merged into it by onnxruntime, and loses half of its digits
        assert not [node for node in _operators(written.graph) if node.op_type == "MatMul"]
        feed = {"X": np.asarray(X, dtype=np.float64)} if feed is None else feed
        session = run_onnx.session_of(written)
        found = run_onnx(session, feed)
        expected = {}
        if hasattr(model, "classes_") or "label" in found:
            expected["label"] = model.predict(X)
            if hasattr(model, "decision_function"):
                expected["decision"] = model.decision_function(X)
            if hasattr(model, "predict_proba"):
                expected["probabilities"] = model.predict_proba(X)
        else:
            expected["value"] = model.predict(X)
        assert set(found) == set(expected)
        for name, values in expected.items():
            if name == "label" or exact:
                np.testing.assert_array_equal(found[name], values)
            else:
                _close(found[name], values)
        one = run_onnx(session, {name: values[:1] for name, values in feed.items()})
        none = run_onnx(session, {name: values[:0] for name, values in feed.items()})
        for name, values in found.items():
            if name != "label":
                np.testing.assert_allclose(one[name], values[:1], rtol=1e-9, atol=1e-10 * np.abs(values).max())
            assert none[name].shape == (0, *values.shape[1:])
        return found

    return check
