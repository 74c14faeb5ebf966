"""Which compiled functions Python calls, for which types: what has to be compiled beforehand.

A compiled function contains the code of those that it calls, so that these need no entry of their own.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from numba.core import types
from numba.core.registry import CPUDispatcher

from ._cache import CompiledCache
from ._store import Entry, function_name, pack, signature_name

_functions: WeakValueDictionary[str, Any] = WeakValueDictionary()
_recorder: Recorder | None = None


class Recorder:
    """Notes, from now to the end of the process, what Python calls; only one at a time."""

    def __init__(self) -> None:
        global _recorder
        self._contents: dict[tuple[str, tuple[Any, ...]], Any] = {}
        self._called: set[tuple[str, tuple[Any, ...]]] = set()
        _recorder = self
        CompiledCache.on_found = self._keep
        for dispatcher in _functions.values():
            dispatcher.__class__ = _Recorded

    def note(self, name: str, signature: tuple[Any, ...]) -> None:
        """A function has been called, or has been compiled to be called."""
        self._called.add((name, signature))

    def take(self) -> list[Entry]:
        """Machine code of what has been called since this was asked last."""
        found = [
            Entry(name, signature_name(signature), pack(self._contents[name, signature]))
            for name, signature in self._called
            if (name, signature) in self._contents
        ]
        self._called.clear()
        return found

    def _keep(self, name: str | None, signature: Any, data: Any) -> None:
        if name is not None:
            self._contents[name, tuple(signature)] = data


_Dispatcher: Any = CPUDispatcher


class _Recorded(_Dispatcher):
    """A compiled function that notes the types that it is called with."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = super().__call__(*args, **kwargs)
        name = function_name(self.py_func)
        if name is not None and _recorder is not None:
            given = self._compiler.pysig.bind(*args, **kwargs).arguments
            signature = tuple(
                self.typeof_pyval(given[key]) if key in given else types.Omitted(parameter.default)
                for key, parameter in self._compiler.pysig.parameters.items()
            )
            _recorder.note(name, signature)
        return result


def register(dispatcher: Any) -> None:
    """Make a compiled function of the package known by its name."""
    name = function_name(dispatcher.py_func)
    if name is not None:
        _functions[name] = dispatcher
        if _recorder is not None:
            dispatcher.__class__ = _Recorded


def compiled_function(name: str) -> Any:
    """The compiled function of a name, None if no module that has been imported has it."""
    return _functions.get(name)
