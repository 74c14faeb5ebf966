"""What users give a cluster: right answers or errors that say where and what to type."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

import maxmargin.dask as on
from maxmargin.messages import InputError

from .samples import on_cluster, rows, targets


def data(kind="two", parts=3):
    X, z = rows(300)
    return X, targets(z, kind), on_cluster(X, parts), on_cluster(targets(z, kind), parts)


def refused(X, y, *words, weights=None, model=None):
    with pytest.raises(InputError) as error:
        (model or on.LinearSVC()).fit(X, y, weights)
    for word in words:
        assert word in str(error.value), str(error.value)


def test_columns_in_chunks_are_refused_with_the_line_to_type():
    X, _, _, yd = data()
    refused(da.from_array(X, chunks=(100, 2)), yd, "X = X.rechunk({1: -1})")


def test_what_is_no_table_is_refused_by_name():
    import dask
    import dask.dataframe as dd
    import pandas as pd

    X, y, Xd, yd = data()
    refused(dask.delayed(X), yd, "X must be a dask array", "Delayed")
    refused(Xd, dask.delayed(y), "y must be a dask array", "Delayed")
    column = dd.from_pandas(pd.Series(X[:, 0]), npartitions=3)
    refused(column, yd, "X is a single column", "to_frame()")


def test_a_label_that_is_missing_in_a_frame():
    import dask.dataframe as dd
    import pandas as pd

    X, y, _, _ = data()
    labels = [pd.NA if k == 250 else label for k, label in enumerate(y)]
    table = pd.DataFrame(X, columns=list("abcde")).assign(label=pd.Series(labels, dtype="string"))
    frame = dd.from_pandas(table, npartitions=3)
    refused(frame[list("abcde")], frame.label, "partition 2 of 3", "1 missing labels")


def test_arrays_in_memory_are_refused_as_rows_and_taken_as_labels():
    X, y, Xd, yd = data()
    refused(X, yd, "dask.array.from_array")
    found, expected = on.LinearSVC().fit(Xd, y, np.ones(len(y))), on.LinearSVC().fit(Xd, yd)
    np.testing.assert_array_equal(found.coef_, expected.coef_)


def test_partitions_of_y_that_differ():
    _, y, Xd, yd = data()
    other = on.LinearSVC().fit(Xd, on_cluster(y, 5))
    np.testing.assert_array_equal(other.coef_, on.LinearSVC().fit(Xd, yd).coef_)
    refused(Xd, on_cluster(y[:-1], 3), "y has 299 entries", "300 rows")
    unknown = Xd[da.from_array(np.ones(300, dtype=bool), chunks=Xd.chunks[0])]
    refused(unknown, on_cluster(y, 2), "y has 2 partitions", "X has 3")
    refused(unknown, y, "X.compute_chunk_sizes()")
    refused(unknown, on_cluster(y[:-5], 3), "partition 0 of 3", "rows: they must be as many")


@pytest.mark.parametrize("value, word", [(np.nan, "NaN"), (np.inf, "inf")])
def test_the_partition_of_a_gap_is_named(value, word):
    X, y, _, yd = data()
    X[250, 2] = value
    refused(on_cluster(X, 3), yd, "partition 2 of 3", word)
    X, y, Xd, _ = data("number")
    y[150] = value
    refused(Xd, on_cluster(y, 3), "partition 1 of 3", "y contains", model=on.LinearSVR())


def test_labels_and_weights_that_will_not_do():
    _, y, Xd, yd = data()
    refused(Xd, da.zeros(300, chunks=Xd.chunks[0]), "one class alone in all partitions")
    refused(Xd, on_cluster(np.random.default_rng(0).normal(size=300), 3), "partition 0")
    refused(Xd, yd, "partition 1 of 3", "Negative values", weights=on_cluster(-1.0 * (np.arange(300) > 150), 3))
    refused(Xd, yd, "no positive entry", weights=da.zeros(300, chunks=Xd.chunks[0]))
    with pytest.raises(ValueError, match="same class"):
        on.LinearSVC().fit(Xd, yd, on_cluster((y == "yes").astype(float), 3))


def test_a_class_may_be_missing_in_partitions_and_partitions_may_be_empty():
    X, y, _, _ = data("three")
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    chunks = (60, 0, 90, 150, 0)
    Xd = da.concatenate(
        [da.from_array(part) if len(part) else da.zeros((0, 5)) for part in np.split(X, np.cumsum(chunks)[:-1])]
    )
    yd = da.from_array(y, chunks=(chunks,))
    model = on.LinearSVC().fit(Xd, yd)
    assert model.classes_.tolist() == [0, 1, 2] and str(model.certificate_.status) == "converged"
    assert str(model.certificate_.verify(X, y).status) == "converged"
    assert model.predict(Xd).compute().shape == (300,)
    refused(da.zeros((0, 5)), da.zeros(0), "X has no rows")


def test_clients_that_will_not_do():
    _, _, Xd, yd = data()
    refused(Xd, yd, "client must be a dask.distributed.Client", "str", model=on.LinearSVC(client="tcp://somewhere"))


@pytest.mark.parametrize(
    "params",
    [{"C": np.inf}, {"penalty": "l1"}, {"multi_class": "crammer_singer"}, {"solver": "sgd"}, {"trace": True}],
)
def test_what_a_cluster_does_not_do_is_said(params):
    _, _, Xd, yd = data()
    refused(Xd, yd, "maxmargin.dask.LinearSVC does not take", model=on.LinearSVC(**params))


def test_more_refusals():
    _, _, Xd, yd = data("number")
    refused(Xd, yd, "alpha must be above 0", model=on.Ridge(alpha=0))
    refused(Xd, yd, "svd", model=on.Ridge(solver="svd"))
    wide, few = da.zeros((10, 4000), chunks=(5, 4000)), da.zeros(10, chunks=5)
    refused(wide, few, "4000 features", "3000", "sparse_cg", model=on.Ridge(solver="cholesky"))
    with pytest.raises(InputError, match="cannot be verified on a cluster"):
        on.verify(__import__("sklearn").linear_model.Ridge().fit([[0.0], [1.0]], [0, 1]), Xd, yd)
