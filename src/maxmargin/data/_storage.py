"""The one place that asks how rows are stored: functions for dense and for CSR rows become one for compiled code.

Compiled code receives ``Rows.arrays``: ``(X,)`` for dense rows, ``(data, indices, indptr)`` for CSR.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import overload

from ..engine import INNER


def is_dense(rows: Any) -> bool:
    """Whether rows are dense, by the type that the compiler has for them."""
    return isinstance(rows, types.BaseTuple) and len(rows) == 1


def by_storage(
    dense: Callable, csr: Callable, doc: str, *, narrow: Callable | None = None, inline: Any = "never"
) -> Any:
    """A function for compiled code that takes rows first, and is one of two by how they are stored.

    Parameters
    ----------
    dense, csr : callable
        Not compiled, of the same arguments.
    doc : str
        What it does.
    narrow : callable, optional
        Instead of `dense` for rows of less than float64.
    inline : {"never", "always"}, default="never"
        As in `numba.extending.overload`.

    Returns
    -------
    callable
        To be called from compiled code only.

    """

    def function(*arguments: Any) -> None:
        raise RuntimeError("functions of rows are called from compiled code only")

    function.__doc__ = doc

    @overload(function, jit_options=INNER, inline=inline, strict=False)  # of arguments of any names
    def choose(rows, *others):  # type: ignore[no-untyped-def]
        if not is_dense(rows):
            return csr
        return narrow if narrow is not None and rows[0].dtype != types.float64 else dense

    return function
