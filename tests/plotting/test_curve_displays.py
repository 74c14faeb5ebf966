import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_moons

from maxmargin.diagnostics import bias_variance, learning_curve, validation_curve
from maxmargin.plotting import (
    BiasVarianceDisplay,
    BoostingDisplay,
    BoostingMarginDisplay,
    BoostingRegionsDisplay,
    CurveDisplay,
    ImportanceDisplay,
    OutOfBagDisplay,
    TreeDisplay,
)
from maxmargin.plotting._curve_axes import ValueAxis
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.fixture(scope="module")
def moons():
    return make_moons(200, noise=0.3, random_state=0)


@pytest.fixture(scope="module")
def validation(moons):
    return validation_curve(DecisionTreeClassifier(), *moons, param_name="max_depth", param_range=[8, 1, 3])


def legend_texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


# ---------------------------------------------------------------- values on an axis


def test_values_are_placed_by_their_size_or_in_their_order():
    assert ValueAxis([3, 1, 2]).at.tolist() == [3, 1, 2] and not ValueAxis([3, 1, 2]).log
    assert ValueAxis([3, 1, 2]).order.tolist() == [1, 2, 0]
    assert ValueAxis([0.01, 1.0, 100.0]).log and not ValueAxis([0, 1, 100]).log
    for words in (["gini", "entropy"], [1, 2, None], [True, False], [1.0, np.inf], [1, 1]):
        assert ValueAxis(words).at.tolist() == list(range(len(words)))
    np.testing.assert_allclose(ValueAxis([1, 100]).borders()[1], 10)
    assert ValueAxis([5]).borders().tolist() == [4.5, 5.5]


# ---------------------------------------------------------------- learning and validation curves


def test_validation_curve(validation, assert_laid_out):
    display = CurveDisplay.from_curve(validation, score_name="accuracy")
    order = [1, 2, 0]  # by size
    np.testing.assert_array_equal(display.training_.get_xdata(), [1, 3, 8])
    np.testing.assert_allclose(display.training_.get_ydata(), validation.train_scores[order].mean(axis=1))
    np.testing.assert_allclose(display.held_out_.get_ydata(), validation.test_scores[order].mean(axis=1))
    best = validation.best
    assert display.best_.get_xdata()[0] == validation.param_range[best]
    assert display.best_.get_ydata()[0] == validation.test_scores[best].mean()
    assert display.baseline_ is None
    assert display.ax_.get_title(loc="left").replace("\n", " ") == validation.reason
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("max_depth", "accuracy")
    assert {"underfitting", "overfitting"} & set(validation.verdicts) == {"underfitting", "overfitting"} & set(
        legend_texts(display)
    )
    assert_laid_out(display, display.ax_)


def test_learning_curve(moons, ax):
    curve = learning_curve(DecisionTreeClassifier(), *moons, random_state=0)
    display = CurveDisplay.from_curve(curve, ax=ax)
    np.testing.assert_array_equal(display.held_out_.get_xdata(), curve.train_sizes)
    assert set(display.baseline_.get_ydata()) == {curve.baseline} and display.best_ is None
    assert ax.get_title(loc="left").replace("\n", " ") == curve.reason
    assert f"without the features: {curve.baseline:.4g}" in legend_texts(display)
    assert display.plot(legend=False).legend_ is None and display.ax_ is not ax


def test_values_that_are_words(moons, ax):
    curve = validation_curve(
        DecisionTreeClassifier(max_depth=2), *moons, param_name="criterion", param_range=["gini", "entropy"]
    )
    CurveDisplay.from_curve(curve, ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["gini", "entropy"]


def test_what_is_no_curve_is_refused(validation):
    with pytest.raises(TypeError, match=r"results of learning_curve and validation_curve .* got ndarray"):
        CurveDisplay.from_curve(validation.train_scores)


# ---------------------------------------------------------------- bias and variance


def test_squared_loss_adds_up(assert_laid_out):
    X, y = make_friedman1(200, noise=1.0, random_state=0)
    depths = [1, 3, 6]
    results = [bias_variance(DecisionTreeRegressor(max_depth=d), X, y, n_resamples=8, random_state=0) for d in depths]
    display = BiasVarianceDisplay.from_results(results, depths, name="depth")
    np.testing.assert_allclose(
        display.error_.get_ydata(), display.bias_.get_ydata() + display.variance_.get_ydata(), rtol=1e-9
    )
    assert display.noise_ is None and "bias² + noise" in legend_texts(display)
    errors = [result.error for result in results]
    assert display.best_.get_xdata()[0] == depths[int(np.argmin(errors))]
    assert display.ax_.get_xlabel() == "depth"
    assert_laid_out(display, display.ax_)


def test_zero_one_loss_adds_up(moons, ax):
    display = BiasVarianceDisplay.from_estimator(
        DecisionTreeClassifier(), *moons, param_name="max_depth", param_range=[1, 4, None], n_resamples=8,
        random_state=0, ax=ax,
    )  # fmt: skip
    np.testing.assert_allclose(
        display.error_.get_ydata(), display.bias_.get_ydata() + display.variance_.get_ydata(), atol=1e-12
    )
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "4", "None"]
    again = bias_variance(DecisionTreeClassifier(max_depth=4), *moons, n_resamples=8, random_state=0)
    assert again.loss == display.results[1].loss and len(display.results) == 3


def test_all_values_have_the_same_samples(moons):
    display = BiasVarianceDisplay.from_estimator(
        DecisionTreeClassifier(), *moons, param_name="max_depth", param_range=[3, 3], n_resamples=4, legend=False
    )
    first, second = display.results
    np.testing.assert_array_equal(first.bias_of_rows, second.bias_of_rows)
    np.testing.assert_array_equal(first.variance_of_rows, second.variance_of_rows)


def test_known_noise_has_a_line(ax):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(120, 1))
    y = X[:, 0] + rng.normal(size=120)
    display = BiasVarianceDisplay.from_estimator(
        DecisionTreeRegressor(), X[:60], y[:60], X_test=X[60:], y_test=y[60:], truth=lambda rows: rows[:, 0],
        param_name="max_depth", param_range=[1, 2], n_resamples=4, random_state=0, ax=ax,
    )  # fmt: skip
    noise = np.mean((y[60:] - X[60:, 0]) ** 2)
    np.testing.assert_allclose(display.noise_.get_ydata(), noise)
    assert "bias²" in legend_texts(display) and f"noise: {noise:.4g}" in legend_texts(display)


def test_what_cannot_be_drawn_is_refused(moons):
    X, y = moons
    one = bias_variance(DecisionTreeClassifier(max_depth=1), X, y, n_resamples=2, random_state=0)
    other = bias_variance(DecisionTreeClassifier(max_depth=1), X, y, n_resamples=2, random_state=0, loss="squared")
    draw = BiasVarianceDisplay.from_results
    with pytest.raises(ValueError, match="results must be one for each value; got 1 for 2 values"):
        draw([one], [1, 2])
    with pytest.raises(ValueError, match="results must be one for each value; got 0 for 0 values"):
        draw([], [])
    with pytest.raises(ValueError, match="same loss; got both squared and zero-one"):
        draw([one, other], [1, 2])
    with pytest.raises(TypeError, match=r"results must be those of .*bias_variance, one for each value; got float"):
        draw([0.5], [1])
    measure = BiasVarianceDisplay.from_estimator
    with pytest.raises(ValueError, match=r"param_name='depth' is not a parameter of DecisionTreeClassifier. It has: "):
        measure(DecisionTreeClassifier(), X, y, param_name="depth", param_range=[1])
    with pytest.raises(ValueError, match="param_range is empty"):
        measure(DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=[])


# ---------------------------------------------------------------- without Matplotlib


@pytest.mark.parametrize(
    "draw",
    [
        lambda: BiasVarianceDisplay.from_results([], []),
        lambda: BiasVarianceDisplay.from_estimator(None, None, None, param_name="", param_range=[]),
        lambda: BoostingDisplay.from_estimator(None),
        lambda: BoostingMarginDisplay.from_estimator(None, None, None),
        lambda: BoostingRegionsDisplay.from_estimator(None, None, None),
        lambda: CurveDisplay.from_curve(None),
        lambda: ImportanceDisplay.from_estimator(None),
        lambda: OutOfBagDisplay.from_estimator(None),
        lambda: TreeDisplay.from_estimator(None),
    ],
)
def test_absence_of_matplotlib_is_explained(draw, monkeypatch):
    monkeypatch.setattr("maxmargin.plotting._matplotlib.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'maxmargin\[plot\]'"):
        draw()


def test_matplotlib_is_not_imported_before_something_is_drawn():
    code = "import sys, maxmargin.plotting; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
