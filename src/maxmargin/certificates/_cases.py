"""The optimality case of each sample: complementary slackness, read point by point.

Of a classifier the margin z = y f(x) is compared with 1, of a regressor the residual with the tube's epsilon, of the
machine of one class the decision value with 0. A multiplier of zero goes with a sample that costs nothing, one between
its bounds with a sample on the boundary, one at its upper bound with a sample that pays for its slack.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

CASES = (
    "outside the margin",
    "on the margin boundary",
    "inside, correctly classified",
    "inside, misclassified",
)
OUTSIDE, ON_BOUNDARY, INSIDE_RIGHT, INSIDE_WRONG = range(4)
TUBE_CASES = ("inside the tube", "on the edge of the tube", "above the tube", "below the tube")
REGION_CASES = ("inside the region", "on the boundary", "outside the region")


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
        bound inside, correctly classified (margin >= 0) or misclassified. Of a regressor: inside the tube, on its
        edge, above or below it; of a machine of one class: inside the region, on its boundary, outside.
    multiplier, slack, margin : ndarray of float
        alpha_i, max(0, 1 - margin) and y_i f(x_i). Of a joint machine of several classes (Crammer and Singer) the
        margin is the decision value of the own class less the largest of the others, and the multiplier that of the own
        class. Of a regressor the margin is epsilon less the size of the residual, of a machine of one class the
        decision value, and the slack is what it lacks of 0.
    violation : ndarray of float
        How far the margin is from what the case demands; at most the certificate's KKT violation for kernel machines.
    words : tuple of str
        The cases: `CASES`, or those of a regressor or a machine of one class.

    """

    problem: np.ndarray
    sample: np.ndarray
    case: np.ndarray
    multiplier: np.ndarray
    slack: np.ndarray
    margin: np.ndarray
    violation: np.ndarray
    words: tuple[str, ...] = CASES

    def names(self) -> np.ndarray:
        """The case of each entry in words."""
        return np.array(self.words)[self.case]

    def counts(self) -> dict[str, int]:
        """How many entries are in each case."""
        return {name: int((self.case == k).sum()) for k, name in enumerate(self.words)}

    def to_dict(self) -> dict[str, np.ndarray]:
        """Columns by name, ready for a data frame."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "words"}

    def __len__(self) -> int:
        return len(self.case)

    def __str__(self) -> str:
        return "\n".join(f"{name:<28} {count:>8}" for name, count in self.counts().items())

    @classmethod
    def concatenate(cls, parts: list[KKTCases]) -> KKTCases:
        """Several problems one after the other."""
        names = [f.name for f in fields(cls) if f.name != "words"]
        columns: dict[str, Any] = {name: np.concatenate([getattr(p, name) for p in parts]) for name in names}
        return cls(**columns, words=parts[0].words)


def kkt_cases(
    problem: int, sample: np.ndarray, multiplier: np.ndarray, bound: np.ndarray, margin: np.ndarray
) -> KKTCases:
    """Cases of one binary problem from multipliers, their upper bounds, and margins."""
    at_zero, at_bound = multiplier <= 0, multiplier >= bound
    case = np.where(
        at_zero, OUTSIDE, np.where(~at_bound, ON_BOUNDARY, np.where(margin >= 0, INSIDE_RIGHT, INSIDE_WRONG))
    )
    too_close, too_far = np.maximum(1 - margin, 0.0), np.maximum(margin - 1, 0.0)
    # a sample of weight zero has both bounds at zero: nothing is demanded of it
    violation = np.where(
        at_zero & at_bound, 0.0, np.where(at_zero, too_close, np.where(at_bound, too_far, np.abs(1 - margin)))
    )
    return KKTCases(np.full(len(sample), problem), sample, case, multiplier, too_close, margin, violation)


def joint_cases(
    sample: np.ndarray, multiplier: np.ndarray, bound: np.ndarray, f: np.ndarray, label: np.ndarray
) -> KKTCases:
    """Cases of a Crammer-Singer machine from the multipliers of the own classes, their bounds, and decision values.

    The multipliers of the other classes sum to that of the own one, negated. Below its bound the own class is among the
    largest of ``e_k + f_k``, so that there is no loss and the margin is 1 or more; above zero another class is, so that
    the margin is 1 or less: the three cases of two classes.
    """
    at = np.arange(len(label)), label
    others = f.copy()
    others[at] = -np.inf
    return kkt_cases(0, sample, multiplier, bound, f[at] - others.max(axis=1))


def tube_cases(
    sample: np.ndarray, coefficient: np.ndarray, bound: np.ndarray, residual: np.ndarray, epsilon: float
) -> KKTCases:
    """Cases of a regressor from signed coefficients, their bounds, and residuals y - f."""
    size, sign = np.abs(coefficient), np.where(coefficient < 0, -1.0, 1.0)
    at_zero, at_bound, beyond = size <= 0, size >= bound, np.abs(residual) - epsilon
    along = sign * residual - epsilon  # what a sample that pulls is outside by
    case = np.where(at_zero, 0, np.where(~at_bound, 1, np.where(coefficient > 0, 2, 3)))
    violation = np.where(at_zero, np.maximum(beyond, 0.0), np.where(at_bound, np.maximum(-along, 0.0), np.abs(along)))
    violation = np.where(at_zero & at_bound, 0.0, violation)
    slack = np.maximum(beyond, 0.0)
    return KKTCases(np.zeros(len(sample), int), sample, case, size, slack, -beyond, violation, TUBE_CASES)


def region_cases(sample: np.ndarray, multiplier: np.ndarray, bound: np.ndarray, value: np.ndarray) -> KKTCases:
    """Cases of a machine of one class from multipliers, their bounds, and decision values."""
    at_zero, at_bound = multiplier <= 0, multiplier >= bound
    case, slack, over = np.where(at_zero, 0, np.where(at_bound, 2, 1)), np.maximum(-value, 0.0), np.maximum(value, 0.0)
    violation = np.where(at_zero, slack, np.where(at_bound, over, np.abs(value)))
    violation = np.where(at_zero & at_bound, 0.0, violation)
    return KKTCases(np.zeros(len(sample), int), sample, case, multiplier, slack, value, violation, REGION_CASES)


def rounded_multipliers(multiplier: np.ndarray, bound: np.ndarray, share: float = 1e-6) -> np.ndarray:
    """Multipliers of a method that ends near the bounds and not on them, set on those that they are next to."""
    most = np.where(np.isfinite(bound), bound, multiplier.max(initial=0.0))
    clean = np.where(multiplier <= share * most, 0.0, multiplier)
    return np.where(np.isfinite(bound) & (clean >= (1 - share) * bound), bound, clean)
