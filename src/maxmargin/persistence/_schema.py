"""What an object of each class consists of. The same list drives writing and checking.

A schema names the fitted attributes of a class with their kinds, in an order in which each can be checked by those
before it; relations between them are checks in the same list. A file can only ever give an object that its schema
allows: attributes that no schema knows are refused on both sides, and parameters pass scikit-learn's own validation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import numpy as np
from sklearn.utils._param_validation import Options, make_constraint

from ._errors import Mismatch, Where, cut_short, inside
from ._kinds import Kind
from ._plain import plain_node, plain_value
from ._recursion import Parts
from ._registry import is_fitted, object_node, object_of, whole_of
from ._scope import Scope
from ._sizes import Check, agree
from ._traces import TraceKind
from ._values import shown

# More threads than this are a mistake, or an attempt to bring the machine to its knees.
_MOST_THREADS = 256
# What `set_output` leaves in an estimator, whether it is fitted or not: all that one without a fit may have.
OUTPUT_SETTINGS = "_sklearn_output_config"
_NOT_FITTED = {OUTPUT_SETTINGS}


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
        """The fitted attributes; the course of the fit is one of all that have the parameter `trace`.

        But for searches, where it is that of the winner.
        """
        keeps = "trace" in _parameters(self.make) and not hasattr(self.make, "trace_")
        return (*self.fitted, ("trace_", TraceKind())) if keeps else self.fitted

    # ---------------------------------------------------------------- writing

    def write(self, value: Any, where: Where) -> Parts:
        """An object as JSON and arrays."""
        names = _parameters(self.make)
        state = {name: part for name, part in vars(value).items() if name not in names and name not in self.forgets}
        params = {}
        for name in names:
            kind = self.params.get(name)
            place, part = inside(where, name), getattr(value, name)
            params[name] = yield plain_node(part, place) if kind is None else kind.write(part, place)
        node: dict[str, Any] = {"class": self.name, "params": params, "fitted": None}
        if state:
            node["fitted"] = yield self._write_fitted(value, state, where)
        return node

    def _write_fitted(self, value: Any, state: dict[str, Any], where: Where) -> Parts:
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
                out[name] = yield kind.write(state[name], inside(where, name))
            elif not kind.optional and set(state) != _NOT_FITTED:
                raise Mismatch(where, f"{type(value).__name__} is not fitted: it has no {name}.")
        return out

    # ---------------------------------------------------------------- reading

    def read(self, node: dict[str, Any], where: Where) -> Parts:
        """An object again, every part of it checked."""
        params = yield self._read_params(node["params"], where)
        value = self.make(**params)
        _validate(value, where)
        scope = Scope(params=_given(value))
        for check in self.checks:
            check.apply(scope, where)
        if node["fitted"] is None:
            return value
        if isinstance(node["fitted"], dict) and set(node["fitted"]) == _NOT_FITTED <= set(self.kinds):
            output, place = cast(Kind, self.kinds[OUTPUT_SETTINGS]), inside(where, OUTPUT_SETTINGS)
            setattr(value, OUTPUT_SETTINGS, (yield output.read(node["fitted"][OUTPUT_SETTINGS], place, scope)))
            return value
        read = yield self._read_fitted(node["fitted"], where, scope)
        for name, part in read.items():
            setattr(value, name, part)
        for name, kind in self.kinds.items():
            if isinstance(kind, Derived):
                try:
                    part = kind.make(value)
                except ValueError as error:  # what no fit would have taken
                    raise Mismatch(where, cut_short(str(error))) from error
                if part is not ABSENT:
                    setattr(value, name, part)
            elif name in read:
                setattr(value, name, kind.settle(read[name], value))
        return value

    def _read_params(self, node: Any, where: Where) -> Parts:
        names = _parameters(self.make)
        if not isinstance(node, dict) or set(node) - set(names):
            raise Mismatch(where, f"has parameters that {self.name} does not take: {shown(node)}.")
        out = {}
        for name, part in node.items():
            kind, place = self.params.get(name), inside(where, name)
            out[name] = yield plain_value(part, place) if kind is None else kind.read(part, place, Scope())
        jobs = out.get("n_jobs")
        if jobs is not None and (not isinstance(jobs, (int, np.integer)) or not 0 < abs(int(jobs)) <= _MOST_THREADS):
            raise Mismatch(inside(where, "n_jobs"), f"must be from 1 to {_MOST_THREADS}; found {shown(jobs)}.")
        return out

    def _read_fitted(self, node: Any, where: Where, scope: Scope) -> Parts:
        kinds = self.kinds
        if not isinstance(node, dict) or any(isinstance(kinds.get(name, Derived(id)), Derived) for name in node):
            raise Mismatch(where, f"has attributes that {self.name} has not: {shown(node)}.")
        for entry in self._entries():
            if isinstance(entry, tuple):
                name, kind = entry
                if isinstance(kind, Derived):
                    continue
                if name in node:
                    scope.values[name] = yield kind.read(node[name], inside(where, name), scope)
                elif not kind.optional:
                    raise Mismatch(where, f"has no {name}, which a fitted {self.name} has.")
            elif isinstance(entry, Let):
                agree(scope, entry.name, entry.size(scope), where, f"the size {entry.name}")
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


@dataclass(frozen=True)
class Estimator(Kind):
    """An estimator of one of some classes, of any known one if none is named; a fitted one."""

    names: frozenset[str] | None = None
    check: Callable[[Any, Scope], str | None] | None = None

    def write(self, value: Any, where: Where) -> Any:
        return object_node(value, where)

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        value = yield whole_of(node, where) if self.names is None else object_of(node, where)
        if self.names is not None and node["class"] not in self.names:
            raise Mismatch(where, f"must be one of {sorted(self.names)}; found {node['class']}.")
        if not is_fitted(value):
            raise Mismatch(where, "must be fitted.")
        problem = None if self.check is None else self.check(value, scope)
        if problem:
            raise Mismatch(where, problem)
        return value
