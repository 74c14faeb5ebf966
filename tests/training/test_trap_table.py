"""A table of traps, each with the sentence that the user reads: what ruins a result, and columns as they come."""

from datetime import date, time, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest

from maxmargin.tables import TableError
from maxmargin.training import check, train

ROWS = 600


def _plain():
    """Four columns, of which two tell something, and two classes."""
    generator = np.random.default_rng(1)
    X = generator.normal(size=(ROWS, 4))
    y = np.where(X[:, 0] - 0.7 * X[:, 1] + 0.8 * generator.normal(size=ROWS) > 0, "good", "bad")
    return pd.DataFrame(X, columns=list("pqrs")).assign(y=y)


def _chosen(good, others, seed=0):
    """A column whose values go with the class."""
    generator = np.random.default_rng(seed)
    return lambda t: np.where(t["y"] == "good", generator.choice(good, ROWS), generator.choice(others, ROWS))


def _numbered(good, others):
    """Sentences that go with the class, no two of them equal."""
    return lambda t: [f"{words} ref {i}" for i, words in enumerate(_chosen(good, others)(t))]


def _wrong_now_and_then(t):
    return np.where((t["y"] == "good") ^ (np.arange(ROWS) % 33 == 0), "K1", "K0")


def _in_time(form, rows=ROWS):
    return lambda t: pd.date_range("2021-01-01", periods=rows, freq="D").strftime(form)


def _customers():
    generator = np.random.default_rng(0)
    of_row = np.repeat(np.arange(120), 5)
    X = generator.normal(size=(120, 3))[of_row] + 0.05 * generator.normal(size=(ROWS, 3))
    table = pd.DataFrame(X, columns=list("fgh")).assign(y=generator.choice(["a", "b"], 120)[of_row])
    return table.assign(customer=[f"c{i:03d}" for i in of_row]).sample(frac=1, random_state=0, ignore_index=True)


def _contradictions():
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"u": generator.normal(size=150), "v": generator.normal(size=150)})
    y = generator.choice(["a", "b"], 150)
    return pd.concat([table.assign(y=y), table.assign(y=np.where(y == "a", "b", "a"))], ignore_index=True)


def _one_class_told():
    generator = np.random.default_rng(0)
    return _plain().assign(y=lambda t: t["y"].where(generator.random(ROWS) > 0.3, "mid")).assign(
        flag=lambda t: (t["y"] == "mid").astype(int)
    )  # fmt: skip


_PAID = ["the customer paid in full and early", "loan closed after all instalments came in"]
_LOST = ["written off by the bank as lost", "sent to the collection agency in may"]

KNOWN = " Is it known before the target is? If not, leave it out: kinds={'%s': 'drop'}."
ALONE = (
    "Column '%s' alone gives %s %% of the classes right, on rows that this was not learnt from; the most frequent "
    "class is 50.4 %%."
)
IN_TIME = (
    "Column '%s' orders the table, which is taken for the order of time: the last 120 rows by '%s' are held out, and "
    "each fold is judged by what came after its rows. If rows are independent: time=False draws them at random."
)

# What it is: the table, the kind of the finding, whether it is serious, and what is said.
TRAPS = {
    "copy in other words": (
        lambda: _plain().assign(leak=lambda t: t["y"].map({"good": "A", "bad": "B"})),
        *("copy", True),
        "Column 'leak' is a copy of the target: in all of 480 rows the one tells the other." + KNOWN % "leak",
    ),
    "copy with mistakes": (
        lambda: _plain().assign(leak=_wrong_now_and_then),
        *("alone", False),
        ALONE % ("leak", "97.1") + KNOWN % "leak",
    ),
    "copy in several codes": (
        lambda: _plain().assign(leak=_chosen(["x1", "x7", "x9"], ["x2", "x3"])),
        *("alone", True),
        ALONE % ("leak", "100.0") + KNOWN % "leak",
    ),
    "filled in for one class alone": (
        lambda: _plain().assign(closed=lambda t: np.where(t["y"] == "good", np.arange(ROWS) % 90, np.nan)),
        *("alone", True),
        ALONE % ("closed", "100.0") + KNOWN % "closed",
    ),
    "leak in text": (
        lambda: _plain().assign(note=_numbered(_PAID, _LOST)),
        *("alone", True),
        ALONE.replace("' alone", "' by its words alone") % ("note", "100.0") + KNOWN % "note",
    ),
    "one class of three told": (
        _one_class_told,
        *("copy", True),
        "Column 'flag' is a copy of one class: in all of 480 rows it tells 'mid' from the others." + KNOWN % "flag",
    ),
    "rows with two labels": (
        _contradictions,
        *("duplicates", True),
        "300 rows of 300 have the same values as another row in all columns that are learnt from, 300 of them beside "
        "one of another class: equal rows are kept on the same side of each split. Intervals take rows for "
        "independent, and are too narrow by that. Were rows copied on the way here? Then leave the copies out.",
    ),
    "groups that no name betrays": (
        _customers,
        *("groups", True),
        "Column 'customer' names 120 things of 5 rows each on the average, and 120 of them have the same target in "
        "all of their rows: rows of one of them are trained on and held out, and the result speaks of other rows "
        "of things that are known. Are new ones to be predicted? Then group='customer' keeps the rows of one together.",
    ),
    "time, month first": (
        lambda: _plain().assign(date=_in_time("%m/%d/%Y")),
        *("time", False),
        IN_TIME % ("date", "date"),
    ),
    "time, latest first": (
        lambda: _plain().assign(date=_in_time("%d.%m.%Y"))[::-1],
        *("time", False),
        IN_TIME % ("date", "date"),
    ),
    "time in seconds": (
        lambda: _plain().assign(ts=1.6e9 + 3600.0 * np.arange(ROWS)),
        *("time", False),
        IN_TIME % ("ts", "ts"),
    ),
    "labels with blanks": (
        lambda: _plain().assign(y=lambda t: t["y"] + np.where(np.arange(ROWS) % 3 == 0, " ", "")),
        *("spelling", True),
        "Target 'y' has 'bad' and 'bad ', which differ only in case or spaces (and 1 more such) and are learnt as "
        "different classes. Write them alike.",
    ),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_each_trap_is_named(trap):
    make, kind, serious, sentence = TRAPS[trap]
    training = train(make(), "y", model="tree")
    said = {str(finding): finding for finding in training.findings}
    assert sentence in said, "\n".join(said)
    assert (said[sentence].kind, said[sentence].serious) == (kind, serious)


def _amounts(t):
    return 100 + 60 * (t["y"] == "good") + np.arange(ROWS) % 90


def _day(number, form):
    return (pd.Timestamp("2022-01-01") + pd.Timedelta(days=int(number))).strftime(form)


# What a cell holds: the column, what it is taken for, and what is said of it.
COLUMNS = {
    "183,7 cm": (lambda t: [f"{v:.1f} cm".replace(".", ",") for v in _amounts(t)], "number", "numbers in cm"),
    "85,09 EUR": (lambda t: [f"{v:.2f} EUR".replace(".", ",") for v in _amounts(t)], "number", "numbers in EUR"),
    "$1,085.00": (lambda t: [f"${10 * v:,.2f}" for v in _amounts(t)], "number", "numbers in $"),
    "67.8%": (lambda t: [f"{v / 3:.1f}%" for v in _amounts(t)], "number", "numbers in %"),
    "9:05": (lambda t: [f"{int(v) // 60}:{int(v) % 60:02d}" for v in _amounts(t)], "number", "times of day, in hours"),
    "dates of several forms": (
        lambda t: [_day(v, ("%Y-%m-%d", "%d.%m.%Y", "%b %d, %Y")[i % 3]) for i, v in enumerate(_amounts(t))],
        *("date", "dates written as text, in several forms"),
    ),
    "dates with the month first": (
        lambda t: [_day(v, "%m/%d/%Y") for v in _amounts(t)],
        *("date", "dates written as text"),
    ),
    "text": (
        lambda t: _numbered([*_PAID, _LOST[0]], [*_LOST, _PAID[0]])(t),
        *("text", "free text: "),
    ),
}


@pytest.mark.parametrize("cell", COLUMNS)
def test_columns_are_learnt_from_as_they_come(cell, tmp_path):
    """A data frame of any library: such columns ended the training of one of pandas."""
    make, kind, reason = COLUMNS[cell]
    table = _plain().assign(cell=make)[["r", "s", "cell", "y"]].sample(frac=1, random_state=0, ignore_index=True)
    training = train(table, "y", model="linear")
    plan = next(plan for plan in training.columns if plan.name == "cell")
    assert plan.kind == kind and plan.reason.startswith(reason)
    assert training.scores["accuracy"].low > 0.5
    table.to_csv(tmp_path / "t.csv", index=False)
    again = pd.read_csv(tmp_path / "t.csv")
    np.testing.assert_array_equal(training.model.predict(again), training.model.predict(table))


FRAMES = {
    "categories of pandas": lambda t: t.assign(c=pd.Categorical(np.tile(["x", "y", "z"], ROWS // 3))),
    "categories of polars": lambda t: pl.from_pandas(t).with_columns(
        c=pl.Series(["x", "y", "z"] * (ROWS // 3)).cast(pl.Categorical)
    ),
    "names of patients as categories": lambda t: t.assign(
        patient_id=pd.Categorical([f"p{i // 4}" for i in range(ROWS)])
    ),
    "numbers and text in a column": lambda t: t.assign(c=[i if i % 2 else "x" for i in range(ROWS)]),
    "dates as objects": lambda t: t.assign(visit_id=[date(2020, 1, 1 + i % 28) for i in range(ROWS)]),
    "names that are numbers": lambda t: t.rename(columns={"p": 0, "q": 1}),
    "times of day": lambda t: t.assign(c=[time(i % 24, i % 60) for i in range(ROWS)]),
    "durations": lambda t: t.assign(c=pd.to_timedelta(np.arange(ROWS) % 77, unit="min")),
    "times and durations of polars": lambda t: pl.from_pandas(t).with_columns(
        c=pl.Series([time(i % 24) for i in range(ROWS)]), e=pl.Series([timedelta(hours=i % 9) for i in range(ROWS)])
    ),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_data_frames_are_learnt_from_as_they_come(frame):
    """Each of them ended the training with an error of another library."""
    table = FRAMES[frame](_plain())
    training = train(table, "y", model="tree")
    assert training.scores["accuracy"].low > 0.5
    assert check(training.model, training.provenance(), table).holds


def test_columns_of_one_name_are_refused_by_name():
    table = pd.concat([_plain(), _plain()[["p"]]], axis=1)
    with pytest.raises(TableError, match="Columns 1 and 6 are both named 'p': rename one of them"):
        train(table, "y", model="tree")
