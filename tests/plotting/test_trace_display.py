"""Courses of fits: what is drawn are the columns of their traces."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.cluster import KMeans
from maxmargin.linear_model import LogisticRegression
from maxmargin.plotting import TraceDisplay
from maxmargin.svm import SVC

X, Y = make_moons(120, noise=0.3, random_state=0)


def axes():
    return Figure(layout="constrained").subplots()


def test_several_by_name_and_the_gap_by_default():
    models = {name: SVC(solver=name, trace=True).fit(X, Y) for name in ("smo", "active_set", "projected_gradient")}
    display = TraceDisplay.from_estimators(models, ax=axes())
    assert display.column == "gap" and list(display.lines_) == list(models)
    for name, model in models.items():
        known = np.isfinite(model.trace_["gap"])
        (drawn,) = display.lines_[name]
        np.testing.assert_array_equal(drawn.get_xdata(), model.trace_["iteration"][known])
        np.testing.assert_allclose(drawn.get_ydata(), np.maximum(np.abs(model.trace_["gap"][known]), 1e-17))
    assert [text.get_text() for text in display.legend_.get_texts()] == list(models)
    assert len({display.lines_[name][0].get_linestyle() for name in models}) == 3  # told apart without colours
    assert display.ax_.get_yscale() == "log" and display.ax_.get_ylabel() == "relative duality gap"
    again = display.plot(against="seconds", ax=axes())
    np.testing.assert_array_equal(again.lines_["smo"][0].get_xdata()[-1], models["smo"].trace_["seconds"][-1])
    assert again.ax_.get_xlabel() == "seconds"


def test_one_of_several_problems_and_a_pipeline():
    iris, species = load_iris(return_X_y=True)
    display = TraceDisplay.from_estimators(SVC(trace=True).fit(iris, species), column="primal", ax=axes())
    assert len(display.lines_["SVC (auto)"]) == 3 and display.ax_.get_yscale() == "linear"
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(trace=True)).fit(X, Y)
    assert TraceDisplay.from_estimators([pipeline], ax=axes()).column == "gap"


def test_two_of_a_kind_have_numbers():
    models = [KMeans(k, random_state=0, trace=True).fit(X) for k in (2, 3)]
    display = TraceDisplay.from_estimators(models, ax=axes())
    assert display.column == "inertia" and list(display.lines_) == ["1: KMeans", "2: KMeans"]


def test_errors():
    with pytest.raises(ValueError, match="SVC has no trace_: fit it with trace=True"):
        TraceDisplay.from_estimators(SVC().fit(X, Y))
    model, means = SVC(trace=True).fit(X, Y), KMeans(2, random_state=0, trace=True).fit(X)
    with pytest.raises(ValueError, match="column must be one that all traces have"):
        TraceDisplay.from_estimators(model, column="inertia")
    with pytest.raises(ValueError, match="no column in common"):
        TraceDisplay.from_estimators([model, means])
    with pytest.raises(ValueError, match="against must be"):
        TraceDisplay.from_estimators(model, against="days")
    with pytest.raises(ValueError, match="must have an entry"):
        TraceDisplay.from_estimators({})
