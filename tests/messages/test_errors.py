import pickle

import pytest

from maxmargin.messages import Argument, InputError, Place
from maxmargin.tables import TableLimitError


@pytest.mark.parametrize(
    "error",
    [
        InputError("plain"),
        InputError.at(Place("a.csv", 3, "x"), "say ", Argument("columns"), " or ", Argument("header", False)),
        TableLimitError.at(Place("a.csv"), "too wide", limit="max_columns", allowed=3),
    ],
    ids=["plain", "placed", "limit"],
)
def test_errors_survive_pickling(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)
    assert [str(part) for part in again.parts] == [str(part) for part in error.parts]


def test_an_error_knows_where_it_is_and_what_is_to_blame():
    error = InputError.at(Place("a.csv", 3, "x", onwards=True), "odd")
    assert str(error) == "a.csv, from line 3, column 'x': odd"
    assert (error.file, error.line, error.column, error.argument) == ("a.csv", 3, "x", None)
    assert InputError(Argument("test", 0.5), " of 1 row").argument == "test"
    assert InputError("say ", Argument("test", 0.5)).argument is None
    assert InputError("test must be", argument="test").argument == "test"
