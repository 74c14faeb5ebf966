"""Optimality cases of a linear machine's training samples, from its dual slopes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import KKTCases, joint_cases, kkt_cases, rounded_multipliers, tube_cases
from ..data import check_array
from ..estimators import check_same_rows, check_training, check_weights
from ..problems import Risk
from ._formulation import LinearFormulation
from ._start import dense_coef
from ._training import training_again


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
    theta = np.column_stack([dense_coef(machine), machine.intercept_])
    joint = formulation.joint_problem(training, 1)
    if joint is not None:
        return _of_joint(joint, theta, machine._slopes[0])
    problem, parts = formulation.problems(training, 1), []
    for k, (w, slopes) in enumerate(zip(theta, machine._slopes, strict=True)):
        part = problem(k)
        f = part.decision(w)
        rows = np.flatnonzero(part.weights > 0)
        multiplier, bound = _multipliers(part, f, slopes, formulation.hard)
        found = kkt_cases(k, rows, multiplier[rows], bound[rows], (part.y * f)[rows])
        parts.append(found if np.isfinite(bound).all() or formulation.hard else _of_squares(found, part.weights[rows]))
    return KKTCases.concatenate(parts)


def _of_joint(problem: Any, theta: np.ndarray, alpha: np.ndarray | None) -> KKTCases:
    f, rows = problem.decision(problem.from_rows(theta)), np.flatnonzero(problem.weights > 0)
    if alpha is None:  # weights whose losses prove the gap by themselves: whoever loses is at the bound
        own = np.where(problem.losses(f) > 0, problem.weights, 0.0)
    else:
        own = alpha[np.arange(problem.n), problem.labels]
    own = rounded_multipliers(own, problem.weights)
    return joint_cases(rows, own[rows], problem.weights[rows], f[rows], problem.labels[rows])


def regressor_cases(problem: Risk, theta: np.ndarray, slopes: np.ndarray | None) -> KKTCases:
    """Cases of the one problem of a regressor."""
    f, rows = problem.decision(theta), np.flatnonzero(problem.weights > 0)
    multiplier, bound = _multipliers(problem, f, slopes, False)
    residual = problem.y - f
    u = problem.loss.derivative(f, problem.y) if slopes is None else slopes
    signed = -np.sign(u) * multiplier
    found = tube_cases(rows, signed[rows], bound[rows], residual[rows], problem.loss.epsilon)
    if np.isfinite(bound).all():
        return found
    # with a square a sample pays as soon as it leaves the tube, and the more the further it is outside
    outside = np.where(signed[rows] > 0, 2, 3)
    violation = np.abs(multiplier[rows] / (2 * problem.weights[rows]) - found.slack)
    return replace(found, case=np.where(multiplier[rows] > 0, outside, 0), violation=violation)


def _multipliers(problem: Risk, f: np.ndarray, slopes: np.ndarray | None, hard: bool) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers of the losses, and their bounds; of a hard margin the slopes are the multipliers themselves."""
    if hard:
        assert slopes is not None
        return np.abs(slopes), np.full(len(f), np.inf)
    u = problem.loss.derivative(f, problem.y) if slopes is None else slopes
    bound = problem.weights if problem.loss.lipschitz < np.inf else np.full(len(f), np.inf)
    return rounded_multipliers(problem.weights * np.abs(u), bound), bound


def _of_squares(found: KKTCases, weights: np.ndarray) -> KKTCases:
    """With a squared hinge every sample within the margin pays, 2 c_i times its slack, and none is on the boundary."""
    case = np.where(found.multiplier <= 0, 0, np.where(found.margin >= 0, 2, 3))
    return replace(found, case=case, violation=np.abs(found.multiplier / (2 * weights) - found.slack))
