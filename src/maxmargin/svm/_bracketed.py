"""What was found for one problem of many rows: a machine, multipliers, and the two bounds of the exact optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..certificates import Certificate, Evidence, Status


@dataclass(frozen=True, eq=False)
class Bracketed:
    """What was found for one problem.

    ``coefficients`` and ``beta`` have one entry a variable; ``radius`` bounds the distance of the exact machine's
    weights in feature space; ``method`` and ``words`` say what was done and why.
    """

    coefficients: np.ndarray
    beta: np.ndarray
    evidence: Evidence
    status: Status
    iterations: int
    seconds: float
    method: str
    words: str

    @property
    def radius(self) -> float:
        """How far the weights of the exact machine can be from those of this one, in feature space."""
        proven = self.evidence.confidence == 1
        return radius_of(self.evidence.gap, same=self.coefficients is self.beta) if proven else np.inf


@dataclass(frozen=True, eq=False)
class Start:
    """What an earlier fit has found for one problem: a machine, multipliers, and what it was made by."""

    coefficients: np.ndarray
    beta: np.ndarray
    method: str


def radius_of(gap: float, same: bool) -> float:
    """The distance in feature space that a duality gap allows the exact weights.

    Both objectives are strongly convex in w: 1/2 |w - w*|^2 <= P(w) - P*, and 1/2 |v - w*|^2 <= D* - D(beta) for the
    weights v of beta. The sum of the right sides is the gap; where w = v, it holds for twice the same distance.
    """
    return float(np.sqrt((1.0 if same else 2.0) * max(gap, 0.0)) * (1 + 1e-9)) if np.isfinite(gap) else np.inf


def certificates_of(found: Sequence[Bracketed], names: Sequence[str]) -> list[Certificate]:
    """The certificates of problems, by name."""
    pairs = zip(found, names, strict=True)
    return [Certificate.of(f.evidence, f.status, f.iterations, f.seconds, name) for f, name in pairs]
