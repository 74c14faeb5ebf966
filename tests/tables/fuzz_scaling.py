"""Time against size: how reading a pathological table takes longer as it grows, by `read_table` and by `scan_table`.

``python -m tests.tables.fuzz_scaling`` fits ``time = c * size ** exponent`` for every shape of `shapes.py`, on sizes
that double, and fails where an exponent is 1.2 or more: reading has to be linear. Times are processor time, the least
of several runs, and sizes are such that what every call takes (a millisecond or so) does not hide the rest.
"""

import argparse
import gc
import io
import sys
import time

import numpy as np
from tests.tables.shapes import ONE_RECORD, SHAPES

from maxmargin.tables import TableError, read_table, scan_table

MOST = 1.2
SMALLEST = 1 << 10
ENOUGH = 0.15  # seconds: no larger size is needed
SLOW = 60.0  # seconds for one table: hopeless
AS_MEMORY = 1e-9  # seconds a byte: as fast as bytes are copied, where caches make the time jump


def consume(shape, data, chunks):
    """Read a table, whole or by chunks; "read" or the error that refuses it."""
    try:
        if chunks:
            for _ in scan_table(io.BytesIO(data), format=shape.format, **shape.options):
                pass
        else:
            read_table(io.BytesIO(data), format=shape.format, **shape.options)
    except TableError as error:
        return f"refused: {error}"
    return "read"


def seconds(shape, data, chunks):
    """Processor time, and what became of the table."""
    gc.collect()
    begin = time.process_time()
    outcome = consume(shape, data, chunks)
    return time.process_time() - begin, outcome


def measure(shape, chunks, runs, window, enough=ENOUGH):
    """Sizes, times and the last outcome: one run of each size until it takes long enough, more of the largest."""
    tables, times, n = [], [], SMALLEST
    while n <= shape.largest:
        tables.append(shape.make(n))
        took, outcome = seconds(shape, tables[-1], chunks)
        times.append(took)
        if took > SLOW or (took > enough and len(times) > window):
            break
        n *= 2
    for place in range(-min(window, len(times)), 0):
        for _ in range(runs - 1 if times[place] < SLOW / 20 else 0):
            times[place] = min(times[place], seconds(shape, tables[place], chunks)[0])
    return np.array([len(table) for table in tables], float), np.array(times), outcome


def exponent(sizes, times, window):
    """The slope of log time over log size of the largest sizes; 0 where the size never matters, or hardly."""
    if times[-1] < 3 * times[0] or times[-1] < AS_MEMORY * sizes[-1]:
        return 0.0
    return float(np.polyfit(np.log(sizes[-window:]), np.log(times[-window:]), 1)[0])


def judged(shape, chunks, runs):
    """Exponent, largest size, its time and the outcome.

    The last four sizes count, which are beyond the steps of a second block and of caches; of single records, which have
    a largest size that lies there, the last six. What fails is measured again, on larger sizes: on a busy machine a
    time can be off, and where the first block costs nothing, or a limit is met at last, the first sizes do not tell.
    """
    window = 6 if shape.largest == ONE_RECORD else 4
    for attempt in range(3):
        sizes, times, outcome = measure(shape, chunks, runs + 2 * attempt, window, ENOUGH * 8**attempt)
        slope = exponent(sizes, times, window)
        if slope < MOST or times[-1] > SLOW:
            break
    return slope, sizes[-1], times[-1], outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="shapes whose name has this in it")
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    gc.freeze()  # what has been imported need not be gone through before every measurement
    worst, bad, begin = 0.0, [], time.perf_counter()
    chosen = [shape for name, shape in SHAPES.items() if asked.only in name]
    for shape in chosen:
        for chunks in (False, True):
            slope, size, took, outcome = judged(shape, chunks, asked.runs)
            worst = max(worst, slope)
            how = "scan" if chunks else "read"
            print(f"{shape.name:42} {how} {size / 1e6:7.2f} MB {took:7.3f} s  {slope:5.2f}  {outcome[:90]}")
            sys.stdout.flush()
            if slope >= MOST or (shape.outcome != "either" and not outcome.startswith(shape.outcome)):
                bad.append(f"{shape.name} ({how}): exponent {slope:.2f}, {outcome[:60]}")
    print(f"{len(chosen)} shapes, read and scanned: largest exponent {worst:.2f}, {time.perf_counter() - begin:.0f} s")
    for line in bad:
        print("FAILED", line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
