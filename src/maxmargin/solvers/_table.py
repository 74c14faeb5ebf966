"""Solvers by name, and which one a problem gets: the one place where a solver is chosen."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isabstract
from typing import Any, NamedTuple

import numpy as np

from ..losses import CustomLoss, Loss
from ..penalties import CustomPenalty, Penalty
from ..problems import BoxQP
from ._custom_solver import function_solver
from ._solution import Solution
from ._solver import Solver
from .hard_margin import LinearHardMargin, solve_hard_margin
from .kernel._certified import solve_certified
from .kernel._named import NAMED
from .kernel._stationary import solve_stationary
from .linear.conjugate_gradient import ConjugateGradient
from .linear.dual_coordinate import DualCoordinate
from .linear.gradient_descent import GradientDescent
from .linear.interior_point import InteriorPoint
from .linear.newton import Newton
from .linear.newton_cg import NewtonCG
from .linear.primal_dual import PrimalDual
from .linear.proximal_gradient import ProximalGradient
from .linear.proximal_newton import ProximalNewton
from .linear.stochastic import StochasticGradient
from .multiclass.crammer_singer import CrammerSinger
from .multiclass.multinomial import MultinomialNewton, MultinomialProximal
from .multiclass.multinomial_dual import MultinomialDual

# A new solver: one file with a class, and one line here. The tests run every combination that it accepts.
RISK_SOLVERS: dict[str, type[Solver]] = {
    solver.name: solver
    for solver in (
        Newton,
        NewtonCG,
        InteriorPoint,
        DualCoordinate,
        ProximalNewton,
        ProximalGradient,
        PrimalDual,
        GradientDescent,
        ConjugateGradient,
        StochasticGradient,
    )
}
# By kind of problem.
SOLVERS: dict[str, dict[str, type[Solver]]] = {
    "risk": RISK_SOLVERS,
    "multinomial": {solver.name: solver for solver in (MultinomialNewton, MultinomialProximal, MultinomialDual)},
    "crammer-singer": {CrammerSinger.name: CrammerSinger},
    "hard margin": {LinearHardMargin.name: LinearHardMargin},
}

# Features up to which a d x d system is formed and solved in every step.
NARROW = 1500
# Stored values above which coordinate ascent is tried on sparse rows, before an interior point.
SMALL = 20_000


class _Facts(NamedTuple):
    """What the choice depends on."""

    narrow: bool
    sparse: bool
    large: bool
    smooth: bool
    curved: bool  # twice differentiable
    l1: bool
    l2: bool
    custom: bool  # a user's loss or penalty


def _facts(problem: Any) -> _Facts:
    l1, l2 = problem.penalty.separable or (0.0, 0.0)
    shape = problem.d <= NARROW, problem.rows.sparse, problem.stored > SMALL
    return _Facts(*shape, problem.smooth, problem.curved, l1 > 0, l2 > 0, problem.is_custom)


# The first line of a problem's kind whose condition holds is taken. Of two solvers the second goes on where the budget
# of the first is not enough: coordinate ascent is quick on most sparse data and hopeless on some.
_AUTOMATIC: tuple[tuple[str, Callable[[_Facts], bool], tuple[str, ...]], ...] = (
    ("hard margin", lambda it: True, ("decomposition",)),
    ("crammer-singer", lambda it: True, ("crammer_singer",)),
    ("multinomial", lambda it: it.l1, ("proximal_gradient",)),
    ("multinomial", lambda it: it.sparse and not it.narrow and it.l2, ("dual_coordinate", "newton_cg")),
    ("multinomial", lambda it: True, ("newton_cg",)),
    ("risk", lambda it: it.custom and it.smooth, ("proximal_gradient",)),
    ("risk", lambda it: it.custom, ("primal_dual",)),
    ("risk", lambda it: it.smooth and it.l1, ("proximal_newton",)),
    ("risk", lambda it: it.smooth and it.narrow, ("newton",)),
    ("risk", lambda it: it.smooth and it.sparse and it.l2 and not it.curved, ("dual_coordinate", "newton_cg")),
    ("risk", lambda it: it.smooth, ("newton_cg",)),
    (
        "risk",
        lambda it: it.narrow and it.sparse and it.large and it.l2 and not it.l1,
        ("dual_coordinate", "interior_point"),
    ),
    ("risk", lambda it: it.narrow, ("interior_point",)),
    ("risk", lambda it: it.l2, ("dual_coordinate",)),
    ("risk", lambda it: True, ("sgd",)),
)


# Problems of kernel machines: a hard margin has no bounds, and what is not convex has stationary points only.
KERNEL_SOLVERS: dict[str, Callable[..., Solution]] = {
    "hard_margin": solve_hard_margin,
    "decomposition": solve_certified,
    "stationary": solve_stationary,
}


# What a user may ask for; all of them but "decomposition" are in `NAMED`.
KERNEL_SOLVER_NAMES = ("decomposition", *NAMED)


def choose_kernel_solver(problem: BoxQP, definite: bool, name: str = "auto") -> str:
    """The name of the solver for the problem of a kernel machine, whose matrix is positive semi-definite or not.

    Refuses a name that cannot do it.
    """
    if name != "auto":
        return _named_kernel_solver(problem, definite, name)
    if definite and np.isinf(problem.upper - problem.lower).all():
        return "hard_margin"
    return "decomposition" if definite else "stationary"


def _named_kernel_solver(problem: BoxQP, definite: bool, name: str) -> str:
    if name not in KERNEL_SOLVER_NAMES:
        raise ValueError(f"solver must be 'auto' or one of {sorted(KERNEL_SOLVER_NAMES)}; got {name!r}.")
    if not np.isfinite(problem.upper - problem.lower).all():
        raise ValueError(f"C=inf (the hard margin) needs solver='auto'; got solver={name!r}.")
    if definite:
        return name
    if name != "smo":
        raise ValueError(
            f"solver={name!r} needs a positive semi-definite kernel matrix, which this one is not; use 'auto' or 'smo'."
        )
    return "stationary"


def choose_solver(problem: Any, name: str | type[Solver] | Callable[..., Any] = "auto") -> tuple[type[Solver], ...]:
    """The solvers that a name stands for, "auto" by the table; a class or function stands for itself.

    Refuses what cannot be done.

    ===============================  =======================  ============================
    loss, penalty                    up to 1500 features      more features
    ===============================  =======================  ============================
    smooth, no L1 part               newton                   dual_coordinate if CSR and L2, else newton_cg
    smooth, with an L1 part          proximal_newton          proximal_newton
    piecewise linear, L2 or none     interior_point           dual_coordinate (L2)
    piecewise linear, with an L1     interior_point           sgd
    custom loss or penalty           proximal_gradient if smooth, else primal_dual
    zero-one                         refused                  refused
    ===============================  =======================  ============================

    A piecewise linear loss with L2 on CSR rows of more than 20000 values is given to dual_coordinate first, and to
    interior_point if 500 sweeps are not enough.
    """
    if not isinstance(name, str):
        name = name if isinstance(name, type) and issubclass(name, Solver) else function_solver(name)
        if isabstract(name):
            missing = ", ".join(sorted(name.__abstractmethods__))
            raise ValueError(f"solver must be a class that can solve; {name.__name__} does not say what {missing} is.")
        _refuse_if_missing(name, problem.loss, problem.penalty)
        return (name,)
    if problem.kind == "risk" and name != "auto":
        check_solver(name, problem.loss, problem.penalty)
    if name in SOLVERS[problem.kind]:
        return (SOLVERS[problem.kind][name],)
    kind, facts = problem.kind, _facts(problem)
    chosen = tuple(
        SOLVERS[kind][name] for name in next(row[2] for row in _AUTOMATIC if row[0] == kind and row[1](facts))
    )
    if kind == "risk":
        _refuse_if_missing(chosen[0], problem.loss, problem.penalty)
    return chosen


def solvers_for(loss: Loss | CustomLoss, penalty: Penalty | CustomPenalty) -> list[str]:
    """Names of the solvers that can minimise this loss with this penalty."""
    return [name for name, solver in RISK_SOLVERS.items() if not solver.needs.missing(loss, penalty)]


def check_solver(name: str, loss: Loss | CustomLoss, penalty: Penalty | CustomPenalty) -> None:
    """Refuse a solver that cannot do it, saying what it lacks and which ones can."""
    if name not in RISK_SOLVERS:
        raise ValueError(f"solver must be 'auto' or one of {sorted(RISK_SOLVERS)}; got {name!r}.")
    _refuse_if_missing(RISK_SOLVERS[name], loss, penalty)


def _refuse_if_missing(solver: type[Solver], loss: Loss | CustomLoss, penalty: Penalty | CustomPenalty) -> None:
    missing = solver.needs.missing(loss, penalty)
    if missing:
        able = solvers_for(loss, penalty)
        others = f"solvers that can: {', '.join(map(repr, able))}" if able else "no solver can"
        pair = f"loss={loss.name!r} and penalty={penalty.name!r}"
        raise ValueError(f"solver={solver.name!r} needs {' and '.join(missing)}; for {pair}, {others}.")
