"""Free text becomes numbers of its words, in the reader, in files, and for the machines that can learn from them."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.persistence import ModelFileError, load, save, to_onnx
from maxmargin.tables import ColumnReader, DenseRows, TableError, feature_names, make_preparation
from maxmargin.training import TrainingError, check, train


@parametrize_with_checks([DenseRows()])
def test_dense_rows_are_a_transformer(estimator, check):
    check(estimator)


def _reviews(rows=300, seed=0):
    """Ten words each, two of which tell the answer nine times of ten; a number and a city tell nothing."""
    generator = np.random.default_rng(seed)
    said = {"yes": ["great", "lovely", "élégant"], "no": ["awful", "poor", "перебор"]}
    y = generator.choice(["yes", "no"], rows)
    texts = [
        " ".join([*generator.choice([f"word{i}" for i in range(60)], 8), *generator.choice(said[label], 2)])
        for label in y
    ]
    y = np.where(generator.random(rows) < 0.1, np.where(y == "yes", "no", "yes"), y)
    city = generator.choice(["Rome", "Oslo"], rows)
    return pd.DataFrame({"отзыв, review": texts, "x": generator.normal(size=rows), "city": city, "y": y})


@pytest.fixture(scope="module")
def reviews():
    return _reviews()


def test_words_are_weighed_as_tfidf(reviews):
    texts = reviews["отзыв, review"]
    reader = ColumnReader().fit(reviews[["отзыв, review"]])
    theirs = TfidfVectorizer(min_df=2, sublinear_tf=True)
    np.testing.assert_allclose(
        reader.transform(reviews[["отзыв, review"]]).toarray(), theirs.fit_transform(texts).toarray()
    )
    assert list(reader.columns_[0].levels) == list(theirs.get_feature_names_out())
    assert reader.get_feature_names_out()[0].startswith("отзыв, review: ")
    assert reader.columns_[0].reason == f"free text: {len(theirs.vocabulary_)} words"


@pytest.mark.parametrize("library", [pa.Table.from_pandas, pl.from_pandas])
def test_all_libraries_give_the_same(library, reviews):
    X = reviews.drop(columns="y")
    preparation = make_preparation(X).fit(X)
    Z = preparation.transform(X)
    assert sp.issparse(Z) and Z.shape[1] == len(feature_names(preparation))
    assert (preparation.transform(library(X)) != Z).nnz == 0
    numbers = dict(zip(feature_names(preparation), Z.toarray().T, strict=True))
    np.testing.assert_allclose(numbers["x"].std(), 1)
    np.testing.assert_array_equal(numbers["city=Rome"], X["city"] == "Rome")


def test_trees_are_not_given_the_words(reviews):
    X = reviews.drop(columns="y")
    assert feature_names(make_preparation(X, scale=False).fit(X)) == ["x", "city=Oslo", "city=Rome"]


def test_texts_that_are_missing_or_new_are_rows_of_zeros(reviews):
    X = reviews[["отзыв, review"]].copy()
    X.loc[3, "отзыв, review"] = None
    reader = ColumnReader().fit(X)
    assert reader.columns_[0].missing == 1 and reader.transform(X)[[3]].nnz == 0
    assert reader.transform(pd.DataFrame({"отзыв, review": ["nothing known here", ""]})).nnz == 0
    with pytest.raises(TableError, match="holds numbers, and held text"):
        reader.transform(pd.DataFrame({"отзыв, review": [1.0]}))


def test_what_is_text_can_be_said():
    table = pd.DataFrame({"title": ["red car", "red bus", "old car", "new bus"] * 3, "n": range(12)})
    assert ColumnReader().fit(table).columns_[0].kind == "category"
    reader = ColumnReader(kinds={"title": "text"}).fit(table)
    assert reader.columns_[0].levels == ("bus", "car", "new", "old", "red")
    with pytest.raises(TableError, match="Column 'n' holds numbers, which have no words"):
        ColumnReader(kinds={"n": "text"}).fit(table)
    lonely = pd.DataFrame({"t": [f"a{i} b{i} c{i} d{i}" for i in range(20)], "n": np.arange(20) % 3})
    assert ColumnReader().fit(lonely).columns_[0].kind == "drop"


def test_a_reader_can_be_cloned_and_fitted_on_a_part(reviews):
    X = reviews.drop(columns="y")
    preparation = make_preparation(X)
    part = clone(preparation).fit(X[:100])
    assert part.transform(X).shape == (300, len(feature_names(part)))


# ---------------------------------------------------------------- learnt from, saved, checked


def test_a_table_of_text_is_learnt_by_linear_machines(reviews, tmp_path):
    training = train(reviews, "y")
    notes = {row.family: row.note for row in training.candidates if not row.judged}
    assert notes == {
        name: "left out: not tried on the words of free text; name it as model= to train it"
        for name in ("knn", "adaboost")
    }
    assert training.scores["accuracy"].low > 0.7 and training.family in ("linear", "logistic", "svc")
    account = json.loads(json.dumps(training.provenance()))
    save(training.model, tmp_path / "m.mm", provenance=account)
    model = load(tmp_path / "m.mm")
    np.testing.assert_array_equal(model.predict(reviews), training.model.predict(reviews))
    assert check(model, account, reviews).holds
    with pytest.raises(
        ValueError, match="column 'отзыв, review' is free text, whose words cannot be told apart in ONNX"
    ):
        to_onnx(training.model, tmp_path / "m.onnx")


def test_text_alone(reviews):
    only = reviews[["отзыв, review", "y"]]
    training = train(only, "y", model="tree,linear")
    assert {row.family: row.note for row in training.candidates}["tree"] == (
        "left out: it is not given the words of free text"
    )
    with pytest.raises(TrainingError, match="it is not given the words"):
        train(only, "y", model="tree")


def test_a_file_whose_words_do_not_fit_is_refused(reviews, tmp_path):
    model = train(reviews, "y", model="logistic", C=1.0).model
    reader = model["prepare"]["read"]
    plan = reader.columns_[0]
    for broken in (
        {"weights": plan.weights[:-1]},
        {"weights": (-1.0, *plan.weights[1:])},
        {"levels": (), "weights": ()},
        {"levels": plan.levels[:-1], "weights": plan.weights[:-1]},
    ):
        reader.columns_ = (type(plan)(**{**vars(plan), **broken}), *reader.columns_[1:])
        with pytest.raises((ModelFileError, ValueError)):
            save(model, tmp_path / "broken.mm")
            load(tmp_path / "broken.mm")
        (tmp_path / "broken.mm").unlink(missing_ok=True)
