"""What columns are taken for, and the numbers that they become, whatever library holds them."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.tables import ColumnReader, TableError, describe_table


@parametrize_with_checks([ColumnReader()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def frames(table):
    """The same table in every library."""
    return {
        "pyarrow": table,
        "chunked": pa.concat_tables([table.slice(0, 3), table.slice(3)]),
        "polars": pl.from_arrow(table),
        "lazy": pl.from_arrow(table).lazy(),
        "pandas": table.to_pandas(),
        "pandas of objects": pd.DataFrame(
            {name: pd.Series(table[name].to_pylist(), dtype=object) for name in table.column_names}
        ),
        "pandas of Arrow": table.to_pandas(types_mapper=pd.ArrowDtype),
        "pandas with NA": table.to_pandas().convert_dtypes(),
        "pandas with another index": table.to_pandas().set_index(np.arange(len(table))[::-1]),
    }


def test_libraries_agree(mixed):
    expected = ColumnReader().fit(mixed)
    matrix = expected.transform(mixed)
    for name, frame in frames(mixed).items():
        reader = ColumnReader().fit(frame)
        assert reader.columns_ == expected.columns_, name
        np.testing.assert_array_equal(reader.transform(frame), matrix, err_msg=name)
        np.testing.assert_array_equal(expected.transform(frame), matrix, err_msg=name)
    assert matrix.dtype == np.float64


def test_kinds(mixed):
    reader = ColumnReader().fit(mixed)
    kinds = {"id": "drop", "city": "category", "age": "number", "size": "number", "ok": "number", "day": "date"}
    assert {plan.name: plan.kind for plan in reader.columns_} == {**kinds, "when": "datetime", "same": "drop"}
    assert {plan.name: plan.reason for plan in reader.columns_ if plan.kind == "drop"} == {
        "id": "an identifier: every row has another integer",
        "same": "constant: always 'x'",
    }
    days = ["day", "day month", "day weekday", "when", "when month", "when weekday", "when hour"]
    assert reader.get_feature_names_out().tolist() == ["city", "age", "size", "ok", *days]
    assert reader.feature_names_in_.tolist() == mixed.column_names
    assert reader.types_["when"] == "date"


def test_dates_as_numbers(mixed):
    """Against datetime's own arithmetic, before and after 1970."""
    names = list(ColumnReader().fit(mixed).get_feature_names_out())
    matrix = ColumnReader().fit_transform(mixed)
    first = names.index("when")
    for row, moment in enumerate(mixed["when"].to_pylist()):
        if moment is None:
            assert np.isnan(matrix[row, first : first + 4]).all()
            continue
        days, *parts = matrix[row, first : first + 4]
        assert days == (moment - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)
        assert parts == [moment.month, moment.weekday(), moment.hour]


def test_categories():
    column = ["b"] * 5 + ["a"] * 4 + ["rare", "rarer", None, ""]
    reader = ColumnReader().fit(pl.DataFrame({"c": column}))
    (plan,) = reader.columns_
    assert plan.levels == ("a", "b")
    assert plan.other
    assert plan.missing == 2
    codes = reader.transform(pl.DataFrame({"c": ["a", "b", "rare", "unheard of", None, " "]}))[:, 0]
    np.testing.assert_array_equal(codes, [0, 1, 2, 2, np.nan, np.nan])
    reader = ColumnReader(max_levels=1).fit(pl.DataFrame({"c": ["b"] * 5 + ["a"] * 4}))
    assert reader.columns_[0].levels == ("b",)


@pytest.mark.parametrize(
    ("column", "kind", "reason"),
    [
        ([1.0] * 12, "drop", "constant: always 1"),
        (["x"] * 12, "drop", "constant: always 'x'"),
        ([None] * 12, "drop", "no value at all"),
        ([1.0] * 11 + [None], "number", "numbers"),
        (["yes"] * 11 + [None], "category", "1 different values"),
        ([f"name {i}" for i in range(12)], "drop", "an identifier or free text: every row has another value"),
        ([True, False] * 6, "number", "true or false"),
        (list(range(12)), "drop", "an identifier: every row has another integer"),
        ([3 * i for i in range(12)], "number", "numbers"),
        ([2**60 + 512 * i * i for i in range(12)], "drop", "an identifier: every row has another integer"),
        ([f"2020-01-{i + 1:02}" for i in range(12)], "date", "dates written as text"),
        ([f"2020-1-1 {i}:30" for i in range(12)], "datetime", "dates with a time written as text"),
        ([f"1/{i + 1}/2020" for i in range(12)], "drop", "an identifier or free text: every row has another value"),
        (
            ["7", "8", "9"] * 3 + ["n.a."] + ["7"] * 2,
            "category",
            "4 different values; 11 of 12 are numbers, and 'n.a.' is not",
        ),
        (["07", "08", "09"] * 4, "category", "3 different values; all of them are numbers written as text"),
        ([dt.date(2020, 1, 1)] * 12, "drop", "constant: always the same date"),
        ([dt.date(2020, 1, 1 + i) for i in range(12)], "date", "dates"),
    ],
)
def test_kind_of_a_column(column, kind, reason):
    table = pa.table({"first": column, "second": [0.5, 1.5] * 6})
    plan = ColumnReader().fit(table).columns_[0]
    assert (plan.kind, plan.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("name", "dropped"),
    [("id", True), ("PassengerId", True), ("customer_no", True), ("Unnamed: 0", True)]
    + [("idea", False), ("income", False), ("width", False), ("grid", False)],
)
def test_names_of_identifiers(name, dropped):
    numbers = [7 * i % 97 for i in range(30)]
    reader = ColumnReader().fit(pa.table({"x": [0.5, 1.5] * 15, name: numbers}))
    assert (reader.columns_[1].kind == "drop") == dropped


@pytest.mark.parametrize(
    ("name", "numbers", "reason"),
    [
        ("ref", [2**60] * 30, "constant: always 1.15292e+18"),
        ("ref", [2**60 + i // 2 for i in range(30)], "integers too long for float64: all are 1.15292e+18 when rounded"),
        ("ref", [float(2**64)] * 30, "integers too long for float64: all are 1.84467e+19 when rounded"),
        ("id", [float(2**64)] * 30, "an identifier by its name: integers too long for float64"),
        (
            "id",
            [2.0**64 + 2**13 * (i // 3) for i in range(30)],
            "an identifier by its name: integers too long for float64",
        ),
        ("id", [2.0**53 - 1] * 30, "constant: always 9.0072e+15"),
    ],
)
def test_what_rounds_to_one_float64_is_not_called_constant(name, numbers, reason):
    reader = ColumnReader().fit(pa.table({"x": [0.5, 1.5] * 15, name: numbers}))
    assert (reader.columns_[1].kind, reader.columns_[1].reason) == ("drop", reason)


def test_python_integers_are_told_apart_as_they_are():
    rows = np.array([[i % 2 + 0.5 for i in range(30)], [2**64 + i for i in range(30)]], dtype=object).T
    frame = pd.DataFrame(rows, columns=["x", "ref"], dtype=object)
    reader = ColumnReader().fit(frame)
    assert reader.columns_[1].reason == "an identifier: every row has another integer"


@pytest.mark.parametrize(
    ("name", "numbers", "dropped"),
    [
        ("ref", [2**60 + 3 * i for i in range(30)], True),  # many of them are one float64
        ("ref", [2**60 + 2**20 * (i // 2) for i in range(30)], False),
        ("user_id", [float(2**63 + 2**40 * i) for i in range(30)], True),
        ("mass", [float(2**63 + 2**40 * i) for i in range(30)], False),
    ],
)
def test_integers_that_are_no_float64_are_told_apart(name, numbers, dropped):
    reader = ColumnReader().fit(pa.table({"x": [0.5, 1.5] * 15, name: numbers}))
    assert (reader.columns_[1].kind == "drop") == dropped


def test_free_text():
    table = pa.table({"note": [f"words {i % 150}" for i in range(200)], "x": [0.5, 1.5] * 100})
    plan = ColumnReader().fit(table).columns_[0]
    assert (plan.kind, plan.reason) == ("drop", "free text: 150 different values in 200 rows")
    assert ColumnReader(max_levels=150).fit(table).columns_[0].kind == "category"


def test_kinds_that_are_asked_for():
    table = pa.table(
        {
            "id": list(range(12)),
            "number": [f"{i}.5" for i in range(11)] + [None],
            "code": [1.0, 2.0, 3.5] * 4,
            "day": [f"{i + 10}.12.2020" for i in range(12)],
            "flag": [True, False, None] * 4,
            "when": [dt.datetime(2020, 1, 1, 12)] * 12,
            "x": list(range(12)),
        }
    )
    kinds = {
        "id": "number",
        "number": "number",
        "code": "category",
        "day": "date",
        "flag": "category",
        "when": "number",
        "x": "drop",
    }
    reader = ColumnReader(kinds=kinds).fit(table)
    assert {plan.name: plan.kind for plan in reader.columns_} == kinds
    assert {plan.reason for plan in reader.columns_} == {"as asked"}
    by_name = {plan.name: plan for plan in reader.columns_}
    assert by_name["code"].levels == ("1", "2", "3.5")
    assert by_name["flag"].levels == ("False", "True")
    matrix = reader.transform(table)
    np.testing.assert_array_equal(matrix[:, 0], np.arange(12))
    np.testing.assert_array_equal(matrix[:, 1], [*np.arange(11) + 0.5, np.nan])
    np.testing.assert_array_equal(matrix[:, 2], [0, 1, 2] * 4)
    np.testing.assert_array_equal(matrix[:, 3] - matrix[0, 3], np.arange(12))
    np.testing.assert_array_equal(matrix[:, 6], [1, 0, np.nan] * 4)
    np.testing.assert_array_equal(matrix[:, 7], [18262.5] * 12)
    assert clone(reader).fit(table).columns_ == reader.columns_


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"y": "number"}, "kinds= names a column that is not there: the table has no column 'y'"),
        ({"x": "words"}, r"kinds\['x'\] is 'words'; it can be number"),
        ({"x": "date"}, "Column 'x' holds numbers, which cannot be taken as date"),
        ({"d": "category"}, "Column 'd' holds dates, which cannot be taken as category"),
        ({"t": "number"}, "Column 't' has 'a' in row 0, which is not a number"),
        ({"t": "date"}, "Column 't' has 'a', which is not a date"),
        ({"s": "date"}, "Column 's' has dates such as '1/2/2020', in which day and month cannot be told apart"),
        ({"x": "drop", "t": "drop", "d": "drop", "s": "drop"}, "No column is left to learn from"),
    ],
)
def test_kinds_that_cannot_be(kinds, words):
    day = dt.date(2020, 1, 1)
    table = pa.table({"x": [1.0, 2.0], "t": ["a", "b"], "d": [day, day], "s": ["1/2/2020", "3/4/2020"]})
    with pytest.raises(ValueError, match=words):
        ColumnReader(kinds=kinds).fit_transform(table)


def test_another_table_at_transform(mixed):
    reader = ColumnReader().fit(mixed)
    matrix = reader.transform(mixed)
    # Other columns are left aside, those that are dropped are not missed, and the order does not matter.
    other = mixed.drop_columns(["id", "same"]).append_column("more", mixed["id"])
    other = other.select(other.column_names[::-1])
    np.testing.assert_array_equal(reader.transform(other), matrix)
    with pytest.raises(TableError, match="has no column 'city'"):
        reader.transform(mixed.drop_columns(["city"]))
    with pytest.raises(TableError, match="Column 'size' holds text, and held numbers when the model was fitted"):
        reader.transform(mixed.set_column(3, "size", mixed["size"].cast(pa.string())))
    with pytest.raises(TableError, match="Column 'city' holds numbers, and held text"):
        reader.transform(mixed.set_column(1, "city", mixed["id"]))
    nothing = reader.transform(mixed.set_column(1, "city", pa.nulls(len(mixed))))
    assert np.isnan(nothing[:, 0]).all()
    whole = mixed.set_column(4, "ok", mixed["ok"].cast(pa.int8()))
    np.testing.assert_array_equal(reader.transform(whole), matrix)


def test_infinite_values():
    with pytest.raises(TableError, match=r"Column 'x' has an infinite value in row 1 \(1 in all\)"):
        ColumnReader().fit(pa.table({"x": [1.0, np.inf, 2.0]}))
    reader = ColumnReader().fit(pa.table({"x": [1.0, 2.0]}))
    with pytest.raises(TableError, match="Column 'x' has an infinite value in row 0"):
        reader.transform(pa.table({"x": [-np.inf]}))


def test_columns_of_frames_that_are_refused():
    with pytest.raises(TableError, match="Column 'a' holds List"):
        ColumnReader().fit(pl.DataFrame({"a": [[1], [2]]}))
    with pytest.raises(TableError, match="Column 'a' holds tuple objects"):
        ColumnReader().fit(pd.DataFrame({"a": [(1,), (2,)]}))
    with pytest.raises(TableError, match="Columns 1 and 2 are both named 'a'"):
        ColumnReader().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))
    with pytest.raises(TableError, match=r"0 sample\(s\)"):
        ColumnReader().fit(pd.DataFrame({"a": []}))
    with pytest.raises(TypeError, match="Sparse rows"):
        ColumnReader().fit(sp.csr_array([[1.0]]))


def test_mixed_objects_are_text():
    reader = ColumnReader().fit(pd.DataFrame({"a": [1, "x", 1, "x", None]}))
    assert reader.columns_[0].levels == ("1", "x")


def test_arrays():
    X = np.array([[1, 2.5], [3, np.nan], [1, 2]])
    reader = ColumnReader().fit(X)
    np.testing.assert_array_equal(reader.transform(X), X)
    assert reader.get_feature_names_out().tolist() == ["x0", "x1"]
    assert not hasattr(reader, "feature_names_in_")
    named = ColumnReader().fit(pd.DataFrame(X, columns=["a", "b"]))
    np.testing.assert_array_equal(named.transform(X), X)
    dates = np.array([["2020-01-01"], ["2020-01-03"]], dtype="M8[D]")
    np.testing.assert_array_equal(ColumnReader().fit_transform(dates)[:, 0], [18262, 18264])


def test_describe(mixed):
    summary = describe_table(mixed, target="city")
    assert summary.rows == 24
    assert [column.name for column in summary.columns] == [name for name in mixed.column_names if name != "city"]
    assert summary.classes == {"Rome": 8, "Oslo": 4, "Oslo, N": 4, 'the "Hague"': 4}
    age = next(column for column in summary.columns if column.name == "age")
    assert (age.missing, age.distinct, age.example, age.kind) == (4, 5, "31", "number")
    when = next(column for column in summary.columns if column.name == "when")
    assert when.example == "1969-12-31T23:59:58"
    assert "identifier" in str(summary)
    assert summary.to_dict()["columns"][0]["kind"] == "drop"
    for frame in frames(mixed).values():
        assert describe_table(frame, target="city") == summary
    with pytest.raises(TableError, match="did you mean 'city'"):
        describe_table(mixed, target="City")


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(
            st.none() | st.floats(allow_infinity=False),
            st.none() | st.text(max_size=4),
            st.none() | st.booleans(),
            st.none() | st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
            st.none() | st.integers(-(2**63), 2**63 - 1),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_libraries_agree_on_anything(rows):
    types = [pa.float64(), pa.string(), pa.bool_(), pa.timestamp("us"), pa.int64()]
    columns = [pa.array(column, type_) for column, type_ in zip(zip(*rows, strict=True), types, strict=True)]
    table = pa.table(columns, names=list("ntbdi"))
    kinds = {"n": "number", "t": "category", "b": "number", "d": "datetime", "i": "number"}
    expected = ColumnReader(kinds=kinds).fit(table)
    matrix = expected.transform(table)
    for frame in (pl.from_arrow(table), table.to_pandas(), table.to_pandas(types_mapper=pd.ArrowDtype)):
        reader = ColumnReader(kinds=kinds).fit(frame)
        assert [plan.levels for plan in reader.columns_] == [plan.levels for plan in expected.columns_]
        found = reader.transform(frame)
        # pandas holds integers with gaps as float64, and NaN apart from null it does not know.
        np.testing.assert_array_equal(found, matrix)


def test_dates_written_as_text_are_dates():
    days = [dt.datetime(1969, 12, 30) + dt.timedelta(hours=31 * i) for i in range(20)]
    expected = ColumnReader().fit_transform(pa.table({"a": days}))
    for form in ("%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M", "%d %b %Y %H:%M", "%Y-%m-%dT%H:%M:%SZ"):
        table = pa.table({"a": [day.strftime(form) for day in days]})
        np.testing.assert_array_equal(ColumnReader().fit_transform(table), expected)
    reader = ColumnReader().fit(table)
    with pytest.raises(TableError, match="Column 'a' has 'soon', which is not a date of the form year-month-day"):
        reader.transform(pa.table({"a": ["soon"]}))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_that_are_not_read_may_hold_anything(library):
    reader = ColumnReader(kinds={"b": "drop"}).fit(library({"a": [1.5, 2.5], "b": ["x", "y"]}))
    table = library({"a": [3.5, 4.5], "b": [[1], [2]], "c": [b"\xff", b""]})
    np.testing.assert_array_equal(reader.transform(table), [[3.5], [4.5]])
    with pytest.raises(TableError, match="Column 'a' holds"):
        reader.transform(library({"a": [[1], [2]]}))
    with pytest.raises(TableError, match="has no column 'a': it has 'b'"):
        reader.transform(library({"b": [[1], [2]]}))
