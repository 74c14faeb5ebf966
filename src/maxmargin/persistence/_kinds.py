"""Kinds of attributes: how a value is written as a tree of JSON values and arrays, and what it must be like when read.

Sizes have names ("n", "d", "k"): the first array of an object that has such a side binds it, and all others must agree.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._errors import Mismatch, Where, at

Size = int | str | Callable[["Scope"], int]
_MAX_TEXT = 2**20
_MANY = 1000


@dataclass
class Scope:
    """What is known of an object while it is read: its parameters, attributes so far, and sizes."""

    params: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> int:
        return self.sizes[name]

    def agree(self, size: Size, found: int, where: Where, what: str) -> None:
        """Bind or compare a size."""
        wanted = size(self) if callable(size) else self.sizes.get(size) if isinstance(size, str) else size
        if wanted is None:
            self.sizes[str(size)] = found
        elif wanted != found:
            raise Mismatch(where, f"{what} is {found}; expected {wanted}.")


class Kind(ABC):
    """A kind of attribute."""

    optional = False

    @abstractmethod
    def write(self, value: Any, where: Where) -> Any:
        """The value as JSON and arrays."""

    @abstractmethod
    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        """The value again; raises `Mismatch` for anything that is not of this kind."""

    def settle(self, part: Any, model: Any) -> Any:
        """The value in its place in the model, all other attributes of which are there."""
        return part


def shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with the shape {value.shape}"
    if isinstance(value, (list, dict, tuple, str)) and len(value) > _MANY:
        return f"{type(value).__name__} of {len(value)}"
    text = repr(value)
    return f"{type(value).__name__} {text[:60]}{'...' if len(text) > 60 else ''}"


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


@dataclass(frozen=True)
class Int(Kind):
    """A whole number, at least `low` and at most `high`, which may be sizes; `binds` gives it a name."""

    low: Size = 0
    high: Size = 2**62
    binds: str | None = None

    def write(self, value: Any, where: Where) -> Any:
        if not _is_whole(value):
            raise Mismatch(where, f"must be a whole number to be saved; found {shown(value)}.")
        return int(value)

    def read(self, node: Any, where: Where, scope: Scope) -> int:
        low, high = (resolved(end, scope) for end in (self.low, self.high))
        if type(node) is not int or not low <= node <= high:
            raise Mismatch(where, f"must be a whole number from {low} to {high}; found {shown(node)}.")
        if self.binds is not None:
            scope.agree(self.binds, node, where, "it")
        return node


def resolved(size: Size, scope: Scope) -> int:
    return size(scope) if callable(size) else scope[size] if isinstance(size, str) else size


@dataclass(frozen=True)
class Float(Kind):
    """A float64; not finite ones are written as text, and only allowed by `finite=False`."""

    low: float = -math.inf
    high: float = math.inf
    finite: bool = True
    nan: bool = False

    def write(self, value: Any, where: Where) -> Any:
        if not isinstance(value, (float, np.floating)) and not _is_whole(value):
            raise Mismatch(where, f"must be a number to be saved; found {shown(value)}.")
        return float_node(float(value))

    def read(self, node: Any, where: Where, scope: Scope) -> float:
        value = number_of(node)
        if value is None:
            raise Mismatch(where, f"must be a number; found {shown(node)}.")
        if math.isnan(value):
            if not self.nan:
                raise Mismatch(where, "must not be NaN.")
        elif (self.finite and math.isinf(value)) or not self.low <= value <= self.high:
            raise Mismatch(where, f"must be {self._range}; found {value}.")
        return value

    @property
    def _range(self) -> str:
        return f"{'finite and ' if self.finite else ''}from {self.low} to {self.high}"


def float_node(value: float) -> float | str:
    """A float as JSON can hold it."""
    return value if math.isfinite(value) else str(value)


def number_of(node: Any) -> float | None:
    """A float from JSON, None if it is none."""
    if type(node) in (int, float):
        return float(node)
    return float(node) if isinstance(node, str) and node in ("nan", "inf", "-inf") else None


@dataclass(frozen=True)
class Bool(Kind):
    """True or False."""

    def write(self, value: Any, where: Where) -> Any:
        if not isinstance(value, (bool, np.bool_)):
            raise Mismatch(where, f"must be True or False to be saved; found {shown(value)}.")
        return bool(value)

    def read(self, node: Any, where: Where, scope: Scope) -> bool:
        if type(node) is not bool:
            raise Mismatch(where, f"must be true or false; found {shown(node)}.")
        return node


@dataclass(frozen=True)
class Text(Kind):
    """A text, one of `among` if given."""

    among: frozenset[str] | None = None

    def write(self, value: Any, where: Where) -> Any:
        if not isinstance(value, str):
            raise Mismatch(where, f"must be a text to be saved; found {shown(value)}.")
        return checked_text(str(value), where)

    def read(self, node: Any, where: Where, scope: Scope) -> str:
        if not isinstance(node, str) or (self.among is not None and node not in self.among):
            allowed = "a text" if self.among is None else f"one of {sorted(self.among)}"
            raise Mismatch(where, f"must be {allowed}; found {shown(node)}.")
        return checked_text(node, where)


def checked_text(text: str, where: Where) -> str:
    """A text that can be printed: no halves of characters."""
    if len(text) > _MAX_TEXT:
        raise Mismatch(where, f"is a text of {len(text)} characters; at most {_MAX_TEXT} are allowed.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Mismatch(where, "is a text that has halves of characters.") from None
    return text


def choice(*words: str) -> Text:
    """One of these words."""
    return Text(frozenset(words))


@dataclass(frozen=True)
class OrNone(Kind):
    """A kind, or None."""

    kind: Kind

    def write(self, value: Any, where: Where) -> Any:
        return None if value is None else self.kind.write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return None if node is None else self.kind.read(node, where, scope)

    def settle(self, part: Any, model: Any) -> Any:
        return None if part is None else self.kind.settle(part, model)


@dataclass(frozen=True)
class Maybe(Kind):
    """An attribute that need not be there."""

    kind: Kind
    optional = True

    def write(self, value: Any, where: Where) -> Any:
        return self.kind.write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return self.kind.read(node, where, scope)

    def settle(self, part: Any, model: Any) -> Any:
        return self.kind.settle(part, model)


@dataclass(frozen=True)
class Either(Kind):
    """The kind that `pick` chooses when the object is read; all of them write alike, the first that can."""

    pick: Callable[[Scope], Kind]
    kinds: tuple[Kind, ...]

    def write(self, value: Any, where: Where) -> Any:
        problem: Mismatch | None = None
        for kind in self.kinds:
            try:
                return kind.write(value, where)
            except Mismatch as error:
                problem = problem or error
        assert problem is not None
        raise problem

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return self.pick(scope).read(node, where, scope)


@dataclass(frozen=True)
class Items(Kind):
    """A list of values of one kind, or a tuple of them."""

    kind: Kind
    size: Size | None = None
    out: type = list
    most: int = 2**24

    def write(self, value: Any, where: Where) -> Any:
        if not isinstance(value, (list, tuple)):
            raise Mismatch(where, f"must be a list to be saved; found {shown(value)}.")
        return [self.kind.write(item, at(where, i)) for i, item in enumerate(value)]

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if not isinstance(node, list) or len(node) > self.most:
            raise Mismatch(where, f"must be a list; found {shown(node)}.")
        if self.size is not None:
            scope.agree(self.size, len(node), where, "its length")
        return self.out(self.kind.read(item, at(where, i), scope) for i, item in enumerate(node))
