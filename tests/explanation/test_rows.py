"""The parts of a decision add up to it, for every family; and what is said of a row agrees with the model."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.cluster import KMeans, SpectralClustering
from maxmargin.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CascadeClassifier,
    DecisionStump,
    RandomForestClassifier,
    RandomForestRegressor,
)
from maxmargin.explanation import explain_model, explain_row
from maxmargin.linear_model import (
    Lasso,
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PolynomialRegression,
    Ridge,
)
from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier, KNeighborsRegressor
from maxmargin.svm import SVC, SVCCV, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor

CLASSIFIERS = [
    SVC(C=10),
    SVC(kernel="linear"),
    SVC(kernel="poly", coef0=1.0),
    NuSVC(nu=0.1),
    LinearSVC(),
    LinearSVC(penalty="l1", C=0.05),
    LinearClassifier(loss="hinge"),
    LogisticRegression(),
    Perceptron(variant="averaged", tol=None, max_iter=20),
    DecisionTreeClassifier(max_depth=4),
    RandomForestClassifier(20, random_state=0),
    BaggingClassifier(n_estimators=5, random_state=0),
    AdaBoostClassifier(n_estimators=20),
    AdaBoostClassifier("box", n_estimators=5),
    CascadeClassifier(max_stages=2, random_state=0),
    DecisionStump(),
    KNeighborsClassifier(3, weights="distance"),
    CondensedNearestNeighbors(),
]
REGRESSORS = [
    SVR(C=100),
    SVR(kernel="linear"),
    NuSVR(C=10),
    LinearSVR(),
    Lasso(0.1),
    LinearRegression(),
    Ridge(),
    PolynomialRegression(2),
    DecisionTreeRegressor(max_depth=4),
    RandomForestRegressor(10, random_state=0),
    BaggingRegressor(n_estimators=5, random_state=0),
    AdaBoostRegressor(n_estimators=5, random_state=0),
    KNeighborsRegressor(4),
]


def total(explanation):
    return float(np.sum(explanation.contributions.column("contribution")))


def check_plain(*explanations):
    for explanation in explanations:
        text = json.dumps(explanation.to_dict(), allow_nan=False)
        assert json.loads(text)["model"] == explanation.model
        lines = str(explanation).splitlines()
        assert 1 < len(lines) <= 34
        assert max(map(len, lines)) <= 140


def own_values(model, X):
    """The value that decides, by the model's own code: positive for the second class."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X).max(axis=1)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_classifiers_of_two_classes(cancer, estimator):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
    for i in (10, 19, 73):
        found = explain_row(pipeline, X[i : i + 1], label=y[i])
        assert found.prediction == pipeline.predict(X[i : i + 1])[0]
        if found.margin is not None:
            assert (found.margin > 0) == (found.prediction == y[i])
        if found.contributions is not None:
            assert abs(total(found) - found.decision) < 1e-10
            assert abs(own_values(pipeline, X[i : i + 1])[0] - found.decision) < 1e-10 * max(1, abs(found.decision))
    check_plain(found, explain_model(pipeline), explain_model(pipeline, X, y))


@pytest.mark.parametrize("estimator", REGRESSORS, ids=repr)
def test_regressors(diabetes, estimator):
    X, y = diabetes
    pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
    found = explain_row(pipeline, X.iloc[5], label=float(y[5]))
    assert found.decision == pytest.approx(pipeline.predict(X[5:6])[0], rel=1e-12)
    if found.contributions is not None:
        assert abs(total(found) - found.decision) < 1e-10 * max(1.0, abs(found.decision))
    assert "true value" in found.facts
    check_plain(found, explain_model(pipeline), explain_model(pipeline, X, y))


MULTICLASS = [
    SVC(),
    SVC(kernel="linear"),
    SVC(multi_class="ovr"),
    SVC(kernel="linear", multi_class="ovr"),
    NuSVC(nu=0.2),
    LinearSVC(multi_class="crammer_singer"),
    LogisticRegression(),
    Perceptron(variant="averaged", tol=None, max_iter=20),
    DecisionTreeClassifier(),
    RandomForestClassifier(10, random_state=0),
    AdaBoostClassifier(n_estimators=10),
    KNeighborsClassifier(),
]


@pytest.mark.parametrize("estimator", MULTICLASS, ids=repr)
def test_more_classes_are_decided_between_the_two_best(iris, estimator):
    X, y = iris
    model = estimator.fit(X, y)
    for i in (0, 70, 77, 133):
        found = explain_row(model, X[i])
        assert found.between[0] == found.prediction == model.predict(X[i : i + 1])[0]
        assert found.between[1] != found.prediction
        assert abs(total(found) - found.decision) < 1e-10 * max(1, abs(found.decision))
    check_plain(found, explain_model(model), explain_model(model, X, y))


def test_decision_of_one_against_the_rest_is_the_difference_of_the_two_best(iris):
    X, y = iris
    for model in (LinearSVC().fit(X, y), SVC(multi_class="ovr").fit(X, y)):
        values = np.sort(model.decision_function(X[70:71])[0])
        assert explain_row(model, X[70]).decision == pytest.approx(values[-1] - values[-2], abs=1e-10)


def test_decision_of_pairs_is_that_of_their_machine(iris):
    X, y = iris
    model = SVC(decision_function_shape="ovo").fit(X, y)
    assert explain_row(model, X[70]).decision == pytest.approx(model.decision_function(X[70:71])[0, 2], abs=1e-10)
    found = explain_row(model, X[133])  # the class of the winner comes first, whatever the order of the pair
    assert found.between == (found.prediction, 3 - found.prediction)


def test_label_of_a_third_class_has_no_margin(iris):
    X, y = iris
    found = explain_row(LogisticRegression().fit(X, y), X[70], label=0)
    assert found.margin is None
    assert "wrong" in found.facts["true label"]


def test_shortened_contributions_keep_their_sum(cancer):
    X, y = cancer
    found = explain_row(SVC().fit(X, y), X[:1])
    short = found.contributions.head(5)
    assert len(short) == 6
    assert np.sum(short.column("contribution")) == pytest.approx(found.decision, abs=1e-10)
    assert len(found.to_dict(most=5)["contributions"]["rows"]) == 6
    with pytest.raises(ValueError, match="most must be a whole number of at least 1, or None; got 0"):
        found.to_dict(most=0)
    with pytest.raises(KeyError, match="no column 'x'"):
        found.contributions.column("x")


def test_nearest_support_vectors_in_the_space_of_the_kernel(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), SVC(gamma=0.03)).fit(X, y)
    model, Z = pipeline[-1], pipeline[:-1].transform(X)
    table = explain_row(pipeline, X[7:8]).tables["nearest"]
    squares = ((Z[model.support_] - Z[7]) ** 2).sum(axis=1)
    distance = np.sqrt(2 - 2 * np.exp(-0.03 * squares))
    order = np.argsort(distance)
    assert table.column("row")[:5] == model.support_[order][:5].tolist()
    np.testing.assert_allclose(table.column("distance"), np.sort(distance), atol=1e-7)
    assert table.column("class")[:5] == y[model.support_[order][:5]].tolist()
    np.testing.assert_allclose(table.column("multiplier"), np.abs(model.dual_coef_[0][order]))


def test_one_class_machine(cancer):
    X, _ = cancer
    pipeline = make_pipeline(StandardScaler(), OneClassSVM(nu=0.1)).fit(X)
    value = pipeline.decision_function(X)
    out = explain_row(pipeline, X[np.argmin(value) : np.argmin(value) + 1])
    assert out.prediction == -1
    assert out.decision == pytest.approx(value.min(), abs=1e-10)
    assert total(out) == pytest.approx(value.min(), abs=1e-10)
    assert out.facts["place"] == "outside the region"
    facts = explain_model(pipeline, X).facts
    assert facts["outside the region"] + facts["on its edge"] + facts["inside it"] == len(X)
    assert facts["outside the region"] == (value < -1e-9).sum()
    check_plain(out)


def test_matrix_of_kernel_values_and_kernel_function(iris):
    X, y = iris[0][:100], iris[1][:100]
    K = X @ X.T
    by_matrix, by_name = SVC(kernel="precomputed").fit(K, y), SVC(kernel="linear").fit(X, y)
    by_function = SVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    expected = explain_row(by_name, X[60])
    for model, x in ((by_matrix, K[60]), (by_function, X[60])):
        found = explain_row(model, x)
        assert found.decision == pytest.approx(expected.decision, abs=1e-10)
        assert total(found) == pytest.approx(expected.decision, abs=1e-10)
        check_plain(found, explain_model(model))
    assert "distance" not in explain_row(by_matrix, K[60]).tables["nearest"].columns
    assert explain_model(by_matrix, K, y).facts["margin width"] == pytest.approx(
        explain_model(by_name).facts["margin width"], rel=1e-6
    )
    assert explain_model(by_matrix).facts["margin width"] is None


def test_way_through_a_tree(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3)).fit(X, y)
    alone = DecisionTreeClassifier(max_depth=3).fit(X, y)
    path = explain_row(pipeline, X[:1]).tables["path"]
    assert path.column("because")[1].startswith("worst radius > 16.8")  # in units of the data, scaled or not
    assert path.column("training rows") == explain_row(alone, X[:1]).tables["path"].column("training rows")
    assert path.column("training rows")[0] == len(X)


def test_forest_that_multiplies_has_no_parts(cancer):
    X, y = cancer
    found = explain_row(RandomForestClassifier(5, random_state=0, combine="product").fit(X, y), X[:1])
    assert found.contributions is None
    assert "multiplied" in found.notes[0]


def test_votes_of_a_forest_are_those_of_its_trees(cancer):
    X, y = cancer
    model = RandomForestClassifier(15, random_state=0).fit(X, y)
    table = explain_row(model, X[10:11]).tables["votes"]
    said = [tree.predict(X[10:11].to_numpy())[0] for tree in model.estimators_]
    winner = table.column("class")[0]
    assert sum(table.column("votes")) == 15
    assert table.column("votes")[0] == sum(np.asarray(model.classes_)[int(k)] == winner for k in said)


def test_clusters(iris):
    X, _ = iris
    model = KMeans(3, random_state=0).fit(X)
    found = explain_row(model, X[0])
    assert found.prediction == model.labels_[0]
    np.testing.assert_allclose(sorted(found.tables["centres"].column("distance")), np.sort(model.transform(X[:1])[0]))
    check_plain(found, explain_model(model))
    spectral = SpectralClustering(3, random_state=0).fit(X)
    assert sum(explain_model(spectral).tables["clusters"].column("rows")) == 150
    with pytest.raises(TypeError, match="no rule for rows that it was not fitted on"):
        explain_row(spectral, X[0])


def test_search_is_explained_by_what_it_has_chosen(iris):
    X, y = iris[0][:100], iris[1][:100]
    search = SVCCV(Cs=[0.1, 1.0], gammas=[0.1], cv=3).fit(X, y)
    assert explain_row(search, X[3]).decision == pytest.approx(search.decision_function(X[3:4])[0], abs=1e-12)
    assert explain_model(search).model == "SVC"


def test_sparse_rows(cancer):
    X, y = cancer
    rows = sp.csr_matrix(np.where(StandardScaler().fit_transform(X) > 1, 1.0, 0.0))
    for model in (SVC(kernel="linear").fit(rows, y), LinearSVC().fit(rows, y), SVC().fit(rows, y)):
        found = explain_row(model, rows[3])
        assert total(found) == pytest.approx(model.decision_function(rows[3])[0], abs=1e-10)
        assert found.flip is None or abs(model.decision_function(sp.csr_matrix(found.flip.point[None]))[0]) < 1e-9


@pytest.mark.parametrize("form", ["frame", "series", "row", "list"])
def test_a_row_may_be_given_in_many_ways(cancer, form):
    X, y = cancer
    model = LogisticRegression().fit(StandardScaler().fit_transform(X), y)
    frame = LogisticRegression().fit(X, y)
    x = {"frame": X[3:4], "series": X.iloc[3], "row": X.to_numpy()[3:4], "list": X.iloc[3].tolist()}[form]
    assert explain_row(frame, x).decision == pytest.approx(frame.decision_function(X[3:4])[0])
    assert model is not frame
