"""Bias and variance: the identities, closed forms, and what bagging and boosting do to them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from maxmargin.diagnostics import bias_variance
from maxmargin.tree import DecisionTreeRegressor


def _line(n, noise, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 1))
    return X, 3 * X[:, 0] + rng.normal(0, noise, n)


def test_squared_parts_add_up_to_the_error():
    X, y = _line(200, 0.3)
    found = bias_variance(KNeighborsRegressor(3), X, y, random_state=0)
    assert found.noise is None
    assert found.error == pytest.approx(found.bias + found.variance, rel=1e-12)
    assert found.bias_of_rows.shape == found.variance_of_rows.shape == (found.n_test,)


@pytest.mark.parametrize("k", [2, 4])
def test_zero_one_parts_add_up_to_the_error(k):
    X, y = make_classification(300, n_classes=k, n_informative=4, flip_y=0.2, random_state=0)
    found = bias_variance(KNeighborsClassifier(1), X, np.array(list("abcd"))[y], random_state=0)
    assert found.loss == "zero_one"
    assert found.error == pytest.approx(found.bias + found.harm - found.help, abs=1e-12)
    assert found.harm > 0 and found.help > 0
    if k == 2:  # the right class is the only other one
        assert found.harm + found.help == pytest.approx(found.variance, abs=1e-12)


def test_error_is_what_the_trainings_make_of_the_test_rows():
    X, y = _line(120, 0.5)
    X_test, y_test = _line(40, 0.5, seed=1)
    found = bias_variance(DummyRegressor(), X, y, X_test=X_test, y_test=y_test, n_resamples=3, random_state=7)
    generator = np.random.RandomState(7)
    means = [y[generator.randint(120, size=120)].mean() for _ in range(3)]
    assert found.error == pytest.approx(np.mean([np.mean((m - y_test) ** 2) for m in means]), rel=1e-12)


def test_variance_of_a_mean_is_that_of_the_theorem():
    rng = np.random.default_rng(0)
    y, target = rng.normal(5, 2, 300), rng.normal(5, 2, 2000)
    found = bias_variance(
        DummyRegressor(),
        np.zeros((300, 1)),
        y,
        X_test=np.arange(2000.0)[:, None],
        y_test=target,
        truth=np.full(2000, 5.0),
        n_resamples=2000,
        random_state=0,
    )
    assert found.variance == pytest.approx(y.var() / 300, rel=0.1)  # s^2 / n of the rows that bags are drawn from
    assert found.bias == pytest.approx((y.mean() - 5) ** 2, abs=2 * y.std() / 300)
    assert found.noise == pytest.approx(np.mean((target - 5) ** 2))


def test_parts_add_up_to_the_error_where_the_truth_is_known():
    X, y = _line(200, 0.3)
    found = bias_variance(KNeighborsRegressor(3), X, y, truth=lambda X: 3 * X[:, 0], n_resamples=10, random_state=0)
    assert found.error == pytest.approx(found.bias + found.variance + found.noise, rel=1e-12)
    printed = [float(line.split()[1]) for line in str(found).splitlines()[1:5]]
    assert printed[0] == pytest.approx(sum(printed[1:]), rel=1e-3)
    assert found.resampled and "resampled from one set" in str(found)


def test_fresh_training_sets_show_the_variance_of_a_full_tree():
    """Resampled from 200 rows, half of what is variance is called bias; drawn afresh, a full tree has next to none."""

    def draw(generator):
        X = generator.uniform(-1, 1, (200, 1))
        return X, np.sin(3 * X[:, 0]) + generator.normal(0, 0.3, 200)

    def truth(X):
        return np.sin(3 * X[:, 0])

    X, y = draw(np.random.RandomState(0))
    tree = DecisionTreeRegressor()
    fresh = bias_variance(tree, sample=draw, truth=truth, random_state=0)
    again = bias_variance(tree, X, y, truth=truth, random_state=0)
    assert not fresh.resampled and "resampled" not in str(fresh)
    assert fresh.bias < 0.02 * fresh.variance
    assert fresh.variance == pytest.approx(0.09, rel=0.15)  # the noise of the nearest row
    assert again.bias > 0.3 * again.variance and again.variance < 0.75 * fresh.variance


def test_a_line_underfits_a_sine_and_a_full_tree_remembers_it():
    def draw(generator):
        X = generator.uniform(-1, 1, (200, 1))
        return X, np.sin(3 * X[:, 0]) + generator.normal(0, 0.3, 200)

    line = bias_variance(LinearRegression(), sample=draw, truth=lambda X: np.sin(3 * X[:, 0]), random_state=0)
    assert line.bias > 5 * line.variance
    X, y = draw(np.random.RandomState(0))
    np.testing.assert_allclose(DecisionTreeRegressor().fit(X, y).predict(X), y)


def test_fresh_labels_may_differ_from_draw_to_draw():
    def draw(generator):
        X = generator.normal(size=(30, 2))
        return X, np.array(list("abc"))[generator.randint(2 + generator.randint(2), size=30)]

    for loss in ("zero_one", "squared"):
        found = bias_variance(KNeighborsClassifier(3), sample=draw, loss=loss, n_resamples=8, random_state=0)
        assert 0 < found.error < 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "X and y must be given"),
        ({"X": [[1.0]]}, "^y must be given"),
        ({"X": [[1.0]], "y": [1.0], "sample": len}, "either, not both"),
        ({"sample": 3}, "sample must be a function"),
        ({"sample": lambda generator: 3}, "sample must return X and y; got int"),
    ],
    ids=["nothing", "no y", "both", "no function", "no pair"],
)
def test_where_training_sets_come_from_is_told(arguments, words):
    with pytest.raises(ValueError, match=words):
        bias_variance(DummyRegressor(), **arguments)


def test_what_cannot_vary_has_bias_alone():
    X, y = _line(100, 0.3)
    found = bias_variance(DummyRegressor(strategy="constant", constant=1.0), X, y, X_test=X, y_test=y)
    assert found.variance == 0
    assert found.bias == pytest.approx(np.mean((1.0 - y) ** 2))


def test_a_learner_that_is_right_is_unbiased():
    X, y = _line(2000, 0.5)
    found = bias_variance(LinearRegression(), X, y, truth=lambda X: 3 * X[:, 0], random_state=0)
    assert abs(found.bias) < 5e-3
    assert found.noise == pytest.approx(0.25, rel=0.2)
    assert found.error == pytest.approx(found.noise + found.variance + found.bias, rel=0.05)


def test_noise_is_told_by_rows_that_are_equal():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (4000, 1)).astype(float)
    y = X[:, 0] + rng.normal(0, 0.7, 4000)
    found = bias_variance(LinearRegression(), X, y, random_state=0, n_resamples=20)
    assert found.noise == pytest.approx(0.49, rel=0.1)
    assert abs(found.bias) < 0.01
    assert bias_variance(LinearRegression(), X + rng.normal(0, 1e-6, X.shape), y, n_resamples=2).noise is None


def test_probabilities_under_squared_loss():
    X, y = make_classification(300, random_state=0)
    found = bias_variance(LogisticRegression(), X, y, loss="squared", random_state=0, n_resamples=20)
    assert found.loss == "squared"
    assert found.error == pytest.approx(found.bias + found.variance, rel=1e-12)
    assert 0 < found.error < 2


def test_more_neighbours_trade_variance_for_bias():
    X, y = _line(400, 0.5)
    few, many = (
        bias_variance(KNeighborsRegressor(k), X, y, truth=lambda X: 3 * X[:, 0], random_state=0) for k in (1, 150)
    )
    assert many.variance < few.variance / 5
    assert many.bias > few.bias


def test_the_same_seed_gives_the_same_parts_whatever_the_jobs():
    X, y = make_classification(200, random_state=0)
    a = bias_variance(SGDClassifier(), X, y, random_state=1, n_resamples=6)
    b = bias_variance(SGDClassifier(), X, y, random_state=1, n_resamples=6, n_jobs=2)
    assert (a.error, a.bias, a.variance) == (b.error, b.bias, b.variance)


def test_sparse_rows():
    X, y = make_classification(200, random_state=0)
    a = bias_variance(KNeighborsClassifier(), X, y, random_state=1, n_resamples=6)
    b = bias_variance(KNeighborsClassifier(), sp.csr_array(X), y, random_state=1, n_resamples=6)
    assert (a.error, a.bias, a.variance) == (b.error, b.bias, b.variance)


def test_rare_classes_are_in_every_training_set():
    class NeedsAll(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            assert len(np.unique(y)) == 3
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    y = np.repeat([0, 1, 2], [80, 4, 4])
    bias_variance(NeedsAll(), np.arange(88.0)[:, None], y, resample="subsample", random_state=0)


def test_it_prints_what_it_found():
    X, y = _line(100, 0.3)
    text = str(bias_variance(LinearRegression(), X, y, random_state=0, n_resamples=5))
    assert text.startswith("squared loss, 5 trainings, 25 test rows")
    assert "bias^2 + noise" in text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of"),
        ({"resample": "jackknife"}, "resample must be one of"),
        ({"n_resamples": 1}, "at least 2"),
        ({"X_test": [[0.0]]}, "X_test was given without y_test"),
        ({"y_test": [0.0]}, "y_test was given without X_test"),
        ({"loss": "zero_one"}, "LinearRegression is not one"),
        ({"truth": [1.0]}, "truth as an array"),
    ],
)
def test_what_is_wrong_is_named(wrong, message):
    X, y = _line(20, 0.1)
    with pytest.raises(ValueError, match=message):
        bias_variance(LinearRegression(), X, y, **wrong)


def test_truth_and_zero_one_loss_do_not_go_together():
    X, y = make_classification(50, random_state=0)
    with pytest.raises(ValueError, match="truth is for squared loss"):
        bias_variance(KNeighborsClassifier(), X, y, truth=lambda X: X[:, 0])


def test_noise_of_equal_rows_is_found_in_sparse_rows_too():
    rng = np.random.default_rng(0)
    X = np.repeat(np.where(rng.random((10, 3)) < 0.4, 0.0, rng.normal(size=(10, 3))), 4, axis=0)
    y = X[:, 0] + rng.normal(size=40)
    dense, sparse = (
        bias_variance(LinearRegression(), rows, y, X_test=rows, y_test=y, n_resamples=3, random_state=0)
        for rows in (X, sp.csr_array(X))
    )
    assert dense.noise is not None
    assert sparse.noise == pytest.approx(dense.noise)
    assert sparse.bias == pytest.approx(dense.bias)


def _noisy(generator):
    X = generator.normal(size=(50, 1))
    return X, X[:, 0] + generator.normal(size=50)


def test_standard_errors_are_how_far_estimates_are_apart():
    """All test rows have the trainings in common: a line without bias was four standard errors below none."""
    found = [
        bias_variance(LinearRegression(), sample=_noisy, truth=lambda X: X[:, 0], n_resamples=20, random_state=seed)
        for seed in range(60)
    ]
    for part in ("bias", "variance"):
        apart = np.std([getattr(one, part) for one in found])
        said = np.mean([one.standard_errors[part] for one in found])
        assert 0.6 * apart < said < 2.5 * apart
    assert all(abs(one.bias) < 4 * one.standard_errors["bias"] for one in found)
    below = next(one for one in found if one.bias < 0)
    assert "below 0 by chance: too small to be told from none" in str(below)
    assert "by chance" not in str(next(one for one in found if one.bias > 0))


@pytest.mark.parametrize("loss", ["squared", "zero_one"])
def test_the_spread_over_trainings_is_that_of_leaving_each_out(loss):
    X, y = make_classification(120, random_state=0)
    options = {"loss": loss, "X_test": X[80:], "y_test": y[80:], "random_state": 0}
    found = bias_variance(LogisticRegression(), X[:80], y[:80], n_resamples=6, **options)
    every = predictions_of(X, y, loss)
    without = [parts_of(np.delete(every, b, axis=0), y[80:]) for b in range(6)]
    for part, rows in (("bias", found.bias_of_rows), ("variance", found.variance_of_rows)):
        left_out = np.array([one[part] for one in without])
        jackknife = 5 / 6 * ((left_out - left_out.mean()) ** 2).sum()
        expected = np.sqrt(rows.var(ddof=1) / len(rows) + jackknife)
        assert found.standard_errors[part] == pytest.approx(expected, rel=1e-9)


def predictions_of(X, y, loss):
    """What six bootstrapped trainings say of the rows from 80 on, as `bias_variance` draws them."""
    kept = []

    class Listening(LogisticRegression):
        def predict(self, X):
            kept.append(super().predict(X))
            return kept[-1]

        def predict_proba(self, X):
            kept.append(super().predict_proba(X))
            return kept[-1]

    options = {"loss": loss, "X_test": X[80:], "y_test": y[80:], "random_state": 0}
    bias_variance(Listening(), X[:80], y[:80], n_resamples=6, **options)
    return np.array(kept)


def parts_of(said, right):
    if said.ndim == 2:
        shares = np.stack([(said == label).mean(axis=0) for label in (0, 1)], axis=1)
        main = shares.argmax(axis=1)
        return {"bias": (main != right).mean(), "variance": (1 - shares.max(axis=1)).mean()}
    target = (right[:, None] == np.arange(2)).astype(float)
    variance = said.var(axis=0, ddof=1).sum(axis=1)
    return {
        "bias": (((said.mean(axis=0) - target) ** 2).sum(axis=1) - variance / len(said)).mean(),
        "variance": variance.mean(),
    }
