"""Every test that asks for `loss` runs for every loss of the registry, a new one included."""

import pytest

from maxmargin.losses import LOSSES, make_loss

_WIDTHS = {True: [0.0, 0.3], False: [0.0]}  # of the tube, by whether the loss has one
_ALL = [make_loss(name, epsilon) for name in LOSSES for epsilon in _WIDTHS[LOSSES[name].uses_epsilon]]


def _name(loss):
    return f"{loss.name}-{loss.epsilon}" if loss.epsilon else loss.name


@pytest.fixture(scope="session", params=_ALL, ids=_name)
def loss(request):
    return request.param


@pytest.fixture(scope="session", params=[loss for loss in _ALL if loss.convex], ids=_name)
def convex_loss(request):
    return request.param


@pytest.fixture(scope="session", params=[loss for loss in _ALL if loss.kind == "classification"], ids=_name)
def margin_loss(request):
    return request.param


@pytest.fixture(scope="session")
def targets(loss):
    """A few labels or targets that the loss takes."""
    return [-1.0, 1.0] if loss.kind == "classification" else [-1.0, 0.0, 0.7, 30.0]
