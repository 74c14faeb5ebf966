"""What cannot be searched or voted on is refused, by a message that names the parameter, the column and the remedy."""

import numpy as np
import pandas as pd
import pytest
import sklearn.neighbors

from maxmargin.neighbors import CondensedNearestNeighbors, KNeighborsClassifier, KNeighborsRegressor

X = np.random.default_rng(0).normal(size=(12, 3))
y = np.arange(12) % 2
ALL = [KNeighborsClassifier, KNeighborsRegressor, CondensedNearestNeighbors]


def frame(**columns):
    return pd.DataFrame({"length": X[:, 0], "width": X[:, 1], **columns})


@pytest.mark.parametrize("room", ALL)
class TestColumns:
    def test_text(self, room):
        bad = frame(colour=["1.5"] * 3 + ["red"] + ["2"] * 8)
        with pytest.raises(
            ValueError, match=r"Column 'colour' of X has 'red' in row 3, which is not a number: encode or"
        ):
            room().fit(bad, y)

    def test_things(self, room):
        bad = frame(box=[1.0, 2.0, {}] + [3.0] * 9)
        with pytest.raises(TypeError, match=r"Column 'box' of X has {} in row 2, which is not a number"):
            room().fit(bad, y)

    @pytest.mark.parametrize(("value", "words"), [(np.nan, "missing"), (np.inf, "infinite"), (-np.inf, "infinite")])
    def test_not_finite(self, room, value, words):
        bad = frame(height=np.where(np.arange(12) > 9, value, 1.0))
        with pytest.raises(ValueError, match=rf"Column 'height' of X has 2 {words} values, the first in row 10: fill"):
            room().fit(bad, y)
        model = room().fit(frame(height=1.0), y)
        with pytest.raises(ValueError, match="Column 'height' of X"):
            model.predict(bad)
        with pytest.raises(ValueError, match=f"Column 2 of X has 2 {words} values"):
            room().fit(bad.to_numpy(), y)

    def test_no_more_than_three_are_listed(self, room):
        with pytest.raises(ValueError, match=r"Column 2 of X .* 3 more columns are like that") as raised:
            room().fit(np.full((12, 6), np.nan), y)
        assert "Column 3" not in str(raised.value)

    def test_good_columns_are_not_blamed(self, room):
        with pytest.raises(ValueError, match="inconsistent numbers of samples") as raised:
            room().fit(frame(), y[1:])
        assert "Column" not in str(raised.value)


def test_missing_values_where_the_metric_takes_them():
    with_gaps = X.copy()
    with_gaps[0, 0] = np.nan
    model = KNeighborsClassifier(metric="nan_euclidean").fit(with_gaps, y)
    assert model.predict(with_gaps).shape == (12,)
    with pytest.raises(ValueError, match="inconsistent numbers of samples") as raised:
        model.fit(with_gaps, y[1:])
    assert "Column" not in str(raised.value)


@pytest.mark.parametrize("room", ALL)
class TestRows:
    def test_none(self, room):
        with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
            room().fit(X[:0], y[:0])

    def test_without_features(self, room):
        with pytest.raises(ValueError, match=r"Found array with 0 feature\(s\)"):
            room().fit(X[:, :0], y)

    def test_of_other_features(self, room):
        with pytest.raises(ValueError, match=r"X has 2 features, but \w+ is expecting 3 features"):
            room().fit(X, y).predict(X[:, :2])

    def test_without_labels(self, room):
        with pytest.raises(ValueError, match="requires y to be passed"):
            room().fit(X, None)

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_labels_that_are_not_finite(self, room, bad):
        with pytest.raises(ValueError, match=r"Input y contains (NaN|infinity)"):
            room().fit(X, np.where(y == 1, 1.0, bad))


def test_more_neighbours_than_rows_from_every_door():
    model = KNeighborsClassifier(n_neighbors=13).fit(X, y)
    for door in (model.predict, model.predict_proba, model.kneighbors, model.kneighbors_graph):
        with pytest.raises(ValueError, match=r"n_neighbors = 13, n_samples_fit = 12.* Use n_neighbors of at most 12"):
            door(X[:2])
    assert not model.certificate_.holds


@pytest.mark.parametrize("room", [KNeighborsClassifier, KNeighborsRegressor])
@pytest.mark.parametrize("make", [sklearn.neighbors.KDTree, sklearn.neighbors.BallTree])
def test_trees_are_no_rows(room, make):
    with pytest.raises(TypeError, match=rf"X is a {make.__name__}.* give the rows themselves"):
        room().fit(make(X), y)


def test_searches_are_no_rows():
    with pytest.raises(TypeError, match="X is a NearestNeighbors"):
        KNeighborsClassifier().fit(sklearn.neighbors.NearestNeighbors().fit(X), y)


@pytest.mark.parametrize("weights", ["uniform", "distance", "inverse_class_size"])
def test_one_class(weights):
    model = KNeighborsClassifier(3, weights=weights).fit(X, ["only"] * 12)
    np.testing.assert_array_equal(model.predict(X), "only")
    np.testing.assert_array_equal(model.predict_proba(X), 1.0)


@pytest.mark.parametrize("room", [KNeighborsClassifier, KNeighborsRegressor])
class TestWeights:
    def test_negative(self, room):
        model = room(3, weights=lambda d: 0.5 - d).fit(X, y)
        with pytest.raises(ValueError, match=r"weights returned negative weights, the smallest -\d"):
            model.predict(X)

    def test_so_large_that_sums_overflow(self, room):
        same = room(3, weights=lambda d: np.full(d.shape, 1e308)).fit(X, y)
        np.testing.assert_allclose(same.predict(X), room(3).fit(X, y).predict(X))

    def test_so_small_that_they_are_hardly_numbers(self, room):
        same = room(3, weights=lambda d: np.full(d.shape, 1e-320)).fit(X, y)
        np.testing.assert_allclose(same.predict(X), room(3).fit(X, y).predict(X))


def test_prediction_is_the_largest_share():
    """Votes that differ by less than their shares can hold are a tie, and go to the first class."""
    model = KNeighborsClassifier(4, weights=lambda d: np.tile([1.0, 1.0 - 2.0**-53, 0.9, 0.9], (len(d), 1)))
    model.fit([[0.0], [1.0], [2.0], [3.0]], ["b", "a", "c", "d"])
    shares = model.predict_proba([[-1.0]])
    assert shares[0, 0] == shares[0, 1]
    assert model.predict([[-1.0]]) == ["a"]
