"""Ctrl-C keeps what is finished, and a resumed search does not repeat it."""

import pickle

import numpy as np
import pytest

CS = [0.001, 0.1, 1.0]


def _interrupt(params, f, log):
    if len(log) == 7:
        raise KeyboardInterrupt


def _interrupted(kind, numbers):
    search = kind(Cs=CS, warm_start=True, trouble=_interrupt)
    with pytest.raises(KeyboardInterrupt):
        search.fit(*numbers)
    return search


def test_finished_cells_are_kept_and_not_repeated(numbers, regressor):
    search = _interrupted(regressor, numbers)
    table = search.cv_results_
    assert np.isfinite(table["split1_test_score"]).all()
    assert np.isnan(table["split3_test_score"]).all()
    assert table["status"].tolist() == ["unfinished"] * 3
    assert not hasattr(search, "best_params_")
    first = list(search.log)
    search.fit(*numbers)
    assert len(first) == 7
    assert len(search.log) == 7 + 15 - 6  # the seventh was not finished
    assert sorted(set(search.log)) == [(k, f) for k in range(3) for f in range(5)]
    whole = regressor(Cs=CS).fit(*numbers)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], whole.cv_results_["mean_test_score"])
    search.fit(*numbers)
    assert len(search.log) == 16  # nothing was left to do


def test_a_pickled_search_resumes(numbers, regressor):
    search = _interrupted(regressor, numbers)
    search.trouble = None
    again = pickle.loads(pickle.dumps(search)).fit(*numbers)
    assert len(again.log) == 16


@pytest.mark.parametrize("what", ["X", "y", "weights", "folds", "grid", "parameter"])
def test_another_question_starts_anew(numbers, regressor, what):
    search = _interrupted(regressor, numbers)
    search.trouble = None
    X, y = (a.copy() for a in numbers)
    weight = None
    if what == "X":
        X[3, 2] += 1e-9
    elif what == "y":
        y[5] += 1e-9
    elif what == "weights":
        weight = np.ones(80)
    elif what == "folds":
        search.cv = 4
    elif what == "grid":
        search.Cs = [0.001, 0.1, 2.0]
    else:
        search.scoring = "neg_mean_absolute_error"
    search.fit(X, y, sample_weight=weight)
    assert len(search.log) == 7 + 3 * search.n_splits_


def test_without_warm_start_everything_is_done_again(numbers, regressor):
    search = _interrupted(regressor, numbers)
    search.warm_start = False
    search.fit(*numbers)
    assert len(search.log) == 7 + 15


def test_failures_are_tried_again(numbers, regressor):
    def trouble(params, f, log):
        if len(log) == 4:
            raise ValueError("once")

    search = regressor(Cs=CS, warm_start=True, trouble=trouble)
    with pytest.warns(RuntimeWarning, match="1 of 15 fits failed"):
        search.fit(*numbers)
    search.fit(*numbers)
    assert len(search.log) == 16
    assert search.cv_results_["status"].tolist() == ["converged"] * 3


def test_a_finished_search_can_have_another_rule(numbers, regressor):
    search = regressor(Cs=CS, warm_start=True).fit(*numbers)
    search.set_params(rule="one_standard_error").fit(*numbers)
    assert len(search.log) == 15
