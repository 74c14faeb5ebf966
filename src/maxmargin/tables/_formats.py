"""Which format a file has: by what it begins with, then by its extension, then by its first line."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePath

from ..messages import Argument, quoted
from ._errors import TableError
from ._source import Source

FORMATS = ("csv", "parquet", "arrow", "jsonl", "libsvm")
_EXTENSIONS = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".psv"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc", ".arrows"), "arrow"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".libsvm", ".svm", ".svmlight"), "libsvm"),
}
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_LIBSVM_LINE = re.compile(rb"\s*[+-]?[\d.]+(e[+-]?\d+)?(\s+(qid:\d+|\d+:[^\s:]+))+\s*(#.*)?", re.IGNORECASE)
_NAMES = {
    "csv": "a CSV",
    "parquet": "a Parquet",
    "arrow": "an Arrow",
    "jsonl": "a JSON lines",
    "libsvm": "a LIBSVM text",
}


def find_format(source: Source, asked: str | None) -> str:
    """One of `FORMATS`."""
    if asked is not None and asked not in FORMATS:
        raise TableError(f"There is no format {asked!r}; it can be {', '.join(FORMATS)}.", argument="format")
    if not source.head:
        raise TableError(f"{source.name} is empty: there is nothing in it.", place=source.place)
    extension = _EXTENSIONS.get(_extension(source.name))
    binary = next((name for magic, name in _MAGIC.items() if source.head.startswith(magic)), None)
    expected = asked or extension
    if binary is None and expected in ("parquet", "arrow"):
        raise TableError(
            f"{source.name} is not {_NAMES[expected]} file: it begins with "
            f"{quoted(source.head[:20].decode('latin-1'))}; say ",
            Argument("format", _by_content(source.head)),
            " if that is what it is.",
            place=source.place,
        )
    if binary is not None and asked not in (None, binary):
        words = f"{source.name} is {_NAMES[binary]} file by what it begins with: say "
        raise TableError(words, Argument("format", binary), ".", place=source.place)
    return binary or expected or _by_content(source.head)


def _extension(name: str) -> str:
    path = PurePath(name.lower())
    return PurePath(path.stem).suffix if path.suffix in (".gz", ".gzip") else path.suffix


def _by_content(head: bytes) -> str:
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        head = head.decode("utf-16", errors="replace").encode(errors="replace")
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"{"):
        return "jsonl"
    if len(head) > 1000 and not re.search(rb"[\r\n]", text):  # the first line goes on; its last word may not be whole
        text = text.rpartition(b" ")[0] or text
    lines = [line for line in re.split(rb"[\r\n]+", text, maxsplit=10)[:5] if line.strip() and line.strip()[:1] != b"#"]
    return "libsvm" if lines and _LIBSVM_LINE.fullmatch(lines[0]) else "csv"
