"""The proof of a linear model: what it says, that it can be checked, and that a false model is refuted."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from maxmargin.certificates import Status


def test_every_machine_proves_its_gap(machine, two_classes):
    X, y = two_classes
    model = machine().fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert 0 <= model.certificate_.relative_gap <= model.tol
    assert model.fit_status_ == 0
    assert isinstance(model.solver_, str)
    again = model.certificate_.verify(X, y)
    assert again.status is Status.CONVERGED
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-9)


def test_the_objective_is_the_one_that_is_documented(machine, two_classes):
    X, y = two_classes
    model = machine(C=0.7).fit(X, y)
    f = X @ model.coef_.ravel() + model.intercept_[0]
    w, z, r = model.coef_.ravel(), (2 * y - 1) * f, np.maximum(0, np.abs(y - f) - 0.1)
    loss = {
        "hinge": np.maximum(0, 1 - z),
        "squared": (1 - z) ** 2 / 2,
        "squared_hinge": np.maximum(0, 1 - z) ** 2,
        "epsilon_insensitive": r,
        "squared_epsilon_insensitive": r**2,
    }.get(getattr(model, "loss", None), np.log1p(np.exp(-z)))
    penalty = w @ w / 2 if getattr(model, "penalty", "l2") != "elastic_net" else np.abs(w).sum() / 2 + w @ w / 4
    assert model.certificate_.primal == pytest.approx(0.7 * loss.sum() + penalty, rel=1e-12)


@pytest.mark.parametrize("part", ["coef_", "intercept_"])
def test_an_altered_model_is_refuted(machine, two_classes, part):
    X, y = two_classes
    model = machine().fit(X, y)
    setattr(model, part, getattr(model, part) + 0.1)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_other_labels_are_refuted(classifier, two_classes):
    X, y = two_classes
    model = classifier().fit(X, y)
    assert model.certificate_.verify(X, 1 - y).status is Status.REFUTED


def test_a_model_is_proven_after_pickling(machine, two_classes):
    X, y = two_classes
    model = pickle.loads(pickle.dumps(machine().fit(X, y)))
    assert model.certificate_.verify(X, y).status is Status.CONVERGED


def test_one_certificate_a_class(classifier, three_classes):
    X, y = three_classes
    model = classifier().fit(X, np.array(["low", "middle", "high"])[y])
    certificate = model.certificate_
    assert certificate.status is Status.CONVERGED
    if len(certificate.problems) == 3:
        assert [c.label for c in certificate.problems] == [f"{k} against the rest" for k in ("high", "low", "middle")]
    assert certificate.verify(X, np.array(["low", "middle", "high"])[y]).status is Status.CONVERGED
    model.coef_[1] *= 1.1
    assert certificate.verify(X, np.array(["low", "middle", "high"])[y]).status is Status.REFUTED


def test_verify_needs_the_training_rows_and_labels(classifier, two_classes):
    X, y = two_classes
    model = classifier().fit(X, y)
    with pytest.raises(ValueError, match=r"expected 80 rows, got X with 79"):
        model.certificate_.verify(X[1:], y[1:])
    assert model.certificate_.verify(X, np.where(y == 1, 7, y)).status is Status.REFUTED
    with pytest.raises(ValueError, match=r"X has \d+ features, but the model was trained on"):
        model.certificate_.verify(X[:, 1:], y)


def test_verify_with_weights(machine, two_classes):
    X, y = two_classes
    weight = np.random.default_rng(2).uniform(0, 3, len(y))
    model = machine().fit(X, y, sample_weight=weight)
    assert model.certificate_.verify(X, y, weight).status is Status.CONVERGED
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_an_early_end_is_said(machine, two_classes):
    X, y = two_classes
    model = machine(max_iter=1, solver="gradient_descent") if _smooth(machine()) else machine(max_iter=1)
    with pytest.warns(
        UserWarning, match=r"ended as 'budget exhausted' after \d+ iterations?: .*raise max_iter \(now 1\)"
    ):
        model.fit(X * 100, y)
    assert model.certificate_.status is Status.BUDGET_EXHAUSTED
    assert model.fit_status_ == 1
    assert model.certificate_.verify(X * 100, y).status is Status.BUDGET_EXHAUSTED
    assert np.isfinite(clone(model).set_params(max_iter=100, solver="auto").fit(X, y).coef_).all()


def _smooth(model):
    """Whether gradient descent can train it."""
    smooth = getattr(model, "loss", "logistic") not in ("hinge", "epsilon_insensitive", "perceptron")
    return smooth and getattr(model, "penalty", "l2") not in ("l1", "elastic_net")
