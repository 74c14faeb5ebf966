"""What goes into a linear machine: storage, precision, labels, names, weights, and errors that help."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array, np.asfortranarray])
def test_storage_does_not_matter(machine, two_classes, convert):
    X, y = two_classes
    X = X * (np.abs(X) > 0.5)
    dense, other = machine().fit(X, y), machine().fit(convert(X), y)
    np.testing.assert_allclose(other.coef_, dense.coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(other.predict(convert(X)), dense.predict(X), rtol=1e-5, atol=1e-6)
    assert other.certificate_.verify(X, y).status is Status.CONVERGED


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_float32_is_solved_as_exactly(machine, two_classes, convert):
    X, y = two_classes
    X = X.astype(np.float32)
    model = machine().fit(convert(X), y)
    double = machine().fit(X.astype(np.float64), y)
    assert model.coef_.dtype == np.float64
    np.testing.assert_allclose(model.coef_, double.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.predict(convert(X)), double.predict(X.astype(np.float64)), rtol=1e-5, atol=1e-6)
    assert model.certificate_.verify(X, y).status is Status.CONVERGED


def test_rows_are_not_copied(machine):
    """Neither a float64 input as a whole, nor a float32 input to float64; prediction neither."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 50)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=len(X)) > 0).astype(int)
    model = machine()
    _fit_quietly(model, X[:1000], y[:1000])  # compiled
    tracemalloc.start()
    try:
        _fit_quietly(model, X, y)
        model.predict(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * X.nbytes, f"{peak / 1e6:.1f} MB for {X.nbytes / 1e6:.1f} MB of float32"


def _fit_quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_params(max_iter=3).fit(X, y)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype=object),
        np.array([False, True]),
        np.array([-1.0, 1.0]),
        np.array([2.0, 7.0]),
        np.array([-3, 10**9]),
        np.array([0, 1], dtype=np.uint8),
    ],
)
def test_labels_of_any_kind(classifier, two_classes, labels):
    X, y = two_classes
    model, plain = classifier().fit(X, labels[y]), classifier().fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert list(model.classes_) == list(labels)
    assert model.classes_.dtype == labels.dtype
    assert set(model.predict(X)) == set(labels)
    assert model.certificate_.verify(X, labels[y]).status is Status.CONVERGED


def test_data_frames(machine, two_classes):
    X, y = two_classes
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = machine().fit(frame, pd.Series(y))
    assert list(model.feature_names_in_) == list("abcd")
    model.predict(frame)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("dcba")])


def test_a_weight_of_two_is_the_row_twice(machine, two_classes):
    X, y = two_classes
    weight = np.random.default_rng(3).integers(0, 4, len(y))
    weighted = machine().fit(X, y, sample_weight=weight)
    repeated = machine().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-6, atol=1e-8)


def test_class_weights_are_sample_weights(classifier, three_classes):
    X, y = three_classes
    by_class = classifier(class_weight={0: 2.0, 2: 0.5}).fit(X, y)
    by_sample = classifier().fit(X, y, sample_weight=np.array([2.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(by_class.coef_, by_sample.coef_, rtol=1e-8, atol=1e-10)
    assert by_class.certificate_.verify(X, y).status is Status.CONVERGED
    np.testing.assert_array_equal(by_class.class_weight_, [2.0, 1.0, 0.5])


def test_balanced_classes(classifier, two_classes):
    X, y = two_classes
    keep = np.flatnonzero((y == 0) | (np.arange(len(y)) % 3 == 0))
    X, y = X[keep], y[keep]
    model = classifier(class_weight="balanced").fit(X, y)
    expected = len(y) / (2 * np.bincount(y))
    np.testing.assert_allclose(model.class_weight_, expected)
    twice = classifier(class_weight="balanced").fit(X, y, sample_weight=1.0 + (y == 1))
    np.testing.assert_allclose(twice.class_weight_[0] / twice.class_weight_[1], 2 * expected[0] / expected[1])


def test_unscaled_data(machine):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)) * [1e-4, 1, 1e3, 1e6, 1] + [0, 1e3, 0, 0, -1e3]
    y = (X[:, 1] - 1e3 + rng.normal(size=200) > 0).astype(int)
    model = machine(max_iter=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    assert np.isfinite(model.coef_).all()
    found = model.certificate_.verify(X, y)
    assert found.status is model.certificate_.status  # whatever it is, it is true


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "'C' parameter"),
        ({"C": -1.0}, "'C' parameter"),
        ({"tol": 0.0}, "'tol' parameter"),
        ({"max_iter": -1}, "'max_iter' parameter"),
        ({"solver": "simplex"}, r"solver must be 'auto' or one of .*'newton'.*; got 'simplex'"),
        ({"n_jobs": 0}, "n_jobs=0 has no meaning"),
    ],
)
def test_bad_parameters_are_named(machine, two_classes, parameters, message):
    with pytest.raises(ValueError, match=message):
        machine(**parameters).fit(*two_classes)


def test_bad_data_is_named(classifier, two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match="number of classes has to be greater than one; got 1 class"):
        classifier().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="Unknown label type"):
        classifier().fit(X, y + 0.5 * np.arange(len(y)) / 7)
    with pytest.raises(ValueError, match="NaN"):
        classifier().fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match=r"no sample of class 0|belong to the same class"):
        classifier().fit(X, y, sample_weight=y)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        classifier().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`: -1 for sample 0"):
        classifier().fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match=r"class_weight must give every class a positive, finite weight; got \{0: 0"):
        classifier(class_weight={0: 0.0}).fit(X, y)
    with pytest.raises(ValueError, match="4 features"):
        classifier().fit(X, y).predict(X[:, :2])


def test_many_and_few(machine):
    """One feature, one sample a class, a constant column, a column of zeros."""
    X = np.array([[0.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    model = machine().fit(X, [0, 1])
    assert model.certificate_.status is Status.CONVERGED
    assert model.coef_.ravel()[2] == pytest.approx(0, abs=1e-12)
    machine().fit(X[:, :1], [0, 1])


def test_threads_do_not_matter(machine, three_classes):
    X, y = three_classes
    X, y = np.tile(X, (40, 1)), np.tile(y, 40)  # enough for a thread each
    one, two = machine(n_jobs=1).fit(X, y), machine(n_jobs=2).fit(X, y)
    np.testing.assert_allclose(two.coef_, one.coef_, rtol=1e-7, atol=1e-9)


def test_the_same_input_gives_the_same_model(machine, two_classes):
    X, y = two_classes
    np.testing.assert_array_equal(machine().fit(X, y).coef_, machine().fit(X, y).coef_)
