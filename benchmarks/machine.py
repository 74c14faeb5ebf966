"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
import time
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = (
    "maxmargin",
    "scikit-learn",
    "scikit-learn-intelex",
    "libsvm-official",
    "thundersvm-cpu",
    "faiss-cpu",
    "numpy",
    "scipy",
    "numba",
)


def describe() -> dict[str, Any]:
    """CPU, cores, memory, Python, versions, time."""
    return {
        "cpu": _cpu_model(),
        "cores": cores(),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        "time": time.strftime("%Y-%m-%d %H:%M:%S %Z"),
    }


def cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on this system
        return "unknown"
    return f"{size / 2**30:.1f} GB"
