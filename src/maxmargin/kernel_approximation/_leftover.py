"""What features of landmarks leave over of a kernel, as evidence and as the guarantee that it makes."""

from __future__ import annotations

from dataclasses import dataclass

from ..certificates import REPRODUCED, Guarantee, Status, rounded_up

_DEFECT = 1e-3  # what N K_ZZ N' may differ from the identity by


@dataclass(frozen=True)
class LeftoverEvidence:
    """Sums over the training rows, and how far they may be off."""

    trace: float
    of: float
    smallest: float
    largest: float
    error: float
    excess: float
    defect: float
    size: float
    evaluation: float
    rows: int
    features: int

    @property
    def relative(self) -> float:
        return self.trace / self.of if self.of > 0 else 0.0

    @property
    def is_indefinite(self) -> bool:
        """Whether a negative square is left over, which is a proof that the matrix has a negative eigenvalue."""
        return self.smallest < -self.rounding

    @property
    def rounding(self) -> float:
        """What ``k - ||phi||^2`` may be off by: features are computed, with a factor that was computed."""
        return self.evaluation + 2 * self.defect * self.size

    def figures(self) -> dict[str, float]:
        return {
            "leftover trace": self.trace,
            "relative leftover": self.relative,
            "sum of k(x, x)": self.of,
            "largest leftover": self.largest,
            "largest error measured": self.error,
            "features": float(self.features),
        }

    def guarantee(self, known: bool, seconds: float) -> Guarantee:
        words = (
            f"the {self.features} features leave {self.trace:.4g} over of {self.of:.4g}, the sum of k(x, x) over the "
            f"training rows ({self.relative:.2g} of it). No kernel value of two of them is off by more than "
            f"{rounded_up(max(self.largest, 0.0), 2)}, and {rounded_up(self.rounding, 1)} for rounding; the largest "
            f"error measured is {self.error:.2g}."
        )
        if self.is_indefinite:
            words = (
                f"the kernel matrix is not positive semi-definite: the {self.features} features leave "
                f"{self.smallest:.3g} of a k(x, x) over. Nothing is proven of them."
            )
        elif not known:
            words += " That the kernel is positive semi-definite is assumed."
        holds = not self.is_indefinite and self.excess <= self.rounding and self.defect <= _DEFECT
        return Guarantee("leftover trace", self.figures(), words, bool(holds), Status.CONVERGED, 0, seconds)

    def agrees(self, claimed: dict[str, float]) -> bool:
        """Whether claimed figures are these, up to what computing them twice leaves."""
        slack = {
            "leftover trace": self.rows * self.evaluation,
            "relative leftover": self.rows * self.evaluation / self.of if self.of > 0 else 0.0,
        }
        own = self.figures()
        if not set(claimed) <= set(own):
            return False
        return all(
            abs(value - own[name]) <= REPRODUCED * abs(own[name]) + slack.get(name, self.evaluation)
            for name, value in claimed.items()
        )
