"""Optimality cases of a linear machine's training samples: where they lie at the optimum, as a duality gap proves it.

A fit that stops by its gap leaves multipliers strictly between their bounds, and margins off by what the gap allows:
neither says which case a sample is. A fit that has converged is therefore solved on, as far as float64 goes, and the
gap that is left encloses the margin of every sample at the optimum. What it does not decide is said to be undecided.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import (
    ON_BOUNDARY,
    OUTSIDE,
    UNDECIDED,
    Certificate,
    KKTCases,
    RiskEvidence,
    SlopeRule,
    Status,
    decision_errors,
    evaluate_linear,
    joint_cases,
    kkt_cases,
    optimal_values,
    rounded_multipliers,
    tube_cases,
    unconverged,
)
from ..data import check_array
from ..estimators import check_same_rows, check_training, check_weights
from ..problems import Risk
from ..solvers import StochasticGradient, choose_solver, solve_risk
from ._formulation import LinearFormulation
from ._start import dense_coef
from ._training import training_again

# The gap that a fit is solved on to, of which rounding alone leaves about as much.
_SHARP = 1e-13
_SHARP_JOINTLY = 1e-10
_NEXT = 1e-9  # of the weight: as good as at the bound
# A sample is on the boundary if its margin is proven to be there up to this part of the unit.
_ON = 1e-6
_INSIDE = 2  # whether correctly classified is said by the model
_PROVEN = "a case is stated where this gap proves it."
_AGREE = "a case is stated where multiplier and margin agree, and need not be that of the optimum."


def checked_training(machine: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """What the model was trained on, as the fit has seen it."""
    check_is_fitted(machine)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
    y = column_or_1d(y, warn=True)
    check_same_rows(machine._rows_seen, X.shape[0], len(y))
    return X, y, check_weights(sample_weight, X)


def classifier_cases(machine: Any, formulation: LinearFormulation, X: Any, y: Any, sample_weight: Any) -> KKTCases:
    """Cases of every binary problem of a classifier, or of the joint one of Crammer and Singer."""
    X, y, weight = checked_training(machine, X, y, sample_weight)
    check_training(machine, X, y, sample_weight)
    training = training_again(machine, X, y, weight, False)
    if training is None:
        raise ValueError("y is not what the model was trained on: its classes or their weights differ.")
    theta, claims = np.column_stack([dense_coef(machine), machine.intercept_]), machine.certificate_.problems
    joint = formulation.joint_problem(training, 1)
    if joint is not None:
        return _of_joint(joint, theta, machine._slopes[0], claims[0])
    problem, model = formulation.problems(training, 1), zip(theta, machine._slopes, claims, strict=True)
    return KKTCases.concatenate([_of_margins(k, problem(k), w, u, claim) for k, (w, u, claim) in enumerate(model)])


def _of_margins(
    k: int, problem: Risk, theta: np.ndarray, slopes: np.ndarray | SlopeRule | None, claim: Certificate
) -> KKTCases:
    best, evidence = _sharpened(problem, theta, slopes, claim)
    low, high = optimal_values(problem, best, evidence)
    y, rows = problem.y, np.flatnonzero(problem.weights > 0)
    bound = _bounds(problem)[rows]
    least, most = np.where(y > 0, low, -high)[rows], np.where(y > 0, high, -low)[rows]
    margin, rounding = (y * problem.decision(theta))[rows], decision_errors(problem.rows, theta, problem.threads)[rows]
    multiplier = _multipliers(problem, evidence.u)[rows]
    case = _by_place(least, most)
    known = np.where(case == OUTSIDE, 0.0, np.where((case == _INSIDE) & (bound < np.inf), bound, multiplier))
    found = replace(kkt_cases(k, rows, multiplier, bound, margin), case=case, multiplier=known)
    found = replace(found.seen_by(margin, rounding), note=unconverged(claim, _PROVEN))
    if problem.smooth:  # with a square every sample within the margin pays, 2 c_i times its slack
        return replace(found, violation=np.abs(known / (2 * problem.weights[rows]) - found.slack))
    return found


def _by_place(least: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Cases of margins between two ends."""
    on = (least >= 1 - _ON) & (most <= 1 + _ON)
    return np.select([least > 1, most < 1, on], [OUTSIDE, _INSIDE, ON_BOUNDARY], UNDECIDED)


def _sharpened(
    problem: Risk, theta: np.ndarray, slopes: np.ndarray | SlopeRule | None, claim: Certificate
) -> tuple[np.ndarray, RiskEvidence]:
    """Weights nearer to the optimum than those of a fit that has converged, or these, with what proves their gap."""
    own = evaluate_linear(problem, theta, slopes, as_given=True)
    if claim.status is not Status.CONVERGED or own.relative_gap <= _SHARP or problem.penalty.separable is None:
        return theta, own
    solvers = choose_solver(problem)
    if StochasticGradient in solvers:
        return theta, own
    known = own.u if isinstance(slopes, SlopeRule) else slopes
    found = solve_risk(problem, solvers, theta, _SHARP, slopes=known)
    if found.keyboard:
        raise KeyboardInterrupt
    evidence = found.evidence
    return (found.variables, evidence) if evidence.gap < own.gap else (theta, own)


def _of_joint(problem: Any, theta: np.ndarray, alpha: np.ndarray | None, claim: Certificate) -> KKTCases:
    """Cases by multipliers, which sweeps over the samples end at their bounds, where margins leave no doubt of them."""
    W = problem.from_rows(theta)
    own = sharp = _joint_cases(problem, W, alpha)
    if claim.status is Status.CONVERGED:
        found = solve_risk(problem, "auto", W, _SHARP_JOINTLY, slopes=alpha)
        if found.keyboard:
            raise KeyboardInterrupt
        sharp = _joint_cases(problem, found.variables, np.asarray(found.evidence.u))
        sharp = sharp if sharp.violation.max() < own.violation.max() else own
    off, apart = float(sharp.violation.max()), np.abs(sharp.margin - 1)
    # margins that are this much off say nothing of a sample that is nearer to the boundary
    case = np.where(apart <= off, ON_BOUNDARY if off <= _ON else UNDECIDED, sharp.case)
    return replace(replace(sharp, case=case).seen_by(own.margin), note=unconverged(claim, _AGREE))


def _joint_cases(problem: Any, W: np.ndarray, alpha: np.ndarray | None) -> KKTCases:
    f, rows = problem.decision(W), np.flatnonzero(problem.weights > 0)
    if alpha is None:  # weights whose losses prove the gap by themselves: whoever loses is at the bound
        own = np.where(problem.losses(f) > 0, problem.weights, 0.0)
    else:
        own = alpha[np.arange(problem.n), problem.labels]
    own = rounded_multipliers(own, problem.weights, _NEXT)
    return joint_cases(rows, own[rows], problem.weights[rows], f[rows], problem.labels[rows])


def regressor_cases(
    problem: Risk, theta: np.ndarray, slopes: np.ndarray | SlopeRule | None, claim: Certificate
) -> KKTCases:
    """Cases of the one problem of a regressor."""
    best, evidence = _sharpened(problem, theta, slopes, claim)
    low, high = optimal_values(problem, best, evidence)
    rows, epsilon = np.flatnonzero(problem.weights > 0), problem.loss.epsilon
    y, bound = problem.y[rows], _bounds(problem)[rows]
    unit = epsilon + float(np.abs(y - np.median(y)).mean())
    room = 2.0**-52 * np.abs(y)  # of the differences
    near = _ON * unit + 2.0**-48 * float(np.abs(y).max())
    case = _in_tube(y - high[rows] - room, y - low[rows] + room, epsilon, near)
    size = _multipliers(problem, evidence.u)[rows]
    if not problem.smooth:
        size = np.where((case == 2) | (case == 3), bound, size)
    above = np.where((case == 2) | (case == 3), case == 2, evidence.u[rows] < 0)
    signed = np.where(case == 0, 0.0, np.where(above, size, -size))
    found = tube_cases(rows, signed, bound, y - problem.decision(theta)[rows], epsilon)
    found = replace(replace(found, case=case).seen_by(found.margin), note=unconverged(claim, _PROVEN))
    if problem.smooth:
        return replace(found, violation=np.abs(found.multiplier / (2 * problem.weights[rows]) - found.slack))
    return found


def _in_tube(least: np.ndarray, most: np.ndarray, epsilon: float, near: float) -> np.ndarray:
    """Cases of residuals between two ends: inside the tube, on its edge, above, below, undecided."""
    inside = (least > -epsilon) & (most < epsilon)
    on = ((least >= epsilon - near) & (most <= epsilon + near)) | (
        (least >= -epsilon - near) & (most <= near - epsilon)
    )
    return np.select([inside, least > epsilon, most < -epsilon, on], [0, 2, 3, 1], 4)


def _bounds(problem: Risk) -> np.ndarray:
    """Upper bounds of the multipliers."""
    if problem.kind == "hard margin" or not problem.loss.lipschitz < np.inf:
        return np.full(problem.n, np.inf)
    return problem.weights


def _multipliers(problem: Risk, slopes: np.ndarray) -> np.ndarray:
    """Multipliers of the losses; of a hard margin the slopes are the multipliers themselves."""
    return np.abs(slopes) if problem.kind == "hard margin" else problem.weights * np.abs(slopes)
