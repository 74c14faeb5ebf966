"""Learning and validation curves: scikit-learn's scores, and verdicts that fit the models they are about."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_moons
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import learning_curve as sk_learning, validation_curve as sk_validation
from sklearn.neighbors import KNeighborsClassifier

from maxmargin.diagnostics import learning_curve, validation_curve
from maxmargin.diagnostics._verdict import judge_learning, judge_values

MOONS = make_moons(500, noise=0.3, random_state=0)


def test_scores_are_those_of_scikit_learn():
    X, y = MOONS
    found = learning_curve(KNeighborsClassifier(), X, y, train_sizes=[0.5, 1.0], random_state=0)
    sizes, train, test = sk_learning(KNeighborsClassifier(), X, y, train_sizes=[0.5, 1.0], shuffle=True, random_state=0)
    np.testing.assert_array_equal(found.train_sizes, sizes)
    np.testing.assert_array_equal(found.train_scores, train)
    np.testing.assert_array_equal(found.test_scores, test)
    curve = validation_curve(KNeighborsClassifier(), X, y, param_name="n_neighbors", param_range=[1, 30])
    train, test = sk_validation(KNeighborsClassifier(), X, y, param_name="n_neighbors", param_range=[1, 30])
    np.testing.assert_array_equal(curve.train_scores, train)
    np.testing.assert_array_equal(curve.test_scores, test)


def test_one_neighbour_overfits_noise():
    found = learning_curve(KNeighborsClassifier(1), *MOONS, random_state=0)
    assert found.verdict == "overfitting"
    assert "training rows score 1 " in found.reason


def test_a_line_underfits_a_parabola():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = (X[:, 0] + 0.7 * X[:, 1] ** 2 > 0.5).astype(int)
    found = learning_curve(LogisticRegression(), X, y, random_state=0)
    assert found.verdict == "underfitting"
    assert "have not risen for sure" in found.reason


def test_what_fits_is_balanced_and_what_learns_nothing_is_said_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    assert learning_curve(LinearRegression(), X, X @ [1, 2, 3.0], random_state=0).verdict == "balanced"
    y = rng.integers(0, 2, 600)
    assert learning_curve(DummyClassifier(), X, y, random_state=0).verdict == "no better than the baseline"


def test_more_rows_help_while_the_curve_rises():
    sizes = np.array([100, 200])
    train = np.full((2, 5), 1.0)
    rising = np.array([[0.70, 0.71, 0.72, 0.70, 0.71], [0.80, 0.81, 0.82, 0.80, 0.81]])
    assert "more rows will help" in judge_learning(sizes, train, rising, 0.5, 1.0)[1]
    flat = rising[[1, 1]]
    assert "stopped rising" in judge_learning(sizes, train, flat, 0.5, 1.0)[1]


def test_values_are_judged_against_the_best():
    test = np.array([[0.5, 0.52], [0.9, 0.91], [0.89, 0.915], [0.7, 0.71]])
    train = np.array([[0.5, 0.5], [0.92, 0.92], [0.95, 0.95], [1.0, 1.0]])
    assert judge_values(train, test, 1) == ["underfitting", "balanced", "balanced", "overfitting"]


def test_validation_curve_finds_both_ends():
    found = validation_curve(KNeighborsClassifier(), *MOONS, param_name="n_neighbors", param_range=[1, 25, 390])
    assert found.verdicts == ["overfitting", "balanced", "underfitting"]
    assert found.best == 1
    assert "Overfitting at 1: training rows score higher there." in found.reason
    assert str(found).splitlines()[0].split() == ["n_neighbors", "training", "held", "out"]


def test_negative_scores_have_zero_as_their_best():
    X, y = make_classification(300, random_state=0, class_sep=3.0, flip_y=0)
    found = learning_curve(LogisticRegression(), X, y, scoring="neg_log_loss", random_state=0)
    assert found.verdict == "balanced"


def test_unknown_parameter_is_named():
    with pytest.raises(ValueError, match="param_name='k' is not a parameter of KNeighborsClassifier"):
        validation_curve(KNeighborsClassifier(), *MOONS, param_name="k", param_range=[1])
    with pytest.raises(ValueError, match="param_range is empty"):
        validation_curve(KNeighborsClassifier(), *MOONS, param_name="n_neighbors", param_range=[])
