"""Data that a model was not trained on never confirm its certificate, whatever its loss, penalty and solver."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from maxmargin.certificates import Status
from maxmargin.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    PolynomialRegression,
    Ridge,
    RidgeCV,
)
from maxmargin.penalties import GroupLasso
from maxmargin.persistence import load, save
from maxmargin.svm import LinearSVC, LinearSVCCV, LinearSVR

SEEDS = range(2)
ROWS = 40


class Huber:
    """The Huber loss of f - y, by a user's functions."""

    def value(self, f, y):
        z = np.abs(f - y)
        return np.where(z <= 1, z * z / 2, z - 0.5)

    def derivative(self, f, y):
        return np.clip(f - y, -1.0, 1.0)

    def conjugate(self, u, y):
        return np.where(np.abs(u) <= 1, u * y + u * u / 2, np.inf)


def _linear(loss, penalty, **options):
    return lambda: LinearClassifier(loss=loss, penalty=penalty, **options)


CLASSIFIERS = {
    f"{loss} {penalty}{' through the origin' * (not intercept)}": _linear(loss, penalty, fit_intercept=intercept)
    for loss in ("hinge", "squared_hinge", "logistic", "squared")
    for penalty in ("l2", "l1", "elastic_net", "none")
    for intercept in (True, False)
} | {
    "hinge, C=1e3": lambda: LinearSVC(loss="hinge", C=1e3),
    "hinge, C=1e-3": lambda: LinearSVC(loss="hinge", C=1e-3),
    "hinge, balanced": lambda: LinearSVC(loss="hinge", class_weight="balanced"),
    "hinge, group lasso": lambda: LinearClassifier(penalty=GroupLasso([0, 0, 1])),
    "Huber": lambda: LinearClassifier(loss=Huber()),
    "LinearSVC": LinearSVC,
    "LinearSVC l1": lambda: LinearSVC(penalty="l1", dual=False),
    "LinearSVC in the dual": lambda: LinearSVC(dual=True),
    "LinearSVCCV": lambda: LinearSVCCV(cv=3),
    "LogisticRegression": LogisticRegression,
    "LogisticRegression l1": lambda: LogisticRegression(penalty="l1"),
    "LogisticRegressionCV": lambda: LogisticRegressionCV(cv=3),
    "Crammer-Singer": lambda: LinearSVC(multi_class="crammer_singer"),
    "Crammer-Singer through the origin": lambda: LinearSVC(multi_class="crammer_singer", fit_intercept=False),
    "sgd": lambda: LinearClassifier(solver="sgd", tol=0.05, random_state=0),
    "sgd, l1": lambda: LinearClassifier(solver="sgd", penalty="l1", tol=0.05, random_state=0),
    "sgd, logistic": lambda: LinearClassifier(loss="logistic", solver="sgd", tol=0.05, random_state=0),
    "sgd, theory": lambda: LinearClassifier(solver="sgd", tol=0.2, solver_options={"schedule": "theory"}),
    "perceptron": lambda: LinearClassifier(loss="perceptron", penalty="none", solver="sgd", random_state=0),
    "a budget of one": lambda: LinearSVC(loss="hinge", max_iter=1),
    "a loose tolerance": lambda: LinearSVC(loss="hinge", tol=0.5),
}
REGRESSORS = {
    "LinearSVR": LinearSVR,
    "LinearSVR, epsilon=0.5": lambda: LinearSVR(epsilon=0.5),
    "LinearSVR squared": lambda: LinearSVR(loss="squared_epsilon_insensitive"),
    "LinearSVR l1": lambda: LinearSVR(penalty="l1"),
    "LinearSVR through the origin": lambda: LinearSVR(fit_intercept=False),
    "LinearSVR, C=1e3": lambda: LinearSVR(C=1e3),
    "Lasso": lambda: Lasso(alpha=0.01),
    "Lasso through the origin": lambda: Lasso(alpha=0.01, fit_intercept=False),
    "Lasso, positive": lambda: Lasso(alpha=0.01, positive=True),
    "LassoCV": lambda: LassoCV(cv=3),
    "ElasticNet": lambda: ElasticNet(alpha=0.01),
    "ElasticNetCV": lambda: ElasticNetCV(cv=3),
    "LinearRegression": LinearRegression,
    "Ridge": Ridge,
    "RidgeCV": RidgeCV,
    "PolynomialRegression": lambda: PolynomialRegression(2),
}
SEVERAL_OUTPUTS = ("Lasso", "ElasticNet", "LinearRegression", "Ridge", "RidgeCV", "PolynomialRegression")


def _data(seed, classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, 3))
    noisy = X[:, 0] + 0.4 * rng.normal(size=ROWS)
    if classes == 0:
        y = noisy
    elif classes == 2:
        y = np.where(noisy > 0, "pos", "neg")
    else:
        y = np.array(["a", "b", "c"])[np.digitize(noisy, [-0.5, 0.5])]
    return X, y, rng


def _flipped(y, row):
    y = y.copy()
    y[row] = y[np.flatnonzero(y != y[row])[0]]
    return y


def _changes(X, y, weight, rng, was_weighted):
    """Other data by name: rows, labels and weights that the fit did not see, and that no permutation makes the same."""
    given = weight if was_weighted else None
    yield "rolled", X, np.roll(y, 1, axis=0), given
    yield "shuffled", X, y[rng.permutation(len(y))], given
    for row in rng.choice(len(y), 6, replace=False):
        yield f"row {row} flipped", X, _flipped(y, row) if y.dtype.kind == "U" else _moved(y, row), given
    yield "other rows", rng.normal(size=X.shape), y, given
    yield "all other", rng.normal(size=X.shape), y[rng.permutation(len(y))], given
    yield "rows negated", -X, y, given
    yield "rows doubled", 2 * X, y, given
    yield "rows of a million times the size", 1e6 * X, y, given
    if was_weighted:
        yield "weights missing", X, y, None
        yield "weights reversed", X, y, weight[::-1].copy()
    else:
        yield "weights", X, y, weight
        yield "weights of half", X, y, np.full(len(y), 0.5)
        yield "heavy weights", X, y, np.full(len(y), 1e8)
        yield "light weights", X, y, np.full(len(y), 1e-8)


def _moved(y, row):
    y = y.copy()
    y[row] += 3.0
    return y


def _check(model, X, y, weight, rng, tmp_path, weighted):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, **({"sample_weight": weight} if weighted else {}))
    models = [model]
    if not isinstance(getattr(model, "loss", None), Huber):  # no file keeps a user's functions
        save(model, tmp_path / "model.mm")
        models.append(load(tmp_path / "model.mm"))
    own = model.certificate_.verify(X, y, weight if weighted else None)
    assert own.status is model.certificate_.status
    wrong = []
    for change, other_X, other_y, other_weight in _changes(X, y, weight, rng, weighted):
        for which in models:
            found = which.certificate_.verify(other_X, other_y, other_weight)
            if found.status is not Status.REFUTED and not _same_claim(model, other_weight):
                wrong.append(f"{change}: {found}")
    assert not wrong, "\n".join([f"{len(wrong)} confirmed", *wrong])


def _same_claim(model, weight):
    """Whether the claim does not depend on what was changed."""
    if isinstance(model, (Lasso, ElasticNet, LassoCV, ElasticNetCV)) and weight is not None:
        return np.ptp(weight) == 0  # a weighted mean
    return False


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_other_data_refute_classifiers(name, classes, weighted, tmp_path):
    for seed in SEEDS:
        X, y, rng = _data(seed, classes)
        weight = rng.uniform(0.3, 3, ROWS)
        _check(CLASSIFIERS[name](), X, y, weight, rng, tmp_path, weighted)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", REGRESSORS)
def test_other_data_refute_regressors(name, weighted, tmp_path):
    for seed in SEEDS:
        X, y, rng = _data(seed, 0)
        weight = rng.uniform(0.3, 3, ROWS)
        _check(REGRESSORS[name](), X, y, weight, rng, tmp_path, weighted)
        if name in SEVERAL_OUTPUTS:
            _check(REGRESSORS[name](), X, np.column_stack([y, X[:, 1] ** 2]), weight, rng, tmp_path, weighted)


def test_what_holds_of_other_data_is_not_refuted():
    """Rows beyond the margin cost nothing: moved further away they leave the optimum and its proof as they were."""
    X, y, _ = _data(0, 2)
    model = LinearSVC(loss="hinge").fit(X, y)
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    beyond = signs * model.decision_function(X) > 1.5
    assert 5 < beyond.sum() < ROWS
    other = X + np.outer(signs * beyond, model.coef_[0])
    weight = np.where(beyond, 3.0, 1.0)
    for found in (model.certificate_.verify(other, y), model.certificate_.verify(X, y, weight)):
        assert found.status is Status.CONVERGED
        assert found.relative_gap <= model.tol


@pytest.mark.parametrize("variant", ["plain", "averaged"])
@pytest.mark.parametrize("classes", [2, 3])
def test_other_data_refute_perceptrons(classes, variant):
    """They take no weights, and promise nothing of rows that no weights separate."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        labels = np.arange(ROWS) % classes
        X = 0.3 * rng.normal(size=(ROWS, 3)) + 6 * np.eye(3)[labels]
        y = np.array(["a", "b", "c"])[labels]
        model = Perceptron(variant=variant).fit(X, y)
        assert model.certificate_.verify(X, y).status is model.certificate_.status is Status.CONVERGED
        for change, other_X, other_y, weight in _changes(X, y, np.ones(ROWS), rng, False):
            if weight is None and "doubled" not in change and "million" not in change:  # separated as before
                assert model.certificate_.verify(other_X, other_y).status is Status.REFUTED, change
