"""The optimality case of each sample: the complementary slackness of the soft margin, read point by point."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

CASES = (
    "outside the margin",
    "on the margin boundary",
    "inside, correctly classified",
    "inside, misclassified",
)
OUTSIDE, ON_BOUNDARY, INSIDE_RIGHT, INSIDE_WRONG = range(4)


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
        Index into `CASES`: multiplier 0 is outside the margin, between the bounds on the margin boundary, at the upper
        bound inside, correctly classified (margin >= 0) or misclassified.
    multiplier, slack, margin : ndarray of float
        alpha_i, max(0, 1 - margin) and y_i f(x_i).
    violation : ndarray of float
        How far the margin is from what the case demands; at most the certificate's KKT violation.

    """

    problem: np.ndarray
    sample: np.ndarray
    case: np.ndarray
    multiplier: np.ndarray
    slack: np.ndarray
    margin: np.ndarray
    violation: np.ndarray

    def names(self) -> np.ndarray:
        """The case of each entry in words."""
        return np.array(CASES)[self.case]

    def counts(self) -> dict[str, int]:
        """How many entries are in each case."""
        return {name: int((self.case == k).sum()) for k, name in enumerate(CASES)}

    def to_dict(self) -> dict[str, np.ndarray]:
        """Columns by name, ready for a data frame."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __len__(self) -> int:
        return len(self.case)

    def __str__(self) -> str:
        return "\n".join(f"{name:<28} {count:>8}" for name, count in self.counts().items())

    @classmethod
    def concatenate(cls, parts: list[KKTCases]) -> KKTCases:
        """Several problems one after the other."""
        return cls(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)))


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
