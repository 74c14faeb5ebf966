"""``explain``, ``check``, ``report``, ``export``, ``info``: from a model file and perhaps its table."""

import dataclasses
import json
import os
import shutil

import numpy as np
import pytest
from sklearn.datasets import load_wine

from maxmargin import persistence
from maxmargin.certificates import ModelCertificate, Status
from maxmargin.cli import _model_commands
from maxmargin.tables import read_table
from maxmargin.training import divide, train
from maxmargin.training._check import verdict


@pytest.fixture(scope="module")
def linear(tmp_path_factory, apples):
    """The path of a linear model of the bundled table."""
    from maxmargin.cli import main

    path = tmp_path_factory.mktemp("linear") / "linear.mm"
    words = ["train", apples, "--target", "keeps", "--model", "linear", "--C", 0.1, "--out", path, "--quiet"]
    assert main([str(word) for word in words]) == 0
    return path


# ---------------------------------------------------------------- explain


def test_explain_a_model(tool, trained):
    ended = tool("explain", trained)
    assert ended.code == 0, ended.err
    for words in ("margin", "support vectors", "on the margin boundary", "samples with the largest multipliers"):
        assert words in ended.out


def test_rows_have_the_numbers_of_the_table(tool, trained, apples):
    document = json.loads(tool("explain", trained, apples, "--json").out)
    heads, rows = (document["explanation"]["tables"]["influential"][key] for key in ("columns", "rows"))
    table, account = read_table(apples), persistence.read_provenance(trained)
    labels = table.column("keeps").to_pylist()
    values = persistence.load(trained).decision_function(table)
    trained_on = set(divide(account, table).split.train_rows.tolist())
    assert len(rows) > 50
    for row in rows:
        found = dict(zip(heads, row, strict=True))
        assert found["row"] in trained_on
        assert found["class"] == labels[found["row"]]
        sign = 1 if found["class"] == "yes" else -1
        assert found["margin"] == pytest.approx(sign * values[found["row"]], abs=1e-9)


def test_explain_one_row(tool, trained, apples):
    document = json.loads(tool("explain", trained, apples, "--row", 7, "--json").out)
    explanation = document["explanation"]
    model, table = persistence.load(trained), read_table(apples)
    assert document["row"] == 7
    assert explanation["prediction"] == model.predict(table.slice(7, 1))[0]
    assert explanation["decision"] == pytest.approx(model.decision_function(table.slice(7, 1))[0], rel=1e-9)
    assert "true label" in tool("explain", trained, apples, "--row", 7).out


def test_a_linear_machine_says_what_would_flip_it(tool, linear, apples):
    ended = tool("explain", linear, apples, "--row", 3)
    assert ended.code == 0, ended.err
    document = json.loads(tool("explain", linear, apples, "--row", 3, "--json").out)
    flip = document["explanation"]["flip"]
    assert flip["distance"] > 0 and flip["to"] != document["explanation"]["prediction"]


def test_another_table_is_said_to_be_another(tool, trained, apples, tmp_path):
    lines = apples.read_text().splitlines()
    (tmp_path / "some.csv").write_text("\n".join(lines[:30]))
    ended = tool("explain", trained, "some.csv", "--row", 5)
    assert ended.code == 0 and "not the table of the training" in ended.err
    (tmp_path / "unknown.csv").write_text("\n".join(line.rsplit(",", 1)[0] for line in lines[:30]))
    assert tool("explain", trained, "unknown.csv", "--row", 5).code == 0


@pytest.mark.parametrize("row", [-1, 600])
def test_rows_that_are_not_there(row, tool, trained, apples):
    ended = tool("explain", trained, apples, "--row", row)
    assert ended.code == 2 and "rows 0 to 599" in ended.err


def test_a_row_needs_a_table(tool, trained):
    ended = tool("explain", trained, "--row", 3)
    assert ended.code == 2 and "maxmargin explain MODEL DATA --row" in ended.err


def test_words_that_are_no_row_stay():
    rows = np.array([3, 5, 8])
    assert _model_commands._in_table(1, rows) == 5
    assert _model_commands._in_table("row 2", rows) == "row 8"
    for value in ("intercept", "2 others together", 0.5, None):
        assert _model_commands._in_table(value, rows) == value


# ---------------------------------------------------------------- check


def test_check_holds(tool, trained, apples):
    ended = tool("check", trained, apples)
    assert ended.code == 0, ended.err
    assert "claimed" in ended.out and "recomputed" in ended.out and "Holds:" in ended.out
    document = json.loads(tool("check", trained, apples, "--json").out)
    assert document["holds"] and document["same_data"]
    assert document["recomputed"]["relative_gap"] < 1e-3


def test_check_names_the_figure_that_is_not_reproduced(tool, trained, apples, tmp_path):
    """A file that brings its own tolerance: nothing is within it but what the checker allows."""
    model, account = persistence.load(trained), persistence.read_provenance(trained)
    model[-1].intercept_ = model[-1].intercept_ - 50
    model[-1].set_params(tol=1e9)
    persistence.save(model, tmp_path / "forged.mm", provenance=account)
    ended = tool("check", "forged.mm", apples)
    assert ended.code == 1, ended.out
    told = " ".join(ended.out.split())
    assert "Does not hold" in told and "the primal objective is" in told and "was claimed" in told


def test_check_says_how_far_a_loose_fit_is_from_the_optimum(trained):
    model = persistence.load(trained)[-1].set_params(tol=0.9)
    parts = tuple(dataclasses.replace(part, relative_gap=0.25) for part in model.certificate_.problems)
    holds, reason = verdict(model, ModelCertificate(parts), {})
    assert holds and "tol=0.9" in reason and "the optimum may be lower by 25 %" in reason


def test_no_bound_is_not_called_a_proof(trained):
    model, account = persistence.load(trained), persistence.read_provenance(trained)
    parts = model[-1].certificate_.problems
    told = tuple(dataclasses.replace(part, status=Status.STATIONARY, dual=-np.inf) for part in parts)
    holds, reason = verdict(model[-1], ModelCertificate(told), {})
    assert not holds and reason.startswith("no bound: the kernel is not positive semi-definite")
    assumed = tuple(dataclasses.replace(part, definiteness="assumed") for part in parts)
    holds, reason = verdict(model[-1], ModelCertificate(assumed), account["certificate"])
    assert holds and "assumed and not shown" in reason
    lower = {**account["certificate"], "primal": 0.9 * account["certificate"]["primal"]}
    holds, reason = verdict(model[-1], model[-1].certificate_, lower)
    assert not holds and "the account of the training is refuted: the primal objective" in reason


def test_the_account_is_of_the_problem_that_was_worst_in_the_fit():
    """Where all gaps are rounding, another problem can be the worst when they are recomputed."""
    table = load_wine(as_frame=True).frame
    training = train(table, "target", model="svc", C=1.0, gamma=0.1)
    machine, account = training.model[-1], training.provenance()["certificate"]
    parts = machine.certificate_.problems
    for first in range(len(parts)):
        gaps = [4e-15 if k == first else 1e-15 for k in range(len(parts))]
        found = [dataclasses.replace(part, relative_gap=gap) for part, gap in zip(parts, gaps, strict=True)]
        holds, reason = verdict(machine, ModelCertificate(tuple(found)), account)
        assert holds, reason
    other = next(part for part in parts if part.primal != account["primal"])
    holds, reason = verdict(machine, machine.certificate_, {**account, "primal": other.primal, "dual": other.dual})
    assert not holds and "the account of the training is refuted" in reason


def test_check_on_other_rows_does_not_hold(tool, trained, apples, tmp_path):
    text = apples.read_text()
    (tmp_path / "changed.csv").write_text(text.replace(",no,", ",yes,").replace("Mill Lane", "Hill, top"[:4]))
    (tmp_path / "fewer.csv").write_text("\n".join(text.splitlines()[:-20]))
    for name in ("changed.csv", "fewer.csv"):
        ended = tool("check", trained, name)
        assert ended.code == 1, ended.out + ended.err
        assert "Cannot be checked" in ended.out
        document = json.loads(tool("check", trained, name, "--json").out)
        assert document["holds"] is False and not document["same_data"]
    assert tool("check", trained, "changed.csv", "--quiet").out == ""


def test_check_of_a_model_that_train_has_not_made(tool, apples, tmp_path):
    from maxmargin.svm import SVC

    persistence.save(SVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]), tmp_path / "bare.mm")
    ended = tool("check", "bare.mm", apples)
    assert ended.code == 2 and "no record of a training" in ended.err
    assert tool("info", "bare.mm").code == 0
    assert "SVC" in tool("explain", "bare.mm").out


# ---------------------------------------------------------------- report


def test_report(tool, trained, apples, tmp_path):
    ended = tool("report", trained, apples)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[-1] == "Report: apples.html"
    page = (tmp_path / "apples.html").read_text()
    assert page.rstrip().endswith("</html>") and "maxmargin train" in page
    again = tool("report", trained, apples)
    assert again.code == 2 and "exists already" in again.err
    document = json.loads(tool("report", trained, apples, "--json", "--out", "b/c.html").out)
    assert document["out"] == "b/c.html" and document["report"]["title"]
    assert (tmp_path / "b" / "c.html").exists()
    assert sorted(os.listdir(tmp_path / "b")) == ["c.html"]


# ---------------------------------------------------------------- export


def test_export_predicts_the_same_elsewhere(tool, trained, apples, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    ended = tool("export", trained, "--onnx", "--json")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert document["out"] == "apples.onnx"
    assert {"name": "variety", "type": "string", "shape": "N x 1"} in document["inputs"]
    table = read_table(apples).slice(0, 50)
    session = onnxruntime.InferenceSession(tmp_path / "apples.onnx")
    given = {}
    for value in session.get_inputs():
        column = table.column(value.name)
        if "string" in value.type:
            given[value.name] = np.array(column.to_pylist(), dtype=object)[:, None]
        elif value.name == "picked":
            given[value.name] = (column.to_numpy().astype("M8[us]").astype(np.int64) / 86_400e6)[:, None]
        else:
            given[value.name] = np.array([np.nan if v is None else v for v in column.to_pylist()], float)[:, None]
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(None, given), strict=True))
    model = persistence.load(trained)
    assert found["label"].tolist() == model.predict(table).tolist()
    np.testing.assert_allclose(np.ravel(found["decision"]), model.decision_function(table), atol=1e-10)
    assert "variety" in tool("export", trained, "--onnx", "--out", "other.onnx").out


# ---------------------------------------------------------------- info


def test_info(tool, trained, apples):
    ended = tool("info", trained)
    assert ended.code == 0, ended.err
    for words in (
        "binary",
        "keeps",
        "no, yes",
        "C=10, gamma=0.03",
        "470 rows",
        "crate, season",
        "Proven",
        "fingerprint",
    ):
        assert words in ended.out
    document = json.loads(tool("info", trained, "--json").out)
    assert document["target"] == "keeps" and document["source"]["command"].startswith("maxmargin train")


def test_info_says_what_endangers_trust_and_what_is_not_proven(tool, tmp_path):
    """It said "Proven" beside an accuracy of 1 and a copy of the target, and no more."""
    y = np.where(np.random.default_rng(0).random(80) > 0.5, "yes", "no")
    rows = "".join(f"{i * i % 17},{int(label == 'yes')},{label}\n" for i, label in enumerate(y))
    (tmp_path / "t.csv").write_text("a,paid,y\n" + rows)
    assert tool("train", "t.csv", "--target", "y", "--model", "linear", "--quiet").code == 0
    out = " ".join(tool("info", "t.mm").out.split())
    copy, scores = out.index("1. Column 'paid' is a copy of the target"), out.index("Judged by")
    assert out.index("BEFORE YOU TRUST THE RESULT: 1 finding.") < copy < scores < out.index("Proven: ")
    assert "Not proven: how it will do on new rows." in out and "unless the 1 finding above speaks against it." in out


@pytest.mark.parametrize("command", ["info", "explain", "export", "check", "report", "predict"])
def test_files_that_are_no_models(command, tool, trained, apples, tmp_path):
    broken = tmp_path / "broken.mm"
    data = bytearray(trained.read_bytes())
    data[len(data) // 2] ^= 1
    cut = tmp_path / "cut.mm"
    cut.write_bytes(data[:1000])
    broken.write_bytes(data)
    shutil.copy(apples, tmp_path / "table.mm")
    extra = {"export": ["--onnx"], "check": [apples], "report": [apples], "predict": [apples]}.get(command, [])
    for name in ("cut.mm", "table.mm", "none.mm", "."):
        ended = tool(command, name, *extra)
        assert ended.code == 2 and ended.out == ""
        assert ended.err.count("\n") == 1 and name in ended.err
    if command != "info":  # which reads the text alone
        ended = tool(command, "broken.mm", *extra)
        assert ended.code == 2 and "broken.mm" in ended.err


def test_what_is_read_is_not_replaced(tool, trained, apples, tmp_path):
    table, model = tmp_path / "a.csv", tmp_path / "a.mm"
    table.write_bytes(apples.read_bytes())
    model.write_bytes(trained.read_bytes())
    for words in (
        ("train", table, "--target", "keeps", "--out", table),
        ("train", table, "--target", "keeps", "--report", table),
        ("predict", model, table, "--out", table),
        ("report", model, table, "--out", model),
        ("export", model, "--onnx", "--out", model),
    ):
        ended = tool(*words, "--force")
        assert ended.code == 2 and "would be overwritten" in ended.err
    assert table.read_bytes() == apples.read_bytes() and model.read_bytes() == trained.read_bytes()
