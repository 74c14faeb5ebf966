"""How the margins of several classes are drawn: regions in their colours, with a margin boundary inside each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...certificates import ON_BOUNDARY, OUTSIDE, UNDECIDED, KKTCases, is_inside
from .._look import INK, colour, draw_regions, edge, line, mark, marker, named, number, pale
from .._matplotlib import Axes

_INSIDE_STRENGTH, _OUTSIDE_STRENGTH = 1 / 3, 1.4  # of the colour, inside the margin and beyond it
_SIZES = 26, 52  # of samples outside the margin, and of the others
_GREY = "#808080"


def draw_classes(
    ax: Axes,
    grid: tuple[np.ndarray, np.ndarray],
    margins: np.ndarray,
    ahead: np.ndarray,
    region: np.ndarray,
    level: float,
) -> None:
    """Regions of the classes, paler inside the margin, with their borders and margin boundaries."""
    count = margins.shape[-1]
    even = np.full(region.shape, 1 / count)
    draw_regions(ax, *grid, (region, even, count), interpolation="nearest")
    # filled contours have smooth edges where the pixels below them have none
    for k in range(count):
        _fill(ax, grid, ahead[..., k], 0.0, pale(k, _INSIDE_STRENGTH))
        if level > 0:
            _fill(ax, grid, margins[..., k], level, pale(k, _OUTSIDE_STRENGTH))
    for k in range(count):
        _outline(ax, grid, ahead[..., k], 0.0, {"colors": INK, "linewidths": 1.8})
        if level > 0:
            style = {"colors": colour(k), "linewidths": 1.4, "linestyles": "--"}
            _outline(ax, grid, margins[..., k], level, style)


def _fill(ax: Axes, grid: tuple[np.ndarray, np.ndarray], values: np.ndarray, level: float, shade: np.ndarray) -> None:
    if values.max() > level:
        ax.contourf(*grid, values, [level, float(values.max()) + 1.0], colors=[tuple(shade)], zorder=1)


def _outline(
    ax: Axes, grid: tuple[np.ndarray, np.ndarray], values: np.ndarray, level: float, style: dict[str, Any]
) -> None:
    if values.min() < level < values.max():  # Matplotlib warns about a line that does not cross the picture
        ax.contour(*grid, values, [level], zorder=2, **style)


def draw_members(
    ax: Axes, points: np.ndarray, label: np.ndarray, case: np.ndarray, count: int, scale: float = 1.0
) -> None:
    """Samples in colours and markers of their classes: small outside the margin, with a dark rim on its boundary."""
    for layer, chosen in enumerate((case == OUTSIDE, is_inside(case), case == ON_BOUNDARY, case == UNDECIDED)):
        for k in range(count):
            x, y = points[chosen & (label == k)].T
            style: dict[str, Any] = {"s": scale * _SIZES[layer > 0], "edgecolors": edge(k), "linewidths": 0.6}
            if layer == 0:
                style["alpha"] = 0.55
            if layer == 2:
                style |= {"edgecolors": INK, "linewidths": 1.6}
            face = "white" if layer == 3 else colour(k)
            ax.scatter(x, y, marker=marker(k), facecolors=face, zorder=3 + layer, **style)


def class_handles(
    classes: Sequence[str], label: np.ndarray, cases: KKTCases, wrong: np.ndarray, level: float, multipliers: bool
) -> list[Any]:
    """Entries of the legend."""
    case = cases.case
    outside, on_boundary, inside = (case == OUTSIDE).sum(), (case == ON_BOUNDARY).sum(), is_inside(case).sum()
    of_class = np.bincount(label, minlength=len(classes))
    handles = named([f"{name}: {count}" for name, count in zip(classes, of_class, strict=True)])
    nearest = not multipliers and level != 1.0  # the margin ends at the nearest samples: none is inside
    if level > 0:
        handles.append(mark(f"outside the margin: {outside}", "o", "#B9B9B9", "white", 6))
        if multipliers or nearest:
            handles.append(mark(f"on the margin boundary: {on_boundary}", "o", _GREY, INK, 8, 1.6))
        if not nearest:
            handles.append(mark(f"inside the margin: {inside}", "o", _GREY, "white", 8))
        if (case == UNDECIDED).any():
            handles.append(mark(f"undecided: {(case == UNDECIDED).sum()}", "o", "white", INK, 8))
    handles.append(mark(f"misclassified: {int(wrong.sum())}", "o", "none", INK, 12))
    handles.append(line("decision boundary", width=1.8))
    if level > 0:
        handles.append(line(f"margin boundaries: margin {number(level, 3)}", style="--", width=1.4))
    return handles
