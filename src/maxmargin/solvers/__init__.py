"""How problems are minimised: one algorithm a file, one contract for all.

``solve(problem, start, tolerance, budget, monitor) -> Solution``. A solver knows nothing of estimators and accepts
any feasible start. Those of the box QP serve the kernel machines, those of the regularised risk (`RISK_SOLVERS`) the
linear ones.
"""

from ._certified import CertifiedSolution, solve_certified, unproven
from ._certified_risk import solve_risk
from ._hard_margin import solve_hard_margin
from ._monitor import Monitor
from ._needs import Needs
from ._projection import feasible, project
from ._risk_registry import RISK_SOLVERS, check_solver, choose_solver, solvers_for
from ._risk_solution import CertifiedRiskSolution, RiskSolution
from ._smo import smo
from ._solution import Solution
from ._stochastic_state import StochasticState
from .decomposition import solve as solve_by_decomposition
from .indefinite import solve_indefinite
from .multinomial import solve_multinomial
from .projected_gradient import solve as solve_by_projected_gradient
from .stored_matrix import longest_useful
from .stored_path import PathPoint, PathProblem, solve_stored_paths

__all__ = [
    "RISK_SOLVERS",
    "CertifiedRiskSolution",
    "CertifiedSolution",
    "Monitor",
    "Needs",
    "PathPoint",
    "PathProblem",
    "RiskSolution",
    "Solution",
    "StochasticState",
    "check_solver",
    "choose_solver",
    "feasible",
    "longest_useful",
    "project",
    "smo",
    "solve_by_decomposition",
    "solve_by_projected_gradient",
    "solve_certified",
    "solve_hard_margin",
    "solve_indefinite",
    "solve_multinomial",
    "solve_risk",
    "solve_stored_paths",
    "solvers_for",
    "unproven",
]
