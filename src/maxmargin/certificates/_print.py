"""A certificate in words: plain text for a terminal, a small table for a notebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from html import escape
from math import isfinite, isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._certificate import Certificate


# What was not computed: of a fit that was interrupted at once, or of a model whose parts contradict each other.
_UNKNOWN = "unknown"
# What a certificate says of the kernel matrix where the kernel's formula does not say it.
KERNEL_MATRIX = {
    "shown": "positive semi-definite up to a shift that primal counts in: shown",
    "assumed": "positive semi-definite: assumed",
    "fails": "NOT positive semi-definite: no bound from below",
}


# Words in the names of figures that bound something, from above and from below.
_ABOVE, _BELOW = {"most", "bound", "gap", "radius", "primal"}, {"least", "margin", "dual"}


def rounded_down(value: float | Fraction, digits: int = 10) -> str:
    """A figure to so many digits, of which none is above it: printed, a lower bound is still one."""
    return _rounded(value, digits, ROUND_FLOOR)


def rounded_up(value: float | Fraction, digits: int = 10) -> str:
    """A figure to so many digits that is not below it."""
    return _rounded(value, digits, ROUND_CEILING)


def rounding_of(name: str) -> Callable[[float, int], str] | None:
    """How a figure of this name is rounded where it is shown: one that bounds something, to its own side."""
    words = set(name.split())
    if words & _ABOVE:
        return rounded_up
    return rounded_down if words & _BELOW else None


def sampled_words(confidence: float) -> str:
    """What is said of a lower bound that holds with a probability below 1."""
    return f"holds with probability 1 - {1 - confidence:.2g}, not proven"


def _rounded(value: float | Fraction, digits: int, direction: str) -> str:
    if not isfinite(value) or value == 0:
        return f"{float(value):g}"
    exact = Fraction(value)
    shown = Context(prec=digits, rounding=direction).divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return f"{shown:.{digits}g}" if -5 <= shown.adjusted() < digits else f"{shown:.{digits - 1}e}"


def _lines(worst: Certificate, problems: Sequence[Certificate], note: str) -> list[tuple[str, str]]:
    lines = []
    if len(problems) > 1:
        lines.append(("problems", f"{len(problems)}, of which the worst is shown ({worst.label})"))
    seconds = sum(c.seconds for c in problems) or worst.seconds
    iterations = sum(c.iterations for c in problems) or worst.iterations
    interval = f"{rounded_down(worst.dual)} <= optimum <= {rounded_up(worst.primal)}"
    if isnan(worst.dual) or isnan(worst.primal):
        nothing = "nothing could be recomputed of this model and these data"
        interval = f"unknown: {nothing if worst.status.value == 'refuted' else 'no bounds were computed'}"
    elif worst.definiteness == "assumed":
        interval += ", if the kernel is positive semi-definite (assumed)"
    if worst.assumes:
        interval += ", if the assumption holds"
        lines.append(("assumed, not proven", worst.assumes))
    if worst.definiteness != "known":
        lines.append(("kernel matrix", KERNEL_MATRIX[worst.definiteness]))
    confidence = min(c.confidence for c in (worst, *problems))
    if confidence < 1:
        lines.append(("lower bound sampled", sampled_words(confidence)))
    bound = worst.averaged
    if bound is not None:
        made = f"B = {bound.radius:.3g}, rho = {bound.lipschitz:.3g}, {bound.steps} steps"
        expected = "" if bound.certain else ", in expectation"
        best = "above the best weights of length up to B"
        lines.append(("mean of the steps", f"at most {rounded_up(bound.bound, 4)} {best}{expected} ({made})"))
    return [
        *lines,
        ("status", str(worst.status)),
        ("dual <= optimum <= primal", interval),
        ("relative gap", f"{_figure(worst.relative_gap)}{_of_nothing(worst)}"),
        ("largest KKT violation", _figure(worst.kkt_violation)),
        ("iterations", f"{iterations}"),
        ("seconds", seconds_text(seconds)),
        *([("note", note)] if note else []),
    ]


def seconds_text(seconds: float) -> str:
    """Three figures, and all before the point."""
    return f"{seconds:.3g}" if seconds < 999.5 else f"{seconds:.0f}"


def _figure(value: float) -> str:
    return _UNKNOWN if isnan(value) else f"{value:.2e}"


def _of_nothing(worst: Certificate) -> str:
    """That a gap is as large as the optimum itself, where there is no telling that from zero."""
    if str(worst.status) != "converged" or not worst.dual <= 0 <= worst.primal or worst.relative_gap < 1:
        return ""
    return ", as always where 0 is between the bounds; see the violation"


def as_text(worst: Certificate, problems: Sequence[Certificate], note: str = "") -> str:
    """Aligned lines for a terminal."""
    return text_table(_lines(worst, problems, note))


def as_html(worst: Certificate, problems: Sequence[Certificate], note: str = "") -> str:
    """A table for a notebook."""
    return html_table(_lines(worst, problems, note))


def text_table(lines: Sequence[tuple[str, str]]) -> str:
    """Names and values in two columns."""
    width = max([25, *(len(name) + 1 for name, _ in lines)])
    return "\n".join(["Certificate", *(f"  {name:<{width}} {value}" for name, value in lines)])


def html_table(lines: Sequence[tuple[str, str]]) -> str:
    """Names and values as a table; both may come from a user's labels, and are escaped."""
    rows = "".join(
        f"<tr><th style='text-align:left;padding-right:1em'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in lines
    )
    return f"<table><caption>Certificate</caption>{rows}</table>"
