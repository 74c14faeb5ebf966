"""Checked samples of a linear classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import Rows, validate_data
from ..estimators import check_every_class, check_weights, class_weights, encode_labels


@dataclass(frozen=True)
class Training:
    """Checked samples: rows, the number of each one's class, and its weight (without C)."""

    rows: Rows
    label: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    class_weight: np.ndarray

    @property
    def problems(self) -> int:
        """Two classes are one problem; more are one a class."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    def signs(self, k: int) -> np.ndarray:
        """Labels of problem k: +1 for its class, -1 for all others."""
        if self.problems == 1:
            return 2.0 * self.label - 1.0
        return np.where(self.label == k, 1.0, -1.0)

    def name(self, k: int) -> str:
        """What problem k is called in reports and certificates."""
        positive, other = (1, self.classes[0]) if self.problems == 1 else (k, "the rest")
        return f"{self.classes[positive]} against {other}"


def training_rows(machine: Any, X: Any, y: Any, y_numeric: bool = False) -> tuple[Any, np.ndarray]:
    """Checked X (float32 or float64, dense or CSR, not copied if it is one of those) and y."""
    rules: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}
    return validate_data(machine, X, y, y_numeric=y_numeric, **rules)


def training_of(machine: Any, X: Any, y: Any, sample_weight: Any) -> Training:
    """Checked samples for a fit."""
    X, y = training_rows(machine, X, y)
    weight = check_weights(sample_weight, X)
    classes, label = encode_labels(y)
    if weight is not None:
        check_every_class(classes, label, weight)
    class_weight = class_weights(machine.class_weight, classes, label, weight)
    return Training(Rows(X), label, _combined(machine, label, weight, class_weight), classes, class_weight)


def training_again(machine: Any, X: Any, y: np.ndarray, weight: np.ndarray | None, in_chunks: bool) -> Training | None:
    """The training data of a model again; None if its classes or their weights are not those of y.

    `in_chunks`: the model may have been trained in chunks, the last of which need not have every class.
    """
    present = np.unique(y)
    classes = np.asarray(machine.classes_)
    if classes.ndim != 1 or not np.array_equal(classes, np.unique(classes)):
        return None
    if not (np.isin(present, classes).all() if in_chunks else np.array_equal(present, classes)):
        return None
    label = np.searchsorted(classes, y)
    known = np.asarray(machine.class_weight_, dtype=np.float64)
    if known.shape != classes.shape:
        return None
    if not in_chunks and not np.array_equal(known, class_weights(machine.class_weight, classes, label, weight)):
        return None
    return Training(Rows(X), label, _combined(machine, label, weight, known), classes, known)


def training_with_known_labels(machine: Any, X: Any, y: np.ndarray, sample_weight: Any) -> Training:
    """Checked samples with labels of the classes that the model has, not all of which need be there."""
    unknown = np.setdiff1d(y, machine.classes_)
    if unknown.size:
        raise ValueError(f"y has labels that the model was not trained on: {list(unknown)}.")
    label = np.searchsorted(machine.classes_, y)
    weight = check_weights(sample_weight, X)
    combined = _combined(machine, label, weight, machine.class_weight_)
    return Training(Rows(X), label, combined, machine.classes_, machine.class_weight_)


def _combined(machine: Any, label: np.ndarray, weight: np.ndarray | None, class_weight: np.ndarray) -> np.ndarray:
    """Weight of sample times weight of class."""
    by_class = np.ones(len(label)) if machine.class_weight is None else class_weight[label]
    return by_class if weight is None else by_class * weight
