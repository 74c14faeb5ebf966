"""Coefficients and multipliers along C."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.text import Text
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.linear_model import ElasticNet, Lasso, LinearClassifier, LogisticRegression, Ridge
from maxmargin.plotting import PathDisplay
from maxmargin.plotting._side_labels import spread
from maxmargin.svm import SVC

CS = np.geomspace(1e-3, 1, 12)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def test_coefficients_are_those_of_the_path(cancer, ax):
    X, y = cancer
    Z = StandardScaler().fit_transform(X)
    path = LinearClassifier(loss="logistic", penalty="l1").path(Z, y, CS[::-1])
    display = PathDisplay.from_path(path, feature_names=X.columns, ax=ax)
    for j, line in enumerate(display.lines_):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([CS, path.coefs[::-1, 0, j]]))
    largest = X.columns[np.argmax(np.abs(path.coefs[:, 0]).max(axis=0))]
    names = [text.get_text() for text in ax.texts]
    assert len(names) == 7 and largest in names
    used = (path.coefs[:, 0] != 0).sum(axis=1)
    title = ax.get_title(loc="left").replace("\n", " ")
    assert title.startswith(f"From C = 0.001 with {used[-1]} features with a weight to C = 1 with {used[0]}.")
    assert ax.get_xscale() == "log"


def test_rings_where_coefficients_enter(cancer, ax):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), LinearClassifier(loss="logistic", penalty="l1"))
    display = PathDisplay.from_estimator(pipeline, X, y, Cs=CS, ax=ax)
    rings = display.entries_.get_offsets()
    entering = [j for j in range(30) if display.values[0, j] == 0 and display.values[:, j].any()]
    assert len(rings) == len(entering)
    for (C, value), j in zip(rings, entering, strict=True):
        place = int(np.flatnonzero(display.Cs == C)[0])
        assert display.values[place, j] == value != 0
        assert display.values[place - 1, j] == 0
    assert display.names == list(X.columns)
    ridge = PathDisplay.from_estimator(make_pipeline(StandardScaler(), LinearClassifier()), X, y, Cs=CS, ax=ax)
    assert ridge.entries_ is None


def test_one_of_several_problems(ax):
    X, y = load_iris(return_X_y=True)
    path = LinearClassifier().path(X, y, [0.1, 1.0])
    display = PathDisplay.from_path(path, problem=2, ax=ax)
    np.testing.assert_array_equal(display.values, path.coefs[:, 2])
    assert display.title.startswith("2 against the rest: ")
    with pytest.raises(ValueError, match="problem must be a number from 0 to 2; got 3"):
        PathDisplay.from_path(path, problem=3)


def test_multipliers_as_parts_of_c(cancer, ax):
    X, y = cancer
    Z = StandardScaler().fit_transform(X)[:120]
    y = y[:120]
    path = SVC(class_weight="balanced").path(Z, y, [0.01, 1.0, 100.0])
    display = PathDisplay.from_path(path, ax=ax)
    assert display.values.min() >= 0 and display.values.max() <= 1 + 1e-12
    model = path.models[2]
    cases = model.kkt_cases(Z, y)
    assert (display.values[2] > 0).sum() == len(model.support_) == (cases.case > 0).sum()
    assert (display.values[2] > 1 - 1e-12).sum() == (cases.case > 1).sum()
    assert [text.get_text() for text in display.legend_.get_texts()] == ["samples of class 0", "samples of class 1"]
    assert f"{path.n_support[0]} support vectors" in display.title


def test_many_multipliers_are_thinned_out(cancer, ax):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), SVC())
    display = PathDisplay.from_estimator(pipeline, X, y, Cs=[0.01, 1.0], ax=ax)
    assert len(display.lines_) == 300
    assert "Lines of 300 of the" in display.title


def test_laid_out_with_long_names(cancer, pyplot, assert_laid_out):
    X, y = cancer
    X = X.rename(columns=lambda name: f"{name} of all cells in the picture")
    display = PathDisplay.from_estimator(
        LinearClassifier(loss="logistic", penalty="l1"), X / X.std(), y, Cs=CS, most=12
    )
    assert_laid_out(display, display.ax_)
    boxes = sorted((Text.get_window_extent(t) for t in display.ax_.texts), key=lambda box: box.y0)
    assert all(box.x1 <= display.figure_.bbox.x1 for box in boxes)
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))
    assert display.plot(legend=False).legend_ is None


def test_single_value_of_c(ax):
    X, y = load_iris(return_X_y=True)
    display = PathDisplay.from_path(LinearClassifier().path(X[:100], y[:100], [1.0]), ax=ax)
    assert display.title.startswith("C = 1: 4 features")


def test_names_are_moved_apart_and_stay_in_the_room():
    wanted = np.array([50.0, 51.0, 52.0, 0.0, 99.0, 200.0])
    places = spread(wanted, 10, 200)
    assert (np.diff(np.sort(places)) >= 10 - 1e-9).all()
    assert (np.argsort(places) == np.argsort(wanted)).all()
    np.testing.assert_allclose(places, [41, 51, 61, 0, 99, 200])
    crowded = spread(np.full(30, 5.0), 10, 290)
    assert crowded.min() >= 0 and crowded.max() <= 290 + 1e-9


def test_input_that_cannot_be_drawn(cancer):
    X, y = cancer
    with pytest.raises(TypeError, match=r"PathDisplay draws the paths of machines that have one.*LogisticRegression"):
        PathDisplay.from_estimator(LogisticRegression(), X, y)
    with pytest.raises(TypeError, match="return; got list"):
        PathDisplay.from_path([])
    path = LinearClassifier().path(X / X.std(), y, [0.1])
    with pytest.raises(ValueError, match="a name for each of the 30 features"):
        PathDisplay.from_path(path, feature_names=["a"])
    with pytest.raises(ValueError, match="most must be a whole number, 0 or more; got -1"):
        PathDisplay.from_path(path, most=-1)
    iris = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"multipliers of two classes; this path has 3 \(0, 1, 2\)"):
        PathDisplay.from_estimator(SVC(), *iris, Cs=[1.0])
    with pytest.raises(ValueError, match="no meaning for multipliers"):
        PathDisplay.from_estimator(SVC(), iris[0][:100], iris[1][:100], Cs=[1.0], feature_names=list("abcd"))


# ---------------------------------------------------------------- along alpha


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


def test_lasso_paths_fall_in_alpha(diabetes, ax):
    X, y = diabetes
    alphas = np.geomspace(0.01, 2.0, 15)
    path = Lasso().path(X, y, alphas)
    display = PathDisplay.from_path(path, feature_names=X.columns, ax=ax)
    for j, line in enumerate(display.lines_):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([alphas[::-1], path.coefs[::-1, j]]))
    low, high = ax.get_xlim()
    assert low > high and ax.get_xlabel() == "alpha"
    assert len(display.entries_.get_offsets()) == sum(
        path.coefs[-1, j] == 0 and path.coefs[:, j].any() for j in range(10)
    )
    used = (path.coefs != 0).sum(axis=1)
    title = ax.get_title(loc="left").replace("\n", " ")
    assert title.startswith(f"From alpha = 2 with {used[-1]} features with a weight to alpha = 0.01 with {used[0]}.")


def test_ridge_paths_have_no_entries(diabetes, ax):
    X, y = diabetes
    display = PathDisplay.from_estimator(make_pipeline(StandardScaler(), Ridge()), X, y, ax=ax)
    assert display.names == list(X.columns) and display.entries_ is None
    assert len(display.Cs) == 40 and (np.diff(display.Cs) < 0).all()
    Z = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(display.values[0], Ridge(display.Cs[0]).fit(Z, y).coef_, rtol=1e-9)
    # from next to nothing to next to least squares
    assert np.abs(display.values[0]).max() < 1e-2 * np.abs(display.values[-1]).max()


def test_one_of_several_targets(diabetes, ax):
    X, y = diabetes
    path = ElasticNet().path(X, np.column_stack([y, -2 * y]), [1.0, 0.1])
    display = PathDisplay.from_path(path, problem=1, ax=ax)
    np.testing.assert_array_equal(display.values, path.coefs[:, 1])
    assert display.title.startswith("target 1: ")
    with pytest.raises(ValueError, match="problem must be a number from 0 to 1; got 2"):
        PathDisplay.from_path(path, problem=2)


def test_the_parameter_of_the_other_kind_is_refused(diabetes, cancer):
    with pytest.raises(ValueError, match="Cs has no meaning for Lasso"):
        PathDisplay.from_estimator(Lasso(), *diabetes, Cs=[1.0])
    with pytest.raises(ValueError, match="alphas has no meaning for LinearClassifier"):
        PathDisplay.from_estimator(LinearClassifier(), *cancer, alphas=[1.0])
