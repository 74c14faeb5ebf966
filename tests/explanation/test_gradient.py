"""Gradient boosting explained: contributions add up to the sum of the trees."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from maxmargin.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from maxmargin.explanation import explain_model, explain_row


@pytest.mark.parametrize(
    ("load", "model"),
    [
        (load_breast_cancer, HistGradientBoostingClassifier(max_iter=8)),
        (load_iris, HistGradientBoostingClassifier(max_iter=8)),
        (load_diabetes, HistGradientBoostingRegressor(max_iter=8)),
        (load_diabetes, HistGradientBoostingRegressor("poisson", max_iter=8)),
    ],
)
def test_contributions_add_up(load, model):
    X, y = load(return_X_y=True)
    X[::7, 0] = np.nan
    model.fit(X, y)
    for row in (0, 7, 100):
        found = explain_row(model, X[row : row + 1], label=y[row])
        added = sum(found.contributions.column("contribution"))
        if not hasattr(model, "classes_"):
            said = model.predict(X[row : row + 1])[0]
            assert found.prediction == pytest.approx(said)
            assert added == pytest.approx(np.log(said) if model.loss == "poisson" else said)
            continue
        raw = model.decision_function(X[row : row + 1])[0]
        ranked = np.sort(np.ravel(raw))
        assert (
            added == pytest.approx(found.decision) == pytest.approx(raw if raw.ndim == 0 else ranked[-1] - ranked[-2])
        )
        assert found.prediction == model.predict(X[row : row + 1])[0]
        assert found.probability == pytest.approx(model.predict_proba(X[row : row + 1]).max())


def test_a_column_that_is_not_asked_for_contributes_nothing():
    X, y = load_diabetes(return_X_y=True)
    X[:, 3] = 0.0
    model = HistGradientBoostingRegressor(max_iter=8).fit(X, y)
    assert "x3" not in explain_row(model, X[:1]).contributions.column("feature")


def test_what_it_has_learned():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = HistGradientBoostingClassifier(max_iter=8).fit(X, y)
    found = explain_model(model, X, y)
    assert found.facts["rounds"] == 8 and "wrong on the given rows" in found.facts
    table = found.tables["importances"]
    best = X.columns[model.feature_importances_.argmax()]
    assert table.column("feature")[0] == best
