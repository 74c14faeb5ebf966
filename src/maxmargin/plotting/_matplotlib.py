"""Matplotlib is an extra: it is imported when something is drawn, and its absence is explained."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any


def require_matplotlib(what: str) -> None:
    """Raise ImportError, naming the extra, where Matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise ImportError(f"{what} needs Matplotlib, which is not installed: pip install 'maxmargin[plot]'")


def new_panels(width: float, height: float, rows: int = 1, columns: int = 1, **options: Any) -> tuple[Any, ...]:
    """Axes in a new pyplot figure on white, laid out so that a legend beside them has room; row by row."""
    import matplotlib.pyplot as plt

    options |= {"figsize": (width, height), "layout": "constrained", "facecolor": "white"}
    return tuple(plt.subplots(rows, columns, squeeze=False, **options)[1].ravel())


def given_panels(ax: Any, counts: tuple[int, ...], words: str) -> tuple[Any, ...]:
    """Axes that a user gave, one or several; refused in these words if they are not as many as needed."""
    panels = tuple(np.ravel(np.asarray(ax, dtype=object)))
    if len(panels) not in counts:
        raise ValueError(f"ax must be {words}; got {len(panels)}.")
    return panels
