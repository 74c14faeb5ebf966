"""The page of a training: its account, its table, and the rows that it has kept aside."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.report import report
from maxmargin.report._words import number
from maxmargin.tables import SparseTable
from maxmargin.training import train


@pytest.fixture(scope="module")
def training(mixed):
    return train(mixed, "churn", model="linear", folds=3)


@pytest.fixture(scope="module")
def page(training, mixed):
    return report(training, mixed)


def test_sections_of_a_training(training, page, read):
    seen = read(page.html)
    assert {"tuning", "preparation", "data", "result"} <= set(seen.ids()) and not seen.crossed
    assert page.data["title"] == "Predicting churn" and page.data["notes"] == []
    assert page.data["certificate"]["state"] == "confirmed"
    for name, score in training.scores.items():
        (metric,) = [m for m in page.data["result"]["metrics"] if m["name"] == name]
        assert metric["value"] == score.value and metric["baseline"] == training.baseline[name].value
    assert page.data["result"]["rows"] == len(training.split.test_rows)
    assert page.data["result"]["baseline"] == training.baseline_name
    assert "train(table, 'churn', model='linear', folds=3)" in page.data["reproduce"]["text"]


def test_columns_and_what_becomes_of_them(page, mixed):
    data, preparation = page.data["data"], page.data["preparation"]
    missing = {column["name"]: column["missing"] for column in data["shown"]}
    assert missing == {name: int(mixed[name].isna().sum()) for name in mixed.columns if name != "churn"}
    assert data["rows"] == len(mixed) and data["missing"] == sum(missing.values())
    assert set(preparation["dropped"]) == {"id", "always"}
    becomes = {column["name"]: column["becomes"] for column in preparation["columns"]}
    assert "identifier" in becomes["id"] and "constant" in becomes["always"]
    assert becomes["city"].startswith("3 columns of 0 and 1: Graz, Linz") and "days since 1970" in becomes["joined"]
    assert not {"id", "always"} & set(page.data["samples"]["columns"])
    weights = {row["name"] for row in page.data["model"]["weights"]["rows"]}
    assert {"age", "age missing", "city=Wien", "city missing", "joined month"} <= weights


def test_row_numbers_are_those_of_the_table(training, page, mixed):
    group = page.data["samples"]["groups"][0]
    X = mixed.drop(columns="churn")
    for line in group["rows"]:
        assert line["row"] in training.split.test_rows
        row = X.iloc[[line["row"]]]
        assert line["cells"][:2] == [mixed["churn"].iloc[line["row"]], training.model.predict(row)[0]]
        age = row["age"].iloc[0]
        assert line["cells"][3] in (number(float(age)), "–", "missing")


def test_the_saved_account_gives_the_same_page(training, page, mixed):
    assert set(page.pictures) == {"search", "confusion", "roc"}
    account = json.loads(json.dumps(training.provenance()))
    assert report(training.model, mixed, training=account).html == page.html
    assert report(training, mixed.drop(columns="churn"), mixed["churn"]).html == page.html


@pytest.mark.usefixtures("no_pictures")
def test_another_table_is_said_to_be_one(training, mixed):
    data = report(training, mixed.iloc[::-1]).data
    assert data["result"]["rows"] == len(mixed) and data["result"]["held_out"] is None
    assert data["certificate"]["state"] == "not recomputed"
    right = np.mean(training.model.predict(mixed.drop(columns="churn")) == mixed["churn"])
    assert data["result"]["metrics"][0]["value"] == pytest.approx(right)


def test_test_rows_are_not_given_twice(training, mixed):
    X = mixed.drop(columns="churn")
    with pytest.raises(ValueError, match="held rows out itself"):
        report(training, mixed, test=(X, mixed["churn"]))


@pytest.mark.usefixtures("no_pictures")
def test_families_that_were_compared(mixed):
    table = mixed[["age", "city", "churn"]]
    trained = train(table, "churn", folds=2, model="tree", test=0)
    data = report(trained, table).data
    assert data["result"]["held_out"] is False and data["tuning"]["family"] == "tree"
    assert [row["family"] for row in data["tuning"]["families"]] == [row.family for row in trained.candidates]
    (chosen,) = [row for row in data["tuning"]["candidates"] if row["chosen"]]
    assert chosen["score"] == pytest.approx(trained.candidates[0].score)


@pytest.mark.usefixtures("no_pictures")
def test_sparse_table():
    rng = np.random.default_rng(0)
    X = (rng.random((120, 40)) < 0.1) * rng.random((120, 40))
    y = (X[:, :20].sum(axis=1) > X[:, 20:].sum(axis=1)).astype(float)
    table = SparseTable(sp.csr_array(X), y)
    trained = train(table, model="linear", folds=2)
    page = report(trained, table)
    assert page.data["certificate"]["state"] == "confirmed" and page.data["data"]["sparse"]["stored"] == (X != 0).sum()
    assert page.data["samples"]["columns"] == ["stored values"]
