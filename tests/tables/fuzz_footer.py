"""Parquet files whose footers are changed at random: each is read or refused with `TableError`, and no process dies.

An exception of C++ that pyarrow does not catch ends the process, so that the files are read in processes of their own.
``python -m tests.tables.fuzz_footer --count 10000 --seed 0`` runs many of them and prints the numbers of those that
ended one.
"""

import argparse
import contextlib
import io
import random
import resource
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from maxmargin.tables import TableError, read_table, scan_table

SECONDS = 20  # for one file of a few kilobytes


def files():
    """Small Parquet files of several codecs, encodings and kinds of columns, in several row groups."""
    rows = 60
    numbers, texts = np.arange(rows), [f"v{i % 5}" for i in range(rows)]
    flat = pa.table({"a": numbers % 7, "s": texts, "f": np.zeros(rows), "n": [None, 1.5] * (rows // 2)})
    nested = pa.table({"a": numbers, "s": texts, "l": [[1, 2], None] * (rows // 2), "d": [{"x": {"y": 1}}] * rows})
    packed = pa.table({"a": numbers, "s": pa.array(texts).dictionary_encode()})
    out = []
    for codec in ("none", "snappy", "gzip", "zstd"):
        for table, options in (
            (flat, {"use_dictionary": False}),
            (flat, {"use_dictionary": False, "column_encoding": {"s": "DELTA_BYTE_ARRAY"}, "write_page_index": True}),
            (flat, {"data_page_version": "2.0"}),
            (nested, {}),
            (packed, {"store_schema": codec != "gzip"}),
        ):
            file = io.BytesIO()
            pa.parquet.write_table(table, file, compression=codec, row_group_size=25, **options)
            out.append(file.getvalue())
    return out


def case(number, seed, valid):
    """The bytes of one file with one change to its footer, or a few; now and then to its pages."""
    rng = random.Random(f"{seed}/{number}")
    data = bytearray(valid[number % len(valid)])
    footer = int.from_bytes(data[-8:-4], "little")
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(data) - 8 - footer, len(data) - 4) if rng.random() < 0.9 else rng.randrange(len(data))
        match rng.randrange(8):
            case 0 | 1:
                data[at] = rng.randrange(256)
            case 2 | 3:
                data[at] ^= 1 << rng.randrange(8)
            case 4 | 5:  # a type, or the length of a list
                data[at] = (
                    data[at] & 15 | rng.randrange(16) << 4
                    if rng.random() < 0.5
                    else data[at] & 240 | rng.choice((3, 5, 6, 8, 9, 12))
                )
            case 6:
                data[at : at + 4] = b"\xfe\xff\xff\xff"
            case 7:
                data[at : at + 1] = b"\xff\xff\xff\xff\x0f"[: rng.randrange(1, 6)]
    return bytes(data)


def attempt(data):
    """Read all of it, the columns that are not nested, and in chunks: "read" or "refused" for the whole."""
    outcome = "refused"
    with contextlib.suppress(TableError):
        read_table(io.BytesIO(data), format="parquet")
        outcome = "read"
    with contextlib.suppress(TableError):
        read_table(io.BytesIO(data), format="parquet", columns=["a", "s"])
        outcome = "read"
    with contextlib.suppress(TableError):
        for _ in scan_table(io.BytesIO(data), format="parquet", columns=["s"], rows=7):
            pass
    return outcome


def child(first, last, seed):
    """Try the files of these numbers, and print a line for each, and at last the most memory that was held."""
    valid = files()
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"no answer within {SECONDS} seconds"))
    for number in range(first, last):
        signal.alarm(SECONDS)
        print(attempt(case(number, seed, valid)), flush=True)
    signal.alarm(0)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10))


def run(count, seed):
    """Try `count` files: how often each outcome was there, what ended a process by number, and the most megabytes."""
    tally, ended, most, number = Counter(), {}, 0, 0
    while number < count:
        command = [sys.executable, "-m", "tests.tables.fuzz_footer", "--child", str(number), str(count)]
        command += ["--seed", str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
        lines = done.stdout.split()
        outcomes = [line for line in lines if not line.isdigit()]
        tally.update(outcomes)
        number += len(outcomes)
        if done.returncode:
            ended[number] = f"{done.returncode}: {done.stderr.strip()[-300:]}"
            number += 1
        else:
            most = max(most, int(lines[-1]))
    return tally, ended, most


def main():
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child, options.seed)
        return 0
    tally, ended, most = run(options.count, options.seed)
    print(dict(tally), f"at most {most} MB", *(f"\n{number}: {words}" for number, words in ended.items()))
    return bool(ended)


if __name__ == "__main__":
    sys.exit(main())
