"""Nystroem's features: the trace that they leave over, by brute force, and against scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.metrics.pairwise import chi2_kernel, laplacian_kernel, polynomial_kernel, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.certificates import IndefiniteKernelWarning, Status
from maxmargin.kernel_approximation import KernelEmbedding, Nystroem, PolynomialMap, TruncatedRBF
from maxmargin.kernel_ridge import KernelRidge
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.linear_model import Ridge

LANDMARKS = ["cholesky", "uniform", "kmeans"]
KERNELS = [RBF(0.5), Linear(), Polynomial(0.5, 1.0, 2), 2.0 * RBF(0.3) + Linear()]


@parametrize_with_checks(
    [
        Nystroem(random_state=0),
        Nystroem("linear", n_components=3, landmarks="uniform", random_state=0),
        Nystroem(n_components=4, landmarks="kmeans", random_state=0),
        Nystroem("precomputed", random_state=0),
    ]
)
@pytest.mark.filterwarnings("ignore::maxmargin.certificates.IndefiniteKernelWarning")  # one check makes such a matrix
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def rows(n=120, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def dense(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.parametrize("landmarks", LANDMARKS)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_features_and_trace_by_brute_force(landmarks, kernel, storage, dtype):
    X = rows().astype(dtype)
    model = Nystroem(kernel, n_components=20, landmarks=landmarks, random_state=0).fit(storage(X))
    Z, phi = dense(model.components_), model.transform(storage(X))
    K, B = kernel(X), kernel(X, Z)
    assert phi.dtype == dtype and phi.shape == (120, len(Z)) and len(Z) <= 20
    np.testing.assert_array_equal(model.normalization_, np.tril(model.normalization_))
    if dtype == np.float64:
        np.testing.assert_allclose(phi, B @ model.normalization_.T, atol=1e-9 * np.sqrt(K.max()))
    projected = B @ np.linalg.pinv(kernel(Z), hermitian=True, rcond=1e-11) @ B.T
    assert model.leftover_trace_ == pytest.approx(np.trace(K - projected), abs=1e-7 * np.trace(K))
    assert model.relative_leftover_ == model.leftover_trace_ / model.certificate_.figures["sum of k(x, x)"]
    if landmarks == "kmeans":
        assert model.component_indices_ is None
    else:
        np.testing.assert_array_equal(Z, X[model.component_indices_])
    assert model.certificate_.holds
    found = model.certificate_.verify(storage(X))
    assert found.holds and found.status is Status.CONVERGED


@pytest.mark.parametrize("landmarks", ["cholesky", "uniform"])
def test_as_many_landmarks_as_rows_are_exact(landmarks):
    X = rows(60)
    model = Nystroem(RBF(0.3), n_components=60, landmarks=landmarks, random_state=0).fit(X)
    phi = model.transform(X)
    np.testing.assert_allclose(phi @ phi.T, RBF(0.3)(X), atol=1e-7)
    assert abs(model.relative_leftover_) < 1e-9
    mapped = make_pipeline(model, Ridge(1.0, fit_intercept=False)).fit(X, X[:, 0] * X[:, 1])
    whole = KernelRidge(kernel=RBF(0.3)).fit(X, X[:, 0] * X[:, 1])
    np.testing.assert_allclose(mapped.predict(X), whole.predict(X), atol=1e-6)


def test_no_kernel_value_is_off_by_more_than_what_is_left_over():
    X = rows(200)
    model = Nystroem(gamma=0.5, n_components=15, random_state=0).fit(X)
    phi, K = model.transform(X), RBF(0.5)(X)
    left = np.maximum(K.diagonal() - (phi**2).sum(axis=1), 0.0)
    assert left.sum() == pytest.approx(model.leftover_trace_)
    assert (np.abs(phi @ phi.T - K) <= np.sqrt(np.outer(left, left)) + 1e-6).all()
    assert np.linalg.norm(K - phi @ phi.T, 2) <= model.leftover_trace_ < 200
    assert np.abs(phi @ phi.T - K).max() <= model.certificate_.figures["largest leftover"] + 1e-6
    assert np.linalg.eigvalsh(K - phi @ phi.T)[0] > -1e-9


@pytest.mark.parametrize("kind", ["clusters", "normal"])
def test_leaves_no_more_over_than_scikit_learn(kind):
    """With as many features, on average over seeds."""
    ours, theirs = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 3))
        if kind == "clusters":  # a narrow one, and few rows far away
            X = np.where(np.arange(400)[:, None] < 360, 0.1 * X, 8 * X)
        for model, left in (
            (Nystroem(gamma=0.1, n_components=30, random_state=seed), ours),
            (TheirNystroem(gamma=0.1, n_components=30, random_state=seed), theirs),
        ):
            phi = model.fit_transform(X)
            left.append(400 - (phi**2).sum())
    assert np.mean(ours) <= np.mean(theirs) * (0.7 if kind == "clusters" else 1.0)


def test_inner_products_are_those_of_scikit_learn_at_its_landmarks():
    X = rows()
    theirs = TheirNystroem(gamma=0.4, n_components=12, random_state=3).fit(X)
    ours = Nystroem(gamma=0.4, n_components=12, random_state=0).fit(X[theirs.component_indices_])
    F, G = theirs.transform(X), ours.transform(X)
    np.testing.assert_allclose(F @ F.T, G @ G.T, atol=1e-8)
    assert list(ours.get_feature_names_out()) == [f"nystroem{k}" for k in range(12)]
    assert {*theirs.get_params()} <= {*ours.get_params()}
    defaults = Nystroem().get_params()
    assert all(defaults[name] == value for name, value in TheirNystroem().get_params().items())


@pytest.mark.parametrize(
    "name, options, values",
    [
        ("rbf", {}, lambda X: rbf_kernel(X)),
        ("poly", {}, lambda X: polynomial_kernel(X)),
        ("polynomial", {"degree": 2, "coef0": 0.5, "gamma": 2.0}, lambda X: polynomial_kernel(X, None, 2, 2.0, 0.5)),
        ("laplacian", {"gamma": 0.5}, lambda X: laplacian_kernel(X, gamma=0.5)),
        ("chi2", {}, lambda X: chi2_kernel(X)),
        ("cosine", {}, lambda X: (X / np.linalg.norm(X, axis=1)[:, None]) @ (X / np.linalg.norm(X, axis=1)[:, None]).T),
    ],
)
def test_kernels_by_name(name, options, values):
    X = np.abs(rows(40))
    model = Nystroem(name, n_components=40, random_state=0, **options).fit(X)
    phi, K = model.transform(X), values(X)
    np.testing.assert_allclose(phi @ phi.T, K, atol=1e-6 * K.max())
    assert model.certificate_.verify(X).status is Status.CONVERGED


def test_matrices_and_functions_of_two_rows():
    X = rows(80)
    K = RBF(0.3)(X)
    plain = Nystroem(RBF(0.3), n_components=15, random_state=0).fit(X)
    matrix = Nystroem("precomputed", n_components=15, random_state=0).fit(K)
    function = Nystroem(
        lambda a, b, width: np.exp(-width * ((a - b) ** 2).sum()),
        kernel_params={"width": 0.3},
        n_components=15,
        random_state=0,
    ).fit(X)
    for other, values in ((matrix, K), (function, X)):
        np.testing.assert_array_equal(other.component_indices_, plain.component_indices_)
        np.testing.assert_allclose(other.transform(values[:9]), plain.transform(X[:9]), atol=1e-9)
        assert "assumed" in other.certificate_.statement
        assert other.certificate_.verify(values).status is Status.CONVERGED
    assert "assumed" not in plain.certificate_.statement
    with pytest.raises(ValueError, match="must be symmetric"):
        Nystroem("precomputed").fit(K + np.triu(np.ones_like(K)))
    with pytest.raises(ValueError, match="takes none"):
        Nystroem("rbf", kernel_params={"a": 1}).fit(X)


@pytest.mark.parametrize(
    "model, X",
    [
        (Nystroem("sigmoid", gamma=2.0, coef0=-1.0, random_state=0), rows()),
        (Nystroem("precomputed", random_state=0), np.array([[1.0, 2.0], [2.0, 1.0]])),
    ],
)
def test_of_a_matrix_that_is_not_semi_definite_nothing_is_proven(model, X):
    with pytest.warns(IndefiniteKernelWarning, match="not positive semi-definite"):
        model.fit(X)
    assert not model.certificate_.holds and "Nothing is proven" in model.certificate_.statement
    found = model.certificate_.verify(X)
    assert found.status is Status.CONVERGED and not found.holds
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.parametrize("landmarks", LANDMARKS)
def test_rows_that_come_often_or_nearly_so(landmarks):
    X = np.repeat(rows(10), 8, axis=0)
    X[::3] += 1e-9
    model = Nystroem(RBF(0.5), n_components=50, landmarks=landmarks, random_state=0).fit(X)
    phi = model.transform(X)
    assert np.isfinite(phi).all() and np.abs(phi @ phi.T - RBF(0.5)(X)).max() < 1e-6
    assert phi.shape[1] < 25
    assert model.certificate_.holds and model.certificate_.verify(X).holds


def test_gammas():
    X = rows()
    assert Nystroem().fit(X).gamma_ == Nystroem(gamma="auto").fit(X).gamma_ == 0.25
    assert Nystroem(gamma="scale").fit(X).gamma_ == pytest.approx(1 / (4 * X.var()))
    assert Nystroem(RBF(0.7)).fit(X).gamma_ == 0.7
    assert not hasattr(Nystroem("linear").fit(X), "gamma_")
    with pytest.raises(ValueError, match="float64 does not hold"):
        Nystroem(gamma="scale").fit(X * 1e-160)


@pytest.mark.parametrize(
    "change",
    ["components_", "normalization_", "component_indices_", "_gamma", "leftover_trace_", "relative_leftover_", "rows"],
)
@pytest.mark.parametrize("landmarks", LANDMARKS)
def test_changes_are_refuted(change, landmarks):
    if (change, landmarks) == ("component_indices_", "kmeans"):
        return
    X = rows(60)
    model = Nystroem(gamma=0.3, n_components=10, landmarks=landmarks, random_state=0).fit(X)
    if change == "component_indices_":
        model.component_indices_ = model.component_indices_[::-1]
    elif change != "rows":
        setattr(model, change, getattr(model, change) * 1.01)
    assert model.certificate_.verify(X * (1.1 if change == "rows" else 1.0)).status is Status.REFUTED


def test_a_proof_on_other_rows_is_refused():
    X = rows(60)
    model = Nystroem(n_components=5, random_state=0).fit(X)
    with pytest.raises(ValueError, match="features, but"):
        model.certificate_.verify(np.hstack([X, X]))
    with pytest.raises(ValueError, match="training data"):
        model.certificate_.verify(X[:-1])


def test_storage_of_new_rows_need_not_be_that_of_the_training():
    X = rows()
    for kernel in KERNELS:
        one = Nystroem(kernel, n_components=10, random_state=0).fit(X)
        two = Nystroem(kernel, n_components=10, random_state=0).fit(sp.csr_array(X))
        np.testing.assert_allclose(one.transform(sp.csr_array(X[:5])), one.transform(X[:5]), atol=1e-9)
        np.testing.assert_allclose(two.transform(X[:5]), two.transform(sp.csr_array(X[:5])), atol=1e-9)
        assert one.certificate_.verify(sp.csr_array(X)).status is Status.CONVERGED


def test_the_unit_of_the_rows_does_not_matter():
    X = rows()
    plain = Nystroem(gamma=0.5, n_components=20, random_state=0).fit(X)
    for scale in (1e-100, 1e100):
        other = Nystroem(gamma=0.5 / scale**2, n_components=20, random_state=0).fit(X * scale)
        assert other.relative_leftover_ == pytest.approx(plain.relative_leftover_, rel=1e-6)
        assert other.certificate_.verify(X * scale).holds


def test_transformers_do_not_offer_a_report():
    """It is about predictions: a page about a transformer was refused."""
    assert not any(hasattr(made, "report") for made in (Nystroem(), PolynomialMap(), TruncatedRBF(), KernelEmbedding()))
