"""Gradient boosting: the sums that it predicts, its limits, and the losses of its rounds."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier as SklearnClassifier,
    HistGradientBoostingRegressor as SklearnRegressor,
)

from maxmargin.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor


def _rows(n=2000, d=6, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(1)  # at most some 80 distinct values: each has a bin, as in scikit-learn
    y = X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.3 * rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


LOSSES = ["squared_error", "absolute_error", "poisson", "gamma", "quantile"]


def _regressor(loss, **options):
    extra = {"quantile": 0.7} if loss == "quantile" else {}
    return HistGradientBoostingRegressor(loss, **extra, **options)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_loss_is_that_of_scikit_learn(loss, missing):
    """Where each value has a bin, both grow the same trees, but for splits that gain the same."""
    X, y = _rows(missing=missing)
    y = np.exp(y / 2) if loss in ("poisson", "gamma") else y
    ours = _regressor(loss, max_iter=30).fit(X, y)
    extra = {"quantile": 0.7} if loss == "quantile" else {}
    theirs = SklearnRegressor(loss=loss, max_iter=30, **extra).fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.02)
    assert ours.certificate_.holds
    if loss == "squared_error":
        off = np.abs(ours.predict(X) - theirs.predict(X))
        assert np.median(off) < 1e-5


@pytest.mark.parametrize("classes", [2, 4])
def test_probabilities_are_those_of_scikit_learn(classes):
    X, y = _rows()
    label = np.digitize(y, np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1]))
    ours = HistGradientBoostingClassifier(max_iter=20).fit(X, label)
    theirs = SklearnClassifier(max_iter=20).fit(X, label)
    off = np.abs(ours.predict_proba(X) - theirs.predict_proba(X))
    assert np.median(off) < 1e-5 and off.mean() < 1e-2
    assert ours.certificate_.holds
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1.0)


def test_losses_of_the_certificate_are_those_of_the_stages():
    X, y = _rows()
    model = HistGradientBoostingRegressor(max_iter=12).fit(X, y)
    stages = [np.mean((p - y) ** 2) / 2 for p in model.staged_predict(X)]
    np.testing.assert_allclose(model.certificate_.losses[1:], stages, rtol=1e-12)
    # the squared error: what is guaranteed is what happens
    np.testing.assert_allclose(model.certificate_.guaranteed, -np.diff(model.certificate_.losses), rtol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
def test_guaranteed_decreases_are_below_the_real_ones(classes):
    X, y = _rows()
    label = np.digitize(y, np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1]))
    proof = HistGradientBoostingClassifier(max_iter=40, learning_rate=0.5).fit(X, label).certificate_
    real = -np.diff(proof.losses)
    assert (real >= proof.guaranteed - 1e-12).all()
    assert (proof.guaranteed > 0).all()
    assert (proof.guaranteed < real).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_repetitions(loss):
    X, y = _rows(400, 3)
    y = np.exp(y / 2) if loss in ("poisson", "gamma") else y
    times = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = _regressor(loss, max_iter=10, min_samples_leaf=1, max_depth=3).fit(X, y, times)
    repeated = _regressor(loss, max_iter=10, min_samples_leaf=1, max_depth=3).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-8)
    assert weighted.certificate_.holds and weighted.certificate_.verify(X, y, times).holds


def test_a_model_does_not_depend_on_threads(tmp_path):
    """The same bits from one thread and from several, of a table that several grow together."""
    code = (
        "import numpy as np, sys, hashlib\n"
        "from maxmargin.ensemble import HistGradientBoostingClassifier\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.normal(size=(40_000, 60)).astype(np.float32)\n"
        "y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)\n"
        "model = HistGradientBoostingClassifier(max_iter=3, early_stopping=False).fit(X, y)\n"
        "print(hashlib.sha256(model.decision_function(X).tobytes()).hexdigest())\n"
    )
    pin = (
        "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        if hasattr(os, "sched_getaffinity")
        else ""
    )
    said = {
        subprocess.run([sys.executable, "-c", first + code], capture_output=True, text=True, check=True).stdout
        for first in ("", pin)
    }
    assert len(said) == 1


def test_limits_are_kept():
    X, y = _rows()
    model = HistGradientBoostingRegressor(max_iter=5, max_leaf_nodes=7, max_depth=4, min_samples_leaf=50).fit(X, y)
    trees = model._series
    assert trees.depths.max() <= 4
    leaf = trees.left < 0
    assert trees.count[leaf].min() >= 50
    assert max(np.diff(trees.first)) <= 13
    boundless = HistGradientBoostingRegressor(max_iter=2, max_leaf_nodes=None, min_samples_leaf=1).fit(X, y)
    assert max(np.diff(boundless._series.first)) > 500
    assert boundless.certificate_.holds


def test_interactions_are_kept():
    X, y = _rows()
    model = HistGradientBoostingRegressor(max_iter=10, interaction_cst=[{0, 1}, {1, 2}]).fit(X, y)
    trees = model._series
    for t in range(trees.n_trees):
        tree = trees.part(t, t + 1)
        paths = [(0, frozenset())]
        while paths:
            node, above = paths.pop()
            if tree.left[node] < 0:
                continue
            used = above | {int(tree.feature[node])}
            assert any(used <= group for group in ({0, 1}, {1, 2}, {3, 4, 5}))
            paths += [(tree.left[node], used), (tree.left[node] + 1, used)]


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_monotonic_predictions(loss):
    X, y = _rows()
    model = HistGradientBoostingRegressor(loss, max_iter=30, monotonic_cst=[1, 0, -1, 0, 0, 0]).fit(X, y)
    grid = np.tile(X[:50], (40, 1, 1))
    for column, sign in ((0, 1), (2, -1)):
        rows = grid.copy()
        rows[:, :, column] = np.linspace(-3, 3, 40)[:, None]
        predicted = model.predict(rows.reshape(-1, X.shape[1])).reshape(40, 50)
        assert (sign * np.diff(predicted, axis=0) >= 0).all()
    assert model.certificate_.holds and model.certificate_.verify(X, y).holds


def test_categories_of_a_frame():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", "grey"], 1000)
    frame = pd.DataFrame({"colour": pd.Categorical(colour), "size": rng.normal(size=1000)})
    y = np.isin(colour, ["red", "grey"]) * 1.0
    model = HistGradientBoostingRegressor(max_iter=30, max_depth=1).fit(frame, y)
    assert model.score(frame, y) > 0.99
    assert model.is_categorical_.tolist() == [True, False]
    unknown = frame.assign(colour=pd.Categorical(["mauve"] * 1000))
    assert len(np.unique(model.predict(unknown))) == 1
    assert model.certificate_.verify(frame, y).holds


def test_verify_refutes_other_rows_and_changed_trees():
    X, y = _rows()
    model = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
    assert model.certificate_.verify(X, y).holds
    assert not model.certificate_.verify(X, y[::-1]).holds
    assert not model.certificate_.verify(X + 0.5, y).holds
    with pytest.raises(ValueError, match="expected 2000 rows"):
        model.certificate_.verify(X[:100], y[:100])
    kept = model._series.value.copy()
    model._series.value[-1] += 1e-6
    assert str(model.certificate_.verify(X, y).status) == "refuted"
    model._series.value[:] = kept
    between = np.flatnonzero(model._series.left >= 0)[0]
    model._series.threshold[between] += 1e-9  # no training row changes sides
    assert str(model.certificate_.verify(X, y).status) == "refuted"


def test_a_loss_that_rises_is_said():
    X, y = _rows(200)
    proof = HistGradientBoostingRegressor(max_iter=5, learning_rate=2.5).fit(X, y).certificate_
    assert not proof.holds and proof.figures["rounds in which it rose"] == 5
    assert "learning_rate" in proof.statement


def test_early_stopping_and_going_on():
    X, y = _rows(3000)
    model = HistGradientBoostingRegressor(
        max_iter=200, early_stopping=True, n_iter_no_change=3, tol=1e-3, random_state=0
    ).fit(X, y)
    assert model.n_iter_ < 200
    assert len(model.train_score_) == len(model.validation_score_) == model.n_iter_ + 1
    assert model.certificate_.verify(X, y).holds
    whole = HistGradientBoostingRegressor(max_iter=20, random_state=0).fit(X, y)
    parts = HistGradientBoostingRegressor(max_iter=8, random_state=0, warm_start=True).fit(X, y)
    parts.set_params(max_iter=20).fit(X, y)
    np.testing.assert_array_equal(whole.predict(X), parts.predict(X))
    parts.set_params(max_iter=25, learning_rate=0.3, max_depth=2).fit(X, y)
    assert parts.certificate_.verify(X, y).holds


def test_bundles_of_indicators():
    """Indicators of the levels of something share a byte, and give the trees that they give one by one."""
    rng = np.random.default_rng(0)
    level = rng.integers(0, 12, 3000)
    X = np.column_stack([np.eye(12)[level], rng.normal(size=3000).round(1)])
    y = np.array([1.0, -2, 0.5, 3, 0, 0, 1, 2, -1, 0.3, 0.1, 5])[level] + X[:, -1]
    ours = HistGradientBoostingRegressor(max_iter=20).fit(X, y)
    theirs = SklearnRegressor(max_iter=20).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    assert ours._codes((X, y, None)).packed.rows.size == 2 * len(X)


def test_huge_and_tiny_targets():
    X, y = _rows(500)
    model = HistGradientBoostingRegressor(max_iter=5)
    plain = clone(model).fit(X, y).predict(X)
    for factor in (2.0**200, 2.0**-200):
        scaled = clone(model).fit(X, y * factor)
        np.testing.assert_allclose(scaled.predict(X), plain * factor, rtol=1e-9)
        assert scaled.certificate_.holds


def test_going_on_with_other_columns_is_refused_and_leaves_the_model():
    """The model then took itself for one of four columns, and refused all rows."""
    X, y = _rows(300)
    model = HistGradientBoostingRegressor(max_iter=5, warm_start=True).fit(X, y)
    said = model.predict(X)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"goes on with trees of 6 columns.* X has 4 columns"):
            model.set_params(max_iter=10).fit(X[:, :4], y)
    np.testing.assert_array_equal(model.predict(X), said)
    assert model.certificate_.verify(X, y).holds
    assert model.fit(X, y).n_iter_ == 10


def test_a_loss_that_overflows_is_said():
    """It was said to fall in all rounds and to rise in all, from inf to inf, for a smaller learning rate."""
    model = HistGradientBoostingRegressor(max_iter=3).fit(np.eye(30), np.arange(30) * 1e300)
    assert not model.certificate_.holds
    assert "overflows float64" in model.certificate_.statement and "Scale y" in model.certificate_.statement
    assert model.certificate_.figures["rounds with a guaranteed decrease"] == 0


@pytest.mark.parametrize("count", [0, 2])
def test_a_baseline_of_another_shape_is_refuted(count):
    """One that is repeated has the values of the right one."""
    X = np.linspace(0, 1, 80)[:, None]
    model = HistGradientBoostingRegressor(max_iter=3).fit(X, X[:, 0] ** 2)
    model._baseline = np.repeat(model._baseline, count)
    assert model.certificate_.verify(X, X[:, 0] ** 2).holds is False
