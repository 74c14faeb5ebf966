"""Fitted attributes and outputs against scikit-learn's, both run to a small tolerance: layout, signs, values."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.svm import SVC

# whether sigmoid kernels are definite is no concern of these tests
pytestmark = pytest.mark.filterwarnings("ignore::maxmargin.certificates.IndefiniteKernelWarning")

OPTIONS = {
    "linear": {"kernel": "linear", "C": 0.5},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0},
    "rbf": {"kernel": "rbf", "C": 3.0},
    "sigmoid": {"kernel": "sigmoid", "C": 0.1, "gamma": 0.01},
    "gamma auto": {"gamma": "auto"},
    "balanced": {"class_weight": "balanced"},
    "class weights": {"class_weight": {0: 2.0, 1: 0.3}},
    "ovo": {"decision_function_shape": "ovo"},
    "break ties": {"break_ties": True},
    "no shrinking": {"shrinking": False},
}


@pytest.fixture(scope="module", params=["two classes", "three classes", "ten classes"])
def data(request, load):
    name = {"two classes": "breast_cancer", "three classes": "wine", "ten classes": "digits"}[request.param]
    X, y = load(name)
    return X[:400], y[:400]


def fit_both(X, y, weight=None, **options):
    ours = SVC(tol=1e-8, **options).fit(X, y, weight)
    theirs = sklearn.svm.SVC(tol=1e-8, **options).fit(X, y, weight)
    return ours, theirs


def assert_same(ours, theirs, X):
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.n_support_, theirs.n_support_)
    assert ours.support_.dtype == theirs.support_.dtype
    assert ours.n_support_.dtype == theirs.n_support_.dtype
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    assert_allclose(ours.support_vectors_, theirs.support_vectors_)
    assert_allclose(ours.class_weight_, theirs.class_weight_)
    assert ours.fit_status_ == theirs.fit_status_ == 0
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.n_features_in_ == theirs.n_features_in_
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    values, expected = ours.decision_function(X), theirs.decision_function(X)
    assert values.shape == expected.shape
    assert_allclose(values, expected, atol=1e-5)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("options", OPTIONS)
def test_same_machine(data, options):
    X, y = data
    ours, theirs = fit_both(X, y, **OPTIONS[options])
    assert_same(ours, theirs, X)
    if OPTIONS[options].get("kernel") == "linear":
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
        assert ours.coef_.shape == theirs.coef_.shape
        with pytest.raises(ValueError, match="read-only"):
            ours.coef_[0, 0] = 1.0


def test_sample_weights(data):
    """scikit-learn's gamma="scale" does not count weights, so gamma is given."""
    X, y = data
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y))
    ours, theirs = fit_both(X, y, weight, gamma=0.02)
    assert_same(ours, theirs, X)
    ours, theirs = fit_both(X, y, weight, kernel="linear", class_weight={0: 3.0}, C=0.1)
    assert_same(ours, theirs, X)


def test_weightless_samples(data):
    """The same machine. ``support_`` is in rows of X here, also where samples without weight stand between them."""
    X, y = data
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y)) * (np.arange(len(y)) % 9 > 0)
    ours, theirs = fit_both(X, y, weight, gamma=0.02)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert_allclose(ours.support_vectors_, theirs.support_vectors_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    assert_array_equal(X[ours.support_], ours.support_vectors_)


def test_sparse(data):
    X, y = data
    X = sp.csr_matrix(X * (X > 0))
    ours, theirs = fit_both(X, y, kernel="linear", C=0.5)
    assert_array_equal(ours.support_, theirs.support_)
    assert_allclose(ours.dual_coef_.toarray(), theirs.dual_coef_.toarray(), atol=1e-5)
    assert_allclose(ours.coef_.toarray(), theirs.coef_.toarray(), atol=1e-5)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


def test_precomputed_and_callable(data):
    X, y = data
    K = X @ X.T
    for kernel, rows in (("precomputed", K), (lambda A, B: A @ B.T, X)):
        ours, theirs = fit_both(rows, y, kernel=kernel, C=0.1)
        assert_array_equal(ours.support_, theirs.support_)
        assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-5)
        assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), atol=1e-4)
        assert ours.support_vectors_.shape == theirs.support_vectors_.shape


def test_decision_values_of_new_points(data):
    X, y = data
    ours, theirs = fit_both(X, y)
    new = np.random.default_rng(1).normal(size=(200, X.shape[1])) * 3
    assert_allclose(ours.decision_function(new), theirs.decision_function(new), atol=1e-5)
    assert_array_equal(ours.predict(new), theirs.predict(new))


def test_ties_are_broken_alike(load):
    """Far from all classes the votes tie: the first class wins, or the largest decision value where asked for."""
    X, y = load("digits")
    new = np.random.default_rng(1).normal(size=(2000, X.shape[1])) * 4
    for break_ties in (False, True):
        ours, theirs = fit_both(X[:400], y[:400], break_ties=break_ties)
        assert_array_equal(ours.predict(new), theirs.predict(new))
