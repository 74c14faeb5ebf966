"""Weights of samples and classes are repetitions and multiples of C."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.svm import SVC

KERNELS = ["linear", "poly", "rbf"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("gamma", ["scale", 0.3])
def test_a_weight_is_a_repetition(clouds, kernel, gamma):
    """Zero included; the variance behind gamma="scale" counts repetitions, too."""
    X, y = clouds(80)
    weight = np.random.default_rng(0).integers(0, 4, 80)
    weighted = SVC(kernel=kernel, gamma=gamma).fit(X, y, weight)
    repeated = SVC(kernel=kernel, gamma=gamma).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)
    assert weighted.certificate_.dual == pytest.approx(repeated.certificate_.dual, rel=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_common_weight_is_a_multiple_of_the_penalty(clouds, kernel):
    X, y = clouds(80)
    assert_allclose(
        SVC(kernel=kernel, C=0.5).fit(X, y, np.full(80, 4.0)).decision_function(X),
        SVC(kernel=kernel, C=2.0).fit(X, y).decision_function(X),
        atol=1e-6,
    )


def test_class_weights_are_sample_weights(clouds):
    X, y = clouds(80)
    by_class = SVC(class_weight={0: 3.0, 1: 0.5}).fit(X, y)
    by_sample = SVC(gamma=by_class._gamma).fit(X, y, np.where(y == 0, 3.0, 0.5))
    assert_allclose(by_class.decision_function(X), by_sample.decision_function(X), atol=1e-6)
    assert_array_equal(by_class.class_weight_, [3.0, 0.5])


def test_class_weights_and_sample_weights_multiply(clouds):
    X, y = clouds(80)
    weight = np.linspace(0.1, 2, 80)
    both = SVC(class_weight={0: 3.0}, gamma=0.3).fit(X, y, weight)
    one = SVC(gamma=0.3).fit(X, y, weight * np.where(y == 0, 3.0, 1.0))
    assert_allclose(both.decision_function(X), one.decision_function(X), atol=1e-6)


def test_balanced(load):
    X, y = load("wine")
    counts = np.bincount(y)
    weights = len(y) / (3 * counts)
    balanced = SVC(class_weight="balanced").fit(X, y)
    assert_allclose(balanced.class_weight_, weights)
    named = SVC(class_weight=dict(enumerate(weights))).fit(X, y)
    assert_allclose(balanced.decision_function(X), named.decision_function(X), atol=1e-6)


def test_weightless_and_negative_samples_take_no_part(clouds):
    X, y = clouds(80)
    weight = np.where(np.arange(80) % 3 == 0, -1.0, 1.0)
    weight[5] = 0
    with pytest.warns(UserWarning, match="sample_weight is negative for 27 of 80 samples: they take no part"):
        model = SVC(gamma=0.3).fit(X, y, weight)
    taking_part = weight > 0
    assert taking_part[model.support_].all()
    alone = SVC(gamma=0.3).fit(X[taking_part], y[taking_part])
    assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-9)


def test_duplicated_data_at_half_the_penalty_is_the_same_machine(clouds):
    X, y = clouds(80)
    once, twice = SVC(C=2.0).fit(X, y), SVC(C=1.0).fit(np.vstack([X, X]), np.r_[y, y])
    assert_allclose(once.decision_function(X), twice.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_the_unit_of_the_features_does_not_matter(clouds, kernel):
    """With gamma="scale"."""
    X, y = clouds(80)
    assert_allclose(
        SVC(kernel=kernel).fit(X, y).decision_function(X),
        SVC(kernel=kernel).fit(X * 1000, y).decision_function(X * 1000),
        atol=1e-6,
    )


def test_order_of_samples_and_names_of_classes_do_not_matter(load):
    X, y = load("wine")
    plain = SVC(decision_function_shape="ovo").fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = SVC(decision_function_shape="ovo").fit(X[order], y[order])
    assert_allclose(shuffled.decision_function(X), plain.decision_function(X), atol=1e-6)
    turned = SVC(decision_function_shape="ovo").fit(X, 2 - y)  # the pairs in reverse, with the other sign
    assert_allclose(-turned.decision_function(X)[:, ::-1], plain.decision_function(X), atol=1e-6)
