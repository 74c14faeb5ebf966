"""Where the boxes of a tree stand, and the room that they, its legend and its axes take, measured in points.

Parents stand above the middle of their children, subtrees as close as they fit. From the leaves upwards, a subtree is
known by its outline: the leftmost and the rightmost edge on each of its levels. Two siblings are pushed together until
their outlines are one gap apart on the level where they are closest, and their parent stands halfway between them
(after Reingold and Tilford, IEEE Transactions on Software Engineering 7, 1981).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._look import COLOURS
from .._matplotlib import Axes

Outline = list[tuple[float, float]]


def from_the_root(left: np.ndarray, right: np.ndarray) -> list[int]:
    """All nodes, level by level from the root on; children of -1 are none."""
    order = [0]
    for node in order:  # grows on the way
        if left[node] >= 0:
            order += [int(left[node]), int(right[node])]
    return order


def tidy(left: np.ndarray, right: np.ndarray, width: np.ndarray, gap: float) -> np.ndarray:
    """Middles of the boxes of these widths along the x-axis, the root's at 0."""
    order = from_the_root(left, right)
    offset = np.zeros(len(width))
    outlines: dict[int, Outline] = {}
    for node in reversed(order):
        below: Outline = []
        if left[node] >= 0:
            a, b = outlines.pop(int(left[node])), outlines.pop(int(right[node]))
            # the outlines of both share at least the level of the children themselves
            apart = max(end - start + gap for (_, end), (start, _) in zip(a, b, strict=False))
            offset[left[node]], offset[right[node]] = -apart / 2, apart / 2
            below = _joined(a, b, apart / 2)
        outlines[node] = [(-width[node] / 2, width[node] / 2), *below]
    x = np.zeros(len(width))
    for node in order:
        for child in (left[node], right[node]):
            if child >= 0:
                x[child] = x[node] + offset[child]
    return x


def _joined(a: Outline, b: Outline, half: float) -> Outline:
    """The outline of two subtrees, one shifted to the left and the other to the right."""
    levels = []
    for k in range(max(len(a), len(b))):
        ends = [(s - half, e - half) for s, e in a[k : k + 1]] + [(s + half, e + half) for s, e in b[k : k + 1]]
        levels.append((ends[0][0], ends[-1][1]))
    return levels


FONT = 9.0  # of what is written in a box


def axes_of_size(width: float, height: float) -> Axes:
    """Axes of this size in inches, or wider, in a new pyplot figure with room for title and legend."""
    import matplotlib.pyplot as plt

    above, below, beside = 0.55, 0.75, 0.15
    whole = max(5.6, width + 2 * beside), height + above + below
    figure = plt.figure(figsize=whole, facecolor="white")
    return figure.add_axes((beside / whole[0], below / whole[1], 1 - 2 * beside / whole[0], height / whole[1]))


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Points that a line of text takes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    return text_to_path.get_text_width_height_descent(text, FontProperties(size=size, weight=weight), False)[0]


def columns_that_fit(needs: list[float], room: float) -> int:
    """The most columns for entries of these widths, filled one after the other."""
    for columns in range(len(needs), 1, -1):
        parts = np.array_split(needs, columns)  # the first ones are the longer ones, as in a legend
        if sum(part.max() for part in parts) <= room:
            return columns
    return 1


def box_width(lines: list[str]) -> float:
    """Points that a box needs for what is written in it."""
    widths = [text_width(text, FONT, "normal" if k else "bold") for k, text in enumerate(lines)]
    return max(64.0, 16 + 1.04 * max(widths))  # letters that are fitted to pixels take a little more


def tone(share: float) -> Any:
    """The colour of a mean: from nearly white to a blue that letters can still be read on."""
    from matplotlib.colors import to_rgb

    return 1 - (0.04 + 0.46 * share) * (1 - np.array(to_rgb(COLOURS[0])))
