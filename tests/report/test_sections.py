"""What the sections say, held against what is computed by hand."""

import math

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.cluster import KMeans
from maxmargin.linear_model import LogisticRegression, Ridge
from maxmargin.report import report
from maxmargin.report._proof import shared_figures
from maxmargin.report._words import count, figure, fixed, listed, number, percent, shortened, tiny, value_text
from maxmargin.svm import SVC, SVCCV

pytestmark = pytest.mark.usefixtures("no_pictures")


def test_numbers_in_words():
    assert [number(v) for v in (0.95333, 1204, 12045, -2.5, 37451.26, 3.1e-9, math.nan, None, math.inf)] == [
        "0.9533", "1204", "12\u202f045", "−2.5", "37\u202f451", "3.1e−9", "–", "–", "∞"]  # fmt: skip
    assert tiny(3.14e-9, bound=True) == "3.2\u202f×\u202f10⁻⁹" and figure(0.123451, "dual", 4) == "0.1234"
    assert figure(0.123451, "primal", 4) == "0.1235" and figure(12.0, "bound") == "12" and figure(None, "bound") == "–"
    assert tiny(3.14e-9) == "3.1\u202f×\u202f10⁻⁹" and tiny(0.0) == "0" and tiny(1e-16) == "<\u202f10⁻¹⁴"
    assert percent(0.9533) == "95.3\u202f%" and fixed(-0.0001) == "0.000" and count(-1234567) == "−1\u202f234\u202f567"
    assert listed(["a", "b", "c"]) == "a, b and c" and listed(list("abcdefgh"), 2) == "a, b and 6 more"
    assert shortened("a\nb" + "c" * 100, 10) == "a bcccccc…" and value_text(float("nan")) == "missing"


@pytest.mark.parametrize(
    ("upper", "lower", "parts"),
    [
        (68.1086412143, 68.1086411999, ("68.108641", "2143", "1999")),
        (-0.5, -0.75, ("−0.", "500000000000", "750000000000")),
        (10.2, 9.8, ("", "10.2000000000", "9.8000000000")),
        (0.0, 0.0, ("0.00000000000e+00", "", "")),
        (math.inf, 1.0, ("", "inf", "1")),
    ],
)
def test_figures_that_both_objectives_share(upper, lower, parts):
    assert shared_figures(upper, lower) == parts


def test_training_rows_are_known_by_the_certificate(two_classes):
    X, y = two_classes
    model = SVC().fit(X[:90], y[:90])
    same = report(model, X[:90], y[:90]).data
    assert same["certificate"]["state"] == "confirmed" and same["result"]["held_out"] is False
    assert "memorised" in same["result"]["warning"] and same["certificate"]["primal"] >= same["certificate"]["dual"]
    other = report(model, X[30:], y[30:]).data
    assert other["certificate"]["state"] == "not recomputed" and other["result"]["held_out"] is None
    assert "not known" in other["result"]["warning"]
    assert [group["title"] for group in other["samples"]["groups"]] == ["Confidently wrong rows"]


def test_a_changed_model_is_refuted(two_classes, read):
    X, y = two_classes
    model = SVC().fit(X[:90], y[:90])
    model.intercept_ = model.intercept_ + 0.5
    page = report(model, X[:90], y[:90], test=(X[90:], y[90:]))
    assert page.data["certificate"]["state"] == "refuted"
    assert page.data["answer"][2]["words"].startswith("Not proven")
    assert "refuted" in read(page.html).text


def test_result_beside_the_baseline(two_classes):
    X, y = two_classes
    model = LogisticRegression().fit(X[:90], y[:90])
    result = report(model, X[:90], y[:90], test=(X[90:], y[90:])).data["result"]
    accuracy, n = result["metrics"][0], 30
    k, z = round(accuracy["value"] * n), 1.959963984540054
    middle, half = k + z**2 / 2, z * math.sqrt(k * (n - k) / n + z**2 / 4)
    assert (accuracy["low"], accuracy["high"]) == pytest.approx(
        ((middle - half) / (n + z**2), (middle + half) / (n + z**2))
    )
    common = max(("cat", "dog"), key=lambda name: (y[:90] == name).sum())
    assert accuracy["baseline"] == pytest.approx(np.mean(y[90:] == common)) and common in result["baseline"]
    area = result["metrics"][3]
    p = model.predict_proba(X[90:])[:, 1]
    dogs, cats = p[y[90:] == "dog"], p[y[90:] == "cat"]
    assert area["name"] == "AUC" and area["baseline"] == 0.5
    assert area["value"] == pytest.approx(np.mean(dogs[:, None] > cats) + 0.5 * np.mean(dogs[:, None] == cats))
    for row in result["classes"]:
        rows, said = y[90:] == row["name"], model.predict(X[90:]) == row["name"]
        assert row["recall"] == pytest.approx((rows & said).sum() / rows.sum())
        assert row["precision"] == pytest.approx((rows & said).sum() / said.sum())


def test_places_on_the_line_are_in_order(two_classes):
    X, y = two_classes
    model = LogisticRegression().fit(X[:90], y[:90])
    for metric in report(model, X[:90], y[:90], test=(X[90:], y[90:])).data["result"]["metrics"]:
        at = metric["at"]
        assert 0 <= at["low"] <= at["value"] <= at["high"] <= 100 and 0 <= at["baseline"] < at["value"]


def test_rows_that_deserve_a_look(two_classes):
    X, y = two_classes
    model = SVC(C=0.5).fit(X, y)
    wrong_group, margin, heavy = report(model, X, y).data["samples"]["groups"]
    cases = model.kkt_cases(X, y)
    wrong = np.flatnonzero(cases.names() == "inside, misclassified")
    furthest = wrong[np.argsort(-cases.slack[wrong], kind="stable")]
    assert [line["row"] for line in margin["rows"]] == cases.sample[furthest][:10].tolist()
    assert margin["left_out"] == max(0, len(wrong) - 10)
    assert [line["cells"][3] for line in heavy["rows"]] == ["0.5"] * len(heavy["rows"])
    first = margin["rows"][0]
    assert first["cells"][4] == number(X["height"].iloc[first["row"]])
    missed = np.flatnonzero(model.predict(X) != y)
    surest = missed[np.argsort(-np.abs(model.decision_function(X)[missed]), kind="stable")]
    assert [line["row"] for line in wrong_group["rows"]] == surest[:10].tolist()


def test_preparation_and_weights(two_classes):
    X, y = two_classes
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    data = report(model, X, y).data
    assert [step["name"] for step in data["preparation"]["steps"]] == ["StandardScaler"]
    coef = model[-1].coef_[0]
    rows = data["model"]["weights"]["rows"]
    assert [row["name"] for row in rows] == [X.columns[j] for j in np.argsort(-np.abs(coef))]
    assert rows[0]["weight"] == pytest.approx(coef[np.abs(coef).argmax()]) and rows[0]["share"] == 1.0
    assert data["model"]["weights"]["positive"] == "dog"


def test_tuning(two_classes):
    X, y = two_classes
    model = SVCCV(Cs=3, gammas=2).fit(X, y)
    tuning = report(model, X, y).data["tuning"]
    best = model.cv_results_["mean_test_score"]
    assert [row["score"] for row in tuning["candidates"]] == pytest.approx(np.sort(best)[::-1].tolist())
    (chosen,) = [row for row in tuning["candidates"] if row["chosen"]]
    assert chosen["params"] == {name: number(float(value)) for name, value in model.best_params_.items()}
    assert tuning["parameters"] == ["C", "gamma"] and tuning["folds"] == 5


def test_code_that_makes_it_again(two_classes, tmp_path, monkeypatch):
    X, y = two_classes
    monkeypatch.chdir(tmp_path)
    page = report(make_pipeline(StandardScaler(), SVC(C=3.0)).fit(X, y), X, y)
    assert page.data["reproduce"]["kind"] == "code"
    scope = {"X": X, "y": y}
    exec(page.data["reproduce"]["text"], scope)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    typed = report(Ridge().fit(X, range(len(y))), X, range(len(y)), command="maxmargin train a.csv")
    assert typed.data["reproduce"] == {"kind": "command", "text": "maxmargin train a.csv"}


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"y": None}, ValueError, "y is needed"),
        ({"y": ["cat"] * 5}, ValueError, "5 targets for 120 rows"),
        ({"y": ["cow"] * 120}, ValueError, "'cow' in row 0"),
        ({"class_names": ["one"]}, ValueError, "each of the 2 classes"),
        ({"feature_names": ["one"]}, ValueError, "each of the 3 columns"),
        ({"test": [1, 2, 3]}, ValueError, "pair of rows and targets"),
        ({"training": 7}, TypeError, "Training or its provenance"),
        ({"training": {"task": "binary"}}, ValueError, "no target, split"),
        ({"model": StandardScaler()}, TypeError, "StandardScaler"),
        ({"model": SVC()}, ValueError, "not fitted"),
    ],
)
def test_bad_arguments_are_named(arguments, error, words, two_classes):
    X, y = two_classes
    given = {"model": SVC(), "y": y} | arguments
    model = given.pop("model")
    if "model" not in arguments or words == "StandardScaler":
        model.fit(X, y)
    with pytest.raises(error, match=words):
        report(model, X, **given)


def test_names_may_be_given(three_classes):
    X, y = three_classes
    model = LogisticRegression().fit(X, y)
    data = report(model, X, y, feature_names=["left", "right"], class_names=["a", "b", "c"]).data
    assert [row["name"] for row in data["data"]["shown"]] == ["left", "right"]
    assert [row["name"] for row in data["result"]["classes"]] == ["a", "b", "c"]
    clusters = report(KMeans(2, random_state=0).fit(X), X, feature_names=["left", "right"]).data
    assert clusters["samples"]["columns"] == ["left", "right"]
