"""Margins of several classes, of perceptrons and of logistic regression."""

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.kernel_model import KernelLogisticRegression, KernelPerceptron
from maxmargin.linear_model import LinearClassifier, LogisticRegression, Perceptron
from maxmargin.plotting import MarginDisplay
from maxmargin.svm import SVC, LinearSVC, NuSVC

SCHEMES = [
    SVC(gamma=0.5),
    SVC(kernel="linear", multi_class="ovr"),
    SVC(gamma=0.5, multi_class="crammer_singer"),
    NuSVC(nu=0.2),
    LinearSVC(loss="hinge"),
    LinearSVC(multi_class="crammer_singer"),
    LinearClassifier(),
]


def texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


@pytest.fixture(scope="module")
def three():
    return make_blobs(90, centers=[[0, 0], [4, 0], [2, 3]], cluster_std=1.1, random_state=2)


def by_hand(model, rows):
    """The smallest margin that each row would have as a sample of each class, from public values alone."""
    k = len(model.classes_)
    if isinstance(model, (SVC, NuSVC)) and model.multi_class == "ovo":
        values = model.set_params(decision_function_shape="ovo").decision_function(rows)
        pairs = [(a, b) for a in range(k) for b in range(a + 1, k)]
        own = [
            [v if a == c else -v for v, (a, b) in zip(values.T, pairs, strict=True) if c in (a, b)] for c in range(k)
        ]
        return np.array([np.min(parts, axis=0) for parts in own]).T
    values = model.decision_function(rows)
    margins = np.empty_like(values)
    for c in range(k):
        others = np.delete(values, c, axis=1)
        joint = getattr(model, "multi_class", "") == "crammer_singer"
        parts = values[:, [c]] - others if joint else np.column_stack([values[:, c], -others])
        margins[:, c] = parts.min(axis=1)
    return margins


@pytest.mark.parametrize("model", SCHEMES, ids=repr)
def test_samples_are_in_the_case_that_their_margin_says(model, three, ax):
    X, y = three
    model.fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=30, ax=ax)
    margin = by_hand(model, X)[np.arange(len(y)), y]
    np.testing.assert_allclose(display.cases.margin, margin, atol=1e-8)
    np.testing.assert_array_equal(display.cases.sample, np.arange(len(y)))
    near = 10 * display.cases.violation.max() + 1e-6
    case = display.cases.case
    assert (margin[case == 0] >= 1 - near).all() and (margin[case >= 2] <= 1 + near).all()
    np.testing.assert_allclose(margin[case == 1], 1.0, atol=near)
    np.testing.assert_array_equal(display.wrong, model.predict(X) != y)


@pytest.mark.parametrize("model", SCHEMES, ids=repr)
def test_the_grid_has_margins_regions_and_borders(model, three, ax):
    X, y = three
    model.fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=25, ax=ax)
    rows = np.stack(np.meshgrid(display.a, display.b), axis=-1).reshape(-1, 2)
    np.testing.assert_allclose(display.decision.reshape(-1, 3), by_hand(model, rows), atol=1e-8)
    np.testing.assert_array_equal(display.region.ravel(), model.predict(rows))
    # who is ahead of all others is predicted, and beyond a margin boundary there is no doubt
    ahead = display.ahead.reshape(-1, 3)
    won = ahead.max(axis=1) > 1e-9
    np.testing.assert_array_equal(ahead.argmax(axis=1)[won], display.region.ravel()[won])
    beyond, winner = np.nonzero(display.decision.reshape(-1, 3) >= 1)
    np.testing.assert_array_equal(winner, display.region.ravel()[beyond])


def test_every_sample_is_drawn_once_in_the_marker_of_its_class(three, ax):
    X, y = three
    model = SVC(kernel="linear").fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, class_names="abc", grid_resolution=30, ax=ax)
    *samples, rings = [c for c in ax.collections if isinstance(c, PathCollection)]
    drawn = np.concatenate([collection.get_offsets() for collection in samples])
    assert sorted(map(tuple, drawn)) == sorted(map(tuple, X))
    assert {tuple(p) for p in rings.get_offsets()} == {tuple(p) for p in X[model.predict(X) != y]}
    counts = display.cases.counts()
    assert texts(display) == [
        "a: 30",
        "b: 30",
        "c: 30",
        f"outside the margin: {counts['outside the margin']}",
        f"on the margin boundary: {counts['on the margin boundary']}",
        f"inside the margin: {(display.cases.case >= 2).sum()}",
        f"misclassified: {display.wrong.sum()}",
        "decision boundary",
        "margin boundaries: margin 1",
    ]
    assert display.slacks_ is None and display.plot(ax=ax) is display


def test_more_features_and_more_classes(ax):
    X, y = load_iris(return_X_y=True, as_frame=True)
    display = MarginDisplay.from_estimator(
        make_pipeline(StandardScaler(), SVC()).fit(X, y), X, y, grid_resolution=20, ax=ax
    )
    assert display.section_of == 4 and display.decision.shape == (20, 20, 3)
    X, y = make_blobs(120, centers=10, random_state=0)
    display = MarginDisplay.from_estimator(LinearSVC(loss="hinge").fit(X, y), X, y, grid_resolution=20, ax=ax)
    assert texts(display)[0].startswith("outside the margin")  # too many classes for names in the legend


def test_weights_of_zero_and_rows_without_part(three, ax):
    X, y = three
    weight = np.where(np.arange(90) % 4, 1.0, 0.0)
    for model in (SVC(), LogisticRegression()):
        model.fit(X, y, weight)
        display = MarginDisplay.from_estimator(model, X, y, sample_weight=weight, grid_resolution=9, ax=ax)
        np.testing.assert_array_equal(display.points, X[weight > 0])
        assert len(display.label) == len(display.cases) == len(display.wrong) == (weight > 0).sum()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", [LogisticRegression, lambda: LinearClassifier("logistic"), KernelLogisticRegression])
def test_logistic_regression_by_where_samples_lie(make, classes, three, ax):
    X, y = three
    X, y = X[y < classes], y[y < classes]
    model = make().fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=20, ax=ax)
    values = model.decision_function(X)
    if classes == 2:
        margin = np.where(y == 1, values, -values)
    else:
        others = [np.delete(row, k).max() for row, k in zip(values, y, strict=True)]
        own = values[np.arange(len(y)), y]
        margin = own - others if isinstance(model, LogisticRegression) else np.minimum(own, np.negative(others))
    np.testing.assert_array_equal(display.cases.case, np.where(margin >= 1, 0, np.where(margin >= 0, 2, 3)))
    np.testing.assert_array_equal(display.wrong, model.predict(X) != y)
    assert display.slacks_ is None and np.isnan(display.cases.multiplier).all()
    assert not any("on the margin boundary" in text for text in texts(display))


@pytest.mark.parametrize("model", [Perceptron(random_state=0), KernelPerceptron()], ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
def test_margin_of_a_perceptron_that_separates(model, classes, ax):
    X, y = make_blobs(60, centers=[[0, 0], [8, 0], [4, 8]], random_state=0)
    X, y = X[y < classes], y[y < classes]
    model.fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=20, ax=ax)
    values = model.decision_function(X)
    if classes == 2:
        margin = np.where(y == 1, values, -values)
    else:
        margin = np.array([row[k] - np.delete(row, k).max() for row, k in zip(values, y, strict=True)])
    assert display.level == pytest.approx(margin.min()) and display.level > 0
    assert display.cases.counts()["on the margin boundary"] >= 1
    np.testing.assert_array_equal(display.cases.case == 1, margin <= margin.min() * (1 + 1e-9))
    assert display.cases.counts()["inside, misclassified"] == 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_perceptron_that_does_not_separate_has_no_margin(ax):
    X, y = make_moons(100, noise=0.3, random_state=0)
    model = Perceptron(variant="averaged", max_iter=50).fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y, grid_resolution=20, ax=ax)
    wrong = int((model.predict(X) != y).sum())
    assert display.level == 0 < wrong and display.wrong.sum() == wrong
    assert texts(display)[:2] == [f"correctly classified: {100 - wrong}", f"misclassified: {wrong}"]
    assert len(texts(display)) == 5
    assert not any("margin" in text for text in texts(display))


def test_what_is_refused(three):
    X, y = three
    with pytest.raises(ValueError, match="slack=True needs a support vector machine of two classes"):
        MarginDisplay.from_estimator(SVC().fit(X, y), X, y, slack=True)
    two = X[y < 2], y[y < 2]
    with pytest.raises(ValueError, match="slack=True needs a support vector machine"):
        MarginDisplay.from_estimator(LogisticRegression().fit(*two), *two, slack=True)
    with pytest.raises(ValueError, match="a name for each of the 3 classes; got 2"):
        MarginDisplay.from_estimator(SVC().fit(X, y), X, y, class_names=("a", "b"))
