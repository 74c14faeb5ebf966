import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble as sklearn_ensemble
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from maxmargin.ensemble import AdaBoostClassifier
from maxmargin.plotting import BoostingDisplay, BoostingMarginDisplay, BoostingRegionsDisplay
from maxmargin.svm import SVC


@pytest.fixture(scope="module")
def moons():
    return make_moons(150, noise=0.2, random_state=0)


@pytest.fixture(scope="module")
def boosted(moons):
    return AdaBoostClassifier(n_estimators=60).fit(*moons)


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    words = data.target_names[data.target]
    return data.data, words, AdaBoostClassifier(n_estimators=20).fit(data.data, words)


def legend_texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


# ---------------------------------------------------------------- the bound


def test_curves_are_those_of_the_certificate_and_of_the_stages(boosted, assert_laid_out):
    X, y = make_moons(100, noise=0.2, random_state=1)
    display = BoostingDisplay.from_estimator(boosted, X_test=X, y_test=y)
    proof = boosted.certificate_
    np.testing.assert_array_equal(display.training_.get_ydata(), proof.training_errors)
    np.testing.assert_array_equal(display.bound_.get_ydata(), proof.bounds)
    np.testing.assert_allclose(display.test_.get_ydata(), [np.mean(said != y) for said in boosted.staged_predict(X)])
    np.testing.assert_array_equal(display.training_.get_xdata(), np.arange(1, 61))
    assert (display.training_.get_ydata() <= display.bound_.get_ydata()).all()
    assert display.chance_bound_ is None
    assert len({curve.get_linestyle() for curve in (display.bound_, display.training_, display.test_)}) == 3  # in grey
    assert_laid_out(display, display.ax_)


def test_zero_is_on_the_log_scale():
    boosted = AdaBoostClassifier(n_estimators=60).fit(*make_moons(100, noise=0.05, random_state=0))
    display = BoostingDisplay.from_estimator(boosted, log=True)
    assert boosted.certificate_.training_errors[-1] == 0  # so that there is a zero to see
    assert display.ax_.get_yscale() == "symlog" and display.ax_.get_ylim()[0] == 0
    assert display.ax_.get_yticklabels()[0].get_text() == "0"
    begin = int(np.flatnonzero(boosted.certificate_.training_errors > 0)[-1]) + 2
    assert f"no training error from round {begin} on" in display.ax_.get_title(loc="left")
    assert BoostingDisplay.from_estimator(boosted, log=False).ax_.get_yscale() == "linear"


def test_many_classes_have_a_second_bound(iris, ax):
    display = BoostingDisplay.from_estimator(iris[2], ax=ax)
    np.testing.assert_array_equal(display.chance_bound_.get_ydata(), iris[2].certificate_.chance_bounds)
    assert "bound of rows with at most 1/3 of the votes" in legend_texts(display)
    assert display.ax_ is ax and display.figure_ is ax.figure and ax.get_ylim()[1] < 2.5


def test_one_round_is_a_point(ax):
    model = AdaBoostClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    display = BoostingDisplay.from_estimator(model, ax=ax)
    assert len(model.estimators_) == 1 and display.training_.get_marker() == "o"
    assert "after 1 round: training error 0, bound 0" in ax.get_title(loc="left")


# ---------------------------------------------------------------- the margins


def test_last_margins_are_those_of_the_certificate(moons, boosted, iris):
    for X, y, model in ((*moons, boosted), iris):
        display = BoostingMarginDisplay.from_estimator(model, X, y)
        np.testing.assert_allclose(display.margins[:, -1], model.certificate_.margins, atol=1e-12)
        assert display.rounds[-1] == len(model.estimators_)


def test_curves_are_distributions_that_cross_zero_at_the_error(moons, boosted, assert_laid_out):
    X, y = moons
    display = BoostingMarginDisplay.from_estimator(boosted, X, y, rounds=(30, 3))
    assert display.rounds == [3, 30]
    staged = list(boosted.staged_predict(X))
    for k, t in enumerate(display.rounds):
        x, height = display.curves_[k].get_data()
        assert (np.diff(x) >= 0).all() and (np.diff(height) >= 0).all()
        assert (x[0], x[-1], height[0], height[-1]) == (-1, 1, 0, pytest.approx(1))
        below = height[np.searchsorted(x, 0.0, side="right") - 1]
        assert below == pytest.approx(np.mean(staged[t - 1] != y))
    assert_laid_out(display, display.ax_)


def test_weights_count(moons, boosted, ax):
    X, y = moons
    weights = np.where(y == 1, 1.0, 0.0)
    display = BoostingMarginDisplay.from_estimator(boosted, X, y, rounds=[1], sample_weight=weights, ax=ax)
    only = BoostingMarginDisplay.from_estimator(boosted, X[y == 1], y[y == 1], rounds=[1], ax=ax)
    assert legend_texts(display) == legend_texts(only)


# ---------------------------------------------------------------- the regions


def test_regions_are_the_staged_predictions(moons, boosted):
    X, y = moons
    display = BoostingRegionsDisplay.from_estimator(boosted, X, y, rounds=(1, 4, 60), grid_resolution=30)
    grid = np.stack(np.meshgrid(display.a, display.b), axis=-1).reshape(-1, 2)
    staged, rows = list(boosted.staged_predict(grid)), list(boosted.staged_predict(X))
    for k, t in enumerate(display.rounds):
        np.testing.assert_array_equal(display.shares[:, :, k].argmax(axis=-1).ravel(), staged[t - 1])
        np.testing.assert_array_equal(display.wrong[:, k], rows[t - 1] != y)
        title = display.axes_[k].get_title(loc="left")
        assert title == f"round {t}: {100 * np.mean(rows[t - 1] != y):.3g} % wrong"
    assert len(display.axes_) == 3 and display.ax_ is display.axes_[0]


def test_points_are_as_large_as_their_next_weights(moons, boosted):
    X, y = moons
    display = BoostingRegionsDisplay.from_estimator(boosted, X, y, rounds=(1, 2, 3), grid_resolution=10)
    weights = np.full(len(X), 1 / len(X))
    for k, (learner, alpha) in enumerate(zip(boosted.estimators_[:3], boosted.estimator_weights_, strict=False)):
        weights = weights * np.exp(alpha * (learner.predict(X) != y))
        weights /= weights.sum()
        np.testing.assert_allclose(display.weights[:, k], weights * len(X), rtol=1e-9)
        # the error of the next learner with them is what the fit has found
        missed = boosted.estimators_[k + 1].predict(X) != y
        assert weights[missed].sum() == pytest.approx(boosted.estimator_errors_[k + 1])
    sizes = np.concatenate([c.get_sizes() for c in display.points_[0]])
    assert len(sizes) == len(X) and sizes.max() > 2 * sizes.min()


def test_thresholds_of_stumps(moons, boosted):
    X, y = moons
    display = BoostingRegionsDisplay.from_estimator(boosted, X, y, rounds=range(1, 6), grid_resolution=10)
    for k in range(5):
        stump, line = boosted.estimators_[k], display.thresholds_[k]
        values = line.get_xdata() if stump.feature_ == 0 else line.get_ydata()
        assert set(values) == {stump.threshold_}


def test_section_of_four_features(iris):
    X, words, model = iris
    chosen = "petal length (cm)", "sepal width (cm)"
    display = BoostingRegionsDisplay.from_estimator(model, X, words, rounds=[20], features=chosen, grid_resolution=8)
    rows = np.tile(X.to_numpy().mean(axis=0), (64, 1))
    rows[:, [2, 1]] = np.stack(np.meshgrid(display.a, display.b), axis=-1).reshape(-1, 2)
    said = model.predict(pd.DataFrame(rows, columns=X.columns))
    np.testing.assert_array_equal(model.classes_[display.shares[:, :, 0].argmax(axis=-1).ravel()], said)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == chosen
    assert "A section of the space of 4 features" in display.figure_.get_suptitle()
    # stumps on features that are not drawn have no line
    others = BoostingRegionsDisplay.from_estimator(model, X, words, features=(0, 1), grid_resolution=5)
    drawn = [line is not None for line in others.thresholds_]
    assert drawn == [model.estimators_[t - 1].feature_ in (0, 1) for t in others.rounds] and not all(drawn)


def test_pipeline_scikit_learn_and_other_learners(moons, pyplot):
    X, y = moons
    stumps = sklearn_ensemble.AdaBoostClassifier(n_estimators=5)
    pipeline = make_pipeline(StandardScaler(), stumps).fit(X, y)
    display = BoostingRegionsDisplay.from_estimator(pipeline, X, y, grid_resolution=10)
    np.testing.assert_allclose(display.points, pipeline[:-1].transform(X))
    assert all(line is not None for line in display.thresholds_)
    deep = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=5).fit(X, y)
    display = BoostingRegionsDisplay.from_estimator(deep, X, y, grid_resolution=10)
    assert all(line is None for line in display.thresholds_)
    assert legend_texts(display) == ["class 0", "class 1", "large: heavy in the next round"]


def test_given_axes_and_plot_again(moons, boosted, pyplot):
    X, y = moons
    figure, panels = pyplot.subplots(1, 2)
    display = BoostingRegionsDisplay.from_estimator(boosted, X, y, rounds=(1, 9), grid_resolution=10, ax=panels)
    assert display.axes_ == tuple(panels) and display.figure_ is figure
    assert display.plot(legend=False) is display and display.legend_ is None
    assert display.figure_ is not figure
    with pytest.raises(ValueError, match="ax must be one Axes for each of the 2 rounds; got 1"):
        display.plot(ax=panels[0])


def test_panels_and_legend_do_not_overlap(moons, boosted):
    X, y = moons
    display = BoostingRegionsDisplay.from_estimator(boosted, X, y, grid_resolution=20)
    display.figure_.draw_without_rendering()
    legend = display.legend_.get_window_extent()
    assert legend.y0 >= 0
    assert all(
        legend.y1 <= panel.xaxis.label.get_window_extent().y0 + 1 for panel in display.axes_ if panel.get_xlabel()
    )


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize("display", [BoostingMarginDisplay, BoostingRegionsDisplay])
def test_wrong_rows_and_rounds_are_refused(display, moons, boosted):
    X, y = moons
    draw = display.from_estimator
    for wrong in ((0, 3), (61,), (1.5,), (True,)):
        with pytest.raises(ValueError, match="rounds must be whole numbers from 1 to 60, the rounds that were made"):
            draw(boosted, X, y, rounds=wrong)
    with pytest.raises(ValueError, match="rounds must be a sequence of numbers"):
        draw(boosted, X, y, rounds=5)
    with pytest.raises(ValueError, match="rounds is empty"):
        draw(boosted, X, y, rounds=())
    with pytest.raises(ValueError, match="y must have a label for each of the 150 rows"):
        draw(boosted, X, y[:9])
    with pytest.raises(ValueError, match="y has labels that the model has not seen: 7"):
        draw(boosted, X, np.where(y == 0, 7, y))
    for wrong in (np.ones(3), np.zeros(150), -np.ones(150)):
        with pytest.raises(ValueError, match="sample_weight"):
            draw(boosted, X, y, sample_weight=wrong)
    with pytest.raises(NotFittedError):
        draw(AdaBoostClassifier(), X, y)
    with pytest.raises(TypeError, match=r"draws boosted votes of classes, such as .* got SVC\."):
        draw(SVC(), X, y)
    with pytest.raises(TypeError, match="got GradientBoostingClassifier"):
        draw(sklearn_ensemble.GradientBoostingClassifier(), X, y)


def test_what_cannot_be_drawn_is_refused(moons, boosted, iris):
    X, y = moons
    with pytest.raises(NotFittedError):
        BoostingDisplay.from_estimator(AdaBoostClassifier())
    with pytest.raises(TypeError, match=r"the bound of a certificate, .* got sklearn's AdaBoostClassifier"):
        BoostingDisplay.from_estimator(sklearn_ensemble.AdaBoostClassifier(n_estimators=2).fit(X, y))
    with pytest.raises(ValueError, match="X_test and y_test are both needed"):
        BoostingDisplay.from_estimator(boosted, X_test=X)
    with pytest.raises(ValueError, match="y_test must have a label for each of the 150 rows"):
        BoostingDisplay.from_estimator(boosted, X_test=X, y_test=y[1:])
    shown = BoostingRegionsDisplay.from_estimator(iris[2], iris[0], iris[1])  # of more features: two components
    assert shown.section_of == 4 and shown.axis_names[0].startswith("principal component 1")
    with pytest.raises(ValueError, match="'petal size', which is no column of X"):
        BoostingRegionsDisplay.from_estimator(iris[2], iris[0], iris[1], features=("petal size", "petal width (cm)"))
    with pytest.raises(ValueError, match="X has 3 features; this AdaBoostClassifier was trained on 2"):
        BoostingRegionsDisplay.from_estimator(boosted, np.ones((150, 3)), y)
    one = AdaBoostClassifier().fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(ValueError, match="two classes or more; this AdaBoostClassifier has seen but one"):
        BoostingDisplay.from_estimator(one)
