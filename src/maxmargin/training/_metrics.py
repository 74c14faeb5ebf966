"""What candidates are compared by: figures of predictions, of decision values and of probabilities; more is better.

Errors count negatively, so that the best is the largest of each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..messages import Argument
from ._evaluate import auc, ends_of, score_by
from ._training import Score, TrainingError

PLAIN = ("accuracy", "balanced accuracy", "AUC", "log loss", "R2", "MAE", "RMSE")
_OF_NUMBERS = ("R2", "MAE", "RMSE", "pinball")
_ERRORS = ("log loss", "MAE", "RMSE", "pinball")
_SMALLEST = 1e-15  # of a probability whose logarithm is taken
_DRAWS = 1000


def kind_of(metric: str) -> str:
    """The name without what follows the colon: ``"F1"`` of ``"F1:yes"``."""
    return metric.partition(":")[0]


def check_metric(metric: Any) -> None:
    """Refuse what is no metric."""
    if isinstance(metric, str):
        name, colon, rest = metric.partition(":")
        if metric in ("auto", *PLAIN) or (name == "F1" and rest):
            return
        if name == "pinball" and colon and _quantile(rest) is not None:
            return
    names = ", ".join(map(repr, ("auto", *PLAIN)))
    words = f"metric must be one of {names}, 'F1:LABEL' of a class or 'pinball:Q' of a quantile (0.9); got {metric!r}."
    raise TrainingError(words, argument="metric")


def _quantile(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < 1 else None


def check_for(metric: str, classes: np.ndarray | None) -> None:
    """Refuse a metric that does not judge this target."""
    asked, kind = Argument("metric", metric), kind_of(metric)
    if (kind in _OF_NUMBERS) == (classes is not None):
        right = "'accuracy', 'AUC' or 'log loss'" if classes is not None else "'R2', 'MAE' or 'RMSE'"
        raise TrainingError(asked, f" does not judge {'classes' if classes is not None else 'numbers'}; use {right}.")
    if classes is None:
        return
    if kind == "AUC" and len(classes) != 2:
        raise TrainingError(asked, f" is of two classes, and the target has {len(classes)}; use 'log loss'.")
    if kind == "F1" and label_of(metric, classes) is None:
        known = ", ".join(map(repr, map(str, classes.tolist()[:5])))
        raise TrainingError(asked, f" names a class that the target does not have; it has {known}.")


def label_of(metric: str, classes: np.ndarray) -> Any:
    """The class that F1 is of."""
    wanted = metric.partition(":")[2]
    return next((label for label in classes.tolist() if str(label) == wanted), None)


def needs_probabilities(metric: str) -> bool:
    """Whether predictions do not do."""
    return metric == "log loss"


def by_predictions(metric: str) -> bool:
    """Whether predictions do."""
    return metric not in ("AUC", "log loss")


def shown_name(metric: str) -> str:
    """What a column of such scores is called."""
    return f"minus {metric}" if kind_of(metric) in _ERRORS else metric


def figure(metric: str, y: np.ndarray, predictions: np.ndarray) -> float:
    """Of predictions."""
    kind, rest = kind_of(metric), metric.partition(":")[2]
    if kind in ("MAE", "RMSE"):
        r = y - predictions
        return -float(np.abs(r).mean()) if kind == "MAE" else -float(np.sqrt((r**2).mean()))
    if kind == "pinball":
        return -float(_pinball(float(rest), y, predictions).mean())
    if kind == "F1":
        truth, said = y.astype(str) == rest, predictions.astype(str) == rest
        both = truth.sum() + said.sum()
        return float(2 * (truth & said).sum() / both) if both else 0.0
    return score_by(metric, y, predictions)


def _pinball(q: float, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    r = y - predictions
    return np.maximum(q * r, (q - 1) * r)


def judge(metric: str, model: Any, X: Any, y: np.ndarray) -> float:
    """Of a fitted model on rows."""
    if by_predictions(metric):
        return figure(metric, y, np.asarray(model.predict(X)))
    classes = np.asarray(model.classes_)
    if metric == "log loss":
        return -float(_log_losses(model, X, y).mean())
    if len(classes) != 2 or not 0 < (y == classes[1]).sum() < len(y):
        return float("nan")
    if hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(X)).ravel()
    else:
        values = np.asarray(model.predict_proba(X))[:, 1]
    return auc(y == classes[1], values)[0]


def _log_losses(model: Any, X: Any, y: np.ndarray) -> np.ndarray:
    classes = np.asarray(model.classes_)
    shares = np.asarray(model.predict_proba(X), dtype=np.float64)
    place = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    of_truth = np.where(classes[place] == y, shares[np.arange(len(y)), place], 0.0)
    return -np.log(np.clip(of_truth, _SMALLEST, 1.0))


def own_score(metric: str, model: Any, X: Any, y: np.ndarray, seed: int) -> dict[str, Score]:
    """The metric on held-out rows, where it is not among the usual figures; with a bootstrap over the rows."""
    kind = kind_of(metric)
    if kind not in ("log loss", "pinball", "F1"):
        return {}
    generator = np.random.default_rng([seed, 13])
    drawn = [generator.integers(len(y), size=len(y)) for _ in range(_DRAWS if len(y) < 20_000 else 200)]
    if kind == "F1":
        said = np.asarray(model.predict(X))
        value, values = figure(metric, y, said), np.array([figure(metric, y[rows], said[rows]) for rows in drawn])
    else:
        losses = (
            _log_losses(model, X, y)
            if kind == "log loss"
            else _pinball(float(metric.partition(":")[2]), y, np.asarray(model.predict(X)))
        )
        value, values = float(losses.mean()), np.array([losses[rows].mean() for rows in drawn])
    return {metric: Score(metric, value, *ends_of(values), "bootstrap", kind == "F1")}
