"""Figures and intervals, by their formulas."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score, mean_absolute_error, r2_score, roc_auc_score

from maxmargin.training._evaluate import auc, classification_scores, regression_scores, score_by, wilson


@pytest.fixture
def labels():
    generator = np.random.default_rng(3)
    y = generator.choice(["a", "b", "c"], p=[0.6, 0.3, 0.1], size=400)
    said = np.where(generator.random(400) < 0.7, y, generator.choice(["a", "b", "c"], size=400))
    return y, said


def test_figures_are_scikit_learns(labels):
    y, said = labels
    scores = classification_scores(y, said, None, np.array(["a", "b", "c"]))
    assert scores["accuracy"].value == pytest.approx(np.mean(y == said))
    assert scores["balanced accuracy"].value == pytest.approx(balanced_accuracy_score(y, said))
    assert scores["macro F1"].value == pytest.approx(f1_score(y, said, average="macro"))
    assert score_by("balanced accuracy", y, said) == pytest.approx(balanced_accuracy_score(y, said))
    assert all(score.low < score.value < score.high for score in scores.values())


def test_wilson_solves_its_equation():
    """Its ends are the shares p at which the observed share is 1.96 standard deviations away."""
    for right, n in ((0, 10), (7, 10), (450, 500), (10, 10)):
        low, high = wilson(right, n)
        for p in (low, high):
            assert abs(right / n - p) == pytest.approx(1.959963984540054 * np.sqrt(p * (1 - p) / n), abs=1e-9)


def test_auc_and_its_interval_cover():
    """The area is scikit-learn's; over many draws the interval holds the true area nearly 95 % of the time."""
    generator = np.random.default_rng(0)
    hit = 0
    truth = 0.7602499389  # Phi(1/sqrt 2) of two normals a distance of 1 apart
    for _ in range(200):
        positive = np.arange(120) < 50
        values = generator.normal(size=120) + positive
        area, low, high = auc(positive, values)
        assert area == pytest.approx(roc_auc_score(positive, values))
        hit += low <= truth <= high
    assert 0.9 <= hit / 200 <= 0.99


def test_ties_count_half():
    assert auc(np.array([True, False, True, False]), np.zeros(4))[0] == 0.5


@pytest.mark.parametrize("rows", [300, 5000])  # single rows, and blocks of them
def test_regression_figures_and_coverage(rows):
    generator = np.random.default_rng(1)
    y = 1e6 + generator.normal(size=rows)  # far from 0: sums of squares must not cancel
    said = y + 0.5 * generator.normal(size=rows)
    scores = regression_scores(y, said)
    assert scores["R2"].value == pytest.approx(r2_score(y, said), abs=1e-9)
    assert scores["RMSE"].value == pytest.approx(np.sqrt(np.mean((y - said) ** 2)))
    assert scores["MAE"].value == pytest.approx(mean_absolute_error(y, said))
    assert scores["RMSE"].low < 0.5 < scores["RMSE"].high
    assert not scores["RMSE"].more_is_better and scores["R2"].more_is_better
    # the standard error of a root mean square of normals is sigma / sqrt(2 n)
    width = (scores["RMSE"].high - scores["RMSE"].low) / 2
    assert width == pytest.approx(1.96 * 0.5 / np.sqrt(2 * rows), rel=0.15)


def test_bootstrap_of_cells_is_that_of_rows(labels):
    """Drawing cells of the confusion matrix has the spread of drawing rows."""
    y, said = labels
    found = classification_scores(y, said, None, np.array(["a", "b", "c"]))["balanced accuracy"]
    generator = np.random.default_rng(5)
    draws = [generator.integers(400, size=400) for _ in range(1000)]
    values = [score_by("balanced accuracy", y[rows], said[rows]) for rows in draws]
    low, high = np.percentile(values, [2.5, 97.5])
    assert found.low == pytest.approx(low, abs=0.01) and found.high == pytest.approx(high, abs=0.01)


def test_labels_that_a_model_does_not_know_are_errors():
    scores = classification_scores(np.array(["a", "z"]), np.array(["a", "a"]), None, np.array(["a", "b"]))
    assert scores["accuracy"].value == 0.5
