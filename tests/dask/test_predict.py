"""Lazy predictions of models that were fitted anywhere."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

import maxmargin.dask as on
from maxmargin.cluster import KMeans
from maxmargin.ensemble import RandomForestClassifier
from maxmargin.linear_model import LinearClassifier, LogisticRegression
from maxmargin.messages import InputError
from maxmargin.neighbors import KNeighborsRegressor
from maxmargin.svm import SVC, SVCCV

from .samples import on_cluster, rows, targets

X, Z = rows(200)
MODELS = [
    (SVC().fit(X, targets(Z, "two")), ("predict", "decision_function")),
    (SVC().fit(X, targets(Z, "three")), ("predict", "decision_function")),
    (LogisticRegression().fit(X, targets(Z, "three")), ("predict", "predict_proba", "predict_log_proba")),
    (KMeans(3).fit(X), ("predict", "transform")),
    (KNeighborsRegressor().fit(X, np.column_stack([Z, Z])), ("predict",)),
    (RandomForestClassifier(5).fit(X, targets(Z, "two")), ("predict", "predict_proba")),
    (SVCCV(Cs=2, gammas=2).fit(X, targets(Z, "two")), ("predict", "predict_proba", "decision_function")),
    (LinearClassifier("logistic").fit(X, targets(Z, "three")), ("predict_proba", "predict_log_proba")),
]


@pytest.mark.parametrize("model, methods", MODELS)
def test_predictions_are_lazy_and_the_same(model, methods):
    Xd = on_cluster(X, 3)
    for method in methods:
        expected = getattr(model, method)(X)
        for found in (on.predict(model, Xd, method=method), getattr(model, method)(Xd)):
            assert (
                isinstance(found, da.Array)
                and found.shape == expected.shape
                and found.dtype.kind == expected.dtype.kind
            )
            assert found.chunks[0] == Xd.chunks[0]
            np.testing.assert_allclose(found.compute(), expected) if expected.dtype.kind == "f" else None
            assert expected.dtype.kind == "f" or (found.compute() == expected).all()


def test_scores_take_collections():
    model = MODELS[0][0]
    yd = on_cluster(targets(Z, "two"), 3)
    assert model.score(on_cluster(X, 3), yd) == model.score(X, targets(Z, "two"))


def test_refusals():
    model = MODELS[0][0]
    with pytest.raises(InputError, match=r"X has 4 features, but SVC is expecting 5"):
        on.predict(model, on_cluster(X, 3)[:, :4])
    with pytest.raises(InputError, match="no method 'guess'"):
        on.predict(model, on_cluster(X, 3), method="guess")
    with pytest.raises(InputError, match=r"model.predict\(X\)"):
        on.predict(model, X)
