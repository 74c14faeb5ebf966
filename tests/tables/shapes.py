"""Pathological tables of any size: what each reader likes least, to be read or refused in time that grows as they do.

Each shape is a function of the number of bytes, roughly, and what should become of it: "read", "refused", or "either"
where a limit decides by size.
"""

import gzip
import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

SHAPES = {}
ONE_RECORD = 1 << 24  # the longest record that is read


@dataclass(frozen=True)
class Shape:
    """A pathological table: its bytes by size, its format, options of the reader, and what becomes of it."""

    name: str
    make: Any
    format: str | None
    outcome: str
    options: dict = field(default_factory=dict)
    largest: int = 1 << 26


def shape(name, format, outcome, make, largest=1 << 26, **options):
    """Take note of a shape."""
    assert name not in SHAPES and outcome in ("read", "refused", "either")
    SHAPES[name] = Shape(name, make, format, outcome, options, largest)


def fill(head, piece, n, tail=None):
    """A head, a piece as often as it fits into n bytes, and a tail."""
    tail = head[:0] if tail is None else tail
    return head + piece * max(1, (n - len(head) - len(tail)) // len(piece)) + tail


def joined(n, form, separator=b",", each=8):
    """Numbered pieces, for names and keys that are all different."""
    return separator.join(form % i for i in range(max(2, n // each)))


def repeated(head, piece, tail=b""):
    """A shape of one piece again and again."""
    return lambda n: fill(head, piece, n, tail)


# ---------------------------------------------------------------- CSV

shape("csv plain", "csv", "read", repeated(b"a,b,c\n", b"1,2.5,x\n"))
shape("csv line ends in quotes, never even", "csv", "refused", repeated(b"a,b\n", b'"\n",'), largest=ONE_RECORD)
shape("csv line ends in quotes", "csv", "read", repeated(b"a,b\n", b'"\n",1\n'))
shape("csv one quoted cell of line ends", "csv", "either", repeated(b'a,b\n"', b"\n", b'",1\n'), largest=ONE_RECORD)
shape("csv quote never closed", "csv", "refused", repeated(b'a,b\n"', b"x,y\n"), largest=ONE_RECORD)
shape("csv quote never closed, at the end", "csv", "refused", repeated(b"a,b\n", b"1,2\n", b'"'))
shape("csv nothing but quotes", "csv", "either", repeated(b"", b'"'), largest=ONE_RECORD)
shape("csv doubled quotes", "csv", "either", repeated(b'a\n"', b'""', b'"\n'), largest=ONE_RECORD)
shape("csv quotes that mean nothing", "csv", "read", repeated(b"a,b\n", b'5" pipe,3"\n'))
shape("csv quotes after cells", "csv", "either", repeated(b"a,b\n", b'x"y,"\n'), largest=ONE_RECORD)
shape("csv text after closed quotes", "csv", "either", repeated(b"a,b\n", b'"x"y,"a"b\n'))
shape("csv quotes and line ends by turns", "csv", "either", repeated(b"a\n", b'"\n'))
shape("csv quotes, carriage returns", "csv", "either", repeated(b"a,b\r", b'"\r",1\r'))
shape("csv quotes, both line ends", "csv", "either", repeated(b"a,b\r\n", b'"\r\n",1\n"\r",2\r\n'))
shape("csv blank lines", "csv", "refused", repeated(b"", b"\n"))
shape("csv blank lines, then rows", "csv", "read", repeated(b"a,b\n", b"\n", b"1,2\n"))
shape("csv lines of blanks", "csv", "read", repeated(b"a,b\n", b"  \n", b"1,2\n"))
shape("csv carriage returns", "csv", "read", repeated(b"a,b\r", b"1,2\r"))
shape("csv one long cell", "csv", "either", repeated(b"a,b\n", b"x", b",1\n"), largest=ONE_RECORD)
shape("csv one long line of blanks", "csv", "either", repeated(b"a,b\n", b" ", b"1,1\n"), largest=ONE_RECORD)
shape("csv one long number", "csv", "either", repeated(b"a,b\n1,", b"7", b"\n"), largest=ONE_RECORD)
shape("csv long fractions", "csv", "read", repeated(b"a\n", b"0." + b"123456789" * 100 + b"\n"))
shape("csv a long number with thousands", "csv", "either", repeated(b'a,b\n1,"1', b",000", b'"\n'), largest=ONE_RECORD)
shape("csv a long number of dots", "csv", "either", repeated(b"a;b\n1;1", b".000", b",5\n"), largest=ONE_RECORD)
shape("csv long exponents", "csv", "read", repeated(b"a\n", b"1e" + b"0" * 500 + b"1\n"))
shape("csv a long date", "csv", "either", repeated(b"a,b\n1,2020-01-01 10:00:00.", b"1", b"\n"), largest=ONE_RECORD)
shape(
    "csv wide header",
    "csv",
    "either",
    lambda n: joined(n, b"c%d") + b"\n" + b"1," * (max(2, n // 8) - 1) + b"1\n",
    largest=ONE_RECORD,
)
shape("csv wide, empty rows", "csv", "read", lambda n: fill(joined(8000, b"c%d") + b"\n", b"," * 999 + b"\n", n))
shape(
    "csv wide header, names of one sort",
    "csv",
    "refused",
    lambda n: joined(n, b"c%d") + b",c1\n1\n",
    largest=ONE_RECORD,
)
shape(
    "csv wide, dates in doubt at the end",
    "csv",
    "refused",
    lambda n: fill(joined(1600, b"c%d") + b"\n", b"," * 199 + b"\n", n, b",".join([b"1/2/2020"] * 200) + b"\n"),
)
shape(
    "csv wide, decimal commas at the end",
    "csv",
    "refused",
    lambda n: fill(joined(1600, b"c%d", b";") + b"\n", b";" * 199 + b"\n", n, b";".join([b"1,5"] * 200) + b"\n"),
)
shape("csv integers, then text", "csv", "read", repeated(b"a,b\n", b"1,2\n", b"x,y\n"))
shape("csv dates, then text", "csv", "read", repeated(b"a,b\n", b"1.2.2020,2\n", b"x,y\n"))
shape("csv nul at the end", "csv", "refused", repeated(b"a,b\n", b"1,2\n", b"\0,3\n"), largest=1 << 28)
shape("csv nuls", "csv", "refused", repeated(b"a,b\n", b"\0\0\n"))
shape("csv odd byte at the end", "csv", "refused", repeated(b"a,b\n", b"1,\xc3\xa9\n", b"\xff,3\n"), largest=1 << 28)
shape("csv ragged at the end", "csv", "refused", repeated(b"a,b\n", b"1,2\n", b"1,2,3\n"))
shape("csv blank before a quote", "csv", "refused", repeated(b"a,b\n", b'1, "x,y"\n'))
shape("csv byte order marks", "csv", "read", repeated(b"", b"\xef\xbb\xbfa,b\n"))
shape("csv latin-1", "csv", "read", repeated(b"a,b\n", b"\xe9,\xff\n"), encoding="latin-1")
shape("csv utf-16", "csv", "read", lambda n: fill("a,b\n", "é,1\n", n // 2).encode("utf-16"))
shape("csv utf-16, quotes", "csv", "either", lambda n: fill("a,b\n", '"\n",', n // 2).encode("utf-16"))
shape("csv utf-7, never ending", "csv", "refused", repeated(b"a,b\n1,+", b"AOk"), encoding="utf-7", largest=ONE_RECORD)
shape("csv tabs", "csv", "read", repeated(b"a\tb\n", b'1\t"x\t\ny"\n'))
shape("csv backslashes", "csv", "read", repeated(b"a,b\n", b'\\",\\\n'))
shape("csv without header", "csv", "read", repeated(b"", b"1;2\n"), header=False)
shape("csv a number last in text", "csv", "refused", repeated(b"a,b\n", b"1,2\n", b"x,3\n"), types={"a": "number"})
shape(
    "csv a column that is not there",
    "csv",
    "refused",
    lambda n: joined(n, b"column %d") + b"\n1\n",
    columns=["colum"],
    largest=ONE_RECORD,
)
shape("csv long names", "csv", "either", repeated(b"a,", b"x", b"\n1,2\n"), columns=["x" * 5000], largest=ONE_RECORD)
shape("any zeros", None, "refused", repeated(b"", b"\0"), largest=1 << 28)
shape("any colons", None, "either", repeated(b"1 1:1 ", b":"), largest=ONE_RECORD)
shape("any digits", None, "either", repeated(b"1 ", b"1"), largest=ONE_RECORD)

# ---------------------------------------------------------------- JSON lines

_BRACKETS = b'{"a": ' + b"[" * 60
shape("jsonl plain", "jsonl", "read", repeated(b"", b'{"a": 1, "b": "x"}\n'))
shape("jsonl escaped quotes, never closed", "jsonl", "refused", repeated(_BRACKETS + b'"', b'\\"'), largest=ONE_RECORD)
shape("jsonl quotes, never closed", "jsonl", "refused", repeated(_BRACKETS, b'"\\'), largest=ONE_RECORD)
shape("jsonl commas and quotes", "jsonl", "refused", repeated(b'{"a":1', b',"'), largest=ONE_RECORD)
shape("jsonl commas and blanks", "jsonl", "refused", repeated(b'{"a":1', b",          "), largest=ONE_RECORD)
shape("jsonl a new key in each line", "jsonl", "either", lambda n: joined(n, b'{"k%d":1}', b"\n", 12))
shape("jsonl a new nested key in each line", "jsonl", "refused", lambda n: joined(n, b'{"a":{"k%d":1}}', b"\n", 18))
shape(
    "jsonl new keys in one list",
    "jsonl",
    "refused",
    lambda n: b'{"a":[' + joined(n, b'{"k%d":1}', b",", 12) + b"]}\n",
    largest=ONE_RECORD,
)
shape("jsonl new keys after an odd line", "jsonl", "either", lambda n: b"{}{}\n" + joined(n, b'{"k%d":1}', b"\n", 12))
shape(
    "jsonl wide, then nothing", "jsonl", "either", lambda n: fill(b"{" + joined(9000, b'"%d":1') + b"}\n", b"{}\n", n)
)
shape(
    "jsonl one object of many keys",
    "jsonl",
    "either",
    lambda n: b"{" + joined(n, b'"%d":1', each=9) + b"}\n",
    largest=ONE_RECORD,
)
shape("jsonl one key again and again", "jsonl", "refused", repeated(b'{"a":0', b',"a":1', b"}\n"), largest=ONE_RECORD)
shape(
    "jsonl deep",
    "jsonl",
    "refused",
    lambda n: b'{"a":' + b"[" * (n // 2) + b"]" * (n // 2) + b"}\n",
    largest=ONE_RECORD,
)
shape("jsonl deep over lines", "jsonl", "refused", lambda n: b'{"a":' + b"[\n" * (n // 4) + b"]\n" * (n // 4) + b"}\n")
shape(
    "jsonl deep objects", "jsonl", "refused", lambda n: b'{"a":' * (n // 6) + b"1" + b"}" * (n // 6), largest=ONE_RECORD
)
shape("jsonl brackets never closed", "jsonl", "refused", repeated(b"", b'{"a": [1\n'))
shape("jsonl brackets in text", "jsonl", "read", repeated(b"", b'{"a": "[[[{{{\\"[["}\n'))
shape("jsonl one long text", "jsonl", "either", repeated(b'{"a": "', b"x", b'"}\n'), largest=ONE_RECORD)
shape("jsonl one long number", "jsonl", "either", repeated(b'{"a": 1', b"0", b"}\n"), largest=ONE_RECORD)
shape("jsonl long fractions", "jsonl", "read", repeated(b"", b'{"a": 0.' + b"123456789" * 100 + b"}\n"))
shape("jsonl one long key", "jsonl", "either", repeated(b'{"', b"k", b'": 1}\n'), largest=ONE_RECORD)
shape("jsonl backslashes", "jsonl", "either", repeated(b'{"a": "', b"\\\\", b'"}\n'), largest=ONE_RECORD)
shape("jsonl escapes", "jsonl", "either", repeated(b'{"a": "', b"\\u0041\\ud83d\\ude00", b'"}\n'), largest=ONE_RECORD)
shape("jsonl blank lines", "jsonl", "refused", repeated(b"", b" \r\n"))
shape("jsonl an array", "jsonl", "refused", repeated(b"[", b'{"a": 1},\n', b"{}]"))
shape("jsonl another sort at the end", "jsonl", "refused", repeated(b"", b'{"a": 1}\n', b'{"a": "x"}\n'))
shape("jsonl several in a line", "jsonl", "either", repeated(b"", b'{"a": 1} '), largest=ONE_RECORD)
shape("jsonl times", "jsonl", "read", repeated(b"", b'{"a": "2020-01-01 10:00:00"}\n'))
shape("jsonl carriage returns", "jsonl", "read", repeated(b"", b'{"a": 1}\r'))
shape("jsonl utf-16", "jsonl", "read", lambda n: fill("", '{"a": "é"}\n', n // 2).encode("utf-16"))

# ---------------------------------------------------------------- LIBSVM text

shape("libsvm plain", "libsvm", "read", repeated(b"", b"+1 1:0.5 3:2\n"))
shape(
    "libsvm one long row", "libsvm", "either", lambda n: b"1 " + joined(n, b"%d:1", b" ", 9) + b"\n", largest=ONE_RECORD
)
shape(
    "libsvm descending",
    "libsvm",
    "either",
    lambda n: b"1 " + b" ".join(b"%d:1" % i for i in range(n // 9 + 2, 0, -1)) + b"\n",
    largest=ONE_RECORD,
)
shape("libsvm an index twice, at the end", "libsvm", "refused", repeated(b"", b"1 1:1 2:2\n", b"1 7:1 7:1\n"))
shape("libsvm one index again and again", "libsvm", "refused", repeated(b"1 ", b"3:1 ", b"\n"), largest=ONE_RECORD)
shape("libsvm comments", "libsvm", "read", repeated(b"", b"1 1:2 # 3:4 # 5:6\n"))
shape("libsvm one long comment", "libsvm", "either", repeated(b"1 1:2 ", b"#", b"\n"), largest=ONE_RECORD)
shape("libsvm one long number", "libsvm", "either", repeated(b"1 1:", b"7", b"\n"), largest=ONE_RECORD)
shape("libsvm long numbers", "libsvm", "read", repeated(b"", b"1 1:0." + b"7" * 700 + b"\n"))
shape("libsvm one long index", "libsvm", "refused", repeated(b"1 ", b"7", b":1\n"), largest=ONE_RECORD)
shape("libsvm labels alone", "libsvm", "read", repeated(b"", b"1\n"))
shape("libsvm colons", "libsvm", "refused", repeated(b"1 1:1 ", b":"), largest=ONE_RECORD)
shape("libsvm blanks", "libsvm", "either", repeated(b"1 ", b" \t", b"1:1\n"), largest=ONE_RECORD)
shape("libsvm blank lines", "libsvm", "refused", repeated(b"", b"\r\n"))
shape("libsvm a wrong token at the end", "libsvm", "refused", repeated(b"", b"1 1:1 2:2\n", b"1 x:1\n"))

# ---------------------------------------------------------------- Parquet and Arrow


def parquet(table, **options):
    """A table as Parquet."""
    file = io.BytesIO()
    pa.parquet.write_table(table, file, **options)
    return file.getvalue()


def arrow(table, **options):
    """A table as an Arrow file."""
    file = io.BytesIO()
    pa.feather.write_feather(table, file, **options)
    return file.getvalue()


def wide(n):
    """Two rows of many columns."""
    return pa.table([pa.array([1, 2])] * max(2, n // 16), names=[f"c{i}" for i in range(max(2, n // 16))])


def random_numbers(n):
    """Numbers that cannot be packed."""
    return pa.table({"a": np.random.default_rng(0).random(max(2, n // 8))})


def texts(n):
    """Texts that are all different."""
    return pa.table({"a": [f"text {i}" for i in range(max(2, n // 8))]})


def one_long_text(n):
    """A column of as many rows as its only text has letters, half of n."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(max(2, n // 2), dtype=np.int32)), ["x" * (n // 2)])


def stream(n):
    """An Arrow stream of batches of one row, each with a dictionary of its own."""
    file = io.BytesIO()
    with pa.ipc.new_stream(file, pa.schema([("a", pa.dictionary(pa.int32(), pa.string()))])) as writer:
        for i in range(max(2, n // 500)):
            writer.write_batch(pa.record_batch([pa.array([f"x{i}"]).dictionary_encode()], names=["a"]))
    return file.getvalue()


shape("parquet plain", "parquet", "read", lambda n: parquet(random_numbers(n)))
shape("parquet one number", "parquet", "either", lambda n: parquet(pa.table({"a": np.zeros(n)})), largest=1 << 25)
shape("parquet many columns", "parquet", "either", lambda n: parquet(wide(n)), largest=1 << 21)
shape("parquet many row groups", "parquet", "read", lambda n: parquet(random_numbers(n // 8), row_group_size=4))
shape(
    "parquet a dictionary of one long text",
    "parquet",
    "either",
    lambda n: parquet(pa.table({"a": one_long_text(n)})),
    largest=1 << 15,  # writing it takes a time of n * n
)
shape(
    "parquet texts that repeat each other",
    "parquet",
    "either",
    lambda n: parquet(
        pa.table({"a": ["x" * (n // 8)] * 8}), use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"}
    ),
)
shape("parquet many row groups of text", "parquet", "read", lambda n: parquet(texts(n // 8), row_group_size=4), 1 << 21)
shape("arrow a dictionary of one long text", "arrow", "either", lambda n: arrow(pa.table({"a": one_long_text(n)})))
shape("parquet one text", "parquet", "either", lambda n: parquet(pa.table({"a": ["x" * 1000] * max(1, n // 100)})))
shape(
    "parquet gzip pages of zeros",
    "parquet",
    "either",
    lambda n: parquet(pa.table({"a": np.zeros(n)}), compression="gzip", use_dictionary=False),
)
shape(
    "parquet zstd pages of one letter",
    "parquet",
    "either",
    lambda n: parquet(pa.table({"a": ["x" * 1000] * max(1, n // 10)}), compression="zstd", use_dictionary=False),
    largest=1 << 21,
)
shape("arrow plain", "arrow", "read", lambda n: arrow(random_numbers(n), compression="uncompressed"))
shape("arrow many columns", "arrow", "either", lambda n: arrow(wide(n)), largest=1 << 21)
shape("arrow many batches", "arrow", "read", lambda n: arrow(random_numbers(n // 16), chunksize=4), largest=1 << 21)
shape("arrow lz4 of zeros", "arrow", "either", lambda n: arrow(pa.table({"a": np.zeros(n)}), compression="lz4"))
shape("arrow stream of dictionaries", "arrow", "read", stream, largest=1 << 21)

# ---------------------------------------------------------------- gzip

_BOMB = 1000  # gzip packs this many bytes into one
shape(
    "gzip csv of one row",
    "csv",
    "either",
    lambda n: gzip.compress(fill(b"a,b\n", b"1,2\n", n * _BOMB // 16), mtime=0),
    largest=1 << 22,
)
shape(
    "gzip jsonl of one row",
    "jsonl",
    "either",
    lambda n: gzip.compress(fill(b"", b'{"a": 1}\n', n * _BOMB // 16), mtime=0),
    largest=1 << 22,
)
shape("gzip of zeros", None, "refused", lambda n: gzip.compress(bytes(n * _BOMB // 16), mtime=0), largest=1 << 22)
shape("gzip of a parquet file of zeros", None, "either", lambda n: gzip.compress(parquet(pa.table({"a": np.zeros(n)}))))
shape("gzip of nothing, again and again", "csv", "either", lambda n: gzip.compress(b"", mtime=0) * (n // 20) + _ROWS)
shape("gzip, cut short", "csv", "refused", lambda n: gzip.compress(_rows(n), mtime=0)[:-9])
shape("gzip, damaged at the end", "csv", "refused", lambda n: gzip.compress(_rows(n), mtime=0)[:-8] + bytes(8))

_ROWS = gzip.compress(b"a,b\n1,2\n", mtime=0)


def _rows(n):
    return b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i % 9973) for i in range(n // 10))
