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


def test_lines_above_axes_side_by_side_stay_above_their_own():
    """They ran across the neighbours, and covered each other."""
    X, y = np.random.default_rng(0).normal(size=(300, 5)), np.arange(300) % 2
    X[:, 0] += y
    figure, panels = plt.subplots(1, 3, figsize=(15, 5))
    for ax in panels:
        MarginDisplay.from_estimator(LinearSVC().fit(X, y), X, y, ax=ax)
    figure.canvas.draw()
    for ax, beside in zip(panels, [*panels[1:], None], strict=True):
        title = next(text for text in (ax.title, ax._left_title) if text.get_text())
        assert "A section of the space" in title.get_text()
        end = figure.bbox.x1 if beside is None else beside.get_window_extent().x0
        assert title.get_window_extent().x1 < end
    alone = MarginDisplay.from_estimator(LinearSVC().fit(X, y), X, y).ax_._left_title
    assert alone.get_text().count("\n") == 1


def test_many_rings_are_smaller_than_few():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    rings = []
    for wrong in (20, 1000):
        y = (X[:, 0] > 0) ^ (np.arange(3000) < wrong)
        display = MarginDisplay.from_estimator(LinearSVC().fit(X, y), X, y)
        rings.append(display.ax_.collections[-1])
    few, many = rings
    assert len(few.get_offsets()) < len(many.get_offsets())
    assert many.get_sizes()[0] < few.get_sizes()[0] / 2


def test_names_of_small_panels_do_not_run_into_each_other():
    X, y = np.random.default_rng(0).normal(size=(400, 5)), np.arange(400) % 2
    X[:, 0] += y
    boosted = AdaBoostClassifier(n_estimators=6).fit(X, y)
    display = BoostingRegionsDisplay.from_estimator(boosted, X, y)
    display.figure_.canvas.draw()
    for axis in ("xaxis", "yaxis"):
        boxes = [getattr(ax, axis).label for ax in display.axes_]
        boxes = [label.get_window_extent() for label in boxes if label.get_text()]
        assert len(boxes) > 1
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
