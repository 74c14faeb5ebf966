"""The optimality case of each sample: complementary slackness, read point by point.

Of a classifier the margin z = y f(x) is compared with 1, of a regressor the residual with the tube's epsilon, of the
machine of one class the decision value with 0. A multiplier of zero goes with a sample that costs nothing, one between
its bounds with a sample on the boundary, one at its upper bound with a sample that pays for its slack.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

CASES = (
    "outside the margin",
    "on the margin boundary",
    "inside, correctly classified",
    "inside, misclassified",
)
OUTSIDE, ON_BOUNDARY, INSIDE_RIGHT, INSIDE_WRONG, INSIDE_ON_DECISION, UNDECIDED = range(6)
NO_CASE = "undecided at this gap"
# What is listed only where there are such samples.
MARGIN_WORDS = (*CASES, "inside, on the decision boundary", NO_CASE)
TUBE_CASES = ("inside the tube", "on the edge of the tube", "above the tube", "below the tube")
REGION_CASES = ("inside the region", "on the boundary", "outside the region")
TUBE_WORDS, REGION_WORDS = (*TUBE_CASES, NO_CASE), (*REGION_CASES, NO_CASE)
_RARE = frozenset(MARGIN_WORDS[4:])


@dataclass(frozen=True)
class KKTCases:
    """One entry a sample and binary problem, as arrays of equal length.

    Attributes
    ----------
    problem : ndarray of int
        Number of the binary problem, in the order of ``certificate_.problems`` (always 0 for two classes).
    sample : ndarray of int
        Row of the training data.
    case : ndarray of int
        Index into `words`: multiplier 0 is outside the margin, between the bounds on the margin boundary, at the upper
        bound inside, correctly classified (margin > 0), misclassified (margin < 0) or on the decision boundary itself
        (margin 0, but for rounding). Of a regressor: inside the tube, on its edge, above or below it; of a machine of
        one class: inside the region, on its boundary, outside. The last one is that the case is undecided.
    multiplier : ndarray of float
        alpha_i; of a linear machine that of the optimum, as far as it is known.
    slack, margin : ndarray of float
        max(0, 1 - margin) and y_i f(x_i) of the model; max(0, -margin) where `note` says that there is no margin. Of a
        joint machine of several classes (Crammer and Singer) the margin is the decision value of the own class less the
        largest of the others, and the multiplier that of the own
        class. Of a regressor the margin is epsilon less the size of the residual, of a machine of one class the
        decision value, and the slack is what it lacks of 0.
    violation : ndarray of float
        How far the margin is from what the case demands; at most the certificate's KKT violation for kernel machines.
    words : tuple of str
        The cases: `CASES`, or those of a regressor or a machine of one class, and rare ones.
    note : str
        What the cases rest on where the fit has not converged, or that there is no margin; else empty.

    """

    problem: np.ndarray
    sample: np.ndarray
    case: np.ndarray
    multiplier: np.ndarray
    slack: np.ndarray
    margin: np.ndarray
    violation: np.ndarray
    words: tuple[str, ...] = MARGIN_WORDS
    note: str = ""

    def names(self) -> np.ndarray:
        """The case of each entry in words."""
        return np.array(self.words)[self.case]

    def counts(self) -> dict[str, int]:
        """How many entries are in each case; those on the decision boundary and undecided ones where there are any."""
        found = {name: int((self.case == k).sum()) for k, name in enumerate(self.words)}
        return {name: count for name, count in found.items() if count or name not in _RARE}

    def to_dict(self) -> dict[str, np.ndarray]:
        """Columns by name, ready for a data frame."""
        return {name: getattr(self, name) for name in self.columns()}

    @classmethod
    def columns(cls) -> list[str]:
        """Names of the arrays."""
        return [f.name for f in fields(cls) if f.name not in ("words", "note")]

    def __len__(self) -> int:
        return len(self.case)

    def __str__(self) -> str:
        lines = [f"{name:<28} {count:>8}" for name, count in self.counts().items()]
        return "\n".join([*lines, self.note] if self.note else lines)

    @classmethod
    def concatenate(cls, parts: list[KKTCases]) -> KKTCases:
        """Several problems one after the other; the first note of theirs is that of all."""
        columns: dict[str, Any] = {name: np.concatenate([getattr(p, name) for p in parts]) for name in cls.columns()}
        return cls(**columns, words=parts[0].words, note=next((p.note for p in parts if p.note), ""))

    def seen_by(self, margin: np.ndarray, rounding: np.ndarray | float = 0.0) -> KKTCases:
        """The same cases with the margins of another model, and how far these are from what the cases demand."""
        level, case = 0.0, self.case
        if self.words is MARGIN_WORDS:
            level = 1.0
            case = np.where(is_inside(case), inside_cases(margin, rounding), case)
        over, short = np.maximum(margin - level, 0.0), np.maximum(level - margin, 0.0)
        demanded = np.where(case == 0, short, np.where(case == 1, over + short, over))
        violation = np.where(case == len(self.words) - 1, self.violation, demanded)
        return replace(self, case=case, margin=margin, slack=short, violation=violation)

    def doubted(self, tolerance: float, note: str) -> KKTCases:
        """Undecided where the margin is further than `tolerance` from what the case demands, with a note."""
        case = np.where(self.violation <= tolerance, self.case, len(self.words) - 1)
        return replace(self, case=case, note=note)


def is_inside(case: np.ndarray) -> np.ndarray:
    """Whether samples of a classifier are inside the margin."""
    return (case >= INSIDE_RIGHT) & (case != UNDECIDED)


def inside_cases(margin: np.ndarray, rounding: np.ndarray | float = 0.0) -> np.ndarray:
    """The case of samples inside the margin: classified by the sign of theirs, unless it is 0 but for `rounding`."""
    return np.where(margin > rounding, INSIDE_RIGHT, np.where(margin < -rounding, INSIDE_WRONG, INSIDE_ON_DECISION))


def kkt_cases(
    problem: int,
    sample: np.ndarray,
    multiplier: np.ndarray,
    bound: np.ndarray,
    margin: np.ndarray,
    rounding: np.ndarray | float = 0.0,
    near: np.ndarray | float = 0.0,
    level: float = 1.0,
) -> KKTCases:
    """Cases of one binary problem from multipliers, their upper bounds, and margins with bounds of their rounding.

    A margin within `near` of `level` is on the boundary whatever the multiplier: of equal samples it is not the same.
    The level is 1, and 0 where there is no margin.
    """
    at_zero, at_bound = multiplier <= 0, multiplier >= bound
    on = np.abs(margin - level) <= near
    case = np.where(at_zero, OUTSIDE, np.where(at_bound, inside_cases(margin, rounding), ON_BOUNDARY))
    case = np.where(on, ON_BOUNDARY, case)
    too_close, too_far = np.maximum(level - margin, 0.0), np.maximum(margin - level, 0.0)
    # a sample of weight zero has both bounds at zero: nothing is demanded of it
    violation = np.where(
        at_zero & at_bound, 0.0, np.where(at_zero, too_close, np.where(at_bound, too_far, np.abs(level - margin)))
    )
    return KKTCases(np.full(len(sample), problem), sample, case, multiplier, too_close, margin, violation)


def joint_cases(
    sample: np.ndarray,
    multiplier: np.ndarray,
    bound: np.ndarray,
    f: np.ndarray,
    label: np.ndarray,
    rounding: np.ndarray | float = 0.0,
    near: np.ndarray | float = 0.0,
) -> KKTCases:
    """Cases of a Crammer-Singer machine from the multipliers of the own classes, their bounds, and decision values.

    The multipliers of the other classes sum to that of the own one, negated. Below its bound the own class is among the
    largest of ``e_k + f_k``, so that there is no loss and the margin is 1 or more; above zero another class is, so that
    the margin is 1 or less: the three cases of two classes.
    """
    at = np.arange(len(label)), label
    others = f.copy()
    others[at] = -np.inf
    return kkt_cases(0, sample, multiplier, bound, f[at] - others.max(axis=1), rounding, near)


def tube_cases(
    sample: np.ndarray,
    coefficient: np.ndarray,
    bound: np.ndarray,
    residual: np.ndarray,
    epsilon: float,
    near: np.ndarray | float = 0.0,
) -> KKTCases:
    """Cases of a regressor from signed coefficients, their bounds, and residuals y - f."""
    size, sign = np.abs(coefficient), np.where(coefficient < 0, -1.0, 1.0)
    at_zero, at_bound, beyond = size <= 0, size >= bound, np.abs(residual) - epsilon
    along = sign * residual - epsilon  # what a sample that pulls is outside by
    case = np.where(at_zero, 0, np.where(at_bound, np.where(coefficient > 0, 2, 3), 1))
    case = np.where(np.abs(beyond) <= near, 1, case)
    violation = np.where(at_zero, np.maximum(beyond, 0.0), np.where(at_bound, np.maximum(-along, 0.0), np.abs(along)))
    violation = np.where(at_zero & at_bound, 0.0, violation)
    slack = np.maximum(beyond, 0.0)
    return KKTCases(np.zeros(len(sample), int), sample, case, size, slack, -beyond, violation, TUBE_WORDS)


def region_cases(
    sample: np.ndarray, multiplier: np.ndarray, bound: np.ndarray, value: np.ndarray, near: np.ndarray | float = 0.0
) -> KKTCases:
    """Cases of a machine of one class from multipliers, their bounds, and decision values."""
    at_zero, at_bound = multiplier <= 0, multiplier >= bound
    slack, over = np.maximum(-value, 0.0), np.maximum(value, 0.0)
    case = np.where(np.abs(value) <= near, 1, np.where(at_zero, 0, np.where(at_bound, 2, 1)))
    violation = np.where(at_zero, slack, np.where(at_bound, over, np.abs(value)))
    violation = np.where(at_zero & at_bound, 0.0, violation)
    return KKTCases(np.zeros(len(sample), int), sample, case, multiplier, slack, value, violation, REGION_WORDS)


def rounded_multipliers(multiplier: np.ndarray, bound: np.ndarray, share: float = 1e-6) -> np.ndarray:
    """Multipliers of a method that ends near the bounds and not on them, set on those that they are next to."""
    most = np.where(np.isfinite(bound), bound, multiplier.max(initial=0.0))
    clean = np.where(multiplier <= share * most, 0.0, multiplier)
    return np.where(np.isfinite(bound) & (clean >= (1 - share) * bound), bound, clean)


def unconverged(certificate: Any, words: str) -> str:
    """What the cases of a fit that has not converged rest on; empty for one that has."""
    if certificate.status.value == "converged":
        return ""
    if certificate.status.value == "stationary":
        return "The kernel is indefinite: these are the cases of a stationary point, and nothing bounds the optimum."
    gap = f"relative gap {certificate.relative_gap:.2g}" if certificate.relative_gap < np.inf else "no bound of its gap"
    return f"The fit has not converged ({certificate.status}, {gap}): {words}"
