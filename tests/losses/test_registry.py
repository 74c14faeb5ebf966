"""Losses by name, in compiled code by number, over arrays."""

import pickle

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.losses import (
    LOSSES,
    Loss,
    loss_conjugate,
    loss_curvature,
    loss_derivative,
    loss_prox,
    loss_value,
    make_loss,
)

POINTS = [-30.0, -1.0, -0.5, 0.0, 0.3, 0.7, 1.0, 2.5]


ROLES = ("value", "derivative", "curvature", "conjugate")


@numba.njit
def _dispatched(code, f, y, epsilon):
    return (
        loss_value(code, f, y, epsilon),
        loss_derivative(code, f, y, epsilon),
        loss_curvature(code, f, y, epsilon),
        loss_conjugate(code, f, y, epsilon),
    )


@numba.njit
def _stepped(code, v, y, step, epsilon):
    return loss_prox(code, v, y, step, epsilon)


def test_dispatch_is_the_loss_itself(loss, targets):
    for y in targets:
        for f in POINTS:
            for role, found in zip(ROLES, _dispatched(loss.code, f, y, loss.epsilon), strict=True):
                own = getattr(loss.facts, role)(f, y, loss.epsilon)
                assert_allclose(found, own, rtol=1e-15, err_msg=role)
                assert_allclose(getattr(loss, role)(f, y), own, rtol=1e-15, err_msg=role)
            own = loss.facts.prox(f, y, 0.7, loss.epsilon)
            assert_allclose(_stepped(loss.code, f, y, 0.7, loss.epsilon), own, rtol=1e-15)
            assert_allclose(loss.prox(f, y, 0.7), own, rtol=1e-15)


def test_compiled_functions_are_what_python_makes_of_them(loss, targets):
    for y in targets:
        for role in ROLES:
            plain = [getattr(loss.facts, role).py_func(f, y, loss.epsilon) for f in POINTS]
            assert_allclose(getattr(loss, role)(POINTS, y), plain, rtol=1e-14, atol=1e-15, err_msg=role)


def test_what_is_no_code_of_a_loss_is_not_compiled():
    with pytest.raises(numba.TypingError):
        _dispatched(len(LOSSES), 0.5, 1.0, 0.0)
    with pytest.raises(RuntimeError, match="compiled code only"):
        loss_value(make_loss("hinge").code, 0.5, 1.0, 0.0)


def test_codes_are_their_own(loss):
    assert [make_loss(name).code[0] for name in LOSSES] == list(range(len(LOSSES)))
    assert len({type(make_loss(name).code) for name in LOSSES}) == len(LOSSES)
    assert loss == make_loss(loss.name, loss.epsilon)
    assert pickle.loads(pickle.dumps(loss)) == loss
    assert len({loss, make_loss(loss.name, loss.epsilon)}) == 1


def test_facts_are_stated(loss):
    assert loss.kind in ("classification", "regression", "both")
    assert loss.lipschitz > 0
    assert loss.smoothness > 0
    assert loss.facts.name == loss.name


@pytest.mark.parametrize(("alias", "name"), [("log_loss", "logistic"), ("squared_error", "squared")])
def test_aliases(alias, name):
    assert make_loss(alias) == make_loss(name)


def test_unknown_name():
    with pytest.raises(ValueError, match=r"loss must be one of .*'hinge'.*'log_loss'.*; got 'hinged'"):
        make_loss("hinged")


@pytest.mark.parametrize("epsilon", [-0.1, np.nan, np.inf])
def test_epsilon_has_to_be_a_width(epsilon):
    with pytest.raises(ValueError, match=r"epsilon must be .* got"):
        make_loss("epsilon_insensitive", epsilon)


def test_a_loss_without_a_tube_has_no_epsilon():
    assert make_loss("hinge", 0.1) == make_loss("hinge") == Loss("hinge", make_loss("hinge").code)


def test_shapes(loss):
    f = np.linspace(-2, 2, 6).reshape(2, 3)
    y = np.array([1.0, -1.0, 1.0])
    for role in ("value", "derivative", "curvature", "conjugate"):
        method = getattr(loss, role)
        assert method(f, y).shape == (2, 3)
        assert_array_equal(method(f.T, y[:, np.newaxis]), method(f, y).T)  # not contiguous
        assert isinstance(method(0.25, 1), float)
        assert method([], []).shape == (0,)
    assert loss.prox(f, y, [[0.5], [2.0]]).shape == (2, 3)
    assert isinstance(loss.prox(0.25, 1, 1), float)
    assert loss.dual_lower(y).shape == loss.dual_upper(y).shape == (3,)
    assert np.ndim(loss.dual_lower(1.0)) == np.ndim(loss.dual_upper(1.0)) == 0
    assert_array_equal(loss.value(f.astype(np.float32), y.astype(int)), loss.value(f.astype(np.float32), y))


def test_labels_are_checked():
    with pytest.raises(ValueError, match=r"the hinge loss takes labels y of -1 and \+1; found .*0\.0"):
        make_loss("hinge").value([0.5, 0.5], [1, 0])
    assert make_loss("squared").value(0.5, 0) == 0.125


@pytest.mark.parametrize("step", [-1.0, np.nan, np.inf])
def test_steps_are_checked(step):
    with pytest.raises(ValueError, match="step must be finite and not negative; got"):
        make_loss("hinge").prox(0.5, 1.0, step)
