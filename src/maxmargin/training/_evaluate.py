"""How good a model is on rows that it has not seen, with 95 % intervals.

accuracy            k correct of n: Wilson, (k + z^2/2 +- z sqrt(k(n-k)/n + z^2/4)) / (n + z^2)
balanced accuracy   mean recall of the classes; macro F1: mean over the classes of 2 TP / (2 TP + FP + FN).
                    Bootstrap: rows drawn with replacement are a multinomial draw of the cells of the confusion
                    matrix, which costs the same for any number of rows.
AUC                 share of pairs (one of each class) in the right order; variance by DeLong et al. (1988), from the
                    mean rank of each row among those of the other class.
R2, RMSE, MAE       functions of the sums of 1, y, y^2, r^2, |r|; rows are drawn with replacement, in blocks where
                    there are more than 2000.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import is_classifier

from ._table import TrainingTable, open_table
from ._target import read_labels, read_values
from ._training import Score, TrainingError

_Z = 1.959963984540054  # 95 %
_DRAWS = 2000
_BLOCKS = 2000


def score_by(metric: str, y: np.ndarray, predictions: np.ndarray) -> float:
    """One figure, more is better: what families and candidates are compared by."""
    if metric == "accuracy":
        return float(np.mean(y == predictions))
    if metric == "balanced accuracy":
        # over the classes that are there; a fold may lack a rare one
        codes = np.unique(y, return_inverse=True)[1]
        return float(np.mean(np.bincount(codes, weights=y == predictions) / np.bincount(codes)))
    spread = float(((y - y.mean()) ** 2).sum())
    residual = float(((y - predictions) ** 2).sum())
    return 1.0 - residual / spread if spread > 0 else float(residual == 0.0)


def classification_scores(
    y: np.ndarray, predictions: np.ndarray, values: np.ndarray | None, classes: np.ndarray, seed: int = 0
) -> dict[str, Score]:
    """Accuracy, balanced accuracy, macro F1, and of two classes AUC where there are decision values of the second.

    Parameters
    ----------
    y, predictions : ndarray
        Labels.
    values : ndarray or None
        More of it speaks for ``classes[1]``.
    classes : ndarray
        All labels that may occur.
    seed : int
        Of the bootstrap.

    """
    if not len(y):
        return {}
    both = np.unique(np.concatenate([classes, np.unique(y)]))  # a table to evaluate on may have labels of its own
    K = len(both)
    cells = np.searchsorted(both, y) * K + np.searchsorted(both, predictions)
    matrix = np.bincount(cells, minlength=K * K).reshape(1, K, K).astype(np.float64)
    drawn = _drawn_matrices(matrix[0], np.random.default_rng([seed, 11]))
    right = float(np.trace(matrix[0]))
    scores = [Score("accuracy", right / len(y), *wilson(right, len(y)), "Wilson")]
    for name, figure in (("balanced accuracy", _balanced), ("macro F1", _f1)):
        scores.append(Score(name, float(figure(matrix)[0]), *ends_of(figure(drawn)), "bootstrap"))
    if values is not None and len(classes) == 2 and len(both) == 2 and 0 < (y == classes[1]).sum() < len(y):
        value, low, high = auc(y == classes[1], values)
        scores.append(Score("AUC", value, low, high, "DeLong"))
    return {score.name: score for score in scores}


def wilson(right: float, n: int) -> tuple[float, float]:
    """Ends of Wilson's interval for a share."""
    middle, half = right + _Z**2 / 2, _Z * np.sqrt(right * (n - right) / n + _Z**2 / 4)
    return max(0.0, float((middle - half) / (n + _Z**2))), min(1.0, float((middle + half) / (n + _Z**2)))


def _drawn_matrices(matrix: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Confusion matrices of rows drawn with replacement; only cells that hold rows are drawn, a part at a time."""
    full = np.flatnonzero(matrix.ravel())
    K, n = len(matrix), int(matrix.sum())
    draws = min(_DRAWS, max(200, 20_000_000 // (K * K)))  # of many classes fewer, to bound the memory
    out = np.zeros((draws, K * K))
    out[:, full] = generator.multinomial(n, matrix.ravel()[full] / n, size=draws)
    return out.reshape(draws, K, K)


def _balanced(matrices: np.ndarray) -> np.ndarray:
    rows, right = matrices.sum(axis=2), np.diagonal(matrices, axis1=1, axis2=2)
    return _mean_of_shares(right, rows)


def _f1(matrices: np.ndarray) -> np.ndarray:
    rows, said, right = matrices.sum(axis=2), matrices.sum(axis=1), np.diagonal(matrices, axis1=1, axis2=2)
    return _mean_of_shares(2 * right, rows + said)


def _mean_of_shares(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Mean over the classes that occur."""
    there = below > 0
    return np.where(there, above / np.where(there, below, 1.0), 0.0).sum(axis=1) / there.sum(axis=1)


def auc(positive: np.ndarray, values: np.ndarray) -> tuple[float, float, float]:
    """The area under the curve and its interval."""
    values = np.asarray(values, dtype=np.float64)
    a, b = values[positive], values[~positive]
    ranks = rankdata(values)
    above = (ranks[positive] - rankdata(a)) / len(b)  # of each positive row: share of the others below it
    below = 1.0 - (ranks[~positive] - rankdata(b)) / len(a)
    area = float(above.mean())
    variance = sum(part.var(ddof=1) / len(part) for part in (above, below) if len(part) > 1)
    if area in (0.0, 1.0):  # no pair in the wrong order says little of a few rows: as if one row of each class had one
        m, n = len(a), len(b)
        variance = (1 / (m + 1)) ** 2 * (1 + 1 / m) / m + (1 / (n + 1)) ** 2 * (1 + 1 / n) / n
    half = _Z * float(np.sqrt(variance))
    return area, max(0.0, area - half), min(1.0, area + half)


def regression_scores(y: np.ndarray, predictions: np.ndarray, seed: int = 0) -> dict[str, Score]:
    """R2, RMSE and MAE."""
    if not len(y):
        return {}
    r = y - predictions
    middle = y.mean()  # sums of squares of large numbers would cancel
    rows = np.column_stack([np.ones(len(y)), y - middle, (y - middle) ** 2, r**2, np.abs(r)])
    generator = np.random.default_rng([seed, 12])
    if len(rows) > _BLOCKS:
        order = generator.permutation(len(rows))
        rows = np.array([part.sum(axis=0) for part in np.array_split(rows[order], _BLOCKS)])
    figures = _figures(rows.sum(axis=0, keepdims=True))
    drawn = np.empty((_DRAWS, rows.shape[1]))
    for d in range(_DRAWS):
        drawn[d] = np.bincount(generator.integers(len(rows), size=len(rows)), minlength=len(rows)) @ rows
    spread = _figures(drawn)
    scores = [
        Score(name, float(figures[name][0]), *ends_of(spread[name]), "bootstrap", name == "R2") for name in figures
    ]
    return {score.name: score for score in scores}


def _figures(sums: np.ndarray) -> dict[str, np.ndarray]:
    n, first, second, squares, sizes = sums.T
    spread = second - first**2 / n
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = np.where(spread > 0, 1.0 - squares / spread, np.nan)
    return {"R2": r2, "RMSE": np.sqrt(squares / n), "MAE": sizes / n}


def ends_of(values: np.ndarray) -> tuple[float, float]:
    """Ends of a 95 % interval of drawn figures."""
    values = values[np.isfinite(values)]
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


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
