"""Whether the figures that a model claims are those that it has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..certificates import Guarantee, Status

# How exactly a figure has to be reproduced: said here, and not by the model's tolerance, which comes with the claim.
_REPRODUCED, _LOOSELY = 1e-9, 1e-6
# Residuals that are nothing but rounding may be this many times larger on another machine.
_ROUNDING, _FACTOR = 1e-13, 10


class CallersRowsError(ValueError):
    """Rows that cannot be those of the training."""


def refuted(claim: Guarantee) -> Guarantee:
    """What is left of a claim about a model that cannot be evaluated."""
    return replace(claim, status=Status.REFUTED, holds=False, statement="the model cannot have been fitted like this.")


def same_figure(found: float, claimed: float, size: float = 0.0) -> bool:
    """Whether two figures agree but for rounding, of terms of this size."""
    if found == claimed:
        return True
    return bool(abs(found - claimed) <= _REPRODUCED * max(abs(found), abs(claimed)) + 1e-24 * size)


def equations_confirmed(found: Guarantee, claim: Guarantee, tolerance: float, size: float) -> Guarantee:
    """A guarantee about normal equations beside the claim: a smaller one stands, one of convergence has to be met.

    `size` is the objective of the model that predicts 0.
    """
    own, said = found.figures, claim.figures
    overflow = np.array_equal(own["objective"], said.get("objective", 0.0), equal_nan=True)
    overflow = overflow and not np.isfinite(own["objective"])
    # a figure that overflows when it is recomputed was none that was claimed
    overflow = overflow and not any(np.isfinite(said.get(name, np.nan)) > np.isfinite(own[name]) for name in own)
    if overflow and claim.status is not Status.CONVERGED and not claim.holds:
        return replace(found, status=claim.status, holds=False)  # it claims nothing
    residual = max(own["relative residual"], own.get("error of coef_", 0.0))
    claimed = max(said.get("relative residual", np.nan), said.get("error of coef_", 0.0))
    same = same_figure(own["objective"], said.get("objective", np.nan), size)
    same = same and bool(residual <= _FACTOR * claimed + _ROUNDING) and _same_rest(own, said, size)
    if not same or (claim.status is Status.CONVERGED and not min(residual, claimed) <= tolerance):
        return replace(found, status=Status.REFUTED, holds=False)
    return replace(found, status=claim.status)


def _same_rest(own: dict[str, float], said: dict[str, float], size: float) -> bool:
    """Whether residuals and gaps are those claimed, but for what rounding makes of figures that are zero without it."""
    relative = own["relative residual"]
    terms = own["residual"] / relative if relative > 0 else 1 + size
    room = {
        "relative residual": _FACTOR * relative + _ROUNDING,
        "residual": _FACTOR * own["residual"] + _ROUNDING * terms,
        "duality gap": _LOOSELY * (abs(own["objective"]) + _REPRODUCED * size),
        "relative gap": _LOOSELY,
    }
    shared = [(name, own[name], said[name]) for name in room if name in own and name in said]
    return all(now == was or abs(now - was) <= room[name] for name, now, was in shared)
