"""Axes of curves: their dress, a title that is wrapped, and where the values of a parameter stand."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from ._look import INK, value_text
from ._matplotlib import Axes

# Colours of curves: what is trained on, what is not, and a third.
TRAINING, HELD_OUT, THIRD = "#0055A4", "#E66100", "#7A3A46"
_LETTER = 5.0  # points of a letter of the title
_MOST_TICKS = 15
_LOG_FROM = 50  # positive values that span such a factor are drawn on a log scale


def dress(ax: Axes, grid: str = "y") -> None:
    """Pale lines behind the curves, no frame above and on the right."""
    ax.grid(axis=grid, color="#E4E4E4", linewidth=0.8)  # type: ignore[arg-type]
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def whole_numbers(ax: Axes) -> None:
    """No ticks between the numbers of rounds or learners."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=True))


def write_title(ax: Axes, text: str) -> None:
    """Sentences above the axes, wrapped to their width."""
    width = ax.get_window_extent().width * 72 / ax.figure.dpi
    lines = [textwrap.fill(part, max(24, int(width / _LETTER))) for part in text.splitlines()]
    ax.set_title("\n".join(lines), loc="left", fontsize="medium", color=INK)


class ValueAxis:
    """Places of the values of a parameter: those of numbers, on a log scale if they span a lot; else side by side."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = list(values)
        numbers = [isinstance(v, (Real, np.number)) and not isinstance(v, (bool, np.bool_)) for v in self.values]
        self.numbers = all(numbers) and bool(np.isfinite([float(v) for v in self.values]).all())
        if self.numbers:
            self.numbers = len({float(v) for v in self.values}) == len(self.values)
        self.at = (
            np.array([float(v) for v in self.values]) if self.numbers else np.arange(len(self.values), dtype=float)
        )
        self.order = np.argsort(self.at, kind="stable")
        positive = self.numbers and bool((self.at > 0).all())
        self.log = positive and bool(self.at.max() >= _LOG_FROM * self.at.min())

    def apply(self, ax: Axes, name: str) -> None:
        """Scale, name, and ticks at the values unless they are too many."""
        ax.set_xlabel(name)
        if self.log:
            ax.set_xscale("log")
        if len(self.values) <= _MOST_TICKS or not self.numbers:
            labels = [value_text(value).replace("-", "−") for value in self.values]
            ax.set_xticks(self.at, labels=labels)
            ax.set_xticks([], minor=True)

    def borders(self) -> np.ndarray:
        """Halfway from each value to the next one in their order, with the ends of the axis."""
        u = np.log(self.at[self.order]) if self.log else self.at[self.order]
        middle = (u[1:] + u[:-1]) / 2
        step = (u[-1] - u[0]) * 0.04 if len(u) > 1 else 0.5
        ends = np.concatenate([[u[0] - step], middle, [u[-1] + step]])
        return np.exp(ends) if self.log else ends


def band(ax: Axes, x: np.ndarray, middle: np.ndarray, error: np.ndarray, shade: str) -> Any:
    """One standard error on either side of a curve."""
    return ax.fill_between(x, middle - error, middle + error, color=shade, alpha=0.18, linewidth=0, zorder=1)


def standard_errors(scores: np.ndarray) -> np.ndarray:
    """Of the mean of each row of scores; zeros for a single score."""
    folds = scores.shape[1]
    return scores.std(axis=1, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros(len(scores))
