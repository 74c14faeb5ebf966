"""From the columns that a model sees back to those of the data: names, units, categories.

A preparation is read step by step. Each column that leaves it is one of

    number      z = scale * x + offset of one column x of the data
    level       1 where a column of categories has this level, else 0 (scaled in the same way)
    code        the number of a category
    flag        1 for true, 0 for false (scaled in the same way)
    indicator   1 where a value is missing
    part        one of several numbers made from one column, such as the month of a date
    mixed       anything else (a principal component, a product): it has no unit of the data
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

MISSING = "(missing)"  # the level of a value that is not there
OTHER = "(other)"  # the level of all values that are rare or unknown


@dataclass(frozen=True)
class Column:
    """A column that a model sees.

    Attributes
    ----------
    name : str
        What it is called in tables.
    source : str or None
        The column of the data that it is made from; None if there are several or it is not known.
    kind : str
        As listed in the head of this file.
    scale, offset : float
        The column is ``scale * x + offset``.
    level : str or None
        Of a level, its name.
    levels : tuple of str or None
        Of a code, the names of all levels.

    """

    name: str
    source: str | None
    kind: str = "number"
    scale: float = 1.0
    offset: float = 0.0
    level: str | None = None
    levels: tuple[str, ...] | None = None

    def scaled(self, factor: float, shift: float) -> Column:
        """The same column times a factor plus a shift."""
        return replace(self, scale=self.scale * float(factor), offset=self.offset * float(factor) + float(shift))


class UnknownStepError(Exception):
    """A step whose columns cannot be followed."""


def columns_after(step: Any, columns: list[Column]) -> list[Column]:
    """The columns that leave a fitted step; raises `UnknownStepError` where even their number is not known."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return columns
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            columns = columns_after(inner, columns)
        return columns
    if type(step).__name__ == "ColumnReader":
        return _of_reader(step)
    if type(step).__name__ == "DenseRows":
        return columns
    for kind, follow in _FOLLOWED:
        if isinstance(step, kind):
            return follow(step, columns)
    return _mixed(step, columns)


def _mixed(step: Any, columns: list[Column]) -> list[Column]:
    """A step that is not followed: its own names of columns without units."""
    try:
        names = step.get_feature_names_out([column.name for column in columns])
    except Exception as error:  # a step that has no names, or other columns than these
        raise UnknownStepError(type(step).__name__) from error
    return [Column(str(name), None, "mixed") for name in names]


def _standard(step: StandardScaler, columns: list[Column]) -> list[Column]:
    scale = np.ones(len(columns)) if step.scale_ is None else step.scale_
    mean = np.zeros(len(columns)) if step.mean_ is None or not step.with_mean else step.mean_
    return [c.scaled(1 / s, -m / s) for c, s, m in zip(columns, scale, mean, strict=True)]


def _min_max(step: MinMaxScaler, columns: list[Column]) -> list[Column]:
    if step.clip:  # not linear beyond its ends
        return _mixed(step, columns)
    return [c.scaled(s, m) for c, s, m in zip(columns, step.scale_, step.min_, strict=True)]


def _max_abs(step: MaxAbsScaler, columns: list[Column]) -> list[Column]:
    if getattr(step, "clip", False):
        return _mixed(step, columns)
    return [c.scaled(1 / s, 0.0) for c, s in zip(columns, step.scale_, strict=True)]


def _robust(step: RobustScaler, columns: list[Column]) -> list[Column]:
    scale = np.ones(len(columns)) if step.scale_ is None else step.scale_
    centre = np.zeros(len(columns)) if step.center_ is None else step.center_
    return [c.scaled(1 / s, -m / s) for c, s, m in zip(columns, scale, centre, strict=True)]


def _identity(step: FunctionTransformer, columns: list[Column]) -> list[Column]:
    return columns if step.func is None else _mixed(step, columns)


def _indicated(columns: list[Column], features: Any) -> list[Column]:
    return [Column(f"{columns[j].name} missing", columns[j].source, "indicator") for j in features]


def _imputed(step: SimpleImputer, columns: list[Column]) -> list[Column]:
    empty = getattr(step, "keep_empty_features", False)
    kept = columns if empty else [c for c, v in zip(columns, step.statistics_, strict=True) if not _is_nan(v)]
    flags = [] if step.indicator_ is None else _indicated(columns, step.indicator_.features_)
    return kept + flags


def _is_nan(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _missing(step: MissingIndicator, columns: list[Column]) -> list[Column]:
    return _indicated(columns, step.features_)


def _one_hot(step: OneHotEncoder, columns: list[Column]) -> list[Column]:
    if step.min_frequency is not None or step.max_categories is not None:  # rare levels share a column
        return _mixed(step, columns)
    out = []
    for j, (column, levels) in enumerate(zip(columns, step.categories_, strict=True)):
        dropped = None if step.drop_idx_ is None else step.drop_idx_[j]
        names = [_level_name(column, level) for level in levels]
        for k, name in enumerate(names):
            if k != dropped:
                shown = f"{column.name} missing" if name == MISSING else f"{column.name}={name}"
                out.append(Column(shown, column.source, "level", level=name, levels=tuple(names)))
    return out


def _level_name(column: Column, level: Any) -> str:
    """Of a code, the name of the category that it stands for."""
    if level is None or _is_nan(level):
        return MISSING
    if column.levels is not None and isinstance(level, (int, float, np.number)) and 0 <= level < len(column.levels):
        return column.levels[int(level)]
    return str(level)


def _ordinal(step: OrdinalEncoder, columns: list[Column]) -> list[Column]:
    named = zip(columns, step.categories_, strict=True)
    return [Column(c.name, c.source, "code", levels=tuple(_level_name(c, v) for v in levels)) for c, levels in named]


def _transformed(step: ColumnTransformer, columns: list[Column]) -> list[Column]:
    """Each part from the columns that it is given, at the places where the transformer puts it."""
    out: dict[int, Column] = {}
    for name, part, _ in step.transformers_:
        places = step.output_indices_[name]
        count = places.stop - places.start
        if not count or (isinstance(part, str) and part == "drop"):
            continue
        given = [columns[j] for j in step._transformer_to_input_indices[name]]
        made = columns_after(part, given)
        if len(made) != count:
            raise UnknownStepError(name)
        out |= dict(zip(range(places.start, places.stop), made, strict=True))
    return [out[place] for place in range(len(out))]


def _of_reader(step: Any) -> list[Column]:
    """The columns of a `ColumnReader`: numbers, truth values, codes of categories, and the numbers made of a date."""
    out: list[Column] = []
    for plan in step.columns_:
        if plan.kind == "category":
            levels = (*plan.levels, OTHER) if plan.other else tuple(plan.levels)
            out.append(Column(plan.name, plan.name, "code", levels=levels))
        elif plan.type == "bool" and plan.kind == "number":
            out.append(Column(plan.name, plan.name, "flag"))
        else:
            out += [Column(n, plan.name, "number" if len(plan.outputs) == 1 else "part") for n in plan.outputs]
    return out


_FOLLOWED: Sequence[tuple[type, Any]] = (
    (StandardScaler, _standard),
    (MinMaxScaler, _min_max),
    (MaxAbsScaler, _max_abs),
    (RobustScaler, _robust),
    (FunctionTransformer, _identity),
    (SimpleImputer, _imputed),
    (MissingIndicator, _missing),
    (OneHotEncoder, _one_hot),
    (OrdinalEncoder, _ordinal),
    (ColumnTransformer, _transformed),
)
