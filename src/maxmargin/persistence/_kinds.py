"""Kinds of attributes: what a value must be like when it is read from a tree of JSON values and arrays.

Writing is the same for all values (`stored`), but for kinds that are made of others: those yield their parts, which
`completed` writes and reads.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from ._errors import Mismatch, Where, at, inside
from ._recursion import Parts
from ._scope import Scope
from ._sizes import Check, Size, agree, resolved
from ._values import checked_text, number_of, shown, stored

_MOST_ITEMS = 2**24


class Kind(ABC):
    """A kind of attribute."""

    optional = False

    def write(self, value: Any, where: Where) -> Any:
        """The value as JSON and arrays; of parts, what yields them."""
        return stored(value, where)

    @abstractmethod
    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        """The value again, or what yields its parts; raises `Mismatch` for anything that is not of this kind."""

    def settle(self, part: Any, model: Any) -> Any:
        """The value in its place in the model, all other attributes of which are there."""
        return part


@dataclass(frozen=True)
class Int(Kind):
    """A whole number, at least `low` and at most `high`, which may be sizes; `binds` gives it a name."""

    low: Size = 0
    high: Size = 2**62
    binds: str | None = None

    def read(self, node: Any, where: Where, scope: Scope) -> int:
        low, high = (resolved(end, scope) for end in (self.low, self.high))
        if type(node) is not int or not low <= node <= high:
            raise Mismatch(where, f"must be a whole number from {low} to {high}; found {shown(node)}.")
        if self.binds is not None:
            agree(scope, self.binds, node, where, "it")
        return node


@dataclass(frozen=True)
class Float(Kind):
    """A float64; not finite ones are written as text, and only allowed by `finite=False`."""

    low: float = -math.inf
    high: float = math.inf
    finite: bool = True
    nan: bool = False

    def read(self, node: Any, where: Where, scope: Scope) -> float:
        value = number_of(node)
        if value is None:
            raise Mismatch(where, f"must be a number; found {shown(node)}.")
        if math.isnan(value):
            if not self.nan:
                raise Mismatch(where, "must not be NaN.")
        elif (self.finite and math.isinf(value)) or not self.low <= value <= self.high:
            allowed = f"{'finite and ' if self.finite else ''}from {self.low} to {self.high}"
            raise Mismatch(where, f"must be {allowed}; found {value}.")
        return value


@dataclass(frozen=True)
class Bool(Kind):
    """True or False."""

    def read(self, node: Any, where: Where, scope: Scope) -> bool:
        if type(node) is not bool:
            raise Mismatch(where, f"must be true or false; found {shown(node)}.")
        return node


@dataclass(frozen=True)
class Text(Kind):
    """A text, one of `among` if given."""

    among: frozenset[str] | None = None

    def read(self, node: Any, where: Where, scope: Scope) -> str:
        if not isinstance(node, str) or (self.among is not None and node not in self.among):
            allowed = "a text" if self.among is None else f"one of {sorted(self.among)}"
            raise Mismatch(where, f"must be {allowed}; found {shown(node)}.")
        return checked_text(node, where)


def choice(*words: str) -> Text:
    """One of these words."""
    return Text(frozenset(words))


@dataclass(frozen=True)
class Around(Kind):
    """Another kind, and something about it."""

    kind: Kind

    def write(self, value: Any, where: Where) -> Any:
        return self.kind.write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return self.kind.read(node, where, scope)

    def settle(self, part: Any, model: Any) -> Any:
        return self.kind.settle(part, model)


@dataclass(frozen=True)
class Maybe(Around):
    """An attribute that need not be there."""

    optional = True


@dataclass(frozen=True)
class OrNone(Around):
    """A kind, or None."""

    def write(self, value: Any, where: Where) -> Any:
        return None if value is None else super().write(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return None if node is None else super().read(node, where, scope)

    def settle(self, part: Any, model: Any) -> Any:
        return None if part is None else super().settle(part, model)


@dataclass(frozen=True)
class Either(Kind):
    """The kind that `pick` chooses by what is to be read and what is known; none that is made of others."""

    pick: Callable[[Any, Scope], Kind]

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return self.pick(node, scope).read(node, where, scope)


@dataclass(frozen=True)
class Items(Kind):
    """A list of values of one kind; or what `out` makes of it and `parts` takes apart again."""

    kind: Kind
    size: Size = None
    out: Callable[[Iterable[Any]], Any] = list
    of: tuple[type, ...] = (list, tuple)
    parts: Callable[[Any], Iterable[Any]] = iter

    def write(self, value: Any, where: Where) -> Parts:
        if not isinstance(value, self.of):
            raise Mismatch(where, f"must be a {self.of[0].__name__} to be saved; found {shown(value)}.")
        items = []
        for i, item in enumerate(self.parts(value)):
            items.append((yield self.kind.write(item, at(where, i))))
        return items

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        if not isinstance(node, list) or len(node) > _MOST_ITEMS:
            raise Mismatch(where, f"must be a list; found {shown(node)}.")
        agree(scope, self.size, len(node), where, "its length")
        items = []
        for i, item in enumerate(node):
            items.append((yield self.kind.read(item, at(where, i), scope)))
        return items if self.out is list else self.out(items)


@dataclass(frozen=True)
class Row(Kind):
    """So many values, each of its own kind."""

    kinds: tuple[Kind, ...]

    def write(self, value: Any, where: Where) -> Parts:
        parts = []
        for kind, part in zip(self.kinds, value, strict=True):
            parts.append((yield kind.write(part, where)))
        return parts

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        if not isinstance(node, list) or len(node) != len(self.kinds):
            raise Mismatch(where, f"must be a list of {len(self.kinds)}; found {shown(node)}.")
        parts = []
        for kind, part in zip(self.kinds, node, strict=True):
            parts.append((yield kind.read(part, where, scope)))
        return tuple(parts)


@dataclass(frozen=True)
class Named(Kind):
    """Values of one kind by name."""

    kind: Kind

    def write(self, value: Any, where: Where) -> Parts:
        parts = {}
        for name, part in value.items():
            if not isinstance(name, str):
                raise Mismatch(where, f"has a part named {shown(name)}, which cannot be saved.")
            parts[name] = yield self.kind.write(part, at(where, name))
        return parts

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        if not isinstance(node, dict):
            raise Mismatch(where, f"must be values by name; found {shown(node)}.")
        parts = {}
        for name, part in node.items():
            parts[name] = yield self.kind.read(part, at(where, name), scope)
        return parts


def by_key(key: Kind, value: Kind) -> Items:
    """A dict, as a list of its keys and values."""
    return Items(Row((key, value)), out=dict, of=(dict,), parts=dict.items)


@dataclass(frozen=True)
class Record(Kind):
    """A small class without parameters, by its attributes: a dataclass, or one that `make` puts together.

    Of the sizes of what holds it, it knows those that are named in `shares`; None is all. Parts in `absent` may be
    missing in old files, and are these then; attributes in `forgets` are not written.
    """

    of: type
    parts: Mapping[str, Kind]
    checks: Sequence[Check] = ()
    shares: Sequence[str] | None = ()
    make: Callable[[Scope], Any] | None = None
    forgets: frozenset[str] = frozenset()
    absent: Mapping[str, Any] = field(default_factory=dict)

    def write(self, value: Any, where: Where) -> Parts:
        if type(value) is not self.of:
            raise Mismatch(where, f"must be a {self.of.__name__} to be saved; found {shown(value)}.")
        names = {part.name for part in fields(value)} if is_dataclass(value) else set(vars(value))
        for name in names - set(self.parts) - self.forgets:
            raise Mismatch(inside(where, name), f"is a part of {self.of.__name__} that model files have no place for.")
        parts = {}
        for name, kind in self.parts.items():
            parts[name] = yield kind.write(getattr(value, name), inside(where, name))
        return parts

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        node = {**self.absent, **node} if isinstance(node, dict) else node
        if not isinstance(node, dict) or set(node) != set(self.parts):
            raise Mismatch(where, f"must be a {self.of.__name__}; found {shown(node)}.")
        shared = scope.sizes if self.shares is None else self.shares
        own = Scope(params=scope.params, sizes={name: scope[name] for name in shared})
        for name, kind in self.parts.items():
            own.values[name] = yield kind.read(node[name], inside(where, name), own)
        for check in self.checks:
            check.apply(own, where)
        return self.of(**own.values) if self.make is None else self.make(own)
