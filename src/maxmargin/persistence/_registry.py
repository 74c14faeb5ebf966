"""Which classes a file may hold, and their objects by what their schemas say.

Classes are looked up here and never imported by a name from a file. The descriptions are imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ._errors import Mismatch, Where, made
from ._recursion import Parts
from ._values import shown

if TYPE_CHECKING:
    from ._schema import Schema

# Rooms whose classes may be in a file, and the modules here that describe them.
_ROOMS = {
    "maxmargin.svm": "_svm",
    "maxmargin.linear_model": "_linear",
    "maxmargin.kernel_model": "_kernel_model",
    "maxmargin.kernel_approximation": "_kernel_model",
    "maxmargin.kernel_ridge": "_kernel_model",
    "maxmargin.neighbors": "_neighbors",
    "maxmargin.cluster": "_cluster",
    "maxmargin.tree": "_trees",
    "maxmargin.ensemble": "_ensemble",
    "maxmargin.detection": "_detection",
    "maxmargin.tables": "_tables",
    "sklearn.pipeline": "_sklearn_compose",
    "sklearn.compose": "_sklearn_compose",
    "sklearn.preprocessing": "_sklearn_prepare",
    "sklearn.impute": "_sklearn_prepare",
    "sklearn.decomposition": "_sklearn_prepare",
    "sklearn.tree": "_sklearn_tree",
}


@cache
def _schemas(module: str) -> dict[str, Schema]:
    found: Sequence[Schema] = import_module(f".{module}", __package__).SCHEMAS
    return {schema.name: schema for schema in found}


def schema_named(name: Any, where: Where) -> Schema:
    """The schema of a class by the name in a file."""
    module = _ROOMS.get(name.rpartition(".")[0]) if isinstance(name, str) else None
    schema = None if module is None else _schemas(module).get(name)
    if schema is None:
        raise Mismatch(where, f"is of the class {shown(name)}, which no model file may hold.")
    return schema


def schema_of(make: type) -> Schema | None:
    """The schema of a class, None if there is none. Rooms that were never imported cannot have made it."""
    room = ".".join(make.__module__.split(".")[:2])
    module = _ROOMS.get(room)
    if module is None:
        return None
    for schema in _schemas(module).values():
        if schema.make is make:
            return schema
    return None


def whole_of(node: Any, where: Where) -> Parts:
    """An object that can be used by itself."""
    value = yield object_of(node, where)
    schema = schema_of(type(value))
    if schema is not None and schema.part is not None and schema.part(value):
        raise Mismatch(where, f"is a {type(value).__name__} as another estimator keeps it, of no use by itself.")
    return value


def object_node(value: Any, where: Where) -> Parts:
    """An object of a known class as JSON and arrays."""
    schema = schema_of(type(value))
    if schema is None:
        made = f"{type(value).__module__}.{type(value).__qualname__}"
        raise Mismatch(where, f"is an object of {made}, a class that model files have no place for.")
    return schema.write(value, where)


def object_of(node: Any, where: Where) -> Parts:
    """An object again."""
    where = made(where, 1)
    if not isinstance(node, dict) or set(node) != {"class", "params", "fitted"}:
        raise Mismatch(where, f"must be an object with class, params and fitted; found {shown(node)}.")
    return schema_named(node["class"], where).read(node, where)


def is_fitted(value: Any) -> bool:
    """Whether an estimator can be used; those that need no fit always can."""
    try:
        check_is_fitted(value)
    except NotFittedError:
        return False
    return True
