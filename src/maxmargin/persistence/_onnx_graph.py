"""A graph of ONNX operators that is written as arithmetic, and who writes which class as one.

A `Value` stands for a tensor that exists only when the graph runs; ``(x - mean) / scale`` adds two nodes and gives a
new value. Whatever is a number or an array becomes a constant of the graph. Everything is float64 and int64.

Matrix products are Gemm, never MatMul: onnxruntime merges a product with a single number into the MatMul before or
after it, and keeps that number in float32, so that 8 digits are left of 16.

The decorator above a function adds its classes to those that can be written. Classes are looked up as they are, never
by inheritance: a subclass may predict in another way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, helper, numpy_helper
from sklearn.pipeline import Pipeline

# The oldest operator set with all that is used here; every onnxruntime from 1.14 on knows it.
OPSET, ML_OPSET, IR_VERSION = 18, 3, 8

LARGEST = 2_000_000_000  # protocol buffers end at 2 GiB; names and nodes need some of it
OUTPUTS = ("label", "decision", "probabilities", "value")
_KINDS = {float: TensorProto.DOUBLE, int: TensorProto.INT64, bool: TensorProto.BOOL, str: TensorProto.STRING}


def _operator(op: str, kind: type | None = None, *, swapped: bool = False) -> Callable[[Value, Any], Value]:
    """The method that adds a node of two inputs; `kind` is that of its result, by default that of the value."""

    def method(self: Value, other: Any) -> Value:
        inputs = (other, self) if swapped else (self, other)
        return self.graph.op(op, *inputs, kind=kind or self.kind)

    return method


class Value:
    """A tensor of a graph, by its name; `kind` is float, int, bool or str."""

    __array_ufunc__ = None  # an array on the left of an operator leaves it to the value on the right
    __slots__ = ("graph", "name", "kind")

    def __init__(self, graph: Graph, name: str, kind: type) -> None:
        self.graph, self.name, self.kind = graph, name, kind

    __add__, __radd__ = _operator("Add"), _operator("Add", swapped=True)
    __sub__, __rsub__ = _operator("Sub"), _operator("Sub", swapped=True)
    __mul__, __rmul__ = _operator("Mul"), _operator("Mul", swapped=True)
    __truediv__, __matmul__ = _operator("Div"), _operator("Gemm")
    __gt__, __ge__ = _operator("Greater", bool), _operator("GreaterOrEqual", bool)
    __lt__, __le__ = _operator("Less", bool), _operator("LessOrEqual", bool)
    __and__, __or__ = _operator("And", bool), _operator("Or", bool)

    def __neg__(self) -> Value:
        return self.graph.op("Neg", self, kind=self.kind)

    def __invert__(self) -> Value:
        return self.graph.op("Not", self, kind=bool)

    def equals(self, other: Any) -> Value:
        """Where both are equal."""
        return self.graph.op("Equal", self, other, kind=bool)

    def apply(self, op: str, *arguments: Any, **attributes: Any) -> Value:
        """An operator that keeps the kind: Exp, Abs, Sqrt, Max, Clip, ..."""
        return self.graph.op(op, self, *arguments, kind=self.kind, **attributes)

    def to(self, kind: type) -> Value:
        """The same numbers as another kind."""
        return self if kind is self.kind else self.graph.op("Cast", self, kind=kind, to=_KINDS[kind])

    def is_nan(self) -> Value:
        """Where it is missing."""
        return self.graph.op("IsNaN", self, kind=bool)

    def sum(self, axis: int = 1, keep: bool = True) -> Value:
        """Sums along an axis."""
        return self.apply("ReduceSum", np.array([axis]), keepdims=int(keep))

    def max(self, axis: int = 1, keep: bool = True) -> Value:
        """Largest values along an axis."""
        return self.apply("ReduceMax", np.array([axis]), keepdims=int(keep))

    def any(self) -> Value:
        """Of truths of shape (N, m), whether one of a row holds, of shape (N,)."""
        return self.to(int).max(keep=False) > 0

    def argmax(self) -> Value:
        """The first of the largest of each row, of shape (N,)."""
        numbers = self.to(int) if self.kind is bool else self
        return self.graph.op("ArgMax", numbers, kind=int, axis=1, keepdims=0)

    def columns(self, index: Any) -> Value:
        """Some columns of a table; one column for a number."""
        return self.apply("Gather", np.asarray(index, dtype=np.int64), axis=1)

    def one_hot(self, count: int) -> Value:
        """Truths of shape (N, count) from numbers of shape (N,)."""
        return self.as_column().equals(np.arange(count)[None, :])

    def as_column(self) -> Value:
        """(N,) as (N, 1)."""
        return self.apply("Unsqueeze", np.array([1]))

    def flat(self) -> Value:
        """(N, 1) as (N,)."""
        return self.apply("Squeeze", np.array([1]))


class Graph:
    """Nodes, constants and inputs of a model under construction."""

    def __init__(self) -> None:
        self.inputs: list[Any] = []
        self._constants: dict[tuple, TensorProto] = {}
        self._scopes: list[list[NodeProto]] = [[]]
        self._count = self._bytes = 0

    def _name(self, hint: str) -> str:
        self._count += 1
        return f"{hint}#{self._count}"

    def input(self, name: str, kind: type, width: int) -> Value:
        """An input of shape (N, width); one that has the name of an output is called ``X.value``, ``X.label``, ..."""
        if not name or re.fullmatch(r"\w+#\d+", name):  # such names have the values of the graph itself
            raise ValueError(f"a column named {name!r} cannot be an input of an ONNX graph; rename it.")
        name = f"X.{name}" if name in OUTPUTS else name
        if name in (info.name for info in self.inputs):
            raise ValueError(f"two inputs of the ONNX graph would be named {name!r}; rename one of the columns.")
        self.inputs.append(helper.make_tensor_value_info(name, _KINDS[kind], ["N", width]))
        return Value(self, name, kind)

    def constant(self, value: Any) -> Value:
        """A number or an array; equal ones are stored once."""
        array = np.asarray(value)
        kind = {"f": float, "i": int, "u": int, "b": bool, "U": str, "O": str}[array.dtype.kind]
        array = np.array(array, dtype=object if kind is str else {float: np.float64, int: np.int64, bool: bool}[kind])
        # by their bytes, in which -0.0 and 0.0 differ, as they should
        content: Any = tuple(array.ravel()) if kind is str else sha256(array.tobytes()).digest()
        key = (kind, array.shape, content)
        if key not in self._constants:
            self._bytes += array.nbytes
            if self._bytes > LARGEST:
                raise ValueError(
                    f"this model's numbers take more than the {LARGEST:,} bytes that an ONNX file can hold."
                )
            self._constants[key] = numpy_helper.from_array(array, self._name("constant"))
        return Value(self, self._constants[key].name, kind)

    def value(self, given: Any) -> Value:
        """A value as it is; anything else as a constant."""
        return given if isinstance(given, Value) else self.constant(given)

    def op(self, op: str, *inputs: Any, kind: type, domain: str = "", **attributes: Any) -> Value:
        """One more node with one output; it can be given a name for errors."""
        return self.ops(op, *inputs, kinds=(kind,), domain=domain, **attributes)[0]

    def ops(self, op: str, *inputs: Any, kinds: Sequence[type], domain: str = "", **attributes: Any) -> list[Value]:
        """One more node with several outputs."""
        names = [self.value(value).name for value in inputs]
        outputs = [self._name(op) for _ in kinds]
        # every node has a name: onnxruntime 1.20 derives names of its own from it, and stumbles over equal ones
        name = f"{attributes.pop('name', '') or ''}#{outputs[0]}".lstrip("#")
        self._scopes[-1].append(helper.make_node(op, names, outputs, name, domain=domain, **attributes))
        return [Value(self, name, kind) for name, kind in zip(outputs, kinds, strict=True)]

    def where(self, condition: Value, yes: Any, no: Any) -> Value:
        """`yes` where the condition holds, else `no`."""
        chosen = self.value(yes)
        return self.op("Where", condition, chosen, no, kind=chosen.kind)

    def take(self, table: Any, index: Value, name: str | None = None) -> Value:
        """Entries (or rows) of a constant table; `name` is what onnxruntime says if an index is not in it."""
        source = self.value(table)
        return self.op("Gather", source, index, kind=source.kind, axis=0, name=name)

    def top(self, table: Value, count: int, largest: bool) -> tuple[Value, Value]:
        """The largest or smallest values of each row, these first, and their columns; of equal ones the first."""
        # onnxruntime 1.20 crashes on a table without rows: there is one more while they are sorted
        width = self.op("Shape", table, kind=int, start=1, end=2)
        shape = self.op("Concat", np.array([1]), width, kind=int, axis=0)
        longer = self.op("Concat", table, self.op("Expand", 0.0, shape, kind=float), kind=float, axis=0)
        found = self.ops("TopK", longer, np.array([count]), kinds=(float, int), axis=1, largest=int(largest))
        values, place = (part.apply("Slice", np.array([0]), np.array([-1]), np.array([0])) for part in found)
        return values, place

    def pick(self, table: Value, index: Value) -> Value:
        """Of each row of a table (N, m) the entry with the row's own index (N,), of shape (N,)."""
        return self.op("GatherElements", table, index.as_column(), kind=table.kind, axis=1).flat()

    def concat(self, values: Sequence[Value]) -> Value:
        """Tables side by side."""
        if len(values) == 1:
            return values[0]
        return self.op("Concat", *values, kind=values[0].kind, axis=1)

    def zeros(self, X: Value, width: int | None = None, kind: type = float) -> Value:
        """Zeros of shape (N,), or (N, width), for the rows of X."""
        rows = self.op("Shape", X, kind=int, start=0, end=1)
        shape = rows if width is None else self.op("Concat", rows, np.array([width]), kind=int, axis=0)
        return self.op("Expand", kind(0), shape, kind=kind)

    def loop(
        self, count: Any, state: Sequence[Value], body: Callable[..., tuple[Sequence[Value], Sequence[Value]]]
    ) -> list[Value]:
        """Repeat ``body(number, *state) -> new state, extras``; the last state, and the extras of all rounds stacked.

        A body reads the values outside of it as they are.
        """
        number, go = self._name("number"), self._name("go")
        inner = [Value(self, self._name("state"), value.kind) for value in state]
        self._scopes.append([])
        ahead, extras = body(Value(self, number, int), *inner)
        on = self.op("Identity", Value(self, go, bool), kind=bool)
        # an output of the body has to be made in it: a constant, or what came in, is not
        results = [on, *(value.apply("Identity") for value in [*ahead, *extras])]
        nodes = self._scopes.pop()
        infos = [helper.make_tensor_value_info(number, TensorProto.INT64, [])]
        infos.append(helper.make_tensor_value_info(go, TensorProto.BOOL, []))
        infos += [_shapeless(value) for value in inner]
        subgraph = helper.make_graph(nodes, self._name("body"), infos, [_shapeless(value) for value in results])
        kinds = [value.kind for value in [*ahead, *extras]]
        return self.ops("Loop", count, True, *state, kinds=kinds, body=subgraph)

    def finish(self, outputs: dict[str, tuple[Value, list]]) -> GraphProto:
        """The graph of some outputs (values and their shapes); what does not lead to them is left out."""
        nodes, infos = self._scopes[0], []
        for name, (value, shape) in outputs.items():
            nodes.append(helper.make_node("Identity", [value.name], [name], name))
            infos.append(helper.make_tensor_value_info(name, _KINDS[value.kind], shape))
        needed, kept = set(outputs), []
        for node in reversed(nodes):
            if needed.intersection(node.output):
                needed |= _read_by(node)
                kept.append(node)
        constants = [tensor for tensor in self._constants.values() if tensor.name in needed]
        return helper.make_graph(kept[::-1], "maxmargin", self.inputs, infos, constants)


def _shapeless(value: Value) -> Any:
    return helper.make_tensor_value_info(value.name, _KINDS[value.kind], None)


def _read_by(node: NodeProto) -> set[str]:
    """Names that a node reads, those that its body reads among them."""
    names = set(node.input)
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            for inner in attribute.g.node:
                names |= _read_by(inner)
    return names


# -------------------------------------------------------------------- who writes what


@dataclass(frozen=True)
class Prediction:
    """What a model says of rows; what it does not say is None.

    Attributes
    ----------
    classes : ndarray
        Labels that `index`, of shape (N,), counts through.
    decision : Value
        Of shape (N,), or (N, m).
    probabilities : Value
        Of shape (N, number of classes).
    value : Value
        Of a regressor, of shape (N,), or (N, number of targets).
    width : int or None
        Columns of `decision` or of `value`; None: it has shape (N,).

    """

    classes: np.ndarray | None = None
    index: Value | None = None
    decision: Value | None = None
    probabilities: Value | None = None
    value: Value | None = None
    width: int | None = None


ModelWriter = Callable[[Graph, Any, Value], Prediction]
StepWriter = Callable[[Graph, Any, Value], Value]
_Writer = TypeVar("_Writer", bound=Callable)

MODELS: dict[type, ModelWriter] = {}
STEPS: dict[type, StepWriter] = {}


def writes(*classes: type) -> Callable[[_Writer], _Writer]:
    """The decorated function writes models of these classes."""
    return lambda writer: _registered(MODELS, classes, writer)


def writes_step(*classes: type) -> Callable[[_Writer], _Writer]:
    """The decorated function writes preparation steps of these classes."""
    return lambda writer: _registered(STEPS, classes, writer)


def _registered(registry: dict, classes: tuple[type, ...], writer: _Writer) -> _Writer:
    registry.update(dict.fromkeys(classes, writer))
    return writer


def write_model(graph: Graph, model: Any, X: Value) -> Prediction:
    """The graph of a model's predictions for the rows of X."""
    if isinstance(model, Pipeline):
        for name, step in model.steps[:-1]:
            X = within(name, write_step, graph, step, X)
        name, model = model.steps[-1]
        return within(name, write_model, graph, model, X)
    if (writer := MODELS.get(type(model))) is None:
        raise ValueError(f"{_named(model)} cannot be exported to ONNX. Models that can: {_listed(MODELS)}.")
    if getattr(model, "_categories", None) is not None:
        raise ValueError(
            f"{_named(model)} was fitted on a data frame with categories and can be exported to ONNX by itself only, "
            f"not behind other steps; use maxmargin.tables.ColumnReader as the first step."
        )
    return writer(graph, model, X)


def write_step(graph: Graph, step: Any, X: Value) -> Value:
    """The graph of what a preparation step makes of the rows of X."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return X
    if isinstance(step, Pipeline):
        for name, inner in step.steps:
            X = within(name, write_step, graph, inner, X)
        return X
    if (writer := STEPS.get(type(step))) is None:
        raise ValueError(f"{_named(step)} cannot be exported to ONNX. Preparation that can: {_listed(STEPS)}.")
    return writer(graph, step, X)


def within(name: str, write: Callable, graph: Graph, step: Any, X: Value) -> Any:
    """Write a step of a pipeline or of a ColumnTransformer, whose name an error begins with."""
    try:
        return write(graph, step, X)
    except ValueError as error:
        inside = "," if str(error).startswith("step ") else ":"
        raise ValueError(f"step {name!r}{inside} {error}") from None


def _named(model: Any) -> str:
    return model if isinstance(model, str) else f"{type(model).__module__.split('.')[0]}'s {type(model).__name__}"


def _listed(registry: dict[type, Any]) -> str:
    return ", ".join(sorted({cls.__name__ for cls in registry}))
