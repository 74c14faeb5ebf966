"""The playground: draw points, and watch the proof of a model close."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._serve import serve
    from ._widget import Widget

__all__ = ["Widget", "serve"]

_PLACES = {"serve": "_serve", "Widget": "_widget"}


def __getattr__(name: str) -> object:
    if name in _PLACES:
        return getattr(import_module(f".{_PLACES[name]}", __package__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
