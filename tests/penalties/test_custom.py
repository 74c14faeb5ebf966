"""Group lasso, bounds on the weights, and a user's own penalty: against closed forms, other minimisers and probes."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from maxmargin.penalties import BoundedWeights, GroupLasso, as_penalty, make_penalty

examples = settings(max_examples=40)
D = 5
vectors = st.lists(st.floats(-5, 5), min_size=D, max_size=D).map(np.array)
steps = st.floats(-2, 1).map(lambda exponent: 10.0**exponent)

PENALTIES = {
    "groups": GroupLasso([0, 0, 1, 1, 1], strength=0.7),
    "groups apart": GroupLasso(["b", "a", "b", "c", "a"]),
    "box": BoundedWeights(-1.0, 0.5, l2=0.0),
    "box with l2": BoundedWeights(-1.0, 0.5, l2=2.0),
    "not negative": BoundedWeights(0.0, np.inf),
    "one by one": BoundedWeights([-1, -1, 0, 0.2, -np.inf], [1, 0, 1, 0.4, np.inf], l2=0.3),
}


@pytest.fixture(params=PENALTIES.values(), ids=PENALTIES)
def penalty(request):
    return request.param


def test_they_pass_the_probes(penalty):
    as_penalty(penalty).check(D)


@examples
@given(vectors, vectors, steps)
def test_fenchel_young(w, v, step):
    for penalty in PENALTIES.values():
        x = penalty.prox(w, step)
        g = (w - x) / step
        assert penalty.value(x) + penalty.conjugate(v) >= v @ x - 1e-11 * (1 + np.abs(v) @ np.abs(x))
        # at the subgradient that a proximal step is, the two sides are equal; its length is off by rounding
        assert_allclose(penalty.value(x) + penalty.conjugate((1 - 1e-9) * g), g @ x, rtol=1e-7, atol=1e-7)


@examples
@given(vectors, steps)
def test_prox_minimises(w, step):
    for penalty in PENALTIES.values():
        x = penalty.prox(w, step)
        best = penalty.value(x) + ((x - w) ** 2).sum() / (2 * step)
        rng = np.random.default_rng(0)
        for size in (1e-6, 1e-3, 0.1, 1.0):
            for _ in range(20):
                other = penalty.prox(x + size * rng.normal(size=D), 1e-9)  # somewhere the penalty is finite
                assert best <= penalty.value(other) + ((other - w) ** 2).sum() / (2 * step) + 1e-8 * (1 + best)


@examples
@given(vectors, vectors)
def test_conjugate_bound_covers_the_box(v, e):
    e = 0.1 * np.abs(e)
    corners = v + e * np.array(np.meshgrid(*[[-1, 0, 1]] * D)).reshape(D, -1).T
    for penalty in PENALTIES.values():
        bound = penalty.conjugate_bound(v, e)
        assert bound >= max(penalty.conjugate(corner) for corner in corners)
        assert penalty.conjugate_bound(v, np.zeros(D)) <= penalty.conjugate((1 + 1e-12) * v) + 1e-10


def test_conjugate_is_the_supremum():
    v = np.array([0.3, -0.2, 0.4, 1.5, -1.0])
    for name in ("box with l2", "one by one"):
        penalty = PENALTIES[name]
        low, high = np.broadcast_to(penalty.lower, D), np.broadcast_to(penalty.upper, D)
        start = np.clip(np.zeros(D), low, high)
        found = minimize(
            lambda w, p=penalty: 0.5 * p.l2 * w @ w - v @ w, start, bounds=list(zip(low, high, strict=True))
        )
        assert_allclose(penalty.conjugate(v), -found.fun, rtol=1e-8)
    assert PENALTIES["box"].conjugate(v) == pytest.approx(0.15 + 0.2 + 0.2 + 0.75 + 1.0)


def test_closed_forms():
    w = np.array([3.0, 4.0, 1.0, 2.0, 2.0])
    groups = PENALTIES["groups"]
    assert_allclose(groups.value(w), 0.7 * (np.sqrt(2) * 5 + np.sqrt(3) * 3), rtol=1e-15)
    assert_allclose(groups.prox(w, 1.0)[:2], (1 - 0.7 * np.sqrt(2) / 5) * w[:2], rtol=1e-15)
    assert_array_equal(groups.prox(w, 10.0), np.zeros(5))
    edge = 0.7 * np.sqrt(2) * np.array([0.6, 0.8, 0, 0, 0])
    assert groups.conjugate((1 - 1e-12) * edge) == 0.0
    assert groups.conjugate((1 + 1e-12) * edge) == np.inf
    assert PENALTIES["not negative"].value(-w) == np.inf


def test_groups_of_one_are_the_lasso():
    groups, lasso = GroupLasso(np.arange(D), 0.5), make_penalty("l1", strength=0.5)
    for w in np.random.default_rng(0).normal(size=(20, D)):
        assert_allclose(groups.value(w), lasso.value(w), rtol=1e-15)
        assert_allclose(groups.prox(w, 0.7), lasso.prox(w, 0.7), rtol=1e-12, atol=1e-15)
        assert groups.conjugate(w) == lasso.conjugate(w)


def test_wide_bounds_are_the_ridge():
    wide, ridge = BoundedWeights(-np.inf, np.inf), make_penalty("l2")
    w = np.random.default_rng(0).normal(size=D)
    assert wide.value(w) == pytest.approx(ridge.value(w), rel=1e-15)
    assert wide.conjugate(w) == pytest.approx(ridge.conjugate(w), rel=1e-15)
    assert_array_equal(wide.prox(w, 1.0), ridge.prox(w, 1.0))


def test_they_are_kept_and_shown(penalty):
    w = np.full(D, 0.3)
    for again in (pickle.loads(pickle.dumps(penalty)), copy.deepcopy(penalty), eval(repr(penalty), _NAMES)):
        assert again.value(w) == penalty.value(w)


_NAMES = {"GroupLasso": GroupLasso, "BoundedWeights": BoundedWeights, "inf": np.inf}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GroupLasso([]), "groups must be a list"),
        (lambda: GroupLasso([[0, 1]]), "groups must be a list"),
        (lambda: GroupLasso([[0, 1], [2]]), r"groups must be a list .* such as \[0, 0, 1\]; got \[\[0, 1\], \[2\]\]"),
        (lambda: GroupLasso(3), "groups must be a list"),
        (lambda: GroupLasso([0.5, 1.5]), r"groups must be whole numbers, or names; got \[0\.5, 1\.5\]"),
        (lambda: GroupLasso([0.0, np.nan]), "groups must be whole numbers, or names"),
        (lambda: GroupLasso([0, 1j]), "groups must be whole numbers, or names"),
        (lambda: GroupLasso([0, "0"]), "groups must be whole numbers, or names"),
        (lambda: GroupLasso([None, None]), "groups must be whole numbers, or names"),
        (lambda: GroupLasso([0, 1], strength=0.0), "strength must be a positive"),
        (lambda: GroupLasso([0, 1], strength=np.nan), "strength must be a positive"),
        (lambda: GroupLasso([0, 1]).value(np.ones(3)), "groups of 2 features; X has 3"),
        (lambda: BoundedWeights(1.0, 0.0), "lower must not be above upper"),
        (lambda: BoundedWeights(np.nan, 0.0), "lower must be a number"),
        (lambda: BoundedWeights(0.0, 1.0, l2=-1.0), "l2 must be"),
        (lambda: BoundedWeights(0.0, np.inf, l2=0.0), "infinite need l2 > 0"),
        (lambda: BoundedWeights([0.0, 0.0], 1.0).value(np.ones(3)), "2 bounds in lower; X has 3 features"),
    ],
)
def test_wrong_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


class L1:
    def value(self, w):
        return np.abs(w).sum()

    def conjugate(self, v):
        return 0.0 if np.abs(v).max() <= 1 else np.inf

    def prox(self, w, step):
        return np.sign(w) * np.maximum(np.abs(w) - step, 0.0)


def _changed(**methods):
    return as_penalty(type("Changed", (L1,), methods)())


def test_a_penalty_of_the_users_own_is_accepted():
    own = as_penalty(L1())
    own.check(D)
    assert own.separable is None
    norm = _changed(conjugate=None, dual_norm=lambda self, v: np.abs(v).max())
    norm.check(D)
    for v in np.random.default_rng(0).normal(size=(20, D)):
        assert norm.conjugate(v) == own.conjugate(v)


@examples
@given(vectors, vectors)
def test_derived_conjugate_bound_covers_the_box(v, e):
    e = 1e-6 * np.abs(e)
    signs = np.array(np.meshgrid(*[[-1, 1]] * D)).reshape(D, -1).T

    class Half(L1):  # a conjugate that is finite everywhere
        def value(self, w):
            return 0.5 * w @ w

        def conjugate(self, v):
            return 0.5 * v @ v

    for own in (as_penalty(L1()), as_penalty(Half())):
        bound = own.conjugate_bound(v, e)
        assert bound >= max(own.conjugate(v + sign * e) for sign in signs)
        assert bound <= own.conjugate((1 + 1e-4) * v) + 1e-3


@pytest.mark.parametrize("method", ["value", "conjugate", "prox"])
def test_a_missing_method_is_named(method):
    with pytest.raises(ValueError, match=rf"the penalty Changed has no method {method}"):
        _changed(**{method: None})


WRONG = {
    "conjugate too wide": {"conjugate": lambda self, v: 0.0 if np.abs(v).max() <= 1.5 else np.inf},
    "conjugate too narrow": {"conjugate": lambda self, v: 0.0 if np.abs(v).max() <= 0.5 else np.inf},
    "conjugate of another": {"conjugate": lambda self, v: 0.5 * v @ v},
    "value too small": {"value": lambda self, w: 0.5 * np.abs(w).sum()},
    "value too large": {"value": lambda self, w: 2 * np.abs(w).sum()},
    "prox of another": {"prox": lambda self, w, step: w / (1 + step)},
    "no prox at all": {"prox": lambda self, w, step: w},
    "hard threshold": {"prox": lambda self, w, step: np.where(np.abs(w) > step, w, 0.0)},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_functions_that_contradict_each_other_are_refused(wrong):
    with pytest.raises(ValueError, match="the functions of the penalty Changed contradict each other"):
        _changed(**wrong).check(D)


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"value": lambda self, w: np.nan}, "value of the penalty Changed is nan"),
        ({"value": lambda self, w: -1.0}, "must not be negative"),
        ({"value": lambda self, w: np.abs(w)}, "value of the penalty Changed has to return one number"),
        ({"conjugate": lambda self, v: np.nan}, "conjugate of the penalty Changed is inf at v=0"),
        ({"prox": lambda self, w, step: w * np.nan}, "prox of the penalty Changed is not finite"),
        ({"prox": lambda self, w, step: w[:-1]}, "has to return a vector of 5 weights"),
        ({"prox": lambda self, w, step: np.multiply(w, 0.0, out=w)}, "read-only"),
    ],
)
def test_hostile_functions_are_refused(methods, message):
    with pytest.raises(ValueError, match=message):
        _changed(**methods).check(D)


def test_a_penalty_that_does_not_grow_is_refused():
    class FirstAlone:
        def value(self, w):
            return 0.5 * w[0] ** 2

        def conjugate(self, v):
            return 0.5 * v[0] ** 2 if not np.any(v[1:]) else np.inf

        def prox(self, w, step):
            return np.append(w[:1] / (1 + step), w[1:])

    with pytest.raises(ValueError, match="does not grow in every direction"):
        as_penalty(FirstAlone()).check(D)


def test_many_weights_need_a_bound_of_the_conjugate():
    with pytest.raises(ValueError, match="has no method conjugate_bound, which 5000 features"):
        as_penalty(L1()).check(5000)
    as_penalty(GroupLasso(np.arange(5000) // 10)).check(5000)
