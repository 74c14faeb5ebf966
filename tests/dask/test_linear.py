"""Linear machines on a cluster against those of one machine: the optimum, the certificate, and what is kept."""

from __future__ import annotations

import pickle

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

import maxmargin
import maxmargin.dask as on
from maxmargin import linear_model, svm

from .samples import on_cluster, rows, targets

CASES = [
    ("LinearSVC", svm, {}, "two"),
    ("LinearSVC", svm, {"loss": "hinge"}, "two"),
    ("LinearSVC", svm, {"loss": "hinge", "C": 1e-3, "fit_intercept": False}, "two"),
    ("LinearSVC", svm, {"loss": "hinge", "C": 1e3}, "two"),
    ("LinearSVC", svm, {"loss": "hinge"}, "three"),
    ("LinearSVC", svm, {"class_weight": "balanced"}, "three"),
    ("LogisticRegression", linear_model, {"C": 10}, "two"),
    ("LogisticRegression", linear_model, {"class_weight": {0: 1, 1: 2, 2: 3}}, "three"),
    ("LogisticRegression", linear_model, {"fit_intercept": False}, "three"),
    ("LinearSVR", svm, {"epsilon": 0.1}, "number"),
    ("LinearSVR", svm, {"loss": "squared_epsilon_insensitive"}, "number"),
]


def agree(found, expected, tolerance=1e-4):
    """Whether two certificates bound the same optimum, and the first as sharply as asked."""
    for one, other in zip(found.problems, expected.problems, strict=True):
        assert one.dual <= other.primal and other.dual <= one.primal
        assert one.label == other.label
        assert one.primal <= other.primal * (1 + tolerance)


@pytest.mark.parametrize("name, room, params, kind", CASES)
def test_the_optimum_is_that_of_one_machine(name, room, params, kind):
    X, z = rows()
    y = targets(z, kind)
    own = getattr(room, name)(**params).fit(X, y)
    for parts in (1, 2, 7):
        model = getattr(on, name)(**params).fit(on_cluster(X, parts), on_cluster(y, parts))
        assert type(model) is type(own) and str(model.certificate_.status) == "converged"
        agree(model.certificate_, own.certificate_)
        assert model.coef_.shape == own.coef_.shape and model.intercept_.shape == own.intercept_.shape
        assert set(vars(model)) == set(vars(own))


@pytest.mark.parametrize("name, room, params, kind", CASES)
def test_certificates_are_verified_here_and_there(name, room, params, kind):
    X, z = rows()
    y = targets(z, kind)
    Xd, yd = on_cluster(X, 3), on_cluster(y, 3)
    for model in (getattr(on, name)(**params).fit(Xd, yd), getattr(room, name)(**params).fit(X, y)):
        claimed = model.certificate_
        for found in (claimed.verify(Xd, yd), claimed.verify(X, y), on.verify(model, Xd, yd)):
            assert found.status is claimed.status
            for one, said in zip(found.problems, claimed.problems, strict=True):
                assert abs(one.primal - said.primal) <= 1e-9 * said.primal
                assert abs(one.dual - said.dual) <= 1e-9 * said.primal
        assert str(claimed.verify(Xd, on_cluster(y[::-1].copy(), 3)).status) == "refuted"
        model.coef_ = model.coef_ * (1 + 1e-5)
        assert str(claimed.verify(Xd, yd).status) == "refuted"


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("columns", [0, 1, 2])
def test_ridge_is_that_of_one_machine(columns, fit_intercept):
    X, z = rows()
    X, y = X + 1000.0, np.column_stack([z, z**2])[:, :columns] if columns else z
    weights = np.arange(len(X)) % 3 / 2.0
    weights[:250] = 0  # a whole partition
    params = {"alpha": 0.1, "fit_intercept": fit_intercept}
    Xd, yd, wd = (on_cluster(a, 4) for a in (X, y, weights))
    model, own = on.Ridge(**params).fit(Xd, yd, wd), linear_model.Ridge(**params).fit(X, y, weights)
    assert model.certificate_.holds
    np.testing.assert_allclose(model.coef_, own.coef_, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, own.intercept_, rtol=1e-7)
    assert np.shape(model.coef_) == np.shape(own.coef_) and np.shape(model.intercept_) == np.shape(own.intercept_)
    for fitted in (model, own):
        claimed = fitted.certificate_
        for found in (claimed.verify(Xd, yd, wd), claimed.verify(X, y, weights)):
            assert found.status is claimed.status and found.holds
            assert found.figures["objective"] == pytest.approx(claimed.figures["objective"], rel=1e-9)
    model.coef_ = model.coef_ * (1 + 1e-6)
    assert not model.certificate_.verify(Xd, yd, wd).holds


@pytest.mark.parametrize("n, d, tolerance", [(400, 60, 1e-4), (3000, 40, 1e-9)])
def test_few_rows_on_the_margin_boundary(n, d, tolerance):
    """Fewer than columns: narrowing the width of the smoothing alone ended at gaps of 0.7 and 0.02."""
    X = np.random.default_rng(3).normal(size=(n, d))
    y = X[:, 0] + 0.3 * X[:, 1] ** 2 > 0.2
    own = svm.LinearSVC(loss="hinge").fit(X, y)
    model = on.LinearSVC(loss="hinge", tol=tolerance).fit(on_cluster(X, 4), on_cluster(y, 4))
    assert str(model.certificate_.status) == "converged" and model.certificate_.relative_gap <= tolerance
    agree(model.certificate_, own.certificate_)
    assert str(model.certificate_.verify(on_cluster(X, 3), on_cluster(y, 3)).status) == "converged"


def test_weights_count_as_copies_of_rows():
    X, z = rows(400)
    y, counts = targets(z, "two"), np.arange(400) % 3
    model = on.LinearSVC(loss="hinge").fit(on_cluster(X, 3), on_cluster(y, 3), on_cluster(counts, 3))
    own = svm.LinearSVC(loss="hinge").fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    agree(model.certificate_, own.certificate_)
    weighted = model.certificate_.verify(X, y, counts)
    assert str(weighted.status) == "converged"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_blocks(dtype):
    X, z = rows()
    X = np.where(np.abs(X) > 0.8, X, 0).astype(dtype)
    Xd = on_cluster(X, 3).map_blocks(sp.csr_matrix)
    y = targets(z, "two")
    model = on.LogisticRegression().fit(Xd, on_cluster(y, 3))
    own = linear_model.LogisticRegression().fit(sp.csr_matrix(X), y)
    agree(model.certificate_, own.certificate_)
    assert str(model.certificate_.verify(Xd, on_cluster(y, 3)).status) == "converged"
    assert (model.predict(Xd).compute() == model.predict(sp.csr_matrix(X))).all()


def test_data_frames_have_names_and_unknown_lengths():
    import dask.dataframe as dd
    import pandas as pd

    X, z = rows()
    table = pd.DataFrame(X, columns=list("abcde")).assign(label=targets(z, "two"))
    frame = dd.from_pandas(table, npartitions=4)
    frame = frame[frame.a > -1.5]  # lengths are not known any more
    model = on.LinearSVC().fit(frame[list("abcde")], frame.label)
    kept = table[table.a > -1.5]
    own = svm.LinearSVC().fit(kept[list("abcde")], kept.label)
    agree(model.certificate_, own.certificate_)
    assert list(model.feature_names_in_) == list("abcde")
    found = model.predict(frame[list("abcde")])
    assert isinstance(found, da.Array) and (found.compute() == model.predict(kept[list("abcde")])).all()
    number = (frame.label == "yes").astype(int)
    model = on.LinearSVC().fit(frame[list("abcde")], number)
    again = on.LinearSVC().fit(frame[list("abcde")].values, number.values)
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_the_model_is_free_of_the_cluster_and_can_be_saved(tmp_path):
    X, z = rows()
    for name, params, kind in (
        ("LinearSVC", {"loss": "hinge"}, "three"),
        ("LinearSVR", {}, "number"),
        ("Ridge", {}, "number"),
    ):
        y = targets(z, kind)
        estimator = getattr(on, name)(**params)
        model = estimator.fit(on_cluster(X, 3), on_cluster(y, 3))
        maxmargin.save(model, tmp_path / "model")
        loaded = maxmargin.load(tmp_path / "model")
        assert type(loaded) is type(model)
        for found in (loaded, pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(estimator)), estimator):
            np.testing.assert_array_equal(found.predict(X), model.predict(X))
            assert found.certificate_.verify(X, y).status is model.certificate_.status
            assert found.certificate_.verify(on_cluster(X, 2), on_cluster(y, 2)).status is model.certificate_.status


def test_warm_starts_go_on_from_the_last_solution():
    X, z = rows()
    Xd, yd = on_cluster(X, 3), on_cluster(targets(z, "two"), 3)
    machine = on.LogisticRegression(warm_start=True)
    first = machine.fit(Xd, yd).certificate_.iterations
    assert machine.fit(Xd, yd).certificate_.iterations < first


def test_reports_are_heard_and_may_stop_the_fit():
    X, z = rows()
    Xd, yd = on_cluster(X, 3), on_cluster(targets(z, "three"), 3)
    heard = []
    with pytest.warns(match="ended as 'interrupted'"):
        model = on.LinearSVC(loss="hinge", callback=lambda state: heard.append(state) or len(heard) > 3).fit(Xd, yd)
    assert len(heard) < 12 and {state["problem"] for state in heard} <= {f"{k} against the rest" for k in range(3)}
    assert str(model.certificate_.status) == "interrupted" and model.certificate_.relative_gap > 1e-4


def test_a_budget_that_is_too_small_is_said():
    X, z = rows()
    with pytest.warns(match="budget exhausted"):
        model = on.LogisticRegression(max_iter=1, tol=1e-8).fit(on_cluster(X, 2), on_cluster(targets(z, "two"), 2))
    assert model.certificate_.dual <= model.certificate_.primal and model.fit_status_ == 1


def test_columns_of_very_different_sizes():
    X, z = rows()
    X = X * np.array([1e-4, 1.0, 1e4, 1e2, 0.0]) + np.array([0, 0, 1e5, 0, 3.0])
    y = targets(z, "two")
    for loss in ("hinge", "squared_hinge"):
        model = on.LinearSVC(loss=loss).fit(on_cluster(X, 3), on_cluster(y, 3))
        agree(model.certificate_, svm.LinearSVC(loss=loss, max_iter=None).fit(X, y).certificate_)


def test_few_rows_within_the_width():
    """Targets without noise, and a tight tolerance: a width that falls to zero stalls there."""
    X, _ = rows(1000)
    z = 2 * X[:, 0] + 1
    Xd, zd = on_cluster(X, 4), on_cluster(z, 4)
    model = on.LinearSVR(epsilon=0.1).fit(Xd, zd)
    agree(model.certificate_, svm.LinearSVR(epsilon=0.1).fit(X, z).certificate_)
    y = targets(X[:, 0] + 0.5 * X[:, 1] ** 2 - 0.3, "two")
    tight = on.LinearSVC(loss="hinge", tol=1e-9).fit(Xd, on_cluster(y, 4))
    for fitted, t in ((model, z), (tight, y)):
        for found in (fitted.certificate_.verify(Xd, on_cluster(t, 4)), fitted.certificate_.verify(X, t)):
            assert str(found.status) == "converged"
    assert tight.certificate_.relative_gap <= 1e-9
