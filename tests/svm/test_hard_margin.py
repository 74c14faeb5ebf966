"""C = inf: all margins at least 1, or a proof that the classes overlap."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from maxmargin.certificates import NotSeparableError, Status
from maxmargin.kernels import RBF, Polynomial
from maxmargin.svm import SVC, LinearSVC


def margins(model, X, y):
    """The smallest margin over all pairs of classes."""
    return model.kkt_cases(X, y).margin


def assert_proof(error, X, y, kernel=None):
    """By hand: weights of two convex combinations, one of each class, that are the same point."""
    p = error.proof
    a, b = p.positive_weights, p.negative_weights
    assert (a >= 0).all()
    assert (b >= 0).all()
    assert a.sum() == pytest.approx(1, abs=1e-9)
    assert b.sum() == pytest.approx(1, abs=1e-9)
    assert len(set(y[p.positive])) == len(set(y[p.negative])) == 1
    assert set(y[p.positive]) != set(y[p.negative])
    P, N = X[p.positive], X[p.negative]
    if kernel is None:
        distance = np.linalg.norm(a @ P - b @ N)
    else:
        squared = a @ kernel(P) @ a - 2 * a @ kernel(P, N) @ b + b @ kernel(N) @ b
        distance = np.sqrt(max(squared, 0.0))
    assert distance <= 2e-7 * p.scale + p.distance * 1.01
    assert p.distance <= 1e-6 * p.scale


def test_real_data_with_rbf(separable_data, assert_truthful):
    X, y = separable_data
    model = SVC(C=np.inf).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert margins(model, X, y).min() >= 1 - model.tol
    assert model.score(X, y) == 1.0
    assert model.certificate_.relative_gap <= 1e-2
    assert_truthful(model, X, y)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_is_what_a_large_finite_bound_gives(circles, load, kernel):
    if kernel == "linear":
        X, y = load("iris")
        X, y = X[y != 2], y[y != 2]
    else:
        X, y = circles(60)
    parameters = {"kernel": kernel, "gamma": 0.5, "coef0": 1.0, "tol": 1e-8}
    hard, soft = SVC(C=np.inf, **parameters).fit(X, y), SVC(C=1e7, **parameters).fit(X, y)
    assert_allclose(hard.decision_function(X), soft.decision_function(X), atol=1e-5)
    assert hard.certificate_.dual == pytest.approx(soft.certificate_.dual, rel=1e-6)


def test_many_classes(load, assert_truthful):
    X, y = load("wine")
    model = SVC(C=np.inf, kernel="linear").fit(X, y)
    assert [c.status for c in model.certificate_.problems] == [Status.CONVERGED] * 3
    assert margins(model, X, y).min() >= 1 - model.tol
    assert_truthful(model, X, y)


def test_weights_make_no_difference_but_zero_does(circles):
    """Every error costs infinitely much, whatever the weight; a sample without weight takes no part."""
    X, y = circles(60)
    plain = SVC(C=np.inf, gamma=0.5).fit(X, y)
    weighted = SVC(C=np.inf, gamma=0.5, class_weight={0: 5.0}).fit(X, y, np.linspace(0.1, 3, 60))
    assert_allclose(plain.decision_function(X), weighted.decision_function(X), atol=1e-9)
    wrong = np.append(y, 1 - y[0])
    rows = np.vstack([X, X[:1]])
    weight = np.append(np.ones(60), 0.0)
    without = SVC(C=np.inf, gamma=0.5).fit(rows, wrong, weight)
    assert_allclose(plain.decision_function(X), without.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_contradictory_rows(circles, kernel):
    X, y = circles(40)
    X, y = np.vstack([X, X[5:6]]), np.append(y, 1 - y[5])
    with pytest.raises(NotSeparableError, match=r"C=inf.*not separable.*finite C") as caught:
        SVC(C=np.inf, kernel=kernel, gamma=0.5, coef0=1.0).fit(X, y)
    assert_proof(caught.value, X, y, {"linear": None, "poly": Polynomial(0.5, 1.0, 3), "rbf": RBF(0.5)}[kernel])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("storage", [np.float64, np.float32])
def test_overlapping_clouds(clouds, seed, storage):
    X, y = clouds(60, 2, seed)
    X = X.astype(storage)
    with pytest.raises(NotSeparableError) as caught:
        SVC(C=np.inf, kernel="linear").fit(X, y)
    assert_proof(caught.value, X.astype(np.float64), y)
    assert str(len(caught.value.proof.positive)) in str(caught.value)


def test_overlap_of_many_samples(clouds):
    """More than a working set."""
    X, y = clouds(2300, 3)
    with pytest.raises(NotSeparableError) as caught:
        SVC(C=np.inf, kernel="linear").fit(X, y)
    assert_proof(caught.value, X, y)


def test_proof_names_rows_of_the_training_data(load):
    """The second and third class of iris overlap: the proof is in rows of X, not of the pair."""
    X, y = load("iris")
    with pytest.raises(NotSeparableError) as caught:
        SVC(C=np.inf, kernel="linear").fit(X, y)
    assert_proof(caught.value, X, y)
    assert set(y[caught.value.proof.positive]) | set(y[caught.value.proof.negative]) == {1, 2}
    again = pickle.loads(pickle.dumps(caught.value))
    assert_array_equal(again.proof.positive, caught.value.proof.positive)


def test_one_sample_a_class():
    model = SVC(C=np.inf, kernel="linear").fit([[0.0], [4.0]], ["left", "right"])
    assert_allclose(model.decision_function([[0.0], [2.0], [4.0]]), [-1, 0, 1], atol=1e-9)


def test_one_sample_against_many_while_watched():
    """Nothing to be said about a variable that cannot move, and no warning about it either."""
    heard = []
    X = [[0.0, 0.0], [2.0, 1.0], [1.0, 2.0], [1.0, 1.0], [3.0, 3.0]]
    model = SVC(C=np.inf, kernel="linear", callback=heard.append).fit(X, [0, 1, 1, 1, 1])
    assert model.certificate_.status is Status.CONVERGED
    assert heard


def test_all_samples_the_same():
    with pytest.raises(NotSeparableError) as caught:
        SVC(C=np.inf, kernel="linear").fit(np.ones((6, 2)), [0, 1] * 3)
    assert caught.value.proof.distance <= 1e-7


def test_all_samples_zero():
    with pytest.raises(NotSeparableError):
        SVC(C=np.inf, kernel="linear").fit(np.zeros((6, 2)), [0, 1] * 3)


class TestWarmStart:
    def test_from_a_soft_margin(self, circles):
        X, y = circles(80)
        model = SVC(C=1.0, gamma=0.5, warm_start=True).fit(X, y)
        model.set_params(C=np.inf).fit(X, y)
        fresh = SVC(C=np.inf, gamma=0.5).fit(X, y)
        assert model.certificate_.dual == pytest.approx(fresh.certificate_.dual, rel=1e-5)

    def test_to_a_soft_margin(self, circles):
        X, y = circles(80)
        model = SVC(C=np.inf, gamma=0.5, warm_start=True).fit(X, y)
        model.set_params(C=0.5).fit(X, y)
        fresh = SVC(C=0.5, gamma=0.5).fit(X, y)
        assert model.certificate_.dual == pytest.approx(fresh.certificate_.dual, rel=1e-5)

    def test_with_other_weights(self, circles):
        """Samples that lose their weight take their multipliers along: the start has to be made feasible."""
        X, y = circles(80)
        weight = (np.arange(80) >= 20).astype(float)
        model = SVC(C=np.inf, gamma=2.0, warm_start=True).fit(X, y).fit(X, y, weight)
        fresh = SVC(C=np.inf, gamma=2.0).fit(X, y, weight)
        assert model.certificate_.status is Status.CONVERGED
        assert model.certificate_.dual == pytest.approx(fresh.certificate_.dual, rel=1e-5)
        assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-9 * np.abs(model.dual_coef_).sum())

    def test_with_other_labels(self, circles):
        """Signs of multipliers change with the labels."""
        X, y = circles(80)
        other = np.roll(y, 1) ^ (np.arange(80) % 7 == 0)
        model = SVC(C=np.inf, gamma=5.0, warm_start=True).fit(X, y).fit(X, other)
        fresh = SVC(C=np.inf, gamma=5.0).fit(X, other)
        assert model.certificate_.status is Status.CONVERGED
        assert model.certificate_.dual == pytest.approx(fresh.certificate_.dual, rel=1e-5)


@pytest.mark.parametrize(
    "machine",
    [
        SVC(C=np.inf, kernel="linear"),
        LinearSVC(C=np.inf, loss="hinge"),
        LinearSVC(C=np.inf, loss="hinge", fit_intercept=False),
    ],
)
@pytest.mark.parametrize("scale", [1e-154, 1e-158, 1e-200, 1e-308])
def test_rows_whose_squares_vanish_are_refused_by_name(machine, scale):
    """They were called too large, or not separable."""
    X, y = np.array([[1.0, 2.0], [3.0, 1.0], [-1.0, -2.0], [-4.0, 1.0]]), [1, 1, 0, 0]
    with pytest.raises(ValueError, match=r"X has values so small .* Scale X") as caught:
        clone(machine).fit(scale * X, y)
    assert not isinstance(caught.value, NotSeparableError)
    assert clone(machine).fit(1e-149 * X, y).certificate_.status is Status.CONVERGED


def test_rows_of_zeros_are_not_separable():
    with pytest.raises(NotSeparableError):
        LinearSVC(C=np.inf, loss="hinge").fit(np.zeros((4, 2)), [0, 1, 0, 1])
