import dataclasses
import datetime
import enum
import json
from pathlib import Path

import numpy as np
import pytest

from maxmargin.messages import byte_size, counted, jsonable, listed, number, one_line, parameters, shortened, typeset


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: float
    _hidden: int = 0


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (float("inf"), None),
        (np.array([1.0, np.nan]), [1.0, None]),
        ({Colour.RED: (1, {2})}, {"red": [1, [2]]}),
        (Point(1.5), {"x": 1.5}),
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (np.datetime64("2020-01-02"), "2020-01-02"),
        (Path("a/b"), "a/b"),
        (int, "<class 'int'>"),
    ],
)
def test_any_value_becomes_json(value, plain):
    assert jsonable(value) == plain
    json.dumps(jsonable(value), allow_nan=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (float("nan"), "-"),
        (True, "True"),
        ("rbf", "rbf"),
        (2000, "2,000"),
        (np.int32(2000), "2,000"),
        (12345.6, "12346"),
        (1234567.0, "1.235e+06"),
        (np.float32(0.1), "0.1"),
        (float("-inf"), "-inf"),
    ],
)
def test_a_number_has_few_figures(value, text):
    assert number(value, missing="-") == text


def test_only_positive_numbers_get_a_sign():
    assert [number(value, signed=True) for value in (1.5, -1.5, 0.0)] == ["+1.5", "-1.5", "0"]


@pytest.mark.parametrize(
    ("text", "printed"),
    [("2,000", "2000"), ("-2,000", "−2000"), ("12,000", "12\u202f000"), ("-1,234,567", "−1\u202f234\u202f567")],
)
def test_thousands_are_apart_from_five_digits_on(text, printed):
    assert typeset(text) == printed


def test_names_are_listed():
    assert listed([]) == "" and listed(["a"]) == "a" and listed("abc") == "a, b, c"
    assert listed("abc", last=" and ") == "a, b and c"
    assert listed("abcd", 2, last=" and ") == "a, b and 2 more"


def test_things_are_counted():
    assert counted(1, "row") == "1 row" and counted(2000, "row") == "2,000 rows"
    assert counted(2, "leaf", "leaves") == "2 leaves"
    assert parameters({"C": 10.0, "kernel": "rbf"}) == "C=10, kernel=rbf" and parameters(None) == ""


def test_text_is_cut_to_its_length():
    assert one_line(" a\n b\tc ") == "a b c"
    for longest in range(3, 12):
        for options in ({}, {"middle": True}, {"mark": "..."}):
            assert len(shortened("0123456789", longest, **options)) == min(longest, 10)


def test_bytes_have_a_unit():
    assert [byte_size(size) for size in (12, 2048, 3.5 * (1 << 20), 2000 * (1 << 30))] == [
        "12 bytes",
        "2 KB",
        "3.5 MB",
        "2,000 GB",
    ]
