"""What can be set on the page, each with its limits: the page draws them from here, requests are checked by them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..messages import Argument, InputError


@dataclass(frozen=True)
class Slider:
    """A number between two others; `scale` says how the slider runs; at its `endless` right end it is infinity."""

    name: str
    label: str
    low: float
    high: float
    value: float
    scale: str = "linear"
    whole: bool = False
    endless: bool = False
    help: str = ""
    when: Mapping[str, list[str]] = field(default_factory=dict)
    type: str = field(default="slider", init=False)

    def checked(self, value: Any) -> float | int:
        """The value, if it can be one."""
        if value == "inf" and self.endless:
            return math.inf
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not self.low <= value <= self.high:
            end = ", or infinite" if self.endless else ""
            raise InputError(
                Argument(self.name, _short(value)),
                f" is not possible here: it has to be from {self.low:g} to {self.high:g}{end}.",
            )
        if self.whole and value != int(value):
            raise InputError(Argument(self.name, value), " has to be a whole number.")
        return int(value) if self.whole else float(value)


@dataclass(frozen=True)
class Choice:
    """One of a few words, each with what the page calls it."""

    name: str
    label: str
    options: Mapping[str, str]
    value: str
    help: str = ""
    when: Mapping[str, list[str]] = field(default_factory=dict)
    type: str = field(default="choice", init=False)

    def checked(self, value: Any) -> str:
        """The value, if it can be one."""
        if not isinstance(value, str) or value not in self.options:
            raise InputError(
                Argument(self.name, _short(value)), f" is not possible here: one of {', '.join(self.options)} is."
            )
        return value


Control = Slider | Choice


def _short(value: Any) -> Any:
    return value if isinstance(value, (int, float)) else str(value)[:40]
