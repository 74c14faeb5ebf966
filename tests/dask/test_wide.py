"""Rows of many columns, whose Hessian is never formed: the optimum of one machine, and the same certificates."""

from __future__ import annotations

from itertools import pairwise

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

import maxmargin.dask as on
from maxmargin import linear_model, svm
from maxmargin.dask._passes import run_side_by_side

from .samples import on_cluster, targets
from .test_linear import agree

D = 5000
CASES = [
    ("LinearSVC", svm, {"loss": "hinge"}, "two"),
    ("LinearSVC", svm, {"loss": "hinge", "C": 20, "fit_intercept": False}, "two"),
    ("LinearSVC", svm, {"loss": "hinge", "class_weight": "balanced"}, "three"),
    ("LinearSVC", svm, {"tol": 1e-7}, "two"),
    ("LogisticRegression", linear_model, {"C": 10, "tol": 1e-8}, "two"),
    ("LogisticRegression", linear_model, {}, "three"),
    ("LogisticRegression", linear_model, {"fit_intercept": False, "tol": 1e-7}, "three"),
    ("LinearSVR", svm, {"epsilon": 0.1}, "number"),
    ("LinearSVR", svm, {"epsilon": 0.1, "loss": "squared_epsilon_insensitive"}, "number"),
]


def texts(n=240, seed=0):
    """Rows of a few of many words, frequent ones and rare ones, of length 1."""
    rng = np.random.default_rng(seed)
    words = (D * rng.random((n, 40)) ** 3).astype(int)
    X = sp.csr_matrix((rng.random(words.size) + 0.5, (np.repeat(np.arange(n), 40), words.ravel())), shape=(n, D))
    X = sp.diags(1 / np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())) @ X
    return sp.csr_matrix(X), 10 * (X @ rng.normal(size=D)) / np.sqrt(40) + 0.3 * rng.normal(size=n)


def sparse_on_cluster(X, parts):
    ends = np.linspace(0, X.shape[0], parts + 1).astype(int)
    blocks = [dask.delayed(X[a:b]) for a, b in pairwise(ends)]
    form = sp.csr_matrix((0, X.shape[1]), dtype=X.dtype)
    lengths = np.diff(ends).tolist()
    made = [da.from_delayed(block, (n, X.shape[1]), meta=form) for block, n in zip(blocks, lengths, strict=True)]
    return da.concatenate(made), lambda y: da.from_array(y, chunks=(tuple(lengths), *((-1,) * (np.ndim(y) - 1))))


@pytest.mark.parametrize("name, room, params, kind", CASES)
def test_the_optimum_is_that_of_one_machine_and_verified(name, room, params, kind):
    X, z = texts()
    y = targets(z, kind)
    own = getattr(room, name)(**params).fit(X, y)
    for parts in (1, 2, 7):
        Xd, cut = sparse_on_cluster(X, parts)
        model = getattr(on, name)(**params).fit(Xd, cut(y))
        claimed = model.certificate_
        assert str(claimed.status) == "converged" and model.solver_.endswith("newton_cg")
        agree(claimed, own.certificate_)
        assert model.coef_.shape == own.coef_.shape and model.intercept_.shape == own.intercept_.shape
    for found in (claimed.verify(Xd, cut(y)), claimed.verify(X, y)):
        assert found.status is claimed.status
        for one, said in zip(found.problems, claimed.problems, strict=True):
            assert abs(one.primal - said.primal) <= 1e-9 * said.primal
            assert abs(one.dual - said.dual) <= 1e-9 * said.primal
    model.coef_ = model.coef_ * (1 + 1e-5)
    assert str(claimed.verify(Xd, cut(y)).status) == "refuted"


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("columns", [0, 2])
def test_ridge_is_that_of_one_machine(columns, fit_intercept):
    X, z = texts()
    y, weights = np.column_stack([z, z**2])[:, :columns] if columns else z, np.arange(len(z)) % 3 / 2.0
    params = {"alpha": [0.1, 2.0] if columns else 0.1, "fit_intercept": fit_intercept}
    Xd, cut = sparse_on_cluster(X, 4)
    model, own = on.Ridge(**params).fit(Xd, cut(y), cut(weights)), linear_model.Ridge(**params).fit(X, y, weights)
    claimed = model.certificate_
    assert claimed.holds and model.solver_ == "cg"
    np.testing.assert_allclose(model.coef_, own.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, own.intercept_, rtol=1e-6, atol=1e-8)
    for found in (claimed.verify(Xd, cut(y), cut(weights)), claimed.verify(X, y, weights)):
        assert found.status is claimed.status and found.holds
    with pytest.warns(match="budget"):
        short = on.Ridge(**params, max_iter=1).fit(Xd, cut(y), cut(weights))
    assert not short.certificate_.holds


def test_ridge_by_gradients_of_few_columns_too():
    X, z = texts()
    dense = X[:, :30].toarray() + 100.0
    model = on.Ridge(solver="sparse_cg", tol=1e-12).fit(on_cluster(dense, 3), on_cluster(z, 3))
    own = linear_model.Ridge().fit(dense, z)
    assert model.certificate_.holds and model.solver_ == "cg" and model.n_iter_[0] > 3
    np.testing.assert_allclose(model.coef_, own.coef_, rtol=1e-5, atol=1e-7)


def test_dense_rows_in_float32():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 3100)).astype(np.float32)
    y = targets(X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=90), "two")
    for loss in ("hinge", "squared_hinge"):
        model = on.LinearSVC(loss=loss).fit(on_cluster(X, 3), on_cluster(y, 3))
        agree(model.certificate_, svm.LinearSVC(loss=loss).fit(X, y).certificate_)
        assert str(model.certificate_.verify(X, y).status) == "converged"


@pytest.mark.parametrize("kind", ["two", "three"])
def test_hinges_whose_rows_stay_where_they_are(kind, monkeypatch):
    """Products with the Hessian go over all partitions where rows within the width are too many to come here."""
    monkeypatch.setattr("maxmargin.dask._linear_fit._ROOM", -1.0)
    asked = []

    def heard(samples, spec, solvers, *rest):
        def listening(solver):
            question = next(solver)
            while True:
                asked.append(type(question).__name__)
                try:
                    question = solver.send((yield question))
                except StopIteration as end:
                    return end.value

        return run_side_by_side(samples, spec, [listening(solver) for solver in solvers], *rest)

    monkeypatch.setattr("maxmargin.dask._linear_fit.run_side_by_side", heard)
    X, z = texts()
    Xd, cut = sparse_on_cluster(X, 3)
    y = targets(z, kind)
    model = on.LinearSVC(loss="hinge").fit(Xd, cut(y))
    assert "HessianTimes" in asked and "CurvedRows" not in asked
    assert str(model.certificate_.status) == "converged"
    agree(model.certificate_, svm.LinearSVC(loss="hinge").fit(X, y).certificate_)


def test_a_fit_that_is_told_to_stop_stops():
    X, z = texts()
    Xd, cut = sparse_on_cluster(X, 3)
    heard = []
    for kind in ("two", "three"):
        heard.clear()
        machine = on.LogisticRegression(tol=1e-9, callback=lambda state: heard.append(state) or len(heard) > 1)
        with pytest.warns(match="ended as 'interrupted'"):
            model = machine.fit(Xd, cut(targets(z, kind)))
        assert len(heard) <= 3 and model.certificate_.dual <= model.certificate_.primal
