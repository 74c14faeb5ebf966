"""Weights of the samples, checked once for all estimators."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.utils.validation import has_fit_parameter

from maxmargin import cluster, ensemble, kernel_model, linear_model, svm, tree
from maxmargin.estimators import check_weights, weights_or_ones

X = np.zeros((3, 2))


def test_none_stays_none():
    assert check_weights(None, X) is None
    np.testing.assert_array_equal(weights_or_ones(None, X), np.ones(3))


def test_one_number_is_the_weight_of_all():
    np.testing.assert_array_equal(check_weights(2, X), [2.0, 2.0, 2.0])


def test_samples_without_a_shape():
    np.testing.assert_array_equal(check_weights([1, 2], ["ab", "c"]), [1.0, 2.0])


@pytest.mark.parametrize(
    "given",
    [
        [2, 1, 0],
        np.array([2, 1, 0], dtype=np.float32),
        np.array([2, Fraction(1), 0.0], dtype=object),
        (2.0, True, False),
    ],
)
def test_numbers_of_any_kind(given):
    found = check_weights(given, X)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [2.0, 1.0, 0.0])
    assert found is not given


def test_negative_weights_are_left_out_by_what_follows_libsvm():
    with pytest.warns(UserWarning, match="sample_weight is negative for 1 of 3 samples: they take no part"):
        np.testing.assert_array_equal(check_weights([2, -1, 0], X, as_libsvm=True), [2.0, 0.0, 0.0])


BAD = [
    ([1, 2], r"sample_weight\.shape == \(2,\), expected \(3,\)"),
    ([0, 0, 0], "all samples have zero or negative weights"),
    (0, "all samples have zero or negative weights"),
    ([2, -1, 0], "Negative values in data passed to `sample_weight`: -1 for sample 1"),
    ([1, np.nan, 1], "sample_weight contains NaN for sample 1"),
    ([1, 1, np.inf], "sample_weight contains infinity for sample 2"),
    (np.array([1, 10**400, 1], dtype=object), "sample_weight must be numbers of float64"),
    ([[1, 1, 1]], r"Sample weights must be 1D array or scalar; got sample_weight of shape \(1, 3\)"),
    ([[1], [1, 1], 1], "sample_weight must be a number for each sample; got lists of different lengths"),
    ([1, 2j, 1], "sample_weight must be real numbers; got a value of type complex"),
    (np.ones(3, dtype=complex), "sample_weight must be real numbers; got a value of type complex"),
    (["1", "2", "1"], "sample_weight must be real numbers; got text '1'"),
    (np.array([1.0, "2", 1.0], dtype=object), "sample_weight must be real numbers; got text '2'"),
    ([1.0, None, 1.0], "sample_weight must be real numbers; got a value of type NoneType"),
    (np.array(["2020-01-01"] * 3, dtype="M8[D]"), "sample_weight must be real numbers; got a value of type date"),
    (sp.csr_array(np.ones((1, 3))), "sample_weight must be real numbers; got a value of type csr_array"),
]


@pytest.mark.parametrize(("weights", "text"), BAD)
def test_other_weights_are_refused(weights, text):
    with pytest.raises(ValueError, match=text):
        check_weights(weights, X)


def test_an_array_of_no_dimensions_is_refused_as_scikit_learn_does():
    with pytest.raises(TypeError, match=r"got scalar `array\(0\.\)` instead\. Give sample_weight as a number"):
        check_weights(np.array(0), X)
    np.testing.assert_array_equal(check_weights(np.float64(2), X), [2.0, 2.0, 2.0])


def _weighted():
    """One estimator of each class that takes weights, with few rounds."""
    for room in (cluster, ensemble, kernel_model, linear_model, svm, tree):
        for name in room.__all__:
            kind = getattr(room, name)
            if isinstance(kind, type) and hasattr(kind, "fit") and has_fit_parameter(kind, "sample_weight"):
                yield pytest.param(kind, id=name)


LIBSVM = {"SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"}  # scikit-learn's own tests ask for what LIBSVM does


@pytest.mark.parametrize("kind", list(_weighted()))
@pytest.mark.parametrize("wrong", ["complex", "text", "negative", "nan", "too few"])
def test_every_estimator_refuses_them_by_name(kind, wrong):
    rows = np.random.default_rng(0).normal(size=(40, 2))
    y = (rows[:, 0] > 0).astype(int) if is_classifier(kind()) else rows[:, 0]
    weights = {
        "complex": np.ones(40) + 1j,
        "text": ["1"] * 40,
        "negative": np.where(np.arange(40) == 7, -1.0, 1.0),
        "nan": np.where(np.arange(40) == 7, np.nan, 1.0),
        "too few": np.ones(39),
    }[wrong]
    if wrong == "negative" and kind.__name__ in LIBSVM:
        with pytest.warns(UserWarning, match="sample_weight is negative for 1 of 40 samples"):
            kind().fit(rows, y, sample_weight=weights)
        return
    with pytest.raises(ValueError, match="sample_weight"):
        kind().fit(rows, y, sample_weight=weights)
