"""Kernel machines whose kernel matrix is not positive semi-definite, and kernels given as objects."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from maxmargin.certificates import IndefiniteKernelWarning, ModelCertificate, Status
from maxmargin.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid, check_mercer
from maxmargin.persistence import load, save
from maxmargin.svm import SVC, SVCCV, SVR, SVRCV, NuSVC, NuSVR, OneClassSVM


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def quietly(call, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndefiniteKernelWarning)
        return call(*arguments)


def assert_claims_nothing(certificate):
    assert certificate.status is Status.STATIONARY
    assert certificate.dual == -np.inf
    assert certificate.relative_gap == certificate.gap == np.inf
    assert certificate.worst.definiteness == "fails"
    assert "NOT positive semi-definite" in str(certificate)


def precomputed(X):
    return np.tanh(0.3 * X @ X.T - 1)


@pytest.mark.parametrize(
    "options",
    [{"kernel": "sigmoid", "gamma": 0.3, "coef0": -1}, {"kernel": "poly", "gamma": 0.1, "coef0": -1}],
    ids=["sigmoid", "poly"],
)
def test_indefinite_kernel_claims_nothing(cancer, options):
    X, y = cancer
    with pytest.warns(IndefiniteKernelWarning, match=r"the kernel (Sigmoid|Polynomial)\(.*has an eigenvalue of -"):
        model = SVC(**options).fit(X, y)
    assert_claims_nothing(model.certificate_)
    assert_claims_nothing(model.certificate_.verify(X, y))
    assert model.fit_status_ == 0


def test_warning_names_the_eigenvalue_and_what_would_do(cancer):
    with pytest.warns(IndefiniteKernelWarning, match=r'an eigenvalue of -162\..*Use kernel="rbf"'):
        SVC(kernel="sigmoid", gamma=0.3, coef0=-1).fit(*cancer)


def test_indefinite_precomputed_matrix_and_function_claim_nothing(cancer):
    X, y = cancer
    with pytest.warns(IndefiniteKernelWarning, match="the kernel Precomputed"):
        model = SVC(kernel="precomputed").fit(precomputed(X), y)
    assert_claims_nothing(model.certificate_.verify(precomputed(X), y))
    with pytest.warns(IndefiniteKernelWarning, match="the kernel function tanh_kernel"):
        model = SVC(kernel=tanh_kernel).fit(X, y)
    assert_claims_nothing(model.certificate_.verify(X, y))


def tanh_kernel(A, B):
    return np.tanh(0.3 * A @ B.T - 1)


@pytest.mark.parametrize("machine", [SVR(), NuSVR(), NuSVC(), OneClassSVM()], ids=lambda m: type(m).__name__)
def test_other_machines_claim_nothing(machine, cancer):
    X, y = cancer
    y = None if isinstance(machine, OneClassSVM) else y.astype(float) if hasattr(machine, "epsilon") else y
    model = quietly(machine.set_params(kernel="sigmoid").fit, X, y)
    assert_claims_nothing(model.certificate_)
    assert_claims_nothing(model.certificate_.verify(X, y))


def test_default_sigmoid_predicts_what_libsvm_predicts(cancer):
    X, y = cancer
    ours, theirs = quietly(SVC(kernel="sigmoid").fit, X, y), sklearn.svm.SVC(kernel="sigmoid").fit(X, y)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("gamma, coef0", [(0.05, -1.0), (0.2, 0.0)])
def test_pairs_of_classes_are_those_of_libsvm(iris, gamma, coef0):
    X, y = iris
    options = {"kernel": "sigmoid", "gamma": gamma, "coef0": coef0}
    ours, theirs = quietly(SVC(**options).fit, X, y), sklearn.svm.SVC(**options).fit(X, y)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_claim_of_convergence_is_refuted(cancer):
    X, y = cancer
    model = quietly(SVC(kernel="sigmoid").fit, X, y)
    claims = tuple(replace(c, status=Status.CONVERGED, definiteness="known") for c in model.certificate_.problems)
    model.certificate_ = ModelCertificate(claims, model._recertify)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_changed_model_is_refuted(cancer):
    X, y = cancer
    model = quietly(SVC(kernel="sigmoid").fit, X, y)
    model.intercept_ = model.intercept_ + 5
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_pairs_are_judged_one_by_one(iris):
    X, y = iris
    K = X @ X.T
    K[:50, :50] = -K[:50, :50]
    with pytest.warns(IndefiniteKernelWarning, match=r"\(0 against 1, 0 against 2\)"):
        model = SVC(kernel="precomputed").fit(K, y)
    found = [c.definiteness for c in model.certificate_.problems]
    assert found == ["fails", "fails", "shown"]
    assert model.certificate_.problems[2].status is Status.CONVERGED


def test_hard_margin_needs_a_definite_kernel(cancer):
    with pytest.raises(ValueError, match=r"C=inf .* has an eigenvalue of -17\.5"):
        SVC(kernel="sigmoid", C=np.inf).fit(*cancer)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_definite_precomputed_matrix_is_shown(cancer, dtype):
    X, y = cancer
    K = (X @ X.T).astype(dtype)
    model = SVC(kernel="precomputed").fit(K, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.worst.definiteness == "shown"
    again = model.certificate_.verify(K, y)
    assert (again.status, again.worst.definiteness) == (Status.CONVERGED, "shown")
    exact = SVC(kernel="linear").fit(X, y).certificate_
    if dtype == np.float64:
        assert model.certificate_.dual - 1e-9 <= exact.dual <= model.certificate_.primal


def test_large_matrix_is_assumed_and_says_so():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3100, 2))
    model = SVC(kernel=lambda A, B: A @ B.T).fit(X, np.sign(X[:, 0] + 0.1))
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.worst.definiteness == "assumed"
    assert "(assumed)" in str(model.certificate_)


def test_asymmetric_matrix_is_taken_by_its_symmetric_part(cancer):
    X, y = cancer
    K = RBF(0.03)(X)
    K = K + 1e-6 * np.random.default_rng(0).random(K.shape)
    model, even = SVC(kernel="precomputed").fit(K, y), SVC(kernel="precomputed").fit((K + K.T) / 2, y)
    assert (model.certificate_.primal, model.certificate_.dual) == (even.certificate_.primal, even.certificate_.dual)
    assert model.certificate_.verify(K, y).status is Status.CONVERGED


def test_warm_start_goes_on_from_the_last_machine(cancer):
    X, y = cancer
    model = quietly(SVC(kernel="sigmoid", warm_start=True).fit, X, y)
    first = model.certificate_.primal
    quietly(model.fit, X, y)
    assert model.n_iter_[0] < 10
    assert model.certificate_.primal == pytest.approx(first)


class TestSearch:
    def test_cells_claim_nothing_and_score_as_scikit_learn_does(self, cancer):
        grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}
        theirs = GridSearchCV(sklearn.svm.SVC(kernel="sigmoid"), grid).fit(*cancer).cv_results_
        for memory in (1000, 1):  # in memory, and by blocks
            with pytest.warns(IndefiniteKernelWarning, match="6 of 6 candidates"):
                search = SVCCV(grid["C"], grid["gamma"], kernel="sigmoid", memory=memory, refit=False).fit(*cancer)
            assert set(search.cv_results_["status"]) == {"stationary"}
            assert np.isinf(search.cv_results_["relative_gap"]).all()
            np.testing.assert_allclose(search.cv_results_["mean_test_score"], theirs["mean_test_score"])

    def test_regressors_claim_nothing(self, cancer):
        X, y = cancer
        search = quietly(SVRCV([0.1, 1.0], [0.01, 0.1], kernel="sigmoid").fit, X, y.astype(float))
        assert set(search.cv_results_["status"]) == {"stationary"}

    def test_definite_precomputed_cells_are_shown(self, cancer):
        X, y = cancer
        search = SVCCV([0.1, 1.0], kernel="precomputed").fit(RBF(0.03)(X), y)
        assert set(search.cv_results_["status"]) == {"converged"}
        assert {c.definiteness for c in search.cv_results_["certificate"]} == {"shown"}


def test_path_claims_nothing(iris):
    path = quietly(SVC(kernel="sigmoid").path, *iris, [0.1, 1.0])
    for certificate in path.certificates:
        assert_claims_nothing(certificate)


def test_leave_one_out_is_not_proven(iris):
    model = quietly(SVC(kernel="sigmoid").fit, *iris)
    assert "NOT proven" in str(model.loo_error_bound(*iris))


def test_certificate_is_saved(cancer, tmp_path):
    X, y = cancer
    model = quietly(SVC(kernel="sigmoid").fit, X, y)
    save(model, tmp_path / "model.mm")
    again = load(tmp_path / "model.mm")
    assert_claims_nothing(again.certificate_)
    assert_claims_nothing(again.certificate_.verify(X, y))


class TestKernelObjects:
    @pytest.mark.parametrize(
        "kernel, named",
        [
            (RBF(0.5), {"kernel": "rbf", "gamma": 0.5}),
            (Linear(), {"kernel": "linear"}),
            (Polynomial(0.1, 1.0, 2), {"kernel": "poly", "gamma": 0.1, "coef0": 1.0, "degree": 2}),
            (Sigmoid(0.05), {"kernel": "sigmoid", "gamma": 0.05}),
        ],
        ids=["rbf", "linear", "poly", "sigmoid"],
    )
    def test_works_like_the_named_one(self, kernel, named, cancer):
        X, y = cancer
        ours, same = quietly(SVC(kernel=kernel).fit, X, y), quietly(SVC(**named).fit, X, y)
        np.testing.assert_array_equal(ours.dual_coef_, same.dual_coef_)
        np.testing.assert_array_equal(ours.decision_function(X), same.decision_function(X))
        assert ours.certificate_.verify(X, y).status is same.certificate_.status

    def test_rows_are_validated_as_numbers(self, cancer):
        X, y = cancer
        with pytest.raises(ValueError, match="NaN"):
            SVC(kernel=RBF(0.5)).fit(np.where(X > 3, np.nan, X), y)
        with pytest.raises(ValueError, match="30 features"):
            SVC(kernel=RBF(0.5)).fit(X, y).predict(X[:, :3])

    def test_precomputed_object(self, cancer):
        X, y = cancer
        K = RBF(0.1)(X)
        model = SVC(kernel=Precomputed()).fit(K, y)
        assert (model.predict(K) == SVC(gamma=0.1).fit(X, y).predict(X)).all()

    def test_linear_object_has_coef(self, cancer):
        assert SVC(kernel=Linear()).fit(*cancer).coef_.shape == (1, 30)

    def test_regressor_search_and_path(self, cancer):
        X, y = cancer
        assert SVR(kernel=RBF(0.1)).fit(X, y.astype(float)).score(X, y) > 0.8
        assert SVCCV([0.1, 1.0], kernel=RBF(0.05)).fit(X, y).best_score_ > 0.9
        assert len(SVC(kernel=RBF(0.05)).path(X, y, [0.1, 1.0]).models) == 2

    def test_saved_and_loaded(self, cancer, tmp_path):
        X, y = cancer
        model = SVC(kernel=RBF(0.5)).fit(X, y)
        save(model, tmp_path / "model.mm")
        again = load(tmp_path / "model.mm")
        assert again.kernel == RBF(0.5)
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


class TestCheckMercer:
    def test_by_name_with_the_defaults_of_machines(self, cancer):
        X, _ = cancer
        found = check_mercer("sigmoid", X)
        assert not found.holds
        assert found.smallest_eigenvalue == pytest.approx(-17.47, abs=0.01)
        assert check_mercer("rbf", X).holds
        assert check_mercer("poly", X, gamma="auto", coef0=1.0).holds
        assert not check_mercer("poly", X, gamma=0.1, coef0=-1.0, degree=2).holds

    def test_of_a_function(self, cancer):
        X, _ = cancer
        assert check_mercer(lambda A, B: A @ B.T, X).holds
        assert not check_mercer(tanh_kernel, X).holds

    def test_wrong_gamma_is_refused(self, cancer):
        with pytest.raises(ValueError, match="gamma must be"):
            check_mercer("rbf", cancer[0], gamma="wide")


@pytest.mark.parametrize("model", [SVC, SVR, OneClassSVM])
@pytest.mark.parametrize("shift, refused", [(0.2, True), (1e-4, True), (1e-12, False)])
def test_functions_that_are_not_symmetric_are_refused(model, shift, refused):
    """They would predict with other values than the certificate is about."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)

    def shifted(A, B):
        return np.exp(-((A[:, None] - (B[None] + shift)) ** 2).sum(-1))

    if refused:
        with pytest.raises(ValueError, match="kernel function shifted must be symmetric"):
            model(kernel=shifted).fit(X, y)
    else:
        assert model(kernel=shifted).fit(X, y).certificate_.status is Status.CONVERGED
