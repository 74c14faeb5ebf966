"""Who wins, and who may be left out of the race."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from maxmargin.search import Grid, standard_error
from maxmargin.search._race import Race
from maxmargin.search._rules import choose

GRID = Grid(("C", "gamma"), (np.array([10.0, 1.0]), np.array([0.1, 0.01])))
EVERYONE = np.ones(4, dtype=bool)


def test_names_and_places():
    assert GRID.candidates[1] == {"C": 10.0, "gamma": 0.01}
    assert GRID.index(1, 0) == 2 and GRID.places(2) == (1, 0)
    assert GRID.name(2) == "C=1, gamma=0.1"
    assert len(GRID) == 4 and GRID.shape == (2, 2)


def test_the_first_of_the_best_wins():
    scores = np.array([[0.5, 0.6], [0.9, 0.7], [0.7, 0.9], [0.1, 0.2]])
    assert choose("best", GRID, scores, EVERYONE) == 1
    assert choose("best", GRID, scores, np.array([True, False, False, True])) == 0


def test_the_simplest_within_one_standard_error():
    scores = np.array([[0.9, 0.8], [0.85, 0.84], [0.82, 0.81], [0.5, 0.5]])
    assert standard_error(scores[0]) == pytest.approx(0.05)
    assert choose("one_standard_error", GRID, scores, EVERYONE) == 2  # C = 1 is smaller
    scores[3] = [0.8, 0.81]
    assert choose("one_standard_error", GRID, scores, EVERYONE) == 3  # then the smaller gamma


def test_one_fold_has_no_standard_error():
    assert choose("one_standard_error", GRID, np.array([[0.9], [0.8], [0.85], [0.2]]), EVERYONE) == 0


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.booleans())
def test_the_race_never_drops_the_winner_of_bounded_scores(seed, order):
    rng = np.random.default_rng(seed)
    scores = np.clip(rng.normal(0.7, 0.3, size=(6, 1)) + 0.1 * rng.normal(size=(6, 4)), 0.0, 1.0).round(2)
    race, done, dropped = Race(1.0, "best"), np.zeros((6, 4), dtype=bool), np.zeros(6, dtype=bool)
    places = [(k, f) for k in range(6) for f in range(4)] if order else [(k, f) for f in range(4) for k in range(6)]
    for k, f in places:
        if not dropped[k]:
            done[k, f] = True
            dropped |= race.losers(np.where(done, scores, np.nan), done)
    means = scores.mean(axis=1)
    assert not dropped[means >= means.max()].any()
    grid = Grid(("C",), (np.arange(1.0, 7.0),))
    assert choose("best", grid, scores, done.all(axis=1)) == np.argmax(means)


def test_one_standard_error_spares_the_simple_ones():
    scores = np.array([[0.9, 0.7, 0.8], [0.4, np.nan, np.nan]])
    done = np.isfinite(scores)
    assert not Race(1.0, "best").losers(scores, done).any()  # 0.8 is still possible
    scores[1, 0] = 0.3
    assert Race(1.0, "best").losers(scores, done).tolist() == [False, True]
    assert not Race(1.0, "one_standard_error").losers(scores, done).any()


def test_unbounded_scores_need_three_folds_and_a_clear_difference():
    scores = np.array([[5.0, 6.0, 7.0, np.nan], [4.0, 5.1, 5.9, np.nan], [4.0, 9.0, 5.0, np.nan]])
    race = Race(None, "best")
    assert race.losers(scores, np.isfinite(scores)).tolist() == [False, True, False]
    two = np.isfinite(scores) & (np.arange(4) < 2)
    assert not race.losers(scores, two).any()


def test_a_race_says_what_it_dropped(labels, classifier):
    X, y = labels

    def scorer(model, X, y):
        return -1.0 if model.alpha > 1e6 else float((model.predict(X) == y).mean())

    whole = classifier(Cs=[1.0, 1e-9], scoring=scorer).fit(X, y)
    search = classifier(Cs=[1.0, 1e-9], scoring=scorer, race=True)
    with pytest.warns(UserWarning, match=r"race=True dropped 1 of 2 candidates.*3 standard errors"):
        search.fit(X, y)
    assert search.cv_results_["status"].tolist() == ["converged", "dropped"]
    assert np.isnan(search.cv_results_["mean_test_score"][1])
    assert search.cv_results_["split0_test_score"][1] == -1.0
    assert np.isnan(search.cv_results_["split4_test_score"][1])
    assert search.cv_results_["rank_test_score"].tolist() == [1, 2]
    assert len(search.log) == 8
    assert search.best_score_ == whole.best_score_
