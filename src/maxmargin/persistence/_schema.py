"""What an object of each class consists of. The same list drives writing and checking.

A schema names the fitted attributes of a class with their kinds, in an order in which each can be checked by those
before it; relations between them are checks in the same list. A file can only ever give an object that its schema
allows: classes are looked up here and never imported by a name from the file, attributes that no schema knows are
refused on both sides, and parameters pass scikit-learn's own validation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Options, make_constraint
from sklearn.utils.validation import check_is_fitted

from ._arrays import Labels
from ._errors import Mismatch, Where, cut_short, inside, made
from ._kinds import Check, Int, Kind, Maybe, Scope
from ._plain import Plain, plain_node, plain_value
from ._traces import TraceKind
from ._values import shown

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
    "maxmargin.tables": "_tables",
    "sklearn.pipeline": "_sklearn_compose",
    "sklearn.compose": "_sklearn_compose",
    "sklearn.preprocessing": "_sklearn_prepare",
    "sklearn.impute": "_sklearn_prepare",
    "sklearn.decomposition": "_sklearn_prepare",
    "sklearn.tree": "_sklearn_tree",
}
# More threads than this are a mistake, or an attempt to bring the machine to its knees.
_MOST_THREADS = 256


@dataclass(frozen=True)
class Let:
    """A size that follows from others."""

    name: str
    size: Callable[[Scope], int]


@dataclass(frozen=True)
class Derived:
    """An attribute that is not written, but made again from the others; called with the object.

    Where it returns `ABSENT`, there is no such attribute.
    """

    make: Callable[[Any], Any]


ABSENT = object()


# What a schema lists: attributes with their kinds, sizes and relations.
Entries = tuple[tuple[str, Kind | Derived] | Let | Check, ...]


@dataclass(frozen=True)
class Schema:
    """The parts of a class.

    Parameters
    ----------
    name : str
        Under which its objects are in files: where users import it from.
    make : type
        The class.
    fitted : sequence of (str, Kind) or (str, Derived), Let and Check
        Its fitted attributes.
    params : dict of str to Kind
        Parameters that need more than the validation of scikit-learn.
    checks : sequence of Check
        Relations of the parameters, also of objects that are not fitted.
    forgets : set of str
        Attributes that are neither written nor needed: what was kept to save time.
    width : callable, optional
        The number of columns that a fitted transformer gives, so that those after it can be compared with it.
    part : callable, optional
        Whether an object is of use only as an attribute of the estimator that made it.

    """

    name: str
    make: type
    fitted: Entries
    params: Mapping[str, Kind] = field(default_factory=dict)
    checks: Sequence[Check] = ()
    forgets: frozenset[str] = frozenset()
    width: Callable[[Any], int] | None = None
    part: Callable[[Any], bool] | None = None

    @property
    def kinds(self) -> dict[str, Kind | Derived]:
        """The attributes without the relations."""
        return dict(entry for entry in self._entries() if isinstance(entry, tuple))

    def _entries(self) -> Entries:
        """The fitted attributes; the course of the fit is one of all that have the parameter `trace`."""
        return (*self.fitted, ("trace_", TraceKind())) if "trace" in _parameters(self.make) else self.fitted

    # ---------------------------------------------------------------- writing

    def write(self, value: Any, where: Where) -> dict[str, Any]:
        """An object as JSON and arrays."""
        names = _parameters(self.make)
        state = {name: part for name, part in vars(value).items() if name not in names and name not in self.forgets}
        params = {}
        for name in names:
            kind = self.params.get(name)
            place, part = inside(where, name), getattr(value, name)
            params[name] = plain_node(part, place) if kind is None else kind.write(part, place)
        node: dict[str, Any] = {"class": self.name, "params": params, "fitted": None}
        if state:
            node["fitted"] = self._write_fitted(value, state, where)
        return node

    def _write_fitted(self, value: Any, state: dict[str, Any], where: Where) -> dict[str, Any]:
        kinds, out = self.kinds, {}
        for name in state:
            if name not in kinds:
                raise Mismatch(
                    inside(where, name),
                    f"is an attribute of {type(value).__name__} that model files have no place for; delete it first.",
                )
        for name, kind in kinds.items():
            if isinstance(kind, Derived):
                continue
            if name in state:
                out[name] = kind.write(state[name], inside(where, name))
            elif not kind.optional:
                raise Mismatch(where, f"{type(value).__name__} is not fitted: it has no {name}.")
        return out

    # ---------------------------------------------------------------- reading

    def read(self, node: dict[str, Any], where: Where) -> Any:
        """An object again, every part of it checked."""
        params = self._read_params(node["params"], where)
        value = self.make(**params)
        _validate(value, where)
        scope = Scope(params=_given(value))
        for check in self.checks:
            check.apply(scope, where)
        if node["fitted"] is None:
            return value
        read = self._read_fitted(node["fitted"], where, scope)
        for name, part in read.items():
            setattr(value, name, part)
        for name, kind in self.kinds.items():
            if isinstance(kind, Derived):
                if (part := kind.make(value)) is not ABSENT:
                    setattr(value, name, part)
            elif name in read:
                setattr(value, name, kind.settle(read[name], value))
        return value

    def _read_params(self, node: Any, where: Where) -> dict[str, Any]:
        names = _parameters(self.make)
        if not isinstance(node, dict) or set(node) - set(names):
            raise Mismatch(where, f"has parameters that {self.name} does not take: {shown(node)}.")
        out = {}
        for name, part in node.items():
            kind, place = self.params.get(name), inside(where, name)
            out[name] = plain_value(part, place) if kind is None else kind.read(part, place, Scope())
        jobs = out.get("n_jobs")
        if jobs is not None and (not isinstance(jobs, (int, np.integer)) or not 0 < abs(int(jobs)) <= _MOST_THREADS):
            raise Mismatch(inside(where, "n_jobs"), f"must be from 1 to {_MOST_THREADS}; found {shown(jobs)}.")
        return out

    def _read_fitted(self, node: Any, where: Where, scope: Scope) -> dict[str, Any]:
        kinds = self.kinds
        if not isinstance(node, dict) or any(isinstance(kinds.get(name, Derived(id)), Derived) for name in node):
            raise Mismatch(where, f"has attributes that {self.name} has not: {shown(node)}.")
        for entry in self._entries():
            if isinstance(entry, tuple):
                name, kind = entry
                if isinstance(kind, Derived):
                    continue
                if name in node:
                    scope.values[name] = kind.read(node[name], inside(where, name), scope)
                elif not kind.optional:
                    raise Mismatch(where, f"has no {name}, which a fitted {self.name} has.")
            elif isinstance(entry, Let):
                scope.agree(entry.name, entry.size(scope), where, f"the size {entry.name}")
            else:
                entry.apply(scope, where)
        return scope.values


@cache
def _parameters(make: Any) -> tuple[str, ...]:
    return tuple(name for name in inspect.signature(make).parameters if name not in ("self", "kwargs"))


def _given(value: Any) -> dict[str, Any]:
    make: Any = type(value)
    return {name: getattr(value, name) for name in _parameters(make)}


def _validate(value: Any, where: Where) -> None:
    """Parameters by scikit-learn's rules of each class; a truth value only where one is asked for.

    Those rules take True for the whole number 1, and compiled code does not.
    """
    if not hasattr(value, "_parameter_constraints"):
        return
    for name, allowed in value._parameter_constraints.items():
        if isinstance(getattr(value, name, None), (bool, np.bool_)) and not _takes_truth(allowed):
            raise Mismatch(inside(where, name), f"must not be a truth value; found {getattr(value, name)}.")
        _refuse_unshown(name, allowed, getattr(value, name, None), where)
    try:
        value._validate_params()
    except (ValueError, TypeError) as error:
        raise Mismatch(where, cut_short(str(error))) from error  # it may show a value of any length


def _refuse_unshown(name: str, allowed: Any, value: Any, where: Where) -> None:
    """Refuse a value of many parts that is not allowed: scikit-learn would write all of it into its message."""
    if isinstance(allowed, str) or value is None or isinstance(value, (str, bool, int, float, np.generic)):
        return
    rules = [make_constraint(rule) for rule in allowed]
    if not any(rule.is_satisfied_by(value) for rule in rules):
        words = ", or ".join(str(rule) for rule in rules if not rule.hidden)
        raise Mismatch(inside(where, name), f"must be {words}; found a {type(value).__name__}.")


def _takes_truth(allowed: Any) -> bool:
    if isinstance(allowed, str):  # "no_validation"
        return True
    return any(
        (isinstance(rule, str) and rule in ("boolean", "verbose"))
        or (isinstance(rule, Options) and any(isinstance(option, bool) for option in rule.options))
        for rule in allowed
    )


# ---------------------------------------------------------------- looking up


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


def is_fitted(value: Any) -> bool:
    """Whether an estimator can be used; those that need no fit always can."""
    try:
        check_is_fitted(value)
    except NotFittedError:
        return False
    return True


def width_of(value: Any) -> int | None:
    """The number of columns that a fitted transformer gives; None where that is not known."""
    schema = schema_of(type(value))
    known = schema is not None and schema.width is not None and hasattr(value, "n_features_in_")
    return schema.width(value) if known else None  # type: ignore[union-attr, misc]


def taken_by(value: Any) -> int | None:
    """The number of columns that an estimator takes; None where that is not known."""
    for step in [value, *(step for _, step in getattr(value, "steps", ()))]:
        found = getattr(step, "n_features_in_", None) if step is value else taken_by(step)
        if found is not None:
            return int(found)
    return None


def whole_of(node: Any, where: Where) -> Any:
    """An object that can be used by itself."""
    value = object_of(node, where)
    schema = schema_of(type(value))
    if schema is not None and schema.part is not None and schema.part(value):
        raise Mismatch(where, f"is a {type(value).__name__} as another estimator keeps it, of no use by itself.")
    return value


def object_node(value: Any, where: Where) -> dict[str, Any]:
    """An object of a known class as JSON and arrays."""
    schema = schema_of(type(value))
    if schema is None:
        made = f"{type(value).__module__}.{type(value).__qualname__}"
        raise Mismatch(where, f"is an object of {made}, a class that model files have no place for.")
    return schema.write(value, where)


def object_of(node: Any, where: Where) -> Any:
    """An object again."""
    where = made(where, 1)
    if not isinstance(node, dict) or set(node) != {"class", "params", "fitted"}:
        raise Mismatch(where, f"must be an object with class, params and fitted; found {shown(node)}.")
    return schema_named(node["class"], where).read(node, where)


@dataclass(frozen=True)
class Estimator(Kind):
    """An estimator of one of some classes, of any known one if none is named; a fitted one."""

    names: frozenset[str] | None = None
    check: Callable[[Any, Scope], str | None] | None = None

    def write(self, value: Any, where: Where) -> Any:
        return object_node(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        value = whole_of(node, where) if self.names is None else object_of(node, where)
        if self.names is not None and node["class"] not in self.names:
            raise Mismatch(where, f"must be one of {sorted(self.names)}; found {node['class']}.")
        if not is_fitted(value):
            raise Mismatch(where, "must be fitted.")
        problem = None if self.check is None else self.check(value, scope)
        if problem:
            raise Mismatch(where, problem)
        return value


def _is_known_output(config: Any) -> bool:
    return isinstance(config, dict) and all(
        key == "transform" and (name is None or (isinstance(name, str) and name in _CONTAINERS))
        for key, name in config.items()
    )


# What `set_output` takes.
_CONTAINERS = (None, "default", "pandas", "polars")
# Attributes that scikit-learn gives to all estimators.
FEATURES: Entries = (
    ("n_features_in_", Int(1, 2**31 - 1, binds="d")),
    ("feature_names_in_", Maybe(Labels(("d",)))),
)
# Of trees and weak learners, which say of every column how much it matters: 128 MB of it.
TREE_FEATURES: Entries = (*FEATURES, Check(lambda s: s["d"] <= 2**24, "has more than 16,777,216 columns."))
OUTPUT_CONFIG: Entries = (
    ("_sklearn_output_config", Maybe(Plain())),
    Check(
        lambda s: _is_known_output(s.values.get("_sklearn_output_config", {})),
        f"its output is none of those that set_output knows: {', '.join(map(str, _CONTAINERS))}.",
    ),
)
CLASSES: Entries = (
    ("classes_", Labels(("k",), distinct=True)),
    Check(lambda s: s["k"] >= 1, "has no classes."),
    Check(lambda s: _weighs_classes(s), "class_weight has labels that are no classes."),
)


def _weighs_classes(scope: Scope) -> bool:
    """By scikit-learn's rule: where a class has no weight, every weight is that of a class."""
    given = scope.params.get("class_weight")
    classes = set(scope.values["classes_"].tolist())
    return not isinstance(given, dict) or classes <= set(given) or set(given) <= classes
