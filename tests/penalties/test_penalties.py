"""Penalties: value, conjugate and proximal step hang together, for every name and strength."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.penalties import PENALTIES, make_penalty, penalty_conjugate, penalty_prox, penalty_value

examples = settings(max_examples=25)
vectors = st.lists(st.floats(-20, 20), min_size=1, max_size=6).map(np.array)
steps = st.floats(-3, 2).map(lambda exponent: 10.0**exponent)

_CASES = [(name, ratio) for name in PENALTIES for ratio in ([0.0, 0.3, 1.0] if name == "elastic_net" else [0.5])]


@pytest.fixture(scope="session", params=_CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request):
    return request.param


@pytest.fixture(scope="session", params=[0.2, 7.0])
def penalty(case, request):
    return make_penalty(case[0], l1_ratio=case[1], strength=request.param)


def _subgradient(penalty, w):
    return penalty.l1 * np.sign(w) + penalty.l2 * w


@examples
@given(vectors, st.data())
def test_fenchel_young(penalty, w, data):
    v = np.array(data.draw(st.lists(st.floats(-20, 20), min_size=len(w), max_size=len(w))))
    if penalty.l2 == 0:  # the conjugate is finite within a cube only
        v *= penalty.l1 / 20
    assert np.isfinite(penalty.conjugate(v))
    assert penalty.value(w) + penalty.conjugate(v) - v @ w >= -1e-11 * (1 + np.abs(v) @ np.abs(w) + v @ v)


@examples
@given(vectors)
def test_fenchel_young_is_an_equality_at_a_subgradient(penalty, w):
    v = _subgradient(penalty, w)
    assert_allclose(penalty.value(w) + penalty.conjugate(v), v @ w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("v", [-3.0, -0.6, 0.0, 0.1, 0.5, 2.0])
def test_conjugate_is_the_supremum(penalty, v):
    w = np.arange(-20_000, 20_001) * 1e-2
    found = max(v * x - penalty_value(x, penalty.l1, penalty.l2) for x in w)
    if penalty.conjugate([v]) == np.inf:
        assert found == v * w[-1 if v > 0 else 0] - penalty.value(w[:1])  # at the edge: it would go on growing
        assert found > 0
    else:
        assert_allclose(penalty.conjugate([v]), found, atol=1e-3)


@examples
@given(vectors, steps)
def test_prox_minimises(penalty, w, step):
    x = penalty.prox(w, step)

    def objective(x):
        return penalty.value(x) + ((x - w) ** 2).sum() / (2 * step)

    best = objective(x)
    for j in range(len(w)):
        for move in (*np.geomspace(1e-8, 10, 12), w[j] - x[j], -x[j]):
            for other in (x[j] + move, x[j] - move):
                assert best <= objective(np.where(np.arange(len(w)) == j, other, x)) + 1e-12 * (1 + best)


@examples
@given(vectors, steps)
def test_moreau(penalty, w, step):
    """The step is a subgradient where it ends, and the two envelopes sum to ||w||^2 / (2 step)."""
    x = penalty.prox(w, step)
    v = (w - x) / step
    if penalty.l2 == 0:
        assert (np.abs(v) <= penalty.l1 + 1e-11 * (1 + np.abs(w) / step)).all()
        v = np.clip(v, -penalty.l1, penalty.l1)
    primal = penalty.value(x) + ((x - w) ** 2).sum() / (2 * step)
    dual = penalty.conjugate(v) + 0.5 * step * ((v - w / step) ** 2).sum()
    assert_allclose(primal + dual, w @ w / (2 * step), rtol=1e-10, atol=1e-10)


@examples
@given(vectors, st.data())
def test_convex(penalty, w, data):
    other = np.array(data.draw(st.lists(st.floats(-20, 20), min_size=len(w), max_size=len(w))))
    chord = (penalty.value(w) + penalty.value(other)) / 2
    assert penalty.value((w + other) / 2) <= chord + 1e-12 * (1 + chord)


def test_the_vector_methods_sum_the_scalar_functions(penalty):
    w = np.array([-3.0, -0.4, 0.0, 0.1, 2.0])
    l1, l2 = penalty.l1, penalty.l2
    assert_allclose(penalty.value(w), sum(penalty_value(x, l1, l2) for x in w), rtol=1e-15)
    assert_allclose(penalty.conjugate(w), sum(penalty_conjugate(x, l1, l2) for x in w), rtol=1e-15)
    assert_array_equal(penalty.prox(w, 0.7), [penalty_prox(x, 0.7, l1, l2) for x in w])
    assert penalty.value([]) == penalty.conjugate([]) == 0.0
    assert penalty.prox(w.reshape(1, 5), 0.7).shape == (1, 5)


def test_closed_forms():
    w = np.array([3.0, -0.5, 0.0])
    assert make_penalty("none").value(w) == 0.0
    assert make_penalty("none").conjugate(w) == np.inf
    assert make_penalty("none").conjugate(np.zeros(3)) == 0.0
    assert_array_equal(make_penalty("none").prox(w, 5.0), w)
    assert make_penalty("l2", strength=2.0).value(w) == 9.25
    assert make_penalty("l2", strength=2.0).conjugate(w) == 9.25 / 4
    assert_array_equal(make_penalty("l2").prox(w, 1.0), w / 2)
    assert make_penalty("l1").value(w) == 3.5
    assert make_penalty("l1", strength=3.0).conjugate(w) == 0.0
    assert_array_equal(make_penalty("l1").prox(w, 1.0), [2.0, 0.0, 0.0])


def test_the_ends_of_the_elastic_net_are_its_neighbours():
    for ratio, name in ((1.0, "l1"), (0.0, "l2")):
        net, end = make_penalty("elastic_net", l1_ratio=ratio, strength=3.0), make_penalty(name, strength=3.0)
        assert (net.l1, net.l2) == (end.l1, end.l2)


def test_nan_is_not_swallowed(penalty):
    w = np.array([1.0, np.nan])
    assert np.isnan(penalty.value(w))
    assert not np.isfinite(penalty.conjugate(w))
    assert np.isnan(penalty.prox(w, 1.0)[1])


def test_penalties_are_values(case):
    first, second = (make_penalty(case[0], l1_ratio=case[1]) for _ in range(2))
    assert first == second == pickle.loads(pickle.dumps(first))
    assert len({first, second}) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "lasso"}, r"penalty must be one of .*'l1'.*; got 'lasso'"),
        ({"name": "elastic_net", "l1_ratio": 1.5}, r"l1_ratio must be a number from 0 to 1; got 1\.5"),
        ({"name": "elastic_net", "l1_ratio": np.nan}, "l1_ratio must be .* got nan"),
        ({"name": "l2", "strength": -1.0}, r"strength must be .* got -1\.0"),
        ({"name": "l2", "strength": np.inf}, "strength must be .* got inf"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_penalty(**arguments)


@pytest.mark.parametrize("step", [-1.0, np.nan, np.inf])
def test_steps_are_checked(step):
    with pytest.raises(ValueError, match="step must be finite and not negative; got"):
        make_penalty("l1").prox([1.0], step)
