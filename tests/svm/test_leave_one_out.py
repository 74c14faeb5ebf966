"""The leave-one-out interval of a fitted classifier, against n exact fits."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from maxmargin.bounds import LeaveOneOut
from maxmargin.certificates import IndefiniteKernelWarning
from maxmargin.svm import SVC


def true_errors(model, X, y, sample_weight=None):
    """Training without each sample in turn, to rounding; kernel and class weights are those of the fit."""
    n = len(y)
    weight = np.ones(n) if sample_weight is None else np.maximum(sample_weight, 0.0)
    exact = clone(model).set_params(tol=1e-9, gamma=model._gamma or 1.0, class_weight=None)
    total = weight * model.class_weight_[np.searchsorted(model.classes_, y)]
    errors = np.zeros(n, dtype=bool)
    for i in np.flatnonzero(weight > 0):
        others = np.flatnonzero((np.arange(n) != i) & (weight > 0))
        if y[i] not in y[others] or len(np.unique(y[others])) < 2:
            errors[i] = True
            continue
        machine = clone(exact).fit(X[others], y[others], sample_weight=total[others])
        errors[i] = machine.predict(X[[i]])[0] != y[i]
    return errors


def check(model, X, y, sample_weight=None):
    """What is proven is true; returned with the true errors."""
    found = model.loo_error_bound(X, y, sample_weight)
    errors = true_errors(model, X, y, sample_weight)
    assert found.guaranteed
    assert not (errors & ~found.errors["bound"]).any()
    assert not (found.errors["lower"] & ~errors).any()
    assert found.lower <= errors.sum() / found.samples <= found.bound
    assert found.bound == found.errors["bound"].sum() / found.samples
    return found, errors


def _sets():
    rng = np.random.default_rng(0)
    iris, species = load_iris(return_X_y=True)
    blobs, blob = make_blobs(60, 2, centers=2, cluster_std=4.0, random_state=0)
    doubled = np.repeat(rng.normal(size=(25, 3)), 2, axis=0)
    return {
        "iris, a pair": (iris[50:], species[50:]),
        "blobs": (blobs / 4, blob),
        "noise": (rng.normal(size=(40, 8)), rng.integers(0, 2, 40)),
        "every row twice": (doubled, (doubled[:, 0] + np.tile([0.0, 0.6], 25) > 0).astype(int)),
        "few of one class": (rng.normal(size=(40, 2)), (np.arange(40) < 3).astype(int)),
    }


KERNELS = [{"kernel": "linear"}, {"kernel": "rbf"}, {"kernel": "poly", "coef0": 1.0, "degree": 2}]


@pytest.mark.parametrize("name", _sets())
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_true_error_is_within(name, kernel, C):
    X, y = _sets()[name]
    check(SVC(C=C, **kernel).fit(X, y), X, y)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 10.0, 100.0])
def test_on_breast_cancer_the_interval_is_a_point_or_nearly(load, kernel, C):
    X, y = load("breast_cancer")
    X, y = X[::5], y[::5]
    found, errors = check(SVC(C=C, **kernel).fit(X, y), X, y)
    assert found.bound <= errors.mean() + 0.01
    assert found.lower >= errors.mean() - 0.01
    assert abs(found.span_estimate - errors.mean()) <= 0.03


def test_hard_margin(load):
    X, y = load("breast_cancer")
    X, y = X[::6], y[::6]
    found, errors = check(SVC(C=np.inf).fit(X, y), X, y)
    assert found.bound <= errors.mean() + 0.02


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0, 1: 0.2}])
def test_weights(clouds, class_weight):
    X, y = clouds(40, 3, seed=1)
    weight = np.random.default_rng(0).choice([0.0, 0.3, 1.0, 5.0], size=40)
    found, _ = check(SVC(class_weight=class_weight).fit(X, y, sample_weight=weight), X, y, weight)
    assert found.samples == (weight > 0).sum()
    assert not found.errors["bound"][weight == 0].any()


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_more_classes(multi_class, C):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    found, errors = check(SVC(C=C, multi_class=multi_class).fit(X, y), X, y)
    # a sample need not be right in all of its problems to be right
    assert C < 1 or found.bound <= errors.mean() + 0.1


def test_ties_broken_by_value():
    X, y = load_iris(return_X_y=True)
    check(SVC(break_ties=True).fit(X[::3], y[::3]), X[::3], y[::3])


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_the_only_sample_of_a_class_is_an_error(multi_class):
    X, y = load_iris(return_X_y=True)
    X, y = X[50::2], y[50::2].copy()
    y[0] = 0
    found, _ = check(SVC(multi_class=multi_class).fit(X, y), X, y)
    assert all(rows[0] for rows in found.errors.values())


def test_two_samples():
    found = SVC().fit([[0.0], [1.0]], ["a", "b"]).loo_error_bound([[0.0], [1.0]], ["a", "b"])
    assert (found.lower, found.bound) == (1.0, 1.0)


def test_a_fit_that_has_not_converged_proves_nothing_false(clouds):
    X, y = clouds(40, 3, seed=2)
    with pytest.warns(ConvergenceWarning):
        model = SVC(max_iter=3).fit(X, y)
    found = model.loo_error_bound(X, y)
    errors = true_errors(model.set_params(max_iter=-1), X, y)
    assert found.lower <= errors.mean() <= found.bound


def test_xi_alpha_can_say_little_where_every_sample_is_an_error():
    X, y = make_blobs(40, 2, centers=[[0, 0], [3, 3]], random_state=0)
    found, errors = check(SVC(C=1e-3).fit(X, y), X, y)
    assert errors.all()
    assert found.lower == found.bound == 1.0
    assert found.xi_alpha < 0.2


def test_without_free_support_vectors_there_is_no_span_estimate():
    X, y = make_blobs(40, 2, centers=[[0, 0], [3, 3]], random_state=0)
    assert np.isnan(SVC(C=1e-3).fit(X, y).loo_error_bound(X, y).span_estimate)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_storage_does_not_matter(clouds, dtype):
    X, y = clouds(50, 3)
    X = X.astype(dtype)
    X[np.abs(X) < 0.3] = 0
    dense = SVC().fit(X, y).loo_error_bound(X, y)
    rows = sp.csr_array(X)
    sparse = SVC().fit(rows, y).loo_error_bound(rows, y)
    K = np.exp(-0.4 * ((X[:, None] - X[None]) ** 2).sum(axis=2, dtype=np.float64))
    assert_array_equal(dense.errors["bound"], sparse.errors["bound"])
    precomputed = SVC(kernel="precomputed").fit(K, y).loo_error_bound(K, y)
    called = SVC(kernel=lambda A, B: np.exp(-0.4 * ((A[:, None] - B[None]) ** 2).sum(axis=2))).fit(X, y)
    assert precomputed.guaranteed
    assert called.loo_error_bound(X, y).bound == precomputed.bound


def test_a_kernel_that_is_not_semi_definite_proves_nothing(clouds):
    X, y = clouds(30, 3)
    with pytest.warns(IndefiniteKernelWarning):
        model = SVC(kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(X, y)
    found = model.loo_error_bound(X, y)
    assert not found.guaranteed
    assert "NOT proven" in str(found)


def test_it_is_said_in_words(clouds):
    X, y = clouds(30, 3)
    found = SVC().fit(X, y).loo_error_bound(X, y)
    assert isinstance(found, LeaveOneOut)
    text = repr(found)
    assert "at most" in text
    assert "an estimate" in text
    thirds = LeaveOneOut.of({**found.errors, "bound": np.array([1, 1, 0]), "lower": np.array([1, 1, 0])}, 3, True, True)
    assert "at most          0.6667 " in str(thirds) and "at least         0.6666 " in str(thirds)
    assert max(len(line) for line in text.splitlines()) <= 100


def test_other_data_are_refused(clouds):
    X, y = clouds(30, 3)
    model = SVC().fit(X, y)
    with pytest.raises(ValueError, match="expected 30 rows"):
        model.loo_error_bound(X[1:], y[1:])
    with pytest.raises(ValueError, match="not what the model was trained on"):
        model.loo_error_bound(X + 1.0, y)
    with pytest.raises(NotFittedError):
        SVC().loo_error_bound(X, y)
