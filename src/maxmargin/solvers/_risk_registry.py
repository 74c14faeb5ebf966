"""The solvers of regularised risks by name, and which one "auto" is."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..losses import CustomLoss, Loss
from ..penalties import CustomPenalty, Penalty
from ..problems import Risk
from . import (
    conjugate_gradient,
    dual_coordinate,
    gradient_descent,
    interior_point,
    newton,
    newton_cg,
    primal_dual,
    proximal_gradient,
    proximal_newton,
    stochastic,
)
from ._custom_solver import CustomSolver

# A new solver: one file with `NEEDS` and `solve`, and one line here. The tests run every combination that it accepts.
RISK_SOLVERS: dict[str, ModuleType] = {
    "newton": newton,
    "newton_cg": newton_cg,
    "interior_point": interior_point,
    "dual_coordinate": dual_coordinate,
    "proximal_newton": proximal_newton,
    "proximal_gradient": proximal_gradient,
    "primal_dual": primal_dual,
    "gradient_descent": gradient_descent,
    "conjugate_gradient": conjugate_gradient,
    "sgd": stochastic,
}

# Features up to which a d x d system is formed and solved in every step.
NARROW = 1500
# Stored values up to which problems are solved to rounding, by solvers of the second order.
SMALL = 20_000


def solvers_for(loss: Loss | CustomLoss, penalty: Penalty | CustomPenalty) -> list[str]:
    """Names of the solvers that can minimise this loss with this penalty."""
    return [name for name, solver in RISK_SOLVERS.items() if not solver.NEEDS.missing(loss, penalty)]


def solver_of(solver: str | Callable[..., Any]) -> Any:
    """What stands for a solver's name, or a user's function in the form that all solvers have."""
    if callable(solver):
        return CustomSolver(solver)
    if solver not in RISK_SOLVERS:
        raise ValueError(f"solver must be 'auto' or one of {sorted(RISK_SOLVERS)}; got {solver!r}.")
    return RISK_SOLVERS[solver]


def check_solver(solver: str | Callable[..., Any], loss: Loss | CustomLoss, penalty: Penalty | CustomPenalty) -> None:
    """Refuse a solver that cannot do it, saying what it lacks and which ones can."""
    missing = solver_of(solver).NEEDS.missing(loss, penalty)
    if missing:
        able = solvers_for(loss, penalty)
        others = f"solvers that can: {', '.join(map(repr, able))}" if able else "no solver can"
        pair = f"loss={loss.name!r} and penalty={penalty.name!r}"
        raise ValueError(f"solver={solver!r} needs {' and '.join(missing)}; for {pair}, {others}.")


def choose_solver(problem: Risk) -> str:
    """The solver that "auto" stands for.

    ===============================  =======================  ============================
    loss, penalty                    up to 1500 features      more features
    ===============================  =======================  ============================
    smooth, no L1 part               newton                   dual_coordinate if CSR and L2, else newton_cg
    smooth, with an L1 part          proximal_newton          proximal_newton
    piecewise linear, L2 or none     interior_point           dual_coordinate (L2)
    piecewise linear, with an L1     interior_point           sgd
    zero-one                         refused                  refused
    custom loss or penalty           proximal_gradient if smooth, else primal_dual
    ===============================  =======================  ============================

    A piecewise linear loss with L2 on CSR rows of more than 20000 values is given to dual_coordinate first, and to
    interior_point if 500 sweeps are not enough.
    """
    loss, penalty = problem.loss, problem.penalty
    narrow = problem.d <= NARROW
    smooth = loss.smoothness < float("inf")
    l1, l2 = penalty.separable or (0.0, 0.0)
    if problem.is_custom:
        name = "proximal_gradient" if smooth else "primal_dual"
    elif smooth and l1 > 0:
        name = "proximal_newton"
    elif smooth and not narrow and l2 > 0 and problem.rows.sparse and not loss.twice_differentiable:
        name = "dual_coordinate"
    elif smooth:
        name = "newton" if narrow else "newton_cg"
    elif narrow and not (problem.rows.sparse and problem.stored > SMALL and l2 > 0 and l1 == 0):
        name = "interior_point"
    else:
        name = "dual_coordinate" if l2 > 0 else "sgd"
    check_solver(name, loss, penalty)
    return name
