"""Whether the functions of a user's penalty hang together, on vectors that are tried; as for losses."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NoReturn

import numpy as np

if TYPE_CHECKING:
    from ._custom import CustomPenalty

_ROUNDING = 1e-9  # of the sizes of the terms of an inequality
_EQUAL = 1e-6  # of the terms of an equation
_SCALES = (0.1, 1.0, 10.0)
_STEPS = (0.1, 1.0, 10.0)
# A subgradient that is off the conjugate's domain by rounding alone is in it once it is this much shorter.
_SHORTER = 1 - 1e-9


def check_penalty(penalty: CustomPenalty, d: int) -> None:
    """Refuse a penalty whose functions contradict each other for d weights, saying how."""
    least = penalty.conjugate(np.zeros(d))
    if not least <= _ROUNDING:
        raise ValueError(
            f"conjugate of the penalty {penalty.name} is {least:g} at v=0; there it is minus the smallest value of the "
            f"penalty, which is not negative."
        )
    pairs = [_proximal_pair(penalty, w, step) for w in _vectors(d) for step in _STEPS]
    points = [x for x, _ in pairs] + _vectors(d)
    points += [30 * x for x in points]  # a conjugate that is finite where it must not be is wrong by more, the farther
    slopes = [factor * v for _, v in pairs for factor in (1.0, 1 + 1e-6, 1.1, 10.0)] + _vectors(d)
    _fenchel_young(penalty, points, slopes)


def _fenchel_young(penalty: CustomPenalty, points: list[np.ndarray], slopes: list[np.ndarray]) -> None:
    """Value + conjugate is at least the inner product, for every pair."""
    values = np.array([_value(penalty, x) for x in points])[:, None]
    stars = np.array([penalty.conjugate(v) for v in slopes])
    X, V = np.array(points), np.array(slopes)
    products = X @ V.T
    with np.errstate(invalid="ignore"):
        room = _ROUNDING * (1 + values + np.abs(stars) + np.abs(X) @ np.abs(V).T)
        short = np.where(np.isfinite(values + stars), products - (values + stars) - room, -1.0)
    i, j = np.unravel_index(int(short.argmax()), short.shape)
    if short[i, j] > 0:
        _contradiction(
            penalty,
            f"value(w) + conjugate(v) = {values[i, 0] + stars[j]:g} is below <v, w> = {products[i, j]:g} for "
            f"w={_shown(X[i])}, v={_shown(V[j])}, which a conjugate never allows",
        )


def _vectors(d: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    dense = [scale * rng.normal(size=d) for scale in _SCALES]
    return [*dense, dense[-1] * (rng.uniform(size=d) < 0.5), np.full(d, -1.0), np.full(d, 1.0), np.zeros(d)]


def _value(penalty: CustomPenalty, w: np.ndarray) -> float:
    value = penalty.value(w)
    if not value >= 0:
        raise ValueError(f"value of the penalty {penalty.name} is {value:g} at w={_shown(w)}; it must not be negative.")
    return value


def _proximal_pair(penalty: CustomPenalty, w: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Where a proximal step ends, and the subgradient that it is there.

    Value and conjugate sum to the inner product of the two exactly if the step is right.
    """
    x = penalty.prox(w, step)
    if not np.isfinite(x).all():
        raise ValueError(f"prox of the penalty {penalty.name} is not finite at w={_shown(w)}, step={step:g}.")
    v = (w - x) / step
    value, star = _value(penalty, x), penalty.conjugate(v)
    if not isfinite(star):
        v = _SHORTER * v
        star = penalty.conjugate(v)
    terms = float(np.abs(v) @ np.abs(x))
    if not value + star - float(v @ x) <= _EQUAL * (1 + terms + abs(value) + abs(star) * isfinite(star)):
        _contradiction(
            penalty,
            f"prox(w={_shown(w)}, step={step:g}) = {_shown(x)} does not minimise: with v = (w - prox) / step, value + "
            f"conjugate should be <v, prox> = {v @ x:g}, and is {value + star:g}",
        )
    return x, v


def _contradiction(penalty: CustomPenalty, text: str) -> NoReturn:
    raise ValueError(
        f"the functions of the penalty {penalty.name} contradict each other: {text}. A certificate would prove nothing."
    )


def _shown(w: np.ndarray) -> str:
    return np.array2string(w, precision=4, threshold=6, edgeitems=2, separator=", ", max_line_width=10_000)
