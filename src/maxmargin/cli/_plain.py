"""What ``--json`` prints: any result of the library as plain JSON."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any


def plain(value: Any) -> Any:
    """A value made of dictionaries, lists, strings, numbers and None alone; NaN and infinities become None."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")}
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return plain(value.tolist())
    return str(value)


def as_json(value: Any) -> str:
    """One JSON document, indented, with letters of all languages as they are."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)
