"""Work that threads share while a compiled function is at work: portions of a job, taken by whoever is free.

One thread leads: it publishes jobs, takes portions itself, and goes on when all of them are done. Others may help: a
helper that comes late, or never, costs time and nothing else, for the leader waits for portions that somebody has
taken, and takes all others itself. So no thread ever waits for one that has not begun.

The board is an int64 array. Its ticket is one number, the job and its portions, taken and all: a portion is taken by
raising it, which fails if another thread was quicker, or if the job is over.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ._jit import jit_inner

# Places of the board, each in a cache line of its own.
_TICKET, _DONE, BOARD_SIZE = 0, 8, 16
_BITS, _PORTIONS = 20, (1 << 20) - 1
# Looks at the board (a few nanoseconds each) after which a thread that waits lets others go first: where more threads
# are at work than there are processors, the one that is waited for may not be running.
PATIENCE = 2000
_YIELDS = os.name == "posix"
_yield: Any = types.ExternalFunction("sched_yield", types.int32()) if _YIELDS else None


def new_board() -> np.ndarray:
    """A board without a job."""
    return np.zeros(BOARD_SIZE, dtype=np.int64)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    view = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
    return builder.gep(view.data, [arguments[1]])


def _is_board(array: Any) -> bool:
    return isinstance(array, types.Array) and array.ndim == 1 and array.dtype == types.int64


def _read(typing_context: Any, array: Any, place: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_address(context, builder, signature, arguments), "acquire", 8)

    return (types.int64(array, types.intp), codegen) if _is_board(array) else None


def _write(typing_context: Any, array: Any, place: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store_atomic(arguments[2], _address(context, builder, signature, arguments), "release", 8)
        return context.get_dummy_value()

    return (types.void(array, types.intp, types.int64), codegen) if _is_board(array) else None


def _add(typing_context: Any, array: Any, place: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.atomic_rmw("add", _address(context, builder, signature, arguments), arguments[2], "acq_rel")

    return (types.int64(array, types.intp, types.int64), codegen) if _is_board(array) else None


def _exchange(typing_context: Any, array: Any, place: Any, old: Any, new: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature, arguments)
        found = builder.cmpxchg(address, arguments[2], arguments[3], "acq_rel", "acquire")
        return builder.zext(builder.extract_value(found, 1), ir.IntType(64))

    return (types.int64(array, types.intp, types.int64, types.int64), codegen) if _is_board(array) else None


_read_atomic: Any = intrinsic(_read)
_write_atomic: Any = intrinsic(_write)
_add_atomic: Any = intrinsic(_add)
_exchange_atomic: Any = intrinsic(_exchange)


@jit_inner
def publish(board: Any, portions: int) -> None:
    """Offer a job of so many portions (at most a million); what it consists of has been written before."""
    job = (_read_atomic(board, _TICKET) >> (2 * _BITS)) + 1
    _write_atomic(board, _DONE, 0)
    _write_atomic(board, _TICKET, (job << (2 * _BITS)) | (portions << _BITS))


@jit_inner
def take(board: Any) -> int:
    """A portion to be done, -1 if there is none at the moment, -2 if there will be none."""
    while True:
        ticket = _read_atomic(board, _TICKET)
        if ticket < 0:
            return -2
        place = ticket & _PORTIONS
        if place >= (ticket >> _BITS) & _PORTIONS:
            return -1
        if _exchange_atomic(board, _TICKET, ticket, ticket + 1):
            return place


@jit_inner
def done(board: Any) -> None:
    """A portion that was taken is done."""
    _add_atomic(board, _DONE, 1)


@jit_inner
def wait(board: Any) -> None:
    """Until all portions that were taken are done, after none is left to be taken."""
    portions, tries = (_read_atomic(board, _TICKET) >> _BITS) & _PORTIONS, 0
    while _read_atomic(board, _DONE) < portions:
        tries += 1
        if tries > PATIENCE:
            rest()


@jit_inner
def rest() -> None:
    """Let other threads of the processor go first."""
    if _YIELDS:
        _yield()


@jit_inner
def dismiss(board: Any) -> None:
    """Let the helpers go."""
    _write_atomic(board, _TICKET, -1)
