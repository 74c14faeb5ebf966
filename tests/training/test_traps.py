"""Tables that ruin a result: each is noticed, named, and said in a sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from maxmargin.tables import SparseTable
from maxmargin.training import TrainingError, check, divide, evaluate, train
from maxmargin.training._split import RowOrder, equal_rows, hold_out, ordered_folds, read_rows, written_rows


def _table(rows=300, seed=0):
    """Two columns of noise, of which the first tells a little."""
    generator = np.random.default_rng(seed)
    a, b = generator.normal(size=(2, rows))
    y = np.where(a + generator.normal(size=rows) > 0, "yes", "no")
    return pd.DataFrame({"a": a, "b": b, "y": y})


def _found(training, kind):
    return next(str(finding) for finding in training.findings if finding.kind == kind)


def _kinds(training):
    return [finding.kind for finding in training.findings]


# ---------------------------------------------------------------- equal rows


def test_coin_flips_that_come_three_times_are_not_learnt():
    """Their accuracy was 1 where a copy of each held-out row was trained on."""
    generator = np.random.default_rng(0)
    once = pd.DataFrame({"a": generator.normal(size=100), "y": generator.choice(["heads", "tails"], 100)})
    table = pd.concat([once] * 3, ignore_index=True)
    training = train(table, "y", model="knn")
    assert training.scores["accuracy"].low < 0.5 < training.scores["accuracy"].high
    held = set(table["a"][training.split.test_rows])
    assert held and not held & set(table["a"][training.split.train_rows])
    assert training.split.together == 300
    assert "300 rows of 300 have the same values as another row in all columns that are learnt from" in _found(
        training, "duplicates"
    )
    assert check(training.model, training.provenance(), table).holds
    np.testing.assert_array_equal(divide(training.provenance(), table).split.test_rows, training.split.test_rows)


def test_equal_rows_of_coarse_columns_are_no_copies():
    generator = np.random.default_rng(0)
    table = pd.DataFrame({f"x{j}": generator.integers(0, 4, 300) for j in range(3)})
    table["y"] = np.where(table["x0"] > 1, "yes", "no")
    training = train(table, "y", model="tree")
    assert training.split.together == 0 and "duplicates" not in _kinds(training)


def test_identifiers_do_not_hide_copies():
    once = _table(60)
    table = pd.concat([once] * 2, ignore_index=True)
    table.insert(0, "id", range(len(table)))
    training = train(table, "y", model="linear")
    assert training.split.together == 120


def test_equal_sparse_rows_stay_together():
    X = sp.random_array((50, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    units, many = equal_rows(sp.vstack([X, X]).tocsr())
    assert many == 100
    np.testing.assert_array_equal(units[:50], units[50:])
    y = np.arange(100) % 2
    training = train(SparseTable(sp.csr_array(sp.vstack([X, X])), np.tile(y[:50], 2)), model="linear")
    rows = training.split.test_rows % 50
    assert not set(rows) & set(training.split.train_rows % 50)


# ---------------------------------------------------------------- copies of the target


@pytest.mark.parametrize("kind", ["number", "text"])
def test_a_copy_of_the_target_is_named(kind):
    table = _table()
    table["outcome"] = (table["y"] == "yes").astype(int) if kind == "number" else table["y"].str.upper()
    training = train(table, "y", model="linear")
    assert training.scores["accuracy"].value == 1
    assert training.findings[0].serious
    assert str(training.findings[0]) == (
        "Column 'outcome' is a copy of the target: in all of 240 rows the one tells the other. Is it known before the "
        "target is? If not, leave it out: kinds={'outcome': 'drop'}."
    )
    assert training.provenance()["findings"][0]["words"] == str(training.findings[0])


def test_a_column_that_tells_the_target_alone_is_named():
    table = _table(600)
    near = table["y"].where(np.arange(600) % 100 > 0, "no")
    table["decision"] = np.where(near == "yes", 2.0, -1.0) + np.random.default_rng(0).uniform(size=600)
    training = train(table, "y", model="linear")
    assert "Column 'decision' alone gives 99" in _found(training, "alone")
    assert "% of the classes right, on rows that this was not learnt from" in _found(training, "alone")


def test_the_target_in_another_unit_is_a_copy_of_it(tables):
    table = tables["regression"].assign(cents=lambda t: 100 * t["y"] + 7)
    training = train(table, "y", model="ridge")
    assert "Column 'cents' is a copy of the target" in _found(training, "copy")


def test_honest_columns_are_not_suspected(tables):
    for table in tables.values():
        assert not _kinds(train(table, "y", model="tree"))


def test_a_sparse_copy_of_the_target_is_named():
    generator = np.random.default_rng(0)
    y = generator.integers(0, 2, 200)
    X = sp.csr_array(np.column_stack([generator.normal(size=(200, 3)), y]))
    training = train(SparseTable(X, y.astype(float)), model="linear")
    assert "Column 4 has a correlation of 1.0000 with the target" in _found(training, "alone")


# ---------------------------------------------------------------- time


def _drifting(rows=400):
    """A rule that turns around in the last quarter."""
    table = _table(rows)
    table["y"] = np.where((table["a"] > 0) ^ (np.arange(rows) >= 0.75 * rows), "yes", "no")
    table["day"] = pd.date_range("2024-01-01", periods=rows, freq="D").strftime("%Y-%m-%d")
    return table


def test_a_column_of_dates_that_orders_the_table_is_noticed():
    table = _drifting()
    training = train(table, "y", model="logistic")
    assert (training.split.kind, training.split.column) == ("time", "day")
    np.testing.assert_array_equal(training.split.test_rows, np.arange(320, 400))
    assert training.scores["accuracy"].value < 0.3  # at random it is 0.7 and more
    assert _found(training, "time") == (
        "Column 'day' orders the table, which is taken for the order of time: the last 80 rows by 'day' are held out, "
        "and each fold is judged by what came after its rows. If rows are independent: time=False draws them at random."
    )
    assert check(training.model, training.provenance(), table).holds
    at_random = train(table, "y", model="logistic", time=False)
    assert at_random.split.kind == "random" and at_random.scores["accuracy"].value > 0.5


def test_the_time_that_is_named_orders_rows_that_are_shuffled():
    table = _drifting().sample(frac=1, random_state=0).reset_index(drop=True)
    noticed = train(table, "y", model="linear")
    assert noticed.split.kind == "random" and "time='day' holds out the last rows" in _found(noticed, "dates")
    training = train(pl.from_pandas(table), "y", model="linear", time="day")
    assert table["day"][training.split.test_rows].min() > table["day"][training.split.train_rows].max()


def test_times_and_groups_that_are_none():
    table = _table().assign(same=1, gap=[None, *range(299)], text="x")
    for options, words in [
        ({"time": "same"}, "all rows have the same time"),
        ({"time": "gap"}, "1 rows have no time"),
        ({"time": "text"}, "neither numbers nor dates"),
        ({"time": "y"}, "is the target itself"),
        ({"time": "nowhere"}, "is not there"),
        ({"time": True}, "must be the name of a column"),
        ({"group": "same"}, "at least two groups"),
        ({"group": "a", "time": "b"}, "cannot be said together"),
        ({"group": 3}, "must be the name of a column"),
    ]:
        with pytest.raises((TrainingError, ValueError), match=words):
            train(table, "y", model="tree", **options)


def test_folds_in_time_learn_from_what_came_before():
    times = np.random.default_rng(0).permutation(100).astype(float)
    folds = ordered_folds(RowOrder("time", "t", times=times), None, 5, 0)
    assert len(folds) == 5
    for train_rows, test_rows in folds:
        assert times[train_rows].max() < times[test_rows].min() and len(train_rows) >= 50


def test_drift_is_said():
    table = _drifting()
    table["b"] += 3 * (np.arange(400) >= 320)
    training = train(table, "y", model="linear")
    assert "Column 'b' (" in _found(training, "drift")
    assert "distributed differently in the held-out rows than in the training rows" in _found(training, "drift")


# ---------------------------------------------------------------- groups, identifiers, spellings


def test_groups_stay_together_and_are_not_learnt_from():
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"patient_id": np.repeat(np.arange(60), 5), "a": np.repeat(generator.normal(size=60), 5)})
    table["y"] = np.repeat(generator.choice(["ill", "well"], 60), 5)
    table["b"] = generator.normal(size=300)
    known = train(table, "y", model="knn")
    words = _found(known, "groups")
    assert "Column 'patient_id' names 60 things of 5 rows each on the average" in words
    assert "group='patient_id' keeps the rows of one together" in words
    training = train(table, "y", model="knn", group="patient_id")
    held, trained = (set(table["patient_id"][rows]) for rows in (training.split.test_rows, training.split.train_rows))
    assert held and not held & trained
    assert training.scores["accuracy"].value < known.scores["accuracy"].value
    assert [plan.kind for plan in training.columns if plan.name == "patient_id"] == ["drop"]
    assert "Rows of one 'patient_id' stay together: 60 groups" in _found(training, "groups")
    assert check(training.model, training.provenance(), table).holds


def test_rows_of_a_class_that_one_group_has_are_learnt():
    order = RowOrder("groups", "g", units=np.repeat(np.arange(10), 10))
    codes = (order.units == 3).astype(int)
    for seed in range(10):
        held = hold_out(order, codes, 0.2, seed)
        assert held.any() and set(codes[~held]) == {0, 1}


def test_numbers_of_rows_are_named():
    table = _table().assign(reading=np.random.default_rng(0).permutation(300) + 5000)
    words = _found(train(table, "y", model="linear"), "identifier")
    assert words.startswith("Column 'reading' has another whole number in each row, as an identifier has")


def test_labels_that_differ_only_in_case_or_spaces_are_named():
    table = _table()
    table["city"] = np.random.default_rng(1).choice(["Rome", "rome ", "Oslo"], 300)
    spelt = np.random.default_rng(0).choice(["yes", "Yes", "YES"], 300)
    table["y"] = table["y"].where(table["y"] == "no", spelt)
    found = [str(finding) for finding in train(table, "y", model="tree").findings if finding.kind == "spelling"]
    assert found[0] == (
        "Target 'y' has 'YES', 'Yes' and 'yes', which differ only in case or spaces and are learnt as different "
        "classes. Write them alike."
    )
    assert found[1].startswith("Column 'city' has 'Rome' and 'rome ', which differ only in case or spaces")


# ---------------------------------------------------------------- the rows in a file


def test_rows_that_are_held_out_are_written_and_read():
    training = train(_drifting(), "y", model="linear")
    text = written_rows(training.split)
    np.testing.assert_array_equal(np.flatnonzero(read_rows(text, 400)), training.split.test_rows)
    for bad in ("", "no", "\udcff", "a" * 1000, text[:-3]):
        assert read_rows(bad, 400) is None
    assert read_rows(text, 4000) is None


def test_a_table_with_a_class_of_one_row_can_be_judged():
    table = _table()
    training = train(table, "y", model="linear")
    other = pd.concat([table[:20], pd.DataFrame({"a": [0.0], "b": [0.0], "y": ["perhaps"]})], ignore_index=True)
    assert evaluate(training.model, other, "y").rows == 21
