"""Slacks of samples inside the margin, and margins in the plane of two columns."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_blobs, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.plotting import MarginDisplay
from maxmargin.svm import SVC


def test_slack_of_a_linear_kernel_is_its_length(ax):
    X, y = make_blobs(120, centers=2, cluster_std=2.2, random_state=3)
    model = SVC(kernel="linear").fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, ax=ax)
    cases = model.kkt_cases(X, y)
    half_margin = 1 / np.linalg.norm(model.coef_)
    segments = np.array(display.slacks_.get_segments())
    by_point = {tuple(p): np.linalg.norm(q - p) for p, q in segments}
    assert 0 < len(by_point) <= (cases.case >= 2).sum()
    for i, slack in zip(cases.sample, cases.slack, strict=True):
        if tuple(X[i]) in by_point:
            assert by_point[tuple(X[i])] == pytest.approx(slack * half_margin, abs=1e-6)
    np.testing.assert_allclose(np.abs(model.decision_function(segments[:, 1])), 1.0, atol=1e-6)
    assert display.legend_.get_texts()[-1].get_text() == "slack: to its margin boundary"


def test_slacks_end_on_the_margin_boundary_of_the_class(ax):
    X, y = make_moons(200, noise=0.25, random_state=0)
    model = SVC(C=10).fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, ax=ax)
    segments = np.array(display.slacks_.get_segments())
    label = {tuple(x): 2 * k - 1 for x, k in zip(X, y, strict=True)}
    ends = model.decision_function(segments[:, 1])
    np.testing.assert_allclose(ends, [label[tuple(p)] for p in segments[:, 0]], atol=0.05)
    assert MarginDisplay.from_estimator(model, X, y, slack=False, ax=ax).slacks_ is None


def test_many_slacks_are_drawn_on_demand_only(ax):
    X, y = make_moons(400, noise=0.6, random_state=0)
    model = SVC(C=0.1).fit(X, y)
    assert MarginDisplay.from_estimator(model, X, y, grid_resolution=40, ax=ax).slacks_ is None
    assert MarginDisplay.from_estimator(model, X, y, grid_resolution=40, slack=True, ax=ax).slacks_ is not None


def test_plane_of_two_columns_by_name(ax):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    chosen = ("worst radius", "mean texture")
    display = MarginDisplay.from_estimator(pipeline, X, y, features=chosen, grid_resolution=9, ax=ax)
    Z = pipeline[:-1].transform(X)
    i, j = (list(X.columns).index(name) for name in chosen)
    np.testing.assert_allclose(display.points, Z[:, [i, j]])
    corner = Z.mean(axis=0)
    corner[[i, j]] = display.a[2], display.b[5]
    assert display.decision[5, 2] == pytest.approx(pipeline[-1].decision_function(corner[None])[0])
    assert (ax.get_xlabel(), ax.get_ylabel()) == chosen
    assert display.slacks_ is None
    by_number = MarginDisplay.from_estimator(pipeline, X, y, features=(i, j), grid_resolution=9, ax=ax)
    np.testing.assert_array_equal(by_number.decision, display.decision)
    principal = MarginDisplay.from_estimator(pipeline, X, y, features="principal", grid_resolution=9, ax=ax)
    assert principal.ax_.get_xlabel().startswith("principal component 1")


def test_input_that_cannot_be_drawn():
    X, y = load_breast_cancer(return_X_y=True)
    model = SVC().fit(X, y)
    with pytest.raises(ValueError, match="slack=True needs a model of two features; this one has 30"):
        MarginDisplay.from_estimator(model, X, y, slack=True)
    with pytest.raises(ValueError, match="give components or features, not both"):
        MarginDisplay.from_estimator(model, X, y, components=(0, 1), features=(0, 1))
    with pytest.raises(ValueError, match="columns from 0 to 29; got 30"):
        MarginDisplay.from_estimator(model, X, y, features=(0, 30))
