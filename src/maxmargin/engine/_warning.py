"""Warnings that name the line of the user's program."""

from __future__ import annotations

import sys
import warnings

from . import _interrupts


def warn(message: str | Warning, category: type[Warning] = UserWarning, stacklevel: int = 1) -> None:
    """As `warnings.warn`; what makes methods interruptible does not count as a level of the stack."""
    frame, level = sys._getframe(1), 2
    while stacklevel > 1 and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
        if frame.f_code.co_filename != _interrupts.__file__:
            stacklevel -= 1
    warnings.warn(message, category, stacklevel=level)
