"""What is said of whole models agrees with their attributes and with their optimality cases."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sklearn_linear
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

from maxmargin.certificates import CASES
from maxmargin.cluster import KMeans
from maxmargin.ensemble import AdaBoostClassifier, RandomForestClassifier
from maxmargin.explanation import explain_model, explain_row
from maxmargin.linear_model import LinearClassifier, LogisticRegression, Ridge
from maxmargin.neighbors import KNeighborsRegressor
from maxmargin.svm import SVC, SVR, LargeSVC, LargeSVR, LinearSVC, NuSVC
from maxmargin.tables import feature_names, make_preparation
from maxmargin.tree import DecisionTreeClassifier


@pytest.mark.parametrize("estimator", [SVC(C=5), SVC(C=0.1, class_weight="balanced"), SVC(kernel="linear")], ids=repr)
def test_margin_agrees_with_the_optimality_cases(cancer, estimator):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
    model, Z = pipeline[-1], pipeline[:-1].transform(X)
    cases = model.kkt_cases(Z, y)
    with_rows, alone = explain_model(pipeline, X, y), explain_model(pipeline)
    assert {case: with_rows.facts[case] for case in CASES} == cases.counts()
    for found in (with_rows, alone):
        table = found.tables["influential"]
        rows = np.array(table.column("row"))
        assert sorted(rows) == sorted(model.support_)
        np.testing.assert_allclose(table.column("multiplier"), cases.multiplier[rows])
        np.testing.assert_allclose(table.column("margin"), cases.margin[rows], atol=1e-9)
        assert table.column("case") == cases.names()[rows].tolist()
        assert table.column("class") == y[rows].tolist()
        assert (np.diff(table.column("multiplier")) <= 0).all()
        assert sum(found.facts.get(case, 0) for case in CASES[1:]) == len(model.support_)
    beta = model.dual_coef_[0]
    K = np.exp(-model._gamma * ((Z[model.support_][:, None] - Z[model.support_][None]) ** 2).sum(axis=2))
    if model.kernel == "linear":
        K = Z[model.support_] @ Z[model.support_].T
    assert with_rows.facts["margin width"] == pytest.approx(2 / np.sqrt(beta @ K @ beta), rel=1e-9)
    assert alone.facts["margin width"] == pytest.approx(2 / np.sqrt(beta @ K @ beta), rel=1e-9)


def test_margins_of_more_classes(iris):
    X, y = iris
    model = SVC().fit(X, y)
    cases = model.kkt_cases(X, y)
    for found in (explain_model(model, X, y), explain_model(model)):
        table = found.tables["machines"]
        assert table.column("machine") == ["0 against 1", "0 against 2", "1 against 2"]
        for k in range(3):
            for case in CASES[1:]:
                count = int((cases.names()[cases.problem == k] == case).sum())
                assert (table.column(case)[k] or 0) == count
        assert len(found.tables["influential"]) == (cases.multiplier > 0).sum()


def test_weights_of_samples(iris):
    X, y = iris[0][50:], iris[1][50:]
    weight = np.linspace(0.5, 2, 100)
    model = SVC().fit(X, y, weight)
    counts = model.kkt_cases(X, y, weight).counts()
    facts = explain_model(model, X, y, sample_weight=weight).facts
    assert {case: facts[case] for case in CASES} == counts


def test_nu_machines_need_the_rows_for_their_cases(iris):
    X, y = iris[0][50:], iris[1][50:]
    model = NuSVC(nu=0.3).fit(X, y)
    assert "need X and y" in explain_model(model).notes[0]
    facts = explain_model(model, X, y).facts
    assert {case: facts[case] for case in CASES} == model.kkt_cases(X, y).counts()


def test_tube_of_a_regressor(diabetes):
    X, y = diabetes
    model = SVR(kernel="linear", C=50, epsilon=30).fit(X * 20, y)
    found = explain_model(model, X * 20, y)
    off = np.abs(model.predict(X * 20) - y)
    assert found.facts["beyond the tube"] == (off > 30 + 1e-2).sum()
    assert found.facts["inside it"] == len(y) - len(model.support_)
    assert len(found.tables["influential"]) == len(model.support_)
    assert set(found.tables["coefficients"].column("feature")) == set(X.columns)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_tube_that_holds_every_row(diabetes, form):
    X, y = diabetes
    said = explain_model(SVR(epsilon=1e4).fit(form(X), y), form(X), y)
    assert said.facts["support vectors"].startswith("0 ") and not said.tables["influential"].rows


def test_centres_that_no_row_is_nearest_to():
    with pytest.warns(ConvergenceWarning):
        model = KMeans(3, random_state=0).fit(np.ones((6, 2)))
    said = explain_model(model)
    assert said.facts["clusters"] == 1
    assert [row[1] for row in said.tables["clusters"].rows] == [6, 0, 0]


def test_exact_zeros_and_names(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), LinearSVC(penalty="l1", C=0.02)).fit(X, y)
    coef = pipeline[-1].coef_[0]
    found = explain_model(pipeline)
    table = found.tables["coefficients"]
    assert found.facts["features"] == f"30, of which {(coef == 0).sum()} have no weight (exact zeros)"
    by_name = dict(zip(table.column("feature"), table.column("coefficient"), strict=True))
    np.testing.assert_array_equal([by_name[name] for name in X.columns], coef)
    per_unit = dict(zip(table.column("feature"), table.column("per unit of the data"), strict=True))
    np.testing.assert_allclose([per_unit[name] for name in X.columns], coef / pipeline[0].scale_)
    assert (np.diff(np.abs(table.column("coefficient"))) <= 0).all()


def test_odds(cancer):
    X, y = cancer
    model = LogisticRegression().fit(X, y)
    table = explain_model(model).tables["coefficients"]
    np.testing.assert_allclose(table.column("odds times"), np.exp(table.column("coefficient")))
    assert "per unit of the data" not in table.columns


def test_many_classes_have_a_line_a_feature():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(160, 3)), np.repeat(np.arange(8), 20)
    table = explain_model(LogisticRegression().fit(X + y[:, None], y)).tables["coefficients"]
    assert table.columns == ("feature", "most for", "coefficient", "most against", "coefficient ")
    assert len(table) == 3


def test_importances_of_a_prepared_table_are_by_column(people):
    frame, y = people
    pipeline = Pipeline(
        [("prepare", make_preparation(frame, scale=False)), ("model", RandomForestClassifier(8, random_state=0))]
    )
    found = explain_model(pipeline.fit(frame, y)).tables["importances"]
    assert set(found.column("feature")) == set(frame.columns)
    assert sum(found.column("importance")) == pytest.approx(1.0)
    parts = dict(zip(feature_names(pipeline), pipeline[-1].feature_importances_, strict=True))
    city = sum(value for name, value in parts.items() if name.startswith("city"))
    assert dict(zip(found.column("feature"), found.column("importance"), strict=True))["city"] == pytest.approx(city)


def test_names_agree_with_those_of_the_preparation(people):
    frame, y = people
    pipeline = Pipeline([("prepare", make_preparation(frame)), ("model", LogisticRegression())]).fit(frame, y)
    assert set(explain_model(pipeline).tables["coefficients"].column("feature")) == set(feature_names(pipeline))


def test_other_libraries_of_data_frames(people):
    frame, y = people
    other = pl.from_pandas(frame)
    for table, row in ((other, other[3]), (other.to_arrow(), other[3].to_arrow())):
        pipeline = Pipeline([("prepare", make_preparation(table)), ("model", DecisionTreeClassifier(max_depth=3))])
        pipeline = pipeline.fit(table, y)
        found = explain_row(pipeline, row)
        assert found.contributions.column("feature")[0] == "all training rows"
        assert "income" in found.contributions.column("feature")


def test_transformers_of_scikit_learn(people):
    frame, y = people
    frame = frame.assign(city=frame.city.fillna("nowhere"), grade=np.resize(["low", "high"], len(frame)))
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    prepare = ColumnTransformer(
        [
            ("city", OneHotEncoder(drop="first", sparse_output=False), ["city"]),
            ("numbers", numbers, ["age", "income"]),
            ("grade", OrdinalEncoder(), ["grade"]),
            ("same", "passthrough", ["smoker"]),
            ("nothing", "drop", ["born"]),
        ]
    )
    pipeline = make_pipeline(prepare, FunctionTransformer(None), LogisticRegression()).fit(frame, y)
    found = explain_row(pipeline, frame[17:18])
    assert abs(np.sum(found.contributions.column("contribution")) - pipeline.decision_function(frame[17:18])[0]) < 1e-10
    names = explain_model(pipeline).tables["coefficients"].column("feature")
    assert set(names) == {"city=Paris", "city=Rome", "city=nowhere", "age", "income", "age missing", "grade", "smoker"}
    assert {"city", "age", "grade"} <= set(found.flip.excluded)


def test_steps_that_cannot_be_followed(cancer):
    X, y = cancer
    halves = FunctionTransformer(lambda X: np.asarray(X)[:, :3])
    pipeline = make_pipeline(halves, LogisticRegression()).fit(X, y)
    found = explain_model(pipeline)
    assert found.tables["coefficients"].column("feature")[0].startswith("column ")
    assert "no names" in found.notes[0]
    union = make_pipeline(FeatureUnion([("a", StandardScaler())]), LogisticRegression()).fit(X, y)
    assert (
        abs(np.sum(explain_row(union, X[:1]).contributions.column("contribution")) - union.decision_function(X[:1])[0])
        < 1e-10
    )


def test_searches_of_scikit_learn(cancer):
    X, y = cancer
    grid = GridSearchCV(make_pipeline(StandardScaler(), LinearClassifier()), {"linearclassifier__C": [0.01, 0.1]}, cv=2)
    assert explain_model(grid.fit(X, y)).tables["coefficients"].column("feature")[0] in X.columns


def test_learners_that_weigh_most(cancer):
    X, y = cancer
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    table = explain_model(model).tables["learners"]
    assert table.column("learner")[0] == "worst radius > 16.8: malignant, else benign"
    np.testing.assert_allclose(sorted(table.column("vote")), np.sort(model.estimator_weights_))


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (LogisticRegression, TypeError, "model must be a fitted model of maxmargin"),
        ("svc", TypeError, "got 'svc'"),
        (LogisticRegression(), NotFittedError, "not fitted"),
        (sklearn_linear.Ridge().fit([[0.0], [1.0]], [0.0, 1.0]), TypeError, "got Ridge of sklearn"),
        (make_pipeline(StandardScaler()).fit([[0.0], [1.0]]), TypeError, "got StandardScaler"),
        (Ridge().fit([[0.0], [1.0]], [[0.0, 1.0], [1.0, 2.0]]), ValueError, "of one target; this Ridge has 2"),
        (KNeighborsRegressor(1).fit([[0.0], [1.0]], [[0.0, 1.0], [1.0, 2.0]]), ValueError, "of one target"),
    ],
)
def test_models_that_cannot_be_explained(model, error, message):
    with pytest.raises(error, match=message):
        explain_model(model)


def test_input_that_does_not_fit(iris):
    X, y = iris[0][:100], iris[1][:100]
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"x must be a single row; got shape \(2, 4\)"):
        explain_row(model, X[:2])
    with pytest.raises(ValueError, match="x has 3 features; this LogisticRegression was trained on 4"):
        explain_row(model, X[0, :3])
    with pytest.raises(TypeError, match="got a dict"):
        explain_row(model, {"a": 1})
    with pytest.raises(ValueError, match=r"label must be one of the classes of the model \(0, 1\); got 'x'"):
        explain_row(model, X[0], label="x")
    with pytest.raises(ValueError, match="y was given without X"):
        explain_model(model, y=y)
    with pytest.raises(ValueError, match="X was given without y"):
        explain_model(model, X)
    with pytest.raises(ValueError, match="X has 100 rows, but y has 99"):
        explain_model(model, X, y[1:])
    with pytest.raises(ValueError, match="expected 100 rows"):
        explain_model(SVC().fit(X, y), X[:50], y[:50])
    with pytest.raises(ValueError, match="its rows differ from the support vectors"):
        explain_model(SVC().fit(X, y), X[::-1], y)
    with pytest.raises(ValueError, match=r"not trained on: \[7\]"):
        explain_model(SVC().fit(X, y), X, np.where(y == 0, 7, y))
    with pytest.raises(ValueError, match="label must be a number"):
        explain_row(Ridge().fit(X, y), X[0], label="x")
    with pytest.raises(ValueError, match="must be the 100 rows that the model was trained on; got 50"):
        explain_model(SVR().fit(X, y), X[:50], y[:50])


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_the_joint_machine_of_several_classes(kernel):
    """Its cases are those of `kkt_cases`, told from the model alone or with its training rows."""
    X, y = load_iris(return_X_y=True)
    rows = X @ X.T if kernel == "precomputed" else X
    model = SVC(kernel=kernel, multi_class="crammer_singer").fit(rows, y)
    cases = model.kkt_cases(rows, y)
    with_rows, alone = explain_model(model, rows, y), explain_model(model)
    for name, count in cases.counts().items():
        assert with_rows.facts[name] == count
        if kernel == "rbf" and name != "outside the margin":
            assert alone.facts.get(name, 0) == count
    assert alone.facts["on the margin boundary"] == (cases.case == 1).sum()
    if kernel == "precomputed":
        assert alone.facts["inside the margin"] == (cases.case > 1).sum()
    assert "width" not in with_rows.summary


@pytest.mark.parametrize("classes", [2, 3])
def test_landmarks_are_not_called_support_vectors(classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes][:, :2], y[y < classes]
    model = LargeSVC(method="landmarks", n_landmarks=12, gap_tol=0.9).fit(X, y)
    found = explain_model(model, X, y)
    assert "support vectors" not in found.facts and found.facts["landmarks"].startswith(f"{len(model.support_)} ")
    assert "12 landmarks leave" in found.facts["method"] and "lie between" in found.facts["bracket"]
    cases = model.kkt_cases(X, y)
    if classes == 2:
        assert {case: found.facts[case] for case in (CASES[0], *CASES[2:])} == {
            case: count for case, count in cases.counts().items() if case != CASES[1]
        }
    else:
        assert "on the margin boundary" not in found.tables["machines"].columns
    table = found.tables["influential"]
    assert sorted(set(table.column("row"))) == sorted(model.support_)
    assert "multiplier" not in table.columns and min(table.column("coefficient")) > 0
    if classes == 2:  # margins are those of the rows' own classes, whatever the sign of their coefficients
        rows = table.column("row")
        margins = np.where(y[rows] == 1, 1, -1) * model.decision_function(X[rows])
        np.testing.assert_allclose(table.column("margin"), margins, atol=1e-9)
    text = str(found) + str(explain_row(model, X[:1], X, y)) + str(explain_model(model))
    assert "support vector" not in text and "multiplier" not in text


def test_a_regressor_on_landmarks_tells_rows_by_place():
    X = np.linspace(0, 6, 300)[:, None]
    y = np.sin(X).ravel() + np.random.default_rng(0).normal(size=300) * 0.1
    model = LargeSVR(method="landmarks", n_landmarks=15, gap_tol=0.9).fit(X, y)
    found = explain_model(model, X, y)
    beyond = int((np.abs(y - model.predict(X)) > model.epsilon).sum())
    assert found.facts["beyond the tube"] == beyond and found.facts["inside it"] == 300 - beyond
    assert "beyond the tube" not in explain_model(model).facts
    text = str(found) + str(explain_row(model, X[:1], X, y))
    assert f"{len(model.support_)} landmarks" in text and "support vector" not in text and "multiplier" not in text
