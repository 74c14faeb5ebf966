"""The smallest change is on the boundary, nothing shorter flips, and it is told in the units of the data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from maxmargin.explanation import explain_model, explain_row
from maxmargin.linear_model import LinearClassifier, LogisticRegression, Perceptron
from maxmargin.svm import SVC, LinearSVC
from maxmargin.tables import make_preparation

LINEAR = [
    SVC(kernel="linear"),
    LinearSVC(penalty="l1", C=0.1),
    LogisticRegression(),
    Perceptron(variant="averaged", tol=None),
]


@pytest.mark.parametrize("estimator", LINEAR, ids=repr)
def test_closed_form_of_two_classes(cancer, estimator):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
    model, scaler = pipeline[-1], pipeline[0]
    for i in (3, 20, 101):
        z = scaler.transform(X[i : i + 1])[0]
        w, f = np.ravel(model.coef_), pipeline.decision_function(X[i : i + 1])[0]
        flip = explain_row(pipeline, X[i : i + 1]).flip
        np.testing.assert_allclose(flip.point, z - f * w / (w @ w), atol=1e-9)
        assert abs(model.decision_function(flip.point[None])[0]) < 1e-9
        assert flip.distance == pytest.approx(abs(f) / np.linalg.norm(w), rel=1e-10)
        assert flip.to != pipeline.predict(X[i : i + 1])[0]
        # in units of the data: what the table says, done to the row, leads to the same point
        moved = X[i : i + 1].copy()
        for name, then in zip(flip.moves.column("feature"), flip.moves.column("then"), strict=True):
            moved[name] = then
        assert abs(pipeline.decision_function(moved)[0]) < 1e-7


def test_no_shorter_step_flips(iris):
    X, y = iris
    rng = np.random.default_rng(0)
    for model in (
        LogisticRegression(C=10).fit(X, y),
        LinearSVC().fit(X, y),
        SVC(kernel="linear", multi_class="ovr").fit(X, y),
    ):
        for i in rng.integers(0, 150, 12):
            flip, own = explain_row(model, X[i]).flip, model.predict(X[i : i + 1])[0]
            directions = rng.normal(size=(2000, 4))
            directions /= np.linalg.norm(directions, axis=1, keepdims=True)
            assert (model.predict(X[i] + 0.999 * flip.distance * directions) == own).all()
            beyond = X[i] + 1.001 * (flip.point - X[i])
            assert model.predict(beyond[None])[0] != own
            assert flip.to == model.predict(beyond[None])[0]


def test_single_changes_reach_the_boundary_and_none_before(iris):
    X, y = iris
    model = LogisticRegression().fit(X, y)
    for i in (0, 70, 120):
        table, own = explain_row(model, X[i]).tables["changes"], model.predict(X[i : i + 1])[0]
        sizes = np.abs(table.column("change"))
        assert (np.diff(sizes) >= 0).all()
        for name, change in zip(table.column("feature"), table.column("change"), strict=True):
            step = np.zeros(4)
            step[int(name.split()[-1])] = change
            values = np.sort(model.decision_function((X[i] + step)[None])[0])
            assert values[-1] - values[-2] < 1e-9
            assert model.predict((X[i] + 0.999 * step)[None])[0] == own
            assert model.predict((X[i] - 0.999 * step)[None])[0] == own


@pytest.mark.parametrize(
    "scaler", [StandardScaler(with_mean=False), MinMaxScaler(), MaxAbsScaler(), RobustScaler()], ids=repr
)
def test_scalers_are_undone(cancer, scaler):
    X, y = cancer
    pipeline = make_pipeline(scaler, LogisticRegression()).fit(X, y)
    found = explain_row(pipeline, X[5:6])
    now = dict(zip(found.flip.moves.column("feature"), found.flip.moves.column("now"), strict=True))
    for name, value in now.items():
        assert value == pytest.approx(X.iloc[5][name], rel=1e-9, abs=1e-12)
    # the coefficients per unit give the same decision values on the data itself, up to the intercept
    table = explain_model(pipeline).tables["coefficients"]
    w = pd.Series(table.column("per unit of the data"), table.column("feature"))[X.columns]
    difference = pipeline.decision_function(X) - X.to_numpy() @ w.to_numpy()
    np.testing.assert_allclose(difference, difference[0], atol=1e-7)


def test_columns_without_units_are_moved_as_the_model_sees_them(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), PCA(5), LogisticRegression()).fit(X, y)
    found = explain_row(pipeline, X[5:6])
    assert found.flip.moves.column("feature")[0].startswith("pca")
    assert abs(pipeline[-1].decision_function(found.flip.point[None])[0]) < 1e-9
    assert "no unit of their own" in explain_model(pipeline).notes[0]


def test_a_table_as_it_comes(people):
    frame, y = people
    pipeline = Pipeline([("prepare", make_preparation(frame)), ("model", LogisticRegression())]).fit(frame, y)
    for i in (3, 4, 17, 19, 38):
        found = explain_row(pipeline, frame[i : i + 1], frame, y, label=y[i])
        decision = pipeline.decision_function(frame[i : i + 1])[0]
        assert abs(np.sum(found.contributions.column("contribution")) - decision) < 1e-10
        assert set(found.contributions.column("feature")) <= {"intercept", *frame.columns}
        flip = found.flip
        assert {"smoker", "born", "city"} <= set(flip.excluded)
        assert ("age" in flip.excluded) == bool(np.isnan(frame.age[i]))
        moved = frame[i : i + 1].copy()
        for name, then in zip(flip.moves.column("feature"), flip.moves.column("then"), strict=True):
            moved[name] = then
        assert abs(pipeline.decision_function(moved)[0]) < 1e-9


def test_categories_and_truth_values_are_tried_one_by_one(people):
    frame, y = people
    pipeline = Pipeline([("prepare", make_preparation(frame)), ("model", SVC(kernel="linear"))]).fit(frame, y)
    seen = {"flips": 0, "does not": 0}
    for i in range(0, 300, 17):
        found = explain_row(pipeline, frame[i : i + 1])
        table = found.tables["changes"]
        offered = dict(zip(table.column("feature"), table.column("then"), strict=True))
        for name, values in (("smoker", [True, False]), ("city", ["Oslo", "Rome", "Paris"])):
            flips = []
            for value in values:
                changed = frame[i : i + 1].copy()
                changed[name] = value
                if pipeline.predict(changed)[0] != found.prediction:
                    flips.append(value)
            seen["flips" if flips else "does not"] += 1
            assert (name in offered) == bool(flips)
            assert name not in offered or offered[name] in flips
    assert min(seen.values()) > 0


def test_whether_the_needed_value_is_in_the_data(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), LinearClassifier(penalty="l1", C=0.02)).fit(X, y)
    table = explain_row(pipeline, X[:1], X, y).tables["changes"]
    for name, then, inside in zip(*(table.column(c) for c in ("feature", "then", "in the data")), strict=True):
        assert inside == (X[name].min() <= then <= X[name].max())
    assert "in the data" not in explain_row(pipeline, X[:1]).tables["changes"].columns


def test_row_on_the_boundary():
    model = LinearSVC(C=1e6).fit([[-1.0], [1.0]], [0, 1])
    x = np.array([-model.intercept_[0] / model.coef_[0, 0]])
    found = explain_row(model, x)
    assert found.flip.distance < 1e-12
    assert found.to_dict()["flip"]["to"] in (0, 1)


def test_machine_without_weights_has_no_flip(iris):
    X, y = iris[0][:100], iris[1][:100]
    found = explain_row(LinearClassifier(penalty="l1", C=1e-6).fit(X, y), X[0])
    assert found.flip is None
    assert len(found.tables["changes"]) == 0
