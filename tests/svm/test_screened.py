"""`predict` goes by float32 where that decides a label; its labels are those of the float64 values."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

from maxmargin.kernels import TiledGram
from maxmargin.svm import SVC, LargeSVC, NuSVC, OneClassSVM


@pytest.fixture
def always(monkeypatch):
    """Screening however small the rows are, and a count of the rows that float32 has seen."""
    seen, honest = [], TiledGram.float32_products

    def counted(self, j, coef, i=None):
        found = honest(self, j, coef, i)
        seen.append(0 if found is None else found[0].shape[1])
        return found

    monkeypatch.setattr("maxmargin.svm._screened._LEAST_VALUES", 0)
    monkeypatch.setattr(TiledGram, "float32_products", counted)
    return seen


def classes(rng, n, k, d=5, apart=2.0):
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + apart * rng.normal(size=(k, d))[y], y


def by_values(model, X):
    """Labels by the float64 values."""
    if isinstance(model, OneClassSVM):
        return np.where(model.decision_function(X) >= 0, 1, -1)
    return model.classes_[model._fitted_scheme().vote(model._binary_values(X))]


MODELS = {
    "two": (SVC(), 2),
    "large C": (SVC(C=1e4), 2),
    "pairs": (SVC(C=3.0), 5),
    "rest": (SVC(multi_class="ovr"), 4),
    "joint": (SVC(multi_class="crammer_singer"), 3),
    "nu": (NuSVC(nu=0.2), 3),
    "landmarks": (LargeSVC(method="landmarks", n_landmarks=60, gap_tol=0.5), 3),
    "one class": (OneClassSVM(nu=0.2), 1),
}


@pytest.mark.parametrize("storage", ["dense", "float32", "sparse"])
@pytest.mark.parametrize("name", MODELS)
def test_labels_are_those_of_float64(name, storage, always):
    model, k = MODELS[name]
    X, y = classes(np.random.default_rng(len(name)), 900, k)
    X = X.astype(np.float32) if storage == "float32" else sp.csr_array(X) if storage == "sparse" else X
    model.fit(X[:400], y[:400])
    always.clear()
    found = model.predict(X)
    assert sum(always) >= 900
    np.testing.assert_array_equal(found, by_values(model, X))


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.floats(-4, 8), st.floats(0, 6), st.floats(-2, 1))
@settings(max_examples=40, deadline=None)
def test_labels_of_rows_near_the_boundary_are_those_of_float64(seed, k, C, offset, reach):
    """Rows that bisection brings to a boundary, where the last digits decide."""
    rng = np.random.default_rng(seed)
    X, y = classes(rng, 120, k, 3)
    X = (X + 10.0**offset * rng.normal(size=3)) * 10.0 ** rng.uniform(-6, 6)
    gamma = 10.0**reach / np.square(X - X.mean(axis=0)).sum(axis=1).mean()
    model = OneClassSVM(nu=0.3, gamma=gamma) if k == 1 else SVC(C=10.0**C, gamma=gamma, max_iter=500)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("maxmargin.svm._screened._LEAST_VALUES", 0)
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        a, b = X[rng.integers(0, 120, 200)], X[rng.integers(0, 120, 200)]
        left, right = a.copy(), b.copy()
        for _ in range(40):
            middle = (left + right) / 2
            same = by_values(model, middle) == by_values(model, left)
            left, right = np.where(same[:, None], middle, left), np.where(same[:, None], right, middle)
        near = np.vstack([left, right, X])
        np.testing.assert_array_equal(model.predict(near), by_values(model, near))


def test_a_tie_to_the_last_digit_is_left_to_float64(always):
    """Values of zero, and of rows that mirror each other: nothing is screened where it could differ."""
    X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]] * 3)
    y = np.array([1, 0, 1, 0] * 3)
    model = SVC(gamma=1.0).fit(X, y)
    grid = np.array([[t, t] for t in np.linspace(-3, 3, 101)] + [[t, -t] for t in np.linspace(-3, 3, 101)])
    np.testing.assert_array_equal(model.predict(grid), by_values(model, grid))


def test_the_votes_of_pairs_are_settled_only_if_no_values_within_change_them():
    """Against all corners of the intervals of three classes."""
    from maxmargin.svm._one_vs_one import OneVsOne
    from maxmargin.svm._one_vs_rest import OneVsRest

    rng = np.random.default_rng(5)
    values, errors = rng.normal(size=(2000, 3)), rng.exponential(0.5, (2000, 3))
    corners = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    for scheme in (OneVsOne(3), OneVsRest(3)):
        settled = scheme.settled(values, errors)
        votes = np.array([scheme.vote(values + corner * errors) for corner in corners])
        same = (votes == scheme.vote(values)).all(axis=0)
        assert (same | ~settled).all()
        assert settled.sum() > 0.9 * same.sum()  # and most that could be are
        assert not scheme.settled(values, np.full_like(errors, np.inf)).any()
        assert not scheme.settled(np.full_like(values, np.nan), errors).any()


def test_a_row_beyond_the_range_of_float32_is_left_to_float64(always):
    X, y = classes(np.random.default_rng(6), 300, 2)
    model = SVC(gamma=1e-28).fit(1e13 * X, y)
    rows = 1e13 * X
    rows[151] = 2e15  # not among those looked at first
    np.testing.assert_array_equal(model.predict(rows), by_values(model, rows))
