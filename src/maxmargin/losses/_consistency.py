"""Whether the functions of a user's loss hang together, at points that are tried.

A conjugate that is too small would make a certificate false: every test here is one that right functions pass, but for
rounding. Passing them proves nothing about other points, which is why a certificate says what it assumes.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from ._custom import CustomLoss

_ROUNDING = 1e-9  # of the sizes of the terms of an inequality
_EQUAL = 1e-6  # of the terms of an equation, which a kink or a short step may blur
_H = 1e-6  # of difference quotients
_STEPS = (0.1, 1.0, 10.0)  # of proximal steps


def _margins() -> np.ndarray:
    far = np.geomspace(5.0, 1e4, 15)
    random = np.random.default_rng(0).normal(scale=2.0, size=80)
    return np.unique(np.concatenate([-far, np.linspace(-5.0, 5.0, 201), far, random]))


@np.errstate(all="ignore")  # a loss may overflow far out: points where it does are left out
def check_loss(loss: CustomLoss) -> None:
    """Refuse a loss whose functions contradict each other, saying where and how."""
    for label in (-1.0, 1.0):
        f = _margins()
        y = np.full(len(f), label)
        value, slope = loss.value(f, y), loss.derivative(f, y)
        _numbers(loss, label, f, value, slope)
        _derivatives(loss, label, f, value, slope)
        _conjugates(loss, label, f, value, slope)
        _constants(loss, label, f, slope)
        if loss.has_prox:
            _proximal_steps(loss, label, f)


def contradiction(loss: CustomLoss, label: float, text: str) -> NoReturn:
    """Say that functions contradict each other."""
    raise ValueError(
        f"the functions of the loss {loss.name} contradict each other at y={label:g}: {text}. A certificate would "
        f"prove nothing."
    )


def _numbers(loss: CustomLoss, label: float, f: np.ndarray, value: np.ndarray, slope: np.ndarray) -> None:
    for name, found in (("value", value), ("derivative", slope)):
        wrong = np.isnan(found) if name == "value" else ~np.isfinite(found) & np.isfinite(value)
        if wrong.any():
            raise ValueError(f"{name} of the loss {loss.name} is {found[wrong][0]} at f={f[wrong][0]:g}, y={label:g}.")
    least = int(value.argmin())
    if value[least] < 0:
        raise ValueError(
            f"value of the loss {loss.name} is {value[least]:g} at f={f[least]:g}, y={label:g}; a loss must not be "
            f"negative (add a constant)."
        )
    at_zero = float(loss.conjugate(np.zeros(1), np.full(1, label))[0])
    if not at_zero <= _ROUNDING:
        raise ValueError(
            f"conjugate of the loss {loss.name} is {at_zero:g} at u=0, y={label:g}; there it is minus the smallest "
            f"value of the loss, which is not negative. (A limit such as 0 log 0 = 0 has to be written out: "
            f"scipy.special.xlogy.)"
        )


def _derivatives(loss: CustomLoss, label: float, f: np.ndarray, value: np.ndarray, slope: np.ndarray) -> None:
    """The slope lies between the difference quotients on either side: those of a convex function do not cross."""
    h = _H * np.maximum(1.0, np.abs(f))
    y = np.full(len(f), label)
    # f + h rounds: what is divided by is the distance of the points at hand
    right = (loss.value(f + h, y) - value) / ((f + h) - f)
    left = (value - loss.value(f - h, y)) / (f - (f - h))
    room = 1e-4 * (1 + np.abs(slope)) + 8e-16 * np.abs(value) / h
    known = np.isfinite(right) & np.isfinite(left)
    wrong = known & ((slope > right + room) | (slope < left - room))
    if wrong.any():
        k = int(wrong.argmax())
        contradiction(
            loss,
            label,
            f"at f={f[k]:g} the derivative is {slope[k]:g}, while the value rises by {left[k]:g} a unit before and by "
            f"{right[k]:g} after (a convex loss has its derivative between the two)",
        )


def _slopes_of(loss: CustomLoss, label: float, slope: np.ndarray) -> np.ndarray:
    """Slopes that occur, and others from all over the interval where the conjugate is finite."""
    low, high = float(loss.dual_lower(label)), float(loss.dual_upper(label))
    reach = 2 * float(np.abs(slope[np.isfinite(slope)]).max(initial=1.0))
    spread = np.linspace(max(low, -reach), min(high, reach), 101)
    near = np.linspace(max(low, -2.0), min(high, 2.0), 41)
    return np.concatenate([np.clip(slope[np.isfinite(slope)], low, high), spread, near])


def _conjugates(loss: CustomLoss, label: float, f: np.ndarray, value: np.ndarray, slope: np.ndarray) -> None:
    """Fenchel-Young: value + conjugate is at least u f for all f and u, and equal to it where u is the slope at f."""
    u = _slopes_of(loss, label, slope)
    star = loss.conjugate(u, np.full(len(u), label))
    known = np.isfinite(value) & np.isfinite(slope)
    product = np.outer(f[known], u)
    total = value[known, None] + star
    room = _ROUNDING * (1 + np.abs(value[known, None]) + np.abs(star) + np.abs(product))
    short = product - total - room
    short[~np.isfinite(short)] = -1.0
    i, j = np.unravel_index(int(short.argmax()), short.shape)
    if short[i, j] > 0:
        contradiction(
            loss,
            label,
            f"value(f={f[known][i]:g}) + conjugate(u={u[j]:g}) = {total[i, j]:g} is below u f = {product[i, j]:g}, "
            f"which a conjugate never allows",
        )
    _attained(loss, label, f[known], slope[known], "the derivative")


def _attained(loss: CustomLoss, label: float, f: np.ndarray, u: np.ndarray, what: str) -> None:
    """The conjugate at a slope is reached at the point that it is the slope of."""
    y = np.full(len(f), label)
    inside = np.clip(u, loss.dual_lower(y), loss.dual_upper(y))
    total = loss.value(f, y) + loss.conjugate(inside, y)
    room = _EQUAL * (1 + np.abs(loss.value(f, y)) + np.abs(u * f))
    wrong = ~(total - inside * f <= room) | (np.abs(inside - u) > _EQUAL * (1 + np.abs(u)))
    if wrong.any():
        k = int(wrong.argmax())
        contradiction(
            loss,
            label,
            f"at f={f[k]:g} {what} is u={u[k]:g}, where value + conjugate should be u f = {u[k] * f[k]:g}, and is "
            f"{(loss.value(f, y) + loss.conjugate(u, y))[k]:g}",
        )


def _constants(loss: CustomLoss, label: float, f: np.ndarray, slope: np.ndarray) -> None:
    steepest = float(np.abs(slope[np.isfinite(slope)]).max(initial=0.0))
    if steepest > loss.lipschitz * (1 + _EQUAL):
        contradiction(loss, label, f"lipschitz is {loss.lipschitz:g}, and a derivative {steepest:g}")
    if hasattr(loss.functions, "smoothness"):
        bend = np.abs(np.diff(slope)) - loss.smoothness * np.diff(f) * (1 + _EQUAL)
        k = int(np.nan_to_num(bend, nan=-1.0).argmax())
        if bend[k] > _ROUNDING * (1 + np.abs(slope[k])):
            contradiction(
                loss,
                label,
                f"smoothness is {loss.smoothness:g}, and the derivative changes from {slope[k]:g} to {slope[k + 1]:g} "
                f"between f={f[k]:g} and f={f[k + 1]:g}",
            )


def _proximal_steps(loss: CustomLoss, label: float, v: np.ndarray) -> None:
    """The step over its length is a slope where it ends."""
    v = v[np.abs(v) <= 100]
    y = np.full(len(v), label)
    for step in _STEPS:
        f = loss.prox(v, y, np.full(len(v), step))
        if not np.isfinite(f).all():
            raise ValueError(f"prox of the loss {loss.name} is not finite at v={v[~np.isfinite(f)][0]:g}, y={label:g}.")
        _attained(loss, label, f, (v - f) / step, f"(v - prox(v)) / step with step={step:g}")
