"""The widget: what is drawn comes back as arrays, what is shown is the library's model."""

import numpy as np
import pytest

from maxmargin.playground import Widget
from maxmargin.playground._frames import unpack
from maxmargin.svm import SVC

HEADER = {"kind": "fit", "view": [-3.0, 3.0, -3.0, 3.0], "cells": [20, 20]}
X = np.array([[-1.0, 0.0], [-2.0, 1.0], [1.0, 0.5], [2.0, -1.0]])


def answered(widget):
    """What the kernel sends for what is drawn."""
    sent = []
    widget.send = lambda header, buffers: sent.append(unpack(buffers[0]))
    points = np.array([p[:2] for p in widget.drawn]).reshape(-1, 2)
    labels = np.array([p[2] for p in widget.drawn], dtype=np.uint8)
    widget._asked(widget, HEADER, [points.tobytes(), labels.tobytes()])
    return sent[0]


def test_points_come_back_as_they_were_given():
    widget = Widget(X, ["a", "a", "b", "b"], C=np.inf, kernel="linear")
    assert np.array_equal(widget.X, X) and widget.y.tolist() == ["a", "a", "b", "b"]
    widget.drawn = [*widget.drawn, [0.5, 0.25, 1]]
    assert widget.X[-1].tolist() == [0.5, 0.25] and widget.y[-1] == "b"


def test_the_model_is_the_library_s():
    widget = Widget(X, [0, 0, 1, 1], C=2.0, kernel="linear")
    header, arrays = answered(widget)
    own = SVC(C=2.0, kernel="linear").fit(X, [0, 0, 1, 1])
    assert header["certificate"]["primal"] == own.certificate_.primal
    assert np.array_equal(arrays["f"][:, 0], own.decision_function(X))
    assert np.array_equal(widget.model.dual_coef_, own.dual_coef_)


def test_what_cannot_be_fitted_is_said():
    header, _ = answered(Widget())
    assert "no points" in header["error"]["message"]


def test_the_picture_is_answered_where_the_kernel_is_interrupted(monkeypatch):
    """It would wait for ever, and ask no more."""

    def interrupt(question):
        raise KeyboardInterrupt

    monkeypatch.setattr("maxmargin.playground._widget.fit", interrupt)
    widget, sent = Widget(X, [0, 0, 1, 1]), []
    widget.send = lambda header, buffers: sent.append(unpack(buffers[0])[0])
    with pytest.raises(KeyboardInterrupt):
        widget._asked(widget, HEADER, [X.tobytes(), bytes([0, 0, 1, 1])])
    assert "Interrupted" in sent[0]["error"]["message"] and widget.model is None


def test_curves_have_one_column():
    widget = Widget(X[:, :1], X[:, 1], method="svr", epsilon=0.1)
    _, arrays = answered(widget)
    assert arrays["curve"].shape[1] == 2 and widget.X.shape == (4, 1) and np.array_equal(widget.y, X[:, 1])


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        ((X[:, :1], [0, 0, 1, 1]), {}, "2 columns"),
        ((X, [0, 1]), {}, "one value a row"),
        ((X, [0, 0, 1, 1]), {"method": "magic"}, "unknown"),
        ((X, [0, 0, 1, 1]), {"depth": 3}, "no parameter"),
        ((X, [0, 0, 1, 1]), {"C": -1.0}, "C=-1"),
        ((X * np.nan, [0, 0, 1, 1]), {}, "not finite"),
        ((np.zeros((7, 2)), range(7)), {}, "7 classes"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Widget(*arguments, **options)


def test_its_module_has_those_of_the_page():
    assert "widget.js" in Widget._esm and "contour" in Widget._esm and "URL.createObjectURL" in Widget._esm
