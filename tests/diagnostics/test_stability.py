"""Replaced rows, and the bound on what they change."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import scale

from maxmargin.bounds import stability_bound
from maxmargin.diagnostics import stability
from maxmargin.linear_model import LinearClassifier, LogisticRegression, Ridge
from maxmargin.svm import SVC, LinearSVC, LinearSVR
from maxmargin.tree import DecisionTreeClassifier

X, Y = load_breast_cancer(return_X_y=True)
X = scale(X)


def test_one_column_of_ones_in_closed_form():
    # k of m labels are +1: p = k/m, and w = (2p - 1)/(2 lambda) while it is inside of (-1, 1). A label that changes
    # moves w by 1/(lambda m), and each loss by as much: half of the bound with rho = 1.
    m, lam = 60, 4.0
    y = np.array([0, 1] * 40)
    model = LinearClassifier(loss="hinge", C=1 / (2 * lam * m), fit_intercept=False, tol=1e-10)
    found = stability(model, np.ones((80, 1)), y, test_size=20, n_replacements=40, random_state=0)
    assert found.samples == m and found.lipschitz == 1.0 and found.regularisation == pytest.approx(lam)
    assert found.bound == pytest.approx(2 / (lam * m)) and found.holds
    moved = found.largest > 1e-6
    assert moved.any() and not moved.all()  # a row replaced by one of its label changes nothing
    np.testing.assert_allclose(found.largest[moved], 1 / (lam * m), rtol=1e-3)


def test_one_row_moves_the_minimiser_by_no_more_than_the_bound():
    rng = np.random.default_rng(0)
    rows, y, m, lam = rng.normal(size=(61, 3)), rng.integers(0, 2, 61), 60, 0.5
    model = LinearClassifier(loss="hinge", C=1 / (2 * lam * m), fit_intercept=False, tol=1e-10)
    w = model.fit(rows[:m], y[:m]).coef_[0].copy()
    moves = []
    for i in range(m):
        train = np.arange(m)
        train[i] = m
        moves.append(np.linalg.norm(model.fit(rows[train], y[train]).coef_[0] - w))
    rho = np.linalg.norm(rows, axis=1).max()
    assert stability_bound(rho, lam, m) == pytest.approx(rho * 2 * rho / (lam * m))
    assert 0 < max(moves) <= 2 * rho / (lam * m)


@pytest.mark.parametrize(
    "model",
    [
        LinearClassifier(loss="hinge", C=0.01, fit_intercept=False),
        LinearClassifier(loss="perceptron", C=0.01, fit_intercept=False),
        LinearSVC(loss="hinge", C=0.002, fit_intercept=False),
        LogisticRegression(C=0.05, fit_intercept=False),
    ],
    ids=lambda model: f"{type(model).__name__}-{getattr(model, 'loss', '')}",
)
def test_no_replacement_exceeds_the_bound(model):
    found = stability(model, X, Y, n_replacements=10, random_state=0)
    rho = np.linalg.norm(X, axis=1).max()
    assert found.lipschitz == pytest.approx(rho)
    assert found.bound == pytest.approx(4 * model.C * rho**2)
    assert found.bound == pytest.approx(stability_bound(rho, 1 / (2 * model.C * found.samples), found.samples))
    assert found.holds and found.largest.max() <= found.bound
    assert np.abs(found.changes).max() <= found.largest.max()
    assert "holds" in str(found)


def test_changes_are_those_of_models_trained_by_hand():
    model = LinearClassifier(loss="hinge", C=0.01, fit_intercept=False)
    found = stability(model, X, Y, n_replacements=1, test_size=100, random_state=3)
    whole = stability(model, sp.csr_array(X), Y, n_replacements=1, test_size=100, random_state=3)
    assert whole.changes[0] == pytest.approx(found.changes[0], abs=1e-3)
    rows, y = np.arange(len(Y)), np.where(Y == 1, 1.0, -1.0)

    def losses(train):
        f = model.fit(X[train], Y[train]).decision_function(X)
        return np.maximum(0, 1 - y * f)

    # the split and the draws as documented: held out by class, then a place and a row for it
    from sklearn.model_selection import train_test_split

    generator = np.random.RandomState(3)
    train, new = train_test_split(rows, test_size=100, stratify=Y, random_state=generator.randint(2**31 - 1))
    place, put_in = generator.randint(len(train)), new[generator.randint(100)]
    before, changed = losses(train), train.copy()
    changed[place] = put_in
    after = losses(changed)
    assert found.changes[0] == after[train[place]] - before[train[place]]
    assert found.largest[0] == np.abs(after - before).max()
    assert found.training_loss == pytest.approx(before[train].mean())
    assert found.new_loss == pytest.approx(before[new].mean())


def test_the_mean_change_estimates_how_much_is_lost_on_new_rows():
    # an unstable learner changes on the rows that are taken out, a stable one hardly
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)  # nothing to learn
    tree = stability(DecisionTreeClassifier(), rows, labels, n_replacements=100, random_state=0)
    assert tree.bound is None and tree.holds is None and tree.loss == "zero_one"
    assert tree.training_loss == 0.0
    gap = tree.new_loss - tree.training_loss
    assert abs(tree.mean_change - gap) < 3 * np.hypot(tree.standard_error, np.sqrt(0.25 / 75))
    machine = stability(
        LinearClassifier(loss="hinge", C=0.001, fit_intercept=False), rows, labels, n_replacements=20, random_state=0
    )
    assert abs(machine.mean_change) < 0.01 < tree.mean_change


def test_regressors():
    rows, y = load_diabetes(return_X_y=True)
    y = scale(y)
    model = LinearSVR(C=0.1, epsilon=0.1, fit_intercept=False)
    found = stability(model, rows, y, n_replacements=5, random_state=0)
    assert found.loss == "epsilon_insensitive" and found.holds
    ridge = stability(Ridge(), rows, y, n_replacements=5, random_state=0)
    assert ridge.loss == "squared" and ridge.bound is None and "Ridge" in str(ridge)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LinearSVC(loss="hinge"), "fit_intercept=False"),
        (LinearSVC(fit_intercept=False), "has no bound"),
        (LinearClassifier(penalty="l1", fit_intercept=False), "L2 penalty"),
        (LinearClassifier(class_weight="balanced", fit_intercept=False), "equal weight"),
        (SVC(), "SVC is not one of the linear machines"),
    ],
)
def test_why_there_is_no_bound(model, words):
    found = stability(model, X[:150], Y[:150], n_replacements=2, random_state=0)
    assert found.bound is None and words in found.reason and words in str(found)


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(ValueError, match="n_replacements must be"):
        stability(SVC(), X, Y, n_replacements=0)
    with pytest.raises(ValueError, match="two classes"):
        stability(SVC(), *load_iris(return_X_y=True), loss="hinge")
    with pytest.raises(ValueError, match="one of regressors"):
        stability(SVC(), X, Y, loss="epsilon_insensitive")
    with pytest.raises(ValueError, match="is not one of"):
        stability(Ridge(), X, Y, loss="zero_one")
    hinge = stability(SVC(kernel="linear"), X[:100], Y[:100], loss="hinge", n_replacements=2, random_state=0)
    assert hinge.loss == "hinge" and hinge.bound is None
