"""What a user can do about a fit that did not converge, by its cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_regressor

from ..certificates import Certificate, Status
from ..kernels import Kernel, kernel_name
from ._solved import Solved

# Standard deviations of columns that differ by more than this are a matter of units.
_UNEVEN = 100.0
# Multipliers beyond this, times kernel values of about 1, make sums whose rounding errors show in a tolerance of 1e-6.
_LARGE = 1e6


def advice(machine: Any, X: Any, worst: Certificate) -> str:
    """The warning of a fit on rows X that did not converge, from the worst of its problems."""
    where = f" ({worst.label})" if worst.label and len(machine.certificate_.problems) > 1 else ""
    return (
        f"{type(machine).__name__} ended as '{worst.status}'{where} after {worst.iterations} iterations: largest KKT "
        f"violation {worst.kkt_violation:.2e} (tol={machine.tol:g}), relative duality gap {worst.relative_gap:.2e}. "
        + _remedy(machine, X, worst)
    )


def indefinite_advice(parameter: Any, kernel: Kernel, solved: Sequence[Solved]) -> str:
    """What an indefinite kernel means, and what would do instead."""
    named = [s.certificate.label for s in solved if s.certificate.definiteness == "fails"]
    where = f" ({', '.join(named[:3])}{', ...' if len(named) > 3 else ''})" if len(solved) > 1 else ""
    smallest = min(s.smallest_eigenvalue for s in solved if s.smallest_eigenvalue is not None)
    instead = {
        "sigmoid": 'Use kernel="rbf"',
        "poly": 'Use coef0 >= 0 or kernel="rbf"',
    }.get(kernel_name(parameter), "Use a kernel that is an inner product (maxmargin.kernels.check_mercer looks at one)")
    return (
        f"the kernel {kernel} is not positive semi-definite on these rows{where}: its matrix has an "
        f"eigenvalue of {smallest:.3g}. The machine meets the conditions of optimality, but a better one may exist, "
        f"and nothing is proven of it. {instead}."
    )


def _remedy(machine: Any, X: Any, worst: Certificate) -> str:
    """One or two sentences for the worst of a machine's problems."""
    joint = getattr(machine, "multi_class", "") == "crammer_singer" and worst.label == "all classes"
    if worst.status is Status.INTERRUPTED:
        return "Call fit again." if joint else "Set warm_start=True and call fit again to resume."
    uneven = _unevenness(machine)
    scale = f"Scale the features (StandardScaler): their deviations differ by a factor of {uneven:.0e}. "
    start = scale if uneven > _UNEVEN else ""
    if worst.status is Status.BUDGET_EXHAUSTED:
        start = start or _large_values(machine, X)
        if joint:
            return f"{start}Lower C (now {machine.C:g}), or raise max_iter (these were {worst.iterations} iterations)."
        solver = getattr(machine, "solver", "auto")
        other = "" if solver == "auto" else f"Use solver='auto' (this was {solver!r}). "
        more = "" if machine.max_iter == -1 else f"Raise max_iter (now {machine.max_iter}), or set "
        return f"{start}{other}{more or 'Set '}warm_start=True and call fit again to resume."
    gap_tol = machine.gap_tol
    if not np.isfinite(worst.primal) and is_regressor(machine):
        return "The objective overflows float64. Scale y to values of about 1, and C and epsilon with it."
    if worst.kkt_violation <= machine.tol and (gap_tol is None or worst.relative_gap <= gap_tol):
        apart = _too_close(machine)
        if apart:
            return f"The violation is within tol, but not small beside {apart}"
    if start:
        return f"Rounding errors allow no better. {start}".rstrip()
    if worst.kkt_violation <= machine.tol and gap_tol is not None:
        return f"Rounding errors allow no better: gap_tol={gap_tol:g} is below what float64 can show. Raise gap_tol."
    large = _large_values(machine, X)
    if large:
        return f"Rounding errors allow no better. {large}".rstrip()
    largest = float(np.abs(machine._dual_coef()).max(initial=0.0))
    C = getattr(machine, "C", None)
    if C is not None and largest > _LARGE:
        return (
            f"Rounding errors allow no better: multipliers of {largest:.1e} leave kernel sums with too few digits. "
            f"Lower C (now {C:g}), or raise tol."
        )
    return f"Rounding errors allow no better: tol={machine.tol:g} is below what float64 can show. Raise tol."


def _large_values(machine: Any, X: Any) -> str:
    """What to do about kernel values so large that multipliers for them have too few digits; empty if they are not."""
    if callable(machine.kernel) or machine.kernel == "precomputed":
        return ""
    with np.errstate(over="ignore", invalid="ignore"):
        largest = float(np.abs(machine._fitted_kernel().gram(machine._rows(X), None, 1).diagonal()).max())
    if largest <= _LARGE:
        return ""
    size = f"kernel values of up to {largest:.1e} leave their sums too few digits. "
    if machine.kernel == "poly":
        return f"Lower degree (now {machine.degree:g}) or gamma, or scale the features (StandardScaler): {size}"
    return f"Scale the features (StandardScaler): {size}"


def _too_close(machine: Any) -> str:
    """What lies so close together that rounding leaves too few digits of it, and what to do; empty if nothing does."""
    if is_regressor(machine):
        return (
            f"how far targets are apart: beside multipliers of up to C={machine.C:g}, or by underflow, float64 has too "
            f"few digits for them. Scale y to values of about 1, and C and epsilon with it."
        )
    if hasattr(machine, "nu"):
        return (
            "how far decision values are apart: the kernel values of the rows differ by less than float64 can tell, or "
            "underflow. Centre and scale X (StandardScaler), or raise gamma."
        )
    return ""


def _unevenness(machine: Any) -> float:
    """The largest deviation of a column over the smallest that is not zero, among the support vectors; 1 if unknown."""
    rows = getattr(machine, "support_vectors_", None)
    if callable(machine.kernel) or machine.kernel == "precomputed" or rows is None or rows.shape[0] < 2:
        return 1.0
    mean = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
    square = rows.multiply(rows) if sp.issparse(rows) else np.square(rows, dtype=np.float64)
    deviation = np.sqrt(np.maximum(np.asarray(square.mean(axis=0)).ravel() - mean**2, 0.0))
    deviation = deviation[deviation > 1e-7 * np.abs(mean)]
    return float(deviation.max() / deviation.min()) if len(deviation) else 1.0
