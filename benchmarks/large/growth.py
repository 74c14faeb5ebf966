"""Time and memory of `LargeSVC` against the number of rows, at a fixed number of landmarks."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import memory, table
from ..growth import exponent
from ..options import SEED, Options
from ..parts import Part
from ..progress import say
from .cases import made
from .child import alone, total_memory, watched
from .contenders import Clock
from .results import Results

SIZES = (50_000, 150_000, 500_000, 1_500_000, 5_000_000)
_COLUMNS, _GAMMA, _LANDMARKS, _MEMORY, _LIMIT = 6, 0.03, 100, 4000.0, 240.0
_HEADER = ["rows", "seconds", "MB beside X", "landmarks", "gap", "remarks"]


def part(results: Results) -> Part:
    """The growth as a part of a run."""

    def measured(options: Options) -> tuple[str, Any]:
        record = {}
        for n in (size // 50 for size in SIZES) if options.quick else SIZES:

            def fitted(n: int = n) -> dict[str, Any]:
                say(f"growth: {n} rows")
                return watched(_answer, (n,), 2 * _LIMIT, 0.75 * total_memory())

            record[n] = results.get("growth", str(n), fitted)
        return text(record), {str(n): found for n, found in record.items()}

    return measured


def _answer(pipe: Any, n: int) -> None:
    from maxmargin.svm import LargeSVC

    alone()
    try:
        X, y = made(n, _COLUMNS, np.random.default_rng(SEED))
        model = LargeSVC(gamma=_GAMMA, method="landmarks", n_landmarks=_LANDMARKS, memory=_MEMORY, time_limit=_LIMIT)
        model.fit(X[:1000], y[:1000])
        before = memory.resident()
        with Clock(lambda: pipe.send("fits")) as clock:
            model.fit(X, y)
        proof = model.certificate_
        pipe.send(
            {
                "seconds": clock.seconds,
                "peak": max(clock.peak - before, 0.1),
                "landmarks": len(model.support_),
                "gap": proof.relative_gap,
                "confidence": proof.confidence,
            }
        )
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1].name
        pipe.send({"failed": f"{type(error).__name__}: {error} (in {where})"})


def text(record: Mapping[int, Mapping[str, Any]]) -> str:
    """The table, and the exponents of n."""
    lines = []
    for n, found in record.items():
        if "failed" in found:
            lines.append([str(n), found["failed"]])
            continue
        sampled = "" if found["confidence"] == 1 else f"sampled, probability 1 - {1 - found['confidence']:.0e}"
        figures = table.seconds(found["seconds"]), table.megabytes(found["peak"]), str(found["landmarks"])
        lines.append([str(n), *figures, table.small(found["gap"]), sampled])
    done = {n: found for n, found in record.items() if "failed" not in found}
    powers = [
        f"{name} as n^{table.ratio(exponent({n: found[key] for n, found in done.items()}))}"
        for name, key in (("seconds", "seconds"), ("memory beside X", "peak"))
    ]
    limits = f"memory={_MEMORY:g} MB, time_limit={_LIMIT:g} s"
    head = f"growth: {_COLUMNS} columns, gamma={_GAMMA:g}, {_LANDMARKS} landmarks, {limits}"
    return f"{head}\n{table.render(_HEADER, lines, left=['remarks'])}\n  Growth: {', '.join(powers)}\n"
