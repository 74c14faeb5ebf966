"""Scores after each round, and when they say that it is enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.utils import resample

from ...certificates import mean_loss
from ._losses import Loss
from ._series import Series

# Training rows that a score other than the loss is computed of.
_FEW = 10_000


def should_stop(scores: list[float], patience: int, tol: float) -> bool:
    """Whether none of the last scores is better than the one before them."""
    if len(scores) <= patience:
        return False
    wanted = scores[-patience - 1] + tol
    return not any(score > wanted for score in scores[-patience:])


@dataclass
class Rows:
    """Rows as numbers, targets, weights, and the sums of the trees so far, of shape (trees of a round, rows)."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    raw: np.ndarray

    def loss(self, loss: Loss) -> float:
        weight = np.empty(0) if self.weight is None else self.weight
        return mean_loss(loss.kind, loss.quantile, self.y, weight, self.raw)


@dataclass
class Watch:
    """Keeps the scores of training rows and of those that are held out, if any are."""

    model: Any
    loss: Loss
    train: Rows
    held: Rows | None
    train_scores: list[float] = field(default_factory=list)
    held_scores: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.by_loss = isinstance(self.model.scoring, str) and self.model.scoring == "loss"
        self.few: Any = slice(None)
        if self.by_loss:
            return
        self.scorer = check_scoring(self.model, self.model.scoring)
        self.named = self.model.scoring in get_scorer_names() if isinstance(self.model.scoring, str) else False
        n = len(self.train.y)
        if n > _FEW:
            labels = self.train.y if is_classifier(self.model) else None
            self.few = resample(
                np.arange(n), n_samples=_FEW, replace=False, random_state=self.model._random_seed, stratify=labels
            )

    def look(self, new: Series | None) -> None:
        """Add the new trees to the sums of the held-out rows, and note the scores."""
        if self.held is not None and new is not None:
            new.add_to(self.held.X, self.held.raw)
        if self.by_loss:
            self.train_scores.append(-self.train.loss(self.loss))
            if self.held is not None:
                self.held_scores.append(-self.held.loss(self.loss))
            return
        few = self.few
        part = Rows(
            self.train.X[few],
            self.train.y[few],
            None if self.train.weight is None else self.train.weight[few],
            self.train.raw[:, few],
        )
        self.train_scores.append(self._score(part))
        if self.held is not None:
            self.held_scores.append(self._score(self.held))

    def enough(self) -> bool:
        scores = self.train_scores if self.held is None else self.held_scores
        return should_stop(scores, self.model.n_iter_no_change, self.model.tol)

    def _score(self, rows: Rows) -> float:
        """The score of a scorer, which asks the model; of those that scikit-learn knows the sums are told."""
        model = self.model
        y = model.classes_[rows.y.astype(np.int64)] if is_classifier(model) else rows.y
        model._sums_told = rows.raw.T if self.named else None
        try:
            if rows.weight is None:
                return self.scorer(model, rows.X, y)
            return self.scorer(model, rows.X, y, sample_weight=rows.weight)
        finally:
            vars(model).pop("_sums_told", None)
