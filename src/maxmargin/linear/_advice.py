"""What a warning says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..certificates import Certificate, Status
from ..messages import counted
from ._solve import Part


def advice(machine: Any, parts: Sequence[Part], worst: Certificate) -> str:
    """What to do about a fit that has not converged; `worst` is the certificate of one of its parts."""
    unbounded = any(part.unbounded for part in parts)
    rounding = next((part.rounding for part in parts if part.certificate is worst), 0.0)
    where = f" ({worst.label})" if worst.label and len(machine.certificate_.problems) > 1 else ""
    ended = f"{type(machine).__name__} ended as '{worst.status}'{where} after {counted(worst.iterations, 'iteration')}"
    if unbounded:
        return (
            f"{ended}: the classes are separable (every sample is on its side already), and without a penalty "
            f"the loss then has no minimum: the weights grow for ever. Use a finite C with a penalty."
        )
    limited = worst.status is Status.STALLED and rounding > 0.1 * worst.relative_gap
    remedy = {
        Status.BUDGET_EXHAUSTED: f"Scale the features (StandardScaler), raise max_iter (now {machine.max_iter}), try "
        f"another solver (this was {machine.solver_!r}), or set warm_start=True and call fit again to resume.",
        Status.INTERRUPTED: "Set warm_start=True and call fit again to resume.",
        Status.STALLED: f"For these data float64 proves no gap below about {rounding:.0e}: raise tol."
        if limited
        else "The solver found no better: scale the features (StandardScaler), lower C, or raise tol.",
    }[worst.status]
    return f"{ended}: relative duality gap {worst.relative_gap:.2e} (tol={machine.tol:g}). {remedy}"
