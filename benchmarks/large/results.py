"""What has been measured, kept in a file after each fit: an interrupted run loses nothing, and ``--resume`` goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..options import Options
from ..progress import say

FOLDER = Path(__file__).resolve().parents[2] / "build" / "bench"


@dataclass
class Results:
    """Numbers of each fit, by case and contender."""

    path: Path
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Options, folder: Path = FOLDER) -> Results:
        path = folder / ("large_quick.json" if options.quick else "large.json")
        results = cls(path)
        if options.resume and path.exists():
            results.kept = json.loads(path.read_text())
            say(f"goes on from {path}")
        return results

    def get(self, case: str, who: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What is known of it, else what `measure` says, which is kept."""
        key = f"{case} {who}"
        if key not in self.kept:
            self.kept[key] = measure()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = self.path.with_suffix(".new")
            new.write_text(json.dumps(self.kept, indent=1) + "\n")
            new.replace(self.path)
        return self.kept[key]

    def known(self, case: str, who: str) -> dict[str, Any] | None:
        return self.kept.get(f"{case} {who}")
