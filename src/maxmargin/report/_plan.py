"""What it takes to draw a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Inches of a picture that has half of the page's width, or all of it; curves are lower than planes.
HALF, WIDE, CURVE = (4.7, 3.9), (8.2, 6.2), (8.2, 4.0)


@dataclass(frozen=True)
class Plan:
    """Where a picture stands, what it shows, and a function that draws it in a figure of a size."""

    name: str
    section: str
    title: str
    caption: str
    size: tuple[float, float]
    draw: Callable[[Any], Any]
    wide: bool = False
    keep: bool = False
