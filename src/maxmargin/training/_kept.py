"""What has been tuned so far, in a file: a run that was interrupted goes on from there.

The file holds plain JSON and belongs to one table and one set of arguments, of which it has the digest. A file of
another run, or one that cannot be read, is taken for none, and written over.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ._search import SearchResult

_FORMAT = 1
_MOST_BYTES = 100_000_000


def key_of(settings: dict[str, Any], fingerprint: str, version: str) -> str:
    """A digest of all that decides what tuning finds; time and threads are not among it."""
    told = {name: value for name, value in settings.items() if name not in ("minutes", "memory")}
    return hashlib.sha256(json.dumps([_FORMAT, version, fingerprint, told], sort_keys=True).encode()).hexdigest()


class Kept:
    """Families that were tuned, with the seconds that it took.

    Parameters
    ----------
    path : Path or None
        None keeps nothing.
    key : str
        As `key_of` gives it.

    """

    def __init__(self, path: Path | None, key: str) -> None:
        self.path, self._key = path, key
        self._families: dict[str, tuple[SearchResult, float]] = {}
        if path is not None:
            self._families = _read(path, key)
        self.found = tuple(self._families)

    def get(self, family: str) -> tuple[SearchResult, float] | None:
        """What was found, if it was."""
        return self._families.get(family)

    def put(self, family: str, found: SearchResult, seconds: float) -> None:
        """Keep what was found; where nothing can be written, nothing is kept."""
        if self.path is None:
            return
        self._families[family] = found, seconds
        families = {
            name: {
                "params": result.params,
                "fold_scores": result.fold_scores.tolist(),
                "table": result.table,
                "note": result.note,
                "seconds": took,
            }
            for name, (result, took) in self._families.items()
        }
        part = self.path.with_name(self.path.name + ".part")
        try:
            part.write_text(json.dumps({"key": self._key, "families": families}), encoding="utf-8")
            os.replace(part, self.path)
        except OSError:
            self.path = None

    def remove(self) -> None:
        """The training is done."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)


def _read(path: Path, key: str) -> dict[str, tuple[SearchResult, float]]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        said = json.loads(path.read_text(encoding="utf-8"))
        if said["key"] != key:
            return {}
        return {str(name): _result(value) for name, value in said["families"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _result(said: dict[str, Any]) -> tuple[SearchResult, float]:
    """A search as it was; anything else is an error."""
    table = []
    for row in said["table"]:
        plain: dict[str, Any] = {
            "params": _params(row["params"]),
            "fold_scores": [float(score) for score in row["fold_scores"]],
        }
        plain |= {name: float(row[name]) for name in ("score", "std", "seconds")} | {"status": str(row["status"])}
        table.append(plain)
    scores = np.array([float(score) for score in said["fold_scores"]])
    if not len(scores):
        raise ValueError("no scores")
    return SearchResult(_params(said["params"]), scores, table, str(said["note"])), float(said["seconds"])


def _params(said: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, value in said.items():
        if not isinstance(value, (str, int, float, bool, type(None))):
            raise TypeError("no parameter")
        found[str(name)] = value
    return found
