"""How much memory there is: an error before the work is better than a process that is killed in the midst of it."""

from __future__ import annotations

import os
from math import inf


def memory_size() -> float:
    """Bytes of memory that this machine has; infinity where that cannot be asked."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):  # not on Windows
        return inf
