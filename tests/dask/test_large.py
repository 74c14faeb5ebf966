"""Kernel machines on a cluster: the optimum of the exact machine between two bounds, and what is refused."""

from __future__ import annotations

import pickle

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

import maxmargin
import maxmargin.dask as on
from maxmargin.kernels import RBF
from maxmargin.messages import InputError
from maxmargin.svm import SVC, LargeSVC

from .samples import on_cluster


def shells(n=800, d=3, seed=0):
    """Rows whose distance from the origin says their class, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.square(X).sum(axis=1) + 0.3 * rng.normal(size=n)


def two(z):
    return np.where(z > 2.3, "far", "near")


def holds(model, *exact):
    """Whether the bounds hold the optimum of the exact machine."""
    for one, other in zip(model.certificate_.problems, exact, strict=True):
        assert one.dual <= other.primal and other.dual <= one.primal and one.dual <= one.primal


def the_same(found, claimed, tolerance=1e-9):
    assert found.status is claimed.status
    for one, said in zip(found.problems, claimed.problems, strict=True):
        assert abs(one.primal - said.primal) <= tolerance * said.primal
        assert abs(one.dual - said.dual) <= tolerance * said.primal


@pytest.mark.parametrize("params", [{"C": 1.0}, {"kernel": "poly", "degree": 2, "coef0": 1.0}])
def test_bounds_hold_the_exact_optimum_however_rows_are_divided(params):
    X, z = shells()
    y = two(z)
    exact = SVC(gap_tol=1e-6, **params).fit(X, y).certificate_
    for parts in (1, 2, 7):
        Xd, yd = on_cluster(X, parts), on_cluster(y, parts)
        model = on.LargeSVC(n_landmarks=120, **params).fit(Xd, yd)
        assert type(model) is LargeSVC and str(model.certificate_.status) == "converged"
        assert model.certificate_.relative_gap <= 0.01
        holds(model, *exact.problems)
        the_same(model.certificate_.verify(Xd, yd), model.certificate_)
        the_same(model.certificate_.verify(X, y), model.certificate_)
        assert (model.predict(Xd).compute() == model.predict(X)).all()
    own = LargeSVC(method="landmarks", n_landmarks=120, **params).fit(X, y)
    assert set(vars(model)) == set(vars(own)) and len(model.support_) <= 120
    the_same(own.certificate_.verify(Xd, yd), own.certificate_)
    exactly = LargeSVC(method="exact", **params).fit(X, y)
    the_same(exactly.certificate_.verify(Xd, yd), exactly.certificate_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_against_the_rest_with_weights_and_groups_of_columns(dtype, monkeypatch):
    monkeypatch.setattr("maxmargin.dask._remote_gram._FEW", 150)
    monkeypatch.setattr("maxmargin.dask._remote_gram._GROUP", 160)
    X, z = shells(400)
    X, y = X.astype(dtype), np.digitize(z, [1.5, 3.5]) + 5
    weights = np.random.default_rng(1).exponential(size=400)
    weights[::5], weights[100:190] = 0, 0
    params = {"multi_class": "ovr", "class_weight": "balanced"}
    Xd, yd, wd = (on_cluster(a, 4) for a in (X, y, weights))
    model = on.LargeSVC(n_landmarks=160, gap_tol=0.05, **params).fit(Xd, yd, wd)
    own = LargeSVC(method="exact", gap_tol=1e-4, **params).fit(X, y, weights)
    np.testing.assert_allclose(model.class_weight_, own.class_weight_)
    assert model._gamma == pytest.approx(own._gamma, rel=1e-12)
    assert (weights[model.support_] > 0).all() and not model.multipliers_.toarray()[:, weights == 0].any()
    holds(model, *own.certificate_.problems)
    for fitted in (model, own):
        the_same(fitted.certificate_.verify(Xd, yd, wd), fitted.certificate_)
        the_same(fitted.certificate_.verify(X, y, weights), fitted.certificate_)
        assert str(fitted.certificate_.verify(Xd, yd).status) == "refuted"


def test_sparse_blocks():
    X = shells(600, 8)[0]
    X = np.where(np.abs(X) > 0.7, X, 0)
    y = two(np.square(X).sum(axis=1))
    Xd, yd = on_cluster(X, 3).map_blocks(sp.csr_array), on_cluster(y, 3)
    model = on.LargeSVC(n_landmarks=200, gap_tol=0.1).fit(Xd, yd)
    own = SVC(gap_tol=1e-5).fit(sp.csr_array(X), y)
    assert sp.issparse(model.support_vectors_) and sp.issparse(model.dual_coef_)
    holds(model, own.certificate_)
    the_same(model.certificate_.verify(Xd, yd), model.certificate_)
    the_same(model.certificate_.verify(sp.csr_array(X), y), model.certificate_)


def test_too_few_landmarks_are_said_and_the_bounds_hold():
    X, z = shells()
    y = two(z)
    with pytest.warns(match="Raise n_landmarks"):
        model = on.LargeSVC(n_landmarks=5).fit(on_cluster(X, 3), on_cluster(y, 3))
    assert str(model.certificate_.status) == "stalled" and model.fit_status_ == 1
    holds(model, SVC(gap_tol=1e-5).fit(X, y).certificate_)
    with pytest.warns(match="ended as 'interrupted'"):
        model = on.LargeSVC(n_landmarks=50, gap_tol=1e-9, callback=lambda state: True).fit(
            on_cluster(X, 3), on_cluster(y, 3)
        )
    assert model.certificate_.dual <= model.certificate_.primal


def test_a_lower_bound_that_would_take_too_long_is_sampled(monkeypatch):
    monkeypatch.setattr("maxmargin.dask._large_fit.PATIENCE", 0.0)
    monkeypatch.setattr("maxmargin.dask._remote_gram._FEW", 200)  # fewer than rows with multipliers
    X, z = shells()
    y = two(z)
    exact = SVC(gap_tol=1e-6).fit(X, y).certificate_.worst
    Xd, yd = on_cluster(X, 3), on_cluster(y, 3)
    with pytest.warns(match="its lower bound is sampled"):
        model = on.LargeSVC(n_landmarks=120, gap_tol=0.1).fit(Xd, yd)
    found = model.certificate_.worst
    assert 0 < found.confidence < 1 and str(found.status) == "stalled" and "sampled" in model.method_reason_[0]
    assert 0 < found.dual <= exact.primal and exact.dual <= found.primal and found.relative_gap < 0.1
    for again in (model.certificate_.verify(Xd, yd), model.certificate_.verify(X, y)):
        assert str(again.status) == "converged" and again.confidence == 1
        assert found.dual <= again.worst.dual <= exact.primal  # the proof of what was sampled


def test_edges():
    """Duplicates, partitions of one row and of none, more landmarks than rows, rows far from the origin."""
    X, z = shells(60)
    X, y = np.vstack([X, X, X[:20]]) + 1e4, np.concatenate([two(z), two(z), two(z)[:20]])
    chunks = (1, 0, 1, 98, 40)
    Xd, yd = da.from_array(X, chunks=(chunks, 3)), da.from_array(y, chunks=(chunks,))
    for kernel in ("rbf", RBF(0.4)):
        model = on.LargeSVC(kernel=kernel, n_landmarks=1000, gap_tol=0.05, C=10).fit(Xd, yd)
        holds(model, SVC(kernel=kernel, C=10, gap_tol=1e-5).fit(X, y).certificate_)
        the_same(model.certificate_.verify(Xd, yd), model.certificate_, 1e-6)
    order = np.argsort(y, kind="stable")  # a class is missing in most partitions
    model = on.LargeSVC(n_landmarks=60, gap_tol=0.1).fit(on_cluster(X[order], 4), on_cluster(y[order], 4))
    the_same(model.certificate_.verify(X[order], y[order]), model.certificate_, 1e-6)
    alike = on.LargeSVC(n_landmarks=10, gap_tol=1.0, gamma=1.0).fit(
        da.ones((40, 2), chunks=(10, 2)), da.from_array(np.arange(40) % 2, chunks=10)
    )
    assert alike.certificate_.dual <= alike.certificate_.primal


def test_changed_models_are_refuted():
    X, z = shells(300)
    y = two(z)
    Xd, yd = on_cluster(X, 3), on_cluster(y, 3)
    model = on.LargeSVC(n_landmarks=80, gap_tol=0.1).fit(Xd, yd)
    changes = {
        "dual_coef_": 1.001 * model.dual_coef_,
        "intercept_": model.intercept_ + 1e-3,
        "support_vectors_": model.support_vectors_ + 1e-6,
        "multipliers_": 1.5 * model.multipliers_,
        "support_": model.support_[::-1].copy(),
        "_gamma": 1.01 * model._gamma,
        "radius_": 0.5 * model.radius_,
        "classes_": model.classes_[::-1].copy(),
        "C": 2.0,
    }
    for name, value in changes.items():
        changed = pickle.loads(pickle.dumps(model))
        setattr(changed, name, value)
        assert str(changed.certificate_.verify(Xd, yd).status) == "refuted", name
    assert str(model.certificate_.verify(Xd, on_cluster(y[::-1].copy(), 3)).status) == "refuted"
    with pytest.raises(ValueError, match="299"):
        model.certificate_.verify(on_cluster(X[:-1], 3), on_cluster(y[:-1], 3))


def test_the_model_is_free_of_the_cluster_and_can_be_saved(tmp_path):
    X, z = shells(300)
    y = two(z)
    estimator = on.LargeSVC(n_landmarks=80, gap_tol=0.1)
    model = estimator.fit(on_cluster(X, 3), on_cluster(y, 3))
    maxmargin.save(model, tmp_path / "model")
    for found in (maxmargin.load(tmp_path / "model"), pickle.loads(pickle.dumps(estimator)), estimator):
        np.testing.assert_array_equal(found.predict(X), model.predict(X))
        assert found.certificate_.verify(X, y).status is model.certificate_.status
    low, high = model.decision_interval(X[:50])
    exact = SVC(gap_tol=1e-9, tol=1e-6).fit(X, y).decision_function(X[:50])
    assert (low <= exact + 1e-4).all() and (exact <= high + 1e-4).all()


@pytest.mark.parametrize(
    "params, words",
    [
        ({"kernel": "linear"}, "maxmargin.dask.LinearSVC"),
        ({"kernel": "sigmoid"}, "'rbf' and 'poly'"),
        ({"kernel": "poly", "coef0": -1.0}, "coef0 >= 0"),
        ({"kernel": "precomputed"}, "a matrix or a function"),
        ({"kernel": lambda X, Z: X @ Z.T}, "a matrix or a function"),
        ({"method": "cells"}, "method='cells'"),
        ({"time_limit": 3.0}, "time_limit"),
        ({"warm_start": True}, "warm_start"),
        ({"trace": True}, "trace"),
        ({"n_landmarks": 5000}, "3000 are the most"),
    ],
)
def test_what_a_cluster_does_not_do_is_said(params, words):
    X, z = shells(100)
    with pytest.raises(InputError, match=words):
        on.LargeSVC(**params).fit(on_cluster(X, 2), on_cluster(two(z), 2))


def test_what_users_give_is_looked_at():
    X, z = shells(100)
    y, gap = two(z), X.copy()
    gap[80, 1] = np.nan
    Xd, yd = on_cluster(X, 2), on_cluster(y, 2)
    for rows, labels, words in (
        (X, y, "dask.array.from_array"),
        (da.from_array(X, chunks=(50, 2)), yd, "X.rechunk"),
        (on_cluster(gap, 2), yd, "partition 1 of 2"),
        (Xd, da.zeros(100, chunks=50), "one class alone"),
        (Xd, da.from_array(np.arange(100) % 3, chunks=50), "multi_class='ovr'"),
    ):
        with pytest.raises(InputError, match=words):
            on.LargeSVC().fit(rows, labels)
