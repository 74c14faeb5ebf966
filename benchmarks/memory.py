"""Memory of this process in MB: what it holds now, and the most that it has held since the last `reset_peak`.

On Linux the peak is read from /proc, where it can be reset and where it starts at zero. The ``ru_maxrss`` of a process
also remembers the size of the parent that started it, so it serves only where there is no /proc.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def resident() -> float:
    value = _from_status("VmRSS")
    return peak() if value is None else value


def peak() -> float:
    value = _from_status("VmHWM")
    if value is not None:
        return value
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / 2**20 if sys.platform == "darwin" else used / 2**10


def reset_peak() -> None:
    try:
        _CLEAR.write_text("5")
    except OSError:  # not on this system: the peak is that of the whole process
        pass


def _from_status(key: str) -> float | None:
    try:
        found = re.search(rf"{key}:\s+(\d+) kB", _STATUS.read_text())
    except OSError:
        return None
    return int(found.group(1)) / 2**10 if found else None
