"""Condensing: consistent on every training row, whatever the rows, and no more prototypes than the claim says."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.neighbors
from hypothesis import given, settings, strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.certificates import Status
from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier
from maxmargin.neighbors.condensed._contradictions import contradicting
from maxmargin.neighbors.search._tiles import Columns


def by_hand(X, y, order):
    """Hart's rule as it is written, one distance at a time."""
    _, first = np.unique(y[order], return_index=True)
    kept = sorted(order[first], key=list(order).index)
    while True:
        before = len(kept)
        for i in order:
            squares = np.square(X[kept] - X[i]).sum(axis=1)
            nearest = min(range(len(kept)), key=lambda t: (squares[t], kept[t]))
            if y[kept[nearest]] != y[i] and i not in kept:
                kept.append(i)
        if len(kept) == before:
            return np.sort(kept)


def errors_by_scikit_learn(model, X, y):
    rule = sklearn.neighbors.KNeighborsClassifier(1, algorithm="brute").fit(model.prototypes_, model.prototype_labels_)
    return int((rule.predict(X) != y).sum())


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("n", [5, 90, 700])  # within a block of visits, and over several
def test_it_is_harts_rule(clouds, n, seed):
    X, y = clouds(n, 3, seed, distance=1.5)
    order = np.random.RandomState(seed).permutation(n)
    model = CondensedNearestNeighbors(random_state=seed).fit(X, y)
    np.testing.assert_array_equal(model.prototype_indices_, by_hand(X, y, order))


@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize("name", ["iris", "wine", "digits", "breast_cancer"])
def test_consistent_on_real_data(load, name, reduce):
    X, y = load(name)
    model = CondensedNearestNeighbors(reduce=reduce).fit(X, y)
    proof = model.certificate_
    assert proof.holds
    assert proof.status is Status.CONVERGED
    assert errors_by_scikit_learn(model, X, y) == 0
    np.testing.assert_array_equal(model.predict(X), y)
    kept = model.prototype_indices_
    assert (np.diff(kept) > 0).all()
    np.testing.assert_array_equal(model.prototypes_, X[kept])
    np.testing.assert_array_equal(model.prototype_labels_, y[kept])
    assert proof.figures["share kept"] == len(kept) / len(y) < 0.5
    assert proof.verify(X, y).figures == proof.figures


@pytest.mark.parametrize("seed", [0, 1])
def test_reduced_sets_are_smaller_and_cannot_be_reduced(clouds, seed):
    X, y = clouds(300, 2, seed, distance=2.0)
    plain = CondensedNearestNeighbors(random_state=seed).fit(X, y)
    model = CondensedNearestNeighbors(random_state=seed, reduce=True).fit(X, y)
    assert set(model.prototype_indices_) < set(plain.prototype_indices_)
    assert model.certificate_.figures["prototypes to spare"] == 0
    kept = model.prototype_indices_
    for left_out in kept:
        rest = kept[kept != left_out]
        rule = sklearn.neighbors.KNeighborsClassifier(1).fit(X[rest], y[rest])
        assert (rule.predict(X) != y).any()


@pytest.mark.parametrize("reduce", [False, True])
def test_storages_agree(clouds, reduce):
    X, y = clouds(300, 4, distance=1.5)
    X = np.where(np.abs(X) > 0.5, X, 0).astype(np.float32)
    forms = [X, X.astype(np.float64), sp.csr_array(X), sp.csr_matrix(X.astype(np.float64))]
    models = [CondensedNearestNeighbors(reduce=reduce).fit(form, y) for form in forms]
    for model in models[1:]:
        np.testing.assert_array_equal(model.prototype_indices_, models[0].prototype_indices_)
    np.testing.assert_array_equal(models[2].prototypes_.toarray(), models[0].prototypes_)


def test_the_order_is_that_of_the_seed(clouds):
    X, y = clouds(200)
    first, again, other = (CondensedNearestNeighbors(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.prototype_indices_, again.prototype_indices_)
    assert set(first.prototype_indices_) != set(other.prototype_indices_)


def test_far_classes_need_one_prototype_each():
    X = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [20.0]])
    model = CondensedNearestNeighbors(reduce=True).fit(X, ["a", "a", "a", "b", "b", "c"])
    assert len(model.prototype_indices_) == 3


# ---------------------------------------------------------------- rows that contradict each other


@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_contradictions_are_counted_and_explained(clouds, storage, reduce):
    X, y = clouds(100, distance=3.0)
    X, y = np.concatenate([X, X[:10], X[:10], X[:5]]), np.concatenate([y, 1 - y[:10], y[:10], 1 - y[:5]])
    with pytest.warns(ConvergenceWarning, match="equal to rows with another label, and no rule can be right on both"):
        model = CondensedNearestNeighbors(reduce=reduce).fit(storage(X), y)
    proof = model.certificate_
    # three or four copies of ten rows: one of three is wrong, two of four
    assert proof.figures["training errors"] == proof.figures["contradicting rows"] == 5 + 10
    assert not proof.holds
    assert proof.status is Status.CONVERGED
    wrong = model.predict(storage(X)) != y
    assert not wrong[10:100].any()
    assert proof.verify(storage(X), y).figures == proof.figures


def test_which_rows_contradict():
    X = np.array([[1.0, 0.0], [1.0, -0.0], [1.0, 0.0], [2.0, 1.0], [2.0, 1.0], [3.0, 3.0]])
    label = np.array([0, 1, 1, 1, 0, 2])
    expected = [True, False, False, True, False, False]  # two against one; one against one: the first class
    for storage in (np.asarray, sp.csr_array):
        np.testing.assert_array_equal(contradicting(Columns(storage(X)).rows, label), expected)


def test_nothing_but_contradictions():
    with pytest.warns(ConvergenceWarning, match="2 of 4 training rows are wrong"):
        model = CondensedNearestNeighbors().fit(np.ones((4, 2)), [0, 1, 0, 1])
    np.testing.assert_array_equal(model.predict(np.ones((4, 2))), 0)


coordinates = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 1e-9, 1e9, 1e30, -1e30, 1e-200]), st.floats(-10, 10))


@given(
    values=st.lists(st.tuples(coordinates, coordinates, st.integers(0, 3)), min_size=2, max_size=40),
    reduce=st.booleans(),
    seed=st.integers(0, 3),
)
@settings(max_examples=100)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_hostile_rows(values, reduce, seed):
    X, y = np.array([value[:2] for value in values]), np.array([value[2] for value in values])
    model = CondensedNearestNeighbors(reduce=reduce, random_state=seed).fit(X, y)
    proof = model.certificate_
    # the least number of errors that any function of the rows can make
    least = sum(len(group) - group.value_counts().max() for _, group in pd.Series(y).groupby([*(X + 0.0).T]))
    assert proof.figures["training errors"] == (model.predict(X) != y).sum()
    assert proof.figures["training errors"] >= least
    if np.abs(X).max() < 1e9:  # beyond, different rows may be equal to rounding errors
        distinct = np.unique(X[:, 0] + 0.0), np.unique(X[:, 1] + 0.0)
        if all(np.diff(axis, prepend=-np.inf).min() > 1e-150 for axis in distinct):
            assert proof.figures["training errors"] == least


# ---------------------------------------------------------------- use


def test_one_class():
    model = CondensedNearestNeighbors(reduce=True).fit([[0.0], [1.0]], ["a", "a"])
    assert len(model.prototype_indices_) == 1
    np.testing.assert_array_equal(model.predict([[5.0]]), ["a"])


def test_resampled_data_keep_their_kind(clouds):
    X, y = clouds(80)
    frame, series = pd.DataFrame(X, columns=list("abc")), pd.Series(np.array(["no", "yes"])[y])
    model = CondensedNearestNeighbors()
    new_X, new_y = model.fit_resample(frame, series)
    assert isinstance(new_X, pd.DataFrame)
    assert isinstance(new_y, pd.Series)
    np.testing.assert_array_equal(new_X.to_numpy(), model.prototypes_)
    np.testing.assert_array_equal(new_y.to_numpy(), model.prototype_labels_)
    sparse_X, list_y = model.fit_resample(sp.csr_array(X), list(y))
    assert sp.issparse(sparse_X)
    assert len(list_y) == sparse_X.shape[0]


def test_before_another_classifier_and_in_a_pipeline(clouds):
    X, y = clouds(200, distance=2.0)
    new_X, new_y = CondensedNearestNeighbors().fit_resample(X, y)
    rule = KNeighborsClassifier(1).fit(new_X, new_y)
    assert rule.score(X, y) == 1.0
    assert make_pipeline(StandardScaler(), CondensedNearestNeighbors()).fit(X, y).score(X, y) == 1.0


def test_pickle(clouds):
    X, y = clouds(100)
    model = CondensedNearestNeighbors().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.certificate_.verify(X, y).holds


def test_a_lost_prototype_is_found_out(clouds):
    X, y = clouds(100)
    model = CondensedNearestNeighbors(reduce=True).fit(X, y)
    model.prototypes_, model.prototype_labels_ = model.prototypes_[1:], model.prototype_labels_[1:]
    model.prototype_indices_ = model.prototype_indices_[1:]
    found = model.certificate_.verify(X, y)
    assert found.status is Status.REFUTED
    assert not found.holds


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"reduce": "yes"}, "'reduce' parameter"), ({"n_jobs": 0}, "n_jobs=0"), ({"random_state": "a"}, "'random_state'")],
)
def test_bad_parameters(clouds, parameters, words):
    with pytest.raises(ValueError, match=words):
        CondensedNearestNeighbors(**parameters).fit(*clouds())


def test_bad_data(clouds):
    X, y = clouds()
    with pytest.raises(ValueError, match="NaN"):
        CondensedNearestNeighbors().fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="0 sample"):
        CondensedNearestNeighbors().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        CondensedNearestNeighbors().fit(X, y + 0.5)
    with pytest.raises(ValueError, match="expected 60 rows, got X with 59"):
        CondensedNearestNeighbors().fit(X, y).certificate_.verify(X[1:], y[1:])
