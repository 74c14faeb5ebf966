"""How problems are minimised: one algorithm a file, one contract and one driver for all.

``solve(problem, start, tolerance, budget, monitor) -> Solution``. A solver knows nothing of estimators and accepts
any feasible start. Those of the box QP serve the kernel machines, those of `RISK_SOLVERS` the linear ones.
"""

from ._certified import solve_certified, unproven, untouched
from ._driver import Solver, drive
from ._hard_margin import solve_hard_margin
from ._monitor import Monitor
from ._needs import Needs
from ._projection import feasible, project
from ._smo import smo
from ._solution import Solution
from ._solve_risk import solve_risk
from ._stochastic_state import StochasticState
from ._table import RISK_SOLVERS, check_solver, choose_solver, solvers_for
from ._trace import Figures, Trace, TracePoint
from .conjugate_gradient import ConjugateGradient
from .crammer_singer import CrammerSinger
from .decomposition import solve as solve_by_decomposition
from .dual_coordinate import DualCoordinate
from .gradient_descent import GradientDescent
from .indefinite import solve_indefinite
from .interior_point import InteriorPoint
from .least_squares import solve as solve_least_squares
from .newton import Newton
from .newton_cg import NewtonCG
from .perceptron import VARIANTS, PerceptronRule, mistake_bound
from .projected_gradient import ProjectedGradient
from .proximal_gradient import ProximalGradient
from .proximal_newton import ProximalNewton
from .stochastic import StochasticGradient
from .stored_matrix import longest_useful
from .stored_path import PathProblem, solve_stored_paths

__all__ = [
    "CrammerSinger",
    "StochasticGradient",
    "ConjugateGradient",
    "GradientDescent",
    "ProximalGradient",
    "ProximalNewton",
    "DualCoordinate",
    "InteriorPoint",
    "NewtonCG",
    "Newton",
    "RISK_SOLVERS",
    "VARIANTS",
    "Figures",
    "Monitor",
    "Needs",
    "PathProblem",
    "PerceptronRule",
    "ProjectedGradient",
    "Solution",
    "Solver",
    "StochasticState",
    "Trace",
    "TracePoint",
    "check_solver",
    "choose_solver",
    "drive",
    "feasible",
    "longest_useful",
    "mistake_bound",
    "project",
    "smo",
    "solve_by_decomposition",
    "solve_certified",
    "solve_hard_margin",
    "solve_indefinite",
    "solve_least_squares",
    "solve_risk",
    "solve_stored_paths",
    "solvers_for",
    "unproven",
    "untouched",
]
