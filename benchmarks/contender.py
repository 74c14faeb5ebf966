"""What a contender is to the runner: something that a worker builds from a case and its data, and calls by name."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from typing import Any

from .worker import ContenderError


class Contender(ABC):
    """One library in one case. Its methods are called, and timed, in a process of its own.

    Attributes
    ----------
    name : str
        How tables call it.
    compiles : bool
        Whether its first run on a machine, and in a process, compiles.

    """

    name: str
    compiles = False

    @abstractmethod
    def warm_up(self) -> None:
        """Load libraries and start threads by a small piece of work. Raises ContenderError if there is no such peer."""

    def before(self, method: str) -> None:  # noqa: B027 (most have nothing to do)
        """Called outside of the clock before each run of a method."""


def peer(module: str, attribute: str | None = None) -> Any:
    """A module of a peer, or something in it; ContenderError if it is not to be had."""
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise ContenderError(f"not available: {error}") from None
    if attribute is None:
        return found
    if not hasattr(found, attribute):
        raise ContenderError(f"not available: {module} has no {attribute}")
    return getattr(found, attribute)
