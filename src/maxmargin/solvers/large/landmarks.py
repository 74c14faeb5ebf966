"""A kernel machine whose decision function is a sum over landmarks: the exact optimum lies below its objective.

The features of the landmarks make a linear machine of it (`_features`), which Newton's method solves
(`_smoothed_newton`). Its multipliers are feasible for the exact problem, and bound its optimum from below.
"""

from __future__ import annotations

import numpy as np

from ...certificates import Status
from ...problems import BoxQP
from .._driver import drive
from .._monitor import Monitor
from ._approximation import Approximation, with_right_sum
from ._features import LandmarkFeatures
from ._smoothed_newton import SmoothedNewton, SmoothedProblem
from ._time_limit import TimeLimit


def solve_on_landmarks(
    problem: BoxQP,
    landmarks: np.ndarray,
    tolerance: float,
    limit: TimeLimit,
    random: np.random.Generator,
    threads: int = 1,
    monitor: Monitor | None = None,
) -> Approximation:
    """The best machine in the span of the landmarks' kernel functions, to a relative gap of about `tolerance`.

    Parameters
    ----------
    problem : BoxQP
        A classifier's or a regressor's: one sum, and one or two variables a row of the matrix.
    landmarks : ndarray of int
        Rows of the matrix.
    tolerance : float
        Of the machine over the landmarks; how far that is from the exact one, only a certificate can say.
    limit : TimeLimit
        When to end at the latest; the answer is then what has been reached.
    random : Generator
        Chooses the rows of the first stages.
    threads, monitor
        As in every solver.

    """
    n = problem.gram.shape[0]
    order = random.permutation(n)
    features = LandmarkFeatures(problem.gram, landmarks, order, threads)
    by_row = [values.reshape(-1, n)[:, order] for values in (problem.p, problem.lower, problem.upper)]
    solver = SmoothedNewton(SmoothedProblem(features, *by_row), None, tolerance, limit=limit)
    solution = drive(solver, SmoothedNewton.budget, monitor)
    beta = np.empty((len(problem.p) // n, n))
    beta[:, order] = solution.slopes
    coefficients = np.zeros(problem.n)
    coefficients[landmarks] = features.coefficients(solution.variables[:-1])
    return Approximation(
        coefficients,
        with_right_sum(problem, beta.ravel()),
        solution.iterations,
        solution.status is Status.CONVERGED,
    )
