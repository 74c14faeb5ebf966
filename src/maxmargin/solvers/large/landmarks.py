"""A kernel machine whose decision function is a sum over landmarks: the exact optimum lies below its objective.

The features of the landmarks make a linear machine of it (`_features`), which Newton's method solves
(`_smoothed_newton`). Its multipliers are feasible for the exact problem, and bound its optimum from below.
"""

from __future__ import annotations

import numpy as np

from ...certificates import Status, best_intercept
from ...engine import Stopwatch
from ...kernels import Gram
from ...problems import BoxQP
from .._driver import drive
from .._monitor import Monitor
from ._approximation import Approximation, with_right_sum
from ._features import LandmarkFeatures
from ._smoothed_newton import SmoothedNewton, SmoothedProblem, rows_of_stages
from ._time_limit import TimeLimit

OVERFLOW = "Features overflow float32"
_FEWEST = 20  # landmarks


def solve_on_landmarks(
    problem: BoxQP,
    landmarks: np.ndarray,
    tolerance: float,
    limit: TimeLimit,
    random: np.random.Generator,
    threads: int = 1,
    monitor: Monitor | None = None,
    start: np.ndarray | None = None,
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
    start : ndarray, optional
        Coefficients of an earlier machine, one a variable; what landmarks there are of it is gone on from.

    """
    n = problem.gram.shape[0]
    order = random.permutation(n)
    landmarks = _as_many_as_time_allows(problem.gram, landmarks, limit, threads)
    features = LandmarkFeatures(problem.gram, landmarks, order, threads)
    by_row = [values.reshape(-1, n)[:, order] for values in (problem.p, problem.lower, problem.upper)]
    made = SmoothedProblem(features, *by_row)
    theta = None if start is None else _weights_of(made, problem, start, landmarks)
    solver = SmoothedNewton(made, theta, tolerance, limit=limit)
    solution = drive(solver, SmoothedNewton.budget, monitor)
    beta = np.empty((len(problem.p) // n, n))
    beta[:, order] = solution.slopes
    coefficients = np.zeros(problem.n)
    coefficients[landmarks] = features.coefficients(solution.variables[:-1])
    if not (np.isfinite(coefficients).all() and np.isfinite(beta).all()):
        zeros = np.zeros(problem.n)
        return Approximation(zeros, zeros, solution.iterations, words=f"{OVERFLOW}. ")
    return Approximation(
        coefficients,
        with_right_sum(problem, beta.ravel()),
        solution.iterations,
        solution.status is Status.CONVERGED,
        left=features.left(),
    )


def _weights_of(made: SmoothedProblem, problem: BoxQP, start: np.ndarray, landmarks: np.ndarray) -> np.ndarray:
    """Weights of the features and the best intercept of the machine that coefficients of landmarks make."""
    by_row = start.reshape(-1, problem.gram.shape[0]).sum(axis=0)
    w = made.features.weights(by_row[landmarks])
    residual = made.p - made.features.times(w, made.n)
    intercept = best_intercept(residual.ravel(), made.lower.ravel(), made.upper.ravel(), problem.totals[0], 0.0)
    return np.append(w, intercept)


def _as_many_as_time_allows(gram: Gram, landmarks: np.ndarray, limit: TimeLimit, threads: int) -> np.ndarray:
    """The first of the landmarks, if all would take more than the time that is left.

    Features of one portion of rows are timed. Newton's steps take as long as about twice the features of all rows, and
    a dozen times those of the rows that they begin with; half as many landmarks take a quarter of the time.
    """
    if limit.left == np.inf or len(landmarks) <= _FEWEST:
        return landmarks
    rows = np.arange(min(gram.shape[0], 2048))
    watch = Stopwatch()
    values = gram.with_threads(1).block(rows, landmarks, np.float32)
    np.matmul(values, np.zeros((len(landmarks), len(landmarks)), np.float32))
    whole = watch.seconds() * gram.shape[0] / len(rows) / threads
    count = len(landmarks)
    while count > _FEWEST:
        first = rows_of_stages(gram.shape[0], count)[0] / gram.shape[0]
        if (count / len(landmarks)) ** 2 * whole * (2 + 12 * first) <= max(limit.left, 0.0):
            break
        count = int(0.9 * count)
    return landmarks[: max(count, _FEWEST)]
