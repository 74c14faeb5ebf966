"""JSON without surprises: no repeated keys, no NaN, no numbers beyond 64 bits, no deep nesting, not too many values."""

from __future__ import annotations

import json
from typing import Any

from ._errors import Mismatch, Where

MAX_BYTES = 2**24
MAX_DEPTH = 200
# Numbers are in arrays; what JSON has to hold is the frame around them. A value takes up to a hundred bytes of memory.
MAX_VALUES = 2**20
_LARGEST = 2**64


def dump(value: Any, where: Where) -> bytes:
    """The text of a value, in UTF-8."""
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise Mismatch(where, f"cannot be written as JSON: {error}") from error
    if len(text) > MAX_BYTES:
        raise Mismatch(where, f"takes {len(text)} bytes of JSON; at most {MAX_BYTES} are allowed.")
    data = text.encode("ascii")
    _check_counts(data, where)
    _check_depth(value, where)
    return data


def parse(data: bytes, where: Where) -> Any:
    """The value of a text."""
    if len(data) > MAX_BYTES:
        raise Mismatch(where, f"has {len(data)} bytes; at most {MAX_BYTES} are allowed.")
    _check_counts(data, where)
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_distinct,
            parse_constant=_refuse,
            parse_int=_whole,
            parse_float=_finite,
        )
    except RecursionError:
        raise Mismatch(where, f"is nested too deeply; at most {MAX_DEPTH} levels are allowed.") from None
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError, too
        raise Mismatch(where, f"is not JSON that is accepted here: {str(error)[:200]}") from None
    _check_depth(value, where)
    return value


def _check_counts(data: bytes, where: Where) -> None:
    """Count what separates values, before room is made for any of them; in texts it is counted, too."""
    count = data.count(b",") + data.count(b":")
    if count > MAX_VALUES:
        raise Mismatch(where, f"has {count} commas and colons; at most {MAX_VALUES} are allowed.")


def _check_depth(value: Any, where: Where) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            part
            for holder in level
            for part in (holder.values() if isinstance(holder, dict) else holder if isinstance(holder, list) else ())
            if isinstance(part, (dict, list))
        ]
        if not level:
            return
    raise Mismatch(where, f"is nested too deeply; at most {MAX_DEPTH} levels are allowed.")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key occurs twice in an object")
    return out


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")


def _whole(text: str) -> int:
    # the length first: converting a long text is slow, and Python refuses it from 4300 digits on
    if len(text) > 20 or abs(value := int(text)) >= _LARGEST:
        raise ValueError(f"the number {text[:24]} has more than 64 bits")
    return value


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise ValueError(f"the number {text[:24]} is beyond float64")
    return value
