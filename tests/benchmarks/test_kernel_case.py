"""A whole case on small data, from data to table."""

import json
from dataclasses import replace

import pytest
from benchmarks import command_line
from benchmarks.contest import Contest
from benchmarks.kernel import one_case, report, time_against_gap
from benchmarks.kernel.cases import CASES
from benchmarks.kernel.contenders import OURS, MaxMargin, ScikitLearn
from benchmarks.options import Options
from benchmarks.targets import targets_text

SKLEARN = ScikitLearn.name


@pytest.fixture
def two_contenders(monkeypatch):
    for module in (one_case, report, time_against_gap):
        monkeypatch.setattr(module, "CONTENDERS", (MaxMargin, ScikitLearn))


def test_from_the_command_line_to_the_tables(two_contenders, tmp_path, capsys):
    file = tmp_path / "deeper" / "raw.json"
    arguments = ["kernel", "--quick", "--data", str(tmp_path), "--cases", "heart", "--json", str(file)]
    assert command_line.main([*arguments, "--minutes", "600"]) == 0  # a busy machine leaves none out
    text = capsys.readouterr().out
    assert "heart: 270 x 13 dense, RBF, C=1, gamma=scale; data: made, in the shape of heart_scale" in text
    assert "fit over check" in text
    assert "of 4 reached" in text
    case = json.loads(file.read_text())["results"]["kernel"]["cases"]["heart"]
    for name in (OURS, SKLEARN):
        assert case["fit"][name]["relative_gap"] < 1e-3
        assert len(case["fit"][name]["seconds"]) >= 3
        assert case["decision"][name]["value_error"] < 1e-10
    assert case["ratio"][SKLEARN] > 0


def test_a_peer_that_came_closer_is_met_at_its_gap():
    case = next(c for c in CASES if c.name == "heart")
    options = Options(quick=True)
    data = case.data(options)
    result = one_case.CaseResult(case, data)
    with Contest([MaxMargin, ScikitLearn], case, (data.X, data.y), options, {OURS, SKLEARN}) as contest:
        result.fits = contest.race("fit", tol=1e-3)
        one_case._judge_all(contest, result)
        result.judged[OURS] = replace(result.judged[OURS], relative_gap=1.0)  # as if ours had been sloppy
        one_case._equalise(contest, result)
    equal = result.equal[SKLEARN]
    theirs = result.judged[SKLEARN].relative_gap
    assert equal.gap_tol == pytest.approx(0.99 * theirs)
    assert equal.relative_gap <= theirs
    assert result.counted(SKLEARN) == (equal.seconds, "gap")
    assert result.ratio(SKLEARN) == result.fits[SKLEARN].median / equal.seconds


def test_an_answer_that_is_no_solution_has_no_ratio():
    case = next(c for c in CASES if c.name == "heart")
    result = one_case.CaseResult(case, case.data(Options()))
    judged = {"relative_gap": 0.5, "gap": 1.0, "primal": 2.0, "dual": 1.0, "worst_gap": 0.5, "sum_residual": 0.0}
    bad = one_case.Judgement(**judged, clipped=1.0, vectors=3, problems=1, image=None)
    result.fits = {OURS: one_case.Laps([1.0]), SKLEARN: one_case.Laps([2.0])}
    result.judged = {OURS: replace(bad, relative_gap=1e-6, clipped=0.0), SKLEARN: bad}
    assert result.ratio(SKLEARN) is None
    text = report.case_text(result)
    assert "this is no solution; multipliers outside the box by 1e+00 C, clipped" in text
    assert "not measured" in targets_text(report.targets([result]))


def test_plot_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    points = [{"tol": t, "seconds": 1 / t, "relative_gap": t / 10} for t in (1e-1, 1e-2)]
    time_against_gap.draw({"one": {"a": points}, "two": {"a": points, "b": points}}, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 10_000
