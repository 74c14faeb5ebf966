"""The table, against GridSearchCV's."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit

CS = [0.001, 0.01, 0.1, 1.0]


def _theirs(machine, **options):
    return GridSearchCV(machine, {"alpha": [1 / C for C in CS]}, **options)


def _compare(ours, theirs):
    missing = set(theirs.cv_results_) - set(ours.cv_results_) - {"param_alpha"}
    assert not missing
    for key, expected in theirs.cv_results_.items():
        if "score" in key and "time" not in key:
            np.testing.assert_allclose(ours.cv_results_[key], expected, rtol=1e-9, err_msg=key)
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert ours.n_splits_ == theirs.n_splits_


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error", make_scorer(mean_absolute_error)])
def test_regression(numbers, regressor, scoring):
    ours = regressor(Cs=CS, scoring=scoring).fit(*numbers)
    _compare(ours, _theirs(Ridge(), scoring=scoring).fit(*numbers))
    assert ours.score(*numbers) == pytest.approx(_theirs(Ridge(), scoring=scoring).fit(*numbers).score(*numbers))


@pytest.mark.parametrize("scoring", [None, "roc_auc", "f1_macro", "neg_brier_score"])
def test_classification(labels, classifier, scoring):
    search = classifier(Cs=CS, scoring=scoring)
    if scoring == "neg_brier_score":  # this machine has no probabilities: the reason is named
        with pytest.raises(ValueError, match=r"C=0.001, fold 0: AttributeError.*predict_proba"):
            search.fit(*labels)
    else:
        _compare(search.fit(*labels), _theirs(RidgeClassifier(), scoring=scoring).fit(*labels))


def test_two_parameters_come_in_the_order_of_parameter_grid(numbers, regressor):
    class Scaled(Ridge):
        def __init__(self, C=1.0, gamma=1.0):
            super().__init__()
            self.C, self.gamma = C, gamma

        def fit(self, X, y):
            self.alpha = 1 / (self.C * self.gamma)
            return super().fit(X, y)

    ours = regressor(Cs=CS, gammas=[3.0, 1.0]).fit(*numbers)
    theirs = GridSearchCV(Scaled(), {"C": CS, "gamma": [3.0, 1.0]}).fit(*numbers)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for key in ("param_C", "param_gamma"):
        np.testing.assert_array_equal(ours.cv_results_[key].data, theirs.cv_results_[key].data)
        assert ours.cv_results_[key].mask.shape == theirs.cv_results_[key].mask.shape
    _compare(ours, theirs)


def test_ties_share_the_smallest_rank(numbers, regressor):
    ours = regressor(Cs=[1.0, 1.0, 0.01, 1.0]).fit(*numbers)
    theirs = GridSearchCV(Ridge(), {"alpha": [1.0, 1.0, 100.0, 1.0]}).fit(*numbers)
    np.testing.assert_array_equal(ours.cv_results_["rank_test_score"], theirs.cv_results_["rank_test_score"])


def test_group_folds(numbers, regressor):
    groups = np.arange(80) % 7
    cv = GroupKFold(3)
    _compare(regressor(Cs=CS, cv=cv).fit(*numbers, groups=groups), _theirs(Ridge(), cv=cv).fit(*numbers, groups=groups))


@pytest.mark.parametrize("cv", [3, KFold(4, shuffle=True, random_state=0), ShuffleSplit(3, random_state=1)])
def test_any_splitter(numbers, regressor, cv):
    _compare(regressor(Cs=CS, cv=cv).fit(*numbers), _theirs(Ridge(), cv=cv).fit(*numbers))


def test_every_cell_has_the_worst_certificate_of_its_folds(numbers, regressor):
    table = regressor(Cs=CS).fit(*numbers).cv_results_
    assert (table["relative_gap"] == 5e-9).all()  # that of the last fold, as the engine of these tests makes them
    assert [c.relative_gap for c in table["certificate"]] == table["relative_gap"].tolist()
    assert table["status"].tolist() == ["converged"] * 4


def test_a_weight_of_two_is_the_row_twice(numbers, labels, regressor, classifier):
    for (X, y), kind in ((numbers, regressor), (labels, classifier)):
        weight = np.random.default_rng(3).integers(1, 4, size=80)
        fold = np.arange(80) % 4
        twice = np.repeat(np.arange(80), weight)
        splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
        repeated = [(np.flatnonzero(fold[twice] != k), np.flatnonzero(fold[twice] == k)) for k in range(4)]
        one = kind(Cs=CS, cv=splits).fit(X, y, sample_weight=weight)
        other = kind(Cs=CS, cv=repeated).fit(X[twice], y[twice])
        np.testing.assert_allclose(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])
        plain = kind(Cs=CS, cv=splits, weighted_score=False).fit(X, y, sample_weight=weight)
        assert not np.allclose(plain.cv_results_["mean_test_score"], one.cv_results_["mean_test_score"])


def test_scorers_get_weights_if_they_take_them(labels, classifier):
    X, y = labels
    weight = np.random.default_rng(3).integers(1, 4, size=80).astype(float)
    seen = []

    def scorer(model, X, y, sample_weight=None):
        seen.append(sample_weight)
        return (model.predict(X) == y) @ sample_weight / sample_weight.sum()

    for scoring in ("accuracy", scorer):
        ours = classifier(Cs=CS, scoring=scoring).fit(X, y, sample_weight=weight)
        default = classifier(Cs=CS).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(ours.cv_results_["mean_test_score"], default.cv_results_["mean_test_score"])
    assert all(s is not None for s in seen)


def test_a_scorer_without_weights_is_named(labels, classifier):
    def scorer(model, X, y):
        return float((model.predict(X) == y).mean())

    weight = np.arange(1.0, 81.0)
    with pytest.warns(UserWarning, match=r"scoring=.*scorer.* does not take sample_weight"):
        ours = classifier(Cs=CS, scoring=scorer).fit(*labels, sample_weight=weight)
    meant = classifier(Cs=CS, scoring=scorer, weighted_score=False).fit(*labels, sample_weight=weight)
    assert ours.best_score_ == meant.best_score_


def test_a_scorer_sees_a_fitted_machine_that_predicts(labels, classifier):
    X, y = labels

    def scorer(model, X_test, y_test):
        np.testing.assert_array_equal(model.predict(X_test), model.predict(X_test.copy()))
        np.testing.assert_allclose(model.decision_function(X_test), model.decision_function(X_test.copy()))
        assert list(model.classes_) == ["no", "yes"]
        return float((model.predict(X_test) == y_test).mean())

    assert classifier(Cs=CS, scoring=scorer).fit(X, y).best_score_ == classifier(Cs=CS).fit(X, y).best_score_


def test_no_refit_no_prediction(labels, classifier):
    search = classifier(Cs=CS, refit=False).fit(*labels)
    assert search.best_params_["C"] in CS
    assert not hasattr(search, "predict")
    assert not hasattr(search, "best_estimator_")
    assert not hasattr(search, "certificate_")
