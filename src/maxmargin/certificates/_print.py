"""A certificate in words: plain text for a terminal, a small table for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._certificate import Certificate


def _lines(worst: Certificate, problems: Sequence[Certificate]) -> list[tuple[str, str]]:
    lines = []
    if len(problems) > 1:
        lines.append(("problems", f"{len(problems)}, of which the worst is shown ({worst.label})"))
    seconds = sum(c.seconds for c in problems) or worst.seconds
    iterations = sum(c.iterations for c in problems) or worst.iterations
    return [
        *lines,
        ("status", str(worst.status)),
        *_of_matrix(worst),
        ("dual <= optimum <= primal", f"{worst.dual:.10g} <= optimum <= {worst.primal:.10g}"),
        ("relative gap", f"{worst.relative_gap:.2e}"),
        ("largest KKT violation", f"{worst.kkt_violation:.2e}"),
        ("iterations", f"{iterations}"),
        ("seconds", f"{seconds:.3g}"),
    ]


def _of_matrix(worst: Certificate) -> list[tuple[str, str]]:
    """What the lower bound rests on, where that does not follow from the formula of the kernel."""
    words = {
        "shown": "positive semi-definite, as its factorisation shows",
        "assumed": "ASSUMED to be positive semi-definite: the lower bound rests on it",
        "fails": "not positive semi-definite: nothing bounds the optimum from below",
    }
    return [("kernel matrix", words[worst.definiteness])] if worst.definiteness in words else []


def as_text(worst: Certificate, problems: Sequence[Certificate]) -> str:
    """Aligned lines for a terminal."""
    return text_table(_lines(worst, problems))


def as_html(worst: Certificate, problems: Sequence[Certificate]) -> str:
    """A table for a notebook."""
    return html_table(_lines(worst, problems))


def text_table(lines: Sequence[tuple[str, str]]) -> str:
    """Names and values in two columns."""
    return "\n".join(["Certificate", *(f"  {name:<26}{value}" for name, value in lines)])


def html_table(lines: Sequence[tuple[str, str]]) -> str:
    """Names and values as a table; both may come from a user's labels, and are escaped."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in lines
    )
    return f"<table><caption>Certificate</caption>{rows}</table>"
