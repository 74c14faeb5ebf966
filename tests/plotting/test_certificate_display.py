"""The course of a proof: what is drawn are certificates of fits, or what a solver reported."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.linear_model import LinearClassifier, LogisticRegression, Perceptron
from maxmargin.plotting import CertificateDisplay, Recorder
from maxmargin.svm import SVC
from maxmargin.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def data():
    return make_classification(300, 6, flip_y=0.1, random_state=0)


def two_axes():
    return Figure(layout="constrained").subplots(2, 1)


@pytest.mark.parametrize("model", [SVC(C=10), LinearClassifier(loss="hinge"), LogisticRegression()], ids=repr)
def test_the_optimum_is_between_the_objectives_at_every_moment(data, model):
    display = CertificateDisplay.from_fit(model, *data, moments=7, ax=two_axes())
    proof = clone(model).fit(*data).certificate_
    assert (display.dual <= display.primal * (1 + 1e-12)).all()
    optimum = (proof.primal + proof.dual) / 2
    room = proof.gap + 1e-12 * abs(optimum)  # rounding errors of either objective
    assert (display.dual <= optimum + room).all() and (display.primal >= optimum - room).all()
    assert display.gap[-1] == proof.relative_gap
    assert display.primal[-1] == proof.primal
    assert (np.diff(display.iterations) > 0).all() and display.iterations[-1] == proof.iterations
    assert (np.diff(display.seconds) >= 0).all()
    assert not hasattr(model, "certificate_")


def test_points_are_certificates_of_stopped_fits(data):
    display = CertificateDisplay.from_fit(SVC(C=10), *data, moments=5, ax=two_axes())
    with pytest.warns(match="budget exhausted"):
        proof = SVC(C=10, max_iter=int(display.iterations[1])).fit(*data).certificate_
    assert (display.primal[1], display.dual[1], display.gap[1]) == (proof.primal, proof.dual, proof.relative_gap)


def test_curves_and_words(data):
    display = CertificateDisplay.from_fit(SVC(C=10), *data, moments=5, against="seconds", ax=two_axes())
    np.testing.assert_array_equal(display.primal_.get_xydata(), np.column_stack([display.seconds, display.primal]))
    np.testing.assert_array_equal(display.gap_.get_ydata(), display.gap)
    title = display.axes_[0].get_title(loc="left").replace("\n", " ")
    assert title.startswith("Converged after") and "the optimum lies between" in title
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts[:3] == ["primal objective", "dual objective", "relative duality gap"]
    assert texts[-1] == "tol = 0.001, for the violation"
    assert display.axes_[1].get_xlabel() == "seconds"
    linear = CertificateDisplay.from_fit(LogisticRegression(), *data, moments=4, legend=False, ax=two_axes())
    assert linear.violation_ is None and linear.legend_ is None
    assert linear.axes_[1].get_xlabel() == "iterations"  # a fit of less than a second


def test_several_problems_are_added_up():
    X, y = load_iris(return_X_y=True)
    display = CertificateDisplay.from_fit(SVC(), X, y, moments=4, ax=two_axes())
    proof = SVC().fit(X, y).certificate_
    assert display.primal[-1] == pytest.approx(sum(part.primal for part in proof.problems))
    assert "3 problems together" in display.title


def test_pipeline_and_weights(data):
    X, y = data
    weight = np.linspace(0.5, 2, len(y))
    pipeline = make_pipeline(StandardScaler(), SVC())
    display = CertificateDisplay.from_fit(pipeline, X * 9, y, sample_weight=weight, moments=3, ax=two_axes())
    model = SVC().fit(StandardScaler().fit_transform(X * 9), y, weight)
    assert display.primal[-1] == model.certificate_.primal


def test_recorder_keeps_what_was_reported(data):
    recorder = Recorder()
    LinearClassifier(loss="logistic", solver="gradient_descent", callback=recorder).fit(*data)
    assert len(recorder) == len(recorder.seconds) == len(recorder.gaps) == len(recorder.violations) > 1
    assert recorder.problems == [""] and (np.diff(recorder.iterations) > 0).all()
    display = CertificateDisplay.from_recorder(recorder, ax=Figure().subplots())
    np.testing.assert_array_equal(display.gap_.get_xydata(), np.column_stack([recorder.seconds, recorder.gaps]))
    assert display.primal_ is None and len(display.axes_) == 1
    assert "no proof" in display.title


def test_recorder_of_several_problems():
    recorder = Recorder()
    SVC(callback=recorder).fit(*load_iris(return_X_y=True))
    assert set(recorder.problems) == {"0 against 1", "0 against 2", "1 against 2"}
    display = CertificateDisplay.from_recorder(recorder, problem="1 against 2", ax=Figure().subplots())
    assert display.title.startswith("1 against 2: ")
    with pytest.raises(ValueError, match=r"problem must be one of .*'1 against 2'.*; got 'x'"):
        CertificateDisplay.from_recorder(recorder, problem="x")


def test_laid_out(data, pyplot, assert_laid_out):
    display = CertificateDisplay.from_fit(SVC(C=10), *data, moments=4)
    assert_laid_out(display, display.axes_[1])
    assert display.plot(against="iterations") is display
    assert len(pyplot.get_fignums()) == 2


def test_input_that_cannot_be_drawn(data):
    X, y = data
    with pytest.raises(ValueError, match="moments must be a whole number of at least 2; got 1"):
        CertificateDisplay.from_fit(SVC(), X, y, moments=1)
    with pytest.raises(ValueError, match="against must be 'seconds' or 'iterations'; got 'days'"):
        CertificateDisplay.from_fit(SVC(), X, y, against="days")
    with pytest.raises(TypeError, match=r"with a max_iter.*DecisionTreeClassifier"):
        CertificateDisplay.from_fit(DecisionTreeClassifier(), X, y)
    with pytest.raises(TypeError, match="the certificate of a Perceptron has none"):
        CertificateDisplay.from_fit(Perceptron(tol=None, max_iter=3, variant="averaged"), X, y)
    with pytest.raises(ValueError, match="ax must be 2 axes, for objectives and gap, one each; got 1"):
        CertificateDisplay.from_fit(SVC(), X, y, moments=2, ax=Figure().subplots())
    with pytest.raises(TypeError, match="recorder must be a maxmargin"):
        CertificateDisplay.from_recorder([])
    with pytest.raises(ValueError, match="recorder has no report"):
        CertificateDisplay.from_recorder(Recorder())
