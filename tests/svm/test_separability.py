"""The verdict on separability, with a proof of either kind."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from maxmargin.certificates import NotSeparableError, SeparationProof
from maxmargin.kernels import RBF, Constant, Linear, Polynomial, Sigmoid, monomial_degrees
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


def test_the_printed_width_is_not_above_the_proven_one():
    """Of these points it is 1 - 1/e = 0.63212055...: not "at least 0.632121"."""
    X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    verdict = separability(X, y, RBF(1.0))
    printed = str(verdict).split("at least ")[1].split()[0]
    assert Fraction(printed) <= Fraction(verdict.width) and float(printed) == pytest.approx(1 - np.exp(-1), rel=1e-5)


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


def test_indefinite_kernels_have_no_feature_space(clouds):
    X, y = clouds(40, 2, 0)
    verdict = separability(X, y, "sigmoid", gamma=2.0, coef0=-1.0)
    assert verdict.separable is None and verdict.verify(X, y).separable is None
    assert "positive semi-definite" in str(verdict) and "C=inf" not in str(verdict)


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


def share_a_point(rows):
    """Whether weights that are not negative, with sum 1, make these rows of fractions 0: by the simplex method."""
    n = len(rows)
    table = [[row[k] for row in rows] + [Fraction(0)] for k in range(len(rows[0]))] + [[Fraction(1)] * (n + 1)]
    basis = [n + k for k in range(len(table))]
    cost = [-sum(column) for column in zip(*table, strict=True)]
    while (enter := next((j for j in range(n) if cost[j] < 0), None)) is not None:
        ratios = [(row[n] / row[enter], basis[k], k) for k, row in enumerate(table) if row[enter] > 0]
        leave = min(ratios)[2]  # the rule of Bland
        table[leave] = [value / table[leave][enter] for value in table[leave]]
        pivot = table[leave]
        for k, row in enumerate(table):
            if k != leave and row[enter]:
                table[k] = [a - row[enter] * b for a, b in zip(row, pivot, strict=True)]
        cost = [a - cost[enter] * b for a, b in zip(cost, pivot, strict=True)]
        basis[leave] = enter
    return cost[n] == 0


def separable_in_fractions(X, y, degrees):
    """Whether a combination of monomials of these total degrees, and a constant, has the classes on its two sides."""
    rows = [[Fraction(float(value)) for value in row] for row in X]
    chosen = [c for k in {0, *degrees} for c in combinations_with_replacement(range(len(rows[0])), k)]
    signs = [1 if label == y[0] else -1 for label in y]
    signed = [
        [s * prod((row[k] for k in c), start=Fraction(1)) for c in chosen] for row, s in zip(rows, signs, strict=True)
    ]
    largest = [max(abs(v) for v in column) or 1 for column in zip(*signed, strict=True)]
    return not share_a_point([[v / m for v, m in zip(row, largest, strict=True)] for row in signed])


POLYNOMIALS = [
    (Linear(), {1}),
    (Polynomial(coef0=0.0, degree=2), {2}),
    (Polynomial(coef0=1.0, degree=2), {0, 1, 2}),
    (Polynomial(coef0=1.0, degree=3), {0, 1, 2, 3}),
    (Linear() + Polynomial(coef0=0.0, degree=3), {1, 3}),
    (Linear() * Polynomial(coef0=1.0, degree=1), {1, 2}),
    (2.0 * Linear() + Constant(3.0), {0, 1}),
]


@pytest.mark.parametrize(("kernel", "degrees"), POLYNOMIALS, ids=lambda value: repr(value)[:60])
def test_verdicts_of_hostile_rows_are_those_of_exact_arithmetic(kernel, degrees):
    """Rows that nearly coincide, on grids and of extreme sizes: no verdict is false, and not all are undecided."""
    assert monomial_degrees(kernel) == degrees
    rng, seen = np.random.default_rng(0), set()
    for trial in range(60):
        X = rng.integers(-2, 3, size=(3 + trial % 4, 1 + trial % 2)).astype(float)
        y = np.array([0, 1, *rng.integers(0, 2, len(X) - 2)])
        X[1] = X[0]
        X[1, 0] += [0.0, 1e-3, 1e-7, 1e-12, 3e-16][trial % 5]
        X *= [1.0, 0.1, 1e100, 1e-100, 1e200, 1e-200][trial % 6]
        verdict = separability(X, y, kernel)
        assert verdict.verify(X, y).separable is verdict.separable
        if verdict.separable is not None:
            assert verdict.separable == separable_in_fractions(X, y, degrees)
        seen.add(verdict.separable)
    assert {True, False} <= seen


@pytest.mark.parametrize("apart", [1e-3, 1e-5, 1e-7, 1e-9, 1e-12, 1e-15])
def test_rows_that_differ_are_not_proven_inseparable_by_a_polynomial(apart):
    X, y = np.array([[1.0], [1.0 + apart], [2.0]]), [0, 1, 0]
    kernel = Polynomial(coef0=1.0, degree=3)
    assert separable_in_fractions(X, y, {0, 1, 2, 3})
    assert separability(X, y, kernel).separable is not False
    proof = SeparationProof(np.array([1]), np.array([0]), np.ones(1), np.ones(1), 0.0, 1.0, kernel)
    assert not proof.verify(X, y).holds


def test_a_polynomial_that_changes_sign_too_often_does_not_separate():
    X, y = np.array([[0.1], [0.2], [0.3], [0.4], [0.5]]), [0, 1, 0, 1, 0]
    verdict = separability(X, y, Polynomial(coef0=1.0, degree=3))
    assert verdict.separable is False and verdict.verify(X, y).separable is False
    assert separability(X, y, Polynomial(coef0=1.0, degree=4)).separable is not False


@pytest.mark.parametrize(
    "kernel", [RBF(1.0), RBF(1.0) + Linear(), RBF(1.0) * Linear(), Sigmoid(), lambda A, B: A @ B.T]
)
def test_only_equal_rows_are_inseparable_by_kernels_without_columns(kernel):
    X, y = np.array([[1.0, 2.0], [1.0, 2.0], [0.5, 1.0]]), [0, 1, 1]
    equal = separability(X, y, kernel)
    assert equal.separable is False and equal.verify(X, y).separable is False
    for apart in (1e-9, 1e-13):
        assert separability(X + [[0.0, 0.0], [apart, 0.0], [0.0, 0.0]], y, kernel).separable is not False


def test_precomputed_values_are_taken_as_they_are():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    verdict = separability(X @ X.T, y, "precomputed")
    assert verdict.separable is False and verdict.verify(X @ X.T, y).separable is False
    assert separability(X @ X.T + 1e-9 * np.eye(4), y, "precomputed").separable is not False


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", Linear() * Linear(), RBF(1.0) + Linear()])
@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-160, 1e-100, 1e100, 1e160, 1e300])
def test_sizes_of_all_kinds_have_a_verdict_in_words_of_this_function(kernel, scale):
    X, y = scale * np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    verdict = separability(X, y, kernel)
    assert "C=inf" not in str(verdict) and "coefficients" not in str(verdict)
    if kernel == "linear":
        assert verdict.separable is False
    elif kernel != "sigmoid":
        assert verdict.separable is not False  # x1 x2 separates


def test_other_labels_refute_a_verdict(clouds):
    X, y = clouds(40, 2, 1)
    for rows in (X, X + 10 * y[:, None]):
        verdict = separability(rows, y)
        other = y.copy()
        changed = 0 if verdict.proof is None else verdict.proof.positive[0]
        other[changed] = 1 - other[changed]
        again = verdict.verify(rows, other)
        assert verdict.separable is not None and not verdict.verify(rows, y).refuted
        assert again.refuted and again.separable is None
        assert str(again).startswith("refuted")
    undecided = separability([[0.0], [1e-9], [1.0]], [0, 1, 1], "rbf", gamma=1.0)
    assert undecided.separable is None
    assert not undecided.verify([[0.0], [1e-9], [1.0]], [1, 0, 0]).refuted


def test_words_of_several_classes_name_them():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [7.0], [9.0]])
    y = np.array(["ash", "ash", "oak", "oak", "yew", "yew"])
    verdict = separability(X, y)
    assert verdict.pair == ("ash", "oak") and verdict.width == pytest.approx(1.0, rel=1e-6)
    assert "between ash and oak, the closest of 3 pairs of classes" in str(verdict)
    mixed = separability(X, np.array(["ash", "ash", "oak", "yew", "oak", "yew"]))
    assert set(mixed.pair) == {"oak", "yew"}
    assert "of class oak" in str(mixed) and "of class yew" in str(mixed)
    near = separability([[0.0], [1.0], [1.0 + 1e-13], [5.0]], ["ash", "oak", "yew", "yew"])
    assert near.separable is None and "classes oak and yew" in str(near)


@pytest.mark.parametrize("form", [np.array, sp.csr_matrix], ids=["dense", "sparse"])
def test_unknown_values_are_refused_in_its_own_words(form):
    with pytest.raises(ValueError, match="separability needs all values: X contains NaN") as error:
        separability(form([[0.0, 1.0], [np.nan, 2.0], [3.0, 4.0]]), [0, 1, 1])
    assert "SimpleImputer" in str(error.value) and "Boosting" not in str(error.value)


LARGE = 2**53


@pytest.mark.parametrize(
    "make",
    [
        np.array,
        list,
        lambda rows: sp.csr_array(np.array(rows)),
        lambda rows: np.array(rows, dtype=object),
        lambda rows: [[Fraction(value) for value in row] for row in rows],
        lambda rows: [[*row, 0.5] for row in rows],
        pd.DataFrame,
        lambda rows: pd.DataFrame({"a": [row[0] for row in rows], "b": 0.5}),
        lambda rows: np.array(rows, dtype=np.uint64),
        lambda rows: np.array(rows).astype(str),
        lambda rows: np.array(rows).astype(str).astype(object),
        lambda rows: pd.DataFrame(rows).astype(str),
    ],
)
@pytest.mark.parametrize("kernel", ["linear", Polynomial(1.0, 1.0, 2), RBF(1.0)])
def test_whole_numbers_that_float64_rounds_are_not_said_to_be_the_same_point(make, kernel):
    """They are 1 apart, and separable; rounded they coincide."""
    verdict = separability(make([[LARGE], [LARGE + 1]]), [0, 1], kernel)
    assert verdict.separable is None and not verdict.refuted
    assert re.match(
        rf"undecided: float64 does not hold all values of X, such as '?{LARGE + 1}'? in row 1", str(verdict)
    )
    # the rounded rows themselves are the same, which proves nothing of those given
    rounded = separability(np.array([[LARGE], [LARGE + 1]], dtype=np.float64), [0, 1], "linear")
    assert rounded.separable is False
    again = rounded.verify([[LARGE], [LARGE + 1]], [0, 1])
    assert again.separable is None and again.refuted
    assert not rounded.proof.verify([[LARGE], [LARGE + 1]], [0, 1]).holds


def test_large_whole_numbers_that_float64_holds_have_a_verdict():
    X = LARGE * np.array([[1], [2], [3]])
    assert separability(X, [0, 1, 1]).separable is True and separability(X, [0, 1, 0]).separable is False
    parts = separability(X.astype(np.float64), [0, 1, 1])
    assert parts.verify(X, [0, 1, 1]).separable is True
    assert parts.verify(X + [[0], [1], [0]], [0, 1, 1]).refuted
    own = separability(X + [[0], [1], [0]], [0, 1, 1], lambda A, B: np.exp(-np.abs(A - B.T).astype(float) / LARGE))
    assert own.separable is True


def test_other_faults_of_rows_that_are_rounded_are_said_first():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        separability([[LARGE + 1], [0]], [0, 1, 1])


def test_numbers_too_large_for_a_float_are_refused_by_their_place():
    X = np.array([[1, 2], [10**400, 3]], dtype=object)
    with pytest.raises(ValueError, match=r"X has 1000.* in row 1 of column 0, which is beyond the largest float64"):
        separability(X, [0, 1])
    rounded = separability([[1.0, 2.0], [1.0, 2.0]], [0, 1])
    assert rounded.separable is False and rounded.verify(X, [0, 1]).refuted
    assert not rounded.proof.verify(X, [0, 1]).holds


@pytest.mark.skipif(np.finfo(np.longdouble).eps >= np.finfo(np.float64).eps, reason="no wider float")
def test_extended_precision_is_said_in_full():
    X = np.array([[1.0], [1.0]], dtype=np.longdouble)
    X[1] += np.finfo(np.longdouble).eps
    assert "such as 1.0000000000000000001 in row 1 of column 0," in str(separability(X, [0, 1]))
