"""Machines without a unit of their own: what is called converged does not depend on that of the data."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from maxmargin.certificates import Status
from maxmargin.svm import SVR, NuSVC, NuSVR, OneClassSVM


def _rows(n=120):
    rng = np.random.default_rng(0)
    sign = np.where(np.arange(n) % 2, 1.0, -1.0)
    return rng.normal(size=(n, 3)) + sign[:, None], sign


def _machines(unit):
    X, sign = _rows()
    target = X @ [1.0, -2.0, 0.5] + sign
    return {
        "NuSVC": (NuSVC(nu=0.2, kernel="linear"), (unit * X, sign)),
        "OneClassSVM": (OneClassSVM(nu=0.3, kernel="linear"), (unit * (X + 5),)),
        "NuSVR": (NuSVR(nu=0.3, kernel="linear", C=1 / unit), (unit * X, unit * target)),
    }


@pytest.mark.parametrize("unit", [2.0**-10, 2.0**-30, 2.0**-120])
@pytest.mark.parametrize("name", ["NuSVC", "OneClassSVM", "NuSVR"])
def test_small_units_change_nothing(name, unit):
    model, data = _machines(unit)[name]
    model.fit(*data)
    plain, given = _machines(1.0)[name]
    plain.fit(*given)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.relative_gap < 1e-6
    np.testing.assert_array_equal(model.support_, plain.support_)
    ours, theirs = (m.predict(X) for m, X in ((model, data[0]), (plain, given[0])))
    np.testing.assert_allclose(ours / (unit if name == "NuSVR" else 1.0), theirs, rtol=1e-6, atol=1e-6)
    assert model.certificate_.verify(*data).status is Status.CONVERGED


@pytest.mark.parametrize("solver", ["smo", "active_set", "decomposition"])
def test_every_solver_is_held_to_the_unit(solver):
    model, data = _machines(2.0**-30)["NuSVC"]
    model.set_params(solver=solver, max_iter=10**6).fit(*data)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.relative_gap < 0.05


def test_many_rows_of_a_small_unit():
    """More than are solved to rounding: the first multipliers would meet a tolerance of 0.001."""
    X, sign = _rows(1500)
    model = OneClassSVM(nu=0.3, kernel="linear").fit(1e-4 * (X + 5))
    assert model.certificate_.iterations > 0
    assert model.certificate_.relative_gap < 1e-3
    model = NuSVR(nu=0.3, kernel="linear", C=1e4).fit(1e-4 * X, 1e-4 * (X @ [1.0, 2.0, 3.0] + sign))
    assert model.certificate_.relative_gap < 1e-3


def test_kernel_values_that_hardly_differ():
    X, sign = _rows()
    model = NuSVC(nu=0.3, gamma=1e-5).fit(X, sign)
    assert model.certificate_.status is Status.CONVERGED
    # the reduced hulls overlap: both bounds are 0 to within the unit, T D^2 with D^2 = 2e-5 |x - z|^2 at most
    apart = 2e-5 * ((X[:, None] - X) ** 2).sum(axis=2).max()
    assert model.certificate_.gap <= 1e-3 * (0.3 * 120) * 120 * apart


def test_a_certificate_says_why_its_gap_is_as_large_as_the_optimum():
    X, sign = _rows()
    model = NuSVC(nu=0.9, kernel="linear").fit(np.abs(sign)[:, None] * X[::2].repeat(2, axis=0), sign)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.relative_gap >= 1
    assert "as always where 0 is between the bounds; see the violation" in str(model.certificate_)
    plain, data = _machines(1.0)["OneClassSVM"]
    assert "as always" not in str(plain.fit(*data).certificate_)


def test_what_overflows_when_it_is_scaled_is_not_called_converged():
    X, sign = _rows(1400)
    model = NuSVC(nu=0.2, kernel="linear")
    with pytest.raises(ValueError, match=r"too large or too small for products of rows .* Scale X"):
        model.fit(1e-155 * X, sign)


def _sines(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("exponent", [-480, -300, -100, -43, -20, 0, 20, 40])
def test_targets_and_c_in_another_unit_give_the_same_regressor(exponent):
    """By a power of two, which rounds nothing: no unit is one in which any multipliers will do."""
    X, y = _sines()
    s = 2.0**exponent
    for make in (lambda s: NuSVR(C=s), lambda s: SVR(C=s, epsilon=0.1 * s)):
        model = make(s)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, s * y)
        certificate = model.certificate_
        if exponent < 20:
            assert certificate.status is Status.CONVERGED
            assert certificate.relative_gap < 1e-3
            np.testing.assert_allclose(model.predict(X) / s, make(1.0).fit(X, y).predict(X), atol=5e-3)
        assert certificate.kkt_violation <= 1e-3 * min(1.0, s * np.ptp(y)) or certificate.status is Status.STALLED


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e-200, 1e-100, 1e-30, 1e-13])
@pytest.mark.parametrize("model", [NuSVR(), SVR(epsilon=0.0)], ids=["NuSVR", "SVR"])
def test_small_targets_beside_a_large_c_are_never_converged_by_their_size(model, scale):
    """The violation of a constant model is within tol, and says nothing."""
    X, y = _sines()
    model = clone(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, scale * y)
    if model.certificate_.status is Status.CONVERGED:
        assert model.certificate_.kkt_violation <= 1e-3 * scale * np.ptp(y)
    else:
        assert model.certificate_.status is Status.STALLED
        (only,) = caught
        assert "Scale y to values of about 1" in str(only.message)
    assert model.certificate_.verify(X, scale * y).status is model.certificate_.status


@pytest.mark.parametrize("scale", [1e200, 1e300])
def test_targets_whose_objective_overflows_are_told_so(scale):
    X, y = _sines()
    for model in (NuSVR(C=scale), SVR(C=scale, epsilon=0.1 * scale)):
        with pytest.warns(ConvergenceWarning, match="overflows float64. Scale y"):  # and of nothing else
            model.fit(X, scale * y)
        assert model.certificate_.status is Status.STALLED


def test_rows_whose_products_underflow_are_not_converged():
    X, _ = _sines()
    with pytest.warns(ConvergenceWarning, match="or underflow. Centre and scale X"):
        model = OneClassSVM(kernel="linear", nu=0.3).fit(1e-160 * X)
    assert model.certificate_.status is Status.STALLED


@pytest.mark.parametrize("gamma", [1e-4, 1e-8, 1e-10])
def test_one_class_of_rows_that_a_kernel_brings_together_is_held_to_their_distances(gamma):
    """Decision values differ by about gamma, and so did the violation of multipliers that no step had changed."""
    X, _ = _sines()
    model = OneClassSVM(gamma=gamma, nu=0.3).fit(X)
    values = model.decision_function(X)
    assert model.certificate_.status is Status.CONVERGED
    assert model.certificate_.kkt_violation < 0.1 * np.ptp(values)
    assert np.mean(values < 0) <= 0.3 + 1e-9


@pytest.mark.parametrize("model", [NuSVR(), SVR()], ids=["NuSVR", "SVR"])
def test_equal_targets_converge(model):
    X, _ = _sines()
    for value in (0.0, 0.1, 1e-200, 1e200):
        assert clone(model).fit(X, np.full(len(X), value)).certificate_.status is Status.CONVERGED
