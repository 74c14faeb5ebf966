"""``make demo``: the tool on the bundled table, ending with the path of its report."""

import json

import pytest

from maxmargin import demo
from maxmargin.demo import _apples

pytest.importorskip("cyclopts")
pytest.importorskip("pyarrow")


def test_the_table_is_what_its_script_writes(tmp_path):
    _apples.write(tmp_path / "apples.csv")
    assert (tmp_path / "apples.csv").read_bytes() == demo.table_path().read_bytes()


def test_the_table_has_what_tables_have():
    from maxmargin.tables import describe_table, read_table

    found = describe_table(read_table(demo.table_path()), "keeps")
    kinds = {column.name: column.kind for column in found.columns}
    assert found.rows == 600
    assert set(kinds.values()) == {"number", "category", "date", "drop"}
    assert kinds["crate"] == kinds["season"] == "drop"
    assert sum(column.missing for column in found.columns) > 20
    assert '"Hill, south side"' in demo.table_path().read_text()


def test_demo_runs_train_and_ends_with_the_report(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    ran = []

    def quick(words):
        """The same with one family and fixed parameters: which wins is the affair of `train`."""
        from maxmargin.cli import main

        ran.append(words)
        return main([*words, "--model", "svc", "--C", "10", "--gamma", "0.03"])

    monkeypatch.setattr("maxmargin.demo._run", quick)
    assert demo.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("$ maxmargin train ") and "--target keeps" in lines[0]
    assert "--model" not in ran[0]
    assert lines[-1] == "Report: build/demo/report.html"
    assert (tmp_path / "build" / "demo" / "apples.mm").stat().st_size > 10_000
    assert "</html>" in (tmp_path / "build" / "demo" / "report.html").read_text()[-20:]
    assert demo.main(["--out", "elsewhere"]) == 0
    assert (tmp_path / "elsewhere" / "report.html").exists()
    from maxmargin.cli import main

    capsys.readouterr()
    assert main(["check", "build/demo/apples.mm", str(demo.table_path()), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["holds"]
