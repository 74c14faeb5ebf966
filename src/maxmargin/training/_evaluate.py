"""How good a model is on rows that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ._errors import TrainingError
from ._scores import classification_scores, regression_scores
from ._table import TrainingTable, open_table
from ._target import read_labels, read_values
from ._training import Score


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Figures of a model on a table with targets.

    Attributes
    ----------
    task : {"binary", "multiclass", "regression"}
    rows : int
        Rows that were scored.
    scores : dict of str to Score
    baseline : dict of str to Score
        The same figures of the best constant answer for these rows.
    baseline_name : str
        Which that is, in words.
    y, predictions : ndarray
        Targets and answers, row by row.
    row_numbers : ndarray of int
        The rows of the table that were scored.
    notes : tuple of str
        Such as rows without a target that were left out.

    """

    task: str
    rows: int
    scores: dict[str, Score]
    baseline: dict[str, Score]
    baseline_name: str
    y: Any
    predictions: Any
    row_numbers: Any
    notes: tuple[str, ...] = ()


def evaluate(model: Any, data: Any, target: str | None = None, *, seed: int = 0) -> Evaluation:
    """Score a model on the rows of a table; rows without a target are left out.

    Parameters
    ----------
    model : estimator
        Predicts from `data`: a pipeline as `train` makes it.
    data : data frame or SparseTable
    target : str
        Name of the target column; not for sparse tables.
    seed : int, default=0
        Of the bootstrap.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from maxmargin.training import evaluate, train
    >>> table = load_wine(as_frame=True).frame
    >>> training = train(table[:140], "target", model="linear", test=0)
    >>> evaluate(training.model, table[140:], "target").rows
    38

    """
    table = open_table(data, target)
    classes = getattr(model, "classes_", None) if is_classifier(model) else None
    y, rows = read_values(table.target) if classes is None else read_labels(table.target, np.asarray(classes))
    X = fitting_rows(model, table, rows)
    notes = []
    if len(rows) < table.rows:
        notes.append(f"{table.rows - len(rows)} rows without a target were left out")
    predictions, values = _answers(model, X, classes)
    scores = _scores(y, predictions, values, classes, seed)
    baseline, name = constant_scores(y, y, classes is not None, seed)
    task = "regression" if classes is None else "binary" if len(classes) == 2 else "multiclass"
    if classes is not None and not np.isin(y, classes).all():
        unknown = np.unique(y[~np.isin(y, classes)])
        notes.append(f"the model does not know {', '.join(map(str, unknown[:3].tolist()))}, which count as errors")
    return Evaluation(task, len(y), scores, baseline, name, y, predictions, rows, tuple(notes))


def fitting_rows(model: Any, table: TrainingTable, rows: np.ndarray) -> Any:
    """Rows as the model takes them. Sparse ones may end before its last column: a file lists what is not 0."""
    X = table.take(rows)
    if not table.sparse:
        return X
    width = getattr(model, "n_features_in_", X.shape[1])
    if X.shape[1] > width:
        raise TrainingError(f"the table has {X.shape[1]} columns and the model was trained on {width}.")
    if X.shape[1] < width:
        X = X.copy()
        X.resize((X.shape[0], width))
    return X


def scores_of(model: Any, X: Any, y: np.ndarray, seed: int) -> dict[str, Score]:
    """Held-out figures of a fitted model."""
    classes = getattr(model, "classes_", None) if is_classifier(model) else None
    return _scores(y, *_answers(model, X, classes), classes, seed)


def _answers(model: Any, X: Any, classes: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Predictions, and of two classes what speaks for the second: decision values, or probabilities."""
    if classes is None or len(classes) != 2:
        return np.asarray(model.predict(X)), None
    if hasattr(model, "decision_function"):
        return np.asarray(model.predict(X)), np.asarray(model.decision_function(X)).ravel()
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(X)), None
    # trees, forests, neighbours: the prediction is the most probable class, and all rows need not be walked twice
    shares = np.asarray(model.predict_proba(X))
    return np.asarray(classes)[shares.argmax(axis=1)], shares[:, 1]


def _scores(
    y: np.ndarray, predictions: np.ndarray, values: np.ndarray | None, classes: Any, seed: int
) -> dict[str, Score]:
    if classes is None:
        return regression_scores(y, predictions, seed)
    return classification_scores(y, predictions, values, np.asarray(classes), seed)


def constant_scores(y: np.ndarray, y_test: np.ndarray, classes: bool, seed: int) -> tuple[dict[str, Score], str]:
    """Figures of the answer that is best without looking at any column; and what that is, in words."""
    if not classes:
        mean = float(y.mean())
        return regression_scores(y_test, np.full(len(y_test), mean), seed), f"always the mean, {mean:.4g}"
    labels, counts = np.unique(y, return_counts=True)
    common = labels[counts.argmax()]
    values = np.zeros(len(y_test)) if len(labels) == 2 else None
    said = np.full(len(y_test), common)
    return classification_scores(y_test, said, values, labels, seed), f"always the most frequent class, {str(common)!r}"
