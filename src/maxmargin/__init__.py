"""maxmargin: max-margin learning whose every answer comes with a proof.

Importing the package is cheap: the rooms (``maxmargin.svm``, ``maxmargin.kernels``, ...) load on first use.
"""

from importlib import import_module
from importlib.metadata import version

__version__ = version("maxmargin")

_ROOMS = (
    "bounds",
    "certificates",
    "cluster",
    "data",
    "diagnostics",
    "engine",
    "ensemble",
    "kernels",
    "linear_model",
    "losses",
    "neighbors",
    "penalties",
    "plotting",
    "problems",
    "search",
    "solvers",
    "svm",
    "tree",
)

__all__ = ["__version__", *_ROOMS]


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
