"""A property that is computed once."""

from __future__ import annotations

import functools
from typing import Any, TypeVar

_T = TypeVar("_T")


class cached_property(functools.cached_property[_T]):  # noqa: N801  (stands for the one it derives from)
    """As that of `functools`, without its lock.

    Before Python 3.12 it holds one lock for all objects while it computes. A computation that runs in parallel then
    waits for tasks of the pool, and these may wait for the lock: a deadlock. Two threads that come at once compute the
    same value twice, which does no harm.
    """

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__.get(self.attrname, self)
        if value is self:
            value = instance.__dict__[self.attrname] = self.func(instance)
        return value
