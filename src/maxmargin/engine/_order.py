"""Order in compiled code, where the functions of NumPy take seconds to compile: they know of axes and of messages."""

from __future__ import annotations

from typing import Any

from ._jit import jit_inner


@jit_inner
def select(values: Any, k: int) -> Any:
    """The value that would be at place k if `values` were sorted; their order is changed. None may be missing."""
    low, high = 0, values.shape[0] - 1
    while low < high:
        middle = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < middle:
                i += 1
            while middle < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@jit_inner
def sort_pairs(keys: Any, values: Any) -> None:
    """Sort `keys` in place, and `values` in the same way (heapsort: short, and n log n whatever the order)."""
    n = keys.shape[0]
    start, end = n // 2, n
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            keys[0], keys[end] = keys[end], keys[0]
            values[0], values[end] = values[end], values[0]
        parent, child = start, 2 * start + 1
        while child < end:
            if child + 1 < end and keys[child] < keys[child + 1]:
                child += 1
            if not keys[parent] < keys[child]:
                break
            keys[parent], keys[child] = keys[child], keys[parent]
            values[parent], values[child] = values[child], values[parent]
            parent, child = child, 2 * child + 1
