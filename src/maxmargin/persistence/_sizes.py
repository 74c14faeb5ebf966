"""Sizes and other relations between the parts of an object.

Sizes have names ("n", "d", "k"): the first array of an object that has such a side binds it, and all others must agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._errors import Mismatch, Where
from ._scope import Scope

Size = int | str | Callable[[Scope], int] | None


def agree(scope: Scope, size: Size, found: int, where: Where, what: str) -> None:
    """Bind or compare a size; None is any."""
    wanted = size(scope) if callable(size) else scope.sizes.get(size) if isinstance(size, str) else size
    if wanted is None and size is not None:
        scope.sizes[str(size)] = found
    elif wanted not in (None, found):
        raise Mismatch(where, f"{what} is {found}; expected {wanted}.")


def resolved(size: Any, scope: Scope) -> int:
    """A size as a number."""
    return size(scope) if callable(size) else scope[size] if isinstance(size, str) else size


def below(size: str) -> Callable[[Scope], int]:
    """One less than a size: the last place in so many."""
    return lambda scope: scope[size] - 1


@dataclass(frozen=True)
class Check:
    """A relation between what has been read so far."""

    holds: Callable[[Scope], bool]
    words: str

    def apply(self, scope: Scope, where: Where) -> None:
        if not self.holds(scope):
            raise Mismatch(where, self.words)
