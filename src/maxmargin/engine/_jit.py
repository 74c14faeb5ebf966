"""Compiled functions: one decorator for the whole project."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import numba
from numba.core import event, types
from numba.core.compiler_lock import global_compiler_lock

from ._cache import CompiledCache
from ._compiler import FunctionCompiler, PieceCompiler
from ._recording import register

_logger = logging.getLogger("maxmargin")

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
    # row accessors and vector instructions exist as compiled code alone: uncompiled, it would fail in the middle
    raise ImportError(
        "maxmargin does not run without numba's compiler, which NUMBA_DISABLE_JIT=1 has turned off: unset it. To look "
        "for faults in compiled code, set NUMBA_BOUNDSCHECK=1 and a NUMBA_CACHE_DIR of its own."
    )

if hasattr(os, "register_at_fork"):
    # A child forked while another thread compiles would wait for numba's lock for ever: the fork waits instead.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )

# FMA contraction rounds once instead of twice: faster and never less accurate. Nothing else of "fastmath" is on:
# reassociation and finite-only maths would make certificates depend on the compiler's mood (but see `jit_sums`).
# Divisions follow numpy: the test for a zero divisor that Python asks for keeps a loop from being vectorised.
# No function is handed to C code as a pointer: none needs the second entry that numba would make for that.
_OPTIONS: Any = {
    "nogil": True,
    "fastmath": {"contract"},
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "pipeline_class": FunctionCompiler,
}
# What Python never calls needs no entry for Python and no machine code of its own.
INNER: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": PieceCompiler}


def jit(function: Callable) -> Any:
    """Compile for this CPU, without the GIL, cached on disk where a folder can be written."""
    return _compiled(function, _OPTIONS)


def jit_sums(function: Callable) -> Any:
    """As `jit`, for a function that is one sum: its terms may be added in another order, which vectorises it.

    A dot product of 54 float64 values takes 8 ns instead of 40.
    """
    return _compiled(function, {**_OPTIONS, "fastmath": {"contract", "reassoc"}})


def jit_exact(function: Callable) -> Any:
    """As `jit` without contraction: for sums that compute their own rounding errors, operation by operation."""
    return _compiled(function, {**_OPTIONS, "fastmath": False})


def jit_bare(function: Callable) -> Any:
    """As `jit`, for a function that allocates nothing: it counts no references to the arrays that it is handed.

    A node of a tree with ten rows takes less than a microsecond, and the reference counts of slices and tuples on the
    way took 30 % of a tree's time.
    """
    return _compiled(function, {**_OPTIONS, "_nrt": False})


def jit_inner(function: Callable) -> Any:
    """As `jit`, for a piece that compiled functions call and Python cannot: it takes about half as long to compile.

    It is not cached by itself; the functions that call it are, with their copies of it.
    """
    return _widened(numba.njit(**{**_OPTIONS, **INNER})(function))


def jit_within(function: Callable) -> Any:
    """As `jit_inner`, for a piece that allocates nothing and becomes part of the functions that call it.

    A call passes every array as seven numbers. The pieces of a tree's search take twenty arrays each: without calls
    between them a forest takes 10 % less.
    """
    options = {**_OPTIONS, **INNER, "_nrt": False, "forceinline": True}
    return _widened(numba.njit(**options)(function))


def _compiled(function: Callable, options: dict[str, Any]) -> Any:
    compiled = _widened(numba.njit(**options)(function))
    compiled._cache = CompiledCache(function)
    register(compiled)
    return compiled


def _widened(compiled: Any) -> Any:
    """Let compiled callers that hand over a constant share the code of those that hand over a variable.

    To numba ``f(x, 0)`` and ``f(x, 1)`` have other types than ``f(x, n)``, and each would be compiled by itself.
    """
    template = compiled.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        plain = {name: types.unliteral(kind) for name, kind in dict(kws).items()}
        return template(tuple(types.unliteral(kind) for kind in args), plain)

    compiled.get_call_template = get_call_template
    return compiled


class _CompileNotice(event.Listener):
    """Says once a process that compiling takes a moment; cache hits do not reach it."""

    said = False

    def on_start(self, event: Any) -> None:
        dispatcher = event.data.get("dispatcher")
        ours = getattr(dispatcher, "__module__", "").startswith("maxmargin.")
        if ours and not _CompileNotice.said:
            _CompileNotice.said = True
            _logger.warning("maxmargin: compiling for this CPU, first run only")

    def on_end(self, event: Any) -> None:
        """Nothing to say at the end."""


event.register("numba:compile", _CompileNotice())
