"""A whole linear case on small data, and the pieces that it is put together from."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import command_line
from benchmarks.contest import Contest
from benchmarks.linear import float32, growth, one_case, report, tolerance
from benchmarks.linear.cases import CASES, DUAL, Case, made
from benchmarks.linear.contenders import PEERS, MaxMargin, contenders, targeted
from benchmarks.linear.judge import Judge, Judgement
from benchmarks.names import INTELEX, OURS
from benchmarks.options import Options
from benchmarks.targets import targets_text
from benchmarks.timing import Laps
from benchmarks.worker import ContenderError

CASE = next(c for c in CASES if c.name == "made-hinge")
(LIBLINEAR,) = DUAL


def _small(options):
    return made(120, 4)


@pytest.mark.parametrize("contender", [MaxMargin, *PEERS.values()])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.filterwarnings("ignore")  # the peers' own
def test_every_contender_solves_the_problem_that_it_is_judged_by(contender, classes, sparse):
    name = contender.name
    loss = "squared_hinge" if name.endswith(("dual", "primal")) else "logistic"
    X = _small(None).X
    y = np.argmax(X[:, :classes] + 0.5 * np.random.default_rng(0).normal(size=(120, classes)), axis=1)
    if classes == 3 and (name.endswith("liblinear") or name == f"{INTELEX} lbfgs"):
        pytest.skip("it is not asked for several classes")
    X = sp.csr_matrix(X) if sparse else X
    case = Case("test", _small, loss, (), 1.0, max_iter=100_000)
    subject = contender(case, X, y)
    try:
        subject.warm_up()
    except ContenderError as error:
        pytest.skip(str(error))
    subject.choose(1e-6)
    subject.fit()
    judged = Judge(case, X, y)(subject.coefficients())
    assert judged.relative_gap < 1e-4
    assert not judged.gave_up


@pytest.mark.parametrize("name", ["scikit-learn liblinear", "scikit-learn saga", OURS])
@pytest.mark.filterwarnings("ignore")
def test_lasso_contenders(name):
    data = made(200, 10)
    case = Case("test", _small, "logistic", (), 1.0, penalty="l1", C=0.05)
    subject = {**PEERS, OURS: MaxMargin}[name](case, data.X, data.y)
    subject.choose(1e-5)
    subject.fit()
    judged = Judge(case, data.X, data.y)(subject.coefficients())
    assert judged.relative_gap < 1e-4
    assert judged.nonzeros < 10


def test_part_of_the_data():
    data = made(50, 6)
    subject = MaxMargin(CASE, data.X, data.y)
    subject.use_part(30, 4)
    assert subject.X.shape == (30, 4)
    assert subject.y.shape == (30,)


def test_from_the_command_line_to_the_tables(tmp_path, capsys):
    file = tmp_path / "raw.json"
    arguments = ["linear", "--quick", "--data", str(tmp_path), "--cases", "made-hinge", "--json", str(file)]
    assert command_line.main([*arguments, "--minutes", "600"]) == 0  # a busy machine leaves none out
    text = capsys.readouterr().out
    assert "made-hinge: 1000 x 50 dense, hinge loss, l2 penalty, C=1; data: made" in text
    assert "penalised" in text
    assert "of 1 reached" in text
    case = json.loads(file.read_text())["results"]["linear"]["cases"]["made-hinge"]
    for name in (OURS, LIBLINEAR):
        assert case["fit"][name]["relative_gap"] < 1e-4
        assert len(case["fit"][name]["seconds"]) >= 3
    assert case["fit"][LIBLINEAR]["penalised"]
    assert case["best"] == LIBLINEAR
    assert case["ratio"][LIBLINEAR] > 0


def test_the_loosest_tolerance_is_found(capsys):
    data = _small(None)
    case = replace(CASE, prepare=_small)
    with Contest(contenders(case), case, (data.X, data.y), Options(quick=True), targeted(case)) as contest:
        judge = Judge(case, data.X, data.y)
        found = tolerance.find(contest, judge, LIBLINEAR, 60.0)
        assert found.reached
        assert tolerance.find(contest, judge, LIBLINEAR, 60.0, loosest=1e-4).tol == pytest.approx(1e-4)
        assert found.tol >= tolerance.find(contest, judge, LIBLINEAR, 60.0, by_halves=False).tol
        assert tolerance.limit_for(contest, LIBLINEAR, None) == tolerance.LIMIT
        assert tolerance.limit_for(contest, LIBLINEAR, 20.0) == 40.0
        stopped = tolerance.find(contest, judge, LIBLINEAR, 0.0)
        assert stopped.judgement is None
        assert not stopped.reached
        assert tolerance.find(contest, judge, LIBLINEAR, 60.0).judgement is None  # it is gone


def test_who_gives_up_is_not_asked_again(capsys):
    data = made(500, 20)
    case = replace(CASE, prepare=_small, max_iter=2)
    with Contest(contenders(case), case, (data.X, data.y), Options(quick=True), targeted(case)) as contest:
        found = tolerance.find(contest, Judge(case, data.X, data.y), LIBLINEAR, 60.0)
    assert found.judgement.gave_up
    assert not found.reached
    assert found.tol == tolerance.TOLERANCES[0]


def _result(case=CASE, **gaps):
    result = one_case.CaseResult(case, _small(None))
    for name, (seconds, gap) in gaps.items():
        result.fits[name] = Laps([seconds], 1.0)
        result.tol[name] = 0.1
        result.judged[name] = Judgement(1.0, 1.0 - gap, gap, name != OURS, False, 1, 4)
    return result


def test_a_peer_that_did_not_get_there_bounds_the_ratio():
    result = _result(**{OURS: (1.0, 1e-5), LIBLINEAR: (30.0, 2e-4)})
    result.at_least.add(LIBLINEAR)
    assert result.best == LIBLINEAR
    text = report.case_text(replace(result, case=replace(CASE, required=20.0)))
    assert ">30.0" in text
    assert ">30.00" in text
    assert "did not reach 0.0001, gave up" in text
    assert "ok" in targets_text(report.targets([replace(result, case=replace(CASE, required=20.0))]))


def test_the_best_is_among_those_that_got_there():
    fits = {OURS: (1.0, 1e-5), "scikit-learn primal": (3.0, 1e-5), LIBLINEAR: (2.0, 1e-3)}
    result = _result(replace(CASE, peers=("scikit-learn primal", LIBLINEAR)), **fits)
    result.at_least.add(LIBLINEAR)
    assert result.best == "scikit-learn primal"
    assert one_case._to_be_timed(result) == [OURS, "scikit-learn primal"]


def test_a_slow_solver_of_a_peer_is_not_run_again():
    fits = {OURS: (1.0, 1e-5), "scikit-learn primal": (3.0, 1e-5), LIBLINEAR: (9.0, 1e-5)}
    result = _result(replace(CASE, peers=("scikit-learn primal", LIBLINEAR)), **fits)
    assert one_case._to_be_timed(result) == [OURS, "scikit-learn primal"]
    result.timed.update([OURS, "scikit-learn primal"])
    assert one_case._to_be_timed(result) == []
    result.fits["scikit-learn primal"] = Laps([10.0])  # it was not that fast after all
    assert one_case._to_be_timed(result) == [LIBLINEAR]


def test_ours_is_timed_without_any_peer():
    result = _result(**{OURS: (1.0, 1e-5)})
    assert one_case._to_be_timed(result) == [OURS]
    result.timed.add(OURS)
    assert one_case._to_be_timed(result) == []


def test_our_fit_has_to_be_within_the_gap():
    result = _result(**{OURS: (1.0, 1e-3), LIBLINEAR: (30.0, 1e-5)})
    assert result.ratio(LIBLINEAR) is None
    assert "its gap is above 0.0001" in report.case_text(result)
    assert "not measured" in targets_text(report.targets([result]))


def test_all_peers_of_all_cases_are_known():
    for case in CASES:
        assert [c.name for c in contenders(case)] == [OURS, *case.peers]
        assert OURS in targeted(case)
        assert not any(name.startswith(INTELEX) for name in targeted(case))


def test_growth(monkeypatch, capsys):
    monkeypatch.setattr(growth, "QUICK_FEATURES", (2, 4))
    monkeypatch.setattr(growth, "QUICK_ROWS", (50, 100))
    monkeypatch.setattr(growth, "_PEERS", {"hinge": DUAL})
    text, record = growth.run_features(Options(quick=True))
    assert "growth-d: the first features of 100 rows, hinge loss" in text
    assert set(record["hinge"]["seconds"][OURS]) == {2, 4}
    assert record["hinge"]["exponent"][LIBLINEAR] is not None


def test_memory_is_compared_with_that_of_a_copy():
    assert float32._cells(50.0, 100.0) == ("50", "0.50", "no copy")
    assert float32._cells(150.0, 100.0) == ("150", "1.50", "a copy")
    assert float32._cells(None, 100.0)[2] == "not measured"
