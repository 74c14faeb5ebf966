"""Compiled functions that count no references to the arrays they are handed.

They must allocate nothing. A node of ten rows takes less than a microsecond, and numba's reference counts of the slices
and tuples on the way took 30 % of a tree's time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine._jit import _OPTIONS, _compiled


def jit_bare(function: Callable) -> Any:
    """As `engine.jit`, without reference counts."""
    return _compiled(function, {**_OPTIONS, "_nrt": False})
