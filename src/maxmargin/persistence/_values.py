"""Values as JSON and arrays: how each is written, whatever it is an attribute of, and labels read again.

Labels are arrays of numbers and truth values as they are, texts as arrays of code points or UTF-8, objects one by one.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._errors import Mismatch, Where, at

_MAX_TEXT = 2**20
_MANY = 1000


def shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with the shape {value.shape}"
    if isinstance(value, (list, dict, tuple, str)) and len(value) > _MANY:
        return f"{type(value).__name__} of {len(value)}"
    text = repr(value)
    return f"{type(value).__name__} {text[:60]}{'...' if len(text) > 60 else ''}"


def checked_text(text: str, where: Where) -> str:
    """A text that can be printed: no halves of characters."""
    if len(text) > _MAX_TEXT:
        raise Mismatch(where, f"is a text of {len(text)} characters; at most {_MAX_TEXT} are allowed.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Mismatch(where, "is a text that has halves of characters.") from None
    return text


def number_of(node: Any) -> float | None:
    """A float from JSON, None if it is none."""
    if type(node) in (int, float):
        return float(node)
    return float(node) if isinstance(node, str) and node in ("nan", "inf", "-inf") else None


def stored(value: Any, where: Where) -> Any:
    """A value as a file holds it. Whether it is of the right kind is asked on reading, which `save` does at once."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, np.ndarray):
        return label_node(value, where)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return checked_text(str(value), where)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, (list, tuple)):
        return [stored(item, at(where, i)) for i, item in enumerate(value)]
    if sp.issparse(value) and value.format == "csr":
        kind = "array" if isinstance(value, sp.sparray) else "matrix"
        parts = {name: np.asarray(getattr(value, name)) for name in ("data", "indices", "indptr")}
        return {"$csr": kind, "shape": [int(m) for m in value.shape], **parts}
    raise Mismatch(where, f"is {shown(value)}, which model files have no place for.")


def label_node(values: np.ndarray, where: Where) -> Any:
    """Labels as JSON or an array: texts of a fixed width as code points, others in UTF-8, mixed objects one by one."""
    if values.dtype.kind == "U":
        values = np.ascontiguousarray(values)
        width = values.dtype.itemsize // 4
        flat = values.astype(values.dtype.newbyteorder("="), copy=False).reshape(-1)
        codes = flat.view(np.uint32).reshape(*values.shape, width) if width and values.size else None
        return {"$text": np.zeros((*values.shape, width), np.uint32) if codes is None else codes}
    if values.dtype.kind == "O":
        listed = values.reshape(-1).tolist()
        if listed and all(isinstance(value, str) for value in listed):
            return {**_string_node(listed, where), "shape": list(values.shape)}
        return {"$objects": [object_node(value, where) for value in listed], "shape": list(values.shape)}
    if values.dtype.kind not in "biuf":
        raise Mismatch(where, f"holds labels of dtype {values.dtype}, which cannot be saved.")
    return values


def object_node(value: Any, where: Where) -> Any:
    """A single label of an array of objects."""
    if value is None or isinstance(value, (bool, str)) or type(value) is int:
        return checked_text(value, where) if isinstance(value, str) else value
    if type(value) is float:
        return value if math.isfinite(value) else {"$float": str(value)}
    raise Mismatch(where, f"holds {shown(value)}, which cannot be saved: labels are numbers, truth values or texts.")


def labels_of(node: Any, where: Where) -> np.ndarray:
    """Labels again."""
    if isinstance(node, np.ndarray):
        return node
    if isinstance(node, dict) and set(node) == {"$text"}:
        return _texts_of(node["$text"], where)
    if isinstance(node, dict) and set(node) == {"$strings", "lengths", "shape"}:
        return _objects(_strings_of(node["$strings"], node["lengths"], where), node["shape"], where)
    if isinstance(node, dict) and set(node) == {"$objects", "shape"} and isinstance(node["$objects"], list):
        return _objects([_object_of(value, where) for value in node["$objects"]], node["shape"], where)
    raise Mismatch(where, f"must be labels; found {shown(node)}.")


def _objects(values: list, shape: Any, where: Where) -> np.ndarray:
    sizes = isinstance(shape, list) and len(shape) <= 2 and all(type(m) is int and m >= 0 for m in shape)
    if not sizes or math.prod(shape) != len(values):
        raise Mismatch(where, f"has {len(values)} labels and claims the shape {shown(shape)}.")
    out = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):  # a slice would look into lists
        out[i] = value
    return out.reshape(shape)


def _string_node(texts: list[str], where: Where) -> dict[str, Any]:
    """Texts of any length, one after the other."""
    try:
        parts = [text.encode("utf-8") for text in texts]
    except UnicodeEncodeError as error:
        raise Mismatch(where, "has a text with halves of characters, which cannot be saved.") from error
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    return {"$strings": np.frombuffer(b"".join(parts), dtype=np.uint8), "lengths": lengths}


def _strings_of(data: Any, lengths: Any, where: Where) -> list[str]:
    arrays = isinstance(data, np.ndarray) and isinstance(lengths, np.ndarray)
    if not arrays or data.dtype != np.uint8 or lengths.dtype != np.int64 or data.ndim != 1 or lengths.ndim != 1:
        raise Mismatch(where, "must be texts with their lengths.")
    if (lengths < 0).any() or (lengths > len(data)).any() or int(lengths.sum()) != len(data):
        raise Mismatch(where, "has lengths that are not those of its texts.")
    content, ends = data.tobytes(), np.cumsum(lengths).tolist()
    try:
        return [content[end - n : end].decode("utf-8") for n, end in zip(lengths.tolist(), ends, strict=True)]
    except UnicodeDecodeError as error:
        raise Mismatch(where, "has a text that is not UTF-8.") from error


def _object_of(node: Any, where: Where) -> Any:
    if isinstance(node, dict) and set(node) == {"$float"} and number_of(node["$float"]) is not None:
        return number_of(node["$float"])
    if node is None or type(node) in (bool, int, float):
        return node
    if isinstance(node, str):
        return checked_text(node, where)
    raise Mismatch(where, f"holds {shown(node)}, which is not a label.")


def _texts_of(codes: Any, where: Where) -> np.ndarray:
    if not isinstance(codes, np.ndarray) or codes.dtype != np.uint32 or codes.ndim not in (2, 3):
        raise Mismatch(where, "must be texts as code points.")
    shape, width = codes.shape[:-1], codes.shape[-1]
    if codes.size and (codes.max() > 0x10FFFF or ((codes >= 0xD800) & (codes <= 0xDFFF)).any()):
        raise Mismatch(where, "has numbers that are no code points of characters.")
    if width == 0 or not codes.size:
        return np.zeros(shape, dtype=f"<U{max(1, width)}")
    return np.ascontiguousarray(codes).view(f"=U{width}").reshape(shape)
