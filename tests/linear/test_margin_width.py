"""The width of the margin of linear machines."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from maxmargin.linear_model import LinearClassifier, LogisticRegression
from maxmargin.svm import SVC, LinearSVC


def test_two_points_in_closed_form():
    # the hard margin of two points is as wide as they are apart
    X, y = np.array([[0.0, 0.0], [3.0, 4.0]]), [0, 1]
    model = LinearSVC(loss="hinge", C=np.inf).fit(X, y)
    assert model.margin_width_ == pytest.approx([5.0], rel=1e-6)
    assert model.sparsify().margin_width_ == pytest.approx([5.0], rel=1e-6)


@pytest.mark.parametrize("model", [LinearSVC(), LinearClassifier(), LogisticRegression()], ids=repr)
def test_distance_of_the_margin_boundaries(model):
    X, y = load_iris(return_X_y=True)
    model.fit(X, y)
    for k, w in enumerate(model.coef_):
        # from a point on one boundary, along w, to the other
        start = X[0] + (-1 - (X[0] @ w + model.intercept_[k])) / (w @ w) * w
        end = start + 2 / (w @ w) * w
        assert end @ w + model.intercept_[k] == pytest.approx(1)
        assert model.margin_width_[k] == pytest.approx(np.linalg.norm(end - start))
    assert model.margin_width_.shape == (len(model.coef_),)


def test_the_width_of_a_linear_kernel():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    width = LinearSVC(loss="hinge", tol=1e-8).fit(X, y).margin_width_
    assert width == pytest.approx([2 / np.linalg.norm(SVC(kernel="linear").fit(X, y).coef_)], rel=1e-3)
    assert LinearClassifier(penalty="l1", C=1e-6).fit(X, y).margin_width_[0] == np.inf
