"""Why a kernel counts as positive semi-definite is kept in files, and printed where it is not by its formula."""

import json
import zipfile
from dataclasses import replace

import pytest

from maxmargin.certificates import DEFINITENESS, ModelCertificate
from maxmargin.persistence import load, save
from maxmargin.persistence._kinds import Record
from maxmargin.svm import SVC, LinearSVC

X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]


@pytest.mark.parametrize("word", DEFINITENESS)
def test_it_comes_along(word, tmp_path):
    model = SVC().fit(X, y)
    parts = tuple(replace(part, definiteness=word) for part in model.certificate_.problems)
    model.certificate_ = ModelCertificate(parts, model._recertify)
    save(model, tmp_path / "model.mm")
    again = load(tmp_path / "model.mm")
    assert again.certificate_.definiteness == word
    assert ("kernel matrix" in str(again.certificate_)) == (word != "known")
    assert ("(assumed)" in str(again.certificate_)) == (word == "assumed")
    assert ("kernel matrix" in again.certificate_._repr_html_()) == (word != "known")


@pytest.mark.parametrize(("model", "word"), [(SVC(), "assumed"), (LinearSVC(), "known")])
def test_files_of_the_first_version_do_not_say(model, word, tmp_path, monkeypatch):
    monkeypatch.setattr("maxmargin.persistence._container.VERSION", 1)
    whole = Record.write

    def as_before(self, value, where):
        parts = yield whole(self, value, where)
        return {name: part for name, part in parts.items() if name != "definiteness"}

    monkeypatch.setattr(Record, "write", as_before)
    save(model.fit(X, y), tmp_path / "old.mm")
    monkeypatch.undo()
    with zipfile.ZipFile(tmp_path / "old.mm") as file:
        assert json.loads(file.read("manifest.json"))["version"] == 1
    old = load(tmp_path / "old.mm")
    assert old.certificate_.definiteness == word
    assert str(old.certificate_.verify(X, y).status) == "converged"


def test_the_weakest_reason_stands_for_the_model():
    part = SVC().fit(X, y).certificate_.problems[0]
    mixed = ModelCertificate(tuple(replace(part, definiteness=word) for word in ("known", "assumed", "shown")))
    assert mixed.definiteness == "assumed"
