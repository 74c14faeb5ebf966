"""Malformed tables end in one sentence: some hundreds here, ten thousand by ``python -m tests.cli.fuzz``."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st


@pytest.fixture(scope="module")
def fuzz():
    spec = importlib.util.spec_from_file_location("cli_fuzz", Path(__file__).with_name("fuzz.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def model(fuzz, folder):
    return fuzz.a_model(folder)


def test_spoilt_tables_of_all_formats(fuzz, folder, model):
    ends, failures = fuzz.run(120, 1, folder, model)
    assert not failures
    assert len({form for _, form, _ in ends}) == len(set(fuzz.FORMATS))
    assert {code for _, _, code in ends} >= {0, 2}


CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from(list(',";\n\r\t \x00\ufeff{}[]:#19ay'))


@settings(max_examples=100)
@given(text=st.text(CHARACTERS, max_size=80))
def test_any_text_at_all(fuzz, folder, model, text):
    path = folder / "any.csv"
    path.write_text("c0,c1,c2,y\n" * text.startswith("1") + text, encoding="utf-8")
    code, wrong = fuzz.judge(["predict", str(model), str(path), "--out", str(folder / "out.csv"), "--force"])
    assert not wrong
    assert code in (0, 2)


@settings(max_examples=30)
@given(data=st.binary(max_size=60), form=st.sampled_from(["csv", "parquet", "arrow", "jsonl", "libsvm"]))
def test_any_bytes_at_all(fuzz, folder, data, form):
    path = folder / f"any.{form}"
    path.write_bytes(data)
    code, wrong = fuzz.judge(["train", str(path), "--target", "y", "--out", str(folder / "any.mm"), "--force"])
    assert not wrong
    assert code == 2


def test_the_judge_sees_what_is_wrong(fuzz, folder, monkeypatch):
    def broken(*args, **options):
        raise KeyError("odd")

    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr("maxmargin.tables.read_table", broken)
    code, wrong = fuzz.judge(["train", "a.csv", "--target", "y", "--out", str(folder / "no.mm")])
    assert code == 3 and "KeyError" in wrong
    code, wrong = fuzz.judge(["train", "a.csv", "--target", "y", "--out", str(folder / "no.mm"), "--debug"])
    assert wrong
