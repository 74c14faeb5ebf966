"""The parts of a benchmark, one after the other, each printed as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from .options import Options
from .progress import say

Part = Callable[[Options], tuple[str, Any]]  # gives its text, and its numbers for the JSON file


def run_parts(options: Options, parts: Mapping[str, Part], also: Collection[str] = ()) -> dict[str, Any]:
    """Run what was asked for, and `also` these; returns the numbers of each part."""
    record: dict[str, Any] = {}
    for name, part in parts.items():
        if (options.wants(name) or name in also) and not _too_late(options, name):
            text, record[name] = part(options)
            print(text, flush=True)
    return record


def run_cases(
    options: Options,
    cases: Sequence[Any],
    run_case: Callable[[Any, Options], Any],
    text: Callable[[Any], str],
    raw: Callable[[Any], Any],
) -> tuple[list[Any], dict[str, Any]]:
    """Run the cases that were asked for; their results, and the numbers of each."""
    results: list[Any] = []

    def part(case: Any) -> Part:
        def measure(options: Options) -> tuple[str, Any]:
            results.append(run_case(case, options))
            return text(results[-1]), raw(results[-1])

        return measure

    return results, run_parts(options, {case.name: part(case) for case in cases})


def _too_late(options: Options, name: str) -> bool:
    late = options.spent > 1
    if late:
        say(f"{name}: left out")
        print(f"{name}: left out, the {options.minutes:.0f} minutes for this are over (see --minutes)\n", flush=True)
    return late
