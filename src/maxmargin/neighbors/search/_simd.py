"""Sixteen numbers at a time, for compiled code: the loops that LLVM leaves scalar when it unrolls them first.

Each function returns a mask whose bit j tells that number j does not exceed a limit (a NaN does not). With vectors of
16, distances of 32 rows of 10 features take 17 ns instead of 200.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 16


class _Lanes:
    """Vectors of one array type in the code that is being written."""

    def __init__(self, context: Any, builder: Any, kind: Any) -> None:
        self.context, self.builder = context, builder
        self.scalar = context.get_value_type(kind)
        self.vector = ir.VectorType(self.scalar, LANES)

    def data(self, kind: Any, value: Any) -> Any:
        return cgutils.create_struct_proxy(kind)(self.context, self.builder, value)

    def _pointer(self, array: Any, place: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(array.data, [place]), self.vector.as_pointer())

    def load(self, array: Any, place: Any) -> Any:
        return self.builder.load(self._pointer(array, place), align=4)

    def store(self, vector: Any, array: Any, place: Any) -> None:
        self.builder.store(vector, self._pointer(array, place), align=4)

    def repeated(self, scalar: Any) -> Any:
        one = self.builder.insert_element(ir.Constant(self.vector, ir.Undefined), scalar, ir.IntType(32)(0))
        order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.builder.shuffle_vector(one, one, order)

    def larger(self, a: Any, b: Any) -> Any:
        return self.builder.select(self.builder.fcmp_ordered(">", a, b), a, b)

    def plus_square(self, total: Any, a: Any) -> Any:
        flags = ("contract",)
        return self.builder.fadd(total, self.builder.fmul(a, a, flags=flags), flags=flags)

    def sum(self, vector: Any) -> Any:
        size = LANES
        while size > 1:  # the upper half on the lower one, until one number is left
            size //= 2
            halves = (ir.Constant(ir.VectorType(ir.IntType(32), size), list(range(a, a + size))) for a in (0, size))
            low, high = (self.builder.shuffle_vector(vector, vector, half) for half in halves)
            vector = self.builder.fadd(low, high)
        return self.builder.extract_element(vector, ir.IntType(32)(0))

    def mask(self, vector: Any, limit: Any) -> Any:
        bits = self.builder.fcmp_unordered("<=", vector, self.repeated(limit))
        return self.builder.zext(self.builder.bitcast(bits, ir.IntType(LANES)), ir.IntType(64))


def _summed(typing_context: Any, apart: Any, step: int) -> Any:
    """Code that sums the squares of `apart` over the coordinates of x, `step` numbers of the block for each."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block_kind, _, x_kind, _, out_kind = signature.args
        lanes = _Lanes(context, builder, block_kind.dtype)
        block, x = lanes.data(block_kind, arguments[0]), lanes.data(x_kind, arguments[2])
        out = lanes.data(out_kind, arguments[4])
        total = cgutils.alloca_once(builder, lanes.vector)
        builder.store(ir.Constant(lanes.vector, None), total)
        count = builder.extract_value(x.shape, 0)
        with cgutils.for_range(builder, count) as loop:
            place = builder.add(arguments[1], builder.mul(loop.index, loop.index.type(step)))
            value = lanes.repeated(builder.load(builder.gep(x.data, [loop.index])))
            builder.store(lanes.plus_square(builder.load(total), apart(lanes, block, place, value)), total)
        sums = builder.load(total)
        lanes.store(sums, out, place=ir.IntType(64)(0))
        return lanes.mask(sums, arguments[3])

    return codegen


def _arguments(block: Any, x: Any, limit: Any, out: Any) -> bool:
    arrays = all(isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C" for kind in (block, x, out))
    return arrays and block.dtype == x.dtype == out.dtype == limit


def _squares_of_rows(typing_context: Any, block: Any, place: Any, x: Any, limit: Any, out: Any) -> Any:
    """``out[j] = sum_k (block[place + 16 k + j] - x[k])**2``."""

    def apart(lanes: _Lanes, block: Any, place: Any, value: Any) -> Any:
        return lanes.builder.fsub(lanes.load(block, place), value)

    if not _arguments(block, x, limit, out):
        return None
    return types.int64(block, types.intp, x, limit, out), _summed(typing_context, apart, LANES)


def _squares_of_boxes(typing_context: Any, block: Any, place: Any, x: Any, limit: Any, out: Any) -> Any:
    """``out[j] = sum_k max(low - x[k], x[k] - high, 0)**2``, low and high 16 each for each k, one after another."""

    def apart(lanes: _Lanes, block: Any, place: Any, value: Any) -> Any:
        builder = lanes.builder
        below = builder.fsub(lanes.load(block, place), value)
        above = builder.fsub(value, lanes.load(block, builder.add(place, place.type(LANES))))
        return lanes.larger(lanes.larger(below, above), ir.Constant(lanes.vector, None))

    if not _arguments(block, x, limit, out):
        return None
    return types.int64(block, types.intp, x, limit, out), _summed(typing_context, apart, 2 * LANES)


def _square_apart(typing_context: Any, x: Any, at_x: Any, z: Any, at_z: Any, count: Any) -> Any:
    """``sum_k (x[at_x + k] - z[at_z + k])**2`` for k below `count`, a multiple of 16."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder, signature.args[0].dtype)
        x, z = lanes.data(signature.args[0], arguments[0]), lanes.data(signature.args[2], arguments[2])
        total = cgutils.alloca_once(builder, lanes.vector)
        builder.store(ir.Constant(lanes.vector, None), total)
        with cgutils.for_range(builder, builder.udiv(arguments[4], arguments[4].type(LANES))) as loop:
            step = builder.mul(loop.index, loop.index.type(LANES))
            left, right = (
                lanes.load(array, builder.add(place, step)) for array, place in ((x, arguments[1]), (z, arguments[3]))
            )
            builder.store(lanes.plus_square(builder.load(total), builder.fsub(left, right)), total)
        return lanes.sum(builder.load(total))

    if not (isinstance(x, types.Array) and x.ndim == z.ndim == 1 and x.dtype == z.dtype):
        return None
    return x.dtype(x, types.intp, z, types.intp, types.intp), codegen


def _within(typing_context: Any, values: Any, place: Any, limit: Any) -> Any:
    """Which of ``values[place : place + 16]`` do not exceed the limit."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder, signature.args[0].dtype)
        array = lanes.data(signature.args[0], arguments[0])
        return lanes.mask(lanes.load(array, arguments[1]), arguments[2])

    if not (isinstance(values, types.Array) and values.ndim == 1 and values.dtype == limit):
        return None
    return types.int64(values, types.intp, limit), codegen


def _lowest_bit(typing_context: Any, mask: Any) -> Any:
    """The number of the lowest bit of a mask that is not 0."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.int64), codegen


squares_of_rows: Any = intrinsic(_squares_of_rows)
squares_of_boxes: Any = intrinsic(_squares_of_boxes)
square_apart: Any = intrinsic(_square_apart)
within: Any = intrinsic(_within)
lowest_bit: Any = intrinsic(_lowest_bit)
