"""Tables: columns of any data frame as plain arrays (all that is known of pandas, polars, pyarrow), and sparse rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from importlib.util import find_spec
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from ..messages import Place, quoted
from ._errors import TableError

BLANK = " \t\n\v\f\r"
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True)
class Column:
    """One column: its name, what it holds ("number", "bool", "date", "text", "missing"), and access to its values."""

    name: str
    type: str
    series: Any  # of narwhals, or a list of Python objects, or an array of numbers
    whole: bool = False  # integers

    def numbers(self) -> np.ndarray:
        """Float64, NaN where a value is missing."""
        if isinstance(self.series, np.ndarray):
            return self.series.astype(np.float64, copy=False)
        if isinstance(self.series, list):
            return np.array([np.nan if _none(value) else float(value) for value in self.series], dtype=np.float64)
        if self.type == "missing":
            return np.full(len(self.series), np.nan)
        missing = self.missing()
        series = self.series.fill_null(False if self.type == "bool" else 0) if missing.any() else self.series
        # By numpy, which rounds integers beyond 2^53; Arrow would refuse them. A copy: NaN is written into it.
        plain = self.whole or self.type == "bool"
        values = np.array((series if plain else series.cast(nw.Float64)).to_numpy(), dtype=np.float64)
        values[missing] = np.nan
        return values

    def missing(self) -> np.ndarray:
        """True where there is no value: null, NaN, and in text nothing but blanks."""
        if isinstance(self.series, np.ndarray):
            return np.isnan(self.series) if self.series.dtype.kind == "f" else np.zeros(len(self.series), dtype=bool)
        if isinstance(self.series, list):
            return np.array([_none(value) for value in self.series], dtype=bool)
        if self.type == "missing":
            return np.ones(len(self.series), dtype=bool)
        return np.asarray(self.series.is_null().to_numpy(), dtype=bool)

    def distinct(self) -> int:
        """How many different values there are; integers beyond 2^53 count as they are, not as float64."""
        if isinstance(self.series, list) and self.whole:
            return len({int(value) for value in self.series if not _none(value)})
        if isinstance(self.series, list) and self.type != "number":
            present = [value for value in self.series if not _none(value)]
            return len({str(value) for value in present} if self.type == "text" else set(present))
        if isinstance(self.series, np.ndarray | list):
            values = self.numbers() if isinstance(self.series, list) else self.series
            return len(np.unique(values[~self.missing()]))
        return int(self.series.drop_nulls().n_unique())

    def texts(self) -> list[str | None]:
        """Strings, None where a value is missing; numbers as they are written, 3.0 as 3."""
        if self.type != "text":
            return labels(self.numbers(), self.type)
        if isinstance(self.series, list):
            return [None if _none(value) or not (text := str(value)).strip(BLANK) else text for value in self.series]
        values = self.series.to_list()
        missing = self.missing()
        if missing.any():
            for i in np.flatnonzero(missing):
                values[i] = None
        return [value if value and value.strip(BLANK) else None for value in values]

    def text_bytes(self) -> tuple[np.ndarray, bytes]:
        """The length of each text in UTF-8, -1 where it is missing, and all of them one after the other."""
        if find_spec("pyarrow") is None or isinstance(self.series, list):
            encoded = [None if text is None else text.encode() for text in self.texts()]
            lengths = np.array([-1 if text is None else len(text) for text in encoded], dtype=np.int64)
            return lengths, b"".join(text for text in encoded if text)
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = self.series.to_arrow().cast(pa.large_string())
        texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
        blank = pc.equal(pc.ascii_trim_whitespace(texts), "")
        texts = pc.if_else(blank, pa.scalar(None, pa.large_string()), texts)
        lengths = np.asarray(pc.fill_null(pc.binary_length(texts), -1), dtype=np.int64)
        present = pc.drop_null(texts)
        _, offsets, data = present.buffers()
        if not len(present):
            return lengths, b""
        places = np.frombuffer(offsets, dtype=np.int64)[present.offset : present.offset + len(present) + 1]
        return lengths, data.slice(int(places[0]), int(places[-1] - places[0])).to_pybytes()

    def instants(self) -> np.ndarray:
        """Days since 1970 with the time of day as a fraction, NaN where a value is missing."""
        if self.type == "missing":
            return np.full(len(self.series), np.nan)
        if isinstance(self.series, list):
            return np.array([np.nan if _none(value) else _micro(value) / _DAY for value in self.series])
        series, missing = self.series, self.missing()
        if series.dtype == nw.Date:
            series = series.cast(nw.Datetime("us"))
        stamps = series.dt.timestamp("us")
        stamps = np.array((stamps.fill_null(0) if missing.any() else stamps).cast(nw.Int64).to_numpy(), dtype=np.int64)
        days = stamps / _DAY
        days[missing] = np.nan
        return days


def labels(values: np.ndarray, type: str) -> list[str | None]:
    """Numbers as strings, each distinct one written once."""
    distinct, which = np.unique(values, return_inverse=True)
    written = [_label(value, type) for value in distinct.tolist()]
    return [written[i] for i in which.tolist()]


def _label(value: float, type: str) -> str | None:
    if np.isnan(value):
        return None
    if type == "bool":
        return str(bool(value))
    return str(int(value)) if value.is_integer() else repr(value)


def _none(value: object) -> bool:
    """Whether a Python object stands for nothing: None, NaN, NaT, pandas' NA."""
    return value is None or (
        not isinstance(value, str) and (type(value).__name__ in ("NAType", "NaTType") or value != value)
    )


def _micro(value: Any) -> int:
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    return int(
        np.datetime64(moment.replace(tzinfo=None) - (moment.utcoffset() or moment - moment), "us").astype(np.int64)
    )


def is_frame(X: Any) -> bool:
    """Whether X has named columns. The class is asked: polars warns when a lazy frame itself is."""
    return any(hasattr(type(X), name) for name in ("columns", "column_names", "__dataframe__"))


def columns_of(X: Any, read: Collection[str] | None = None) -> list[Column]:
    """The columns of a data frame, or of a 2-D array under the names x0, x1, ...

    Of a data frame, columns that are not among those that are `read` may hold anything.
    """
    if sp.issparse(X):
        raise TypeError("Sparse rows have no columns to read; make_preparation takes a SparseTable as it is.")
    if not is_frame(X):
        return _of_array(X)
    frame = frame_of(X)
    names = [str(name) for name in frame.columns]
    columns = zip(names, map(frame.get_column, frame.columns), strict=True)
    return [
        _of_series(name, series) if read is None or name in read else Column(name, "not read", series)
        for name, series in columns
    ]


def frame_of(X: Any) -> Any:
    """A data frame of any library as one of narwhals, its columns of different names."""
    try:
        frame = nw.from_native(X, allow_series=False)
    except (TypeError, ValueError) as error:
        if len(set(map(str, getattr(X, "columns", ())))) < len(getattr(X, "columns", ())):
            _distinct([str(name) for name in X.columns])
        raise TypeError(f"A data frame or a 2-D array is needed; got {type(X).__name__}.") from error
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    _distinct([str(name) for name in frame.columns])
    return frame


def _distinct(names: list[str]) -> None:
    seen: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        if name in seen:
            words = f"Columns {seen[name]} and {place} are both named {quoted(name)}: rename one of them."
            raise TableError(words, place=Place(column=name))
        seen[name] = place


def _of_array(X: Any) -> list[Column]:
    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead: a data frame or an array of rows and columns is "
            "needed. Reshape your data either using array.reshape(-1, 1) or array.reshape(1, -1)."
        )
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported.")
    if array.dtype.kind in "biuf":
        kind, whole = ("bool" if array.dtype.kind == "b" else "number"), array.dtype.kind in "iu"
        return [Column(f"x{j}", kind, array[:, j], whole) for j in range(array.shape[1])]
    if array.dtype.kind == "M":
        return [Column(f"x{j}", "date", array[:, j].astype("M8[us]").tolist()) for j in range(array.shape[1])]
    return [_of_objects(f"x{j}", array[:, j].tolist()) for j in range(array.shape[1])]


def _of_series(name: str, series: Any) -> Column:
    dtype = series.dtype
    if dtype.is_numeric():
        return Column(name, "number", series, dtype.is_integer())
    if dtype == nw.Boolean:
        return Column(name, "bool", series)
    if dtype in (nw.Datetime, nw.Date):
        return Column(name, "date", series)
    if dtype == nw.String:
        return Column(name, "text", series)
    if dtype in (nw.Categorical, nw.Enum):
        return _of_objects(name, series.to_list())
    if dtype in (nw.Object, nw.Unknown, nw.Time, nw.Duration):
        return _of_objects(name, series.to_list())
    raise TableError(
        f"Column {quoted(name)} holds {dtype}, which is not a number, date or text: convert it or leave it out.",
        place=Place(column=name),
    )


def _of_objects(name: str, values: list[Any]) -> Column:
    """A column of Python objects, by what they are; of more than one sort, as text.

    Times of day are text, and durations are seconds, as those of files are.
    """
    values = [_plain(value) for value in values]
    present = [value for value in values if not _none(value)]
    sorts = {_sort(value) for value in present}
    if sorts - {"number", "bool", "date", "text"}:
        bad = next(value for value in present if _sort(value) not in ("number", "bool", "date", "text"))
        raise TableError(
            f"Column {quoted(name)} holds {type(bad).__name__} objects, which are not numbers, dates or text: "
            "convert it or leave it out.",
            place=Place(column=name),
        )
    type_ = sorts.pop() if len(sorts) == 1 else "text" if sorts else "missing"
    whole = type_ == "number" and all(isinstance(value, int | np.integer) for value in present)
    return Column(name, type_, values, whole)


def _plain(value: Any) -> Any:
    if isinstance(value, time):
        return value.isoformat()
    if isinstance(value, timedelta) and not _none(value):
        return value.total_seconds()
    return value


def _sort(value: object) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, Real) or type(value).__name__ == "Decimal":
        return "number"
    return "date" if isinstance(value, date) else "other"


def named(columns: Iterable[Column]) -> dict[str, Column]:
    """Columns by name."""
    return {column.name: column for column in columns}


@dataclass(frozen=True)
class SparseTable:
    """Rows and labels of a LIBSVM file.

    Attributes
    ----------
    X : scipy CSR array of float64 of shape (n_samples, n_features)
        The rows.
    y : ndarray of float64 of shape (n_samples,)
        The number at the beginning of each line.

    """

    X: sp.csr_array
    y: np.ndarray

    def __len__(self) -> int:
        return len(self.y)
