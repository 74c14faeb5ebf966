"""Rows and parameters for which a metric gives no distance: a named error, and no certificate over NaN."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from maxmargin.neighbors import KNeighborsClassifier, KNeighborsRegressor


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(20, 3))


def fitted(X, metric, **options):
    return KNeighborsRegressor(n_neighbors=3, metric=metric, **options).fit(X, np.arange(X.shape[0], dtype=float))


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_correlation_of_constant_rows_is_refused_in_fit_and_in_predict(rows, value, kind):
    constant = np.vstack([rows, np.full((2, 3), value)])
    with pytest.raises(ValueError, match=r"2 rows \(20, 21\) constant.*correlation.*metric='cosine'"):
        KNeighborsClassifier(metric="correlation").fit(kind(constant), np.arange(22) % 2)
    if kind is np.asarray:
        model = fitted(rows, "correlation")
        with pytest.raises(ValueError, match=r"X has row 1 constant"):
            model.predict(constant[[0, 21]])


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_a_correlation_beyond_float64_is_refused(rows, scale):
    with pytest.raises(ValueError, match="beyond float64"):
        fitted(rows * scale, "correlation")


def test_a_correlation_of_other_rows_is_that_of_scipy(rows):
    model = fitted(rows, "correlation")
    distances, _ = model.kneighbors(rows)
    np.testing.assert_allclose(distances, np.sort(cdist(rows, rows, "correlation"))[:, :3], atol=1e-12)
    assert model.certificate_.holds


@pytest.mark.parametrize("metric", ["dice", "sokalsneath"])
@pytest.mark.parametrize("algorithm", ["brute", "ball_tree"])
def test_rows_without_a_value_are_refused_by_metrics_that_divide_by_their_number(metric, algorithm):
    X = np.random.default_rng(0).random((20, 4)) < 0.5
    X[:, 0] |= ~X.any(axis=1)
    fitted(X, metric, algorithm=algorithm).predict(np.zeros((1, 4), dtype=bool))  # 1 from each of them
    X[[3, 7]] = False
    with pytest.raises(ValueError, match=rf"2 rows \(3, 7\) all zero.*{metric}.*jaccard"):
        fitted(X, metric, algorithm=algorithm)


@pytest.mark.parametrize("metric", ["braycurtis", "canberra", "jaccard", "cosine", "chebyshev", "rogerstanimoto"])
def test_metrics_that_are_defined_for_rows_of_zero_are_certified(rows, metric):
    X = np.vstack([rows, np.zeros((3, 3)), -rows[:3]])
    if metric in ("jaccard", "rogerstanimoto"):
        X = X > 0.5
    model = fitted(X, metric, algorithm="brute")
    distances, _ = model.kneighbors(X)
    assert np.isfinite(distances).all()
    assert model.certificate_.holds


@pytest.mark.parametrize("dtype", [bool, np.int64])
def test_bray_and_curtis_have_one_distance_for_all_kinds_of_numbers(dtype):
    X = np.random.default_rng(0).integers(-1 if dtype is np.int64 else 0, 2, size=(25, 3)).astype(dtype)
    model = fitted(X, "braycurtis", algorithm="brute")
    np.testing.assert_array_equal(model.kneighbors(X)[0], fitted(X.astype(float), "braycurtis").kneighbors(X)[0])
    assert model.certificate_.holds


@pytest.mark.parametrize("metric", ["infinity", "p", "sokalmichener"])
def test_metrics_of_trees_alone_are_certified(rows, metric):
    X = rows > 0 if metric == "sokalmichener" else rows
    assert fitted(X, metric).certificate_.holds


def test_parameters_that_give_no_distance_are_refused(rows):
    X = np.column_stack([rows, np.ones(20)])
    for metric, words in (("seuclidean", "variances"), ("mahalanobis", "covariance"), ("pyfunc", "function itself")):
        with pytest.raises(ValueError, match=f"metric='{metric}' needs .*{words}"):
            fitted(X, metric)
    with pytest.raises(ValueError, match="those of column 3 are not positive"):
        fitted(X, "seuclidean", metric_params={"V": X.var(axis=0)}, algorithm="brute")
    with pytest.raises(ValueError, match="singular"):
        fitted(X, "mahalanobis", metric_params={"V": np.cov(X.T)}, algorithm="brute")
    inverse = np.linalg.pinv(np.cov(X.T))
    assert fitted(X, "mahalanobis", metric_params={"VI": inverse}, algorithm="brute").certificate_.holds


def test_distances_that_overflow_are_refused(rows):
    with pytest.raises(ValueError, match="metric='minkowski' gives infinity"):
        fitted(rows * 1e200, "minkowski", p=3, algorithm="ball_tree").kneighbors(rows * 1e200)


def test_distances_that_overflow_have_a_certificate_that_claims_nothing(rows):
    proof = fitted(rows * 1e200, "minkowski", p=3, algorithm="ball_tree").certificate_
    assert not proof.holds and "beyond float64" in proof.statement


def test_a_metric_that_is_nan_for_some_rows_certifies_nothing(rows):
    def broken(x, z):
        return np.nan if x[0] + z[0] > 4 else float(np.abs(x - z).sum())

    rows[0] = rows[1] = 3.0
    model = fitted(rows, broken, algorithm="brute")
    assert not model.certificate_.holds
    assert "NaN" in model.certificate_.statement
    with pytest.raises(ValueError, match="metric=broken gives NaN"):
        model.kneighbors(np.full((1, 3), 50.0))
