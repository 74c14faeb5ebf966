"""Sums and products of kernels: their values, their bounds, and the machines that take them."""

import copy
import pickle

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from maxmargin.certificates import IndefiniteKernelWarning, Status
from maxmargin.data import Rows
from maxmargin.kernels import (
    EXTENDED_UNIT,
    RBF,
    CallableKernel,
    Constant,
    Linear,
    Polynomial,
    Precomputed,
    Product,
    Sigmoid,
    Sum,
    check_mercer,
    definiteness,
)
from maxmargin.persistence import load, save, to_onnx
from maxmargin.svm import SVC, SVCCV, SVR, SVRCV, NuSVC, NuSVR, OneClassSVM

KERNELS = [
    RBF(0.5) + Linear(),
    Polynomial(0.5, 1.0, 2) * RBF(0.1),
    2.0 * RBF(0.3) + Linear() * Polynomial(0.2, 1.0, 3) + 0.5,
    (RBF(0.1) + RBF(2.0)) * (Linear() + 1),
    RBF(50.0) * Linear() + Sigmoid(0.1, 0.2),
]
DEFINITE = KERNELS[:4]


def by_hand(kernel, X, Z):
    """The textbook value, by NumPy alone."""
    if isinstance(kernel, Sum):
        return sum(by_hand(part, X, Z) for part in kernel.kernels)
    if isinstance(kernel, Product):
        return np.prod([by_hand(part, X, Z) for part in kernel.kernels], axis=0)
    if isinstance(kernel, Constant):
        return np.full((len(X), len(Z)), kernel.value)
    if isinstance(kernel, RBF):
        return np.exp(-kernel.gamma * ((X[:, None] - Z[None]) ** 2).sum(axis=2))
    if isinstance(kernel, Polynomial):
        return (kernel.gamma * X @ Z.T + kernel.coef0) ** kernel.degree
    if isinstance(kernel, Sigmoid):
        return np.tanh(kernel.gamma * X @ Z.T + kernel.coef0)
    return X @ Z.T


def exact(kernel, x, z):
    """The value in two hundred bits."""
    if isinstance(kernel, Sum):
        return mpmath.fsum(exact(part, x, z) for part in kernel.kernels)
    if isinstance(kernel, Product):
        return mpmath.fprod(exact(part, x, z) for part in kernel.kernels)
    if isinstance(kernel, Constant):
        return mpmath.mpf(kernel.value)
    x, z = [mpmath.mpf(float(v)) for v in x], [mpmath.mpf(float(v)) for v in z]
    product = mpmath.fsum(a * b for a, b in zip(x, z, strict=True))
    if isinstance(kernel, RBF):
        return mpmath.exp(-mpmath.mpf(kernel.gamma) * mpmath.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True)))
    if isinstance(kernel, Polynomial):
        return (mpmath.mpf(kernel.gamma) * product + mpmath.mpf(kernel.coef0)) ** kernel.degree
    if isinstance(kernel, Sigmoid):
        return mpmath.tanh(mpmath.mpf(kernel.gamma) * product + mpmath.mpf(kernel.coef0))
    return product


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture
def sample():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_values_are_those_of_the_formula(kernel, storage, sample):
    rows, columns = Rows(storage(sample)), Rows(storage(sample[:7] + 0.1))
    expected = by_hand(kernel, sample, sample[:7] + 0.1)
    gram = kernel.gram(rows, columns)
    everything, seven = np.arange(40), np.arange(7)
    np.testing.assert_allclose(gram.block(everything, seven, np.float64), expected, rtol=1e-10, atol=1e-12)
    coef = np.random.default_rng(1).normal(size=(2, 7))
    np.testing.assert_allclose(gram.product(seven, coef, np.float64), coef @ expected.T, rtol=1e-9, atol=1e-10)
    some = np.array([5, 0, 3])
    square = kernel.gram(rows).restricted(some)
    np.testing.assert_allclose(square.whole(np.float64), by_hand(kernel, sample[some], sample[some]), rtol=1e-10)
    np.testing.assert_allclose(square.diagonal(), np.diagonal(square.whole(np.float64)), rtol=1e-10)
    np.testing.assert_allclose(kernel.audit_gram(rows).whole(np.float64), by_hand(kernel, sample, sample), rtol=1e-9)


def test_gram_of_a_sum_is_the_sum_of_grams(sample):
    np.testing.assert_allclose((RBF(0.5) + Linear())(sample), RBF(0.5)(sample) + Linear()(sample), rtol=1e-15)
    np.testing.assert_allclose((RBF(0.5) * Linear())(sample), RBF(0.5)(sample) * Linear()(sample), rtol=1e-15)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize(
    "shape",
    [lambda X: X, lambda X: X + 1e4, lambda X: X * [1e-4, 1.0, 1e3]],
    ids=["as they are", "far from 0", "other units"],
)
def test_values_are_within_their_bounds(kernel, shape):
    X = shape(np.random.default_rng(2).normal(size=(8, 3)))
    everything = np.arange(8)
    for gram in (kernel.gram(Rows(X)), kernel.audit_gram(Rows(X))):
        accuracy = gram.accuracy()
        found = [(gram.whole(np.float64), accuracy, everything)]
        found.append((*gram.extended(everything[2:4]), everything[2:4]))
        for values, a, columns in found:
            with mpmath.workprec(200):
                for i in everything:
                    for c, j in enumerate(columns):
                        value, true = mpmath.mpf(np.format_float_positional(values[i, c])), exact(kernel, X[i], X[j])
                        size = a.scale[i] * a.scale[j]
                        bound = a.relative[i] * abs(float(value)) + a.absolute * size
                        assert abs(value - true) <= bound + abs(true) * mpmath.mpf(10) ** -20
                        assert abs(true) <= size * (1 + 1e-9)


def test_extended_values_are_more_accurate(sample):
    if EXTENDED_UNIT < 2.0**-60:
        gram = KERNELS[0].gram(Rows(sample))
        assert gram.extended(np.array([1]))[1].absolute <= gram.accuracy().absolute / 1000


def test_sized_products_are_within_their_bounds(sample):
    coef = np.random.default_rng(3).normal(size=40)
    for kernel in KERNELS:
        gram, j = kernel.gram(Rows(sample)), np.arange(40)
        f, size, additions = gram.sized_product(j, coef)
        K = by_hand(kernel, sample, sample)
        assert (size >= np.abs(K) @ np.abs(coef) * (1 - 1e-12)).all()
        assert additions > 0
        np.testing.assert_allclose(f, K @ coef, atol=1e-9 * np.abs(size).max())


class TestAlgebra:
    def test_writing(self):
        assert RBF(0.5) + Linear() == Sum((RBF(0.5), Linear()))
        assert RBF(0.5) + Linear() + 1 == Sum((RBF(0.5), Linear(), Constant(1.0)))
        assert 3 * RBF(0.5) * Linear() == Product((Constant(3.0), RBF(0.5), Linear()))
        assert repr((RBF(0.5) + Linear()) * 2) == "(RBF(gamma=0.5) + Linear()) * Constant(value=2.0)"
        assert isinstance((np.dot + RBF(1.0)).kernels[0], CallableKernel)

    def test_values_can_be_copied_hashed_and_pickled(self):
        for kernel in KERNELS:
            assert pickle.loads(pickle.dumps(kernel)) == kernel == copy.deepcopy(kernel)
            assert hash(kernel) == hash(copy.deepcopy(kernel))

    def test_what_makes_no_kernel_is_refused(self):
        with pytest.raises(TypeError, match="unsupported operand"):
            RBF(1.0) + "linear"
        with pytest.raises(TypeError, match="two or more kernels"):
            Sum((RBF(1.0),))
        with pytest.raises(ValueError, match="combine the matrices"):
            RBF(1.0) * Precomputed()
        with pytest.raises(ValueError, match="finite number"):
            RBF(1.0) * np.inf
        with pytest.raises(ValueError, match="gamma"):
            RBF(-1.0)
        with pytest.raises(ValueError, match="gamma of RBF must be a finite number"):
            RBF("scale")
        with pytest.raises(ValueError, match="whole number"):
            Polynomial(degree=2.5)

    def test_definite_where_the_parts_are(self, sample):
        assert all(kernel.known_definite for kernel in DEFINITE)
        assert not (RBF(1.0) + Sigmoid()).known_definite
        assert not (-1.0 * RBF(1.0)).known_definite
        assert definiteness(-1.0 * RBF(1.0), (-1.0 * RBF(1.0)).gram(Rows(sample))).fails


class TestMercer:
    @pytest.mark.parametrize("kernel", DEFINITE, ids=str)
    def test_holds(self, kernel, sample):
        assert check_mercer(kernel, sample).holds
        assert check_mercer(kernel, sp.csr_array(sample)).holds

    def test_takes_what_machines_take(self, sample):
        K = RBF(0.5)(sample)
        own = np.linalg.eigvalsh(K)[0]
        for given, X in [
            ("precomputed", K),
            (Precomputed(), K),
            (RBF(0.5), sample),
            (RBF(0.5), sample.tolist()),
            (lambda A, B: RBF(0.5)(A, B), sample),
            (CallableKernel(lambda A, B: RBF(0.5)(A, B)), sample),
        ]:
            assert check_mercer(given, X).smallest_eigenvalue == pytest.approx(own, abs=1e-12)
        texts = ["a", "ab", "b"]
        assert check_mercer(lambda A, B: np.equal.outer(np.asarray(A), np.asarray(B)) * 1.0, texts).holds

    def test_does_not_hold(self, sample):
        assert not check_mercer(RBF(0.5) + -2 * RBF(0.1), sample).holds


class TestMachines:
    @pytest.mark.parametrize("kernel", DEFINITE, ids=str)
    def test_the_machine_is_that_of_the_matrix(self, kernel, cancer):
        X, y = cancer[0][:150, :6], cancer[1][:150]
        model = SVC(kernel=kernel, gap_tol=1e-8).fit(X, y)
        same = SVC(kernel="precomputed", gap_tol=1e-8).fit(by_hand(kernel, X, X), y)
        assert model.certificate_.status is Status.CONVERGED
        assert model.certificate_.definiteness == "known"
        assert model.certificate_.verify(X, y).status is Status.CONVERGED
        assert model.certificate_.dual <= same.certificate_.primal
        assert same.certificate_.dual <= model.certificate_.primal
        scale = np.abs(same.decision_function(by_hand(kernel, X, X))).max()
        found, expected = model.decision_function(X), same.decision_function(by_hand(kernel, X, X))
        np.testing.assert_allclose(found, expected, atol=1e-3 * scale)

    @pytest.mark.parametrize(
        "machine", [SVC(), NuSVC(nu=0.1), SVR(), NuSVR(), OneClassSVM()], ids=lambda m: type(m).__name__
    )
    def test_every_machine_takes_them(self, machine, cancer, tmp_path):
        X, y = cancer[0][:120, :5], cancer[1][:120].astype(float)
        model = clone(machine).set_params(kernel=RBF(0.2) + 0.1 * Linear()).fit(X, y)
        assert clone(model).get_params()["kernel"] == RBF(0.2) + 0.1 * Linear()
        assert "RBF(gamma=0.2) + Constant(value=0.1) * Linear()" in repr(model)
        target = () if isinstance(machine, OneClassSVM) else (y,)
        assert model.certificate_.verify(X, *target).status is Status.CONVERGED
        save(model, tmp_path / "model.mm")
        again = load(tmp_path / "model.mm")
        assert again.kernel == model.kernel
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert again.certificate_.verify(X, *target).status is Status.CONVERGED

    def test_several_classes_and_sparse_rows(self, iris):
        X, y = iris
        dense = SVC(kernel=RBF(0.5) * Polynomial(0.1, 1.0, 2)).fit(X, y)
        sparse = SVC(kernel=RBF(0.5) * Polynomial(0.1, 1.0, 2)).fit(sp.csr_array(X), y)
        np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(sp.csr_array(X)), atol=1e-2)
        assert len(dense.certificate_.problems) == 3

    def test_searches_tune_c_alone(self, cancer):
        X, y = cancer[0][:200], cancer[1][:200]
        search = SVCCV([0.1, 1.0], kernel=RBF(0.02) + 0.01 * Linear(), cv=3).fit(X, y)
        assert set(search.best_params_) == {"C"}
        same = GridSearchCV(SVC(kernel=RBF(0.02) + 0.01 * Linear()), {"C": [0.1, 1.0]}, cv=3).fit(X, y)
        np.testing.assert_allclose(search.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"])
        with pytest.raises(ValueError, match="gammas has no meaning"):
            SVCCV(gammas=[0.1, 1.0], kernel=RBF(0.02) + Linear()).fit(X, y)
        assert SVRCV([1.0], kernel=RBF(0.02) * RBF(0.01), cv=3).fit(X, y.astype(float)).best_score_ > 0.5

    def test_grid_search_over_kernels(self, cancer):
        X, y = cancer[0][:150], cancer[1][:150]
        grid = {"kernel": [RBF(100.0), RBF(0.02) + Linear()]}
        assert GridSearchCV(SVC(), grid, cv=3).fit(X, y).best_params_["kernel"] == RBF(0.02) + Linear()

    def test_indefinite_sums_prove_nothing(self, cancer):
        X, y = cancer[0][:100], cancer[1][:100]
        with pytest.warns(IndefiniteKernelWarning, match="Constant"):
            model = SVC(kernel=-1.0 * RBF(0.1) + 0.5 * Linear()).fit(X, y)
        assert model.certificate_.status is not Status.CONVERGED

    def test_onnx(self, cancer):
        runtime = pytest.importorskip("onnxruntime")
        X, y = cancer[0][:150, :6], cancer[1][:150]
        for kernel in (RBF(0.3), DEFINITE[2], DEFINITE[3]):
            model = SVC(kernel=kernel).fit(X, y)
            session = runtime.InferenceSession(to_onnx(model).SerializeToString())
            label = session.run(None, {session.get_inputs()[0].name: X})[0]
            np.testing.assert_array_equal(label, model.predict(X))
        own = SVC(kernel=RBF(0.3) + (lambda A, B: A @ B.T)).fit(X, y)
        with pytest.raises(ValueError, match="cannot be exported"):
            to_onnx(own)
        with pytest.raises(ValueError, match="cannot be saved"):
            save(own, "nowhere.mm")

    def test_report_names_the_kernel(self, cancer):
        X, y = cancer[0][:100, :4], cancer[1][:100]
        assert "RBF(gamma=0.5) + Linear()" in str(SVC(kernel=RBF(0.5) + Linear()).fit(X, y).report(X, y).data)


class TestGamma:
    def test_what_scale_and_auto_came_to(self, cancer):
        X, y = cancer
        assert SVC().fit(X, y).gamma_ == pytest.approx(1 / (X.shape[1] * X.var()))
        assert SVR(gamma="auto").fit(X, y.astype(float)).gamma_ == pytest.approx(1 / X.shape[1])
        assert SVC(kernel="poly", gamma=0.25).fit(X, y).gamma_ == 0.25
        assert OneClassSVM(kernel=RBF(0.5)).fit(X).gamma_ == 0.5

    def test_is_not_there_before_the_fit_nor_without_a_gamma(self, cancer):
        assert not hasattr(SVC(), "gamma_")
        assert not hasattr(SVC(kernel="linear").fit(*cancer), "gamma_")
        assert not hasattr(SVC(kernel=RBF(1.0) + Linear()).fit(*cancer), "gamma_")
