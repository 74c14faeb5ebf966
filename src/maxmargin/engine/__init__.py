"""The engine room: compiling, threads, BLAS. Nothing here knows of learning."""

from ._blas import one_blas_thread
from ._jit import jit, jit_bare, jit_exact, jit_sums, jit_within
from ._pool import run_parallel, thread_count
from ._portions import run_portions
from ._prefetch import prefetch
from ._queue import Task, run_queue
from ._sortable import sortable, sortable_room
from ._stopwatch import Stopwatch
from ._whole_file import whole_file
from ._wide import wide_vectors

__all__ = [
    "Stopwatch",
    "Task",
    "jit",
    "jit_bare",
    "jit_exact",
    "jit_sums",
    "jit_within",
    "one_blas_thread",
    "prefetch",
    "run_parallel",
    "run_portions",
    "run_queue",
    "sortable",
    "sortable_room",
    "thread_count",
    "whole_file",
    "wide_vectors",
]
