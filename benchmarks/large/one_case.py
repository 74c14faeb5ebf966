"""One case: all contenders, one after the other, and a line of the table for each as soon as it is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import table
from ..options import Options
from ..parts import Part
from ..progress import say
from .cases import Case
from .child import ask, total_memory
from .contenders import CONTENDERS, Told
from .results import Results

MEMORY = 0.75  # the share of the machine's memory that a contender may take
_LEAST = 60.0  # seconds that everybody gets

READING = """Kernel machines of many rows: seconds of one fit, its peak of memory with the data, accuracy on the tenth
held out. "gap" is proven, relative to the exact optimum, which lies between the bounds (or sampled, with its
probability); "objective" is the exact one of a function of landmarks, by the referee. "ratio" is a contender's time
over that of LargeSVC; of who is stopped, because that is so many times as long, it is a lower bound (">").
scikit-learn has as many landmarks as LargeSVC, or as memory holds."""
_HEADER = ["who", "seconds", "ratio", "MB", "accuracy", "landmarks", "gap", "objective", "exact optimum", "remarks"]


def case_part(case: Case, results: Results) -> Part:
    """The case as a part of a run."""

    def measured(options: Options) -> tuple[str, Any]:
        record = measure(case, options, results)
        return case_text(case, record), record

    return measured


def measure(case: Case, options: Options, results: Results) -> dict[str, Any]:
    """The numbers of those who are asked; what is measured already is taken from the results."""
    record: dict[str, Any] = {}
    for who in case.contenders:
        if options.contenders is not None and who not in options.contenders:
            continue
        if options.spent > 1 and results.known(case.name, who) is None:
            record[who] = {"failed": "left out: no time is left (see --minutes)"}
            continue
        first = results.known(case.name, "ours") or {}
        told = Told(first.get("seconds"), first.get("landmarks"), MEMORY * total_memory())
        limit = _limit(case, who, told.seconds)

        def fitted(who: str = who, told: Told = told, limit: float = limit) -> dict[str, Any]:
            say(f"{case.name}: {CONTENDERS[who].name}, {limit:.0f} s at most")
            return ask(who, case, options, told, limit)

        record[who] = results.get(case.name, who, fitted)
        say(f"  {' '.join(line(CONTENDERS[who].name, record[who], told.seconds))}")
    return record


def _limit(case: Case, who: str, first: float | None) -> float:
    patience = CONTENDERS[who].patience
    if patience is None or first is None:
        return 60 * case.minutes * (1.2 if case.limited else 1.0)
    return max(_LEAST, patience * first)


def line(name: str, found: Mapping[str, Any], first: float | None) -> list[str]:
    """One row of the table."""
    if "failed" in found:
        stopped = found.get("stopped")
        if stopped is None or first is None:
            return [name, found["failed"]]
        return [name, f">{table.seconds(stopped)}", table.ratio(stopped / first, at_least=True), found["failed"]]
    bounds, confidence = found["bounds"], found["confidence"]
    gap = None if bounds is None else (bounds[1] - bounds[0]) / max(abs(bounds[1]), abs(bounds[0]), 1e-300)
    sampled = "" if confidence == 1 else f"bound sampled, holds with probability 1 - {1 - confidence:.0e}; "
    value, method = found["objective"], found["words"].split(":")[0]
    return [
        name,
        table.seconds(found["seconds"]),
        table.ratio(None if first is None else found["seconds"] / first),
        table.megabytes(found["peak"]),
        f"{found['accuracy']:.2%}",
        table.count(found["landmarks"]),
        table.small(gap),
        table.MISSING if value is None else f"{value:.7g}",
        table.MISSING if bounds is None else f"{bounds[0]:.7g} to {bounds[1]:.7g}",
        sampled + method,
    ]


def case_text(case: Case, record: Mapping[str, Mapping[str, Any]]) -> str:
    """The table of a case."""
    first = record.get("ours", {}).get("seconds")
    shape = next((found["shape"] for found in record.values() if "shape" in found), None)
    rows = "" if shape is None else f", {shape[0]} x {shape[1]}"
    lines = [line(CONTENDERS[who].name, found, first) for who, found in record.items()]
    reason = record.get("ours", {}).get("words", "")
    asked = f"{case.name}{rows}, C={case.C:g}, gamma={case.gamma}, gap {case.gap:g}, memory={case.memory:g} MB"
    return f"{asked}\n{table.render(_HEADER, lines, left=['who', 'remarks'])}\n  LargeSVC: {reason}\n"
