"""Values that float64 does not hold are found, whatever they are stored in."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from maxmargin.cluster import KMeans
from maxmargin.data import check_array, inexact_entry, inexact_value
from maxmargin.ensemble import AdaBoostRegressor, BaggingRegressor, RandomForestRegressor
from maxmargin.linear_model import Ridge
from maxmargin.neighbors import KNeighborsClassifier, KNeighborsRegressor
from maxmargin.svm import SVC
from maxmargin.tree import DecisionTreeRegressor


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
        np.array([["0.5", "x", "1e3", "inf", " 12 "]]),
        np.array([[b"0.25", "nan", "0x10", ""]], dtype=object),
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
        with pytest.warns(
            UserWarning, match=rf"X has whole numbers .* such as {2**53 + 1} in row 1 of column 0: they are rou"
        ):
            model.fit(make(rows), [0, 1])
    KMeans(2, n_init=1).fit(make([[0, 1], [2**53 + 2, 2]]))


@pytest.mark.parametrize(
    "word", ["9007199254740993", b"9007199254740993", "0.1", "1e-400", "1e-999999999", f"1e-{10**20}"]
)
def test_words_are_the_numbers_that_they_spell(word):
    assert inexact_value(np.array([["1", "2"], ["3", word]], dtype=object)) == word
    assert inexact_value([["1", word]]) == word
    assert inexact_value(pd.DataFrame({"a": ["1", word]}, dtype=object)) == word
    if isinstance(word, str):
        assert inexact_value(np.array([["1", word]])) == word


def test_decimals_of_any_exponent_are_compared_at_once():
    assert inexact_value([[Decimal("1e-999999999")]]) == Decimal("1e-999999999")
    assert inexact_value([[Decimal("1e999999999")]]) == Decimal("1e999999999")


def test_a_value_is_named_with_its_place():
    rows = [[0, 1, 2], [3, 2**53 + 1, 4]]
    for X, column in (
        (np.array(rows), 1),
        (sp.csr_array(np.array(rows)), 1),
        (sp.csc_array(np.array(rows)), 1),
        (sp.bsr_array(np.array(rows)), 1),
        (sp.lil_array(np.array(rows)), 1),
        (sp.dok_array(np.array(rows)), 1),
        (rows, 1),
        (pd.DataFrame(rows, columns=["a", "b", "c"]), "b"),
    ):
        found = inexact_entry(X)
        assert (found.value, found.row, found.column) == (2**53 + 1, 1, column)
        assert str(found) == f"{2**53 + 1} in row 1 of column {column!r}"
    assert str(inexact_entry([[10**400]])) == f"1{29 * '0'}... (401 characters) in row 0 of column 0"
    assert "more than 4300 digits" in str(inexact_entry([[10**5000]]))


@pytest.mark.skipif(np.finfo(np.longdouble).eps >= np.finfo(np.float64).eps, reason="no wider float")
def test_extended_precision_is_printed_in_full():
    value = np.longdouble(1) + np.finfo(np.longdouble).eps
    assert str(inexact_entry(np.array([[value]]))).startswith("1.0000000000000000001 in")


@pytest.mark.parametrize("make", [lambda rows: np.array(rows, dtype=object), lambda rows: np.array(rows).astype(str)])
def test_rounding_of_objects_and_words_is_said(make):
    with pytest.warns(
        UserWarning, match=r"X has whole numbers .* '?9007199254740993'? in row 1 of column 0: they are rou"
    ):
        KNeighborsClassifier(1).fit(make([[0, 1], [2**53 + 1, 2]]), [0, 1])
    KNeighborsClassifier(1).fit(make([[0, 1], [2**53 + 2, 2]]), [0, 1])


def huge(shape, *place):
    values = np.arange(np.prod(shape)).reshape(shape).astype(object)
    values[place] = -(10**400)
    return values


def test_numbers_too_large_for_a_float_are_refused_by_their_place():
    X, y = np.arange(24.0).reshape(12, 2), np.arange(12) % 2
    bad = huge((12, 2), 3, 1)
    words = r"X has -1000.* \(402 characters\) in row 3 of column {}, which is beyond the largest float64"
    for call in (
        lambda: SVC().fit(bad, y),
        lambda: SVC().fit(X, y).predict(bad),
        lambda: Ridge().fit(bad, y),
        lambda: KMeans(2).fit(bad.tolist()),
        lambda: AdaBoostRegressor().fit(bad, y),
        lambda: check_array(bad, dtype=np.float64),
    ):
        with pytest.raises(ValueError, match=words.format(1)):
            call()
    with pytest.raises(ValueError, match=words.format("'b'")):
        SVC().fit(pd.DataFrame(bad, columns=["a", "b"]), y)
    with pytest.raises(ValueError, match=r"^gram has -1000"):
        check_array(bad, dtype=np.float64, input_name="gram")


@pytest.mark.parametrize(
    "model",
    [
        Ridge(),
        KNeighborsRegressor(1),
        DecisionTreeRegressor(),
        RandomForestRegressor(2),
        BaggingRegressor(n_estimators=2),
    ],
)
def test_targets_too_large_for_a_float_are_refused(model):
    with pytest.raises(ValueError, match=r"y has -1000.* beyond the largest float64"):
        model.fit(np.arange(24.0).reshape(12, 2), huge(12, 3))


def test_times_are_counts_of_their_unit():
    odd = np.array([["2020-01-01T00:00:00.000000001"]], dtype="datetime64[ns]")
    assert inexact_value(odd) == odd[0, 0] and inexact_value(pd.DataFrame(odd)) == odd[0, 0]
    assert inexact_value(odd.astype("datetime64[s]")) is None
    assert inexact_value(np.array([["NaT"]], dtype="datetime64[ns]")) is None
