"""What holds the proof of a fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..engine import interruptible
from ._duality import Evidence
from ._elsewhere import found_elsewhere
from ._print import as_html, as_text
from ._unweighted import without_weights

if TYPE_CHECKING:
    from ._averaged import AveragedGuarantee
    from ._risk import RiskEvidence

# Why a kernel matrix counts as positive semi-definite, the weakest reason first.
DEFINITENESS = ("fails", "assumed", "shown", "known")


class Status(Enum):
    """How a fit ended.

    Only CONVERGED claims that the tolerance was met and that the figures bound the optimum. STATIONARY is its
    counterpart for an indefinite kernel: the conditions of optimality hold, and prove nothing about the optimum.
    `verify` calls a false claim REFUTED.
    """

    CONVERGED = "converged"
    STATIONARY = "stationary"
    BUDGET_EXHAUSTED = "budget exhausted"
    INTERRUPTED = "interrupted"
    STALLED = "stalled"
    REFUTED = "refuted"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Certificate:
    """The proof of one binary problem.

    Attributes
    ----------
    primal, dual : float
        Both objectives. The optimum lies between them: dual <= optimum <= primal.
    gap, relative_gap : float
        primal - dual, and that over the larger of the two in size.
    kkt_violation : float
        Largest violation of the optimality conditions (what ``tol`` bounds).
    status : Status
        How the solver ended, confirmed by the recomputed figures.
    iterations : int
        Steps of the solver.
    seconds : float
        Time of solving and certifying.
    label : str
        Which problem this is, such as ``"setosa against virginica"``.
    definiteness : {"known", "shown", "assumed", "fails"}
        Why the kernel matrix may be taken as positive semi-definite, on which the lower bound rests: by the kernel's
        formula, by a factorisation of this matrix, or only because the user says so. Where it fails, nothing bounds
        the optimum from below. Always "known" for problems without a kernel.
    assumes : str
        What else the bounds rest on: that the functions of a user's own loss or penalty are right. Empty where nothing
        is assumed.
    averaged : AveragedGuarantee or None
        For stochastic gradients with ``schedule="theory"``: the bound ``n B rho / sqrt(T)`` of how far the mean of the
        steps can be above the best weights of length up to B, in expectation. It holds beside dual <= optimum, which
        is a proof.
    confidence : float
        The probability with which dual <= optimum holds: 1 is a proof. Below 1 the dual objective was bounded from
        some rows of the kernel matrix, drawn at random (`maxmargin.svm.LargeSVC` and `LargeSVR`, where time was too
        short for all of them), and the status is never CONVERGED.

    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    status: Status
    iterations: int
    seconds: float
    label: str = ""
    definiteness: str = "known"
    assumes: str = ""
    averaged: AveragedGuarantee | None = None
    confidence: float = 1.0

    @classmethod
    def of(
        cls, evidence: Evidence | RiskEvidence, status: Status, iterations: int, seconds: float, label: str = ""
    ) -> Certificate:
        """A certificate from recomputed figures."""
        e = evidence
        figures = e.primal, e.dual, e.gap, e.relative_gap, e.kkt_violation
        return cls(*figures, status, iterations, seconds, label, e.definiteness, e.assumes, confidence=e.confidence)

    def __str__(self) -> str:
        return as_text(self, ())

    def _repr_html_(self) -> str:
        return as_html(self, ())


@dataclass(frozen=True, repr=False)
class ModelCertificate:
    """The proof of a whole model: one `Certificate` a binary problem, the worst one in front.

    Its figures (``primal``, ``dual``, ``gap``, ``relative_gap``, ``kkt_violation``, ``status``) are those of the
    worst problem; ``iterations`` and ``seconds`` are sums. ``problems`` has all of them in the model's own order.
    ``note`` says what may be the cause where `verify` has refuted a model.
    """

    problems: tuple[Certificate, ...]
    _recompute: Callable[..., Sequence[Certificate]] | None = field(default=None, compare=False)
    note: str = field(default="", compare=False)

    @property
    def worst(self) -> Certificate:
        """The problem with the worst status, a refuted one first, then the largest relative gap."""
        return max(
            self.problems,
            key=lambda c: (c.status is Status.REFUTED, c.status is not Status.CONVERGED, c.relative_gap),
        )

    @property
    def primal(self) -> float:
        """Primal objective of the worst problem."""
        return self.worst.primal

    @property
    def dual(self) -> float:
        """Dual objective of the worst problem."""
        return self.worst.dual

    @property
    def gap(self) -> float:
        """Duality gap of the worst problem."""
        return self.worst.gap

    @property
    def relative_gap(self) -> float:
        """Relative duality gap of the worst problem."""
        return self.worst.relative_gap

    @property
    def kkt_violation(self) -> float:
        """Largest violation of any problem."""
        return max(c.kkt_violation for c in self.problems)

    @property
    def status(self) -> Status:
        """CONVERGED only if every problem is."""
        return self.worst.status

    @property
    def definiteness(self) -> str:
        """The weakest reason of any problem."""
        return min((c.definiteness for c in self.problems), key=DEFINITENESS.index)

    @property
    def confidence(self) -> float:
        """The smallest one of any problem: 1 only if all lower bounds are proven."""
        return min(c.confidence for c in self.problems)

    @property
    def iterations(self) -> int:
        """Steps over all problems."""
        return sum(c.iterations for c in self.problems)

    @property
    def seconds(self) -> float:
        """Time over all problems."""
        return sum(c.seconds for c in self.problems)

    @interruptible
    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> ModelCertificate:
        """Recompute every figure in float64 from the model alone and return them as a new certificate.

        Parameters
        ----------
        X, y : array-like
            The data that the model was trained on, in the same order; `y` only where the method has labels.
        sample_weight : array-like, optional
            The weights that it was trained with.

        """
        if self._recompute is None:
            raise ValueError("this certificate has lost its model; take it from model.certificate_.")
        elsewhere = found_elsewhere(self._recompute, X, y, sample_weight)
        found = elsewhere or ModelCertificate(tuple(self._recompute(X, y, sample_weight)), self._recompute)
        if found.status is Status.REFUTED:
            return replace(found, note=without_weights(self._recompute, sample_weight))
        return found

    def __str__(self) -> str:
        return as_text(self.worst, self.problems, self.note)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self.worst, self.problems, self.note)
