"""One rare row among fifty: imbalanced-learn's samplers and pipelines around ours, and the table of the manual."""

import re
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from imblearn.over_sampling import SMOTE
from imblearn.pipeline import Pipeline, make_pipeline
from imblearn.under_sampling import RandomUnderSampler
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import StandardScaler

from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier
from maxmargin.svm import SVC

PAGE = (Path(__file__).parents[2] / "docs" / "neighbors.rst").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def moons():
    """Training rows 1:50, and as many test rows of each class."""
    train = make_moons((1000, 20), noise=0.25, random_state=0)
    return *train, *make_moons((500, 500), noise=0.25, random_state=1)


@pytest.mark.parametrize("sampler", [RandomUnderSampler(random_state=0), SMOTE(random_state=0)], ids=["under", "SMOTE"])
def test_samplers_before_ours(moons, sampler):
    X, y, X_test, y_test = moons
    plain = KNeighborsClassifier(5).fit(X, y)
    model = make_pipeline(StandardScaler(), clone(sampler), KNeighborsClassifier(5)).fit(X, y)
    new_X, new_y = clone(sampler).fit_resample(StandardScaler().fit_transform(X), y)
    assert len(set(np.bincount(new_y))) == 1
    assert model[-1].n_samples_fit_ == len(new_y)
    by_hand = KNeighborsClassifier(5).fit(new_X, new_y)
    scaled = StandardScaler().fit(X).transform(X_test)
    np.testing.assert_array_equal(model.predict(X_test), by_hand.predict(scaled))
    assert model[-1].certificate_.verify(new_X, new_y).holds
    gain = [balanced_accuracy_score(y_test, m.predict(X_test)) for m in (plain, model)]
    assert gain[1] > gain[0] + 0.05


@pytest.mark.parametrize("after", [KNeighborsClassifier(1), SVC(gamma=2.0)], ids=["1-NN", "SVC"])
def test_condensing_as_a_step(moons, after):
    X, y, X_test, _ = moons
    model = Pipeline([("scale", StandardScaler()), ("condense", CondensedNearestNeighbors()), ("after", clone(after))])
    model.fit(X, y)
    condensed = model["condense"]
    assert condensed.certificate_.holds
    assert len(condensed.prototype_indices_) < len(y) / 3
    by_hand = clone(after).fit(condensed.prototypes_, condensed.prototype_labels_)
    scaled = StandardScaler().fit(X).transform(X_test)
    np.testing.assert_array_equal(model.predict(X_test), by_hand.predict(scaled))  # new rows are not condensed


def test_condensing_after_a_sampler_and_in_a_search(moons):
    X, y, _, _ = moons
    model = make_pipeline(SMOTE(random_state=0), CondensedNearestNeighbors(), KNeighborsClassifier())
    assert cross_val_score(model, X, y, scoring="balanced_accuracy", cv=3).min() > 0.6
    grid = {"condensednearestneighbors__reduce": [False, True], "kneighborsclassifier__n_neighbors": [1, 3]}
    search = GridSearchCV(model, grid, scoring="balanced_accuracy", cv=3).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("storage", [sp.csr_array, sp.csr_matrix, pd.DataFrame])
def test_kinds_of_rows_through_a_pipeline(moons, storage):
    X, y, X_test, _ = moons
    kept = make_pipeline(CondensedNearestNeighbors(), KNeighborsClassifier(1)).fit(storage(X), y)
    plain = make_pipeline(CondensedNearestNeighbors(), KNeighborsClassifier(1)).fit(X, y)
    np.testing.assert_array_equal(kept.predict(storage(X_test)), plain.predict(X_test))


def test_table_of_the_manual():
    """The code of the page makes the figures that stand in its table."""
    blocks = re.findall(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", PAGE, re.MULTILINE)
    namespace = {}
    exec(
        compile(
            textwrap.dedent(next(block for block in blocks if "SyntheticOverSampler(" in block)),
            "neighbors.rst",
            "exec",
        ),
        namespace,
    )
    table = PAGE[PAGE.index("   * - balanced accuracy") :].split("\n\n")[0]
    rows = [re.findall(r"- (.+)", row) for row in table.split("   * ")[1:]]
    assert rows[0][1:] == [f"*k* = {k}" for k in namespace["ks"]]
    shown = {row[0].strip("`"): [float(cell) for cell in row[1:]] for row in rows[1:]}
    assert shown.keys() == namespace["scores"].keys()
    for name, figures in namespace["scores"].items():
        assert shown[name] == pytest.approx(figures, abs=0.0055), name
