"""Where a warning belongs: the line of the user's program that called the library."""

from __future__ import annotations

import sys


def caller_level() -> int:
    """The `stacklevel` for ``warnings.warn`` in the function that asks: of the first caller outside the package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("maxmargin."):
        frame, level = frame.f_back, level + 1
    return level
