"""What a training has to say beside its figures, once."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Numbers as they are printed, of which folds and candidates have others.
_FIGURE = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf|nan)(?!\w)")


def without_repetitions(notes: Sequence[str]) -> list[str]:
    """The first of those that are alike but for their figures, and how many more there were."""
    alike: dict[str, list[str]] = {}
    for note in notes:
        others = alike.setdefault(_FIGURE.sub("#", note), [])
        others.append(note)
    return [_counted(first, len(rest)) for first, *rest in alike.values()]


def _counted(note: str, more: int) -> str:
    return note if not more else f"{note} ({more} more like this, of other folds or candidates.)"
