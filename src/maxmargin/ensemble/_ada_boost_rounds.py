"""The rounds of AdaBoost, for any number K of classes (SAMME: Zhu, Zou, Rosset and Hastie 2009, algorithm 2).

With weights w_i of the rows that add up to 1, round t

1. trains a learner h_t with the weights w, or on a bag drawn with probabilities w,
2. takes its weighted error  eps_t = sum of w_i over the rows with h_t(x_i) != y_i,
3. gives it the vote         alpha_t = rate * (ln((1 - eps_t) / eps_t) + ln(K - 1)),
4. multiplies the weight of every row that it got wrong by e^alpha_t, and lets the weights add up to 1 again.

The class with most votes wins. For K = 2 this is the AdaBoost of Freund and Schapire with the votes doubled: there
right rows are divided by e^(alpha/2) and wrong ones multiplied by it, and of both only the ratio counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..certificates import Status
from ..engine import jit, jit_sums, warn

# Weights that fall below are held there, as in scikit-learn: a row must not get lost to rounding for good.
FLOOR = float(np.finfo(np.float64).eps)
_NO_EDGE = 1e-10  # an edge of that size is rounding, and a vote of it moves nothing

# A learner for these weights, and a 1 for each row that it gets wrong.
Learn = Callable[[np.ndarray], tuple[Any, np.ndarray]]
# Told of each learner, what it gets wrong and its vote; says why that is enough, and nothing if it is not.
StoppingRule = Callable[[Any, np.ndarray, float], str]


class NoEdgeError(ValueError):
    """The first learner is no better than guessing: there is nothing to boost."""


@dataclass(frozen=True)
class BoostRun:
    """Learners, their votes and weighted errors, how it ended, and that in words."""

    learners: list[Any]
    votes: np.ndarray
    errors: np.ndarray
    status: Status
    ending: str


@jit_sums
def _totals(weights, wrong):  # type: ignore[no-untyped-def]
    """Weight of all rows, and of those that are wrong."""
    total = missed = 0.0
    for i in range(weights.shape[0]):
        total += weights[i]
        missed += weights[i] * wrong[i]
    return total, missed


@jit
def _reweigh(weights, wrong, right_factor, wrong_factor, floor):  # type: ignore[no-untyped-def]
    for i in range(weights.shape[0]):
        w = weights[i] * (wrong_factor if wrong[i] else right_factor)
        # rows without any weight stay without it
        weights[i] = floor if 0.0 < weights[i] and w < floor else w


def boost(
    learn: Learn, weights: np.ndarray, rounds: int, rate: float, classes: int, enough: StoppingRule | None = None
) -> BoostRun:
    """Up to so many rounds from weights that add up to 1, and that are changed."""
    learners: list[Any] = []
    votes: list[float] = []
    errors: list[float] = []
    status, ending = Status.CONVERGED, f"all {rounds} rounds were made"
    _reweigh(weights, np.zeros(len(weights), np.uint8), 1.0, 1.0, FLOOR)
    for t in range(rounds):
        learner, wrong = learn(weights)
        total, missed = _totals(weights, wrong)
        eps = missed / total
        if eps <= 0.0:
            # votes have no upper limit here: this learner alone is the answer
            learners, votes, errors = [learner], [1.0], [0.0]
            ending = f"the learner of round {t + 1} makes no error, and is the answer alone"
            break
        if eps >= 1.0 - 1.0 / classes - _NO_EDGE:
            if not learners:
                raise NoEdgeError(
                    f"the learner of the first round is not better than random: its weighted error is {eps:.6g}, and "
                    f"guessing among {classes} classes has {1 - 1 / classes:.6g}. Learners worse than random cannot be "
                    f"boosted; give another estimator, or columns that tell the classes apart."
                )
            status, ending = Status.STALLED, f"the learner of round {t + 1} has no edge over guessing"
            break
        alpha = rate * (np.log((1.0 - eps) / eps) + np.log(classes - 1.0))
        learners.append(learner)
        votes.append(float(alpha))
        errors.append(float(eps))
        if enough is not None and (reason := enough(learner, wrong, float(alpha))):
            ending = f"{reason} after round {t + 1}"
            break
        with np.errstate(over="ignore"):
            factor = np.exp(alpha)
            grown = total - missed + factor * missed
        if not np.isfinite(grown):
            warn(
                f"Sample weights have reached infinite values in round {t + 1}, and boosting ends there; "
                f"learning_rate={rate:g} is too large, and from 2 on nothing is gained by a round.",
                UserWarning,
                stacklevel=4,
            )
            status, ending = Status.STALLED, f"the weights overflowed in round {t + 1}"
            break
        if t + 1 < rounds:
            _reweigh(weights, wrong, 1.0 / grown, factor / grown, FLOOR)
    return BoostRun(learners, np.array(votes), np.array(errors), status, ending)
