"""C from 1e-12 to 1e12 and features of any unit: converged, or ended early and said why."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from maxmargin.certificates import Status
from maxmargin.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

FEW = 1_000_000  # a tenth of the automatic number of steps, which is what such fits used to end with


@pytest.fixture(scope="module")
def raw():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def scaled(raw):
    return StandardScaler().fit_transform(raw[0]), raw[1]


@pytest.fixture(scope="module")
def overlapping():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X[y > 0]), y[y > 0]


def quietly(machine, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(*data)


@pytest.mark.parametrize("C", [1e5, 1e8, 1e12])
def test_the_hard_margin_is_the_answer_to_every_large_bound(scaled, C):
    model = SVC(kernel="linear", C=C).fit(*scaled)
    hard = SVC(kernel="linear", C=np.inf).fit(*scaled)
    assert model.certificate_.status is Status.CONVERGED
    assert model.n_iter_[0] < FEW
    assert model.certificate_.primal == pytest.approx(hard.certificate_.dual, rel=1e-6)
    assert np.abs(model.dual_coef_).max() == pytest.approx(6.3e4, rel=0.01)
    assert model.certificate_.verify(*scaled).status is Status.CONVERGED


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("C", [1e-12, 1e-6, 1e4, 1e7, 1e12])
def test_separable_rows_converge_at_every_bound(scaled, kernel, C):
    model = SVC(kernel=kernel, C=C).fit(*scaled)
    assert model.certificate_.status is Status.CONVERGED
    assert model.n_iter_[0] < FEW
    assert model.certificate_.relative_gap <= 1e-6


@pytest.mark.parametrize("C", [1e5, 1e7, 1e9])
def test_overlapping_classes_converge_with_multipliers_as_large_as_their_bound(overlapping, C):
    model = SVC(kernel="linear", C=C).fit(*overlapping)
    assert model.certificate_.status is Status.CONVERGED
    assert np.abs(model.dual_coef_).max() == C
    assert model.n_iter_[0] < FEW
    assert model.certificate_.relative_gap <= 1e-6


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("C", [1.0, 1e9])
def test_units_that_differ_by_ten_orders_of_magnitude(kernel, C):
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((400, 6))
    y = Z @ rng.standard_normal(6) + 0.5 * rng.standard_normal(400) > 0
    model = quietly(SVC(kernel=kernel, C=C), Z * np.logspace(-6, 4, 6), y)
    # the linear kernel's values are 1e8, times multipliers of 1e9: no digit of the margins is left in float64
    hopeless = kernel == "linear" and C == 1e9
    assert model.certificate_.status is (Status.STALLED if hopeless else Status.CONVERGED)
    assert model.n_iter_[0] < FEW


@pytest.mark.parametrize(
    "machine",
    [
        SVR(kernel="linear", C=1e9),
        SVR(kernel="poly", C=1e9),
        SVR(C=1e6),
        NuSVR(kernel="linear", C=1e6),
        NuSVR(C=1e6),
    ],
    ids=str,
)
def test_regressors_converge(machine):
    X, y = load_diabetes(return_X_y=True)
    model = machine.fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    assert model.n_iter_ < FEW
    assert model.certificate_.verify(X, y).status is Status.CONVERGED


@pytest.mark.parametrize("machine", [NuSVC(kernel="linear", nu=0.01), NuSVC(kernel="linear", nu=0.1)], ids=str)
def test_nu_of_unscaled_rows(raw, machine):
    model = machine.fit(*raw)
    assert model.certificate_.status is Status.CONVERGED
    assert model.n_iter_[0] < FEW


def test_one_class_of_unscaled_rows_ends_soon(raw):
    X = raw[0] - raw[0].mean(axis=0)
    model = quietly(OneClassSVM(kernel="linear", nu=0.1, tol=1e-9), X)
    assert model.n_iter_ < FEW
    assert model.certificate_.status in (Status.CONVERGED, Status.STALLED)


def test_a_regressor_that_float64_cannot_fit_stalls_soon(raw):
    X = raw[0]
    model = quietly(SVR(kernel="linear", C=1e9), X[:, 1:], X[:, 0])
    assert model.certificate_.status is Status.STALLED
    assert model.n_iter_ < FEW


def test_the_same_input_gives_the_same_model_to_the_bit(scaled):
    one, two = (SVC(kernel="linear", C=1e6).fit(*scaled) for _ in range(2))
    assert (one.dual_coef_ == two.dual_coef_).all()
    assert one.intercept_ == two.intercept_


def test_a_given_number_of_steps_is_kept(scaled):
    model = quietly(SVC(kernel="linear", C=1e6, max_iter=30_000), *scaled)
    assert model.certificate_.status is Status.BUDGET_EXHAUSTED
    assert model.n_iter_[0] <= 30_000


# ---------------------------------------------------------------- advice


def advice(machine, *data):
    with pytest.warns(ConvergenceWarning) as caught:
        machine.fit(*data)
    return str(caught[0].message)


def test_advice_on_units_is_for_uneven_features(raw, scaled):
    assert "StandardScaler" in advice(SVC(kernel="linear", C=1e10), *raw)
    assert "StandardScaler" not in advice(SVC(max_iter=10), *scaled)


def test_advice_on_a_large_bound(overlapping):
    text = advice(SVC(kernel="linear", C=1e12, tol=1e-6), *overlapping)
    assert "Lower C" in text
    assert "StandardScaler" not in text


def test_advice_on_tolerances_below_rounding(scaled):
    assert "Raise tol" in advice(SVC(tol=1e-19), *scaled)
    assert "Raise gap_tol" in advice(SVC(gap_tol=1e-19), *scaled)


@pytest.mark.parametrize("scale", [1e10, 1e30])
@pytest.mark.parametrize("machine", [SVC(kernel="linear"), SVR(kernel="linear"), NuSVR(kernel="linear")], ids=repr)
def test_advice_on_kernel_values_too_large_for_float64(machine, scale):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 3))
    y = 2 * X[:, 0] + rng.normal(size=30)
    text = advice(clone(machine), X * scale, y > 0 if isinstance(machine, SVC) else y)
    assert "Scale the features (StandardScaler): kernel values of up to" in text
    assert "Raise tol" not in text


def test_advice_on_a_high_degree():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 3))
    text = advice(SVC(kernel="poly", degree=50, coef0=1, max_iter=20_000), X, X[:, 0] + rng.normal(size=30) > 0)
    assert "Lower degree (now 50) or gamma" in text


def test_advice_on_a_joint_machine_is_not_a_warm_start_that_it_refuses():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    machine = SVC(kernel="linear", C=1e6, multi_class="crammer_singer", max_iter=200)
    text = advice(machine, X, y)
    assert "warm_start" not in text
    assert "Lower C (now 1e+06), or raise max_iter (these were 200 iterations)" in text
    assert "StandardScaler" in advice(machine.set_params(C=1.0), X * 1e5, y)


def test_advice_on_steps_names_their_number(scaled):
    assert "max_iter (now 10)" in advice(SVC(max_iter=10), *scaled)


@pytest.mark.parametrize("exponent", [-154, -155, -158, -161])
def test_rows_whose_squares_vanish_are_confirmed(exponent):
    X = np.random.default_rng(0).normal(size=(12, 3)) * 10.0**exponent
    model = SVC(kernel="linear").fit(X, X[:, 0] > 0)
    assert model.certificate_.verify(X, X[:, 0] > 0).status is model.certificate_.status is Status.CONVERGED
    model.intercept_[0] += 0.5
    assert model.certificate_.verify(X, X[:, 0] > 0).status is Status.REFUTED


@pytest.mark.parametrize("machine", [SVC(), SVC(kernel="poly"), SVC(kernel="sigmoid")], ids=str)
def test_a_variance_too_small_for_gamma_is_named(machine):
    X = 1e-160 * np.random.default_rng(0).normal(size=(20, 2))
    y = np.arange(20) % 2
    with pytest.raises(
        ValueError, match=r"^gamma='scale' is 1 / .* overflows float64: X has a variance of .* give gamma"
    ):
        machine.fit(X, y)
    assert SVC(kernel="linear").fit(X, y).certificate_.status is Status.CONVERGED  # which reads no gamma


def test_steps_that_rounding_undoes_end_soon():
    """Every call ended after two or three steps, as solved; residuals computed again then had the same violation."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=30) > 0
    model = quietly(NuSVC(kernel="linear"), X * 1e150, y)
    assert model.certificate_.status is Status.STALLED
    assert model.certificate_.relative_gap < 1e-9
    assert model.n_iter_[0] < 1_000_000
