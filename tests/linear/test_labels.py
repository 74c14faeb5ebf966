"""Numbering classes: by counting where that is possible, and always as numpy's sorting does."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from maxmargin.linear._labels import encode_labels

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
