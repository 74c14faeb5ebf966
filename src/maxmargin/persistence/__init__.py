"""Models in files: `save` and `load` without pickle, `read_provenance`, and `to_onnx` for other programs."""

from typing import TYPE_CHECKING, Any

# Beside what users import (`__all__`), the kinds by which accounts of a training are checked, too.
from ._errors import Mismatch as Mismatch, ModelFileError, Where as Where, inside as inside
from ._file import load, read_provenance, save
from ._kinds import (
    Bool as Bool,
    Either as Either,
    Float as Float,
    Int as Int,
    Items as Items,
    Kind as Kind,
    Named as Named,
    OrNone as OrNone,
    Text as Text,
    choice as choice,
)
from ._recursion import Parts as Parts, completed as completed
from ._scope import Scope as Scope

if TYPE_CHECKING:
    from ._onnx import to_onnx

__all__ = ["ModelFileError", "load", "read_provenance", "save", "to_onnx"]


def __getattr__(name: str) -> Any:
    if name == "to_onnx":  # on first use: few need it
        from ._onnx import to_onnx

        return to_onnx
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
