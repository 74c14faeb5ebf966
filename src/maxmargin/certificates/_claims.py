"""Whether claimed figures are reproduced when they are computed again, to a tolerance that belongs to the checker.

A file brings its claims and its own ``tol``; what they are compared to is decided here, and nothing in a file changes
it. Both sides are rounded, and a caller that can bound the rounding says so.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ._rounding import TINY

if TYPE_CHECKING:
    from ._certificate import Certificate

# Share of the larger objective that a claimed figure may be off by.
REPRODUCED = 1e-6

# What is computed of rounding errors alone, such as the move of a centre that stands still, is another each time.
_ROUNDING = 1e-9

WORDS = {
    "primal": "primal objective",
    "dual": "dual objective",
    "gap": "duality gap",
    "relative_gap": "relative gap",
    "kkt_violation": "largest violation",
}
# Beside the figures, what a claim may be wrong in.
ALL_WORDS = {**WORDS, "confidence": "confidence"}


def not_reproduced(
    claim: Certificate,
    found: Certificate,
    *,
    share: float = REPRODUCED,
    rounding: float = 0.0,
    violation_slack: float = REPRODUCED,
) -> tuple[str, ...]:
    """Names of the claimed figures that `found` does not have.

    Parameters
    ----------
    claim, found : Certificate
        What was said, and what was computed again.
    share : float
        The share of the larger objective that a figure may be off by.
    rounding : float
        What rounding may have done to an objective beside that.
    violation_slack : float
        What the violation may be off by; it has the unit of decision values, and no objective to be compared with.

    A figure that is not finite claims nothing and is passed over; whether a status may go with it is not asked here.
    A lower bound that is weaker than the one found is not a false one; but figures have to agree among themselves.
    So does a lower bound that was sampled; but what holds with a probability below 1 has not converged.

    """
    size = max((abs(value) for value in (found.primal, found.dual) if isfinite(value)), default=0.0)
    slack = share * size + rounding
    allowed = {
        "primal": slack,
        "dual": slack,
        "gap": slack,
        "relative_gap": share + (rounding / size if size > 0 else rounding),
        "kkt_violation": violation_slack,
    }
    # what the claim says more than was found: of an upper figure that it is less, of the lower one that it is more
    excess = {name: getattr(claim, name) - getattr(found, name) for name in allowed}
    excess |= {name: abs(excess[name]) for name in ("primal", "kkt_violation")}
    excess |= {name: -excess[name] for name in ("gap", "relative_gap")}
    wrong = [name for name, most in allowed.items() if isfinite(getattr(claim, name)) and not excess[name] <= most]
    if all_finite(claim) and not _is_consistent(claim):
        wrong.append("gap")
    if claim.dual > found.primal:  # both intervals contain the optimum, or one of them is false
        wrong.append("dual")
    if claim.primal < found.dual:
        wrong.append("primal")
    if not (claim.confidence == 1 or (0 < claim.confidence < 1 and str(claim.status) != "converged")):
        wrong.append("confidence")
    return tuple(wrong)


def _is_consistent(claim: Certificate) -> bool:
    """Whether the gaps of a claim are those of its two objectives."""
    if not isfinite(claim.primal - claim.dual):
        return not isfinite(claim.gap) and not isfinite(claim.relative_gap)
    size, gap = max(abs(claim.primal), abs(claim.dual)), claim.primal - claim.dual
    if size == 0:
        return claim.gap == claim.relative_gap == 0
    last = 2.0**-50  # the last bits of the objectives
    share, more = gap / size, 1e-9 + 2 * TINY / size  # a gap is rounded up, which is much among subnormal numbers
    stated = gap >= 0 and claim.gap >= gap * (1 - 1e-9) - last * size
    stated = stated and claim.relative_gap >= share * (1 - 1e-9) - last
    return stated and claim.gap - gap <= 1e-9 * size + 2 * TINY and claim.relative_gap - share <= more


def figures_reproduced(claimed: dict[str, float], found: dict[str, float]) -> bool:
    """Whether the figures that a guarantee was given with are those of a guarantee that was made again.

    Figures that only one of the two has are passed over: some are computed where labels are at hand.
    """
    shared = [(claimed[name], found[name]) for name in claimed if name in found]
    return all(was == now or abs(was - now) <= REPRODUCED * abs(now) + _ROUNDING for was, now in shared)


def values_agree(own: np.ndarray, expected: np.ndarray, slack: np.ndarray | float) -> bool:
    """Whether the values that a model gives are those of its coefficients; what overflows has to do so in both."""
    finite = np.isfinite(expected)
    if own.shape != expected.shape or not (np.isfinite(own) == finite).all():
        return False
    off = np.abs(np.subtract(own, expected, out=np.zeros(own.shape), where=finite))
    return bool((off <= slack).all())


def are_floats(*parts: Any) -> bool:
    """Whether these are numbers of a floating-point type: text that reads like a number is none."""
    return all(np.asarray(part).dtype.kind == "f" for part in parts)


def all_finite(claim: Certificate) -> bool:
    """Whether every figure is a number."""
    return all(isfinite(figure) for figure in figures(claim))


def figures(claim: Certificate) -> tuple[float, ...]:
    """What a certificate states in numbers."""
    return tuple(getattr(claim, name) for name in WORDS)
