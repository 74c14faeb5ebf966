"""Where the multipliers of binary problems are kept."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.svm import SVC, OneVsOne, class_slices
from maxmargin.svm._one_vs_rest import OneVsRest

SCHEMES = {"ovo": OneVsOne, "ovr": OneVsRest}


def test_two_classes_have_the_second_on_the_positive_side():
    assert OneVsOne(2).sides == [(1, 0)]


def test_more_classes_in_order():
    assert OneVsOne(4).sides == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_pairs_have_the_rows_of_two_classes_without_weightless_samples():
    label = np.array([0, 1, 2, 0, 2])
    weight = np.array([1.0, 1.0, 0.0, 0.5, 1.0])
    pair = OneVsOne(3).pairs(label, weight)[1]
    assert (pair.positive, pair.negative) == (0, 2)
    assert_array_equal(pair.rows, [0, 3, 4])
    assert_array_equal(pair.sign, [1, 1, -1])
    assert pair.label(np.array(["a", "b", "c"])) == "a against c"


def test_one_against_the_rest_has_all_rows_with_weight():
    label = np.array([0, 1, 2, 0, 2])
    pair = OneVsRest(3).pairs(label, np.array([1.0, 0.0, 1.0, 1.0, 1.0]))[2]
    assert_array_equal(pair.rows, [0, 2, 3, 4])
    assert_array_equal(pair.sign, [-1, 1, -1, 1])
    assert pair.label(np.array(["a", "b", "c"])) == "c against the rest"


def random_machine(scheme, classes, seed):
    rng = np.random.default_rng(seed)
    label = np.concatenate([np.arange(classes), rng.integers(0, classes, 15)])
    pairs = scheme.pairs(label, np.ones(len(label)))
    betas = [rng.normal(size=len(p.rows)) * (rng.random(len(p.rows)) < 0.7) for p in pairs]
    return rng, label, pairs, betas


@given(st.sampled_from(sorted(SCHEMES)), st.integers(2, 5), st.integers(0, 10**6))
def test_unpack_inverts_pack(name, classes, seed):
    scheme = SCHEMES[name](classes)
    _, label, pairs, betas = random_machine(scheme, classes, seed)
    coef = scheme.pack(betas, pairs, label)
    assert coef.shape == (classes - (name == "ovo"), len(label))
    for beta, again in zip(betas, scheme.unpack(coef, pairs, label), strict=True):
        assert_array_equal(beta, again)


@given(st.sampled_from(sorted(SCHEMES)), st.integers(3, 5), st.integers(0, 10**6))
def test_combined_sums_are_the_decision_values_of_problems(name, classes, seed):
    scheme = SCHEMES[name](classes)
    rng, label, pairs, betas = random_machine(scheme, classes, seed)
    K = rng.normal(size=(4, len(label)))
    intercept = rng.normal(size=len(pairs))
    order = np.argsort(label, kind="stable")
    coef = scheme.pack(betas, pairs, label)[:, order]
    slices = class_slices(np.bincount(label, minlength=classes))
    by_class = [K[:, order[s]] @ coef[:, s].T for s in slices]
    expected = np.column_stack([K[:, p.rows] @ b for p, b in zip(pairs, betas, strict=True)])
    assert_allclose(scheme.combine(by_class, intercept), expected + intercept, atol=1e-12)
    for k in range(len(pairs)):
        parts = [K[:, order[s]] @ coef[row, s] for row, s in scheme.weights_of(k, slices)]
        assert_allclose(np.sum(parts, axis=0), expected[:, k], atol=1e-12)


def test_votes_and_ties():
    #                    0:1   0:2   1:2
    values = np.array([[+1.0, +1.0, -1.0], [-1.0, -1.0, -1.0], [+1.0, -1.0, +1.0], [-1.0, 1.0, -1.0]])
    assert_array_equal(OneVsOne(3).vote(values), [0, 2, 0, 0])  # one vote each: the first class
    assert_array_equal(OneVsOne(2).vote(np.array([[0.5], [-0.5]])), [1, 0])
    assert_array_equal(OneVsRest(3).vote(values), [0, 0, 0, 1])  # the largest value; the first of equals


def test_slices_of_classes():
    assert class_slices(np.array([2, 0, 3])) == [slice(0, 2), slice(2, 2), slice(2, 5)]


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_each_pair_has_a_row_of_its_own_for_each_class(classes):
    scheme = OneVsOne(classes)
    slices = [slice(k, k + 1) for k in range(classes)]
    places = [(row, s.start) for k in range(len(scheme.sides)) for row, s in scheme.weights_of(k, slices)]
    assert len(set(places)) == len(places) == classes * (classes - 1)
    assert {row for row, _ in places} == set(range(classes - 1))


@pytest.mark.parametrize("fitted", ["ovo", "ovr", "crammer_singer"])
@pytest.mark.parametrize("later", ["ovo", "ovr", "crammer_singer"])
def test_predictions_are_of_the_scheme_of_the_fit(fitted, later):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.random.default_rng(1).integers(0, 3, size=60)
    model = SVC(multi_class=fitted).fit(X, y)
    before = model.predict(X)
    np.testing.assert_array_equal(model.set_params(multi_class=later).predict(X), before)
