"""What a page says of a certificate."""

import pytest
from sklearn.datasets import make_blobs

from maxmargin.certificates import IndefiniteKernelWarning
from maxmargin.report import _pictures, report
from maxmargin.svm import SVC, LargeSVC


def test_a_machine_that_nothing_bounds_is_not_called_confirmed():
    X, y = make_blobs(60, centers=2, cluster_std=6.0, random_state=0)
    with pytest.warns(IndefiniteKernelWarning):
        model = SVC(kernel="sigmoid", gamma=0.3, coef0=-1).fit(X, y)
    page = report(model, X, y).html
    assert "nothing is proven" in page and "confirmed" not in page.split("</style>")[-1]
    assert "recomputed and confirmed" in report(SVC().fit(X, y), X, y).html


def test_a_machine_of_many_rows_shows_the_bracket_and_its_landmarks():
    X, y = make_blobs(400, centers=2, cluster_std=4.0, random_state=0)
    model = LargeSVC(method="landmarks", n_landmarks=30).fit(X, y)
    page = report(model, X, y)
    proof, worst = page.data["certificate"], model.certificate_.worst
    assert proof["state"] == "confirmed" and proof["bracket"]
    assert proof["dual"] <= worst.dual * (1 + 1e-9) and "exact machine lies between the two" in proof["words"]
    assert "on 30 landmarks" in page.data["model"]["words"] and "30 landmarks leave" in page.data["model"]["method"]
    assert "KKT violation" not in page.html and "The exact optimum between two bounds" in page.html
    margin = next(picture for picture in page.data["pictures"] if picture["name"] == "margin")
    assert "make the model" not in page.html and "sum over landmarks" in margin["caption"]
    titles = {group["title"]: group for group in page.data["samples"]["groups"]}
    assert "The largest multipliers" not in titles
    assert titles["Inside the margin, misclassified"]["names"] == ["class", "margin", "slack"]
    exact = report(SVC().fit(X, y), X, y).html
    assert "KKT violation" in exact and "make the model" in exact and "The largest multipliers" in exact


def test_the_margin_of_many_rows_is_drawn_of_some(monkeypatch):
    monkeypatch.setattr(_pictures, "_MOST_IN_MARGIN", 50)
    X, y = make_blobs(300, centers=2, cluster_std=4.0, random_state=0)
    page = report(LargeSVC(method="landmarks", n_landmarks=30).fit(X, y), X, y)
    margin = next(picture for picture in page.data["pictures"] if picture["name"] == "margin")
    assert margin["caption"].endswith("Shown are 50 of 300 rows, drawn at random.")
