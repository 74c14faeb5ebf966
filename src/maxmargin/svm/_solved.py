"""What solving one binary problem gave, and what is claimed of it."""

from __future__ import annotations

from dataclasses import dataclass

from ..certificates import Certificate, Evidence, with_definiteness
from ..kernels import Kernel, definiteness
from ..problems import BoxQP
from ..solvers import Solution


@dataclass(frozen=True)
class Solved:
    """What solving one binary problem gave; the smallest eigenvalue of its matrix where that was computed."""

    solution: Solution
    certificate: Certificate
    smallest_eigenvalue: float | None = None


def certificate_of(solution: Solution, seconds: float, name: str) -> Certificate:
    """The certificate of a solution."""
    return Certificate.of(solution.evidence, solution.status, solution.iterations, seconds, name)


def judged(kernel: Kernel, problem: BoxQP, evidence: Evidence) -> Evidence:
    """Recomputed figures of a problem, with what is known of its kernel matrix."""
    return with_definiteness(evidence, problem, definiteness(kernel, problem.gram))
