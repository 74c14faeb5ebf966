"""The engine room: compiling, threads, BLAS, Ctrl-C. Nothing here knows of learning.

The rooms with estimators import this one first. It loads scikit-learn as a whole: where several threads begin with
different modules of a package, Python shows some of them modules that are half loaded.
"""

import sklearn  # noqa: F401

from ._blas import one_blas_thread, one_blas_thread_for
from ._cached import cached_property
from ._exponentials import exp_all
from ._interrupts import (
    interruptible,
    keep_interrupt,
    raise_interrupt,
    shielded,
    stop_flag,
    unshielded,
    was_interrupted,
)
from ._jit import INNER as INNER, jit, jit_bare, jit_exact, jit_inner, jit_sums, jit_within
from ._levels import HOST as HOST, LEVELS as LEVELS, compiler_target as compiler_target, is_level_of as is_level_of
from ._memory import memory_size
from ._order import select, sort_pairs
from ._pairs import add_pair
from ._pool import run_parallel, thread_count
from ._portions import run_portions
from ._prefetch import prefetch
from ._queue import Task, run_queue
from ._recording import Recorder as Recorder, compiled_function as compiled_function
from ._shared import BOARD_SIZE, PATIENCE as PATIENCE, dismiss, done, new_board, publish, rest, take, wait
from ._sortable import sortable, sortable_room
from ._sources import package_digest as package_digest
from ._stopwatch import Stopwatch
from ._store import (
    PACKAGE_STORE as PACKAGE_STORE,
    Entry as Entry,
    Store as Store,
    store_path as store_path,
    unpack as unpack,
    write_store as write_store,
)
from ._warning import warn
from ._whole_file import descriptor_of, whole_file
from ._wide import wide_vectors

__all__ = [
    "BOARD_SIZE",
    "Stopwatch",
    "Task",
    "add_pair",
    "cached_property",
    "descriptor_of",
    "dismiss",
    "done",
    "exp_all",
    "interruptible",
    "jit",
    "jit_bare",
    "jit_exact",
    "jit_inner",
    "jit_sums",
    "jit_within",
    "keep_interrupt",
    "memory_size",
    "new_board",
    "one_blas_thread",
    "one_blas_thread_for",
    "prefetch",
    "publish",
    "raise_interrupt",
    "rest",
    "run_parallel",
    "run_portions",
    "run_queue",
    "select",
    "shielded",
    "sort_pairs",
    "sortable",
    "sortable_room",
    "stop_flag",
    "take",
    "thread_count",
    "unshielded",
    "wait",
    "warn",
    "was_interrupted",
    "whole_file",
    "wide_vectors",
]
