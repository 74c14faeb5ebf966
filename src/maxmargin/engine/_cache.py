"""Compiled code on disk that may be lost at any time: a full disk or a damaged file costs a compilation, not a fit.

What was compiled beforehand is looked for first, in the files of `_store`; then in a cache of Numba's kind, beside the
source or in the user's folder. Numba's own cache raises what the file system or pickle raises. Here a file that cannot
be read is one that is not there, and one that cannot be written is not written. Files end in a checksum of their
contents, because machine code with a wrong bit unpickles without complaint, and those that others can write are not
unpickled. What a function was compiled from is its file and all that this one imports, not its file alone.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _Cache
from numba.core.compiler import CompileResult

from ._levels import target_of
from ._sources import source_stamp
from ._store import (
    PACKAGE_STORE,
    VARIABLE,
    Store,
    UnusableStoreError,
    function_name,
    signature_name,
    store_folder,
    store_paths,
)
from ._trust import read_trusted

_logger = logging.getLogger("maxmargin")
_MARK = b"maxmargin sha256"
_DIGEST = hashlib.sha256().digest_size


class DamagedCacheError(Exception):
    """A file of the cache is not what was written."""


class CompiledCache(_Cache):
    """Numba's cache of a function, which never makes a call fail; nothing is looked up before the first call."""

    # told of each function that is loaded or kept, and what the cache has of it
    on_found: Callable[[Any, Any, Any], None] | None = None

    def __init__(self, py_func: Any) -> None:
        self._py_func = py_func
        self._enabled = True

    @cached_property
    def _local(self) -> _LocalCache | None:
        try:
            return _LocalCache(self._py_func)
        except (RuntimeError, OSError):  # numba: "no locator available", neither package nor home folder is writable
            return None

    @cached_property
    def _name(self) -> str | None:
        return function_name(self._py_func)

    @property
    def cache_path(self) -> str | None:
        """The folder of the local cache, if there is one."""
        return None if self._local is None else self._local.cache_path

    def enable(self) -> None:
        """Look for compiled code, and keep it."""
        self._enabled = True

    def disable(self) -> None:
        """Compile always."""
        self._enabled = False

    def flush(self) -> None:
        """Forget what is in the local cache."""
        if self._local is not None:
            self._local.flush()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code, None if there is none that can be used."""
        if not self._enabled:
            return None
        target_context.refresh()
        for load in (self._stored, self._kept):
            try:
                data = load(sig, target_context)
                if data is not None and tuple(data[3].args) == tuple(sig):
                    result = CompileResult._rebuild(target_context, *data)
                    self._tell(sig, data)
                    return result
            except Exception as error:  # unpickling damaged bytes can raise anything
                _report("read", error)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, if that can be done."""
        if not self._enabled:
            return
        try:
            if self._local is not None:
                self._local.save_overload(sig, data)
        except Exception as error:  # a full disk, a folder that was made read-only or removed
            _report("kept", error)
        if self.on_found is not None and not data.library.has_dynamic_globals:
            self._tell(sig, data._reduce())

    def _stored(self, sig: Any, target_context: Any) -> Any:
        if self._name is None:
            return None
        for store in _stores(target_of(target_context)):
            try:
                data = store.load(self._name, signature_name(sig))
            except (UnusableStoreError, OSError) as error:
                _report("read", error)
                continue
            if data is not None:
                return data
        return None

    def _kept(self, sig: Any, target_context: Any) -> Any:
        return None if self._local is None else self._local.data_of(sig, target_context)

    def _tell(self, sig: Any, data: Any) -> None:
        if self.on_found is not None:
            self.on_found(self._name, sig, data)


_open_stores: dict[tuple[str, str, str], list[Store]] = {}


def _stores(target: tuple[str, str, str]) -> list[Store]:
    """The stores whose code runs here, the best first; opened once a process."""
    if target not in _open_stores:
        found = []
        folder = store_folder()
        if folder is not None and folder != PACKAGE_STORE and not folder.is_dir():
            _report("read", NotADirectoryError(f"{VARIABLE}={folder} names no folder; 0 is for no machine code"))
        for path in store_paths():
            try:
                store = Store(path)
                if store.fits(target):
                    found.append(store)
            except FileNotFoundError:
                continue
            except Exception as error:  # damaged, or somebody else's: nothing of it is used
                _report("read", error)
        _open_stores[target] = found
    return _open_stores[target]


class _LocalCache(FunctionCache):
    """Numba's cache of a function, by all the sources that it was compiled from."""

    _impl_class = CompileResultCacheImpl

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        stamp = self._cache_file._source_stamp
        path = getattr(self._impl.locator, "_py_file", None)
        if path is not None:
            stamp = (stamp, source_stamp(path))
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp)

    def data_of(self, sig: Any, target_context: Any) -> Any:
        """What is kept for a signature; None if there is nothing."""
        return self._cache_file.load(self._index_key(sig, target_context.codegen()))


class _Files(IndexDataCacheFile):
    """Numba's index and data files with a checksum behind each."""

    def save(self, key: Any, data: Any) -> None:
        """As Numba's, but data first: an index must not name data of an older source that could not be replaced.

        Data has a name of its own for each key: two processes that compile at once do not take one for the other's.
        """
        name = f"{self._index_name.removesuffix('.nbi')}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"
        self._save_data(name, (self._source_stamp, data))
        overloads = self._load_index()
        if overloads.get(key) != name:
            self._save_index({**overloads, key: name})

    def load(self, key: Any) -> Any:
        """What is kept for a key; None if there is nothing."""
        name = self._load_index().get(key)
        if name is None:
            return None
        try:
            stamp, data = pickle.loads(_checked(read_trusted(self._data_path(name)), name))
        except FileNotFoundError:
            return None
        return data if stamp == self._source_stamp else None

    def _load_index(self) -> Any:
        version = pickle.dumps(self._version, protocol=-1)
        try:
            content = read_trusted(self._index_path)
            if not content.startswith(version):  # another version of Numba
                return {}
            stamp, overloads = pickle.loads(_checked(content.removeprefix(version), self._index_name))
            return overloads if stamp == self._source_stamp else {}
        except FileNotFoundError:
            return {}
        except Exception as error:  # what is damaged is written anew
            _report("read", error)
            return {}

    def _dump(self, obj: Any) -> bytes:
        data = super()._dump(obj)
        return data + _MARK + hashlib.sha256(data).digest()  # pickle ends where its contents end


def _checked(content: bytes, name: str) -> bytes:
    """The contents without the checksum behind them, which has to be there and theirs."""
    data, tail = content[: -_DIGEST - len(_MARK)], content[-_DIGEST - len(_MARK) :]
    if tail != _MARK + hashlib.sha256(data).digest():
        raise DamagedCacheError(f"{name} does not have its checksum")
    return data


_told: set[str] = set()


def _report(done: str, error: Exception) -> None:
    """Say once a process why compiling takes its time again."""
    if done not in _told:
        _told.add(done)
        _logger.warning("maxmargin: compiled code cannot be %s (%s: %s)", done, type(error).__name__, error)
