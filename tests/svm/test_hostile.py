"""Data that nobody scaled, cleaned or counted: a model that tells the truth, or a clear error. Never a hang."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import NotSeparableError, Status
from maxmargin.svm import SVC

KERNELS = ["linear", "poly", "rbf", "sigmoid"]


def fit(X, y, sample_weight=None, **parameters):
    """A model, allowed to say that it did not converge, and nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return SVC(**parameters).fit(X, y, sample_weight)


def attempt(X, y, **parameters):
    """A model, or None where the classes are proven to overlap, or a hard margin has no definite kernel."""
    try:
        return fit(X, y, **parameters)
    except NotSeparableError:
        assert parameters["C"] == np.inf
        return None
    except ValueError as error:
        if "positive semi-definite" not in str(error):
            raise
        assert parameters["C"] == np.inf
        assert parameters["kernel"] == "sigmoid"
        return None


@pytest.fixture(scope="module")
def unscaled():
    """Columns from 1e-6 to 1e6, of which only the smallest decides."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 13)) * np.logspace(-6, 6, 13)
    return X, (X[:, 0] * 1e6 + 0.5 * rng.normal(size=100) > 0).astype(int)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e9, np.inf])
def test_unscaled_columns(unscaled, assert_truthful, kernel, C):
    X, y = unscaled
    model = attempt(X, y, kernel=kernel, C=C, max_iter=20_000)
    if model is not None:
        assert_truthful(model, X, y)


@pytest.mark.parametrize(("kernel", "C"), [("linear", 1.0), ("poly", 1e9), ("rbf", 1e9), ("linear", np.inf)])
def test_unscaled_columns_with_the_automatic_budget(unscaled, assert_truthful, kernel, C):
    """The budget that nobody named is finite, too."""
    X, y = unscaled
    model = attempt(X[:40], y[:40], kernel=kernel, C=C)
    if model is not None:
        assert_truthful(model, X[:40], y[:40])


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e9])
def test_unscaled_columns_of_many_samples(assert_truthful, C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2200, 13)) * np.logspace(-6, 6, 13)
    y = (X[:, 0] * 1e6 + rng.normal(size=2200) > 0).astype(int)
    for kernel in ("linear", "rbf"):
        assert_truthful(fit(X, y, kernel=kernel, C=C, max_iter=20_000), X, y)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("exponent", range(-6, 10, 3))
def test_every_size_of_penalty(clouds, assert_truthful, kernel, exponent):
    X, y = clouds(40)
    assert_truthful(fit(X, y, kernel=kernel, C=10.0**exponent, max_iter=50_000), X, y)


@pytest.mark.parametrize("kernel", KERNELS)
def test_constant_columns(clouds, assert_truthful, kernel):
    X, y = clouds(40)
    X = np.column_stack([X, np.full(40, 7.0), np.zeros(40), np.full(40, 1e5)])
    assert_truthful(fit(X, y, kernel=kernel, max_iter=50_000), X, y)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [1.0, 1e6])
def test_duplicated_and_contradictory_rows(clouds, assert_truthful, kernel, C):
    X, y = clouds(20)
    X, y = np.vstack([X, X, X]), np.concatenate([y, y, 1 - y])
    model = fit(X, y, kernel=kernel, C=C, max_iter=200_000)
    assert_truthful(model, X, y)
    assert_truthful(attempt(X[:40], y[:40], kernel=kernel, C=C), X[:40], y[:40])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e9])
def test_all_rows_the_same(assert_truthful, kernel, C):
    """The majority is all that can be learned."""
    X, y = np.full((9, 2), 3.0), np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])
    model = fit(X, y, kernel=kernel, C=C)
    assert_truthful(model, X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert (model.predict(X) == 0).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_all_zero(assert_truthful, kernel):
    X, y = np.zeros((10, 3)), np.array([0] * 7 + [1] * 3)
    model = fit(X, y, kernel=kernel)
    assert model.certificate_.status is Status.CONVERGED
    assert (model.predict(X) == 0).all()
    assert_truthful(model, X, y)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e9, np.inf])
def test_two_rows(assert_truthful, kernel, C):
    X, y = np.array([[1.0, 2.0], [-1.0, 0.5]]), np.array(["no", "yes"])
    model = attempt(X, y, kernel=kernel, C=C)
    if model is not None:
        assert_truthful(model, X, y)
        assert model.certificate_.status is Status.CONVERGED
        assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_one_sample_a_class(assert_truthful, kernel, C):
    X, y = np.eye(5), np.arange(5)
    model = fit(X, y, kernel=kernel, C=C)
    assert len(model.certificate_.problems) == 10
    assert (model.predict(X) == y).all()
    assert_truthful(model, X, y)


def test_one_sample_against_many(clouds, assert_truthful):
    X, _ = clouds(60)
    y = np.zeros(60, dtype=int)
    y[13] = 1
    for C in (1e-6, 1.0, 1e6):
        assert_truthful(fit(X, y, C=C), X, y)


@pytest.mark.parametrize("kernel", KERNELS)
def test_values_whose_squares_overflow_are_refused(clouds, kernel):
    X, y = clouds(30)
    with pytest.raises(ValueError, match=r"so large.*Scale X"):
        SVC(kernel=kernel).fit(X * 1e200, y)


@pytest.mark.parametrize("n", [30, 2200])
def test_kernel_values_that_overflow(clouds, assert_truthful, n):
    """Lengths fit, their tenth powers do not: refused, or a model that claims nothing."""
    X, y = clouds(n)
    X = X * 1e60
    try:
        model = fit(X, y, kernel="poly", degree=10, gamma=1.0)
    except ValueError as error:
        assert any(word in str(error) for word in ("large", "overflow", "finite", "infinity"))
    else:
        assert model.certificate_.status is not Status.CONVERGED
        assert_truthful(model, X, y)


@pytest.mark.parametrize("tol", [1e-12, 1e-300])
def test_tolerances_below_rounding(clouds, assert_truthful, tol):
    """On many samples: the end may be a stall, and it is an end."""
    X, y = clouds(2300, 4)
    assert_truthful(fit(X, y, tol=tol, max_iter=300_000), X, y)


@pytest.mark.parametrize("n", [60, 2200])
def test_kernel_values_beyond_float32(clouds, assert_truthful, n):
    """Tenth powers of lengths near 1e4: unscaled data and an ordinary kernel."""
    X, y = clouds(n)
    X = X * 1e4
    model = fit(X, y, kernel="poly", degree=5, gamma=1.0, C=1e-50)
    assert model.certificate_.status is Status.CONVERGED
    assert_truthful(model, X, y)


EXTREMES = [(kernel, scale) for kernel in ("poly", "rbf") for scale in (1e-150, 1e-30, 1e25, 1e50)] + [
    ("linear", scale) for scale in (1e-10, 1e25, 1e50)
]


@pytest.mark.parametrize(("kernel", "scale"), EXTREMES)
@pytest.mark.parametrize("n", [60, 2200])
def test_the_unit_of_measurement_does_not_matter(clouds, assert_truthful, kernel, scale, n):
    """Not even for numbers that float32 cannot hold. The penalty of a linear machine is in units of 1 / length^2."""
    X, y = clouds(n)
    model = fit(X * scale, y, kernel=kernel, C=1.0 if kernel != "linear" else scale**-2, max_iter=100_000)
    assert np.isfinite(model.decision_function(X * scale)).all()
    assert_truthful(model, X * scale, y)
    assert model.certificate_.status is Status.CONVERGED
    plain = SVC(kernel=kernel).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X * scale), plain.decision_function(X), atol=1e-2)


def test_weights_of_all_sizes(clouds, assert_truthful):
    X, y = clouds(60)
    weight = np.logspace(-9, 9, 60)
    model = fit(X, y, weight, max_iter=100_000)
    assert_truthful(model, X, y, weight)


@pytest.mark.parametrize("class_weight", [{0: -1.0, 1: 1.0}, {0: np.nan, 1: 1.0}, {0: np.inf, 1: 1.0}])
def test_class_weights_that_make_no_box_are_refused(clouds, class_weight):
    X, y = clouds(30)
    with pytest.raises(ValueError, match="class_weight"):
        SVC(class_weight=class_weight).fit(X, y)


def test_infinite_sample_weights_are_refused(clouds):
    X, y = clouds(30)
    with pytest.raises(ValueError, match="inf"):
        SVC().fit(X, y, np.where(np.arange(30) == 3, np.inf, 1.0))


NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 1e-6, 1e6, -1e6, 3.0, 1e-12, 1e3])


@given(
    X=hnp.arrays(np.float64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=NUMBERS),
    kernel=st.sampled_from(KERNELS),
    C=st.sampled_from([1e-6, 1e-2, 1.0, 1e4, 1e9, np.inf]),
    data=st.data(),
)
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_hostile_inputs(assert_truthful, X, kernel, C, data):
    n = len(X)
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    y[:2] = 0, 1
    model = attempt(X, y, kernel=kernel, C=C, max_iter=2000)
    if model is not None:
        assert np.isfinite(model.decision_function(X)).all()
        assert_truthful(model, X, y)


@given(
    X=hnp.arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 3)), elements=NUMBERS),
    C=st.sampled_from([1e-6, 1.0, 1e3, np.inf]),
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_hostile_inputs_with_the_automatic_budget(assert_truthful, X, C):
    y = np.arange(len(X)) % 2
    model = attempt(X, y, kernel="rbf", C=C)
    if model is not None:
        assert_truthful(model, X, y)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_tiny_penalty_leaves_a_tiny_machine(load, kernel):
    """C near 0: the weights are at most C times the sum of all lengths, without noise around it."""
    X, y = load("breast_cancer")
    expected = Status.STATIONARY if kernel == "sigmoid" else Status.CONVERGED
    for C in (1e-3, 1e-9, 1e-100):
        model = fit(X, y, kernel=kernel, C=C)
        assert model.certificate_.status is expected
        assert model.certificate_.verify(X, y).status is expected
        assert np.abs(model.dual_coef_).max() <= C
        values = model.decision_function(X)
        assert np.isfinite(values).all()
        if kernel == "linear":
            lengths = np.linalg.norm(X, axis=1)
            assert np.linalg.norm(model.coef_) <= C * lengths.sum()
            assert np.abs(values - model.intercept_).max() <= C * lengths.sum() * lengths.max()
    # nothing but the majority is left
    assert (np.sign(values) == np.sign(model.intercept_)).all()
    assert model.intercept_[0] == pytest.approx(1.0)  # class 1 has the majority: no loss on any of its samples
