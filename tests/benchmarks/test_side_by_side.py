"""What counts as a ratio, and whose time a target is about."""

import json
from dataclasses import dataclass, field

import pytest
from benchmarks.names import INTELEX, OURS, SKLEARN
from benchmarks.side_by_side import Result, Verdict, case_text, library_of, raw, targeted, targets
from benchmarks.targets import targets_text
from benchmarks.timing import Laps

NAMES = [OURS, f"{SKLEARN} a", f"{SKLEARN} b", INTELEX]


@dataclass(frozen=True)
class _Case:
    name: str = "case"
    title: str = "a title"
    required: dict = field(default_factory=lambda: {SKLEARN: 2.0, INTELEX: 3.0})
    once: bool = False


def _result(seconds, values, flaws=(), slack=0.0):
    result = Result(_Case(), "10 x 2", list(NAMES))
    for name, s, v in zip(NAMES, seconds, values, strict=True):
        if s is not None:
            result.laps[name] = Laps([s], 1.0)
            result.verdicts[name] = Verdict(v, (f"{v:g}",), "wrong" if name in flaws else "", slack)
    return result


def test_library_of_a_contender():
    assert [library_of(name) for name in NAMES] == [OURS, SKLEARN, SKLEARN, INTELEX]
    assert targeted(NAMES, {SKLEARN: 1}) == set(NAMES[:3])


def test_a_target_is_about_the_fastest_algorithm():
    result = _result([1.0, 5.0, 2.5, 2.0], [0, 0, 0, 0])
    found = targets([result], "fit")
    assert [(t.against, t.ratio, t.word) for t in found] == [
        (f"{SKLEARN} b", 2.5, "ok"),
        (INTELEX, 2.0, "short"),
    ]
    text = case_text(result, "fit", ("value",))
    assert "case: 10 x 2, a title" in text
    assert text.count("2.00") == 3  # seconds and ratio of the last, and what is required of scikit-learn
    assert "1 of 2 reached" in targets_text(found)
    json.dumps(raw(result))


def test_wrong_answers_do_not_count():
    result = _result([1.0, 5.0, 0.5, 2.0], [0, 0, 0, 0], flaws=(f"{SKLEARN} b",))
    assert result.fastest(SKLEARN) == f"{SKLEARN} a"
    assert result.ratio(f"{SKLEARN} b") is None
    assert "wrong" in case_text(result, "fit", ("value",))
    mine = _result([1.0, 5.0, 0.5, 2.0], [0, 0, 0, 0], flaws=(OURS,))
    assert [t.word for t in targets([mine], "fit")] == ["not measured"] * 2


@pytest.mark.parametrize(("slack", "ratio"), [(0.0, None), (1e-2, 5.0)])
def test_ours_has_to_be_as_good(slack, ratio):
    result = _result([1.0, 5.0, 2.0, 2.0], [1.001, 1.0, 2.0, 1.001], slack=slack)
    assert result.ratio(f"{SKLEARN} a") == ratio
    assert result.ratio(f"{SKLEARN} b") == 2.0  # worse than ours
    assert ("better than ours" in case_text(result, "fit", ("value",))) == (ratio is None)


def test_who_is_absent_is_said():
    result = _result([1.0, None, None, 2.0], [0, 0, 0, 0])
    result.absent[f"{SKLEARN} a"] = "not available: no"
    text = case_text(result, "fit", ("value",))
    assert "not available: no" in text
    assert "not run" in text
    assert targets([result], "fit")[0].ratio is None


def test_better_is_less_up_to_the_slack():
    assert Verdict(2.0, ()).not_better_than(Verdict(1.0, ()))
    assert not Verdict(1.0, ()).not_better_than(Verdict(1.0 + 1e-9, ()))
    assert Verdict(1.0, (), slack=1e-6).not_better_than(Verdict(1.0 + 1e-9, ()))
