"""Small tables, models of every family, and a reader of pages."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from maxmargin.report import _report

VOID = {"meta", "link", "br", "img", "hr", "path", "use", "rect", "circle", "image", "stop", "line"}


class Page(HTMLParser):
    """What a page holds: elements with their attributes, and its text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.words, self.open, self.crossed = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return re.sub(r"[ \n\t]+", " ", " ".join(self.words))

    def ids(self):
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]

    def tags(self):
        return {tag for tag, _ in self.elements}


@pytest.fixture
def no_pictures(monkeypatch):
    """Pages without their pictures, which take most of the time."""
    monkeypatch.setattr(_report, "draw_pictures", lambda subject, account: ([], []))


@pytest.fixture(scope="session")
def read():
    return Page


@pytest.fixture(scope="session")
def two_classes():
    """120 rows of three columns by name, and labels that overlap a little."""
    X, k = make_blobs(120, centers=2, n_features=3, cluster_std=3.0, random_state=0)
    return pd.DataFrame(X, columns=["height", "weight", "age"]), np.array(["cat", "dog"])[k]


@pytest.fixture(scope="session")
def three_classes():
    return make_blobs(90, centers=3, n_features=2, cluster_std=2.0, random_state=1)


@pytest.fixture(scope="session")
def values(two_classes):
    X, _ = two_classes
    noise = np.random.default_rng(0).normal(size=len(X))
    return X, 2.0 * X["height"].to_numpy() - X["age"].to_numpy() + noise


@pytest.fixture(scope="session")
def mixed():
    """A table as it comes: an id, numbers and words with gaps, dates, a constant, and a target in words."""
    rng, n = np.random.default_rng(1), 240
    table = pd.DataFrame(
        {
            "id": np.arange(n) + 1000,
            "age": rng.integers(18, 90, n).astype(float),
            "city": rng.choice(["Wien", "Graz", "Linz"], n),
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, n), "D"),
            "always": 7,
        }
    )
    z = 0.1 * (table["age"] - 50) + 2.0 * (table["city"] == "Wien") + rng.normal(size=n)
    table["churn"] = np.where(z > 0, "leaves", "stays")
    table.loc[rng.random(n) < 0.1, "age"] = np.nan
    table.loc[rng.random(n) < 0.1, "city"] = None
    return table
