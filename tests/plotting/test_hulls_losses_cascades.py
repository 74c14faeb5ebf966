"""Pictures of hulls that meet, of losses and of the stages of a cascade."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from maxmargin.ensemble import CascadeClassifier
from maxmargin.linear_model import Perceptron
from maxmargin.plotting import CascadeDisplay, HullsDisplay, LossDisplay, MistakesDisplay
from maxmargin.svm import SVC, separability


@pytest.fixture(scope="module")
def overlapping():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + [2, 1]])
    return X, np.repeat([0, 1], 30)


def test_the_point_is_in_both_hulls(overlapping):
    from scipy.spatial import Delaunay

    X, y = overlapping
    proof = separability(X, y).proof
    display = HullsDisplay.from_proof(proof, X, y)
    other = proof.negative_weights @ X[proof.negative]
    np.testing.assert_allclose(display.point_, other, atol=1e-5)
    inside = [Delaunay(X[y == k]).find_simplex(display.point_) >= 0 for k in range(2)]
    assert all(inside)
    assert display.legend_.get_texts()[0].get_text() == "0, and its convex hull"


def test_hulls_of_points_in_a_line():
    X, y = np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]]), [0, 0, 1]
    display = HullsDisplay.from_proof(separability(X, y).proof, X, y)
    np.testing.assert_allclose(display.point_, [1.0, 1.0], atol=1e-6)


def test_proofs_that_cannot_be_drawn(overlapping):
    X, y = overlapping
    proof = separability(X, y).proof
    with pytest.raises(TypeError, match="draws a SeparationProof"):
        HullsDisplay.from_proof(None, X, y)
    with pytest.raises(ValueError, match="two features"):
        HullsDisplay.from_proof(proof, np.hstack([X, X]), y)
    with pytest.raises(ValueError, match="about these rows"):
        HullsDisplay.from_proof(proof, X + np.where(y, 100.0, 0.0)[:, None], y)


def test_losses_are_their_formulas():
    display = LossDisplay.from_losses(["perceptron", "hinge", "squared_hinge", "logistic"])
    z = display.x
    expected = [np.maximum(0, -z), np.maximum(0, 1 - z), np.maximum(0, 1 - z) ** 2, np.log1p(np.exp(-z))]
    for curve, values in zip(display.lines_, expected, strict=True):
        np.testing.assert_allclose(curve.get_ydata(), values, atol=1e-12)
    assert display.ax_.get_xlabel() == "margin y f"
    step = LossDisplay.from_losses(["zero_one"]).lines_[0].get_ydata()
    assert np.isnan(step).sum() == 1  # a jump, not a slope
    tube = LossDisplay.from_losses(["epsilon_insensitive", "squared"], epsilon=0.3)
    np.testing.assert_allclose(tube.lines_[0].get_ydata(), np.maximum(0, np.abs(tube.x) - 0.3), atol=1e-12)
    assert tube.ax_.get_xlabel() == "residual f - y"
    with pytest.raises(ValueError, match="over the residual"):
        LossDisplay.from_losses(["hinge", "epsilon_insensitive"])
    with pytest.raises(ValueError, match="at least one"):
        LossDisplay.from_losses([])


def test_what_is_left_after_each_stage():
    X, y = load_breast_cancer(return_X_y=True)
    model = CascadeClassifier(max_stages=4, random_state=0).fit(X, y)
    display = CascadeDisplay.from_estimator(model)
    passed = np.ones(len(y), dtype=bool)
    positive = y == model.positive_
    stages, _ = model.prediction_cost(X)
    took_all = model.predict(X) == model.positive_
    for k in range(len(model.stages_)):
        passed = (stages > k + 1) | took_all
        assert display.detection[k] == pytest.approx(passed[positive].mean(), abs=1e-12)
        assert display.false_positive_rate[k] == pytest.approx(passed[~positive].mean(), abs=1e-12)
    shown = display.lines_[0].get_ydata()
    np.testing.assert_allclose(shown[1:], display.detection)
    assert str(len(model.stages_)) in display.ax_.get_title(loc="left") + display.ax_.get_title()
    with pytest.raises(TypeError, match="draws a CascadeClassifier"):
        CascadeDisplay.from_estimator(SVC())


def test_mistakes_rise_to_their_number_and_stay_below_the_bound(overlapping):
    X, y = load_iris(return_X_y=True)
    model = Perceptron(trace=True).fit(X[:100], y[:100])
    display = MistakesDisplay.from_estimator(model)
    assert (np.diff(display.mistakes) >= 0).all()
    assert display.mistakes[-1] == model.n_mistakes_[0] <= display.bound
    assert display.bound_.get_ydata()[0] == model.certificate_.figures["bound"]
    with pytest.warns(Warning, match="."):
        mixed = Perceptron(trace=True, max_iter=5).fit(*overlapping)
    assert MistakesDisplay.from_estimator(mixed).bound_ is None
    with pytest.raises(TypeError, match="trace=True"):
        MistakesDisplay.from_estimator(Perceptron().fit(X[:100], y[:100]))
    with pytest.raises(ValueError, match="two classes"):
        with pytest.warns(Warning, match="."):
            three = Perceptron(trace=True, max_iter=5).fit(X, y)
        MistakesDisplay.from_estimator(three)
