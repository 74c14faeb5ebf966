"""Required ratios, and whether they are reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import table


@dataclass(frozen=True)
class Target:
    """A ratio that a case is to reach; None if it could not be measured.

    With ``at_least`` the peer was stopped before it was done: its time, and so the ratio, is larger than that.
    """

    case: str
    of: str
    against: str
    ratio: float | None
    required: float
    at_least: bool = False

    @property
    def word(self) -> str:
        return table.verdict(self.ratio, self.required, self.at_least) or "not measured"


def targets_text(targets: Sequence[Target], quick: bool = False) -> str:
    """All of them, and how many are reached; what could not be measured is not."""
    rows = [
        (t.case, t.of, t.against, table.ratio(t.ratio, t.at_least), table.ratio(t.required), t.word) for t in targets
    ]
    text = table.render(("targets", "of", "against", "ratio", "required", ""), rows, left=("of", "against", ""))
    reached = sum(t.word == "ok" for t in targets)
    remark = "; they are meant for the full sizes, not for --quick" if quick else ""
    return f"{text}\n  {reached} of {len(rows)} reached{remark}\n"
