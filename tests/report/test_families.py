"""Every kind of model has a page with every section, and the pictures of its kind."""

import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.cluster import KMeans, SpectralClustering
from maxmargin.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from maxmargin.linear_model import (
    Lasso,
    LinearRegression,
    LogisticRegressionCV,
    Perceptron,
    PolynomialRegression,
    Ridge,
)
from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier
from maxmargin.report import _report, report
from maxmargin.svm import SVC, SVCCV, SVR, LinearSVC, OneClassSVM
from maxmargin.tree import DecisionTreeClassifier, DecisionTreeRegressor

SECTIONS = {"result", "certificate", "model", "samples", "data", "preparation", "reproduce"}
# Each ends within its budget on these tables, or says so: both are told on the page.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def check_page(page, read, pictures):
    seen = read(page.html)
    assert not seen.crossed and not seen.open
    assert set(seen.ids()) >= SECTIONS
    assert len(seen.ids()) == len(set(seen.ids()))
    assert {picture["name"] for picture in page.data["pictures"]} == set(page.pictures) == set(pictures)
    assert sum(tag == "figure" for tag, _ in seen.elements) >= len(pictures)
    assert page.data["notes"] == []
    assert len(page.data["answer"]) == 4
    for part in page.data["answer"]:
        assert part["words"].endswith(".") and part["words"] in seen.text
    assert len(page.html) < 1_000_000
    json.dumps(page.data, allow_nan=False)
    return seen


CURVES = ["confusion", "roc"]
CLASSIFIERS = {
    "svc": (SVC(), [*CURVES, "margin", "kernel"]),
    "pipeline": (make_pipeline(StandardScaler(), SVC(kernel="linear")), [*CURVES, "margin", "kernel"]),
    "tuned": (SVCCV(Cs=3, gammas=3, calibration="sigmoid"), ["search", *CURVES, "calibration", "margin", "kernel"]),
    "grid": (GridSearchCV(LinearSVC(), {"C": [0.1, 1.0]}, cv=2), ["search", *CURVES]),
    "logistic_cv": (LogisticRegressionCV(Cs=3, cv=2), ["search", *CURVES, "calibration"]),
    "perceptron": (Perceptron(max_iter=20), CURVES),
    "neighbours": (KNeighborsClassifier(), [*CURVES, "calibration", "neighbours"]),
    "condensed": (CondensedNearestNeighbors(), ["confusion", "neighbours"]),
    "tree": (DecisionTreeClassifier(max_depth=4), [*CURVES, "calibration", "tree", "importance"]),
    "forest": (RandomForestClassifier(10, random_state=0), [*CURVES, "calibration", "importance", "out-of-bag"]),
    "bagging": (
        BaggingClassifier(n_estimators=9, random_state=0), [*CURVES, "calibration", "importance", "out-of-bag"],
    ),
    "adaboost": (
        AdaBoostClassifier(n_estimators=10), [*CURVES, "calibration", "importance", "boosting", "margins"],
    ),
    "no proof": (DummyClassifier(), [*CURVES, "calibration"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name, two_classes, read):
    model, pictures = CLASSIFIERS[name]
    X, y = two_classes
    page = report(model.fit(X[:90], y[:90]), X[:90], y[:90], test=(X[90:], y[90:]))
    seen = check_page(page, read, pictures)
    assert page.data["task"] == "binary"
    assert page.data["certificate"]["state"] == ("absent" if name == "no proof" else "confirmed")
    assert page.data["result"]["held_out"] is True and page.data["result"]["rows"] == 30
    accuracy = page.data["result"]["metrics"][0]
    assert accuracy["name"] == "accuracy"
    assert accuracy["value"] == pytest.approx(np.mean(model.predict(X[90:]) == y[90:]))
    assert "height" in seen.text and "dog" in seen.text
    assert ("tuning" in seen.ids()) == ("search" in pictures)


def test_the_joint_machine_of_several_classes(three_classes, read):
    X, y = three_classes
    model = SVC(multi_class="crammer_singer").fit(X, y)
    page = report(model, X, y)
    check_page(page, read, [*CURVES, "kernel"])
    assert page.data["certificate"]["state"] == "confirmed"


REGRESSORS = {
    "svr": (SVR(C=10.0), []),
    "lasso": (Lasso(0.1), []),
    "least squares": (LinearRegression(), []),
    "ridge": (Ridge(), []),
    "polynomial": (PolynomialRegression(degree=2), []),
    "tree": (DecisionTreeRegressor(max_depth=3), ["tree", "importance"]),
    "forest": (RandomForestRegressor(10, random_state=0), ["importance", "out-of-bag"]),
    "adaboost": (AdaBoostRegressor(n_estimators=5, random_state=0), ["importance"]),
    "gradient boosting": (HistGradientBoostingRegressor(max_iter=5), ["importance"]),
}


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name, values, read):
    model, pictures = REGRESSORS[name]
    X, y = values
    page = report(model.fit(X[:90], y[:90]), X[:90], y[:90], test=(X[90:], y[90:]))
    check_page(page, read, ["predicted", "residuals", *pictures])
    assert page.data["certificate"]["state"] == "confirmed"
    metrics = {metric["name"]: metric for metric in page.data["result"]["metrics"]}
    residuals = y[90:] - model.predict(X[90:])
    assert metrics["R²"]["value"] == pytest.approx(1 - (residuals**2).sum() / ((y[90:] - y[90:].mean()) ** 2).sum())
    assert metrics["RMSE"]["value"] == pytest.approx(np.sqrt(np.mean(residuals**2)))
    assert metrics["RMSE"]["baseline"] == pytest.approx(np.sqrt(np.mean((y[90:] - y[:90].mean()) ** 2)))
    (group,) = page.data["samples"]["groups"]
    assert group["rows"][0]["row"] == np.argmax(np.abs(residuals))


@pytest.mark.parametrize(
    ("model", "pictures"),
    [
        (KMeans(3, random_state=0), ["clusters"]),
        (make_pipeline(StandardScaler(), KMeans(3, random_state=0)), ["clusters"]),
        (SpectralClustering(2, random_state=0), ["spectral"]),
    ],
)
def test_clusters_have_no_targets(model, pictures, three_classes, read):
    X, _ = three_classes
    page = report(model.fit(X), X)
    check_page(page, read, pictures)
    labels = model[-1].labels_ if hasattr(model, "steps") else model.labels_
    assert [row["rows"] for row in page.data["result"]["counts"]] == np.bincount(labels).tolist()
    assert page.data["result"]["metrics"] == [] and page.data["result"]["warning"] == ""
    assert page.data["certificate"]["state"] == "confirmed"


def test_one_class(three_classes, read):
    X, _ = three_classes
    model = OneClassSVM(nu=0.2).fit(X)
    page = report(model, X)
    check_page(page, read, [])
    values = model.decision_function(X)
    (group,) = page.data["samples"]["groups"]
    assert [line["row"] for line in group["rows"]] == np.argsort(values, kind="stable")[:10].tolist()
    counts = {row["name"]: row["rows"] for row in page.data["result"]["counts"]}
    assert counts == {"inside": (values >= 0).sum(), "outside": (values < 0).sum()}


def test_every_estimator_has_the_method(two_classes, three_classes, monkeypatch):
    X, y = two_classes
    model = LinearSVC().fit(X, y)
    assert model.report(X, y).html == report(model, X, y).html
    monkeypatch.setattr(_report, "draw_pictures", lambda *_: ([], []))
    clusters = KMeans(3, random_state=0).fit(three_classes[0])
    assert clusters.report(three_classes[0], title="Three").data["title"] == "Three"
    for tuned in (SVCCV, LogisticRegressionCV):
        assert callable(tuned.report)
