"""The state under several threads, and the values it keeps."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from maxmargin.search import Fold, Grid, Outcome, SearchState, _state
from maxmargin.search._scoring import FoldScorer

GRID = Grid(("C",), (np.arange(1.0, 9.0),))
FOLDS = [Fold(np.arange(10, 20), np.arange(10)), Fold(np.arange(10), np.arange(10, 20))]
Y = np.arange(20) % 2


def _state_of(**options):
    return SearchState(GRID, FOLDS, FoldScorer(None, classifier=True, X=np.zeros((20, 1)), y=Y), **options)


def _outcome(right=10):
    predictions = np.where(np.arange(10) < right, Y[:10], 1 - Y[:10])
    return Outcome(np.arange(10.0), predictions, (), 0.1, lambda: None)


def test_many_threads():
    state = _state_of(keep_values=True)

    def work(place):
        if state.open(*place):
            state.enter(*place, _outcome(place[0]))

    places = [(k, f) for k in range(8) for f in range(2)] * 3
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, places))
    assert not state.anything_open()
    np.testing.assert_allclose(state.record.scores[:, 0], np.arange(8) / 10)
    assert len(state.record.values) == 16


def test_a_scorer_runs_on_one_thread_at_a_time_and_nobody_waits_for_it():
    running, most, first = [], [], Event()

    class Machine:
        def predict(self, X):
            return X[:, 0]

    def scorer(model, X, y):
        running.append(0)
        most.append(len(running))
        first.wait(10)  # set by a thread that went on while this one is busy
        running.pop()
        return 0.5

    state = SearchState(GRID, FOLDS, FoldScorer(scorer, classifier=True, X=np.zeros((20, 1)), y=Y))
    outcome = Outcome(np.arange(10.0), Y[:10], (), 0.1, Machine)

    def work(place):
        state.enter(*place, outcome)
        first.set()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [(k, f) for k in range(8) for f in range(2)]))
    assert state.record.done.all()
    assert max(most) == 1


def test_nothing_is_open_once_stopped():
    state = _state_of()
    assert state.open(0, 0) and state.anything_open(1)
    state.stop()
    assert not state.open(0, 0) and not state.anything_open()


def test_values_of_losers_make_room_and_a_winner_without_can_be_done_again(monkeypatch):
    monkeypatch.setattr(_state, "_VALUES", 3 * 80)  # three arrays of ten numbers
    state = _state_of(keep_values=True)
    for k, right in enumerate([5, 9, 7, 3, 6, 8, 2, 1]):
        for f in range(2):
            state.enter(k, f, _outcome(right))
    assert len(state.record.values) <= 3
    assert (1, 0) in state.record.values and (1, 1) in state.record.values
    assert not state.reopen(1)
    assert state.reopen(5)
    assert state.open(5, 0) and not state.open(4, 0)
    state.enter(5, 0, _outcome(8))
    state.enter(5, 1, _outcome(8))
    assert not state.anything_open()
    assert state.record.values[5, 1].shape == (10,)


@pytest.mark.parametrize("values", [np.arange(10.0), np.zeros((10, 3))])
def test_outcomes_of_any_width_are_kept(values):
    state = _state_of(keep_values=True)
    state.enter(0, 0, Outcome(values, Y[:10], (), 0.1, lambda: None))
    assert state.record.values[0, 0].shape == values.shape
