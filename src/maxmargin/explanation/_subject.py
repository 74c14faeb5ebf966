"""What is explained: the model at the end of a pipeline, the columns that it sees, and rows as it sees them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..data import csr_rows
from ._columns import Column, UnknownStepError, columns_after
from ._results import plain

_ROOMS = ("svm", "linear_model", "kernel_model", "tree", "ensemble", "neighbors", "cluster")


@dataclass(frozen=True)
class Row:
    """One row: as it was given, by name of column, and as the model sees it (a table of one row)."""

    given: dict[str, Any]
    seen: Any

    def dense(self) -> np.ndarray:
        """The values that the model sees, in float64."""
        seen = self.seen.toarray() if sp.issparse(self.seen) else np.asarray(self.seen)
        return seen.astype(np.float64).ravel()


@dataclass(frozen=True)
class Training:
    """The rows that a model was trained on, as it sees them; X is None where they were not given."""

    X: Any = None
    y: np.ndarray | None = None
    weight: Any = None


@dataclass(frozen=True)
class Subject:
    """A fitted model with its preparation."""

    model: Any
    steps: Any  # a fitted pipeline, or None
    outer: Any  # what predicts: the whole pipeline or search
    columns: list[Column] = field(default_factory=list)
    followed: bool = True  # whether the columns could be traced to those of the data

    @property
    def room(self) -> str:
        """The room of the package that the model is from."""
        return type(self.model).__module__.split(".")[1]

    @property
    def names(self) -> list[str]:
        """Names of the columns that the model sees."""
        return [column.name for column in self.columns]

    @property
    def in_units(self) -> bool:
        """Whether a column has another scale in the data than in the model."""
        return any(c.scale != 1.0 or c.offset != 0.0 for c in self.columns)

    def prepared(self, X: Any) -> Any:
        """Rows as the model sees them."""
        if self.steps is None:
            return X
        with quiet_names():
            return self.steps.transform(X)

    def predicted(self, X: Any) -> Any:
        """What the model predicts for rows that are prepared."""
        with quiet_names():
            return self.model.predict(X)

    def _given_names(self) -> Any:
        """Names of the columns of the data: those seen in training, or those that a reader gives to numbered ones."""
        names = getattr(self.outer, "feature_names_in_", None)
        first: Any = self.steps
        while isinstance(first, Pipeline):
            first = first.steps[0][1]
        if names is None and hasattr(first, "columns_"):
            names = [plan.name for plan in first.columns_]
        return names

    def row(self, x: Any) -> Row:
        """A row from whatever it is given as."""
        table = as_table(x, self.outer)
        given = values_by_name(table, self._given_names())
        return Row(given, self.prepared(table))


@contextmanager
def quiet_names() -> Iterator[None]:
    """A model trained on a data frame misses the names of columns that are here in its own order."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        warnings.filterwarnings("ignore", message="X has feature names, but")
        yield


def subject_of(model: Any) -> Subject:
    """Take a pipeline or a search apart."""
    if isinstance(model, type) or not hasattr(model, "fit"):
        raise TypeError(f"model must be a fitted model of maxmargin, or a pipeline that ends in one; got {model!r}.")
    check_is_fitted(model)
    steps, inner = [], model
    while True:
        if isinstance(inner, Pipeline):
            steps += inner.steps[:-1]
            inner = inner.steps[-1][1]
        elif hasattr(inner, "best_estimator_"):  # a search: what it has chosen
            inner = inner.best_estimator_
        else:
            break
    parts = type(inner).__module__.split(".")
    if parts[0] != "maxmargin" or len(parts) < 2 or parts[1] not in _ROOMS:
        raise TypeError(
            f"explanations are of models of maxmargin ({', '.join(_ROOMS)}), or of pipelines that end in one; got "
            f"{type(inner).__name__} of {type(inner).__module__}."
        )
    check_is_fitted(inner)
    pipeline = Pipeline(steps) if steps else None
    count = _column_count(inner)
    try:
        columns, followed = _columns(model, pipeline, inner, count), True
    except UnknownStepError:
        columns, followed = [Column(f"column {j}", None, "mixed") for j in range(count)], False
    return Subject(inner, pipeline, model, columns, followed)


def _column_count(model: Any) -> int:
    if hasattr(model, "n_features_in_"):
        return int(model.n_features_in_)
    shape: tuple[int, ...] = getattr(
        model, "shape_fit_", (0,)
    )  # with a kernel function of the user's own, samples may be anything
    return int(shape[1]) if len(shape) > 1 else 0


def _columns(outer: Any, pipeline: Pipeline | None, model: Any, count: int) -> list[Column]:
    names = getattr(outer, "feature_names_in_", None)
    if names is None:
        names = [f"feature {j}" for j in range(int(getattr(outer, "n_features_in_", count)))]
    columns = [Column(str(name), str(name)) for name in names]
    if pipeline is not None:
        columns = columns_after(pipeline, columns)
    if len(columns) != count:
        raise UnknownStepError(f"{len(columns)} columns instead of {count}")
    return columns


def as_table(x: Any, model: Any) -> Any:
    """One row as a table of one row."""
    if isinstance(x, dict):
        raise TypeError("x must be a row of numbers or a data frame of one row; got a dict: make a data frame of it.")
    if sp.issparse(x):
        table = csr_rows(x.reshape(1, -1) if x.ndim == 1 else x, "x")
    elif hasattr(x, "to_frame") and hasattr(x, "index") and not hasattr(x, "columns"):  # a row of a pandas data frame
        table = x.to_frame().T.infer_objects()
    elif hasattr(x, "shape") and (hasattr(x, "columns") or hasattr(x, "column_names")):
        table = x
    else:
        table = np.asarray(x)
        table = table[None] if table.ndim == 1 else table
    if len(table.shape) != 2 or table.shape[0] != 1:
        raise ValueError(f"x must be a single row; got shape {tuple(table.shape)}. Take one by x[i:i + 1].")
    expected = getattr(model, "n_features_in_", None)
    if expected is not None and not hasattr(table, "columns") and table.shape[1] != expected:
        raise ValueError(f"x has {table.shape[1]} features; this {type(model).__name__} was trained on {expected}.")
    return table


def values_by_name(table: Any, names: Any) -> dict[str, Any]:
    """The values of a table of one row, by the names of its columns."""
    if sp.issparse(table):
        values = table.toarray()[0].tolist()
    elif isinstance(table, np.ndarray):
        values = table[0].tolist()
    else:
        import narwhals as nw

        frame = nw.from_native(table, eager_only=True)
        return {str(name): _known(frame[name][0]) for name in frame.columns}
    if names is None or len(names) != len(values):
        names = [f"feature {j}" for j in range(len(values))]
    return {str(name): _known(value) for name, value in zip(names, values, strict=True)}


def _known(value: Any) -> Any:
    """A plain value; None for one that is missing."""
    if value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)) or str(value) in ("NaT", "<NA>"):
        return None
    return plain(value)
