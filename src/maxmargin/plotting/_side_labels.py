"""Names beside the ends of lines, moved apart where they would overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._look import INK
from ._matplotlib import Axes

_LINE = 12.5  # points from one name to the next
_REACH = 22  # points from the axes to the names
_SHRINKS = 0.8  # the part of their height that axes keep, at least, when a legend and a title are laid out beside them
_LEADER: dict[str, Any] = {"arrowstyle": "-", "linewidth": 1.2, "relpos": (0.0, 0.5), "shrinkA": 2, "shrinkB": 0}


def write_beside(ax: Axes, names: Sequence[str], heights: np.ndarray, shades: Sequence[Any]) -> list[Any]:
    """Names on the right of the axes, each as near to its height as the others allow, with a thin line to it."""
    if not len(names):
        return []
    ax.margins(y=0.05)
    low, high = ax.get_ylim()  # fixed from here on: names are placed by it
    ax.set_ylim(low, high)
    box = ax.get_window_extent()
    wanted = (np.asarray(heights, dtype=np.float64) - low) / (high - low)
    places = spread(wanted, _LINE / (_SHRINKS * box.height * 72 / ax.figure.dpi), 1.0)
    beyond = 1.0 + _REACH / (box.width * 72 / ax.figure.dpi)
    texts = []
    for name, height, place, shade in zip(names, wanted, places, shades, strict=True):
        texts.append(
            ax.annotate(
                name, xy=(1.0, height), xytext=(beyond, place), xycoords="axes fraction", textcoords="axes fraction",
                color=INK, va="center", fontsize="small", annotation_clip=False, arrowprops={"color": shade, **_LEADER},
            )
        )  # fmt: skip
    return texts


def spread(wanted: np.ndarray, step: float, room: float) -> np.ndarray:
    """Places at least a step apart, in the order of those that are wanted and as near to them, within the room.

    Names that touch form a block, which stands where its members want it on the average.
    """
    order = np.argsort(wanted, kind="stable")
    blocks: list[list[float]] = []  # sum of the offsets that members want for the first one, members
    for k in order.tolist():
        blocks.append([float(wanted[k]), 1.0])
        while (
            len(blocks) > 1 and _first(blocks[-1], step, room) < _first(blocks[-2], step, room) + step * blocks[-2][1]
        ):
            total, count = blocks.pop()
            blocks[-1][0] += total - step * blocks[-1][1] * count
            blocks[-1][1] += count
    out, k = np.empty(len(wanted)), 0
    for block in blocks:
        first = _first(block, step, room)
        for member in range(int(block[1])):
            out[order[k]] = first + step * member
            k += 1
    return out


def _first(block: list[float], step: float, room: float) -> float:
    """Where the first of a block stands."""
    total, count = block
    return float(np.clip(total / count, 0.0, max(0.0, room - step * (count - 1))))
