"""A user's own loss: the interval of slopes, the constants, and functions that are missing, wrong or hostile."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, xlogy

from maxmargin.losses import as_loss, make_loss

POINTS = np.array([-30.0, -1.0, -0.5, 0.0, 0.3, 0.7, 1.0, 2.5])


class Logistic:
    def value(self, f, y):
        return np.logaddexp(0.0, -y * f)

    def derivative(self, f, y):
        return -y * expit(-y * f)

    def conjugate(self, u, y):
        t = -u * y
        return np.where((t >= 0) & (t <= 1), xlogy(t, t) + xlogy(1 - t, 1 - t), np.inf)


class Hinge:
    def value(self, f, y):
        return np.maximum(0.0, 1 - y * f)

    def derivative(self, f, y):
        return np.where(y * f >= 1, 0.0, -y)

    def conjugate(self, u, y):
        return np.where((u * y >= -1) & (u * y <= 0), u * y, np.inf)


class HingeWithProx(Hinge):
    def prox(self, v, y, step):
        z = y * v
        return y * np.where(z >= 1, z, np.minimum(z + step, 1.0))


class Exponential:
    """Without a bound of the curvature, and with values that overflow."""

    def value(self, f, y):
        return np.exp(-y * f)

    def derivative(self, f, y):
        return -y * np.exp(-y * f)

    def conjugate(self, u, y):
        t = -u * y
        return np.where(t >= 0, xlogy(t, t) - t, np.inf)


class Costly:
    """A logistic loss that costs three times as much for the label -1."""

    inner = Logistic()

    def _factor(self, y):
        return np.where(y < 0, 3.0, 1.0)

    def value(self, f, y):
        return self._factor(y) * self.inner.value(f, y)

    def derivative(self, f, y):
        return self._factor(y) * self.inner.derivative(f, y)

    def conjugate(self, u, y):
        return self._factor(y) * self.inner.conjugate(u / self._factor(y), y)


@pytest.mark.parametrize("own", [Logistic, Hinge, HingeWithProx, Exponential, Costly])
def test_right_functions_are_accepted_as_they_are(own):
    loss = as_loss(own())
    assert loss.name == own.__name__
    assert loss.code is None
    y = np.where(POINTS > 0, 1.0, -1.0)
    assert_array_equal(loss.value(POINTS, y), own().value(POINTS, y))
    assert loss.value(0.5, -1.0).shape == ()


@pytest.mark.parametrize(("own", "name"), [(Logistic, "logistic"), (Hinge, "hinge")])
def test_interval_of_slopes_is_found(own, name):
    loss, known = as_loss(own()), make_loss(name)
    for y in (-1.0, 1.0):
        assert loss.dual_lower(y) == known.dual_lower(y)
        assert loss.dual_upper(y) == known.dual_upper(y)


def test_interval_of_slopes_may_have_no_end_or_depend_on_the_label():
    exponential, costly = as_loss(Exponential()), as_loss(Costly())
    assert (exponential.dual_lower(1.0), exponential.dual_upper(1.0)) == (-np.inf, 0.0)
    assert (costly.dual_lower(1.0), costly.dual_upper(-1.0)) == (-1.0, 3.0)


def test_smoothness_is_estimated_and_a_jump_is_noticed():
    assert_allclose(as_loss(Logistic()).smoothness, 0.25, rtol=1e-3)
    assert_allclose(as_loss(Costly()).smoothness, 0.75, rtol=1e-3)
    assert as_loss(Hinge()).smoothness == np.inf
    assert not as_loss(Hinge()).has_prox
    assert as_loss(HingeWithProx()).has_prox


def test_losses_of_the_package_are_themselves():
    hinge = make_loss("hinge")
    assert as_loss(hinge) is hinge


def _changed(base=Logistic, **methods):
    return type("Changed", (base,), methods)()


def _scaled(method, factor, base=Logistic):
    return _changed(base, **{method: lambda self, a, y: factor * getattr(base(), method)(a, y)})


@pytest.mark.parametrize("method", ["value", "derivative", "conjugate"])
def test_a_missing_method_is_named(method):
    with pytest.raises(ValueError, match=rf"the loss Changed has no method {method}"):
        as_loss(_changed(**{method: None}))


WRONG = {
    "conjugate too small": _scaled("conjugate", 1.5),  # the logistic one is negative
    "conjugate too large": _scaled("conjugate", 0.5),
    "conjugate never infinite": _changed(Hinge, conjugate=lambda self, u, y: u * y),
    "conjugate of another loss": _changed(conjugate=lambda self, u, y: u * y + u**2 / 2),
    "derivative too steep": _scaled("derivative", 1.1),
    "derivative of the wrong sign": _scaled("derivative", -1.0),
    "value too large": _scaled("value", 1.2),
    "value with a bump": _changed(value=lambda self, f, y: Logistic().value(f, y) + 0.1 * np.exp(-((f - 2) ** 2))),
    "not convex, all else right": _changed(
        value=lambda self, f, y: np.minimum(1.0, np.maximum(0.0, 1 - y * f)),
        derivative=lambda self, f, y: np.where((y * f < 1) & (y * f > 0), -y, 0.0),
        conjugate=lambda self, u, y: np.where(u == 0, 0.0, np.inf),
    ),
    "lipschitz": _changed(lipschitz=0.5),
    "smoothness": _changed(smoothness=0.1),
    "prox": _changed(HingeWithProx, prox=lambda self, v, y, step: v),
    "prox of twice the length": _changed(
        HingeWithProx, prox=lambda s, v, y, step: HingeWithProx().prox(v, y, 2 * step)
    ),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_functions_that_contradict_each_other_are_refused(wrong):
    with pytest.raises(ValueError, match=r"the functions of the loss Changed contradict each other at y="):
        as_loss(wrong)


@pytest.mark.parametrize(
    ("hostile", "message"),
    [
        (_changed(value=lambda self, f, y: np.full(f.shape, np.nan)), "value of the loss Changed is nan"),
        (_changed(value=lambda self, f, y: Logistic().value(f, y) - 1), "must not be negative"),
        (_changed(derivative=lambda self, f, y: np.full(f.shape, np.nan)), "derivative of the loss Changed is nan"),
        (
            _changed(conjugate=lambda self, u, y: np.full(u.shape, np.nan)),
            "conjugate of the loss Changed is inf at u=0",
        ),
        (
            _changed(conjugate=lambda self, u, y: -u * y * np.log(-u * y) + (1 + u * y) * np.log(1 + u * y)),
            "xlogy",  # 0 log 0 is not a number
        ),
        (_changed(value=lambda self, f, y: 1.0), r"value of the loss Changed has to return an array of the shape"),
        (_changed(value=lambda self, f, y: f[:-1]), r"value of the loss Changed has to return an array of the shape"),
        (_changed(value=lambda self, f, y: np.multiply(f, 0.0, out=f)), "read-only"),
        (_changed(smoothness=-1.0), "smoothness of the loss Changed must be a positive number; got -1.0"),
        (_changed(lipschitz="much"), "lipschitz of the loss Changed must be a positive number; got 'much'"),
        (_changed(HingeWithProx, prox=lambda self, v, y, step: v * np.nan), "prox of the loss Changed is not finite"),
    ],
)
def test_hostile_functions_are_refused(hostile, message):
    with pytest.raises(ValueError, match=message):
        as_loss(hostile)


def test_an_error_in_a_function_is_the_users_to_see():
    def value(self, f, y):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        as_loss(_changed(value=value))
