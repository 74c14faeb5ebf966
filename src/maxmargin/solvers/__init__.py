"""How problems are minimised: one algorithm a file, one contract and one driver for all.

``solve(problem, start, tolerance, budget, monitor) -> Solution``. A solver knows nothing of estimators and accepts
any feasible start. `solve_kernel` serves the kernel machines, `solve_risk` the linear ones; both ask one table which
solver it is.
"""

from ._custom_solver import solver_name
from ._driver import IterativeSolver, drive
from ._monitor import Monitor
from ._needs import Needs
from ._solution import Solution
from ._solve_kernel import solve_kernel
from ._solve_risk import solve_risk
from ._solver import Solver
from ._table import KERNEL_SOLVER_NAMES, RISK_SOLVERS, check_solver, choose_solver, solvers_for
from ._trace import Figures, Trace, TracePoint
from .hard_margin import meeting_weights, solve_hard_margin
from .kernel._along_c import longest_useful
from .kernel._block import solve_block
from .kernel._certified import solve_certified, unproven, untouched
from .kernel._polish import polish
from .kernel._projection import feasible, project
from .kernel._smo import smo
from .kernel._stationary import solve_stationary
from .kernel.active_set import ActiveSet
from .kernel.decomposition import Decomposition
from .kernel.kernel_logistic import KernelLogisticNewton
from .kernel.kernel_perceptron import KernelPerceptronRule
from .kernel.kernel_ridge import solve_kernel_ridge
from .kernel.projected_gradient import ProjectedGradient
from .kernel.stored_path import PathProblem, solve_stored_paths
from .linear._lasso_design import Design
from .linear._stochastic_state import StochasticState
from .linear.conjugate_gradient import ConjugateGradient
from .linear.dual_coordinate import DualCoordinate
from .linear.gradient_descent import GradientDescent
from .linear.interior_point import InteriorPoint
from .linear.lasso import WorkingSets
from .linear.least_squares import gram_of_columns, solve as solve_least_squares
from .linear.newton import Newton
from .linear.newton_cg import NewtonCG
from .linear.perceptron import VARIANTS, PerceptronRule, mistake_bound
from .linear.primal_dual import PrimalDual
from .linear.proximal_gradient import ProximalGradient
from .linear.proximal_newton import ProximalNewton
from .linear.stochastic import StochasticGradient
from .multiclass.crammer_singer import CrammerSinger
from .multiclass.kernel_crammer_singer import solve_kernel_crammer_singer

__all__ = [
    "ActiveSet",
    "solve_block",
    "CrammerSinger",
    "Design",
    "WorkingSets",
    "StochasticGradient",
    "ConjugateGradient",
    "GradientDescent",
    "PrimalDual",
    "ProximalGradient",
    "ProximalNewton",
    "Decomposition",
    "DualCoordinate",
    "InteriorPoint",
    "KERNEL_SOLVER_NAMES",
    "KernelLogisticNewton",
    "KernelPerceptronRule",
    "IterativeSolver",
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
    "gram_of_columns",
    "longest_useful",
    "meeting_weights",
    "mistake_bound",
    "polish",
    "project",
    "smo",
    "solve_certified",
    "solve_hard_margin",
    "solve_kernel",
    "solve_kernel_crammer_singer",
    "solve_kernel_ridge",
    "solve_least_squares",
    "solve_risk",
    "solve_stationary",
    "solve_stored_paths",
    "solver_name",
    "solvers_for",
    "unproven",
    "untouched",
]
