"""The one loop that goes into the parts of parts.

What describes a value writes and reads that value alone. Where it consists of others, it is a generator that yields
them: ``part = yield kind.read(node, where, scope)`` waits here until the part is done, however deep it goes. So no
description is called while it waits for another one, and nesting does not use up Python's stack.
"""

from __future__ import annotations

from collections.abc import Generator
from types import GeneratorType
from typing import Any

Parts = Generator[Any, Any, Any]
# A list that contains itself has no end.
_DEEPEST = 1000


def completed(work: Any) -> Any:
    """What a description comes to, after all that it has yielded; anything that is no generator is done."""
    waiting: list[Parts] = []
    result = work
    while True:
        if isinstance(result, GeneratorType):
            if len(waiting) == _DEEPEST:
                raise RecursionError
            waiting.append(result)
            result = None
        elif not waiting:
            return result
        try:
            result = waiting[-1].send(result)
        except StopIteration as end:
            waiting.pop()
            result = end.value
