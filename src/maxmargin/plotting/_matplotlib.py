"""Matplotlib is an extra: it is imported when something is drawn, and its absence is explained."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def require_matplotlib(what: str) -> None:
    """Raise ImportError, naming the extra, where Matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise ImportError(f"{what} needs Matplotlib, which is not installed: pip install 'maxmargin[plot]'")


def new_axes(width: float, height: float) -> Axes:
    """Axes in a new pyplot figure on white, laid out so that a legend beside the axes has room."""
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(width, height), layout="constrained", facecolor="white")
    return ax
