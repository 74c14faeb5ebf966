"""The room that boxes, legend and axes of a tree take, measured in points; and the tones of its means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._look import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
