"""maxmargin: max-margin learning, where every fit carries a certificate.

Importing the package is cheap: the rooms (``maxmargin.svm``, ``maxmargin.kernels``, ...) load on first use.
"""

from importlib import import_module

__version__: str

_ROOMS = (
    "bounds",
    "certificates",
    "cluster",
    "data",
    "detection",
    "diagnostics",
    "engine",
    "ensemble",
    "explanation",
    "kernel_approximation",
    "kernel_model",
    "kernel_ridge",
    "kernels",
    "linear_model",
    "losses",
    "neighbors",
    "penalties",
    "persistence",
    "playground",
    "plotting",
    "problems",
    "report",
    "search",
    "solvers",
    "svm",
    "tables",
    "training",
    "tree",
)
# Rooms that need an extra: not among those that are always there.
_WITH_EXTRAS = ("dask",)
# Calls that are used so often that they can be had without the name of their room.
_CALLS = {"load": "persistence", "save": "persistence", "to_onnx": "persistence"}

__all__ = ["__version__", *_CALLS, *_ROOMS]


def __getattr__(name: str) -> object:
    if name == "__version__":  # metadata takes a quarter of what the tool takes to say how it is used
        from importlib.metadata import version

        return version("maxmargin")
    if name in _ROOMS or name in _WITH_EXTRAS:
        return import_module(f"{__name__}.{name}")
    if name in _CALLS:
        return getattr(import_module(f"{__name__}.{_CALLS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
