"""Compiled code on disk that may be lost at any time: a full disk or a damaged file costs a compilation, not a fit.

Numba's own cache raises what the file system or pickle raises. Here a file that cannot be read is one that is not
there, and one that cannot be written is not written. Files end in a checksum of their contents, because machine code
with a wrong bit unpickles without complaint. Numba itself can read them, and files that it wrote are read here.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

_logger = logging.getLogger("maxmargin")
_MARK = b"maxmargin sha256"
_DIGEST = hashlib.sha256().digest_size


class DamagedCacheError(Exception):
    """A file of the cache is not what was written."""


class CompiledCache(FunctionCache):
    """Numba's cache of a function, which never makes a call fail."""

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        stamp = self._cache_file._source_stamp
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code, None if there is none that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # unpickling damaged bytes can raise anything
            _report("read", error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, if that can be done."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a full disk, a folder that was made read-only or removed
            _report("kept", error)


class _Files(IndexDataCacheFile):
    """Numba's index and data files with a checksum behind each."""

    def save(self, key: Any, data: Any) -> None:
        """As Numba's, but data first: an index must not name data of an older source that could not be replaced."""
        overloads = self._load_index()
        name = overloads.get(key)
        if name is None:
            known = set(overloads.values())
            name = next(n for n in map(self._data_name, range(1, len(known) + 2)) if n not in known)
        self._save_data(name, data)
        if key not in overloads:
            self._save_index({**overloads, key: name})

    def _load_index(self) -> Any:
        try:
            content = Path(self._index_path).read_bytes()
            _check(content.removeprefix(pickle.dumps(self._version, protocol=-1)), self._index_name)
            return super()._load_index()
        except FileNotFoundError:
            return {}
        except Exception as error:  # what is damaged is written anew
            _report("read", error)
            return {}

    def _load_data(self, name: str) -> Any:
        _check(Path(self._data_path(name)).read_bytes(), name)
        return super()._load_data(name)

    def _dump(self, obj: Any) -> bytes:
        data = super()._dump(obj)
        return data + _MARK + hashlib.sha256(data).digest()  # pickle ends where its contents end


def _check(content: bytes, name: str) -> None:
    """Compare contents with the checksum behind them, if there is one."""
    data, tail = content[: -_DIGEST - len(_MARK)], content[-_DIGEST - len(_MARK) :]
    if tail.startswith(_MARK) and tail[len(_MARK) :] != hashlib.sha256(data).digest():
        raise DamagedCacheError(f"{name} does not have its checksum")


_told: set[str] = set()


def _report(done: str, error: Exception) -> None:
    """Say once a process why compiling takes its time again."""
    if done not in _told:
        _told.add(done)
        _logger.warning("maxmargin: compiled code cannot be %s (%s: %s)", done, type(error).__name__, error)
