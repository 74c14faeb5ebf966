"""One message of the socket: a JSON header and arrays, in one binary frame.

Four bytes with the length of the header, the header in UTF-8 with spaces up to a multiple of eight bytes, the
arrays. The header's ``arrays`` says of each its type, shape and place behind the header. Numbers are little-endian;
those of the header are float64 in their shortest form that reads back the same.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

_TYPES: dict[str, np.dtype[Any]] = {
    "f8": np.dtype("<f8"),
    "f4": np.dtype("<f4"),
    "u1": np.dtype("u1"),
    "i4": np.dtype("<i4"),
}
_NAMES = {kind.str.lstrip("<|"): name for name, kind in _TYPES.items()}
_MOST_ARRAYS = 16


class FrameError(ValueError):
    """A message that does not follow the form."""


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None) -> bytes:
    """A message of bytes."""
    places, parts, at = {}, [], 0
    for name, array in (arrays or {}).items():
        kind = _NAMES[array.dtype.newbyteorder("<").str.lstrip("<|")]
        data = np.ascontiguousarray(array, dtype=_TYPES[kind]).tobytes()
        places[name] = [kind, list(array.shape), at]
        data += b"\0" * (-len(data) % 8)
        parts.append(data)
        at += len(data)
    text = json.dumps(_finite({**header, "arrays": places}), ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return b"".join([struct.pack("<I", len(text)), text, *parts])


def unpack(message: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of a message from anywhere; FrameError if it is none."""
    if len(message) < 4:
        raise FrameError("the message is shorter than its first number.")
    (length,) = struct.unpack_from("<I", message)
    if length > len(message) - 4:
        raise FrameError("the message ends within its header.")
    try:
        header = json.loads(message[4 : 4 + length].decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise FrameError("the header is not JSON.") from error
    places = header.pop("arrays", {}) if isinstance(header, dict) else None
    if not isinstance(places, dict) or len(places) > _MOST_ARRAYS:
        raise FrameError("the header has to be an object, with an object of a few arrays.")
    body = memoryview(message)[4 + length :]
    return header, {name: _array(name, place, body) for name, place in places.items()}


def _array(name: str, place: Any, body: memoryview) -> np.ndarray:
    if not isinstance(place, list) or len(place) != 3:
        raise FrameError(f"the place of array {name!r} has to be type, shape and start.")
    kind, shape, start = place
    whole = [start, *shape] if isinstance(shape, list) else [None]
    if kind not in tuple(_TYPES) or len(whole) > 4 or any(type(n) is not int or n < 0 for n in whole):
        raise FrameError(f"the place of array {name!r} cannot be.")
    count = math.prod(shape)
    if start + count * _TYPES[kind].itemsize > len(body):
        raise FrameError(f"the message ends within array {name!r}.")
    return np.frombuffer(body, _TYPES[kind], count, start).reshape(shape).copy()


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON.")


def _finite(value: Any) -> Any:
    """The value with what JSON has no numbers for as words: "nan", "inf" and "-inf"."""
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
