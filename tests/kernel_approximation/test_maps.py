"""Feature maps of kernels: errors within their bounds, and phi phi' = K."""

from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import poisson
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.certificates import Status
from maxmargin.kernel_approximation import KernelEmbedding, TruncatedRBF
from maxmargin.kernel_ridge import KernelRidge
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.linear_model import Ridge


@parametrize_with_checks(
    [TruncatedRBF(), TruncatedRBF(degree=1), KernelEmbedding(), KernelEmbedding(3, kernel="linear")]
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


class TestTruncatedRBF:
    @pytest.mark.parametrize("degree", [0, 1, 3, 8])
    @pytest.mark.parametrize("gamma", [0.01, 0.3, 2.0])
    @pytest.mark.parametrize("seed", range(3))
    def test_error_is_within_the_bound(self, degree, gamma, seed):
        X = np.random.default_rng(seed).normal(size=(40, 3)) + 5
        model = TruncatedRBF(gamma, degree=degree).fit(X)
        F = model.transform(X)
        assert F.shape == (40, comb(3 + degree, degree))
        error = np.abs(F @ F.T - RBF(gamma)(X)).max()
        assert error <= model.error_bound_
        assert model.certificate_.holds and model.certificate_.verify(X).status is Status.CONVERGED

    def test_bound_is_the_tail_of_a_poisson_variable(self):
        X = np.array([[0.0, 0.0], [3.0, 4.0]])  # centre (1.5, 2), radius 2.5
        model = TruncatedRBF(0.1, degree=2).fit(X)
        assert model.error_bound_ == pytest.approx(poisson(2 * 0.1 * 2.5**2).sf(2), rel=1e-6)

    def test_bound_is_attained_where_rows_coincide_far_away(self):
        """At x = z the kernel is 1, t is largest, and the error is the whole tail."""
        X = np.array([[1.0], [-1.0]])
        model = TruncatedRBF(1.0, degree=2).fit(X)
        F = model.transform(X)
        assert 1 - float(F[0] @ F[0]) == pytest.approx(model.error_bound_, rel=1e-6)

    def test_values_are_the_sum_of_polynomial_kernels(self):
        X = np.random.default_rng(0).normal(size=(10, 2))
        model = TruncatedRBF(0.4, degree=3).fit(X)
        Z, F = X - X.mean(axis=0), model.transform(X)
        weight = np.exp(-0.4 * (Z**2).sum(axis=1))
        terms = sum(Polynomial(0.8, 0.0, k)(Z) / f for k, f in enumerate((1, 1, 2, 6)))
        np.testing.assert_allclose(F @ F.T, weight[:, None] * weight * terms, rtol=1e-10)

    def test_degree_by_tolerance(self):
        X = np.random.default_rng(1).normal(size=(30, 2))
        model = TruncatedRBF(0.5, degree=None, tol=1e-5).fit(X)
        assert model.error_bound_ <= 1e-5
        assert TruncatedRBF(0.5, degree=model.degree_ - 2).fit(X).error_bound_ > 1e-5
        far = model.error_bound(X * 3)
        assert far > model.error_bound_
        Z = model.transform(X * 3)
        assert np.abs(Z @ model.transform(X).T - RBF(0.5)(X * 3, X)).max() <= far
        with pytest.raises(ValueError, match="columns"):
            TruncatedRBF(100.0, degree=None).fit(np.random.default_rng(0).normal(size=(30, 10)))

    def test_linear_ridge_on_it_is_kernel_ridge(self):
        rng = np.random.default_rng(2)
        X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
        mapped = make_pipeline(TruncatedRBF(0.3, degree=None, tol=1e-9), Ridge(1.0, fit_intercept=False)).fit(X, y)
        np.testing.assert_allclose(mapped.predict(X), KernelRidge(kernel=RBF(0.3)).fit(X, y).predict(X), atol=1e-6)

    def test_changes_are_refuted(self):
        X = np.random.default_rng(3).normal(size=(20, 2))
        for change in ("gamma_", "centre_", "radius_", "rows"):
            model = TruncatedRBF(0.3).fit(X)
            if change != "rows":
                setattr(model, change, getattr(model, change) * 0.9 + 0.01)
            assert model.certificate_.verify(X * (1.1 if change == "rows" else 1.0)).status is Status.REFUTED, change


class TestKernelEmbedding:
    @pytest.mark.parametrize("kernel", [RBF(0.5), Linear(), Polynomial(1.0, 1.0, 2), RBF(0.2) + Linear()], ids=str)
    def test_inner_products_are_kernel_values(self, kernel):
        X = np.random.default_rng(0).normal(size=(40, 3))
        for rows in (X, sp.csr_array(X)):
            model = KernelEmbedding(kernel=kernel).fit(rows)
            phi = model.transform(rows)
            np.testing.assert_allclose(phi @ phi.T, kernel(X), atol=1e-9 * np.abs(kernel(X)).max())
            assert model.certificate_.holds and model.certificate_.verify(rows).status is Status.CONVERGED

    def test_phi_of_a_matrix(self):
        A = np.random.default_rng(1).normal(size=(12, 5))
        K = A @ A.T
        model = KernelEmbedding(kernel="precomputed").fit(K)
        phi = model.transform(K)
        assert phi.shape == (12, 5)
        np.testing.assert_allclose(phi @ phi.T, K, atol=1e-10)

    def test_new_rows_are_projected(self):
        rng = np.random.default_rng(2)
        X, Z = rng.normal(size=(30, 3)), rng.normal(size=(8, 3))
        model = KernelEmbedding(kernel=RBF(0.5)).fit(X)
        np.testing.assert_allclose(model.transform(Z) @ model.transform(X).T, RBF(0.5)(Z, X), atol=1e-6)
        assert ((model.transform(Z) ** 2).sum(axis=1) <= 1 + 1e-6).all()  # a projection is no longer than its vector

    def test_what_is_left_out_bounds_the_error(self):
        X = np.random.default_rng(3).normal(size=(30, 3))
        model = KernelEmbedding(5, kernel=RBF(0.5)).fit(X)
        phi = model.transform(X)
        figures = model.certificate_.figures
        assert phi.shape == (30, 5)
        assert np.abs(phi @ phi.T - RBF(0.5)(X)).max() == pytest.approx(figures["largest error"], rel=1e-6)
        assert figures["largest error"] <= figures["eigenvalues left out"]
        assert figures["eigenvalues left out"] == pytest.approx(30 - model.eigenvalues_.sum(), rel=1e-9)

    def test_linear_ridge_on_it_is_kernel_ridge(self):
        rng = np.random.default_rng(4)
        X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
        mapped = make_pipeline(KernelEmbedding(kernel=RBF(2.0)), Ridge(1.0, fit_intercept=False)).fit(X, y)
        np.testing.assert_allclose(mapped.predict(X), KernelRidge(kernel=RBF(2.0)).fit(X, y).predict(X), atol=1e-8)

    def test_refusals_and_changes(self):
        X = np.random.default_rng(5).normal(size=(20, 2))
        with pytest.raises(ValueError, match="not positive semi-definite"):
            KernelEmbedding(kernel="sigmoid", gamma=2.0, coef0=-1.0).fit(X)
        assert KernelEmbedding(gamma=0.7).fit(X).gamma_ == 0.7
        for change in ("components_", "_gamma", "rows"):
            model = KernelEmbedding(kernel="rbf", gamma=0.5).fit(X)
            if change != "rows":
                setattr(model, change, getattr(model, change) * 1.01)
            assert model.certificate_.verify(X * (1.1 if change == "rows" else 1.0)).status is Status.REFUTED, change


@pytest.mark.parametrize("model", [TruncatedRBF(0.1, degree=2), KernelEmbedding(3)])
def test_a_proof_on_other_columns_is_refused_and_leaves_the_model_as_it_is(model):
    X = np.random.default_rng(0).normal(size=(20, 2))
    model.fit(X)
    before = model.transform(X)
    with pytest.raises(ValueError, match="4 features, but"):
        model.certificate_.verify(np.hstack([X, X]))
    assert np.array_equal(model.transform(X), before)


def test_rows_whose_squares_overflow_are_refused_by_name():
    X = np.random.default_rng(0).normal(size=(40, 4))
    with pytest.raises(ValueError, match=r"X has values so large that .* overflow.* float64"):
        TruncatedRBF(1.0).fit(X * 1e300)


@pytest.mark.parametrize("size", [1e100, 1e150, 1e300])
def test_features_of_rows_far_away_are_zero(size):
    X = np.random.default_rng(0).normal(size=(40, 4))
    assert not TruncatedRBF().fit(X).transform(X * size).any()


@pytest.mark.parametrize("scale", [1e-150, 1e-60, 1e60, 1e150])
def test_the_unit_of_the_rows_does_not_matter(scale):
    """Powers are taken of rows in units of the kernel: none of them over- or underflows before it is weighed."""
    rows = np.random.default_rng(0).normal(size=(30, 3))
    plain, other = TruncatedRBF(0.5).fit(rows), TruncatedRBF(0.5 / scale**2).fit(scale * rows)
    np.testing.assert_allclose(other.transform(scale * rows), plain.transform(rows), rtol=1e-9, atol=1e-12)
    assert other.certificate_.holds and other.certificate_.verify(scale * rows).holds


@pytest.mark.parametrize("scale", [1e-160, 1e160, 1e300])
def test_a_variance_that_gives_no_gamma_is_named(scale):
    rows = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(ValueError, match=r"gamma='scale' is 1 / .* float64 does not hold: X has a variance of"):
        TruncatedRBF(gamma="scale").fit(scale * rows)


@pytest.mark.parametrize("degree, words", [(2, "degree 2 on 200"), (None, "degree 2, the least that meets tol=0.001 ")])
def test_many_columns_are_said_before_they_are_made(degree, words):
    X = np.random.default_rng(0).normal(size=(6, 200))
    gamma = 0.05 / ((X - X.mean(axis=0)) ** 2).sum(axis=1).max()
    with pytest.warns(UserWarning, match=f"{words}.*features? makes 20,301 columns, .* for 6 rows. Raise tol"):
        model = TruncatedRBF(gamma, degree=degree).fit(X)
    assert model.transform(X).shape == (6, 20301)
    TruncatedRBF(gamma, degree=1).fit(X)
