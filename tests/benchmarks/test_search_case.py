"""A whole search on small data, and the pieces that it is put together from."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import command_line
from benchmarks.datasets import Data
from benchmarks.kernel.cases import targets
from benchmarks.kernel.judge import Judgement
from benchmarks.kernel.multipliers import Multipliers
from benchmarks.names import INTELEX, OURS, SKLEARN
from benchmarks.options import Options
from benchmarks.search import contenders, limits, one_case, report
from benchmarks.search.agreement import agreement
from benchmarks.search.cases import CASES, Case
from benchmarks.search.contenders import CONTENDERS, Found, MaxMargin, ScikitLearn
from benchmarks.search.fold_models import KeepingScorer, sample
from benchmarks.search.judge import Cells, judge_cells, judge_winner
from benchmarks.targets import targets_text
from benchmarks.timing import Laps
from benchmarks.worker import ContenderError
from sklearn.datasets import make_blobs, make_friedman1
from sklearn.svm import SVC


def _blobs(options):
    X, y = make_blobs(n_samples=90, centers=2, cluster_std=4.0, n_features=3, random_state=0)
    return Data(X, y, "made")


CASE = Case("test", _blobs, targets(20, 8), C=(-1, 1), gamma=(-2, 0), cells=3, folds=3, minutes=1.0)


def _data(kind):
    X, y = make_blobs(n_samples=90, centers=3 if kind == "three" else 2, cluster_std=4.0, n_features=3, random_state=0)
    if kind == "regression":
        X, y = make_friedman1(n_samples=90, random_state=0)
        y = (y - y.mean()) / y.std()
    return Data(sp.csr_matrix(np.maximum(X, 0)) if kind == "csr" else X, y, "made")


@pytest.mark.parametrize("contender", CONTENDERS)
@pytest.mark.parametrize("kind", ["two", "three", "csr", "regression"])
@pytest.mark.filterwarnings("ignore")  # the peers' own
def test_every_contender_hands_over_what_is_compared(contender, kind, monkeypatch):
    monkeypatch.setattr(contenders, "JOBS", 1)  # no processes of joblib in those of the tests
    data, case = _data(kind), replace(CASE, regression=kind == "regression")
    folds = case.split(data)
    subject = contender(case, data.X, data.y, folds)
    try:
        subject.warm_up()
    except ContenderError as error:
        pytest.skip(str(error))
    subject.rehearse()
    subject.before("search")
    subject.search()
    found = subject.found()
    assert found.scores.shape == (9, 3)
    assert found.best == np.argmax(found.scores.mean(axis=1))
    assert judge_winner(case, data, found).violation < 2e-3
    cells = sample(case, found.best, seed=0)
    judged = judge_cells(case, data, folds, found, cells, subject.fold_models(cells))
    assert judged.judged == len(cells)
    assert judged.violation < 2e-3
    assert judged.drift < 1e-6
    assert subject.note() == ""
    if contender is MaxMargin:
        assert (found.violation <= 1e-3).all()
        assert found.gap.shape == (9,)


def test_from_the_command_line_to_the_tables(monkeypatch, tmp_path, capsys):
    for module in (one_case, report):
        monkeypatch.setattr(module, "CONTENDERS", (MaxMargin, ScikitLearn))
    file = tmp_path / "raw.json"
    arguments = ["search", "--quick", "--data", str(tmp_path), "--cases", "magic04-3000", "--json", str(file)]
    assert command_line.main([*arguments, "--minutes", "600"]) == 0  # a busy machine leaves none out
    text = capsys.readouterr().out
    assert (
        "magic04-3000: 400 x 10 dense, RBF, C 0.01 to 1000, gamma 0.001 to 10, 3 x 3 cells, 5 folds; data: made" in text
    )
    assert "certificates: 9 of 9 cells at tol" in text
    assert "of 2 reached" in text
    case = json.loads(file.read_text())["results"]["search"]["cases"]["magic04-3000"]
    assert len(case["search"][OURS]["seconds"]) >= 3
    assert len(case["search"][SKLEARN]["seconds"]) == 1
    assert np.shape(case["search"][OURS]["scores"]) == (9, 5)
    assert case["agreement"][SKLEARN]["compared"] == 45
    assert case["agreement"][SKLEARN]["largest"] <= 2
    assert case["cells"][OURS]["at_tolerance"]
    assert case["ratio"][SKLEARN] > 0


def test_a_peer_that_is_stopped_bounds_the_ratio(monkeypatch):
    monkeypatch.setattr(one_case, "CONTENDERS", (MaxMargin, ScikitLearn))
    monkeypatch.setattr(one_case, "peer_limit", lambda *_: 0.01)
    result = one_case.run_case(CASE, Options(quick=True), math.inf)
    assert result.at_least == {SKLEARN}
    assert result.searches[SKLEARN].seconds == [0.01]
    assert list(result.found) == [OURS]
    text = report.case_text(result)
    assert "was stopped" in text
    assert "open" in text


def _found(scores, best, **stated):
    return Found(np.array(scores, dtype=float), best, Multipliers(np.arange(2), np.ones((1, 2))), **stated)


def _judgement(gap=1e-6):
    figures = {"primal": 1.0, "dual": 1.0 - gap, "gap": gap, "relative_gap": gap, "worst_gap": gap}
    return Judgement(**figures, sum_residual=0.0, clipped=0.0, vectors=2, problems=1, image=None, violation=gap)


def _result(case=CASE, violation=5e-4, refereed=5e-4, gap=1e-6):
    data = case.data(Options())
    result = one_case.CaseResult(case, data, case.split(data))
    scores = np.linspace(0.5, 0.9, 27).reshape(9, 3)
    stated = {"violation": np.full(9, violation), "gap": np.full(9, 1e-5)}
    result.searches = {OURS: Laps([1.0, 1.0, 1.0], 10.0), SKLEARN: Laps([30.0]), INTELEX: Laps([7.0])}
    result.at_least.add(INTELEX)
    result.found = {OURS: _found(scores, 8, **stated), SKLEARN: _found(scores, 8)}
    result.winners = {OURS: _judgement(), SKLEARN: _judgement(gap)}
    result.cells = {OURS: Cells(18, refereed, 1e-5, 0.0)}
    result.agreements = {SKLEARN: agreement(result.found[OURS], result.found[SKLEARN], np.full(3, 30), case.regression)}
    return result


def test_targets_and_lower_bounds():
    result = _result()
    assert result.ratio(SKLEARN) == 30.0
    text = targets_text(report.targets([result]))
    assert "30.00     20.00  ok" in text
    assert ">7.00      8.00  open" in text
    assert "1 of 2 reached" in text
    assert ">7.00" in report.case_text(result)
    assert one_case.raw(result)["search"][INTELEX]["at_least"]
    json.dumps(one_case.raw(result))


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"violation": 1.1e-3}, "cells that say so themselves"),
        ({"violation": np.nan}, "cells that say so themselves"),
        ({"refereed": 1.1e-3}, "cells by the referee"),
    ],
)
def test_our_time_counts_only_at_the_tolerance(figures, words):
    result = _result(**figures)
    assert result.ours is None
    assert result.ratio(SKLEARN) is None
    assert f"not at tol: {words}" in report.case_text(result)
    assert targets_text(report.targets([result])).count("not measured") == 2


def test_a_winner_that_is_no_solution_has_no_ratio():
    result = _result(gap=0.5)
    assert result.ratio(SKLEARN) is None
    assert "its winner is no solution" in report.case_text(result)


def test_agreement_counts_test_rows():
    ours, theirs = np.full((4, 2), 0.5), np.full((4, 2), 0.5)
    theirs[2] = 0.5 + np.array([2, 3]) / 40
    found = agreement(_found(ours, 0), _found(theirs, 2), np.array([40, 40]), regression=False)
    assert (found.compared, found.beyond, found.same_winner) == (8, 1, False)
    assert found.largest == pytest.approx(3)
    assert found.winners == pytest.approx(2.5 / 40)
    ours[0, 0] = np.nan
    lost = agreement(_found(ours, 0), _found(theirs, 2), np.array([40, 40]), regression=False)
    assert lost.largest == np.inf
    assert lost.beyond == 2


def test_agreement_of_regressors_is_in_their_score():
    found = agreement(_found([[0.5], [0.6]], 1), _found([[0.5], [0.61]], 1), np.array([40]), regression=True)
    assert found.largest == pytest.approx(0.01)
    assert found.beyond is None
    assert found.same_winner
    assert found.winners == 0


def test_sampled_cells():
    case = replace(CASE, cells=10, folds=5)
    cells = sample(case, 42, seed=0)
    assert len(cells) == len(set(cells)) == 18
    assert {0, 9, 90, 99, 42} < {candidate for candidate, _ in cells}
    assert all(0 <= fold < 5 for _, fold in cells)
    assert cells == sample(case, 42, seed=0)
    assert len(sample(replace(CASE, cells=2), 0, seed=0)) == 8


def test_scorer_keeps_the_cells_that_are_wanted():
    data = CASE.data(Options())
    folds = CASE.split(data)
    scorer = KeepingScorer(CASE, data.X, folds, [(5, 1)])
    C, gamma = CASE.candidates[5]
    train, test = folds[1]
    model = SVC(C=C, gamma=gamma).fit(data.X[train], data.y[train])
    assert scorer(model, data.X[folds[0][1]], data.y[folds[0][1]]) == 0.0
    assert scorer(model, data.X[test], data.y[test]) == model.score(data.X[test], data.y[test])
    assert list(scorer.kept) == [(5, 1)]
    with pytest.raises(ValueError, match="the test rows of no fold"):
        scorer(model, data.X[test] + 1, data.y[test])


def test_time_is_divided_among_cases_and_peers(monkeypatch):
    monkeypatch.setattr(limits, "elapsed", lambda: 60.0)
    cases = [replace(CASE, name=name, minutes=minutes) for name, minutes in (("a", 1), ("b", 3), ("c", 1))]
    options = Options(minutes=5.0)
    assert limits.left(options) == 240
    assert limits.share(cases[1], cases, options) == 180
    assert limits.share(cases[2], cases, options) == 240
    both, last = [INTELEX, SKLEARN], [SKLEARN]
    assert limits.peer_limit(CASE, INTELEX, both, None, 140.0, 1000.0) == 40
    assert limits.peer_limit(CASE, SKLEARN, last, None, 100.0, 1000.0) == 100
    assert limits.peer_limit(CASE, SKLEARN, last, 10.0, 100.0, 1000.0) == 220  # decides it
    assert limits.peer_limit(CASE, SKLEARN, last, 10.0, 100.0, 300.0) == 150
    assert limits.peer_limit(CASE, SKLEARN, last, 10.0, -5.0, 0.0) == limits.LEAST
    assert limits.peer_limit(CASE, SKLEARN, last, 10.0, math.inf, math.inf) == limits.LONGEST


def test_candidates_are_in_the_order_of_scikit_learn():
    from sklearn.model_selection import ParameterGrid

    for case in CASES:
        assert [(p["C"], p["gamma"]) for p in ParameterGrid(case.grid)] == case.candidates
        assert set(case.required) == {SKLEARN, INTELEX}
