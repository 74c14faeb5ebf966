"""The comparison of gradient boosting with other libraries, and its referee."""

import numpy as np
import pytest
from benchmarks import boosting, command_line
from benchmarks.options import Options


def test_is_a_benchmark():
    assert "boosting" in command_line.BENCHMARKS


def test_a_case_is_measured():
    case = boosting.Case("made", False, 5)
    lines, record = boosting.measure(case, Options(quick=True))
    assert {"maxmargin", "scikit-learn"} <= set(record)
    losses = [one["loss"] for one in record.values()]
    assert max(losses) == pytest.approx(min(losses), rel=0.05)
    assert len(lines) == len(record)


def test_the_referee():
    class Model:
        classes_ = np.array(["a", "b"])

        def predict(self, X):
            return X[:, 0]

        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 0], X[:, 0]])

    X = np.array([[0.25], [0.5]])
    assert boosting.held_out_loss(Model(), X, np.array([0.0, 1.0]), False) == pytest.approx((0.0625 + 0.25) / 2)
    assert boosting.held_out_loss(Model(), X, np.array(["a", "b"]), True) == pytest.approx(-np.log(0.75 * 0.5) / 2)
