"""Weights of the samples, checked once for all estimators."""

import numpy as np
import pytest

from maxmargin.estimators import check_weights

X = np.zeros((3, 2))


def test_none_stays_none():
    assert check_weights(None, X) is None


def test_negative_weights_count_as_none():
    np.testing.assert_array_equal(check_weights([2, -1, 0], X), [2.0, 0.0, 0.0])
    np.testing.assert_array_equal(check_weights(2, X), [2.0, 2.0, 2.0])


def test_samples_without_a_shape():
    np.testing.assert_array_equal(check_weights([1, 2], ["ab", "c"]), [1.0, 2.0])


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ([1, 2], r"incompatible shapes: \(2,\) vs \(3, 2\)"),
        ([0, 0, 0], "all samples have zero or negative weights"),
        ([-1, 0, -2], "all samples have zero or negative weights"),
        ([1, np.nan, 1], "NaN"),
        ([1, np.inf, 1], "infinity"),
        ([[1, 1, 1]], "Sample weights must be 1D array or scalar"),
    ],
)
def test_other_weights_are_refused(weights, text):
    with pytest.raises(ValueError, match=text):
        check_weights(weights, X)
