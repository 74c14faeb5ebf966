"""The parts of a benchmark, one after the other, each printed as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
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


def _too_late(options: Options, name: str) -> bool:
    late = options.spent > 1
    if late:
        say(f"{name}: left out")
        print(f"{name}: left out, the {options.minutes:.0f} minutes for this are over (see --minutes)\n", flush=True)
    return late
