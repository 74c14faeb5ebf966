"""Parameters: the values that a user may give to a constructor, written with their types.

None, truth values, numbers, texts, lists, tuples, dicts, slices, arrays, NumPy's scalars, random states, the splitters
of scikit-learn, penalties and kernels of this package, and estimators. Functions and objects of other classes cannot be
saved.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import model_selection

from ..kernels import RBF, Constant, Linear, Polynomial, Precomputed, Product, Sigmoid, Sum
from ..penalties import BoundedWeights, GroupLasso
from ._arrays import Array
from ._container import DTYPES
from ._errors import Mismatch, Where, at, inside, made
from ._kinds import Kind
from ._recursion import Parts
from ._registry import object_node, object_of, schema_of
from ._scope import Scope
from ._values import checked_text, label_node, labels_of, shown

_SPLITTERS = {
    name: getattr(model_selection, name)
    for name in (
        "KFold",
        "StratifiedKFold",
        "GroupKFold",
        "StratifiedGroupKFold",
        "LeaveOneOut",
        "LeaveOneGroupOut",
        "ShuffleSplit",
        "StratifiedShuffleSplit",
        "GroupShuffleSplit",
        "TimeSeriesSplit",
    )
}
# Objects that are written as the name of their class and their parameters.
_BY_NAME: dict[str, dict[str, Any]] = {
    "$splitter": _SPLITTERS,
    "$penalty": {penalty.__name__: penalty for penalty in (BoundedWeights, GroupLasso)},
    "$kernel": {
        kernel.__name__: kernel for kernel in (Linear, Polynomial, RBF, Sigmoid, Constant, Precomputed, Sum, Product)
    },
}
_SCALARS = {"bool_": np.bool_, **{name: getattr(np, name) for name in DTYPES if name != "bool"}}
_TYPES = {"float": float, "int": int, "object": object, **_SCALARS}


class Plain(Kind):
    """Any value that a parameter may have."""

    def write(self, value: Any, where: Where) -> Any:
        return plain_node(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return plain_value(node, where)


def plain_node(value: Any, where: Where) -> Any:
    """A parameter as JSON and arrays, or what yields its parts."""
    if value is None or type(value) in (bool, int):
        if type(value) is int and abs(value) >= 2**63:
            raise Mismatch(where, f"is the number {value}, which has more than 64 bits.")
        return value
    if type(value) is str:
        return checked_text(value, where)
    if type(value) is float:
        return value if math.isfinite(value) else {"$float": str(value)}
    return _typed_node(value, where)


def _typed_node(value: Any, where: Where) -> Parts:
    if type(value) in (list, tuple):
        items = []
        for i, item in enumerate(value):
            items.append((yield plain_node(item, at(where, i))))
        return items if type(value) is list else {"$tuple": items}
    if type(value) is dict:
        pairs = []
        for key, item in value.items():
            pairs.append([(yield plain_node(key, where)), (yield plain_node(item, at(where, str(key))))])
        return {"$dict": pairs}
    if isinstance(value, np.ndarray):
        return {"$values": label_node(value, where)}
    if isinstance(value, np.generic):
        name = type(value).__name__
        if name == "str_":
            return checked_text(str(value), where)
        if name in ("bool", *_SCALARS):
            return {"$scalar": np.asarray([value])}
    if isinstance(value, slice):
        return {"$slice": (yield plain_node([value.start, value.stop, value.step], where))}
    if isinstance(value, np.random.RandomState):
        return {"$random": random_node(value, where)}
    for kind, classes in _BY_NAME.items():
        if type(value) in classes.values():
            names = inspect.signature(type(value)).parameters
            given = {}
            for name in names:
                given[name] = yield plain_node(getattr(value, name), inside(where, name))
            return {kind: type(value).__name__, "params": given}
    return _estimator_node(value, where)


def _estimator_node(value: Any, where: Where) -> Any:
    if schema_of(type(value)) is not None:
        return object_node(value, where)
    name = getattr(value, "__name__", "")
    found = f"the function {name}" if callable(value) and name else f"an object of {_class_name(value)}"
    raise Mismatch(where, f"is {found}, which cannot be saved: a file holds no code.")


def _class_name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def plain_value(node: Any, where: Where) -> Any:
    """A parameter again, or what yields its parts."""
    if node is None or type(node) in (bool, int, float):
        return node
    if isinstance(node, str):
        return checked_text(node, where)
    return _typed_value(node, where)


def _typed_value(node: Any, where: Where) -> Parts:
    if isinstance(node, list):
        return (yield _listed(node, where))
    if isinstance(node, dict):
        if "class" in node:
            return (yield object_of(node, where))
        read = _READERS.get(next(iter(node), ""))
        if read is not None and len(node) == (2 if read is _object_of else 1):
            return (yield read(node, where))
    raise Mismatch(where, f"holds {shown(node)}, which is no value of a parameter.")


def _float_of(node: Any, where: Where) -> float:
    if node["$float"] not in ("nan", "inf", "-inf"):
        raise Mismatch(where, f"holds {shown(node)}, which is not a number.")
    return float(node["$float"])


def _listed(node: Any, where: Where, length: int | None = None) -> Parts:
    if not isinstance(node, list) or (length is not None and len(node) != length):
        raise Mismatch(where, f"holds {shown(node)}, where a list is needed.")
    items = []
    for i, item in enumerate(node):
        items.append((yield plain_value(item, at(where, i))))
    return items


def _tuple_of(node: Any, where: Where) -> Parts:
    return tuple((yield _listed(node["$tuple"], where)))


def _dict_of(node: Any, where: Where) -> Parts:
    out = {}
    for pair in node["$dict"] if isinstance(node["$dict"], list) else [None]:
        key, value = yield _listed(pair, where, 2)
        if not isinstance(key, (str, int, float, bool, np.generic, type(None))) or key in out:
            raise Mismatch(where, f"has the key {shown(key)}, which is no key or is there twice.")
        out[key] = value
    return out


def _scalar_of(node: Any, where: Where) -> Any:
    values = node["$scalar"]
    if not isinstance(values, np.ndarray) or values.shape != (1,):
        raise Mismatch(where, f"holds {shown(values)}, which is no scalar.")
    return values[0]


def _slice_of(node: Any, where: Where) -> Parts:
    parts = yield _listed(node["$slice"], where, 3)
    if any(part is not None and type(part) is not int for part in parts):
        raise Mismatch(where, f"holds {shown(parts)}, which is no slice of columns.")
    return slice(*parts)


class NumberType(Kind):
    """The dtype of a result, as a type or as a dtype. No other parameter may be a type, which can be called."""

    def write(self, value: Any, where: Where) -> Any:
        if isinstance(value, np.dtype) and value.name in _SCALARS:
            return ["dtype", value.name]
        for name, kind in _TYPES.items():
            if kind is value:
                return ["type", name]
        raise Mismatch(where, f"is {shown(value)}, which is no type of numbers that can be saved.")

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        known = isinstance(node, list) and len(node) == 2 and isinstance(node[1], str) and node[1] in _TYPES
        if not known or node[0] not in ("dtype", "type"):
            raise Mismatch(where, f"must be a type of numbers; found {shown(node)}.")
        return np.dtype(_TYPES[node[1]]) if node[0] == "dtype" else _TYPES[node[1]]


def _object_of(node: Any, where: Where) -> Parts:
    where = made(where)
    kind = next(iter(node))
    classes, name, given = _BY_NAME[kind], node[kind], node.get("params")
    if not isinstance(name, str) or name not in classes or not isinstance(given, dict):
        raise Mismatch(where, f"names {shown(name)}, which is no {kind[1:]}.")
    known = inspect.signature(classes[name]).parameters
    if set(given) - set(known):
        raise Mismatch(where, f"gives {name} the parameters {sorted(given)[:9]}; it takes {sorted(known)}.")
    values = {}
    for key, value in given.items():
        values[key] = yield plain_value(value, inside(where, key))
    try:
        return classes[name](**values)
    except (TypeError, ValueError) as error:  # one that is missing, or of a type that it cannot be
        raise Mismatch(where, f"is no {name}: {error}.") from None


def random_node(value: np.random.RandomState, where: Where) -> Any:
    """The state of Mersenne's twister."""
    name, key, position, has_gauss, gauss = value.get_state(legacy=True)
    if name != "MT19937":
        raise Mismatch(where, f"is a random state of {name}; only those of MT19937 can be saved.")
    return [np.asarray(key), int(position), int(has_gauss), float(gauss)]


def random_of(node: Any, where: Where) -> np.random.RandomState:
    """A generator that goes on where the saved one was."""
    if not isinstance(node, list) or len(node) != 4:
        raise Mismatch(where, f"holds {shown(node)}, which is no random state.")
    where = made(where)
    key, position, has_gauss, gauss = node
    key = Array(("uint32",), (624,)).read(key, where, Scope())
    if type(position) is not int or not 0 <= position <= 624 or has_gauss not in (0, 1):
        raise Mismatch(where, f"is at place {shown(position)} of a random state.")
    if type(gauss) not in (int, float) or type(has_gauss) is not int:
        raise Mismatch(where, f"keeps {shown(gauss)}, which is not a number.")
    out = np.random.RandomState()
    out.set_state(("MT19937", key, position, has_gauss, float(gauss)))
    return out


class RandomState(Kind):
    """A random state that goes on where it was."""

    def write(self, value: Any, where: Where) -> Any:
        if not isinstance(value, np.random.RandomState):
            raise Mismatch(where, f"must be a random state to be saved; found {shown(value)}.")
        return random_node(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        return random_of(node, where)


_READERS: dict[str, Callable[[Any, Where], Any]] = {
    "$float": _float_of,
    "$tuple": _tuple_of,
    "$dict": _dict_of,
    "$values": lambda node, where: labels_of(node["$values"], where),
    "$scalar": _scalar_of,
    "$slice": _slice_of,
    "$random": lambda node, where: random_of(node["$random"], where),
    "$splitter": _object_of,
    "$penalty": _object_of,
    "$kernel": _object_of,
}
