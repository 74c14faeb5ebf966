"""Models in files: `save` and `load` without pickle, `read_provenance`, and `to_onnx` for other programs."""

from typing import TYPE_CHECKING, Any

from ._errors import ModelFileError
from ._file import load, read_provenance, save

if TYPE_CHECKING:
    from ._onnx import to_onnx

__all__ = ["ModelFileError", "load", "read_provenance", "save", "to_onnx"]


def __getattr__(name: str) -> Any:
    if name == "to_onnx":  # on first use: few need it
        from ._onnx import to_onnx

        return to_onnx
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
