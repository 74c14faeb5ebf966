"""The width of the margin of linear machines."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from maxmargin.linear_model import LinearClassifier, LogisticRegression, Perceptron
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


@pytest.mark.parametrize("variant", ["plain", "normalised", "averaged"])
@pytest.mark.parametrize(
    "options", [{}, {"centred": True}, {"class_weight": {0: 3.0}}, {"fit_intercept": False}], ids=str
)
def test_width_of_a_perceptron(variant, options):
    """Twice the distance of the nearest row from the plane."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-4, 1, (30, 2)), rng.normal(4, 1, (30, 2))])
    y = np.repeat([0, 1], 30)
    eta = 0.01 if variant == "normalised" else 1.0
    model = Perceptron(variant=variant, eta0=eta, **options).fit(X, y)
    distance = (2 * y - 1) * (X @ model.coef_[0] + model.intercept_[0]) / np.linalg.norm(model.coef_)
    assert model.margin_width_ == pytest.approx([2 * distance.min()], rel=1e-9)
    # no plane has a wider margin than the hard-margin machine
    assert model.margin_width_[0] <= LinearSVC(C=np.inf).fit(X, y).margin_width_[0] * (1 + 1e-6)
    checked = model.certificate_.verify(X, y)
    assert checked.figures["width"] == pytest.approx(model.margin_width_[0])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_width_of_a_perceptron_of_three_classes():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(max_iter=50).fit(X, y)
    assert model.margin_width_.shape == (3,)
    assert model.margin_width_[0] > 0  # setosa is separated from the rest
    assert model.margin_width_[1] == 0  # versicolor is not
    changed = model.certificate_.problems[0]
    changed.figures["width"] *= 2
    assert str(model.certificate_.verify(X, y).status) == "refuted"


def test_width_of_a_perceptron_of_parts():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    model = Perceptron().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(AttributeError, match="needs all training rows"):
        _ = model.margin_width_
    with pytest.raises(AttributeError):
        _ = Perceptron().margin_width_
