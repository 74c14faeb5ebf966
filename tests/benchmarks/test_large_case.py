"""The comparison of machines of many rows, and its referee."""

import sys
import time

import numpy as np
import pytest
from benchmarks import command_line, large
from benchmarks.large import child, one_case
from benchmarks.large.contenders import CONTENDERS
from benchmarks.large.referee import objective
from benchmarks.large.results import Results
from benchmarks.options import Options

from maxmargin.svm import SVC


def test_it_is_listed_and_not_among_all():
    assert "large" in command_line.BENCHMARKS and "large" in command_line.LONG
    assert len(set(large.PARTS)) == len(large.PARTS)


def test_the_referee_computes_the_exact_objective():
    case = large.Case("made", 2.0, (), rows=40_000, columns=6)
    X, y, new, labels = case.data(Options(quick=True))
    assert X.shape == (360, 6) and len(new) == len(labels) == 40
    model = SVC(C=2.0, gap_tol=1e-9).fit(X, y)
    function = model.support_vectors_, model.dual_coef_[0], float(model.intercept_[0])
    assert objective(case, X, y, function) == pytest.approx(model.certificate_.primal, rel=1e-6)
    worse = model.support_vectors_, model.dual_coef_[0] * 0.9, float(model.intercept_[0])
    assert objective(case, X, y, worse) > model.certificate_.primal


def test_made_rows_are_noisy_and_of_both_classes():
    X, y, *_ = large.Case("made", 1.0, (), rows=100_000, columns=8).data(Options(quick=True))
    assert 0.2 < y.mean() < 0.8 and X.dtype == np.float32


def test_who_takes_part_is_known():
    for case in large.CASES:
        assert case.contenders[0] == "ours" and set(case.contenders) <= set(CONTENDERS)


def _too_long(pipe):
    child.alone()
    pipe.send("fits")
    time.sleep(60)


def _too_much(pipe):
    pipe.send("fits")
    held = np.ones(40_000_000)
    time.sleep(60 + held[0])


def _dies(pipe):
    sys.exit(3)


def test_who_takes_too_long_or_too_much_is_stopped():
    found = child.watched(_too_long, (), 0.5, 1e6)
    assert found["failed"].startswith("stopped at") and found["stopped"] >= 0.5
    found = child.watched(_too_much, (), 50.0, 250.0)
    assert "MB of memory" in found["failed"] and "stopped" not in found
    assert child.watched(_dies, (), 50.0, 1e6)["failed"] == "its process ended with 3"


def test_what_is_measured_is_kept_and_gone_on_from(tmp_path):
    asked = []
    found = {"failed": "stopped at 60 s", "stopped": 60.0}
    results = Results.of(Options(quick=True), tmp_path)
    assert results.get("made", "ours", lambda: asked.append(1) or found) == found
    for resume, times in ((True, 1), (False, 2)):
        results = Results.of(Options(quick=True, resume=resume), tmp_path)
        assert results.get("made", "ours", lambda: asked.append(1) or found) == found
        assert len(asked) == times
    assert one_case.line("who", found, 20.0) == ["who", ">60.0", ">3.00", "stopped at 60 s"]
    assert one_case.line("who", found, None) == ["who", "stopped at 60 s"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["large", "--contenders", "nobody"], "unknown contender 'nobody'"),
        (["linear", "--contenders", "ours"], "only large takes it"),
        (["linear", "--resume"], "only large takes it"),
    ],
)
def test_wrong_contenders_are_named(arguments, words, capsys):
    with pytest.raises(SystemExit):
        command_line.main(arguments)
    assert words in capsys.readouterr().err
