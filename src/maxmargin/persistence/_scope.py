"""What is known of an object while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Scope:
    """The parameters of an object, its attributes so far, and sizes by name."""

    params: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> int:
        return self.sizes[name]
