"""What candidates are compared by: each metric against scikit-learn's figure, and what is refused at once."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    f1_score,
    log_loss,
    mean_absolute_error,
    mean_pinball_loss,
    roc_auc_score,
    root_mean_squared_error,
)

from maxmargin.training import TrainingError, train
from maxmargin.training._arguments import check_arguments
from maxmargin.training._metrics import figure, judge


def test_figures_are_those_of_scikit_learn():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 3))
    y = np.where(X[:, 0] + generator.normal(size=200) > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    assert judge("AUC", model, X, y) == pytest.approx(roc_auc_score(y, model.decision_function(X)))
    assert judge("log loss", model, X, y) == pytest.approx(-log_loss(y, model.predict_proba(X)))
    assert judge("F1:yes", model, X, y) == pytest.approx(f1_score(y, model.predict(X), pos_label="yes"))
    a, b = generator.normal(size=(2, 100))
    assert figure("MAE", a, b) == pytest.approx(-mean_absolute_error(a, b))
    assert figure("RMSE", a, b) == pytest.approx(-root_mean_squared_error(a, b))
    assert figure("pinball:0.9", a, b) == pytest.approx(-mean_pinball_loss(a, b, alpha=0.9))


@pytest.mark.parametrize("metric", ["AUC", "log loss", "F1:yes"])
def test_classifiers_are_compared_by_it(metric, tables):
    training = train(tables["binary"], "y", model="linear,logistic,tree,knn,forest", metric=metric, folds=2)
    assert training.metric == metric and metric in training.scores
    assert metric in training.reason
    if metric == "log loss":
        assert training.tuning["metric"] == "minus log loss"
        note = next(row.note for row in training.candidates if row.family == "linear")
        assert note == "left out: it gives no probabilities, which log loss needs"


@pytest.mark.parametrize("metric", ["MAE", "RMSE", "pinball:0.8"])
def test_regressors_are_compared_by_it(metric, tables):
    training = train(tables["regression"], "y", model="ridge,tree", metric=metric, folds=2)
    assert training.candidates[0].score < 0 < training.scores[metric].value


@pytest.mark.parametrize("metric", ["F1", "F1:", "pinball", "pinball:2", "pinball:x", "auc", 3, None])
def test_what_is_no_metric_is_refused_before_anything_is_read(metric):
    with pytest.raises(TrainingError, match="metric must be one of 'auto', 'accuracy'"):
        check_arguments(metric=metric)


@pytest.mark.parametrize(
    ("task", "metric", "words"),
    [
        ("binary", "MAE", "does not judge classes"),
        ("regression", "AUC", "does not judge numbers"),
        ("multiclass", "AUC", "is of two classes, and the target has 3"),
        ("binary", "F1:maybe", "names a class that the target does not have; it has 'no', 'yes'"),
    ],
)
def test_metrics_of_another_target(task, metric, words, tables):
    with pytest.raises(TrainingError, match=words):
        train(tables[task], "y", model="tree", metric=metric)
