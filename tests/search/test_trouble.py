"""Bad input and errors on the way: named by cell and fold, and the rest is not lost."""

import numpy as np
import pytest
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GroupKFold, KFold

from maxmargin.search import SearchError

CS = [0.001, 0.1, 1.0]


def _fails_at(C, fold):
    def trouble(params, f, log):
        if params["C"] == C and f == fold:
            raise ValueError("the cat is on the keyboard")

    return trouble


@pytest.mark.parametrize(
    ("parameter", "value", "says"),
    [
        ("Cs", [], "Cs must be .*one or more; got an empty list"),
        ("Cs", [1.0, 0.0], "Cs must be positive and finite; got 0"),
        ("Cs", [-1.0], "Cs must be positive and finite; got -1"),
        ("Cs", [np.inf], "Cs must be positive and finite; got inf"),
        ("Cs", [np.nan], "Cs must be positive and finite; got nan"),
        ("Cs", 0, "Cs must be a number of automatic values, one at least"),
        ("Cs", [[1.0]], "Cs must be .*shape"),
        ("gammas", [], "gammas must be .*got an empty list"),
        ("gammas", [0.0], "gammas must be positive and finite; got 0"),
        ("gammas", [1.0, np.inf], "gammas must be positive and finite; got inf"),
        ("gammas", [-2.0], "gammas must be positive and finite; got -2"),
        ("scoring", ["accuracy", "f1"], "scoring must be one name or one callable"),
        ("scoring", {"a": "accuracy"}, "scoring must be one name or one callable"),
        ("scoring", 3, "scoring must be None, the name"),
        ("scoring", "no such score", "no such score"),
        ("rule", "luck", "rule"),
        ("error_score", "ignore", "error_score"),
        ("cv", [], "gives no folds"),
        ("cv", [([0, 1], [200])], "fold 0 has test row 200; X has 80 rows"),
        ("cv", [([0, 1], [])], "fold 0 has no test rows"),
        ("cv", [(np.ones(80, bool), np.ones(3, bool))], "test mask of fold 0 has shape"),
    ],
)
def test_bad_parameters(labels, classifier, parameter, value, says):
    search = classifier(**{parameter: value})
    with pytest.raises(ValueError, match=says):
        search.fit(*labels)
    assert not search.log


def test_a_fold_with_one_class_is_refused_before_anything_is_computed(classifier):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.repeat(["a", "b"], 10)
    search = classifier(cv=KFold(2))
    with pytest.raises(ValueError, match=r"training part of fold 0 has class b alone.*StratifiedKFold"):
        search.fit(X, y)
    assert not search.log


def test_weights_of_zero_leave_a_fold_with_one_class(labels, classifier):
    X, y = labels
    weight = np.ones(80)
    weight[:60][y[:60] == "no"] = 0
    with pytest.raises(ValueError, match=r"training part of fold 3 has class yes alone"):
        classifier(cv=KFold(4)).fit(X, y, sample_weight=weight)


def test_a_fold_that_lacks_one_of_three_classes_is_used_and_named(classifier):
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    with pytest.warns(UserWarning, match=r"lacks a class.*fold 0 \(class 2\); fold 1 \(class 1\); fold 2"):
        search = classifier(cv=GroupKFold(3)).fit(X, y, groups=y)
    assert search.cv_results_["status"].tolist() == ["converged"] * 4


def test_an_error_in_a_cell_is_named_and_costs_only_that_cell(numbers, regressor):
    search = regressor(Cs=CS, trouble=_fails_at(0.1, 3))
    with pytest.warns(FitFailedWarning, match=r"1 of 15 fits failed.*C=0.1, fold 3: ValueError: the cat"):
        search.fit(*numbers)
    table = search.cv_results_
    assert table["status"].tolist() == ["converged", "failed", "converged"]
    assert np.isnan(table["mean_test_score"]).tolist() == [False, True, False]
    assert np.isfinite(table["split2_test_score"]).all()
    assert table["rank_test_score"][1] == 3
    assert len(search.log) == 15


def test_an_error_score_stands_in_the_table_and_cannot_win(numbers, regressor):
    search = regressor(Cs=CS, trouble=_fails_at(0.1, 3), error_score=7.0)
    with pytest.warns(FitFailedWarning):
        search.fit(*numbers)
    assert search.cv_results_["split3_test_score"][1] == 7.0
    assert search.cv_results_["rank_test_score"][1] == 3
    assert search.best_params_["C"] != 0.1


def test_raise_names_cell_and_fold_and_keeps_what_is_finished(numbers, regressor):
    search = regressor(Cs=CS, trouble=_fails_at(0.1, 1), error_score="raise", warm_start=True)
    with pytest.raises(SearchError, match=r"C=0.1, fold 1: ValueError: the cat") as caught:
        search.fit(*numbers)
    assert isinstance(caught.value.__cause__, ValueError)
    assert np.isfinite(search.cv_results_["split0_test_score"]).all()
    assert search.cv_results_["status"].tolist() == ["unfinished", "failed", "unfinished"]
    assert not hasattr(search, "best_estimator_")
    assert len(search.log) == 5


def test_all_failed(numbers, regressor):
    def trouble(params, f, log):
        raise ValueError("the cat is on the keyboard")

    with pytest.raises(ValueError, match=r"15 fits failed; C=0.001, fold 0: ValueError: the cat"):
        regressor(Cs=CS, trouble=trouble).fit(*numbers)


@pytest.mark.parametrize(
    ("answer", "says"), [(np.nan, "the score is nan"), ({"a": 1.0}, "scoring must return a number")]
)
def test_a_scorer_that_answers_nonsense_in_a_cell(numbers, regressor, answer, says):
    calls = []

    def scorer(model, X, y):
        calls.append(0)
        return answer if len(calls) == 2 else 0.5

    with pytest.warns(FitFailedWarning, match=f"C=0.1, fold 0: ValueError: {says}"):
        regressor(Cs=CS, scoring=scorer).fit(*numbers)


def test_a_scorer_that_fails_in_a_cell(numbers, regressor):
    def scorer(model, X, y):
        if model.alpha == 10.0:
            raise ZeroDivisionError("nothing to divide by")
        return 0.5

    search = regressor(Cs=CS, scoring=scorer)
    with pytest.warns(FitFailedWarning, match=r"5 of 15 .*fold 2: ZeroDivisionError: nothing to divide by; and 2 more"):
        search.fit(*numbers)
    assert search.cv_results_["status"].tolist() == ["converged", "failed", "converged"]


def test_test_rows_without_weight(labels, classifier):
    weight = np.ones(80)
    weight[:20] = 0
    search = classifier(cv=KFold(4), Cs=CS)
    with pytest.raises(ValueError, match="no test row has a positive sample_weight"):
        search.fit(*labels, sample_weight=weight)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        search.fit(*labels, sample_weight=np.zeros(80))
