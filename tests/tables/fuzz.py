"""Malformed tables: bytes of valid files, changed at random. Each is read, or refused with `TableError`.

``python -m tests.tables.fuzz --count 10000 --seed 0`` runs the whole of it; the tests run a part. A file that makes
anything else of the reader is written beside with its number, so that it can be tried again.
"""

import argparse
import contextlib
import gzip
import io
import random
import resource
import signal
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from maxmargin.tables import ColumnReader, SparseTable, TableError, describe_table, fingerprint, read_table, scan_table

SECONDS = 20  # for one table of a few kilobytes; they take milliseconds
PIECES = (
    *(
        b"",
        b",",
        b";",
        b"\t",
        b"|",
        b'"',
        b'""',
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xe9",
    ),
    *(b"NA", b"nan", b"inf", b"-inf", b"1e999", b"-", b"?", b"0x1f", b"1,5", b"1.234,5", b"1 234", b"007", b"true"),
    *(b"99999999999999999999", b"2020-02-30", b"31/12/2020", b"1/2/2020", b"2020-01-01T00:00:00Z", b"9999-12-31"),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'{"a": [1]}',
        b'{"a": {"b": 1}}',
        b'{"a": 1, "a": 2}',
        b"null",
        b"[" * 2000,
        b'"\\ud800"',
    ),
    *(
        b"1:1",
        b"0:1",
        b"-1:1",
        b"4294967296:1",
        b"qid:3",
        b"#",
        b":",
        b"1:",
        b":1",
        "é€😀".encode(),
        b"x" * 5000,
        b" " * 300,
    ),
)


def valid_files():
    """(name, format, bytes) of small tables in every format."""
    rows = 12
    table = pa.table(
        {
            "id": list(range(rows)),
            "city": ["Rome", "Oslo, N", None, 'the "Hague"'] * 3,
            "age": [31.5, None, 25.0, 4e-9] * 3,
            "day": pa.array([18000 + i for i in range(rows)], pa.date32()),
            "ok": [True, False, None, True] * 3,
            "wide": pa.array(["a", "b", "a", None] * 3).dictionary_encode(),
        }
    )
    plain = table.set_column(5, "wide", table["wide"].cast(pa.string()))
    out = {}
    for name, write in {
        "csv": lambda file: pa.csv.write_csv(plain, file),
        "parquet": lambda file: pa.parquet.write_table(table, file, compression="snappy"),
        "parquet2": lambda file: pa.parquet.write_table(plain, file, compression="gzip", use_dictionary=False),
        "arrow": lambda file: pa.feather.write_feather(table, file, compression="uncompressed"),
        "arrow2": lambda file: pa.feather.write_feather(plain, file, compression="lz4"),
    }.items():
        file = io.BytesIO()
        write(file)
        out[name] = (name.rstrip("2"), file.getvalue())
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table, max_chunksize=5)
    out["stream"] = ("arrow", stream.getvalue())
    out["semicolon"] = ("csv", "größe;name;when\n1,5;a;1.2.2020\n2,5;b;13.4.2021\n?;;\n".encode())
    out["quoted"] = ("csv", b'a,b\r\n"x\r\ny",1\r\n"p ""q"" r",2\r\n5" pipe,3\r\n' * 2)
    out["utf16"] = ("csv", "a,b\n1,é\n2,x\n".encode("utf-16"))
    out["jsonl"] = (
        "jsonl",
        b"".join(b'{"a": %d, "b": "x%d", "c": null, "d": "2020-01-0%d"}\n' % (i, i, i) for i in range(1, 9)),
    )
    out["libsvm"] = ("libsvm", b"+1 1:0.5 3:2 # note\n-1 2:1 7:1e-3\n\n1\n-1 1:3 2:4 9:1\n")
    out["gzip"] = ("csv", gzip.compress(out["csv"][1], mtime=0))
    return [(name, format, data) for name, (format, data) in out.items()]


def mutate(data, rng):
    """The bytes with one change, or a few: bits, bytes, pieces put in, cut out, repeated, moved, or the end missing."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3, 6))):
        at, other = (rng.randrange(len(data) + 1) for _ in range(2))
        low, high = min(at, other), max(at, other)
        match rng.randrange(10):
            case 0 if data:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            case 1 if data:
                data[rng.randrange(len(data))] = rng.choice((0, 255, 127, 128, *b'",;\n\r\t:{}[]0-'))
            case 2 | 3:
                data[at:at] = rng.choice(PIECES)
            case 4:
                del data[low : min(high, low + rng.choice((1, 2, 8, 100)))]
            case 5:
                data[at:at] = data[low : min(high, low + 200)]
            case 6:
                data[low : min(high, low + 20)] = rng.choice(PIECES)
            case 7 if rng.random() < 0.3:
                del data[at:]
            case 8 | 9 if len(data) > 8:  # a count or a place of a binary file that is absurd
                place = rng.randrange(len(data) - 8)
                size = rng.choice((1, 2, 4, 8))
                data[place : place + size] = rng.choice((0, 1, 2**31 - 1, 2**32 - 1, 2**63 - 1, -1, -2)).to_bytes(
                    9, "little", signed=True
                )[:size]
    return bytes(data)


def case(number, seed, files):
    """Name, format (or None), bytes and options of one malformed table."""
    rng = random.Random(f"{seed}/{number}")
    name, format, data = files[number % len(files)]
    data = mutate(data, rng)
    if name == "gzip" and rng.random() < 0.5:  # the damage within
        data = gzip.compress(mutate(files[0][2], rng), mtime=0)
    options = {}
    if format == "csv" and rng.random() < 0.5:
        options = rng.choice(
            ({"header": False}, {"header": True}, {"decimal": ","}, {"encoding": "latin-1"}, {"day_first": True})
        )
    return name, rng.choice((None, format)), data, options


def attempt(data, format, options, rng_rows=5):
    """What becomes of a table: "read" or "refused"; anything else comes out as the exception that it is."""
    try:
        table = read_table(io.BytesIO(data), format=format, **options)
    except TableError as error:
        assert "\n" not in str(error) and 10 < len(str(error)) < 1000, str(error)
        outcome = "refused"
    else:
        outcome = "read"
        fingerprint(table)
        describe_table(table)
        if not isinstance(table, SparseTable):
            assert table.num_rows > 0 and table.num_columns > 0
            table.validate(full=True)
            with contextlib.suppress(TableError):
                ColumnReader().fit_transform(table)
    with contextlib.suppress(TableError):
        chunks = list(scan_table(io.BytesIO(data), format=format, rows=rng_rows, **options))
        if not isinstance(chunks[0], SparseTable):
            assert all(chunk.schema == chunks[0].schema for chunk in chunks)
            assert outcome == "refused" or sum(chunk.num_rows for chunk in chunks) == table.num_rows
    return outcome


def run(count, seed, keep=None):
    """Try `count` malformed tables; how often each format was read and refused."""
    files, tally = valid_files(), Counter()

    def stop(signum, frame):
        raise AssertionError(f"no answer within {SECONDS} seconds")

    previous = signal.signal(signal.SIGALRM, stop)
    try:
        for number in range(count):
            name, format, data, options = case(number, seed, files)
            if keep is not None:
                keep.write_bytes(data)  # is there even if the process dies
            signal.alarm(SECONDS)
            try:
                tally[name, attempt(data, format, options)] += 1
            except BaseException as error:
                place = Path(f"malformed-{seed}-{number}.{name}")
                if keep is not None:
                    place.write_bytes(data)
                raise AssertionError(f"{place}: {type(error).__name__}: {error}; {format=}, {options=}") from error
            finally:
                signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, previous)
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--last", type=Path, default=None, help="where to keep the table that is being tried")
    asked = parser.parse_args()
    warnings.simplefilter("error")
    begin = time.perf_counter()
    tally = run(asked.count, asked.seed, asked.last)
    for name in sorted({name for name, _ in tally}):
        print(f"{name:10} read {tally[name, 'read']:5}   refused {tally[name, 'refused']:5}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{sum(tally.values())} malformed tables, {time.perf_counter() - begin:.0f} s, at most {memory:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
