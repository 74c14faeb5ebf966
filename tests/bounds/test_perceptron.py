"""The mistake bound, against a perceptron written out."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from maxmargin.bounds import mistake_bound, mistake_bound_of


def _mistakes(X, y, rng, most=10**6):
    """Mistakes of a perceptron until a pass, each in a new order, has none."""
    w, mistakes = np.zeros(X.shape[1]), 0
    while mistakes <= most:
        before = mistakes
        for i in rng.permutation(len(X)):
            if y[i] * (w @ X[i]) <= 0:
                w += y[i] * X[i]
                mistakes += 1
        if mistakes == before:
            return mistakes
    raise AssertionError(f"more than {most} mistakes")


@settings(max_examples=30)
@given(st.integers(1, 6), st.floats(0.02, 0.5), st.booleans(), st.integers(0, 10**6))
def test_no_perceptron_makes_more(d, margin, intercept, seed):
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=d), float(rng.normal()) if intercept else 0.0
    X = rng.normal(size=(60, d)) * 3
    distances = (X @ w + b) / np.hypot(np.linalg.norm(w), b)
    X = X[np.abs(distances) > margin]
    if len(X) == 0:
        return
    y = np.sign(X @ w + b)
    found = mistake_bound_of(X, y, w, b if intercept else None)
    assert found.margin > margin
    seen = np.column_stack([X, np.ones(len(X))]) if intercept else X
    assert 1 <= _mistakes(seen, y, rng) <= found.mistakes


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_samples_at_right_angles_reach_the_bound(n):
    """What is learned of one says nothing of the others: n mistakes, and (radius / margin)^2 = n."""
    rng = np.random.default_rng(n)
    y = rng.choice([-1.0, 1.0], size=n)
    found = mistake_bound_of(np.eye(n), y, w=y)
    assert_allclose(found.mistakes, n, rtol=1e-12)
    assert _mistakes(np.eye(n), y, rng) == n


def test_radius_and_margin_of_samples():
    X, y = np.array([[3.0, 4.0], [-4.0, 0.0]]), np.array([1, -1])
    assert mistake_bound_of(X, y, [2.0, 0.0]) == (mistake_bound(5.0, 3.0), 5.0, 3.0)
    with_intercept = mistake_bound_of(X, y, [2.0, 0.0], 1.0)
    assert_allclose(with_intercept, (26 / (7**2 / 5), np.sqrt(26), 7 / np.sqrt(5)), rtol=1e-14)
    assert_allclose(mistake_bound_of(X, y, [0.02, 0.0], 0.01), with_intercept, rtol=1e-14)  # any length of w
    assert_allclose(mistake_bound_of(sparse.csr_array(X), y, [2.0, 0.0], 1.0), with_intercept, rtol=1e-14)
    assert_allclose(mistake_bound_of([[0.1, 0.3]], [1], [0.1, 0.3]).mistakes, 1.0, rtol=1e-14)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"X": [1.0, 2.0]}, r"X must have one row for each sample.*shape \(2,\)"),
        ({"X": np.empty((0, 2)), "y": []}, "at least one row"),
        ({"y": [0, 1]}, r"y must hold 2 labels of -1 and \+1"),
        ({"y": [1]}, "y must hold 2 labels"),
        ({"w": [1.0]}, "w must hold 2 numbers, one for each column of X; got 1"),
        ({"w": [-1.0, 0.0]}, r"must separate the samples.* that of sample 1 is -4\.0"),
        ({"w": [0.0, 0.0]}, r"must separate the samples.* is 0\.0"),
        ({"w": [np.nan, 0.0]}, "must separate the samples"),
    ],
)
def test_wrong_samples_are_named(changed, message):
    arguments = {"X": [[3.0, 4.0], [-4.0, 0.0]], "y": [1, -1], "w": [2.0, 0.0], **changed}
    with pytest.raises(ValueError, match=message):
        mistake_bound_of(**arguments)


@pytest.mark.parametrize(
    ("radius", "margin", "message"),
    [
        (0.0, 1.0, r"radius must be a positive finite number; got 0\.0"),
        (1.0, -1.0, r"margin must be a positive finite number; got -1\.0"),
        (np.inf, 1.0, "radius must be .* got inf"),
        ("1", 1.0, "radius must be .* got '1'"),
        (1.0, 2.0, r"margin must be at most radius.* margin=2\.0 and radius=1\.0"),
    ],
)
def test_wrong_arguments_are_named(radius, margin, message):
    with pytest.raises(ValueError, match=message):
        mistake_bound(radius, margin)
