"""A whole benchmark of neighbours on small data, and the referee's word on right and wrong answers."""

import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import command_line, neighbors
from benchmarks.datasets import Data
from benchmarks.names import FAISS, OURS, SKLEARN
from benchmarks.neighbors.cases import (
    CASES,
    INTELEX_BRUTE,
    INTELEX_KD,
    SKLEARN_BALL,
    SKLEARN_BRUTE,
    SKLEARN_KD,
    Case,
    split,
)
from benchmarks.neighbors.contenders import Found, MaxMargin, contenders
from benchmarks.neighbors.judge import Judge, named_squares, nearest_squares
from benchmarks.worker import ContenderError

pytestmark = pytest.mark.filterwarnings("ignore")  # the peers' own


def _made(options):
    rng = np.random.default_rng(0)
    return Data(rng.normal(size=(460, 4)), rng.integers(3, size=460), "made")


EVERYBODY = (SKLEARN_BRUTE, SKLEARN_KD, SKLEARN_BALL, INTELEX_BRUTE, INTELEX_KD, FAISS)
CASE = Case("test", _made, {SKLEARN: 1}, EVERYBODY, rows=400)


def _split(dtype):
    return split(_made(None), 400, 60, dtype)


def _by_hand(data, k):
    squares = np.square(data.queries[:, None].astype(float) - data.X[None].astype(float)).sum(axis=2)
    index = np.argsort(squares, axis=1)[:, :k]
    return np.take_along_axis(squares, index, axis=1), index


@pytest.mark.parametrize("contender", contenders(CASE))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_contender_finds_the_nearest(contender, dtype):
    if contender.name == FAISS and dtype == np.float64:
        pytest.skip("knows float32 only")
    data = _split(dtype)
    subject = contender(CASE, data.X, data.y, data.queries)
    try:
        subject.warm_up()
    except ContenderError as error:
        pytest.skip(str(error))
    for method in ("fit", "search"):
        subject.before(method)
        getattr(subject, method)()
    verdict = Judge(CASE, data)(subject.name, subject.found())
    assert verdict.flaw == ""
    assert verdict.numbers["exact"] == 1
    assert verdict.numbers["error"] < 1e-5
    assert subject.note() in ("", "by brute", "by kd_tree", "by ball_tree")
    subject.use_rows(50)
    subject.before("search")
    subject.search()
    assert subject.found().indices.max() < 50


def test_referee_knows_the_nearest(monkeypatch):
    from benchmarks.neighbors import judge

    monkeypatch.setattr(judge, "_BLOCK", 37)  # several of them
    data = _split(np.float64)
    squares, index = _by_hand(data, 5)
    np.testing.assert_allclose(nearest_squares(data.X, data.queries, 5), squares, rtol=1e-12)
    np.testing.assert_allclose(named_squares(data.X, data.queries, index[:, ::-1], 5), squares, rtol=1e-12)


def test_referee_finds_wrong_neighbours():
    data = _split(np.float64)
    squares, index = _by_hand(data, 6)
    judge = Judge(CASE, data)
    right = judge(OURS, Found(np.sqrt(squares[:, :5]), index[:, :5]))
    assert (right.flaw, right.numbers["exact"], right.numbers["as_ours"]) == ("", 1.0, None)
    assert right.numbers["error"] < 1e-14
    wrong = index[:, :5].copy()
    wrong[7, 4] = index[7, 5]  # the sixth instead of the fifth
    verdict = judge("peer", Found(np.sqrt(squares[:, :5]), wrong))
    assert verdict.flaw == "not the nearest rows"
    assert verdict.numbers["exact"] == verdict.numbers["as_ours"] == pytest.approx(59 / 60)
    assert verdict.numbers["error"] > 1e-6  # and the distances are not of these rows


def test_referee_takes_equally_near_rows():
    """Copies of a row, and in float32 rows that its products cannot tell apart."""
    X = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, -1.0], [3.0, 0.0], [0.0, 1.0 + 1e-7]])
    case = replace(CASE, k=1)
    for dtype, last in ((np.float32, 1.0), (np.float64, 0.0)):
        data = split(Data(np.vstack([X, np.zeros((1, 2))]), np.zeros(6), "made"), 5, 1, dtype)
        judge = Judge(case, data)
        shares = [judge("x", Found(np.ones((1, 1)), np.array([[i]]))).numbers["exact"] for i in range(5)]
        assert shares == [1.0, 1.0, 1.0, 0.0, last]


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (np.zeros((60, 4), int), "shape"),
        (np.full((60, 5), 400), "no row"),
        (np.zeros((60, 5), int), "twice"),
    ],
)
def test_answers_that_make_no_sense(index, words):
    data = _split(np.float64)
    with pytest.raises(ValueError, match=words):
        Judge(CASE, data)("peer", Found(np.zeros(index.shape), index))


def test_from_the_command_line_to_the_tables(monkeypatch, tmp_path, capsys):
    covtype = next(replace(c, peers=(SKLEARN_KD,)) for c in CASES if c.name == "knn-covtype")
    monkeypatch.setattr(neighbors, "CASES", (covtype,))
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "covtype.npz", X=rng.normal(size=(6000, 54)), y=rng.integers(7, size=6000))
    file = tmp_path / "raw.json"
    arguments = ["neighbors", "--quick", "--data", str(tmp_path), "--cases", "knn-covtype", "--json", str(file)]
    assert command_line.main([*arguments, "--minutes", "600"]) == 0  # a busy machine leaves none out
    text = capsys.readouterr().out
    assert "knn-covtype: 5000 x 10 float64, 500 queries; data: covtype, from the data folder, shuffled" in text
    assert "of 1 reached" in text
    case = json.loads(file.read_text())["results"]["neighbors"]["cases"]["knn-covtype"]
    assert case["verdicts"][OURS]["exact"] == case["verdicts"][SKLEARN_KD]["as_ours"] == 1
    assert case["ratio"][SKLEARN_KD] > 0
    assert case["beside"][OURS]["median"] > 0


def test_cases_have_what_they_require():
    for case in CASES:
        assert [c.name for c in contenders(case)] == [OURS, *case.peers]
        assert all(any(name.split(" ")[0] == library for name in case.peers) for library in case.required)
    assert MaxMargin.compiles
