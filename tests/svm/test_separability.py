"""The verdict on separability, with a proof of either kind."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from maxmargin.certificates import NotSeparableError, SeparationProof
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.svm import SVC, LinearSVC, Separability, separability


def separates_by_linear_programme(X, y):
    """Whether w, b with y_i (<w, x_i> + b) >= 1 exist: brute force, by another method."""
    sign = np.where(y == y[0], 1.0, -1.0)
    A = -sign[:, None] * np.column_stack([X, np.ones(len(X))])
    return linprog(np.zeros(X.shape[1] + 1), A_ub=A, b_ub=-np.ones(len(X)), bounds=(None, None)).status == 0


def test_all_labellings_of_five_points_agree_with_a_linear_programme():
    X = np.random.default_rng(0).normal(size=(5, 2))
    seen = set()
    for labels in product([0, 1], repeat=5):
        y = np.array(labels)
        if len(set(labels)) == 2:
            verdict = separability(X, y)
            assert verdict.separable == separates_by_linear_programme(X, y)
            assert verdict.verify(X, y).separable == verdict.separable
            seen.add(verdict.separable)
    assert seen == {True, False}


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_proof_of_not_separable_verifies(storage, clouds):
    X, y = clouds(80, 2, 1)
    verdict = separability(storage(X), y)
    assert verdict.separable is False and verdict.machine is None and verdict.width == 0
    assert "not separable" in str(verdict)
    again = verdict.proof.verify(storage(X), y)
    assert again.holds and again.distance <= 1e-6 * again.scale
    w = verdict.proof.positive_weights @ X[verdict.proof.positive]
    np.testing.assert_allclose(w, verdict.proof.negative_weights @ X[verdict.proof.negative], atol=1e-6)


def test_changed_proofs_do_not_hold(clouds):
    X, y = clouds(80, 2, 1)
    proof = separability(X, y).proof
    assert not replace(proof, positive_weights=proof.positive_weights * 0.9).verify(X, y).holds
    assert not replace(proof, positive=proof.negative, positive_weights=proof.negative_weights).verify(X, y).holds
    assert not proof.verify(X + np.arange(80)[:, None], y).holds
    assert not proof.verify(X, np.zeros(80)).holds
    assert not replace(proof, kernel=RBF(1.0)).verify(X, y).holds
    assert separability(X, y).verify(X + np.arange(80)[:, None], y).separable is None
    with pytest.raises(ValueError, match="cannot be those"):
        proof.verify(X[:3], y[:3])


def test_separable_with_its_width(circles):
    X, y = circles(60)
    assert separability(X, y).separable is False
    for kernel in ("rbf", RBF(0.5) + Linear(), Polynomial(coef0=1.0, degree=2)):
        verdict = separability(X, y, kernel)
        assert verdict.separable is True and verdict.proof is None
        machine = verdict.machine
        values = np.where(y == machine.classes_[1], 1, -1) * machine.decision_function(X)
        assert values.min() > 0
        assert verdict.verify(X, y).width == pytest.approx(verdict.width, rel=1e-6)
        assert verdict.width <= 2 / np.sqrt(2 * machine.certificate_.dual)
        assert "separable: the margin is at least" in str(verdict)


def test_two_points():
    verdict = separability([[0.0], [3.0]], ["a", "b"])
    assert verdict.width == pytest.approx(3.0, rel=1e-12) and verdict.width <= 3.0


def test_several_classes_and_other_kernels(load):
    X, y = load("iris")
    verdict = separability(X, y)
    assert verdict.separable is False
    assert set(y[verdict.proof.positive]) | set(y[verdict.proof.negative]) == {1, 2}
    K = RBF(0.5)(X)
    contradiction = np.append(np.arange(150), 0), np.append(y, 2)
    for kernel, rows in [("precomputed", K), (lambda A, B: RBF(0.5)(A, B), X)]:
        assert separability(rows, y, kernel).separable is None or separability(rows, y, kernel).separable is True
        more = rows[contradiction[0]]
        more = more[:, contradiction[0]] if kernel == "precomputed" else more
        found = separability(more, contradiction[1], kernel)
        assert found.separable is False and found.proof.verify(more, contradiction[1]).holds


def test_indefinite_kernels_are_refused(clouds):
    X, y = clouds(40, 2, 0)
    with pytest.raises(ValueError, match="positive semi-definite"):
        separability(X, y, "sigmoid", gamma=2.0, coef0=-1.0)


@pytest.mark.parametrize("machine", [SVC(C=np.inf, kernel="linear"), LinearSVC(C=np.inf, loss="hinge")])
def test_proofs_of_errors_verify_too(machine, clouds):
    X, y = clouds(60, 2, 0)
    with pytest.raises(NotSeparableError) as caught:
        machine.fit(X, y)
    assert caught.value.proof.verify(X, y).holds


def test_undecided_says_so():
    assert "undecided" in str(Separability(None, 0.0))
    assert Separability(None, 0.0).verify([[0.0]], [0]).separable is None


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("offset", [1e6, 1e8, 1e9])
def test_rows_far_from_the_origin(offset, storage):
    apart = storage(np.array([[0.0, offset], [2.0, offset]]))
    found = separability(apart, [0, 1])
    assert found.separable
    assert found.width == pytest.approx(2.0, rel=1e-4)
    assert found.verify(apart, [0, 1]).separable
    crossed = storage(np.array([[0.0, offset], [2.0, offset + 2.0], [0.0, offset + 2.0], [2.0, offset]]))
    found = separability(crossed, [0, 0, 1, 1])
    assert found.separable is False
    assert found.verify(crossed, [0, 0, 1, 1]).separable is False


def test_a_proof_of_points_that_are_only_near_for_their_size_does_not_hold():
    X = np.array([[0.0, 1e9], [2.0, 1e9]])
    proof = SeparationProof(np.array([1]), np.array([0]), np.ones(1), np.ones(1), 0.0, 1e9)
    assert not proof.verify(X, [0, 1]).holds
    assert proof.verify(X, [0, 1]).distance == 2.0


def test_columns_of_other_sizes_are_not_taken_for_rounding():
    X = np.array([[2e-4, -10, -2e3], [2e-4, 10, 1e3], [0, -10, 1e3], [0, 20, 2e3], [1e-4, -10, 2e3], [-1e-4, 20, 0]])
    y = np.array([0, 0, 1, 1, 0, 1])
    found = separability(X, y)  # the first column separates them
    assert found.separable is not False
    assert found.verify(X, y).separable is found.separable
    assert separability(X * [1e4, 0.1, 1e-3], y).separable


@pytest.mark.parametrize("apart", [2e-7, 1e-9, 1e-12, 1e-15])
def test_a_narrow_margin_is_not_taken_for_none(apart):
    X, y = np.array([[0.0], [1.0], [1.0 + apart], [2.0]]), [0, 0, 1, 1]
    verdict = separability(X, y)
    assert verdict.separable is not False
    if verdict.proof is not None:
        assert not verdict.proof.holds and "undecided" in str(verdict)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_columns_of_all_sizes_have_a_proof_to_rounding(fit_intercept):
    rng = np.random.default_rng(0)
    for _ in range(5):
        X = rng.normal(size=(100, 5)) * np.logspace(0, 6, 5) + 1e3 * fit_intercept
        y = rng.integers(0, 2, 100)
        with pytest.raises(NotSeparableError) as caught:
            LinearSVC(C=np.inf, fit_intercept=fit_intercept).fit(X, y)
        assert caught.value.proof.verify(X, y).holds


@pytest.mark.parametrize(("apart", "separable"), [(0.0, False), (1e-9, None), (1e-8, None), (1e-3, True)])
def test_rows_that_differ_are_never_proven_inseparable_by_an_rbf_kernel(apart, separable):
    """Images of different rows are linearly independent; of rows that nearly coincide, float64 can say nothing."""
    X, y = [[0.0], [apart], [1.0]], [0, 1, 1]
    verdict = separability(X, y, "rbf", gamma=1.0)
    assert verdict.separable is separable
    assert verdict.verify(X, y).separable is separable
