"""Values that float64 does not hold are found, whatever they are stored in."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from maxmargin.cluster import KMeans
from maxmargin.data import inexact_value
from maxmargin.neighbors import KNeighborsClassifier


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=6))
def test_whole_numbers_are_found_as_exact_arithmetic_finds_them(numbers):
    expected = [number for number in numbers if Fraction(float(number)) != number]
    found = inexact_value(np.array([numbers]))
    assert found == (expected[0] if expected else None)
    assert inexact_value([numbers]) == found
    assert inexact_value([[*numbers, 0.5]]) == found
    assert inexact_value(pd.DataFrame({"a": numbers, "b": 0.5})) == found
    assert (inexact_value(sp.csc_array(np.array([numbers]))) is None) == (not expected)


@pytest.mark.parametrize(
    "values",
    [
        [[0.1, 1e300, np.nan, np.inf]],
        np.array([[1, 2]], dtype=np.int8),
        np.array([["0.1", "x"]]),
        [["x", None, True, 2**70]],
        np.array([[Decimal("0.5"), Decimal("NaN"), Fraction(1, 4)]], dtype=object),
        np.zeros((0, 3), dtype=np.int64),
        np.array([[0.5]], dtype=np.longdouble),
        [[1, 2], [3]],
    ],
)
def test_values_that_are_held_or_no_numbers_pass(values):
    assert inexact_value(values) is None


def test_fractions_and_extended_precision():
    assert inexact_value([[Fraction(1, 3)]]) == Fraction(1, 3)
    assert inexact_value([[Decimal("0.1")]]) == Decimal("0.1")
    assert inexact_value([[10**400]]) == 10**400
    value = np.longdouble(1) + np.finfo(np.longdouble).eps
    found = inexact_value(np.array([[value]]))
    assert found == value if np.finfo(np.longdouble).eps < np.finfo(np.float64).eps else found is None


@pytest.mark.parametrize("make", [np.array, lambda rows: sp.csr_array(np.array(rows)), pd.DataFrame])
def test_rounding_of_whole_numbers_is_said(make):
    rows = [[0, 1], [2**53 + 1, 2]]
    for model in (KNeighborsClassifier(1), KMeans(2, n_init=1)):
        with pytest.warns(UserWarning, match=rf"X has whole numbers .* such as {2**53 + 1}: they are rounded"):
            model.fit(make(rows), [0, 1])
    KMeans(2, n_init=1).fit(make([[0, 1], [2**53 + 2, 2]]))
