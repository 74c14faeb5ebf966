"""The explicit map of the polynomial kernel: inner products of features are kernel values."""

from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.certificates import Status
from maxmargin.kernel_approximation import PolynomialMap
from maxmargin.kernel_ridge import KernelRidge
from maxmargin.kernels import Polynomial
from maxmargin.linear_model import Ridge
from maxmargin.svm import SVC, LinearSVC


@parametrize_with_checks([PolynomialMap(), PolynomialMap(2, coef0=1.0), PolynomialMap(0)])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def rows(n=40, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("coef0", [0.0, 0.5])
@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3, 0.0])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_inner_products_are_kernel_values(degree, coef0, gamma, storage):
    X, Z = rows(), rows(15, seed=1)
    model = PolynomialMap(degree, gamma=gamma, coef0=coef0).fit(storage(X))
    F, G = model.transform(storage(X)), model.transform(storage(Z))
    assert sp.issparse(F) == sp.issparse(storage(X))
    assert type(F) is type(storage(X)) or not sp.issparse(F)
    assert F.shape[1] == (comb(4 + degree, degree) if coef0 else comb(3 + degree, degree))
    F, G = (np.asarray(M.toarray() if sp.issparse(M) else M) for M in (F, G))
    kernel = Polynomial(model.gamma_, coef0, degree)
    sizes = [np.sqrt(kernel(M).diagonal()) for M in (X, Z)]
    bound = model.error_bound_ + 1e-14  # and what the kernel value itself is off by
    assert (np.abs(F @ G.T - kernel(X, Z)) <= bound * np.outer(*sizes)).all()
    assert model.certificate_.holds
    assert model.certificate_.verify(storage(X)).status is Status.CONVERGED
    assert len(model.get_feature_names_out()) == F.shape[1]


def test_features_are_those_of_the_kernel():
    X = rows()
    for coef0 in (0.0, 2.0):
        model = PolynomialMap(3, gamma=0.7, coef0=coef0).fit(X)
        np.testing.assert_allclose(model.transform(X), Polynomial(0.7, coef0, 3).feature_map(X), rtol=1e-12)


def test_rows_of_float32_are_taken_as_they_are():
    X = rows().astype(np.float32)
    model = PolynomialMap(2, gamma=0.5, coef0=1.0).fit(X)
    np.testing.assert_array_equal(model.transform(X), model.transform(X.astype(np.float64)))


def test_a_linear_machine_on_it_is_the_kernel_machine():
    X = rows(80)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    mapped = make_pipeline(PolynomialMap(2, coef0=1.0), Ridge(1.0, fit_intercept=False)).fit(X, y)
    gamma = mapped[0].gamma_
    kernel = KernelRidge(kernel=Polynomial(gamma, 1.0, 2)).fit(X, y)
    np.testing.assert_allclose(mapped.predict(X), kernel.predict(X), atol=1e-8)
    labels = y > 0
    linear = make_pipeline(PolynomialMap(2, coef0=1.0), LinearSVC(loss="hinge", tol=1e-8)).fit(X, labels)
    machine = SVC(kernel="poly", degree=2, coef0=1.0, tol=1e-8).fit(X, labels)
    ours, theirs = linear[-1].certificate_.worst, machine.certificate_.worst
    assert ours.dual <= theirs.primal * (1 + 1e-9) and theirs.dual <= ours.primal * (1 + 1e-9)
    assert ours.relative_gap < 1e-5 and theirs.relative_gap < 1e-5


def test_too_many_columns_are_refused_by_name():
    with pytest.raises(ValueError, match=r"makes 15 columns, more than max_columns=14"):
        PolynomialMap(2, coef0=1.0, max_columns=14).fit(rows())
    assert PolynomialMap(2, coef0=1.0, max_columns=15).fit(rows()).transform(rows()).shape == (40, 15)
    with pytest.raises(ValueError, match="max_columns=200000"):
        PolynomialMap(10).fit(rows(5, 50))


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_what_overflows_is_refused_by_name(storage):
    X = rows()
    with pytest.raises(ValueError, match="overflow float64"):
        PolynomialMap(3, gamma=1.0).fit(storage(X * 1e150))
    with pytest.raises(ValueError, match="float64 does not hold"):
        PolynomialMap(3).fit(storage(X * 1e-160))


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_the_unit_of_the_rows_does_not_matter(scale):
    X = rows()
    plain, other = PolynomialMap(3, gamma=0.5).fit(X), PolynomialMap(3, gamma=0.5 / scale**2).fit(X * scale)
    np.testing.assert_allclose(other.transform(X * scale), plain.transform(X), rtol=1e-9)
    assert other.certificate_.verify(X * scale).holds


@pytest.mark.parametrize("change", ["gamma_", "weights_", "error_bound_", "rows"])
def test_changes_are_refuted(change):
    X = rows()
    model = PolynomialMap(2, coef0=1.0).fit(X)
    if change != "rows":
        setattr(model, change, getattr(model, change) * 1.01)
    assert model.certificate_.verify(X * (1.1 if change == "rows" else 1.0)).status is Status.REFUTED


def test_a_proof_on_other_rows_is_refused():
    X = rows()
    model = PolynomialMap().fit(X)
    with pytest.raises(ValueError, match="features, but"):
        model.certificate_.verify(np.hstack([X, X]))
    with pytest.raises(ValueError, match="training data"):
        model.certificate_.verify(X[:-1])
