"""Whether a loss is convex, by three inequalities that every convex function keeps, at points that are tried.

    chord               L(t a + (1 - t) b) <= t L(a) + (1 - t) L(b)
    tangent             L(b) >= L(a) + L'(a) (b - a)
    second derivative   L(a + h) - 2 L(a) + L(a - h) >= 0, and a stated curvature is not negative

One of them broken at one point proves that the loss is not convex; all of them kept at many points prove nothing, and
make it likely.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from ._loss import Loss, make_loss

_WEIGHTS = (0.1, 0.25, 0.5, 0.75, 0.9)  # t of chords
_ROUNDING = 1e-9  # of the sizes of the terms of an inequality, and of the largest value up to 1
_LEAST = 2.0**-44  # what rounding may leave of a small loss that is computed from terms of size 1


@dataclass(frozen=True)
class Inequality:
    """One of the three inequalities at all points that were tried.

    Attributes
    ----------
    holds : bool
        Whether it was kept everywhere, but for rounding.
    shortfall : float
        By how much it is broken at most; 0 if nowhere.
    where : str
        The place where it is broken most, in words; empty if nowhere.

    """

    holds: bool
    shortfall: float
    where: str


@dataclass(frozen=True, repr=False)
class ConvexityCheck:
    """What `check_convexity` has found.

    Attributes
    ----------
    convex : bool
        Whether no inequality is broken. False is a proof, with the place in `where`; True is none.
    chord, tangent, second_derivative : Inequality or None
        The three tests; None for tangents of a loss without derivative.
    points : int
        Decision values that were tried, for each label.

    """

    convex: bool
    chord: Inequality
    tangent: Inequality | None
    second_derivative: Inequality
    points: int

    def __str__(self) -> str:
        verdict = "no inequality of convex functions is broken" if self.convex else "not convex"
        lines = [f"{verdict}, {self.points} points for each label"]
        for name in ("chord", "tangent", "second_derivative"):
            found = getattr(self, name)
            words = "no derivative is known" if found is None else "kept" if found.holds else f"broken: {found.where}"
            lines.append(f"  {name.replace('_', ' '):<20}{words}")
        return "\n".join(lines)

    __repr__ = __str__


def check_convexity(
    loss: Any, *, low: float = -5.0, high: float = 5.0, points: int = 201, labels: Any = (-1.0, 1.0)
) -> ConvexityCheck:
    """Look for a place where a loss is not convex in the decision value: by chords, tangents and second derivative.

    Parameters
    ----------
    loss : str, Loss, object or callable
        A name of `LOSSES`; a loss of `make_loss`; an object with `value(f, y)` and, if it has them, `derivative` and
        `curvature`, as the losses of users are; or a function of f and y.
    low, high : float
        Interval of decision values.
    points : int, default=201
        How many of them are tried, evenly spaced; pairs of all of them make chords and tangents.
    labels : sequence of float, default=(-1, 1)
        Labels or targets.

    Returns
    -------
    ConvexityCheck

    Examples
    --------
    >>> from maxmargin.losses import check_convexity
    >>> check_convexity("hinge").convex
    True
    >>> print(check_convexity("zero_one"))
    not convex, 201 points for each label
      chord               broken: at y=-1, 0.9 of the way from f=4.35 to f=-0.45 the loss is 1, the chord 0.1
      tangent             broken: at y=-1, f=-5 the loss is 0, the tangent from f=0 gives 1
      second derivative   broken: at y=-1, f=0 the slope falls by 20
    """
    value, derivative, curvature = _functions(loss)
    for name, function in (("loss", value), ("derivative", derivative), ("curvature", curvature)):
        _check_arguments(name, function)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"low and high must be finite, the first below the second; got {low!r} and {high!r}.")
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 3:
        raise ValueError(f"points must be a whole number of at least 3; got {points!r}.")
    f = np.unique(np.linspace(low, high, points))  # of numbers that are close for their size, some are the same
    if len(f) < 3:
        raise ValueError(f"there must be three numbers from low to high, and float64 has {len(f)} here; got {low!r}.")
    found: dict[str, list[Inequality]] = {"chord": [], "tangent": [], "second": []}
    for y in np.asarray(labels, dtype=np.float64).ravel():
        loss_at = _finite(value, y)
        found["chord"].append(_chords(loss_at, f, y))
        found["second"].append(_bends(loss_at, f, y, None if curvature is None else _finite(curvature, y)))
        if derivative is not None:
            found["tangent"].append(_tangents(loss_at, _finite(derivative, y), f, y))
    if not found["chord"]:
        raise ValueError("labels must not be empty.")
    worst = {name: max(parts, key=lambda part: part.shortfall) if parts else None for name, parts in found.items()}
    chord, tangent, second = worst["chord"], worst["tangent"], worst["second"]
    assert chord is not None and second is not None
    convex = all(part.holds for part in (chord, tangent, second) if part is not None)
    return ConvexityCheck(convex, chord, tangent, second, len(f))


Function = Callable[..., Any]


def _functions(loss: Any) -> tuple[Function, Function | None, Function | None]:
    if isinstance(loss, str):
        loss = make_loss(loss)
    if isinstance(loss, Loss):
        # where it has none, the curvature is a limit from one side
        return loss.value, loss.derivative, loss.curvature if loss.twice_differentiable else None
    if callable(getattr(loss, "value", None)):
        named = (getattr(loss, name, None) for name in ("derivative", "curvature"))
        derivative, curvature = (part if callable(part) else None for part in named)
        return loss.value, derivative, curvature
    if callable(loss):
        return loss, None, None
    raise ValueError(f"loss must be a name, a loss, or a function of f and y; got {loss!r}.")


def _check_arguments(name: str, function: Function | None) -> None:
    if function is None:
        return
    try:
        taken = signature(function)
    except (TypeError, ValueError):  # of compiled code, which has none to look at
        return
    try:
        taken.bind(None, None)
    except TypeError:
        raise ValueError(
            f"the {name} must be a function of two arrays, the decision values f and the labels y of the same shape; "
            f"this one takes {taken}. Add the argument that is missing, even if it is not used."
        ) from None


def _finite(function: Function, y: float) -> Function:
    """The function of f alone, whose values are numbers of the right shape."""

    def of(f: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            found = np.asarray(function(f, np.full(f.shape, y)), dtype=np.float64)
        if found.shape != f.shape or np.isnan(found).any():
            raise ValueError(
                f"a loss must give a number for each decision value; for y={y:g} it gave shape {found.shape} for "
                f"{f.shape}{', with NaN' if np.isnan(found).any() else ''}."
            )
        return found

    return of


def _inequality(
    short: np.ndarray, size: np.ndarray, values: np.ndarray, words: Callable[[Any], str], least: float = _LEAST
) -> Inequality:
    """Shortfalls beyond the rounding of terms of this size; `words` tell of the place of the worst.

    `values` are those of the function: one whose values are all tiny is held to its own size.
    """
    finite = np.abs(values[np.isfinite(values)])
    room = min(_ROUNDING, max(_ROUNDING * float(finite.max(initial=0.0)), least))
    with np.errstate(invalid="ignore"):
        short = np.where(np.isfinite(short) & (short > _ROUNDING * size + room), short, 0.0)
    place = np.unravel_index(int(short.argmax()), short.shape)
    worst = float(short[place])
    return Inequality(worst == 0.0, worst, words(place) if worst > 0 else "")


@np.errstate(invalid="ignore", over="ignore")  # a loss may be infinite
def _chords(loss: Function, f: np.ndarray, y: float) -> Inequality:
    a, b = f[None, :, None], f[None, None, :]
    t = np.array(_WEIGHTS)[:, None, None]
    at = loss(f)
    # the chord is taken where the loss is: at the rounded point, which float64 knows exactly
    point = np.clip(t * a + (1 - t) * b, np.minimum(a, b), np.maximum(a, b))
    middle = loss(point)
    share = np.divide(point - a, b - a, out=np.zeros_like(point), where=a != b)
    ends = (1 - share) * at[None, :, None], share * at[None, None, :]
    chord = ends[0] + ends[1]

    def words(place: Any) -> str:
        k, i, j = place
        return (
            f"at y={y:g}, {1 - _WEIGHTS[k]:.3g} of the way from f={f[i]:g} to f={f[j]:g} the loss is "
            f"{middle[place]:.3g}, the chord {chord[place]:.3g}"
        )

    return _inequality(middle - chord, np.abs(middle) + np.abs(ends[0]) + np.abs(ends[1]), at, words)


@np.errstate(invalid="ignore", over="ignore")  # a loss may be infinite
def _tangents(loss: Function, slope: Function, f: np.ndarray, y: float) -> Inequality:
    at, rise = loss(f), slope(f)
    climb = rise[:, None] * (f[None, :] - f[:, None])
    line = at[:, None] + climb

    def words(place: Any) -> str:
        i, j = place
        return f"at y={y:g}, f={f[j]:g} the loss is {at[j]:.3g}, the tangent from f={f[i]:g} gives {line[place]:.3g}"

    return _inequality(line - at[None, :], np.abs(at)[:, None] + np.abs(climb) + np.abs(at)[None, :], at, words)


@np.errstate(invalid="ignore", over="ignore")
def _bends(loss: Function, f: np.ndarray, y: float, curvature: Function | None) -> Inequality:
    """Differences of slopes between neighbouring points, and the curvature that is stated."""
    at, steps = loss(f), np.diff(f)
    h = float(steps.min())
    change = np.diff(np.diff(at) / steps)
    size = (np.abs(at[2:]) + np.abs(at[1:-1])) / steps[1:] + (np.abs(at[1:-1]) + np.abs(at[:-2])) / steps[:-1]
    words = lambda k: f"at y={y:g}, f={f[k[0] + 1]:g} the slope falls by {-change[k]:.3g}"  # noqa: E731
    found = _inequality(-change, size, at / h, words, _LEAST / h)
    if curvature is None:
        return found
    stated = curvature(f)
    also = _inequality(
        -stated, np.abs(stated) * 0, stated, lambda k: f"at y={y:g}, f={f[k]:g} the curvature is {stated[k]:.3g}"
    )
    return max(found, also, key=lambda part: part.shortfall)
