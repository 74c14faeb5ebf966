"""How times grow: the exponent of a power law, and its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from . import table

Times = dict[str, dict[int, float]]  # of each contender: size -> seconds


def exponent(measured: Mapping[int, float]) -> float | None:
    """The k of seconds = c n^k by least squares in logarithms; None from fewer than two sizes."""
    if len(measured) < 2:
        return None
    return float(np.polyfit(np.log(list(measured)), np.log(list(measured.values())), 1)[0])


def growth_text(head: str, symbol: str, sizes: Sequence[int], times: Times, absent: Mapping[str, str]) -> str:
    """A row a contender: seconds at each size, the exponent, and why sizes are missing."""
    rows: list[Sequence[str]] = []
    for name, measured in times.items():
        why = absent.get(name, "") if len(measured) < len(sizes) else ""
        if measured:
            cells = [table.seconds(measured.get(size)) for size in sizes]
            rows.append((name, *cells, table.ratio(exponent(measured)), why))
        else:
            rows.append((name, why or "not run"))
    header = (f"seconds at {symbol} =", *map(str, sizes), "exponent", "")
    return f"{head}\n{table.render(header, rows, left=('',))}\n"


def growth_record(sizes: Sequence[int], times: Times) -> dict:
    """The same for the JSON file."""
    return {
        "sizes": list(sizes),
        "seconds": times,
        "exponent": {name: exponent(measured) for name, measured in times.items()},
    }
