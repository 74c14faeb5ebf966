"""What a page is about: a fitted model, the steps before it, the search that tuned it, and rows.

Where there is an account of a training, rows are parted as they were then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier, is_clusterer, is_outlier_detector, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..data import canonical
from ..engine import cached_property
from ..explanation import Column, UnknownStepError, columns_after
from ..training import Target, TrainingTable, open_table, read_target, split_account, split_again, usable_account
from ._words import listed

BINARY, MULTICLASS, REGRESSION, CLUSTERS, ONE_CLASS = "binary", "multiclass", "regression", "clusters", "one-class"


@dataclass(frozen=True)
class Rows:
    """A table, its targets if it has any, and the number that each row has in the table that was given."""

    X: Any
    y: np.ndarray | None
    numbers: np.ndarray

    @classmethod
    def of(cls, X: Any, y: Any, what: str) -> Rows:
        """Checked: as many targets as rows, one for each."""
        X = canonical(X)
        n = _num_samples(X)
        if y is None:
            return cls(X, None, np.arange(n))
        targets = np.asarray(y)
        if targets.ndim == 2 and targets.shape[1] == 1:
            targets = targets.ravel()
        if targets.ndim != 1:
            raise ValueError(f"{what} must have one target for each row; got shape {targets.shape}.")
        if len(targets) != n:
            raise ValueError(f"{what} has {len(targets)} targets for {n} rows.")
        return cls(X, targets, np.arange(n))

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: np.ndarray) -> Rows:
        """Some of them, with the numbers that they have here."""
        return Rows(_safe_indexing(self.X, rows), None if self.y is None else self.y[rows], self.numbers[rows])


@dataclass(frozen=True)
class Subject:
    """A fitted model with the rows that trained it, those that judge it, and their names.

    Attributes
    ----------
    model : estimator
        As it was given: an estimator, a search or a pipeline.
    estimator : estimator
        What stands at its end, trained on all rows.
    steps : tuple of transformers
        What rows pass before they come to it.
    search : estimator or None
        What has tuned it.
    task : str
        "binary", "multiclass", "regression", "clusters" or "one-class".
    trained : Rows or None
        Rows that trained it, as far as that is known.
    judged : Rows
        Rows that judge it.
    held_out : bool or None
        Whether the judging rows were kept from training; None if that is not known.
    whole : Rows
        All rows that were given.
    names : tuple of str
        Columns of the table.
    class_names : tuple of str
        What to call the classes; empty if there are none.

    """

    model: Any
    estimator: Any
    steps: tuple[Any, ...]
    search: Any
    task: str
    trained: Rows | None
    judged: Rows
    held_out: bool | None
    whole: Rows
    names: tuple[str, ...]
    class_names: tuple[str, ...]
    sample_weight: Any = field(default=None)

    @property
    def apart(self) -> bool:
        """Whether the judging rows are a table of their own."""
        return bool(self.held_out) and self.trained is self.whole

    @property
    def classifies(self) -> bool:
        """Whether targets are classes."""
        return self.task in (BINARY, MULTICLASS)

    def as_seen(self, X: Any) -> Any:
        """Rows as the estimator at the end sees them."""
        for step in self.steps:
            X = step.transform(X)
        return X

    @cached_property
    def trained_as_seen(self) -> Any:
        """The training rows, as the estimator sees them."""
        assert self.trained is not None
        return self.as_seen(self.trained.X)

    @cached_property
    def judged_as_seen(self) -> Any:
        """The judging rows, as the estimator sees them."""
        return self.as_seen(self.judged.X)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of what the estimator sees."""
        return feature_names(self.steps, self.names, getattr(self.estimator, "n_features_in_", len(self.names)))

    @property
    def _judged(self) -> tuple[Any, Any]:
        """What answers for the judging rows, and the rows as it takes them; they are prepared once for all answers.

        A search may answer otherwise than its best estimator, by its calibration.
        """
        return (self.estimator, self.judged_as_seen) if self.search is None else (self.model, self.judged.X)

    @cached_property
    def predicted(self) -> np.ndarray:
        """What the model says of the judging rows."""
        if self.task == CLUSTERS and not hasattr(self.model, "predict"):
            return np.asarray(self.estimator.labels_)
        model, X = self._judged
        return np.asarray(model.predict(X))

    @cached_property
    def probabilities(self) -> np.ndarray | None:
        """Of each class for each judging row; None if the model gives none."""
        model, X = self._judged
        return np.asarray(model.predict_proba(X)) if hasattr(model, "predict_proba") else None

    @cached_property
    def decisions(self) -> np.ndarray | None:
        """Decision values of the judging rows: a column for each class, or one for two classes."""
        by_pairs = len(self.class_names) > 2 and getattr(self.estimator, "decision_function_shape", "") == "ovo"
        model, X = self._judged
        if hasattr(model, "decision_function") and not by_pairs:
            values = np.asarray(model.decision_function(X), dtype=np.float64)
            if values.ndim == 1 or values.shape[1] == len(self.class_names):
                return values
        if self.probabilities is None:
            return None
        return self.probabilities[:, 1] if self.task == BINARY else self.probabilities

    @cached_property
    def labels(self) -> np.ndarray:
        """The number of the class of each judging row."""
        return self.numbered(self.judged.y)

    @cached_property
    def predicted_labels(self) -> np.ndarray:
        """The number of the predicted class of each judging row."""
        return self.numbered(self.predicted)

    def numbered(self, y: Any) -> np.ndarray:
        """The number of each label among the model's classes."""
        classes = np.asarray(self.model.classes_)
        y = np.asarray(y)
        if classes.dtype.kind in "US" or y.dtype == object:
            classes, y = classes.astype(str), y.astype(str)
        order = np.argsort(classes, kind="stable")
        place = np.minimum(np.searchsorted(classes[order], y), len(classes) - 1)
        found = order[place]
        unknown = classes[found] != y
        if unknown.any():
            row = int(unknown.argmax())
            raise ValueError(f"y has the label {y.tolist()[row]!r} in row {row}, which the model has not seen.")
        return found


def unwrapped(model: Any) -> tuple[Any, tuple[Any, ...], Any]:
    """The estimator at the end of pipelines and searches, the steps before it, and the search."""
    steps: list[Any] = []
    search = None
    while True:
        if isinstance(model, Pipeline):
            steps += [step for _, step in model.steps[:-1] if step not in (None, "passthrough")]
            model = model[-1]
        elif hasattr(model, "best_estimator_"):
            search, model = model, model.best_estimator_
        else:
            return model, tuple(steps), search


def task_of(model: Any) -> str:
    """What the model is for."""
    if is_classifier(model):
        check_is_fitted(model)
        return BINARY if len(model.classes_) == 2 else MULTICLASS
    for task, is_it in ((REGRESSION, is_regressor), (CLUSTERS, is_clusterer), (ONE_CLASS, is_outlier_detector)):
        if is_it(model):
            check_is_fitted(model)
            return task
    raise TypeError(
        "model must be a fitted classifier, regressor, clustering or one-class model, or a pipeline that ends in one; "
        f"got {type(model).__name__}."
    )


def column_names(X: Any, given: Any = None) -> tuple[str, ...]:
    """Names of the columns of a table; numbers for those that have none."""
    names = getattr(X, "columns", None) if given is None else given
    if given is None and hasattr(X, "column_names"):  # a table of pyarrow, whose columns are the values
        names = X.column_names
    d = X.shape[1] if hasattr(X, "shape") and len(X.shape) == 2 else len(np.asarray(X)[0])
    if names is None:
        return tuple(f"feature {j}" for j in range(d))
    if isinstance(given, str) or len(list(names)) != d:
        raise ValueError(f"feature_names must have a name for each of the {d} columns; got {given!r}.")
    return tuple(str(name) for name in names)


def feature_names(steps: tuple[Any, ...], names: tuple[str, ...], count: int) -> tuple[str, ...]:
    """What the columns are called after the steps; numbers where a step gives them no names."""
    columns = [Column(name, name) for name in names]
    try:
        for step in steps:
            columns = columns_after(step, columns)
    except UnknownStepError:
        columns = []
    if len(columns) != count:
        return tuple(f"feature {j}" for j in range(count))
    return tuple(column.name for column in columns)


def numbers_of(X: Any) -> Any:
    """A matrix of numbers, sparse if it is; None if there is anything else in it."""
    if sp.issparse(X):
        return sp.csr_array(X)
    try:
        return np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None


# ---------------------------------------------------------------- the account of a training

_NEEDED = ("task", "target", "split", "settings", "scores", "family", "metric_reason")
# What an account says of its own table, and of no other.
_OF_THE_TABLE = ("summary", "scores", "baseline", "baseline_name", "notes", "findings")


def account_of(training: Any) -> Mapping[str, Any]:
    """A training, or what was saved of it, as plain values; empty if there is none."""
    if training is None:
        return {}
    if not isinstance(training, Mapping) and not hasattr(training, "provenance"):
        raise TypeError(f"training must be a Training or its provenance(); got {type(training).__name__}.")
    account, problems = usable_account(training if isinstance(training, Mapping) else training.provenance())
    missing = [key for key in _NEEDED if key not in account]
    if missing:
        why = problems[0] if problems else f"this account has no {listed(missing)}"
        raise ValueError(f"training must be a Training or its provenance(); {why}.")
    return account


def rows_of(account: Mapping[str, Any], X: Any, y: Any) -> Rows:
    """The rows that have a target, from a whole table or from columns and targets."""
    if y is not None:
        return Rows.of(X, y, "y")
    settings = account["settings"]
    table = open_table(X, account["target"], settings.get("columns"))
    found = read_target(table.target, account["task"], bool(settings.get("drop_missing_target")), any_rows=True)
    return whole_rows(table, found)


def whole_rows(table: TrainingTable, target: Target) -> Rows:
    """The rows of a table that have a target."""
    return Rows(table.take(target.rows if target.dropped else None), target.y, np.asarray(target.rows))


def parted(account: Mapping[str, Any], rows: Rows) -> tuple[Rows, Rows] | None:
    """Rows that were trained on and rows that were held out; None if this is not the table of the training."""
    split = account["split"]
    classes = account["task"] != "regression"
    assert rows.y is not None
    total = len(rows) + int(split.get("dropped_rows") or 0)
    if len(rows.numbers) and rows.numbers[-1] >= total:
        return None
    found = split_again(split, rows.y, rows.numbers, total, classes)
    if found is None or split_account(found)["digest"] != split["digest"]:
        return None
    kept, aside = (np.searchsorted(rows.numbers, part) for part in (found.train_rows, found.test_rows))
    return rows.take(kept), rows.take(aside)


def of_another_table(account: Mapping[str, Any]) -> dict[str, Any]:
    """What an account says of the model, for a page about other rows than its own."""
    return {key: value for key, value in account.items() if key not in _OF_THE_TABLE}
