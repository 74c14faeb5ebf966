"""Preparation steps, pipelines and columns of data frames as ONNX graphs."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from maxmargin.ensemble import RandomForestClassifier
from maxmargin.linear_model import LogisticRegression, Ridge
from maxmargin.persistence import to_onnx
from maxmargin.svm import SVC
from maxmargin.tables import ColumnReader, make_preparation
from maxmargin.tree import DecisionTreeClassifier

pytest.importorskip("onnx")

NUMERIC = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler((-1, 1)),
    MinMaxScaler(clip=True),
    MaxAbsScaler(),
    RobustScaler(),
    RobustScaler(with_centering=False),
    FunctionTransformer(),
    PolynomialFeatures(3),
    PolynomialFeatures(2, interaction_only=True, include_bias=False),
    PolynomialFeatures((2, 3)),
]
ROUNDED = [Normalizer(), Normalizer("l1"), Normalizer("max"), PCA(2), PCA(3, whiten=True)]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    Q = np.concatenate([X[::5], X.mean(axis=0) + 2 * rng.normal(size=(60, 4)), np.zeros((1, 4))])
    return X, y, Q


@pytest.mark.parametrize("step", [*NUMERIC, *ROUNDED], ids=str)
def test_steps_before_a_kernel_machine(step, iris, onnx_agrees):
    X, y, Q = iris
    onnx_agrees(make_pipeline(step, SVC()).fit(X, y), Q)


@pytest.mark.parametrize("step", NUMERIC, ids=str)
def test_steps_are_exact_where_a_tree_splits(step, iris, onnx_agrees):
    """A tree of the prepared training rows: each of them lies within one rounding of a threshold, or far from all."""
    X, y, Q = iris
    onnx_agrees(make_pipeline(step, DecisionTreeClassifier()).fit(X, y), np.concatenate([X, Q]), exact=True)


def test_one_column(iris, onnx_agrees):
    """A scale of one number must not end up in float32."""
    X, y, Q = iris
    for step in (StandardScaler(), MinMaxScaler(), PCA(1, whiten=True)):
        onnx_agrees(make_pipeline(step, LogisticRegression()).fit(X[:, 2:3], y), Q[:, 2:3])
        onnx_agrees(make_pipeline(step, Ridge(fit_intercept=False)).fit(X[:, 2:3], X[:, 0]), Q[:, 2:3])
        onnx_agrees(make_pipeline(step, SVC(kernel="linear")).fit(X[:, 2:3], y), Q[:, 2:3])


@pytest.mark.parametrize(
    "imputer",
    [
        SimpleImputer(),
        SimpleImputer(strategy="median", add_indicator=True),
        SimpleImputer(strategy="most_frequent"),
        SimpleImputer(strategy="constant", fill_value=3.0),
        SimpleImputer(keep_empty_features=True),
        MissingIndicator(features="all"),
    ],
    ids=str,
)
@pytest.mark.parametrize("sign", [np.nan, -1.0])
def test_missing_values(imputer, sign, iris, onnx_agrees):
    X, y, Q = iris
    rng = np.random.default_rng(1)
    X, Q = (np.where(rng.random(Z.shape) < 0.2, sign, Z) for Z in (np.abs(X), np.abs(Q)))
    X[:, 3] = sign  # a column without any value
    step = imputer.set_params(missing_values=sign)
    with pytest.warns(UserWarning, match="Skipping features") if _drops(step) else _nothing():
        model = make_pipeline(step, LogisticRegression()).fit(X, y)
        onnx_agrees(model, Q)


def _drops(step):
    return isinstance(step, SimpleImputer) and not step.keep_empty_features


class _nothing:  # noqa: N801
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


# -------------------------------------------------------------------- categories as numbers


@pytest.fixture(scope="module")
def codes():
    rng = np.random.default_rng(0)
    X = rng.choice(4, size=(150, 3), p=[0.4, 0.3, 0.25, 0.05]).astype(float)
    X[::7, 1] = np.nan
    Q = rng.integers(0, 6, size=(80, 3)).astype(float)
    Q[::5] = np.nan
    return X, (X[:, 0] + np.nan_to_num(X[:, 1]) > 1).astype(int), Q


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(handle_unknown="ignore"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        OneHotEncoder(handle_unknown="ignore", drop=[0.0, 0.0, 0.0]),
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=20),
        OneHotEncoder(handle_unknown="ignore", max_categories=3),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2),
        OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2, min_frequency=20
        ),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_encoders_with_unseen_and_missing_categories(encoder, codes, onnx_agrees):
    X, y, Q = codes
    onnx_agrees(make_pipeline(encoder, LogisticRegression()).fit(X, y), Q)


@pytest.mark.parametrize("encoder", [OneHotEncoder(), OneHotEncoder(drop="if_binary"), OrdinalEncoder()], ids=str)
def test_encoders_that_refuse_what_they_have_not_seen(encoder, codes, onnx_agrees, run_onnx):
    X, y, _ = codes
    X = np.nan_to_num(X)
    model = make_pipeline(encoder, LogisticRegression()).fit(X, y)
    onnx_agrees(model, X)
    with pytest.raises(Exception, match="known categories of encoded column 1"):
        run_onnx(to_onnx(model), [[0.0, 99.0, 0.0]])


def test_encoder_fitted_on_a_frame_is_left_as_it_was(codes, onnx_agrees):
    X, y, _ = codes
    frame = pd.DataFrame(np.nan_to_num(X), columns=list("abc"))
    encoder = OneHotEncoder(sparse_output=False).set_output(transform="pandas")
    model = make_pipeline(encoder, LogisticRegression()).fit(frame, y)
    onnx_agrees(model, frame, {"X": frame.to_numpy()})
    assert list(encoder.feature_names_in_) == ["a", "b", "c"]
    assert isinstance(encoder.transform(frame), pd.DataFrame)


# -------------------------------------------------------------------- some of the columns


def test_steps_for_some_of_the_columns(iris, onnx_agrees):
    X, y, Q = iris
    several = make_pipeline(SimpleImputer(), MinMaxScaler())
    for remainder in ("passthrough", "drop", RobustScaler()):
        parts = [("a", StandardScaler(), [3, 0]), ("b", "drop", [2]), ("c", several, slice(1, 2)), ("d", PCA(1), [])]
        onnx_agrees(make_pipeline(ColumnTransformer(parts, remainder=remainder), SVC()).fit(X, y), Q)
    mask = np.array([True, False, False, True])
    onnx_agrees(make_pipeline(ColumnTransformer([("a", StandardScaler(), mask)]), SVC()).fit(X, y), Q)


def test_columns_by_name(iris, onnx_agrees):
    X, y, Q = iris
    names = ["a", "b", "c", "d"]
    step = ColumnTransformer([("x", StandardScaler(), ["c", "a"])], remainder="passthrough")
    model = make_pipeline(step, SVC()).fit(pd.DataFrame(X, columns=names), y)
    onnx_agrees(model, pd.DataFrame(Q, columns=names), {"X": Q})
    step = ColumnTransformer([("x", StandardScaler(), slice("b", "c"))], remainder="passthrough")
    model = make_pipeline(step, SVC()).fit(pd.DataFrame(X, columns=names), y)
    onnx_agrees(model, pd.DataFrame(Q, columns=names), {"X": Q})


def test_pipelines_within_pipelines(iris, onnx_agrees):
    X, y, Q = iris
    inner = Pipeline([("scale", StandardScaler()), ("nothing", "passthrough"), ("none", None)])
    onnx_agrees(make_pipeline(inner, "passthrough", make_pipeline(PCA(3), SVC())).fit(X, y), Q)
    onnx_agrees(Pipeline([("nothing", "passthrough"), ("machine", SVC())]).fit(X, y), Q)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.lists(st.integers(0, len(NUMERIC) - 4), min_size=1, max_size=3))
def test_random_chains(seed, chosen):
    onnxruntime = pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(40, 3)), 1) * 10.0 ** rng.integers(-2, 3)
    y = rng.integers(0, 3, 40)
    model = make_pipeline(*[NUMERIC[k] for k in chosen], RandomForestClassifier(3, random_state=0)).fit(X, y)
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    label, shares = session.run(None, {"X": X})
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_array_equal(shares, model.predict_proba(X))


# -------------------------------------------------------------------- data frames


def _frame(n, seed):
    rng = np.random.default_rng(seed)
    born = np.datetime64("1950-01-01") + rng.integers(0, 30_000, n).astype("m8[D]")
    table = pd.DataFrame(
        {
            "city": rng.choice(["Rome", "Oslo", "Bern"], n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 10, n)),
            "label": rng.normal(size=n),
            "member": rng.random(n) < 0.5,
            "born": born.astype("M8[us]"),
            "seen": [datetime(2020, 2, 28) + timedelta(minutes=int(m)) for m in rng.integers(0, 10**6, n)],
            "grade": rng.integers(0, 4, n),
            "same": 1.0,
        }
    )
    table.loc[3, "born"] = pd.NaT
    table.loc[4, "city"] = None
    return table


def _feed(table, names):
    """The columns as a user of the graph gives them."""
    feed = {}
    for name in names:
        column = table[name]
        if name == "city":
            values = np.array([value if isinstance(value, str) else "" for value in column], dtype=object)
        elif name in ("born", "seen"):
            stamps = column.astype("M8[us]").astype("int64").to_numpy()
            values = np.where(column.isna(), np.nan, stamps / 86_400_000_000)
        else:
            values = column.to_numpy(dtype=float)
        feed["X.label" if name == "label" else name] = values[:, None]
    return feed


@pytest.mark.filterwarnings("ignore::maxmargin.tables.UnseenValuesWarning")  # two values are unseen on purpose
@pytest.mark.parametrize("scale", [True, False])
def test_pipelines_that_read_columns(scale, onnx_agrees):
    table, new = _frame(200, 0), _frame(60, 1)
    new.loc[10:14, "city"] = "Paris"  # unseen
    new.loc[20:22, "grade"] = 9  # unseen
    y = np.where((table["city"] == "Rome") ^ (table["age"] > 41), "yes", "no")
    estimator = SVC() if scale else RandomForestClassifier(8, random_state=0)
    model = make_pipeline(make_preparation(table, scale=scale, kinds={"grade": "category"}), estimator).fit(table, y)
    names = ["city", "age", "label", "member", "born", "seen", "grade"]  # without the constant one
    onnx_agrees(model, new, _feed(new, names), exact=not scale)
    assert [info.name for info in to_onnx(model).graph.input] == list(_feed(new, names))


@pytest.mark.parametrize("name", ["", "constant#1"])
def test_names_that_no_input_can_have(name):
    table = pd.DataFrame({name: [1.0, 2.0, 3.0] * 5, "age": np.arange(15.0)})
    model = make_pipeline(ColumnReader(kinds={name: "number"}), Ridge()).fit(table, np.arange(15.0))
    with pytest.raises(ValueError, match="cannot be an input of an ONNX graph; rename it"):
        to_onnx(model)


def test_truths_as_categories_and_numbers_in_text(onnx_agrees):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"flag": rng.random(60) < 0.5, "text": [f"{v:.3f}" for v in rng.normal(size=60)]})
    reader = ColumnReader(kinds={"flag": "category", "text": "number"})
    model = make_pipeline(reader, DecisionTreeClassifier(max_depth=3)).fit(table, table["flag"].astype(int))
    feed = {"flag": table["flag"].to_numpy(float)[:, None], "text": table["text"].astype(float).to_numpy()[:, None]}
    onnx_agrees(model, table, feed, exact=True)


def test_parts_of_dates_over_two_thousand_years(run_onnx):
    from onnx import helper

    from maxmargin.persistence._onnx_graph import IR_VERSION, OPSET, Graph
    from maxmargin.persistence._onnx_preparation import _date_parts
    from maxmargin.tables._column_reader import _date_parts as parts

    days = np.arange(-400_000.0, 400_000.0, 5.3)
    days[7] = np.nan
    graph = Graph()
    out = graph.concat(_date_parts(graph, graph.input("X", float, 1), True))
    opset = [helper.make_opsetid("", OPSET)]
    written = helper.make_model(graph.finish({"value": (out, ["N", 4])}), opset_imports=opset, ir_version=IR_VERSION)
    np.testing.assert_array_equal(run_onnx(written, days[:, None])["value"], np.column_stack(parts(days, True)))
