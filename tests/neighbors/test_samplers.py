"""Fewer rows of common classes, and synthetic ones of rare classes."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.neighbors import KNeighborsClassifier, SyntheticOverSampler, UnderSampler
from maxmargin.svm import SVC

X, Y = make_moons((300, 20), noise=0.2, random_state=0)


@parametrize_with_checks([UnderSampler(), SyntheticOverSampler()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_as_many_rows_of_each_class_as_of_the_rarest():
    rows, labels = UnderSampler(random_state=0).fit_resample(X, Y)
    np.testing.assert_array_equal(np.bincount(labels), [20, 20])
    model = UnderSampler(random_state=0).fit(X, Y)
    assert len(np.unique(model.sample_indices_)) == 40
    np.testing.assert_array_equal(rows, X[model.sample_indices_])
    np.testing.assert_array_equal(np.flatnonzero(Y == 1), model.sample_indices_[labels == 1])  # all of the rare ones
    often = np.bincount(
        np.concatenate([UnderSampler(random_state=s).fit(X, Y).sample_indices_ for s in range(300)]), minlength=320
    )
    expected = 300 * 20 / 300
    assert abs(often[Y == 0].mean() - expected) < 1e-9 and often[Y == 0].std() < 3 * np.sqrt(expected)


def test_synthetic_rows_lie_between_a_row_and_a_near_one_of_its_class():
    sampler = SyntheticOverSampler(n_neighbors=3, random_state=0)
    rows, labels = sampler.fit_resample(X, Y)
    np.testing.assert_array_equal(np.bincount(labels), [300, 300])
    np.testing.assert_array_equal(rows[:320], X)
    assert len(sampler.parents_) == 280 and (labels[320:] == 1).all()
    rare = np.flatnonzero(Y == 1)
    distances = np.linalg.norm(X[rare][:, None] - X[rare][None], axis=2)
    for new, (a, b), u in zip(rows[320:], sampler.parents_, sampler.shares_, strict=True):
        assert Y[a] == Y[b] == 1 and a != b
        np.testing.assert_allclose(new, X[a] + u * (X[b] - X[a]), atol=1e-12)
        i, j = np.searchsorted(rare, [a, b])
        nearer = np.count_nonzero(distances[i] < distances[i, j]) - 1  # without itself
        assert nearer < 3
    assert 0 <= sampler.shares_.min() and sampler.shares_.max() < 1
    assert abs(sampler.shares_.mean() - 0.5) < 4 / np.sqrt(12 * 280)
    assert len(np.unique(sampler.parents_[:, 0])) == 20  # every rare row is a parent


def test_no_class_reaches_further_than_its_rows():
    wide = np.random.default_rng(0).normal(size=(40, 3)) * 1e8 + 1e9
    y = np.array([0] * 30 + [1] * 10)
    rows, labels = SyntheticOverSampler(random_state=0).fit_resample(wide.astype(np.float32), y)
    assert rows.dtype == np.float32
    old = wide.astype(np.float32)[y == 1]
    assert (rows[labels == 1] >= old.min(axis=0)).all() and (rows[labels == 1] <= old.max(axis=0)).all()


def test_numbers_of_rows():
    X3, y3 = load_iris(return_X_y=True)
    X3, y3 = X3[:130], np.array(["a", "b", "c"])[y3[:130]]  # 50, 50, 30
    count = lambda sampler: dict(zip(*np.unique(sampler.fit_resample(X3, y3)[1], return_counts=True), strict=True))  # noqa: E731
    assert count(UnderSampler()) == {"a": 30, "b": 30, "c": 30}
    assert count(UnderSampler(rows_a_class=40)) == {"a": 40, "b": 40, "c": 30}
    assert count(UnderSampler(rows_a_class={"a": 7})) == {"a": 7, "b": 50, "c": 30}
    assert count(SyntheticOverSampler()) == {"a": 50, "b": 50, "c": 50}
    assert count(SyntheticOverSampler(rows_a_class=45)) == {"a": 50, "b": 50, "c": 45}
    assert count(SyntheticOverSampler(rows_a_class={"b": 60})) == {"a": 50, "b": 60, "c": 30}
    for wrong, words in (
        (UnderSampler(rows_a_class={"c": 31}), "class c has 30 rows; 31 cannot be kept"),
        (UnderSampler(rows_a_class={"d": 1}), "'d', which is not a class"),
        (UnderSampler(rows_a_class={"c": 0}), "at least 1; got 0"),
        (SyntheticOverSampler(rows_a_class={"c": 10}), "has 30 rows already"),
    ):
        with pytest.raises(ValueError, match=words):
            wrong.fit(X3, y3)
    with pytest.raises(ValueError, match="class 1 has one row"):
        SyntheticOverSampler().fit(X[:4], [0, 0, 0, 1])


@pytest.mark.parametrize("make", [UnderSampler, SyntheticOverSampler])
def test_kinds_of_rows(make):
    plain, labels = make(random_state=0).fit_resample(X, Y)
    rows, same = make(random_state=0).fit_resample(sp.csr_array(X), Y)
    assert sp.issparse(rows)
    np.testing.assert_allclose(rows.toarray(), plain, atol=1e-12)
    np.testing.assert_array_equal(same, labels)
    frame, _ = make(random_state=0).fit_resample(pd.DataFrame(X, columns=["east", "north"]), pd.Series(Y))
    assert list(frame.columns) == ["east", "north"]
    np.testing.assert_allclose(frame.to_numpy(), plain, atol=1e-12)
    few = np.concatenate([np.flatnonzero(Y == 0)[:3], np.flatnonzero(Y == 1)[:2]])  # fewer than neighbours asked for
    assert len(make().fit_resample(X[few], Y[few])[1]) == (6 if make is SyntheticOverSampler else 4)


@pytest.mark.parametrize("sampler", [UnderSampler(random_state=0), SyntheticOverSampler(random_state=0)])
@pytest.mark.parametrize("model", [KNeighborsClassifier(5), SVC()])
def test_balanced_rows_help_a_rare_class(sampler, model):
    X_test, y_test = make_moons((500, 500), noise=0.2, random_state=1)
    before = balanced_accuracy_score(y_test, model.fit(X, Y).predict(X_test))
    after = balanced_accuracy_score(y_test, model.fit(*sampler.fit_resample(X, Y)).predict(X_test))
    assert after > before + 0.03


@pytest.mark.parametrize("form", ["coo", "dia", "bsr", "csc", "lil", "dok"])
@pytest.mark.parametrize("kind", [UnderSampler, SyntheticOverSampler])
def test_every_sparse_format(kind, form):
    rng = np.random.default_rng(0)
    X, y = np.where(rng.random((30, 4)) < 0.5, 0.0, rng.normal(size=(30, 4))), np.repeat([0, 1], [20, 10])
    wanted, labels = kind(random_state=0).fit_resample(X, y)
    found, its = kind(random_state=0).fit_resample(sp.coo_matrix(X).asformat(form), y)
    assert np.array_equal(its, labels)
    np.testing.assert_allclose(found.toarray(), wanted, atol=1e-12)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("sampler", [UnderSampler, SyntheticOverSampler])
def test_sparse_rows_keep_their_kind(sampler, kind):
    X, y = kind(np.random.default_rng(0).normal(size=(30, 3))), np.repeat([0, 1], [22, 8])
    rows, _ = sampler(random_state=0).fit_resample(X, y)
    assert rows.format == "csr" and isinstance(rows, sp.spmatrix) == isinstance(X, sp.spmatrix)


@pytest.mark.parametrize("dtype", ["category", "object", "string", "int64"])
@pytest.mark.parametrize("sampler", [UnderSampler, SyntheticOverSampler])
def test_labels_in_a_series_stay_in_one(sampler, dtype):
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = np.repeat([0, 1], [22, 8]) if dtype == "int64" else np.repeat(["a", "b"], [22, 8])
    given = pd.Series(y, name="label", dtype=dtype)
    _, labels = sampler(random_state=0).fit_resample(X, given)
    assert isinstance(labels, pd.Series) and labels.name == "label" and labels.dtype == given.dtype
    _, plain = sampler(random_state=0).fit_resample(X, y)
    np.testing.assert_array_equal(np.asarray(labels), plain)
