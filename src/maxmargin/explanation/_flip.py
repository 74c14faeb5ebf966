"""The smallest changes that bring a row to the boundary of a linear machine.

With f(z) = w'z + b the nearest point of the boundary is z - f(z) w / ||w||^2, at the distance |f(z)| / ||w||. Where
only some columns may move, w is taken with zeros at the others. A class k wins on a polytope, where f_k - f_j > 0 for
all others j: the nearest point of its boundary is the nearest one of these planes', whichever it is. Along one column
the plane is met at z_j - f(z) / w_j.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._columns import MISSING, OTHER, Column
from ._results import Flip, Table
from ._subject import Row, Subject

_BEYOND = 1e-6  # a step over the boundary, relative to the one that leads to it


@dataclass(frozen=True)
class Plane:
    """A boundary w'z + b = 0 between two classes; positive on the side of the first."""

    w: np.ndarray
    b: float
    positive: Any
    negative: Any

    def value(self, z: np.ndarray) -> float:
        """w'z + b."""
        return float(self.w @ z) + self.b


@dataclass(frozen=True)
class Movable:
    """Which columns may move by a little, and what is held instead, by name of the column of the data."""

    mask: np.ndarray
    held: dict[str, str]


def movable(subject: Subject, row: Row) -> Movable:
    """Numbers may move; categories, truth values, missing values, dates and mixtures are held."""
    mask, held = np.zeros(len(subject.columns), dtype=bool), {}
    for j, column in enumerate(subject.columns):
        if subject.steps is None or (not subject.followed and column.kind == "mixed"):
            mask[j] = True  # the space of the model is all there is
            continue
        source = column.source or column.name
        if column.kind == "mixed":
            mask[j] = True
        elif column.kind == "number" and column.scale != 0.0:
            if row.given.get(source) is None:
                held[source] = "missing"
            else:
                mask[j] = True
        elif column.kind == "flag":
            held[source] = "yes or no"
        elif column.kind in ("level", "code"):
            held[source] = "a category"
        elif column.kind == "part":
            held[source] = "a date"
    return Movable(mask, held)


def smallest_flip(subject: Subject, row: Row, planes: Sequence[Plane]) -> Flip | None:
    """The nearest boundary over the columns that may move; None where no plane can be reached."""
    z, free = row.dense(), movable(subject, row)
    best: tuple[float, np.ndarray] | None = None
    for plane in planes:
        w = np.where(free.mask, plane.w, 0.0)
        norm = float(np.linalg.norm(w))
        if norm == 0.0:
            continue
        f = plane.value(z)
        if best is None or abs(f) / norm < best[0]:
            best = abs(f) / norm, -f * (w / norm) / norm
    if best is None:
        return None
    distance, step = best
    moved = [j for j in np.argsort(-np.abs(step), kind="stable").tolist() if step[j] != 0.0]
    rows = [(subject.columns[j].name, *_in_units(subject.columns[j], z[j], step[j])) for j in moved]
    length = "scaled length" if subject.in_units else "length"
    title = f"smallest change of all features together that reaches it ({length} {distance:.4g})"
    return Flip(
        distance,
        z + step,
        Table.of(title, ("feature", "now", "then", "change"), rows),
        _label_at(subject, row, z + (1 + _BEYOND) * step + _nudge(step, planes, z)),
        tuple(free.held),
    )


def _nudge(step: np.ndarray, planes: Sequence[Plane], z: np.ndarray) -> np.ndarray:
    """A row that is on the boundary already has no step to lengthen."""
    return step if step.any() else -1e-9 * planes[0].w * np.sign(planes[0].value(z) or 1.0)


def _in_units(column: Column, z: float, step: float) -> tuple[float, float, float]:
    """Before, after and change, in units of the data where there are any."""
    if column.scale == 0.0 or column.kind == "mixed":
        return z, z + step, step
    now = (z - column.offset) / column.scale
    return now, now + step / column.scale, step / column.scale


def _label_at(subject: Subject, row: Row, z: np.ndarray) -> Any:
    seen = z[None]
    if hasattr(row.seen, "tocsr"):
        seen = type(row.seen)(seen)
    return subject.predicted(seen)[0]


def single_changes(subject: Subject, row: Row, planes: Sequence[Plane], X: Any = None) -> tuple[Table, list[str]]:
    """For each column alone, the change that reaches the boundary, the smallest first; and what cannot reach it.

    With the training rows X, whether the value that is needed lies between the smallest and the largest of them.
    """
    z, free = row.dense(), movable(subject, row)
    values = np.array([plane.value(z) for plane in planes])
    steps = _steps(values, np.array([np.where(free.mask, plane.w, 0.0) for plane in planes]))
    low, high = _range(X)
    rows: list[tuple[Any, ...]] = []
    for j in np.argsort(np.abs(steps), kind="stable").tolist():
        if np.isfinite(steps[j]):
            seen = None if low is None else bool(low[j] <= z[j] + steps[j] <= high[j])
            rows.append((subject.columns[j].name, *_in_units(subject.columns[j], z[j], steps[j]), steps[j], seen))
    stuck = []
    for source in free.held:
        level = _best_level(subject, row, z, planes, source)
        if level is not None:
            rows.append((source, row.given.get(source), level, None, None, None if low is None else True))
        elif free.held[source] in ("a category", "yes or no"):
            stuck.append(source)
    known = "scaled" if subject.in_units else None, None if low is None else "in the data"
    title = "change of one feature alone that reaches the boundary"
    return Table.of(title, ("feature", "now", "then", "change", *known), rows), stuck


def _steps(values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """For each column the shortest way to any plane, -f / w_j; infinite where no plane depends on the column."""
    with np.errstate(over="ignore"):
        steps = np.divide(-values[:, None], slopes, out=np.full(slopes.shape, np.inf), where=slopes != 0.0)
    first = np.argmin(np.abs(steps), axis=0)
    return steps[first, np.arange(slopes.shape[1])]


def _range(X: Any) -> tuple[Any, Any]:
    """Smallest and largest value of each column."""
    if X is None:
        return None, None
    if hasattr(X, "tocsr"):
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    X = np.asarray(X, dtype=np.float64)
    return X.min(axis=0), X.max(axis=0)


def _best_level(subject: Subject, row: Row, z: np.ndarray, planes: Sequence[Plane], source: str) -> Any:
    """The other level of a category, or truth value, that flips the decision by itself and goes furthest; or None."""
    mine = [j for j, c in enumerate(subject.columns) if (c.source or c.name) == source]
    best, furthest = None, 0.0
    for name, change in _other_levels(subject, row, z, mine, source):
        after = np.array(z)
        after[mine] = change
        gains = [-np.sign(plane.value(z)) * plane.value(after) for plane in planes]
        if max(gains) > furthest:
            best, furthest = name, max(gains)
    return best


def _other_levels(
    subject: Subject, row: Row, z: np.ndarray, mine: list[int], source: str
) -> list[tuple[Any, list[float]]]:
    """Each other value of a held column, with what the model would see."""
    columns = [subject.columns[j] for j in mine]
    now = row.given.get(source)
    if any(c.kind == "flag" for c in columns):
        others = [value for value in (False, True) if value != now]
        return [
            (value, [c.scale * float(value) + c.offset if c.kind == "flag" else c.offset for c in columns])
            for value in others
        ]
    levels = next((c.levels for c in columns if c.kind == "level" and c.levels), ())
    out = []
    for level in levels:
        if level in (str(now), MISSING, OTHER):
            continue
        seen = [
            c.scale * float(c.level == level) + c.offset if c.kind == "level" else
            (c.offset if c.kind == "indicator" else z[j])
            for c, j in zip(columns, mine, strict=True)
        ]  # fmt: skip
        out.append((level, seen))
    return out
