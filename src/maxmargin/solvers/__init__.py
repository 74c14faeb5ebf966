"""How the box QP is minimised: one algorithm a file, one contract for all.

``solve(problem, start, tolerance, budget, monitor) -> Solution``. A solver knows nothing of estimators and accepts
any feasible start.
"""

from ._certified import CertifiedSolution, solve_certified, unproven
from ._hard_margin import solve_hard_margin
from ._monitor import Monitor
from ._projection import feasible, project
from ._smo import smo
from ._solution import Solution
from .decomposition import solve as solve_by_decomposition
from .projected_gradient import solve as solve_by_projected_gradient

__all__ = [
    "CertifiedSolution",
    "Monitor",
    "Solution",
    "feasible",
    "project",
    "smo",
    "solve_by_decomposition",
    "solve_by_projected_gradient",
    "solve_certified",
    "solve_hard_margin",
    "unproven",
]
