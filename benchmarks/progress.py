"""Lines on standard error that say what runs now. Results go to standard output."""

import sys
import time

_START = time.perf_counter()


def elapsed() -> float:
    """Seconds since the benchmark began."""
    return time.perf_counter() - _START


def say(text: str) -> None:
    minutes, seconds = divmod(int(elapsed()), 60)
    print(f"[{minutes:02d}:{seconds:02d}] {text}", file=sys.stderr, flush=True)
