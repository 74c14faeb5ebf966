"""``maxmargin export``: a model in a form that other programs run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..messages import TextTable
from ._errors import DONE, UserError
from ._files import check_place, stem
from ._options import DEFAULT_OUTPUT, OUTPUT, Force, Model, OutputOptions
from ._screen import Screen


def export(
    model: Model,
    /,
    *,
    onnx: Annotated[
        bool, Parameter(negative="", show_default=False, help="As ONNX: one graph in float64, preparation included.")
    ] = False,
    out: Annotated[Path | None, Parameter(group=OUTPUT, help="The file; by default MODEL's name with .onnx.")] = None,
    force: Force = False,
    output: OutputOptions = DEFAULT_OUTPUT,
) -> int:
    """Write a model as a graph that predicts without Python."""
    if not onnx:
        raise UserError("say in which form: maxmargin export MODEL --onnx.")
    screen = Screen(output)
    out = out or Path(f"{stem(str(model), 'model')}.onnx")
    check_place(out, force=force)

    from .. import persistence

    out.parent.mkdir(parents=True, exist_ok=True)
    graph = persistence.to_onnx(persistence.load(model), out).graph
    inputs, outputs = [_described(value) for value in graph.input], [_described(value) for value in graph.output]
    rows = [("input", *about) for about in inputs] + [("output", *about) for about in outputs]
    screen.table(TextTable("ONNX graph", rows, ("", "name", "type", "shape")))
    screen.wrote("Graph", out)
    keys = ("name", "type", "shape")
    screen.document(
        {
            "out": out,
            "inputs": [dict(zip(keys, about, strict=True)) for about in inputs],
            "outputs": [dict(zip(keys, about, strict=True)) for about in outputs],
        }
    )
    return DONE


def _described(value: Any) -> tuple[str, str, str]:
    """Name, type and shape of an input or output of a graph."""
    from onnx import TensorProto

    tensor = value.type.tensor_type
    shape = [str(d.dim_value) if d.HasField("dim_value") else d.dim_param or "N" for d in tensor.shape.dim]
    return value.name, TensorProto.DataType.Name(tensor.elem_type).lower(), " x ".join(shape)
