"""From the columns of a data frame to numbers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from itertools import repeat
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from ..messages import Argument, InputError, Place, quoted
from ._dates import python_instant
from ._errors import TableError, absent
from ._frame import Column, columns_of, is_frame, named
from ._plan import KINDS, ColumnPlan, date_form, names_out, plan_column
from ._quantities import read_quantity
from ._words import weighed_words

# What may stand in for what at `transform`: a chunk may be without values, and 0 and 1 are as good as false and true.
_STANDS_FOR = {
    "number": ("number", "bool", "missing"),
    "bool": ("bool", "number", "missing"),
    "date": ("date", "text", "missing"),
    "text": ("text", "missing"),
    "missing": ("number", "bool", "missing"),
}
_DAY = 86_400_000_000


class ColumnReader(TransformerMixin, BaseEstimator):
    """The columns of a data frame as one float64 matrix.

    What a column is taken for is decided in `fit`, from its values; `columns_` says why. Numbers stay as they are, true
    and false become 1 and 0, the values of a category their places among its levels, dates become days since 1970,
    month (1 to 12), weekday (0 is Monday) and, where times are given, hour. Free text of three words and more becomes a
    number for each word that comes in several rows (TF-IDF), and the matrix sparse. Columns that can teach nothing are
    dropped: constant ones, those without any value, identifiers.

    The same table gives the same matrix from pandas, polars and pyarrow.

    Parameters
    ----------
    kinds : dict of str to {"number", "category", "date", "datetime", "text", "drop"}, default=None
        Says what columns are, instead of deciding.
    max_levels : int, default=100
        The most levels that a category keeps. Rarer ones share a code, with those that are unknown.

    Attributes
    ----------
    columns_ : tuple of ColumnPlan
        What becomes of each column, in the order of the table.
    feature_names_in_ : ndarray of str
        Names of the columns, where X is a data frame.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    make_preparation : The steps that follow: scaling, filling in, one-hot encoding.

    Notes
    -----
    At `transform`, columns are found by name: their order does not matter, others are left aside, and those that are
    dropped need not be there. Without a data frame, columns are x0, x1, ... and found by place.

    At `transform`, dates may be text in a form in which day and month are clear, as ``pandas.read_csv`` leaves them. A
    level that `fit` has not seen warns with an `UnseenValuesWarning`, where rare ones were not put together.

    A missing value is NaN. A level that `fit` has not seen, or seen too rarely, has the code ``len(levels)``.

    Examples
    --------
    >>> import polars as pl
    >>> from maxmargin.tables import ColumnReader
    >>> table = pl.DataFrame({"city": ["Rome", "Oslo", None, "Oslo"], "age": [31, None, 25, 40], "all": [1, 1, 1, 1]})
    >>> reader = ColumnReader().fit(table)
    >>> reader.transform(table)
    array([[ 1., 31.],
           [ 0., nan],
           [nan, 25.],
           [ 0., 40.]])
    >>> [(column.name, column.kind, column.reason) for column in reader.columns_]
    [('city', 'category', '2 different values'), ('age', 'number', 'numbers'), ('all', 'drop', 'constant: always 1')]

    """

    _parameter_constraints: dict = {
        "kinds": [Mapping, None],
        "max_levels": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, kinds: Mapping[str, str] | None = None, max_levels: int = 100) -> None:
        self.kinds = kinds
        self.max_levels = max_levels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any = None) -> ColumnReader:
        """Decide what each column is.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            Of pandas, polars, pyarrow or another library that narwhals knows.
        y : ignored

        Returns
        -------
        self

        """
        self._validate_params()
        columns, frame = columns_of(X), is_frame(X)
        if not columns:
            raise TableError(f"0 feature(s) (shape=({len(X)}, 0)) while a minimum of 1 is required.")
        if not _rows(columns):
            raise TableError(f"0 sample(s) (shape=(0, {len(columns)})) while a minimum of 1 is required.")
        kinds = self._asked(columns)
        self.columns_: tuple[ColumnPlan, ...] = tuple(
            plan_column(column, kinds.get(column.name), self.max_levels, place == 0, frame)
            for place, column in enumerate(columns)
        )
        if all(plan.kind == "drop" for plan in self.columns_):
            reasons = "; ".join(f"{plan.name}: {plan.reason}" for plan in self.columns_[:3])
            raise TableError(
                f"No column is left to learn from ({reasons}): say with ", Argument("kinds"), " what they are."
            )
        for column, plan in zip(columns, self.columns_, strict=True):
            if plan.kind == "number" and column.type == "number":
                _refuse_infinite(column, column.numbers())
        self.n_features_in_ = len(columns)
        if frame:
            self.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _asked(self, columns: list[Column]) -> dict[str, str]:
        kinds = dict(self.kinds or {})
        names = [column.name for column in columns]
        if not set(kinds) <= set(names):
            raise absent(kinds, names, Argument("kinds"), " names a column that is not there: the table")
        for name, kind in kinds.items():
            if kind not in KINDS:
                raise InputError(Argument("kinds", key=name), f" is {kind!r}; it can be {', '.join(KINDS)}.")
        return kinds

    # ---------------------------------------------------------------- reading

    def transform(self, X: Any) -> Any:
        """The numbers of the columns.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float64 of shape (n_samples, n_outputs)
            CSR where a column is free text.

        """
        check_is_fitted(self)
        fitted = getattr(self, "feature_names_in_", None)
        used = [plan for plan in self.columns_ if plan.kind != "drop"]
        columns = columns_of(X, None if fitted is None else {plan.name for plan in used})
        if fitted is None or not is_frame(X):
            if len(columns) != self.n_features_in_:
                raise ValueError(
                    f"X has {len(columns)} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                    "features as input."
                )
            if fitted is not None:  # the columns of an array have the names of the data frame that was fitted
                columns = [replace(c, name=str(name)) for c, name in zip(columns, fitted, strict=True)]
        there = named(columns)
        if any(plan.name not in there for plan in used):
            raise absent([plan.name for plan in used], there, "The table")
        if any(plan.kind == "text" for plan in used):
            return sp.csr_array(sp.hstack([_stored(there[plan.name], plan) for plan in used], format="csr"))
        numbers = np.empty((_rows(columns), len(names_out(used))))
        place = 0
        for plan in used:
            read = _read(there[plan.name], plan)
            numbers[:, place : place + len(read)] = np.column_stack(read)
            place += len(read)
        return numbers

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of the matrix: ``age``, ``city``, ``born``, ``born month``, ``born weekday``.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Checked against the names that were fitted.

        Returns
        -------
        ndarray of str

        """
        check_is_fitted(self)
        names = [plan.name for plan in self.columns_]
        if input_features is None or list(input_features) == names:
            return np.array(names_out(self.columns_), dtype=object)
        if hasattr(self, "feature_names_in_"):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(input_features) != self.n_features_in_:
            raise ValueError(
                f"input_features should have length equal to number of features ({self.n_features_in_}), "
                f"got {len(input_features)}"
            )
        given = dict(zip(names, map(str, input_features), strict=True))
        return np.array(
            [given[plan.name] + out[len(plan.name) :] for plan in self.columns_ for out in plan.outputs], dtype=object
        )

    @property
    def types_(self) -> dict[str, str]:
        """What each column that is read holds, as `read_table` and `scan_table` take it for ``types=``."""
        check_is_fitted(self)
        return {plan.name: plan.type for plan in self.columns_ if plan.type != "missing" and plan.kind != "drop"}


def _rows(columns: list[Column]) -> int:
    return len(columns[0].series) if columns else 0


def _stored(column: Column, plan: ColumnPlan) -> sp.csr_array:
    """The outputs of the plan as sparse columns."""
    if plan.kind != "text":
        return sp.csr_array(np.column_stack(_read(column, plan)))
    _check_type(column, plan)
    return weighed_words(column.texts(), plan.levels, plan.weights)


def _check_type(column: Column, plan: ColumnPlan) -> None:
    if column.type not in _STANDS_FOR[plan.type]:
        raise TableError(
            f"Column {quoted(plan.name)} holds {_WORDS[column.type]}, and held {_WORDS[plan.type]} when the model was "
            "fitted: convert it.",
            place=Place(column=plan.name),
        )


def _read(column: Column, plan: ColumnPlan) -> list[np.ndarray]:
    """One array for each output of the plan."""
    _check_type(column, plan)
    if plan.kind == "category":
        return [_codes(column, plan)]
    if plan.kind in ("date", "datetime"):
        return _date_parts(_days(column, plan), plan.kind == "datetime")
    if plan.type == "text":
        values = _quantities(column, plan.form) if plan.form else _numbers_in_text(column)
    else:
        values = column.instants() if plan.type == "date" else column.numbers()
    _refuse_infinite(column, values)
    return [values]


_WORDS = {"number": "numbers", "bool": "true or false", "date": "dates", "text": "text", "missing": "no values"}


def _codes(column: Column, plan: ColumnPlan) -> np.ndarray:
    codes: dict[str | None, float] = {level: float(code) for code, level in enumerate(plan.levels)}
    codes[None] = np.nan
    if plan.type == "bool" and column.type == "number":
        column = Column(column.name, "bool", column.numbers())
    texts = column.texts()
    if not plan.other:
        _warn_of_unseen(plan, [text for text in set(texts) - set(codes)])
    return np.fromiter(map(codes.get, texts, repeat(float(len(plan.levels)))), np.float64, len(texts))


def _warn_of_unseen(plan: ColumnPlan, unseen: list[str | None]) -> None:
    """Values that no training row had: the model has nothing to say of them."""
    if unseen:
        some = ", ".join(quoted(text) for text in sorted(map(str, unseen))[:3])
        words = (
            f"Column {quoted(plan.name)} has values that no training row had "
            f"({some}{', ...' if len(unseen) > 3 else ''}): they count as none of the known ones."
        )
        warnings.warn(words, UnseenValuesWarning, stacklevel=2)


class UnseenValuesWarning(UserWarning):
    """A category has values that were not there when the model was fitted."""


def _days(column: Column, plan: ColumnPlan) -> np.ndarray:
    if column.type != "text":
        return column.instants()
    if plan.type == "date":  # such as `pandas.read_csv` leaves them
        plan = replace(plan, form=date_form(column))
    texts = column.texts()
    instants = {text: python_instant(text, plan.form) for text in set(texts) if text is not None}
    for text, instant in instants.items():
        if instant is None:
            raise TableError(
                f"Column {quoted(column.name)} has {quoted(text)}, which is not a date of the form {plan.form}.",
                place=Place(column=column.name),
            )
    return np.array([np.nan if text is None else (instants[text] or 0) / _DAY for text in texts])


def _date_parts(days: np.ndarray, timed: bool) -> list[np.ndarray]:
    """Days since 1970, month, weekday and hour; NaN stays NaN."""
    missing = np.isnan(days)
    whole = np.floor(np.where(missing, 0.0, days))
    month = whole.astype("M8[D]").astype("M8[M]").astype(np.int64) % 12 + 1.0
    parts = [days, month, (whole + 3) % 7]  # the first of January 1970 was a Thursday
    if timed:
        parts.append(np.floor((np.where(missing, 0.0, days) - whole) * 24))
    return [np.where(missing, np.nan, part) for part in parts]


def _numbers_in_text(column: Column) -> np.ndarray:
    values = np.empty(len(column.series))
    for row, text in enumerate(column.texts()):
        try:
            values[row] = np.nan if text is None else float(text)
        except ValueError:
            raise TableError(
                f"Column {quoted(column.name)} has {quoted(text)} in row {row}, which is not a number.",
                place=Place(column=column.name),
            ) from None
    return values


def _quantities(column: Column, form: str) -> np.ndarray:
    """Numbers with a unit, or times of day in hours; each text is read once."""
    texts = column.texts()
    found: dict[str | None, float | None] = {text: read_quantity(text, form) for text in set(texts) if text is not None}
    bad = next((text for text in texts if text is not None and found[text] is None), None)
    if bad is not None:
        words = f"Column {quoted(column.name)} has {quoted(bad)}, which is no {form}, as the others are."
        raise TableError(words, place=Place(column=column.name))
    return np.array([np.nan if text is None else found[text] for text in texts], dtype=np.float64)


def _refuse_infinite(column: Column, values: np.ndarray) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        raise TableError(
            f"Column {quoted(column.name)} has an infinite value in row {infinite.argmax()} ({infinite.sum()} in all), "
            "which is not a number to learn from; leave such cells empty, or drop the column.",
            place=Place(column=column.name),
        )
