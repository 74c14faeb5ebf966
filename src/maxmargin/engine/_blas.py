"""BLAS held to one thread while tiles run on our own threads."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

import numba.np.linalg  # noqa: F401  (loads the BLAS that compiled functions call, so that the controller sees it)
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController

from ._interrupts import shielded

# Multiplications of a product that no BLAS divides among threads: it would take 20 microseconds to see to that.
_SMALL = 2e5
_NOTHING: AbstractContextManager = nullcontext()

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


class one_blas_thread:  # noqa: N801  (used as a statement)
    """Hold BLAS to one thread; reference-counted, because the setting is the process's, not the thread's.

    The first one in sets it, the last one out restores it: fits that overlap in several Python threads
    must not restore each other's "one thread" as if it had been the user's choice.
    """

    @shielded
    def __enter__(self) -> None:
        global _holders, _before
        with _lock:
            _holders += 1
            self._process = os.getpid()
            if _holders == 1:
                _before = [library.get_num_threads() for library in _libraries()]
                _set([1] * len(_before))

    @shielded
    def __exit__(self, *_: object) -> None:
        global _holders
        if self._process != os.getpid():  # forked meanwhile, and restored there
            return
        with _lock:
            _holders -= 1
            if _holders == 0:
                _set(_before)


def one_blas_thread_for(multiplications: float) -> AbstractContextManager:
    """`one_blas_thread` for work of this size, or nothing where BLAS uses one thread by itself."""
    return _NOTHING if multiplications <= _SMALL else one_blas_thread()


def _restore_in_child() -> None:
    """The threads that held BLAS to one thread do not survive a fork, and nobody else would restore it."""
    global _holders, _lock
    _lock = Lock()
    if _holders:
        _holders = 0
        _set(_before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restore_in_child)
