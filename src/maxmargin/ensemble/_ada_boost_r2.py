"""The rounds of AdaBoost.R2 (Drucker 1997), and what is proven of them.

With weights w_i that add up to 1, round t trains a regressor h_t with the weights (or on a bag drawn by them) and takes

    e_i = |h_t(x_i) - y_i| / the largest of them,   L_i = e_i,  e_i^2  or  1 - exp(-e_i)      (all between 0 and 1)
    eps_t = sum of w_i L_i,   beta_t = eps_t / (1 - eps_t),   alpha_t = rate * ln(1 / beta_t)

and multiplies w_i by beta_t^(rate (1 - L_i)). What is predicted is the median of the h_t with the weights alpha_t.

The proof is that of AdaBoost with a loss between 0 and 1 in the place of right and wrong. Let D be the weights of the
start, A the sum of the alpha_t and m(i) the mean of the losses L_t(i) with weights alpha_t. Where m(i) >= 1/2, 1 <=
exp(A (m(i) - 1/2)), hence

    D{ m >= 1/2 }  <=  sum of D_i exp(sum of alpha_t (L_t(i) - 1/2))  =  prod of Z_t,

whatever the votes. For a rate of 1, Z_t <= 2 sqrt(eps_t (1 - eps_t)), because beta^x <= 1 - (1 - beta) x on [0, 1]. It
says on how many rows the regressors can be bad on the average, in units of their own largest errors; it is no bound on
the error of the median.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..certificates import Status, rounded_up
from ._ada_boost_proof import BoostingGuarantee
from ._ada_boost_rounds import FLOOR, BoostRun

_TINY = float(np.finfo(np.float64).tiny)
_ROUNDING = 1e-12  # relative; sums of a million terms lose four of sixteen digits at worst

# A regressor for these weights, and what it predicts for the rows.
Learn = Callable[[np.ndarray], tuple[Any, np.ndarray]]


def losses(predicted: np.ndarray, y: np.ndarray, counted: np.ndarray, loss: str) -> np.ndarray:
    """Loss of each row between 0 and 1; rows that do not count do not set the largest error."""
    errors = np.abs(predicted - y)
    largest = errors[counted].max()
    if largest <= _ROUNDING * np.abs(y[counted]).max():  # a mean of equal targets differs from them by rounding
        return np.zeros(len(y))
    errors = np.minimum(errors / largest, 1.0)
    if loss == "square":
        return errors**2
    return 1.0 - np.exp(-errors) if loss == "exponential" else errors


def boost_r2(
    learn: Learn,
    y: np.ndarray,
    weights: np.ndarray,
    rounds: int,
    rate: float,
    loss: str,
    stop: Callable[[Any, float], str] | None = None,
) -> BoostRun:
    """Up to so many rounds from weights that add up to 1.

    `stop` is told each regressor with its vote, and says why to end there, or nothing.
    """
    learners: list[Any] = []
    votes: list[float] = []
    means: list[float] = []
    status, ending = Status.CONVERGED, f"all {rounds} rounds were made"
    counted = weights > 0
    for t in range(rounds):
        weights = np.where(counted, np.maximum(weights, FLOOR), 0.0)
        learner, predicted = learn(weights)
        lost = losses(predicted, y, counted, loss)
        eps = float((weights[counted] * lost[counted]).sum())
        if eps <= 0.0:
            learners, votes, means = [learner], [1.0], [0.0]
            ending = f"the regressor of round {t + 1} makes no error, and is the answer alone"
            break
        if eps >= 0.5:
            status, ending = Status.STALLED, f"the regressor of round {t + 1} has a mean loss of 1/2 or more"
            if not learners:  # there is nothing else to predict with
                learners, votes, means = [learner], [1.0], [eps]
            break
        beta = eps / (1.0 - eps)
        learners.append(learner)
        votes.append(float(rate * np.log(1.0 / beta)))
        means.append(eps)
        if stop is not None and (words := stop(learner, votes[-1])):
            ending = words
            break
        weights = np.where(counted, weights * beta ** ((1.0 - lost) * rate), 0.0)
        total = weights.sum()
        if not total > 0:
            status, ending = Status.STALLED, f"the weights vanished in round {t + 1}"
            break
        weights /= total
    return BoostRun(learners, np.array(votes), np.array(means), status, ending)


def prove_r2(
    predictions: Iterable[np.ndarray],
    y: np.ndarray,
    start: np.ndarray,
    votes: np.ndarray,
    claimed: np.ndarray,
    loss: str,
    status: Status,
    ending: str,
) -> BoostingGuarantee:
    """The guarantee from what each regressor predicts for the training rows."""
    start = start / start.sum()
    counted, rounds = start > 0, len(votes)
    weights, free, mean = start.copy(), start.copy(), np.zeros(len(y))
    errors, bad, logs = (np.empty(rounds) for _ in range(3))
    log_bound = total = 0.0
    for t, predicted in enumerate(predictions):
        lost = losses(np.asarray(predicted, dtype=np.float64), y, counted, loss)
        weights = np.where(counted, np.maximum(weights, FLOOR), 0.0)  # the floor of the fit; the proof wants none
        errors[t] = (weights[counted] * lost[counted]).sum()
        change = np.exp(votes[t] * (lost - 1.0))
        weights, free = weights * change, free * change
        log_bound += float(np.log(max(free.sum(), _TINY))) + votes[t] / 2
        weights, free = weights / max(weights.sum(), _TINY), free / max(free.sum(), _TINY)
        mean += votes[t] * lost
        total += float(votes[t])
        bad[t], logs[t] = start[mean >= 0.5 * total].sum(), log_bound
    bounds = np.exp(logs)
    off = float(np.abs(errors - claimed).max(initial=0.0))
    holds = bool((bad <= bounds * (1 + 1e-9)).all()) and off <= 1e-8
    figures = {
        "mean loss 1/2 or more": float(bad[-1]),
        "bound": float(bounds[-1]),
        "largest mean loss": float((mean / total)[counted].max()),
        "smallest edge": float((0.5 - errors).min()),
        "losses off by at most": off,
    }
    return BoostingGuarantee(
        "boosting bound",
        figures,
        _words(figures, rounds, ending, holds),
        holds,
        status,
        rounds,
        errors=errors,
        edges=0.5 - errors,
        training_errors=bad,
        bounds=bounds,
        chance_bounds=bounds,
        margins=1.0 - 2.0 * mean / total,
    )


def _words(figures: dict[str, float], rounds: int, ending: str, holds: bool) -> str:
    made = f"after {rounds} round{'s' if rounds != 1 else ''} ({ending})"
    if not holds:
        return (
            f"Refuted {made}: the losses are off by {figures['losses off by at most']:.3g}; these are not the rows, "
            f"targets and weights of the fit."
        )
    return (
        f"On {figures['mean loss 1/2 or more']:.6g} of the rows the regressors lose 1/2 or more on the average {made}; "
        f"their edges allow at most {rounded_up(figures['bound'], 6)}. Nothing is proven of the error of their median."
    )
