"""Some hundred hostile problems; twenty thousand by ``make fuzz``."""

import pytest

from .fuzz import Summary, run

PARTS, PROBLEMS = 8, 75


@pytest.mark.parametrize("part", range(PARTS))
def test_certificates_hold_against_the_exact_optimum(part):
    summary = Summary()
    for verdict in run(PROBLEMS, 1, part * PROBLEMS):
        summary.add(*verdict)
    assert not summary.wrong, "\n".join(
        f"python -m tests.referee.fuzz --seed 1 --only {number}  # {kind}: {complaints[0]}"
        for misses in summary.misses.values()
        for number, kind, complaints in misses
    )
    assert 50 * sum(summary.unsettled.values()) <= sum(summary.optima.values())


# what other slopes, multipliers next to a bound, and values that are rounding have been refuted for
@pytest.mark.parametrize("number", [3969, 6257, 6645, 8854, 9521, 15691, 18734])
def test_honest_models_that_were_refuted_once(number):
    ((_, _, verdict, _),) = run(1, 0, number)
    assert not verdict.complaints
