"""BLAS held to one thread while tiles run on our own threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numba.np.linalg  # noqa: F401  (loads the BLAS that compiled functions call, so that the controller sees it)
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController

_lock = Lock()
_holders = 0
_before: list[int] = []


@cache
def _libraries() -> list[Any]:
    # Finding the libraries costs milliseconds, setting their thread number microseconds: find them once.
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _set(numbers: list[int]) -> None:
    for library, number in zip(_libraries(), numbers, strict=True):
        # threadpoolctl heeds only the thread that set the number first, unless that is cleared
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)
        library.set_num_threads(number)
        if clear is not None:
            clear(force=True)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread; reference-counted, because the setting is the process's, not the thread's.

    The first one in sets it, the last one out restores it: fits that overlap in several Python threads
    must not restore each other's "one thread" as if it had been the user's choice.
    """
    global _holders, _before
    with _lock:
        _holders += 1
        if _holders == 1:
            _before = [library.get_num_threads() for library in _libraries()]
            _set([1] * len(_before))
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if _holders == 0:
                _set(_before)
