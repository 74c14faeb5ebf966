"""Ask for memory before it is needed: a loop that visits rows in random order waits for each of them otherwise."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def _prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Start to load the cache line of ``array[index]`` of a contiguous 1-d array; a hint that never fails.

    The index is not checked: no memory is read by it, whatever it is.
    """
    if not (isinstance(array, types.Array) and array.ndim == 1 and isinstance(index, types.Integer)):
        return None

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(view.data, [arguments[1]])
        byte, word = ir.PointerType(ir.IntType(8)), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        # read, keep in all caches, data
        builder.call(function, [builder.bitcast(address, byte), word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


# as a call, so that a type checker does not take it for a function of three arguments
prefetch: Any = intrinsic(_prefetch)
