"""Boosting and forests that end when the error on rows says so."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

from maxmargin.bounds import boosting_rounds
from maxmargin.certificates import Status
from maxmargin.ensemble import AdaBoostClassifier, AdaBoostRegressor, RandomForestClassifier, RandomForestRegressor
from maxmargin.linear_model import Ridge
from maxmargin.persistence import load, save

CANCER = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize(("estimator", "load"), [("stump", load_breast_cancer), ("box", load_iris)])
def test_boosting_ends_with_the_first_round_without_training_error(estimator, load):
    X, y = load(return_X_y=True)
    long = AdaBoostClassifier(estimator, n_estimators=100).fit(X, y)
    first = int(np.argmax(long.certificate_.training_errors == 0)) + 1
    assert long.certificate_.training_errors[first - 1] == 0
    model = AdaBoostClassifier(estimator, n_estimators=100, stop_at_zero_error=True).fit(X, y)
    assert len(model) == first and model.score(X, y) == 1.0
    np.testing.assert_array_equal(model.estimator_weights_[:first], long.estimator_weights_[:first])
    assert model.certificate_.holds and model.certificate_.verify(X, y).holds
    assert f"no training error after round {first}" in model.certificate_.statement


@pytest.mark.parametrize("seed", range(5))
def test_no_more_rounds_than_the_theorem_allows(seed):
    # T > ln(n) / (2 gamma^2) rounds with edges of gamma or more leave no error, whatever the data
    X, y = make_classification(100, n_features=30, n_informative=20, flip_y=0.0, random_state=seed)
    model = AdaBoostClassifier(n_estimators=2000, stop_at_zero_error=True).fit(X, y)
    edge = float(model.certificate_.edges.min())
    assert len(model) <= boosting_rounds(100, edge)
    assert boosting_rounds(100, edge) == int(np.floor(np.log(100) / (2 * edge**2))) + 1


def test_rows_without_weight_may_stay_wrong():
    X, y = load_breast_cancer(return_X_y=True)
    weight, flipped = np.ones(len(y)), y.copy()
    weight[:20], flipped[:20] = 0.0, 1 - y[:20]
    model = AdaBoostClassifier(n_estimators=200, stop_at_zero_error=True).fit(X, flipped, sample_weight=weight)
    rest = AdaBoostClassifier(n_estimators=200, stop_at_zero_error=True).fit(X[20:], y[20:])
    assert len(model) == len(rest) < 200
    assert model.certificate_.figures["smallest margin"] == pytest.approx(rest.certificate_.figures["smallest margin"])


def test_boosting_keeps_the_rounds_with_the_lowest_error_on_held_out_rows():
    X, y = make_classification(400, n_features=10, flip_y=0.2, random_state=1)
    settings = {"n_estimators": 200, "validation_fraction": 0.3, "n_iter_no_change": 15, "random_state": 0}
    model = AdaBoostClassifier(**settings).fit(X, y)
    scores = model.validation_scores_
    assert len(model) == int(np.argmax(scores)) + 1 and len(scores) == min(200, len(model) + 15)
    # the rows that were held out, found again by what is said of them
    train = model.certificate_.figures["training error"]
    wrong = (model.predict(X) != y).sum()
    held = 120
    assert wrong == pytest.approx(train * 280 + (1 - scores[len(model) - 1]) * held)
    assert model.certificate_.holds and model.certificate_.verify(X, y).holds
    staged = list(model.staged_score(X, y))
    assert len(staged) == len(model) and staged[-1] == model.score(X, y)
    np.testing.assert_array_equal(model.predict(X), AdaBoostClassifier(**settings).fit(X, y).predict(X))


def test_settings_changed_after_the_fit_do_not_refute_it():
    X, y = CANCER
    model = AdaBoostClassifier(n_estimators=60, validation_fraction=0.2, random_state=0).fit(X, y)
    model.set_params(validation_fraction=0.4, n_iter_no_change=3, stop_at_zero_error=True)
    assert model.certificate_.verify(X, y).holds
    model.validation_scores_[0] += 0.25
    assert model.certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize(
    "model", [AdaBoostClassifier, AdaBoostRegressor, RandomForestClassifier, RandomForestRegressor]
)
def test_a_record_of_rows_held_out_that_no_fit_can_have_made(model):
    """It raised an error about the parameter instead of a refutation."""
    X, y = CANCER
    fitted = model(n_estimators=3, validation_fraction=0.2, random_state=0).fit(X, y)
    assert fitted.certificate_.verify(X, y).status is not Status.REFUTED
    fitted.validation_fraction = 1e-6
    if hasattr(fitted, "_validation_fraction"):  # what counts is kept at the fit
        fitted._validation_fraction = 1e-6
    assert fitted.certificate_.verify(X, y).status is Status.REFUTED


def test_a_forest_with_bags_that_no_fit_can_have_drawn():
    X, y = CANCER
    forest = RandomForestClassifier(3, max_samples=0.5, random_state=0).fit(X, y)
    forest.max_samples = 2**40
    assert forest.certificate_.verify(X, y).status is Status.REFUTED


def test_a_later_fit_without_validation_forgets_its_scores():
    X, y = CANCER
    model = AdaBoostClassifier(n_estimators=20, validation_fraction=0.2, random_state=0).fit(X, y)
    assert not hasattr(model.set_params(validation_fraction=0.0).fit(X, y), "validation_scores_")
    with pytest.raises(ValueError, match="holds no row out of n_samples=4"):
        AdaBoostClassifier(validation_fraction=0.1).fit(X[[0, 1, 19, 20]], y[[0, 1, 19, 20]])


@pytest.mark.parametrize("bootstrap", [True, False])
def test_trees_by_a_validation_set(bootstrap):
    X, y = CANCER
    settings = {"bootstrap": bootstrap, "validation_fraction": 0.3, "random_state": 0}
    model = RandomForestClassifier("auto", **settings).fit(X, y)
    curve = model.validation_error_curve_
    assert len(curve) == len(model) and len(model) % 16 == 0 and len(model) < 1024
    # the rows in no bag of any tree are those that were held out
    held = np.setdiff1d(np.arange(len(y)), np.concatenate(model.estimators_samples_))
    assert len(held) == round(0.3 * 212) + round(0.3 * 357)
    staged = [np.mean(said != y[held]) for said in model.staged_predict(X[held])]
    np.testing.assert_allclose(curve, staged, atol=1e-12)
    spread = np.sqrt(curve[-1] * (1 - curve[-1]) / len(held))
    assert np.abs(curve[len(curve) // 2 :] - curve[-1]).max() <= spread
    again = model.certificate_.verify(X, y)
    assert again.status is Status.CONVERGED and again.figures == model.certificate_.figures
    model.validation_error_curve_[0] += 0.1
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_values_by_a_validation_set():
    X, y = load_diabetes(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 3.0, len(y))
    model = RandomForestRegressor(40, validation_fraction=0.25, max_depth=4, random_state=0).fit(X, y, weight)
    held = np.setdiff1d(np.arange(len(y)), np.concatenate(model.estimators_samples_))
    assert len(held) == round(0.25 * len(y))
    staged = [np.average((said - y[held]) ** 2, weights=weight[held]) for said in model.staged_predict(X[held])]
    np.testing.assert_allclose(model.validation_error_curve_, staged)
    assert model.certificate_.verify(X, y, weight).status is Status.CONVERGED


@pytest.mark.parametrize("combine", ["mean", "product"])
def test_stages_of_a_forest_are_forests_of_the_first_trees(combine):
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(6, combine=combine, max_depth=3, random_state=0).fit(X, y)
    shares, labels = list(model.staged_predict_proba(X)), list(model.staged_predict(X))
    assert len(shares) == len(labels) == 6
    np.testing.assert_array_equal(shares[-1], model.predict_proba(X))
    whole = model.estimators_
    for t in range(1, 7):
        model.estimators_ = whole[:t]
        np.testing.assert_allclose(shares[t - 1], model.predict_proba(X), rtol=1e-12)
        np.testing.assert_array_equal(labels[t - 1], model.predict(X))


def test_what_a_validation_set_cannot_do_is_refused():
    X, y = CANCER
    with pytest.raises(ValueError, match="use warm_start=False"):
        RandomForestClassifier(validation_fraction=0.2, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"validation_fraction=0\.2 or a number"):
        RandomForestClassifier("auto", bootstrap=False).fit(X, y)


def test_an_error_that_does_not_settle_is_said_to_be_of_the_held_out_rows(monkeypatch):
    monkeypatch.setattr("maxmargin.ensemble._forest_validation.Validation.has_settled", lambda self, fewest: False)
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        RandomForestClassifier("auto", validation_fraction=0.5, max_depth=1, random_state=0).fit(X, y)
    assert [w.category for w in heard] == [ConvergenceWarning]
    assert "the error on held-out rows had not settled after 1024 trees" in str(heard[0].message)


def test_a_first_learner_without_errors_is_kept():
    """Boosting ends before the held-out rows are asked; all learners were dropped."""
    X = np.arange(40.0)[:, None]
    model = AdaBoostClassifier(validation_fraction=0.25, random_state=0).fit(X, X[:, 0] > 19)
    assert len(model.estimators_) == 1 and model.score(X, X[:, 0] > 19) == 1.0
    assert model.certificate_.verify(X, X[:, 0] > 19).status is model.certificate_.status


@pytest.mark.parametrize("estimator", [None, Ridge(alpha=1e-3)])
def test_a_regressor_keeps_the_rounds_with_the_lowest_error_on_held_out_rows(estimator, tmp_path):
    X, y = load_diabetes(return_X_y=True)
    settings = {"n_estimators": 60, "validation_fraction": 0.3, "n_iter_no_change": 8, "random_state": 0}
    model = AdaBoostRegressor(estimator, resample=False, **settings).fit(X, y)
    scores, rounds = model.validation_scores_, len(model.estimators_)
    assert rounds == int(np.argmax(scores)) + 1 and len(scores) <= min(60, rounds + 8)
    # the rows that were held out are those that have no part: without them the same model is fitted
    size = round(0.3 * len(y))
    held = np.random.RandomState([model._seed, 1]).permutation(len(y))[:size]
    weight = np.ones(len(y))
    weight[held] = 0.0
    alone = AdaBoostRegressor(estimator, n_estimators=rounds, resample=False, random_state=0).fit(X, y, weight)
    np.testing.assert_allclose(alone.predict(X), model.predict(X))
    rest = y[held] - model.predict(X[held])
    assert scores[rounds - 1] == pytest.approx(1 - np.mean(rest**2) / np.var(y[held]))
    for score, predicted in zip(scores, model.staged_predict(X[held]), strict=False):
        assert score == pytest.approx(1 - np.mean((y[held] - predicted) ** 2) / np.var(y[held]))
    assert model.certificate_.verify(X, y).status is model.certificate_.status is not Status.REFUTED
    save(model, tmp_path / "model.mm")
    again = load(tmp_path / "model.mm")
    np.testing.assert_array_equal(again.validation_scores_, scores)
    assert again.certificate_.verify(X, y).status is model.certificate_.status
    again.validation_scores_[0] -= 0.25
    assert again.certificate_.verify(X, y).status is Status.REFUTED
    model.set_params(validation_fraction=0.0, n_iter_no_change=3)
    assert model.certificate_.verify(X, y).status is not Status.REFUTED
    assert not hasattr(model.fit(X, y), "validation_scores_")


def test_targets_that_are_all_alike_and_shares_without_rows():
    X = np.arange(20.0)[:, None]
    model = AdaBoostRegressor(validation_fraction=0.2, random_state=0).fit(X, np.ones(20))
    assert len(model.estimators_) == 1 and model.predict(X).tolist() == [1.0] * 20
    with pytest.raises(ValueError, match="holds no row out of n_samples=2"):
        AdaBoostRegressor(validation_fraction=0.1).fit([[0.0], [1.0]], [0.0, 1.0])


def test_what_is_kept_is_said_in_words():
    X, y = make_classification(400, n_features=10, flip_y=0.2, random_state=1)
    settings = {"n_estimators": 200, "validation_fraction": 0.3, "n_iter_no_change": 15, "random_state": 0}
    model = AdaBoostClassifier(**settings).fit(X, y)
    kept = f"the learners of the first {len(model)} rounds are kept, after which that error was lowest"
    assert kept in model.certificate_.statement
