"""Everything that predictions by neighbours read is checked by `verify`."""

import copy

import numpy as np
import pytest
from sklearn.datasets import load_iris

from maxmargin.certificates import Status
from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier, KNeighborsRegressor

X, y = load_iris(return_X_y=True)


def changed(model, **values):
    other = copy.deepcopy(model)
    for name, change in values.items():
        setattr(other, name, change(getattr(model, name)))
    return other


CLASSIFIER = {
    "labels rolled": {"_labels": lambda v: np.roll(v, 1, axis=0)},
    "classes reversed": {"classes_": lambda v: v[::-1]},
    "sizes of classes": {"_sizes": lambda v: [v[0][::-1] * [1, 2, 3]]},
    "outputs": {"outputs_2d_": lambda v: True},
    "rows": {"n_samples_fit_": lambda v: v + 1},
    "columns": {"n_features_in_": lambda v: v + 1},
    "one row": {"_fit_X": lambda v: np.where(np.arange(150)[:, None] == 7, v + 1, v)},
    "neighbours": {"n_neighbors": lambda v: v + 2},
    "another search": {"_index": lambda v: KNeighborsClassifier().fit(X[::-1].copy(), y)._index},
}


@pytest.mark.parametrize("tamper", CLASSIFIER)
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_a_classifier(tamper, algorithm):
    model = KNeighborsClassifier(algorithm=algorithm).fit(X, y)
    assert model.certificate_.verify(X, y).holds
    found = changed(model, **CLASSIFIER[tamper]).certificate_.verify(X, y)
    assert found.status is Status.REFUTED and not found.holds


@pytest.mark.parametrize("change", [lambda v: v[::-1], lambda v: v * np.nan, lambda v: v[:-1]])
def test_a_regressor(change):
    model = KNeighborsRegressor().fit(X[:, 1:], X[:, 0])
    assert model.certificate_.verify(X[:, 1:], X[:, 0]).holds
    found = changed(model, _y=change).certificate_.verify(X[:, 1:], X[:, 0])
    assert found.status is Status.REFUTED and not found.holds


CONDENSED = {
    "labels reversed": {"prototype_labels_": lambda v: v[::-1]},
    "one prototype": {"prototypes_": lambda v: np.where(np.arange(len(v))[:, None] == 1, v + 1e-3, v)},
    "places": {"prototype_indices_": lambda v: v[::-1]},
    "classes": {"classes_": lambda v: v[::-1]},
    "columns": {"n_features_in_": lambda v: v + 1},
    "another search": {"_index": lambda v: KNeighborsClassifier().fit(X[::-1].copy(), y)._index},
}


@pytest.mark.parametrize("tamper", CONDENSED)
def test_condensed_rows(tamper):
    model = CondensedNearestNeighbors().fit(X, y)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    assert changed(model, **CONDENSED[tamper]).certificate_.verify(X, y).status is Status.REFUTED
