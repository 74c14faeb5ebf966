"""`read_table` and `scan_table`: files of all formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..messages import Argument
from ._errors import TableError, need_pyarrow
from ._formats import find_format
from ._limits import Limits
from ._source import Progress, Source
from ._types import MISSING, AsWritten, wanted_types

if TYPE_CHECKING:
    from ._csv import CsvOptions

# Which formats an option is for; elsewhere it is refused and not ignored.
_FOR = {
    "columns": ("csv", "parquet", "arrow", "jsonl"),
    "types": ("csv", "parquet", "arrow", "jsonl"),
    "delimiter": ("csv",),
    "header": ("csv",),
    "decimal": ("csv",),
    "day_first": ("csv",),
    "missing": ("csv",),
    "encoding": ("csv", "jsonl", "libsvm"),
    "features": ("libsvm",),
    "zero_based": ("libsvm",),
}


@dataclass(frozen=True)
class _Options:
    """What the caller says, checked."""

    columns: Sequence[str] | None = None
    types: Any = None
    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    decimal: str | None = None
    day_first: bool | None = None
    missing: Sequence[str] | None = None
    features: int | None = None
    width: int | None = None
    zero_based: bool | None = None
    max_columns: float | None = None
    max_bytes: float | None = None
    max_expansion: float | None = None

    def limits(self) -> Limits:
        limits = Limits(self.max_columns, self.max_bytes, self.max_expansion)
        limits.check()
        return limits

    def check(self, format: str) -> None:
        for name, formats in _FOR.items():
            if getattr(self, name) is not None and format not in formats:
                raise TableError(Argument(name), f" is for {', '.join(formats)}, and the table is {format}.")
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or self.delimiter in '"\r\n\0' or ord(self.delimiter) > 127
        ):
            raise TableError(Argument("delimiter", self.delimiter), " is not one character such as ',', ';' or '\\t'.")
        if self.decimal not in (None, ".", ","):
            raise TableError(Argument("decimal", self.decimal), " is neither '.' nor ','.")
        if isinstance(self.columns, str):
            raise TableError(Argument("columns", self.columns), " is one string; give a list of names.")
        if self.columns is not None and not (self.columns and len(set(self.columns)) == len(self.columns)):
            raise TableError(Argument("columns"), " has to name at least one column, and each once.")
        if self.features is not None and self.features < 1:
            raise TableError(Argument("features", self.features), " is less than 1.")

    def csv(self) -> CsvOptions:
        from ._csv import CsvOptions
        from ._narrow import CellFormat

        missing = tuple(MISSING if self.missing is None else ("", *self.missing))
        cell_format = CellFormat(missing, self.decimal or ".", self.day_first)
        return CsvOptions(
            self.delimiter, self.header, self.encoding, cell_format, self.columns, wanted_types(self.types)
        )


def read_table(source: Any, *, format: str | None = None, progress: Progress | None = None, **options: Any) -> Any:
    """Read a table from a file.

    Parameters
    ----------
    source : path, "-" or binary file object
        What to read; "-" is standard input. Whether it is compressed with gzip is seen by itself.
    format : {"csv", "parquet", "arrow", "jsonl", "libsvm"}, default=None
        By default, what the file begins with decides, then its extension, then its first line.
    progress : callable, default=None
        Called with the number of bytes read and the size of the file, or None where that is unknown.
    columns : list of str
        The columns to read, in this order. All by default.
    types : dict of str to {"number", "integer", "bool", "date", "text"}, or ColumnReader, or table
        What columns hold, instead of finding out. Of a fitted reader or a table that was read before, columns that it
        does not have are read unchanged: as text as it is written (``{"json": "number"}`` in the metadata of the field
        tells numbers of JSON, ``"value"`` lists and objects), and in Parquet and Arrow files, which know their types,
        as the types that they have.
    delimiter : str
        Of a CSV file; by default, the one of comma, tab, semicolon and bar that fits its first lines.
    header : bool
        Whether the first line has the names of the columns. By default it has to, and one that looks like data is
        refused. Without header, columns are x0, x1, ...
    encoding : str
        Of text; UTF-8 by default.
    decimal : {".", ","}
        The decimal mark of a CSV file.
    day_first : bool
        Whether 1/2/2026 is the first of February.
    missing : list of str
        Cells of a CSV file that stand for a missing value, instead of `MISSING`.
    features : int
        The number of columns of LIBSVM text; by default, its largest index tells.
    width : int
        The same where the table is LIBSVM text; other tables may be given it, too, and tell by themselves.
    zero_based : bool
        Whether its indices begin with 0; by default, if any of them is 0.
    max_columns : int
        The most columns: 100,000 by default. Of LIBSVM text, whose rows are sparse, 10^8, and no more than 8 million or
        25 for each byte of the file.
    max_bytes : int
        The most bytes of memory that the table may take; by default, as many as the machine has.
    max_expansion : float
        The most bytes read for each byte stored, of what grows beyond 64 MB: gzip, compressed or repeated cells of
        Parquet and Arrow, and keys that few lines of JSON have. By default 200; ``math.inf`` is no limit.

    Returns
    -------
    pyarrow.Table or SparseTable
        Columns of bool, int64, float64, timestamp in microseconds, or string; `SparseTable` of LIBSVM text.

    Raises
    ------
    TableError
        If the file cannot be read as it is, with file, line and column, and what would do.
    TableLimitError
        If it asks for more than a limit allows; its ``limit`` is the argument that sets it.

    Examples
    --------
    >>> import io
    >>> from maxmargin.tables import read_table
    >>> table = read_table(io.BytesIO(b"city;size;since\\nOslo;1,5;2021-03-01\\nRome;?;2019-12-24\\n"), decimal=",")
    >>> table.schema
    city: string
    size: double
    since: timestamp[us]
    >>> table["size"].to_pylist()
    [1.5, None]

    """
    need_pyarrow()
    chosen = _Options(**options)
    with Source(source, progress, chosen.limits()) as opened:
        kind = find_format(opened, format)
        chosen.check(kind)
        return _contents(opened, kind, chosen, None, progress)


def scan_table(
    source: Any, *, format: str | None = None, rows: int = 65536, progress: Progress | None = None, **options: Any
) -> Iterator[Any]:
    """Read a table by chunks, for files larger than memory.

    Parameters
    ----------
    source, format, progress
        As in `read_table`.
    rows : int, default=65536
        Of a chunk; the last one has fewer.
    **options
        As in `read_table`; ``max_bytes`` is of a chunk. Without ``types``, columns of text formats have the types that
        the first chunk suggests, integers as float64, and a later cell that does not fit is an error.

    Returns
    -------
    iterator of pyarrow.Table or SparseTable
        Every chunk has the same columns of the same types.

    Examples
    --------
    >>> import io
    >>> from maxmargin.tables import scan_table
    >>> file = io.BytesIO(b"a,b\\n" + b"1,x\\n" * 5)
    >>> [chunk.num_rows for chunk in scan_table(file, rows=2)]
    [2, 2, 1]

    """
    need_pyarrow()
    if rows < 1:
        raise TableError(Argument("rows", rows), " is less than 1.")
    chosen = _Options(**options)
    opened = Source(source, progress, chosen.limits())
    try:
        kind = find_format(opened, format)
        chosen.check(kind)
    except BaseException:
        opened.close()
        raise
    return _Chunks(opened, _chunks(opened, kind, chosen, rows, progress))


def scan_written(source: Any, types: Any, **options: Any) -> Iterator[tuple[Any, Any]]:
    """`scan_table` with the types of a reader: chunks, and their columns that it reads as they are written.

    These are text with the blanks that it has and with its own words for what is missing, numbers of JSON as text (see
    `read_table`), and columns of Parquet and Arrow files, where they are not of the same type already, as their own.
    """
    from ._rows import split_written

    for chunk in scan_table(source, types=AsWritten(types), **options):
        yield split_written(chunk)


class _Chunks:
    """Chunks of a source that is closed after the last of them, or when nobody asks for more."""

    def __init__(self, opened: Source, chunks: Iterator[Any]) -> None:
        self._opened, self._chunks = opened, chunks

    def __iter__(self) -> _Chunks:
        return self

    def __next__(self) -> Any:
        return next(self._chunks)

    def close(self) -> None:
        self._opened.close()

    def __del__(self) -> None:
        self.close()


def _chunks(opened: Source, kind: str, chosen: _Options, rows: int, progress: Progress | None) -> Iterator[Any]:
    with opened:
        yield from _contents(opened, kind, chosen, rows, progress)


def _contents(opened: Source, kind: str, chosen: _Options, rows: int | None, progress: Progress | None) -> Any:
    """The whole table, or an iterator over tables of so many rows. Readers are imported here: they need pyarrow."""
    from ._columnar import read_columnar, scan_columnar
    from ._csv import read_csv, scan_csv
    from ._jsonl import read_jsonl, scan_jsonl
    from ._libsvm import read_libsvm, scan_libsvm

    read: Any
    scan: Any
    given: tuple[Any, ...]
    if kind == "csv":
        read, scan, given = read_csv, scan_csv, (chosen.csv(),)
    elif kind == "jsonl":
        read, scan = read_jsonl, scan_jsonl
        given = chosen.columns, wanted_types(chosen.types), chosen.encoding
    elif kind == "libsvm":
        features = chosen.width if chosen.features is None else chosen.features
        read, scan, given = read_libsvm, scan_libsvm, (features, chosen.zero_based, chosen.encoding)
    else:
        read, scan, given = read_columnar, scan_columnar, (kind, chosen.columns, wanted_types(chosen.types), progress)
    return read(opened, *given) if rows is None else scan(opened, *given, rows)
