"""Machines without a unit of their own: what is called converged does not depend on that of the data."""

import numpy as np
import pytest

from maxmargin.certificates import Status
from maxmargin.svm import NuSVC, NuSVR, OneClassSVM


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
    assert "as always where 0 is between the bounds; converged by the violation" in str(model.certificate_)
    plain, data = _machines(1.0)["OneClassSVM"]
    assert "as always" not in str(plain.fit(*data).certificate_)


def test_what_overflows_when_it_is_scaled_is_not_called_converged():
    X, sign = _rows(1400)
    model = NuSVC(nu=0.2, kernel="linear")
    with pytest.raises(ValueError, match=r"too large or too small for products of rows .* Scale X"):
        model.fit(1e-155 * X, sign)
