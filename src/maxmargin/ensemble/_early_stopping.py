"""When boosting has gone far enough: the vote has no training error, or has not improved on rows that are held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ._ada_boost_rounds import BoostRun, StoppingRule
from ._errors import UnmetSettingError

# The numbers of the classes that a learner says of rows.
Said = Callable[[Any, Any], np.ndarray]
# From predictions, a column a regressor, and votes to what is predicted.
Median = Callable[[np.ndarray, np.ndarray], np.ndarray]


class RunningVote:
    """The vote over rows as learners come."""

    def __init__(self, label: np.ndarray, weights: np.ndarray, classes: int) -> None:
        self.label, self.weights = label, weights / weights.sum()
        self.polls, self.rows = np.zeros((len(label), classes)), np.arange(len(label))

    def add(self, said: np.ndarray, vote: float) -> float:
        """The weighted error with one more learner; of equal sums the first class wins, as in predictions."""
        self.polls[self.rows, said] += vote
        return float(self.weights[self.polls.argmax(axis=1) != self.label].sum())


class NoTrainingError:
    """Enough once the vote makes no error on the training rows."""

    def __init__(self, vote: RunningVote, X: Any, says: Said) -> None:
        self.vote, self.X, self.says = vote, X, says

    def __call__(self, learner: Any, wrong: np.ndarray, alpha: float) -> str:
        if self.vote.polls.shape[1] == 2:  # wrong means the other class
            said = np.where(wrong, 1 - self.vote.label, self.vote.label)
        else:
            said = self.says(learner, self.X)
        return "no training error" if self.vote.add(said, alpha) == 0.0 else ""


class ValidationError:
    """Enough once so many rounds have not lowered the error on rows that were held out."""

    def __init__(self, vote: RunningVote, X: Any, says: Said, patience: int) -> None:
        self.vote, self.X, self.says, self.patience = vote, X, says, patience
        self.errors: list[float] = []

    def __call__(self, learner: Any, wrong: np.ndarray, alpha: float) -> str:
        self.errors.append(self.vote.add(self.says(learner, self.X), alpha))
        return (
            f"no lower error on held-out rows in {self.patience} rounds"
            if len(self.errors) - self.best >= self.patience
            else ""
        )

    @property
    def best(self) -> int:
        """Rounds after which the error was least, the first such number."""
        return int(np.argmin(self.errors)) + 1


class MedianError:
    """Enough once so many rounds have not lowered the squared error of the weighted median on held-out rows."""

    def __init__(self, X: Any, y: np.ndarray, weights: np.ndarray, median: Median, patience: int) -> None:
        self.X, self.y, self.weights, self.median, self.patience = X, y, weights / weights.sum(), median, patience
        self.columns: list[np.ndarray] = []
        self.votes: list[float] = []
        self.errors: list[float] = []

    def __call__(self, learner: Any, vote: float) -> str:
        self.columns.append(learner.predict(self.X))
        self.votes.append(vote)
        rest = self.median(np.array(self.columns).T, np.array(self.votes)) - self.y
        self.errors.append(float(self.weights @ np.square(rest, dtype=np.float64)))
        if len(self.errors) - self.best < self.patience:
            return ""
        return f"no lower error on held-out rows in {self.patience} rounds"

    @property
    def best(self) -> int:
        """Rounds after which the error was least, the first such number."""
        return int(np.argmin(self.errors)) + 1

    @property
    def scores(self) -> np.ndarray:
        """Coefficients of determination by round; targets that are all alike have none but 1 and 0."""
        spread = float(self.weights @ np.square(self.y - self.weights @ self.y))
        errors = np.array(self.errors)
        return 1.0 - errors / spread if spread > 0 else (errors == 0).astype(np.float64)


def best_rounds(run: BoostRun, best: int) -> BoostRun:
    """The rounds up to the one after which the error on held-out rows was lowest."""
    if best >= len(run.learners):
        return run
    ending = f"{run.ending}; the learners of the first {best} rounds are kept, after which that error was lowest"
    return replace(run, learners=run.learners[:best], votes=run.votes[:best], errors=run.errors[:best], ending=ending)


def first_of(rules: list[StoppingRule]) -> StoppingRule | None:
    """One that says what the first of several says; all of them are told of every round."""

    def rule(learner: Any, wrong: np.ndarray, alpha: float) -> str:
        said = [one(learner, wrong, alpha) for one in rules]
        return next((words for words in said if words), "")

    return rule if rules else None


def held_out(label: np.ndarray, counted: np.ndarray, fraction: float, seed: int) -> np.ndarray:
    """A mask of rows to validate on: this share of each class, of those that count, and never a whole class."""
    held = np.zeros(len(label), dtype=bool)
    generator = np.random.RandomState([seed, 1])
    for k in range(int(label.max()) + 1):
        rows = generator.permutation(np.flatnonzero((label == k) & counted))
        held[rows[: min(round(fraction * len(rows)), len(rows) - 1)]] = True
    if not held.any():
        raise UnmetSettingError(
            f"validation_fraction={fraction:g} holds no row out of n_samples={np.count_nonzero(counted)}: give a "
            "larger share, or 0 to boost without validation."
        )
    return held
