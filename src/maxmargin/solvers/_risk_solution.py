"""What a solver of a regularised risk hands back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..certificates import RiskEvidence, Status


@dataclass(frozen=True)
class RiskSolution:
    """Variables, slopes of the dual (None if the solver has none of its own), and how it ended."""

    theta: np.ndarray
    u: np.ndarray | None
    status: Status
    iterations: int
    keyboard: bool = False


@dataclass(frozen=True)
class CertifiedRiskSolution:
    """A solution and the evidence recomputed from it. The status is the evidence's, not the solver's."""

    theta: np.ndarray
    status: Status
    iterations: int
    evidence: RiskEvidence
    solver: str
    keyboard: bool = False
