"""Kernel ridge, kernel logistic regression and the kernel perceptron, taken apart by training rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.explanation import explain_model, explain_row
from maxmargin.kernel_model import KernelLogisticRegression, KernelPerceptron, KernelRidge
from maxmargin.kernels import RBF, Linear

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
Y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]
T = X[:, 0] ** 2 + X[:, 1]


@pytest.mark.parametrize(
    "model",
    [KernelLogisticRegression(), KernelPerceptron(max_iter=50), KernelLogisticRegression(kernel=RBF(0.5) + Linear())],
    ids=repr,
)
@pytest.mark.parametrize("two", [True, False])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_parts_add_up_to_the_decision(model, two):
    y = np.where(Y == "low", "low", "rest") if two else Y
    model.fit(X, y)
    whole = explain_model(model, X, y)
    assert whole.facts["training rows"] == 60 and "wrong on the given rows" in whole.facts
    weights = whole.tables["influential"].column("weight")
    assert (np.diff(weights) <= 0).all() and weights[0] == np.abs(model.dual_coef_).max()
    for i in (0, 7, 31):
        found = explain_row(model, X[i], X, y, label=y[i])
        assert found.prediction == model.predict(X[i : i + 1])[0]
        total = sum(found.contributions.column("contribution"))
        assert total == pytest.approx(found.decision, rel=1e-9, abs=1e-12)
        values = model.decision_function(X[i : i + 1])[0]
        if two:
            assert found.decision == pytest.approx(values, rel=1e-9)
        else:
            best, second = np.sort(values)[::-1][:2]
            assert found.decision == pytest.approx(best - second, rel=1e-8, abs=1e-10)
            assert found.between[0] == found.prediction
        assert found.margin == pytest.approx(found.decision if y[i] == found.between[0] else -found.decision) or (
            y[i] not in found.between
        )


@pytest.mark.parametrize("kernel", ["rbf", "linear", 2.0 * RBF(0.3)], ids=str)
def test_numbers(kernel):
    for rows in (X, sp.csr_array(X)):
        model = KernelRidge(kernel=kernel, alpha=0.1).fit(rows, T)
        found = explain_row(model, X[4], label=T[4])
        assert sum(found.contributions.column("contribution")) == pytest.approx(model.predict(rows)[4], rel=1e-9)
        assert "off by" in found.facts["true value"]
        assert explain_model(model, rows, T).facts["alpha"] == 0.1


def test_a_matrix_of_kernel_values_and_several_targets():
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    model = KernelRidge(kernel="precomputed").fit(K, T)
    assert sum(explain_row(model, K[3]).contributions.column("contribution")) == pytest.approx(model.predict(K)[3])
    assert explain_model(model).facts["kernel"] == "precomputed"
    several = KernelRidge().fit(X, np.column_stack([T, -T]))
    assert explain_model(several).facts["training rows"] == 60
    with pytest.raises(ValueError, match="one target"):
        explain_row(several, X[0])
