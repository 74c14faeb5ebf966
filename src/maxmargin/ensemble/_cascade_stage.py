"""One stage of a cascade: a boosted vote with a threshold that nearly all positives pass.

Learners are added until, at the highest threshold that lets `min_detection` of the positives pass, at most
`max_false_positive_rate` of the negatives do (Viola and Jones 2001, table 2).

With carried votes the learners of a stage add to the votes F(x) of the stages before (Xiao, Zhu and Zhang 2003).
Boosting goes on where it was: with y = 1 for positives and -1 for negatives, a row starts a stage with a weight in
proportion to exp(-y F / 2), its class being given half of the total.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._ada_boost_classifier import AdaBoostClassifier


@dataclass(frozen=True)
class Stage:
    """A vote, its threshold, and the rates on the rows that the threshold was set on, given that they reached it."""

    model: AdaBoostClassifier
    factor: float  # votes for less votes against are so many times the decision function
    threshold: float = 0.0
    detection: float = 0.0
    false_positive_rate: float = 0.0

    def votes(self, X: Any) -> np.ndarray:
        """Votes for the positive class less those against it."""
        return self.model.decision_function(X) * self.factor

    def __len__(self) -> int:
        return len(self.model.estimators_)


@dataclass(frozen=True)
class StageRows:
    """Rows that reached a stage: whether they are positive, their weights, all above zero, and the votes they carry."""

    X: Any
    positive: np.ndarray
    weights: np.ndarray
    carried: np.ndarray

    @classmethod
    def of(cls, X: Any, positive: np.ndarray, weights: np.ndarray) -> StageRows:
        """Rows at the start."""
        return cls(X, positive, weights, np.zeros(len(weights)))

    def kept(self, mask: np.ndarray) -> StageRows:
        """Some of the rows."""
        return StageRows(self.X[mask], self.positive[mask], self.weights[mask], self.carried[mask])

    def after(self, stage: Stage, carry: bool) -> StageRows:
        """The rows that pass a stage, with its votes if they are to be carried on."""
        values = self.carried + stage.votes(self.X) if len(self.positive) else self.carried
        passed = values > stage.threshold
        return replace(self, carried=values if carry else self.carried).kept(passed)

    def starting_weights(self) -> np.ndarray:
        """Weights to boost from: both classes weigh the same, for a learner must not win by ignoring the rare one."""
        signs, number = np.where(self.positive, -0.5, 0.5), self.positive.astype(np.intp)
        power = signs * self.carried
        heaviest = np.array([power[number == k].max() for k in range(2)])
        weights = self.weights * np.exp(power - heaviest[number])
        of_class = np.bincount(number, weights=weights, minlength=2)
        return weights / (2.0 * of_class[number])


def rates(values: np.ndarray, rows: StageRows, min_detection: float) -> tuple[float, float, float]:
    """The highest threshold that enough of the positives pass, and the rates at it.

    It lies halfway between the last value that has to pass and the next lower one.
    """
    inside = rows.positive
    order = np.argsort(-values[inside], kind="stable")
    ordered, weights = values[inside][order], rows.weights[inside][order]
    share = np.cumsum(weights) / weights.sum()
    last = min(int(np.searchsorted(share, min_detection * (1 - 1e-12))), len(ordered) - 1)
    lowest = ordered[last]
    below = values[values < lowest]
    threshold = float((lowest + below.max()) / 2) if len(below) else float(lowest) - 1.0
    return threshold, *passing(values > threshold, rows)


def passing(passed: np.ndarray, rows: StageRows) -> tuple[float, float]:
    """Shares of the positives and of the negatives that pass; 1 and 0 where there are none."""
    positive = rows.weights * rows.positive
    negative = rows.weights * ~rows.positive
    detection = positive[passed].sum() / positive.sum() if positive.sum() > 0 else 1.0
    return float(detection), float(negative[passed].sum() / negative.sum()) if negative.sum() > 0 else 0.0


def train_stage(
    model: AdaBoostClassifier,
    train: StageRows,
    tune: StageRows,
    before: float,
    min_detection: float,
    max_false_positive_rate: float,
) -> Stage:
    """A stage trained on some rows, its threshold set on others (or the same); `before` are all votes given so far."""
    weights = train.starting_weights()
    used = weights > 0  # shares below the smallest number are 0, and rows without weight are left out of a fit
    if not used.all():
        kept = train.kept(used)
        train, tune, weights = kept, kept if tune is train else tune, weights[used]
    signs = np.where(train.positive, 1.0, -1.0)
    values = tune.carried.copy()

    def enough(learner: Any, wrong: np.ndarray, vote: float) -> str:
        if tune is train:
            said = signs * (1.0 - 2.0 * wrong)
        else:
            said = np.where(learner.predict(tune.X), 1.0, -1.0)
        np.add(values, vote * said, out=values)
        return "enough" if rates(values, tune, min_detection)[2] <= max_false_positive_rate else ""

    model._fit(train.X, train.positive, weights, enough)
    total = float(model.estimator_weights_.sum())
    if model.estimator_errors_[0] == 0:  # a learner without errors overrules all that was said before
        total += 2.0 * before
    stage = Stage(model, total / 2)
    # once more by prediction itself, whose sums are rounded in another order
    threshold, detection, false_positive_rate = rates(tune.carried + stage.votes(tune.X), tune, min_detection)
    return Stage(model, total / 2, threshold, detection, false_positive_rate)
