import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from sklearn import svm as sklearn_svm
from sklearn.datasets import load_breast_cancer, make_classification, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.plotting import MarginDisplay
from maxmargin.svm import SVC, LargeSVC, LinearSVC


@pytest.fixture(autouse=True)
def pyplot():
    import matplotlib.pyplot as plt

    backend = matplotlib.get_backend()
    plt.switch_backend("Agg")
    yield plt
    plt.close("all")
    plt.switch_backend(backend)


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.25, random_state=0)


@pytest.fixture(scope="module")
def wide():
    return make_classification(150, 8, random_state=0)


def new_ax():
    return Figure(layout="constrained").add_subplot()


def as_set(points):
    return {tuple(point) for point in np.asarray(points)}


def legend_texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_two_features_are_drawn_as_they_are(moons):
    X, y = moons
    model = SVC().fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=20)
    np.testing.assert_array_equal(display.points, X)
    a, b = np.meshgrid(display.a, display.b)
    expected = model.decision_function(np.column_stack([a.ravel(), b.ravel()])).reshape(20, 20)
    np.testing.assert_allclose(display.decision, expected, atol=1e-12)
    assert display.section_of is None
    assert display.ax_.get_title(loc="left") == ""
    assert display.figure_ is display.ax_.figure


def test_more_features_are_drawn_in_a_section_through_the_mean(wide):
    X, y = wide
    model = SVC().fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=30, ax=new_ax())
    values, vectors = np.linalg.eigh(np.cov(X.T))
    v1, v2 = vectors[:, -1], vectors[:, -2]
    # a principal component has no sign of its own
    v1 *= np.sign(display.points[:, 0] @ (X @ v1))
    v2 *= np.sign(display.points[:, 1] @ (X @ v2))
    np.testing.assert_allclose(display.points, (X - X.mean(axis=0)) @ np.column_stack([v1, v2]), atol=1e-9)
    corner = X.mean(axis=0) + display.a[0] * v1 + display.b[-1] * v2
    np.testing.assert_allclose(display.decision[-1, 0], model.decision_function(corner[None])[0], atol=1e-9)
    share = 100 * values[-1] / values.sum()
    assert display.ax_.get_xlabel() == f"principal component 1 ({share:.0f} % of the variance)"
    note = display.ax_.get_title(loc="left")
    assert "section of the space of 8 features" in note and "projected" in note


def test_components_choose_and_order_the_axes(wide, moons):
    X, y = wide
    model = SVC().fit(X, y)
    first = MarginDisplay.from_estimator(model, X, y, grid_resolution=5, ax=new_ax())
    other = MarginDisplay.from_estimator(model, X, y, components=(2, 0), grid_resolution=5, ax=new_ax())
    np.testing.assert_allclose(other.points[:, 1], first.points[:, 0], atol=1e-9)
    assert other.ax_.get_xlabel().startswith("principal component 3")
    X, y = moons
    turned = MarginDisplay.from_estimator(SVC().fit(X, y), X, y, components=(1, 0), grid_resolution=5, ax=new_ax())
    np.testing.assert_array_equal(turned.points, X[:, ::-1])
    assert turned.ax_.get_xlabel() == "feature 1"


@pytest.mark.parametrize("components", [(0, 0), (0, 8), (-1, 0)])
def test_components_that_do_not_exist_are_refused(wide, components):
    X, y = wide
    with pytest.raises(ValueError, match="two different numbers from 0 to 7"):
        MarginDisplay.from_estimator(SVC().fit(X, y), X, y, components=components)


def test_legend_counts_cases_classes_and_errors(moons):
    X, y = moons
    model = SVC().fit(X, y)
    counts = model.kkt_cases(X, y).counts()
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=20, ax=new_ax())
    inside = counts["inside, correctly classified"] + counts["inside, misclassified"]
    assert legend_texts(display) == [
        f"outside the margin: {counts['outside the margin']}",
        f"on the margin boundary: {counts['on the margin boundary']}",
        f"inside the margin: {inside}",
        f"class 0: {(y == 0).sum()}",
        f"class 1: {(y == 1).sum()}",
        f"inside, misclassified: {counts['inside, misclassified']}",
        "decision boundary: value 0",
        "margin boundaries: value ±1",
        "slack: to its margin boundary",
    ]
    assert counts["inside, misclassified"] == (model.predict(X) != y).sum() > 0


def test_every_sample_is_drawn_once_and_errors_ringed(moons):
    X, y = moons
    model = SVC().fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=20, ax=new_ax())
    *samples, rings = [c for c in display.ax_.collections if isinstance(c, PathCollection)]
    drawn = np.concatenate([collection.get_offsets() for collection in samples])
    assert len(drawn) == len(X)
    assert as_set(drawn) == as_set(X)
    assert as_set(rings.get_offsets()) == as_set(X[model.predict(X) != y])


def test_samples_on_the_margin_boundary_are_drawn_on_it_in_two_dimensions(moons):
    X, y = moons
    display = MarginDisplay.from_estimator(SVC().fit(X, y), X, y, grid_resolution=300, ax=new_ax())
    step = max(display.a[1] - display.a[0], display.b[1] - display.b[0])
    lines = [c for c in display.ax_.collections if c.get_linestyle()[0][1] is not None]
    vertices = np.concatenate([path.vertices for line in lines for path in line.get_paths()])
    on_boundary = display.points[display.cases.case == 1]
    distance = np.linalg.norm(on_boundary[:, None] - vertices[None], axis=2).min(axis=1)
    assert len(on_boundary) > 3
    assert distance.max() < step


def test_words_as_labels_and_given_names(moons):
    X, y = moons
    words = np.where(y == 1, "lower moon", "upper moon")
    model = SVC().fit(X, words)
    display = MarginDisplay.from_estimator(model, X, words, grid_resolution=5, ax=new_ax())
    assert display.classes == ("lower moon", "upper moon")
    assert legend_texts(display)[3] == "lower moon: 60"
    named = MarginDisplay.from_estimator(model, X, words, class_names=("L", "U"), grid_resolution=5, ax=new_ax())
    assert named.classes == ("L", "U")
    assert MarginDisplay.from_estimator(model, X, words, legend=False, ax=new_ax()).legend_ is None


def test_data_frame_gives_the_axes_their_names(moons):
    X, y = moons
    frame = pd.DataFrame(X, columns=["length", "width"])
    display = MarginDisplay.from_estimator(SVC().fit(frame, y), frame, y, grid_resolution=5, ax=new_ax())
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("length", "width")


def test_sparse_rows_are_drawn_like_dense_ones(wide):
    X, y = wide
    X = np.where(np.abs(X) > 0.8, X, 0.0)
    rows = sp.csr_matrix(X)
    dense = MarginDisplay.from_estimator(SVC().fit(X, y), X, y, grid_resolution=10, ax=new_ax())
    sparse = MarginDisplay.from_estimator(SVC().fit(rows, y), rows, y, grid_resolution=10, ax=new_ax())
    np.testing.assert_allclose(sparse.points, dense.points, atol=1e-9)
    np.testing.assert_allclose(sparse.decision, dense.decision, atol=1e-6)


def test_pipeline_is_drawn_in_the_space_of_its_last_step():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:100], y[:100]
    pipeline = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    display = MarginDisplay.from_estimator(pipeline, X, y, grid_resolution=5, ax=new_ax())
    alone = MarginDisplay.from_estimator(pipeline[-1], pipeline[:-1].transform(X), y, grid_resolution=5, ax=new_ax())
    np.testing.assert_array_equal(display.decision, alone.decision)


def test_samples_of_weight_zero_are_not_drawn(moons):
    X, y = moons
    weight = np.ones(len(y))
    weight[::3] = 0
    model = SVC().fit(X, y, weight)
    display = MarginDisplay.from_estimator(model, X, y, sample_weight=weight, grid_resolution=5, ax=new_ax())
    np.testing.assert_array_equal(display.points, X[weight > 0])
    assert len(display.label) == len(display.points) == len(display.cases)


@pytest.mark.filterwarnings("ignore::maxmargin.certificates.IndefiniteKernelWarning")
@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid", lambda X, Z: X @ Z.T])
def test_other_kernels(wide, kernel):
    X, y = wide
    display = MarginDisplay.from_estimator(SVC(kernel=kernel).fit(X, y), X, y, grid_resolution=10, ax=new_ax())
    assert np.isfinite(display.decision).all()


def test_margin_wider_than_the_picture(wide):
    X, y = wide
    display = MarginDisplay.from_estimator(SVC(C=1e-9).fit(X, y), X, y, grid_resolution=10, ax=new_ax())
    assert np.abs(display.decision).max() < 1  # no margin boundary to draw, and no warning about it


def test_samples_on_one_line_get_a_plane_all_the_same():
    X, y = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]), [0, 1]
    display = MarginDisplay.from_estimator(SVC().fit(X, y), X, y, grid_resolution=5, ax=new_ax())
    assert display.b[-1] - display.b[0] > 0.5


def test_plot_again_on_other_axes(moons, pyplot):
    X, y = moons
    display = MarginDisplay.from_estimator(SVC().fit(X, y), X, y, grid_resolution=5)
    first = display.ax_
    assert display.plot() is display
    assert display.ax_ is not first
    ax = new_ax()
    assert display.plot(ax=ax).ax_ is ax
    assert len(pyplot.get_fignums()) == 2


def test_figure_is_white_and_legend_inside_it(moons):
    X, y = moons
    display = MarginDisplay.from_estimator(SVC().fit(X, y), X, y, grid_resolution=5)
    display.figure_.draw_without_rendering()
    box = display.legend_.get_window_extent()
    assert display.figure_.get_facecolor() == (1.0, 1.0, 1.0, 1.0)
    assert box.y0 >= 0 and box.x0 >= 0 and box.x1 <= display.figure_.bbox.x1
    assert box.y1 <= display.ax_.xaxis.label.get_window_extent().y0


def test_what_cannot_be_drawn_is_refused(moons):
    X, y = moons
    with pytest.raises(TypeError, match=r"such as maxmargin\.svm\.SVC"):
        MarginDisplay.from_estimator(sklearn_svm.LinearSVC().fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        MarginDisplay.from_estimator(SVC(), X, y)
    with pytest.raises(ValueError, match="has none"):
        MarginDisplay.from_estimator(SVC(kernel="precomputed").fit(X @ X.T, y), X @ X.T, y)
    with pytest.raises(ValueError, match="two features or more; X has 1"):
        MarginDisplay.from_estimator(SVC().fit(X[:, :1], y), X[:, :1], y)
    with pytest.raises(ValueError, match="training data"):
        MarginDisplay.from_estimator(SVC().fit(X, y), X[:50], y[:50])


def test_linear_machines_are_drawn_like_linear_kernels(moons):
    X, y = moons
    linear = LinearSVC(loss="hinge", tol=1e-9).fit(X, y)
    kernel = SVC(kernel="linear", tol=1e-9).fit(X, y)
    ours, same = (MarginDisplay.from_estimator(model, X, y, ax=new_ax()) for model in (linear, kernel))
    np.testing.assert_allclose(ours.decision, same.decision, atol=1e-5)
    np.testing.assert_array_equal(ours.cases.case, same.cases.case)
    assert legend_texts(ours) == legend_texts(same)
    squares = MarginDisplay.from_estimator(LinearSVC().fit(X, y), X, y, ax=new_ax())
    assert (squares.cases.case != 1).all() and squares.slacks_ is not None  # nobody is on the boundary


def test_missing_matplotlib_is_explained(moons, monkeypatch):
    X, y = moons
    model = SVC().fit(X, y)
    monkeypatch.setattr("maxmargin.plotting._matplotlib.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'maxmargin\[plot\]'"):
        MarginDisplay.from_estimator(model, X, y)


def test_importing_the_room_does_not_import_matplotlib():
    code = "import sys, maxmargin.plotting; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_rows_that_are_all_alike(make):
    """They have no principal component; the report draws them all the same."""
    X, y = make(np.ones((20, 4))), np.arange(20) % 2
    display = MarginDisplay.from_estimator(SVC().fit(X, y), X, y)
    assert "(0 % of the variance)" in display.ax_.get_xlabel()


def test_rows_of_a_landmark_machine_are_told_apart_by_place(moons):
    X, y = moons
    model = LargeSVC(method="landmarks", n_landmarks=15, gap_tol=0.9).fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=20)
    margin = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert not display.multipliers and display.cases.counts()["outside the margin"] == (margin >= 1).sum()
    assert not any("on the margin boundary" in text for text in legend_texts(display))
    assert display.slacks_ is not None
