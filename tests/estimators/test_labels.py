"""Numbering classes: by counting where that is possible, and always as numpy's sorting does."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from maxmargin.estimators import encode_known_labels, encode_labels

KINDS = [np.int8, np.uint8, np.int64, np.uint64, np.float32, np.float64, bool, str]


@pytest.mark.parametrize("kind", KINDS)
@given(values=st.lists(st.integers(0, 5), min_size=2))
def test_as_numpy_unique(kind, values):
    y = np.array(values).astype(kind)
    classes, label = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        with pytest.raises(ValueError, match="greater than one"):
            encode_labels(y)
        return
    found, number = encode_labels(y)
    np.testing.assert_array_equal(found, classes)
    np.testing.assert_array_equal(number, label)
    assert found.dtype == classes.dtype


@pytest.mark.parametrize(
    "y",
    [
        np.array([-(2**62), 2**62, 0]),
        np.array([0, 2**63 + 5], dtype=np.uint64),
        np.array([-100, 100], dtype=np.int8),
        np.array([1e15, -1e15]),
        np.array(["b", "a"], dtype=object),
        np.array([-5.0, 3.0, -5.0]),
    ],
)
def test_labels_far_apart(y):
    classes, label = encode_labels(y)
    np.testing.assert_array_equal(classes, np.unique(y))
    np.testing.assert_array_equal(classes[label], y)


def test_one_class_is_enough_where_that_is_said():
    y = np.array(["a", "a"])
    classes, label = encode_labels(y, least=1)
    assert classes.tolist() == ["a"] and label.tolist() == [0, 0]


def test_targets_that_are_no_labels_are_refused():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        encode_labels(np.array([0.5, 1.5, 2.5]))


def test_known_labels_keep_their_numbers():
    classes = np.array([1, 3, 7])
    np.testing.assert_array_equal(encode_known_labels(np.array([7, 1, 1]), classes), [2, 0, 0])
    for unknown in (0, 2, 9):
        with pytest.raises(ValueError, match=f"label .*{unknown}.*, which the model has not seen"):
            encode_known_labels(np.array([1, unknown]), classes)
