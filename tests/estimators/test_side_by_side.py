"""Many problems of one fit: all are solved, and an interrupt leaves what was not begun untouched."""

import signal

import pytest

from maxmargin.engine import interruptible, keep_interrupt
from maxmargin.estimators import solve_all
from maxmargin.solvers import Monitor

NAMES = ["first", "second", "third"]


@pytest.mark.parametrize("side_by_side", [False, True])
def test_every_problem_is_solved_by_its_own_monitor(side_by_side):
    monitor = Monitor()
    found, interrupted = solve_all(
        lambda k, own: (k, own.label), lambda k: None, NAMES, monitor, side_by_side=side_by_side
    )
    assert found == [(0, "first"), (1, "second"), (2, "third")]
    assert not interrupted


def test_the_only_problem_is_not_named():
    found, _ = solve_all(lambda k, own: own.label, lambda k: None, ["only"], Monitor(), side_by_side=False)
    assert found == [""]


def test_an_interrupt_leaves_the_rest_untouched():
    def solve(k, own):
        if k == 1:
            with keep_interrupt():
                signal.raise_signal(signal.SIGINT)
        return f"solved {k}"

    results = []

    @interruptible
    def fit():
        results.append(solve_all(solve, lambda k: f"untouched {k}", NAMES, Monitor(), side_by_side=False))

    with pytest.raises(KeyboardInterrupt):
        fit()
    assert results == [(["solved 0", "solved 1", "untouched 2"], True)]


@pytest.mark.parametrize("side_by_side", [False, True])
def test_an_error_stops_the_others(side_by_side):
    monitor = Monitor()

    def solve(k, own):
        if k == 0:
            raise ValueError("no solution")

    with pytest.raises(ValueError, match="no solution"):
        solve_all(solve, lambda k: None, NAMES, monitor, side_by_side=side_by_side)
    assert not side_by_side or monitor.stopped
