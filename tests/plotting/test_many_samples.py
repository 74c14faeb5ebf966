"""Pictures of more samples than a picture has room for, and pictures side by side."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from maxmargin.ensemble import AdaBoostClassifier
from maxmargin.plotting import BoostingRegionsDisplay, MarginDisplay
from maxmargin.svm import LinearSVC

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def _texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def _points(ax):
    return sum(len(c.get_offsets()) for c in ax.collections if hasattr(c, "get_offsets") and len(c.get_offsets()))


@pytest.mark.parametrize("n", [3000, 30_000])
def test_so_many_samples_are_drawn_and_the_legend_says_so(n):
    X, y = make_moons(n, noise=0.2, random_state=0)
    display = MarginDisplay.from_estimator(LinearSVC().fit(X, y), X, y)
    assert f"drawn: 800 of {n:,}, at random" in _texts(display)
    assert any(f": {n // 2}" in text for text in _texts(display))  # counts are of all
    assert _points(display.ax_) <= 2 * 800  # samples, and rings of some
    boosted = AdaBoostClassifier(n_estimators=3).fit(X, y)
    regions = BoostingRegionsDisplay.from_estimator(boosted, X, y, rounds=(1, 3))
    assert f"drawn: 500 of {n:,}, at random" in _texts(regions)


def test_few_samples_are_all_drawn():
    X, y = make_moons(200, noise=0.2, random_state=0)
    display = MarginDisplay.from_estimator(LinearSVC().fit(X, y), X, y)
    assert not any(text.startswith("drawn") for text in _texts(display))
    assert _points(display.ax_) >= 200


def test_both_axes_have_the_same_scale_unless_units_differ():
    X, y = make_moons(200, noise=0.2, random_state=0)
    assert MarginDisplay.from_estimator(LinearSVC().fit(X, y), X, y).ax_.get_aspect() == 1.0
    X = X * [1.0, 100.0]
    assert MarginDisplay.from_estimator(LinearSVC().fit(X, y), X, y).ax_.get_aspect() == "auto"


def test_three_side_by_side_keep_their_axes():
    X, y = make_moons(300, noise=0.2, random_state=0)
    figure, panels = plt.subplots(1, 3, figsize=(14, 6), layout="constrained")
    for ax, C in zip(panels, (0.1, 1.0, 10.0), strict=True):
        MarginDisplay.from_estimator(LinearSVC(C=C).fit(X, y), X, y, ax=ax)
    figure.canvas.draw()
    widths = [ax.get_position().width for ax in panels]
    assert min(widths) > 0.22 and np.ptp(widths) < 0.02
