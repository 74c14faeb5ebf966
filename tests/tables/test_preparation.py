"""The pipeline from a table to the numbers of a model."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from maxmargin.svm import LinearSVC
from maxmargin.tables import SparseTable, UnseenValuesWarning, feature_names, make_preparation


def test_names_and_numbers(mixed):
    preparation = make_preparation(mixed).fit(mixed)
    Z = preparation.transform(mixed)
    names = feature_names(preparation)
    assert Z.shape == (24, len(names))
    assert Z.dtype == np.float64
    assert np.isfinite(Z).all()
    dates = ["day", "day month", "day weekday", "when", "when month", "when weekday", "when hour"]
    holes = ["age missing", "size missing", "ok missing", "when missing"]
    cities = ["city=Oslo", "city=Oslo, N", "city=Rome", 'city=the "Hague"', "city missing"]
    assert names == ["age", "size", "ok", *dates, *holes, *cities]
    column = dict(zip(names, Z.T, strict=True))
    np.testing.assert_array_equal(column["age missing"], [value is None for value in mixed["age"].to_pylist()])
    np.testing.assert_array_equal(column["city=Rome"], [value == "Rome" for value in mixed["city"].to_pylist()])
    np.testing.assert_array_equal(column["city missing"], [value is None for value in mixed["city"].to_pylist()])
    np.testing.assert_allclose([column[name].mean() for name in dates], 0, atol=1e-12)
    np.testing.assert_allclose([column[name].std() for name in dates], 1)


def test_without_scaling(mixed):
    preparation = make_preparation(mixed, scale=False).fit(mixed)
    Z = preparation.transform(mixed)
    column = dict(zip(feature_names(preparation), Z.T, strict=True))
    np.testing.assert_array_equal(column["age"], np.array(mixed["age"].to_pylist(), dtype=float))
    assert "age missing" not in column


def test_what_has_not_been_seen(mixed):
    """Unknown levels are zeros, new gaps are filled in, in columns that had none as well."""
    preparation = make_preparation(mixed).fit(mixed)
    names = feature_names(preparation)
    other = mixed.slice(0, 2).set_column(1, "city", [["Atlantis", None]])
    other = other.set_column(5, "day", pa.nulls(2, pa.timestamp("us")))
    with pytest.warns(UnseenValuesWarning, match="'city' has values that no training row had \\('Atlantis'\\)"):
        Z = preparation.transform(other)
    assert np.isfinite(Z).all()
    cities = [j for j, name in enumerate(names) if name.startswith("city")]
    np.testing.assert_array_equal(Z[:, cities], [[0, 0, 0, 0, 0], [0, 0, 0, 0, 1]])


def test_rare_levels_share_a_column():
    table = pa.table({"c": ["a"] * 20 + ["b"] * 20 + ["u", "v"], "x": np.arange(42.0)})
    preparation = make_preparation(table).fit(table)
    assert feature_names(preparation) == ["x", "c=a", "c=b", "c=(other)"]
    unknown = preparation.transform(pa.table({"c": ["w"], "x": [0.0]}))
    np.testing.assert_array_equal(unknown[0, 1:], [0, 0, 1])


def test_folds_have_the_same_columns():
    """A column that is constant or empty in a fold stays: it was not so in the whole table."""
    half = [None] * 10
    table = pa.table(
        {
            "empty in a fold": half + [float(i) for i in range(10)],
            "constant in a fold": [1.0] * 10 + [float(i) for i in range(10)],
            "text": ["a"] * 10 + ["b", "c"] * 5,
            "day": pa.array([0] * 10 + list(range(10)), pa.date32()),
        }
    )
    preparation = make_preparation(table)
    whole = clone(preparation).fit(table)
    part = clone(preparation).fit(table.slice(0, 10))
    kinds = [[plan.kind for plan in fitted["read"].columns_] for fitted in (whole, part)]
    assert kinds[0] == kinds[1] == ["number", "number", "category", "date"]
    with pytest.warns(UnseenValuesWarning, match="'b', 'c'"):
        assert np.isfinite(part.transform(table)).all()
    assert feature_names(part)[:6] == feature_names(whole)[:6]


def test_wide_categories_are_sparse():
    rng = np.random.default_rng(0)
    table = pa.table(
        {name: [f"{name}{i}" for i in rng.integers(0, 90, 2000)] for name in "abc"} | {"x": rng.normal(size=2000)}
    )
    Z = make_preparation(table).fit_transform(table)
    assert sp.issparse(Z)
    assert Z.shape == (2000, 271)
    dense = make_preparation(table, max_levels=50).fit_transform(table)
    assert isinstance(dense, np.ndarray)


def test_sparse_table():
    table = SparseTable(sp.csr_array(np.array([[1.0, 0, 4], [0, 2, 2]])), np.array([1.0, -1.0]))
    preparation = make_preparation(table).fit(table.X)
    np.testing.assert_array_equal(preparation.transform(table.X).toarray(), [[1, 0, 1], [0, 1, 0.5]])
    assert feature_names(preparation) == ["x0", "x1", "x2"]
    assert (make_preparation(table, scale=False).fit_transform(table.X) != table.X).nnz == 0


@pytest.mark.parametrize("library", [pa.table, pl.DataFrame, pd.DataFrame])
def test_cross_validation(library):
    rng = np.random.default_rng(0)
    n = 120
    city = rng.choice(["Rome", "Oslo", "Bern"], n)
    x = rng.normal(size=n)
    y = np.where(x + (city == "Rome") > 0.3, "yes", "no")
    table = library({"x": np.where(rng.uniform(size=n) < 0.1, np.nan, x), "city": list(city), "id": list(range(n))})
    folds = KFold(3, shuffle=True, random_state=0)
    for scale, model in ((True, LinearSVC()), (False, DecisionTreeClassifier(max_depth=3, random_state=0))):
        scores = cross_val_score(make_pipeline(make_preparation(table, scale=scale), model), table, y, cv=folds)
        assert scores.min() > 0.8
