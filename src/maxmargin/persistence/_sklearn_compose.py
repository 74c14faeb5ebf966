"""What pipelines and column transformers consist of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from string import Formatter
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelEncoder

from ._common import FEATURES, OUTPUT_CONFIG
from ._errors import Mismatch, Where, at, cut_short
from ._frames import gives_frames, names_given, names_wanted, wants_names
from ._kinds import Bool, Int, Items, Kind, Row, Text, by_key
from ._plain import Plain, plain_node, plain_value
from ._recursion import Parts
from ._registry import is_fitted, object_node, whole_of
from ._schema import Derived, Schema
from ._scope import Scope
from ._sizes import Check, below
from ._values import shown
from ._widths import parts_width, pipeline_width, taken_by, width_of

_WORDS = ("passthrough", "drop")


def _step_node(step: Any, where: Where) -> Any:
    return step if step is None or (isinstance(step, str) and step in _WORDS) else object_node(step, where)


def _step_of(node: Any, where: Where) -> Parts:
    if node is None or (isinstance(node, str) and node in _WORDS):
        return node
    step = yield whole_of(node, where)
    if isinstance(step, LabelEncoder):
        raise Mismatch(where, "is a LabelEncoder, which takes labels and not columns.")
    return step


def _named(node: Any, width: int, where: Where, scope: Scope) -> list[list[Any]]:
    """Rows of so many parts, the first of which is a name that no other has."""
    if not isinstance(node, list) or not all(isinstance(row, list) and len(row) == width for row in node):
        raise Mismatch(where, f"must be lists of {width} that begin with a name; found {shown(node)}.")
    if len({Text().read(row[0], where, scope) for row in node}) != len(node):
        raise Mismatch(where, "has a name twice.")
    return node


class _Steps(Kind):
    """Named steps: an estimator each, "passthrough" or None."""

    def write(self, value: Any, where: Where) -> Parts:
        out = []
        for name, step in value:
            out.append([Text().write(name, where), (yield _step_node(step, at(where, name)))])
        return out

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        out = []
        for name, step in _named(node, 2, where, scope):
            out.append((name, (yield _step_of(step, at(where, name)))))
        if not out:
            raise Mismatch(where, "must have steps.")
        if any(not hasattr(step, "transform") for _, step in out[:-1] if step is not None and step != "passthrough"):
            raise Mismatch(where, "must be transformers, but for the last one.")
        _check_widths(out, where)
        _check_names(out, where)
        _check_names_given(out, where)
        ready = [is_fitted(step) for _, step in out if step is not None and not isinstance(step, str)]
        if ready and ready[-1] and not all(ready):
            raise Mismatch(where, "must all be fitted if the last one is.")
        return out


def _check_widths(steps: list[tuple[str, Any]], where: Where) -> None:
    """Each step takes as many columns as the one before it gives."""
    given: int | None = None
    for name, step in steps:
        if step is None or isinstance(step, str):
            continue
        taken = taken_by(step)
        if given is not None and taken is not None and taken != given:
            raise Mismatch(at(where, name), f"takes {taken} columns; the step before it gives {given}.")
        given = width_of(step)


def _check_names(steps: list[tuple[str, Any]], where: Where) -> None:
    """A step that chooses columns by name comes first, or after one that gives data frames."""
    frames = True  # what the pipeline is given may be one
    for name, step in steps:
        if not frames and wants_names(step):
            raise Mismatch(
                at(where, name),
                "chooses columns by name, and the step before it gives arrays, which have none. If it was fitted under "
                'sklearn.set_config(transform_output="pandas"), set that first.',
            )
        frames = gives_frames(step, frames)


def _check_names_given(steps: list[tuple[str, Any]], where: Where) -> None:
    """Data frames have the columns that the next step was fitted on."""
    given: list[Any] | None = None
    for name, step in steps:
        if step is None or isinstance(step, str):
            continue
        wanted = names_wanted(step)
        if given is not None and wanted is not None and wanted != given:
            raise Mismatch(
                at(where, name), f"was fitted on other columns than the step before it gives: {shown(given)}."
            )
        try:
            given = names_given(step) if gives_frames(step, False) else None
        except ValueError as error:  # scikit-learn's words, of names that are there twice
            raise Mismatch(
                at(where, name), f"gives columns that have no names of their own: {cut_short(str(error))}"
            ) from error


class _Nothing(Kind):
    """No folder where fits are kept: whoever can write to it decides what a later fit runs."""

    def write(self, value: Any, where: Where) -> Any:
        if value is not None:
            raise Mismatch(where, "keeps fits in a folder, which cannot be saved: set_params(memory=None) first.")

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if node is not None:
            raise Mismatch(where, f"must be null; found {shown(node)}.")


class _OneProcess(Kind):
    """How many processes a machine may start, which is no part of a model: none is written, and one read is dropped.

    joblib starts as many as it is told before the first row is transformed, however few the parts are.
    """

    def write(self, value: Any, where: Where) -> Any:
        return None

    def read(self, node: Any, where: Where, scope: Scope) -> Any:
        if node is not None and (type(node) is not int or not 0 < abs(node) < 2**31):
            raise Mismatch(where, f"must be a number of processes or null; found {shown(node)}.")


_NAME_FIELDS, _MOST_FIELDS, _MOST_LETTERS = ("transformer_name", "feature_name"), 8, 256


class _NameForm(Plain):
    """Whether names get a prefix, or the form of names, in which the two names stand as they are.

    ``str.format`` would follow attributes, and fill up to any width.
    """

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        value = yield super().read(node, where, scope)
        if not isinstance(value, str):
            return value
        try:
            found = list(Formatter().parse(value)) if len(value) <= _MOST_LETTERS else None
        except ValueError:  # a brace without its other
            found = None
        fields = [(name, form, change) for _, name, form, change in found or () if name is not None]
        plain = all(name in _NAME_FIELDS and not form and change is None for name, form, change in fields)
        if found is None or not plain or len(fields) > _MOST_FIELDS:
            names = " and ".join(f"{{{name}}}" for name in _NAME_FIELDS)
            raise Mismatch(where, f"must be a short text with {names}, as they are; found {shown(value)}.")
        return value


class _Weights(Plain):
    """Factors of what transformers give, by their names."""

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        value = yield super().read(node, where, scope)
        for factor in value.values() if isinstance(value, dict) else ():
            number = isinstance(factor, (int, float, np.integer, np.floating)) and math.isfinite(factor)
            if factor is not None and not number:
                raise Mismatch(where, f"must be finite numbers; found {shown(factor)}.")
        return value


class _Parts(Kind):
    """Transformers with a name and columns; `fitted` ones are compared with the columns that they take."""

    def __init__(self, fitted: bool) -> None:
        self._fitted = fitted

    def write(self, value: Any, where: Where) -> Parts:
        out = []
        for name, step, columns in value:
            written = yield _step_node(step, at(where, name))
            out.append([Text().write(name, where), written, (yield plain_node(columns, where))])
        return out

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        out = []
        for name, step, columns in _named(node, 3, where, scope):
            place = at(where, name)
            made = yield _step_of(step, place)
            chosen = yield plain_value(columns, place)
            if made is not None and not isinstance(made, str) and not hasattr(made, "transform"):
                raise Mismatch(place, f"must be a transformer; found {type(made).__name__}.")
            if self._fitted:
                count = _count(chosen, scope, place)
                taken = None if isinstance(made, str) else taken_by(made)
                if made is None or (not isinstance(made, str) and count and taken != count):
                    raise Mismatch(place, f"takes {taken} columns and is given {count}.")
                if not isinstance(made, str) and count and not is_fitted(made):
                    raise Mismatch(place, "must be fitted.")
                if made == "passthrough" and count:  # a fit puts a transformer in its place
                    raise Mismatch(place, "must be fitted; found 'passthrough'.")
                _check_columns(name, made, chosen, scope, place)
            out.append((name, made, chosen))
        return out


def _names(scope: Scope) -> frozenset[Any]:
    """Names of columns, gathered once for all transformers."""
    if "names of columns" not in scope.params:
        scope.params["names of columns"] = frozenset(scope.values.get("feature_names_in_", np.empty(0)).tolist())
    return scope.params["names of columns"]


def _count(columns: Any, scope: Scope, where: Where) -> int:
    """How many columns are chosen, all of which must be there."""
    d, names = scope["d"], _names(scope)
    if isinstance(columns, slice):
        return len(range(d)[columns])
    if not isinstance(columns, (list, tuple, np.ndarray)):
        raise Mismatch(where, f"must be given its columns in a list; found {shown(columns)}.")
    chosen = [column.item() if isinstance(column, np.generic) else column for column in columns]
    if len({type(c) for c in chosen}) > 1:  # scikit-learn takes numbers, names or a mask
        raise Mismatch(where, f"must be given numbers, names or a mask, and not some of each; found {shown(columns)}.")
    if chosen and isinstance(chosen[0], bool):
        if len(chosen) != d:
            raise Mismatch(where, f"chooses among {len(chosen)} columns; there are {d}.")
        return int(np.sum(chosen))
    for column in chosen:
        if isinstance(column, str):
            right = column in names
        else:
            right = isinstance(column, int) and -d <= column < d
        if not right:
            raise Mismatch(where, f"takes the column {shown(column)}, which is not there.")
    return len(chosen)


def _check_columns(name: str, made: Any, columns: Any, scope: Scope, where: Where) -> None:
    """The numbers of the columns that a data frame is asked for are theirs, and their names what the part knows."""
    places = _places(columns, scope)
    listed = scope.values["_transformer_to_input_indices"].get(name)
    if listed is not None and list(listed) != places:
        raise Mismatch(where, f"chooses other columns than {shown(listed)}, which are listed for it.")
    names, wanted = scope.values.get("feature_names_in_"), names_wanted(made)
    if names is not None and wanted is not None and wanted != names[places].tolist():
        raise Mismatch(where, f"was fitted on other columns than it is given: {shown(wanted)}.")


def _places(columns: Any, scope: Scope) -> list[int]:
    """The numbers of chosen columns, which are all there."""
    every = np.arange(scope["d"])
    if isinstance(columns, slice) or len(columns) == 0:
        return every[columns].tolist() if isinstance(columns, slice) else []
    if isinstance(columns[0], str):
        known = {name: k for k, name in enumerate(scope.values["feature_names_in_"].tolist())}
        return [known[name] for name in columns]
    return every[np.asarray(columns)].tolist()


def _as_slices(rows: Iterable[tuple[str, int, int]]) -> dict[str, slice]:
    return {name: slice(start, stop, None) for name, start, stop in rows}


def _from_slices(slices: dict[str, slice]) -> list[tuple[str, int, int]]:
    return [(name, part.start, part.stop) for name, part in slices.items()]


# The columns of the result that belong to each transformer, and the numbers of those that each takes.
_PLACE = Int(0, 2**31 - 1)
_SLICES = Items(Row((Text(), _PLACE, _PLACE)), out=_as_slices, of=(dict,), parts=_from_slices)
_INPUTS = by_key(Text(), Items(Int(0, below("d"))))


class _Remainder(Kind):
    """What becomes of the columns that nobody takes."""

    def write(self, value: Any, where: Where) -> Parts:
        return (yield _Parts(False).write([value], where))[0]

    def read(self, node: Any, where: Where, scope: Scope) -> Parts:
        name, step, columns = (yield _Parts(False).read([node], where, scope))[0]
        _count(columns, scope, where)
        return name, step, columns


def _sparse_parts(scope: Scope) -> bool:
    """A sparse result has a part that is sparse; of data frames, whose columns have names, only encoders make one.

    Of arrays others may: they are as sparse as what they are given.
    """
    parts = [(step, columns) for _, step, columns in scope.values["transformers_"] if not isinstance(step, str)]
    named = any(len(columns) and isinstance(columns[0], str) for _, columns in parts if not isinstance(columns, slice))
    return not scope.values["sparse_output_"] or not named or any(_may_be_sparse(step) for step, _ in parts)


def _may_be_sparse(step: Any) -> bool:
    if isinstance(step, (Pipeline, ColumnTransformer, MissingIndicator, SimpleImputer)):
        return True  # what is in it is not looked into
    return bool(getattr(step, "sparse_output", False))


def _same_parts(scope: Scope) -> bool:
    """The fitted transformers are those that were given, and what took the rest."""
    given = [name for name, _, _ in scope.params["transformers"]]
    fitted = [name for name, _, _ in scope.values["transformers_"]]
    known = scope.values["_transformer_to_input_indices"]
    return fitted in (given, [*given, "remainder"]) and set(fitted) <= set(known)


def _parts_width(scope: Scope) -> bool:
    """The ranges of the result follow each other, and are as wide as what the transformers give."""
    ranges, at = scope.values["output_indices_"], 0
    if set(ranges) - {name for name, _, _ in scope.values["transformers_"]} - {"remainder"}:
        return False
    for name, step, columns in scope.values["transformers_"]:
        if name not in ranges:
            return False
        found = ranges[name]
        if found.start > found.stop:
            return False
        used = not isinstance(step, str) and _count(columns, scope, "") > 0
        wide = found.stop - found.start if used else 0
        if not used and found.start != found.stop:
            return False
        if used:
            known = width_of(step)
            wide = wide if known is None else known
        if wide and (found.start, found.stop) != (at, at + wide):
            return False
        at += wide
    return True


SCHEMAS = [
    Schema(
        "sklearn.pipeline.Pipeline",
        Pipeline,
        OUTPUT_CONFIG,
        params={"steps": _Steps(), "memory": _Nothing()},
        width=pipeline_width,
    ),
    Schema(
        "sklearn.compose.ColumnTransformer",
        ColumnTransformer,
        (
            *FEATURES,
            *OUTPUT_CONFIG,
            ("_transformer_to_input_indices", _INPUTS),
            ("_remainder", _Remainder()),
            ("sparse_output_", Bool()),
            ("transformers_", _Parts(True)),
            Check(_same_parts, "its fitted transformers are not those that it was given."),
            Check(_sparse_parts, "has a sparse result, and no transformer that gives a sparse one."),
            ("output_indices_", _SLICES),
            Check(_parts_width, "its columns are not those that its transformers give."),
            ("_columns", Derived(lambda value: [columns for _, _, columns in value.transformers])),
        ),
        params={
            "transformers": _Parts(False),
            "n_jobs": _OneProcess(),
            "transformer_weights": _Weights(),
            "verbose_feature_names_out": _NameForm(),
        },
        forgets=frozenset({"_transformers_feature_names_out"}),  # set at every transform into data frames
        width=parts_width,
    ),
]
