"""k-means on a cluster against that of one machine: the steps, the proof, the starts, and what is refused."""

from __future__ import annotations

import pickle

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

import maxmargin
import maxmargin.dask as on
from maxmargin.cluster import KMeans
from maxmargin.dask._kmeans_start import uniform
from maxmargin.messages import InputError

from .samples import on_cluster


def spread(seed=0, n=900, d=5, groups=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 1.5 * rng.integers(0, groups, size=(n, 1))


def start_of(X, k, seed=1):
    return X[np.random.default_rng(seed).choice(len(X), k, replace=False)]


def same_steps(model, own):
    assert type(model) is KMeans and set(vars(model)) == set(vars(own))
    assert model.n_iter_ == own.n_iter_ and model.certificate_.status is own.certificate_.status
    assert model.inertia_ == pytest.approx(own.inertia_, rel=1e-12)
    np.testing.assert_array_equal(model.labels_, own.labels_)
    np.testing.assert_allclose(model.cluster_centers_, own.cluster_centers_, atol=1e-10)
    np.testing.assert_allclose(model.inertia_history_, own.inertia_history_, rtol=1e-9)


@pytest.mark.parametrize(("k", "tol"), [(1, 0.0), (7, 0.0), (7, 1e-2), (60, 0.0)])
def test_same_start_same_steps(k, tol):
    X = spread()
    start = start_of(X, k)
    own = KMeans(k, init=start, tol=tol).fit(X)
    for parts in (1, 2, 7):
        Xd = on_cluster(X, parts)
        model = on.KMeans(k, init=start, tol=tol).fit(Xd)
        same_steps(model, own)
        for fitted in (model, own):
            claimed = fitted.certificate_
            for found in (claimed.verify(Xd), claimed.verify(X), on.verify(fitted, Xd)):
                assert found.status is claimed.status and found.holds == claimed.holds
                for name, figure in claimed.figures.items():
                    assert found.figures[name] == pytest.approx(figure, rel=1e-9, abs=1e-9), name
    assert own.certificate_.holds and k * len(X) * model.n_iter_ >= model.n_distances_


def test_nothing_is_remembered_where_there_is_no_room(monkeypatch):
    X = spread()
    start = start_of(X, 7)
    own = KMeans(7, init=start, tol=0).fit(X)
    monkeypatch.setattr("maxmargin.dask._cluster.Cluster.has_room", lambda self, size: size == 0)
    model = on.KMeans(7, init=start, tol=0).fit(on_cluster(X, 4))
    assert model.inertia_ == pytest.approx(own.inertia_, rel=1e-12)
    np.testing.assert_array_equal(model.labels_, own.labels_)
    assert model.n_distances_ == (model.n_iter_ + 1) * len(X) * 7 and model.certificate_.holds
    drawn = on.KMeans(7, random_state=0).fit(on_cluster(X, 4)).inertia_
    monkeypatch.undo()
    assert drawn == pytest.approx(on.KMeans(7, random_state=0).fit(on_cluster(X, 4)).inertia_, rel=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_blocks_and_weights(dtype):
    rng = np.random.default_rng(0)
    X = (rng.poisson(0.3, size=(600, 20)) * (1 + rng.integers(0, 4, size=(600, 1))) + 0.0).astype(dtype)
    weights = rng.exponential(size=600)
    weights[::7], weights[150:300] = 0, 0  # a whole partition
    start = start_of(X, 9)
    Xd, wd = on_cluster(X, 4).map_blocks(sp.csr_array), on_cluster(weights, 4)
    own = KMeans(9, init=start, tol=0).fit(sp.csr_array(X), sample_weight=weights)
    model = on.KMeans(9, init=start, tol=0).fit(Xd, sample_weight=wd)
    assert model.cluster_centers_.dtype == dtype
    assert model.inertia_ == pytest.approx(own.inertia_, rel=1e-5 if dtype is np.float32 else 1e-12)
    for fitted in (model, own):
        assert fitted.certificate_.verify(Xd, sample_weight=wd).holds
        assert fitted.certificate_.verify(sp.csr_array(X), sample_weight=weights).holds
        assert not fitted.certificate_.verify(Xd).holds
    assert (model.predict(Xd).compute() == model.predict(sp.csr_array(X))).all()


def test_float32_blocks():
    X = spread().astype(np.float32)
    start = start_of(X, 20)
    own, model = KMeans(20, init=start, tol=0).fit(X), on.KMeans(20, init=start, tol=0).fit(on_cluster(X, 4))
    assert model.cluster_centers_.dtype == np.float32 and model.certificate_.holds
    assert model.inertia_ == pytest.approx(own.inertia_, rel=1e-4)
    assert model.certificate_.verify(X).holds and own.certificate_.verify(on_cluster(X, 4)).holds


@pytest.mark.parametrize("parts", [1, 3])
def test_centres_without_points_move_to_the_farthest(parts):
    X = spread(n=300)
    start = np.vstack([start_of(X, 4), np.full((3, 5), 1e3), np.full((1, 5), -1e3)])
    own = KMeans(8, init=start, tol=0).fit(X)
    model = on.KMeans(8, init=start, tol=0).fit(on_cluster(X, parts))
    assert model.certificate_.holds and len(np.unique(model.labels_)) == 8
    assert model.inertia_ == pytest.approx(own.inertia_, rel=1e-12)  # whichever of them goes to which point


def test_fewer_distinct_rows_than_centres():
    X = np.repeat(np.arange(3.0), 20)[:, None]
    for init in ("k-means++", "random", np.zeros((5, 1))):
        with pytest.warns(match="Number of distinct clusters"):
            model = on.KMeans(5, init=init, n_init=1, random_state=0).fit(on_cluster(X, 4))
        assert model.inertia_ == 0 and model.certificate_.holds
        assert model.certificate_.verify(on_cluster(X, 2)).holds


def test_partitions_of_one_row_and_none():
    X = spread(n=30)
    chunks = (1,) * 20 + (0, 10, 0)
    Xd = da.from_array(X, chunks=(chunks, 5))
    assert Xd.chunks[0] == chunks
    start = X[:4].copy()
    same_steps(on.KMeans(4, init=start, tol=0).fit(Xd), KMeans(4, init=start, tol=0).fit(X))
    for init in ("k-means++", "random"):
        assert on.KMeans(4, init=init, tol=0, random_state=0).fit(Xd).certificate_.holds


def test_rows_are_drawn_alike_however_they_are_divided():
    X = spread()
    for init in ("k-means++", "random"):
        found = [
            on.KMeans(12, init=init, n_init=2, random_state=3).fit(on_cluster(X, parts)).inertia_ for parts in (1, 2, 7)
        ]
        assert found == pytest.approx([found[0]] * 3, rel=1e-9)


def test_random_numbers_belong_to_rows_and_are_uniform():
    u = uniform(5, 0, 100_000)
    np.testing.assert_array_equal(uniform(5, 300, 50), u[300:350])
    assert 0 < u.min() and u.max() < 1 and np.unique(u).size == u.size
    np.testing.assert_allclose(np.histogram(u, 20, (0, 1))[0], 5000, atol=350)
    for other in (uniform(6, 0, 100_000), np.roll(u, 1)):
        assert abs(np.corrcoef(u, other)[0, 1]) < 0.015


def test_starts_are_as_good_as_those_of_one_machine():
    rng = np.random.default_rng(0)
    centres = 20 * rng.normal(size=(15, 4))
    X = centres[rng.integers(0, 15, 3000)] + rng.normal(size=(3000, 4))
    found = [on.KMeans(15, random_state=seed).fit(on_cluster(X, 3)).inertia_ for seed in range(4)]
    own = [KMeans(15, random_state=seed).fit(X).inertia_ for seed in range(4)]
    assert np.mean(found) <= 1.1 * np.mean(own)


def test_rows_of_weight_zero_are_never_drawn():
    X, weights = spread(), np.ones(900)
    X[::3], weights[::3] = 1e3, 0
    for init in ("k-means++", "random"):
        model = on.KMeans(6, init=init, n_init=1, random_state=1, max_iter=2).fit(
            on_cluster(X, 3), sample_weight=on_cluster(weights, 3)
        )
        assert np.abs(model.cluster_centers_).max() < 100


def test_changed_models_are_refuted():
    X = spread()
    Xd = on_cluster(X, 3)
    model = on.KMeans(5, init=X[:5], tol=0).fit(Xd)
    for name, value in (
        ("cluster_centers_", model.cluster_centers_ + 1e-3),
        ("labels_", np.roll(model.labels_, 1)),
        ("labels_", model.labels_ + 1),
        ("inertia_", 0.9 * model.inertia_),
        ("_origin", model._origin * np.nan),
        ("inertia_history_", model.inertia_history_[::-1]),
    ):
        changed = pickle.loads(pickle.dumps(model))
        setattr(changed, name, value)
        found = changed.certificate_.verify(Xd)
        assert str(found.status) == "refuted" and not found.holds, name
    assert str(model.certificate_.verify(on_cluster(X[::-1].copy(), 3)).status) == "refuted"
    with pytest.raises(ValueError, match="899"):
        model.certificate_.verify(on_cluster(X[:-1], 3))
    with pytest.raises(ValueError, match="4 features"):
        model.certificate_.verify(Xd[:, :4])


def test_the_model_is_free_of_the_cluster_and_can_be_saved(tmp_path):
    X = spread()
    estimator = on.KMeans(5, random_state=0, trace=True)
    model = estimator.fit(on_cluster(X, 3))
    maxmargin.save(model, tmp_path / "model")
    for found in (maxmargin.load(tmp_path / "model"), pickle.loads(pickle.dumps(estimator)), estimator):
        np.testing.assert_array_equal(found.predict(X), model.predict(X))
        assert found.certificate_.verify(on_cluster(X, 2)).holds
    assert len(model.trace_["inertia"]) == model.n_iter_
    np.testing.assert_array_equal(estimator.fit_predict(on_cluster(X, 3)), model.labels_)


def refused(X, *words, model=None, weights=None, error=InputError):
    with pytest.raises(error) as found:
        (model or on.KMeans(3, random_state=0)).fit(X, sample_weight=weights)
    for word in words:
        assert word in str(found.value), str(found.value)


def test_what_users_give_is_looked_at():
    X = spread()
    Xd = on_cluster(X, 3)
    refused(da.from_array(X, chunks=(100, 2)), "X = X.rechunk({1: -1})")
    refused(X, "dask.array.from_array")
    refused(Xd, "init must not be a function", model=on.KMeans(3, init=lambda X, k, random_state: X[:k]))
    refused(Xd, "does not match the number of clusters 3", model=on.KMeans(3, init=X[:4]), error=ValueError)
    refused(Xd, "number of features of the data 5", model=on.KMeans(3, init=X[:3, :2]), error=ValueError)
    refused(on_cluster(X[:2], 2), "n_samples=2 should be >= n_clusters=3", error=ValueError)
    refused(Xd, "no positive entry", weights=da.zeros(900, chunks=Xd.chunks[0]))
    gap = X.copy()
    gap[700, 1] = np.nan
    refused(on_cluster(gap, 3), "partition 2 of 3", "NaN")
    refused(da.from_array(X * 1e200, chunks=((0, 450, 450), 5)), "partition 1", "overflow")
    refused(Xd, "client must be a dask.distributed.Client", model=on.KMeans(3, client="tcp://somewhere"))
    with pytest.raises(InputError, match="partial_fit takes a batch"):
        on.KMeans(3).partial_fit(Xd)
    unknown = Xd[da.from_array(np.arange(900) % 2 == 0, chunks=Xd.chunks[0])]
    same_steps(on.KMeans(3, init=X[:3]).fit(unknown), KMeans(3, init=X[:3]).fit(X[::2]))


def test_blocks_of_several_kinds_and_data_frames():
    import dask
    import dask.dataframe as dd
    import pandas as pd

    X = spread(n=300)
    own = KMeans(3, init=X[:3], tol=0).fit(X)
    sparse = da.from_delayed(dask.delayed(sp.csr_array)(X[:150]), (150, 5), dtype=float)
    mixed = da.concatenate([sparse, da.from_array(X[150:])])
    single = da.concatenate([da.from_array(X[:100].astype(np.float32)), da.from_array(X[100:])])
    for rows in (mixed, single):
        model = on.KMeans(3, init=X[:3], tol=0).fit(rows)
        assert model.cluster_centers_.dtype == np.float64 and model.certificate_.verify(rows).holds
        assert model.inertia_ == pytest.approx(own.inertia_, rel=1e-5)
    table = pd.DataFrame(X, columns=list("abcde"))
    frame = dd.from_pandas(table, npartitions=4)
    frame = frame[frame.a > 0]  # lengths are not known any more
    model = on.KMeans(3, init=X[:3], tol=0).fit(frame)
    same_steps(model, KMeans(3, init=X[:3], tol=0).fit(table[table.a > 0]))
    assert list(model.feature_names_in_) == list("abcde") and model.certificate_.verify(frame).holds
    assert model.transform(frame).compute().shape == (len(model.labels_), 3)
