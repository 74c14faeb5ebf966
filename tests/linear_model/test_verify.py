"""Guarantees of methods without a duality gap: what contradicts them is refuted, and raises nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from maxmargin.certificates import Status
from maxmargin.linear_model import LinearRegression, Perceptron, PolynomialRegression, Ridge


def _set(model, name, value):
    setattr(model, name, value)
    return model


TAMPERED = {
    "weights of zero": lambda m: _set(m, "coef_", np.zeros_like(m.coef_)),
    "a weight that is not finite": lambda m: _set(m, "coef_", np.where(m.coef_ == m.coef_.max(), np.nan, m.coef_)),
    "an intercept that is not finite": lambda m: _set(m, "intercept_", m.intercept_ * np.nan),
    "an infinite intercept": lambda m: _set(m, "intercept_", m.intercept_ + np.inf),
    "an intercept moved": lambda m: _set(m, "intercept_", m.intercept_ - 50),
    "a feature less": lambda m: _set(m, "coef_", m.coef_[..., 1:]),
    "features of another number": lambda m: _set(m, "n_features_in_", m.n_features_in_ + 1),
    "weights that are not numbers": lambda m: _set(m, "coef_", "weights"),
    "no weights": lambda m: _set(m, "coef_", None),
}
OF_CLASSIFIERS = {
    "classes reversed": lambda m: _set(m, "classes_", m.classes_[::-1]),
    "other classes": lambda m: _set(m, "classes_", m.classes_ + 1),
    "a class more": lambda m: _set(m, "classes_", np.append(m.classes_, 99)),
}


def _data(features: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, features))
    return X, X @ np.arange(1, features + 1) + 0.1 * rng.normal(size=50)


REGRESSORS = [(LinearRegression, 3), (Ridge, 3), (lambda: Ridge(alpha=0.0), 3), (lambda: PolynomialRegression(2), 3)]
REGRESSORS += [(lambda: PolynomialRegression(4), 1)]


@pytest.mark.parametrize("change", TAMPERED)
@pytest.mark.parametrize(("make", "features"), REGRESSORS)
def test_tampered_regressors_are_refuted(make, features, change):
    X, y = _data(features)
    model = make().fit(X, y)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED
    TAMPERED[change](model).set_params(tol=1e9)
    found = model.certificate_.verify(X, y)
    assert found.status is Status.REFUTED
    assert not found.holds


@pytest.mark.parametrize(("make", "features"), REGRESSORS)
def test_another_objective_is_refuted(make, features):
    X, y = _data(features)
    model = make().fit(X, y)
    figures = dict(model.certificate_.figures)
    figures["objective"] *= 1 + 1e-6
    model.certificate_ = replace(model.certificate_, figures=figures)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


@pytest.mark.parametrize("variant", ["plain", "averaged"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("change", [*TAMPERED, *OF_CLASSIFIERS])
def test_tampered_perceptrons_are_refuted(change, classes, variant):
    rng = np.random.default_rng(0)
    y = np.arange(60) % classes
    X = rng.normal(size=(60, 2)) * 0.3 + 6 * np.column_stack([np.cos(2 * y), np.sin(2 * y)])
    model = Perceptron(variant=variant).fit(X, y)
    assert model.certificate_.verify(X, y).status is model.certificate_.status
    {**TAMPERED, **OF_CLASSIFIERS}[change](model)
    assert model.certificate_.verify(X, y).status is Status.REFUTED
