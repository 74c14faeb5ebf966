"""What a classifier says of margins: the case of each training sample, and values in the plane of a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from ...certificates import ON_BOUNDARY, OUTSIDE, KKTCases, inside_cases
from ...kernel_model import KernelLogisticRegression, KernelPerceptron
from ...linear_model import LinearClassifier, LogisticRegression, Perceptron
from ...svm import is_large
from .._features import in_column_order, numbers_of

# How bad each case is: an undecided one is better than one that is known to be inside.
_RANK = np.array([0, 1, 3, 5, 4, 2])
# Smallest margins that differ by so little are the same: decision values have rounding errors.
_SAME = 1e-9


@dataclass(frozen=True)
class Margins:
    """Margins of a fitted model.

    Attributes
    ----------
    cases : KKTCases
        One entry a training sample.
    label : ndarray of int
        Number of the class of each of them.
    wrong : ndarray of bool
        Whether it is misclassified.
    level : float
        Margin of the margin boundaries; 0 if there are none.
    multipliers : bool
        Whether the cases come from multipliers, and not from where the samples are.
    on_grid : callable
        From rows to one decision value, or of several classes to margins of each class, how far each is ahead, and the
        number of the class that is predicted.

    """

    cases: KKTCases
    label: np.ndarray
    wrong: np.ndarray
    level: float
    multipliers: bool
    on_grid: Callable[[np.ndarray], np.ndarray]
    has_slacks: bool


def margins_of(model: Any, X: Any, y: Any, sample_weight: Any) -> Margins:
    """The margins of a model that has any, at its training rows."""
    _check_drawable(model)
    several, slacks = len(model.classes_) > 2, hasattr(model, "kkt_cases")
    multipliers = slacks and not is_large(model)  # whose decision function need not be one of multipliers
    label = numbers_of(model, y, X.shape[0] if hasattr(X, "shape") else len(X))
    with in_column_order():
        if multipliers:
            cases, level = _worst(model.kkt_cases(X, y, sample_weight)), 1.0
        else:
            cases, level = _by_place(model, X, label, sample_weight)
        predicted = model.predict(X)
    mine = label[cases.sample]
    wrong = np.searchsorted(model.classes_, predicted)[cases.sample] != mine
    on_grid = (lambda rows: _of_classes(model, rows)) if several else (lambda rows: _decision(model, rows)[:, None])
    return Margins(cases, mine, wrong, level, multipliers, on_grid, slacks and not several)


def _check_drawable(model: Any) -> None:
    name = type(model).__name__
    others = (LinearClassifier, LogisticRegression, Perceptron, KernelLogisticRegression, KernelPerceptron)
    if not (is_classifier(model) and (isinstance(model, others) or hasattr(model, "kkt_cases"))):
        raise TypeError(f"MarginDisplay draws models with a margin, such as maxmargin.svm.SVC; got {name}.")
    check_is_fitted(model)
    kernel = getattr(model, "kernel", None)  # linear machines have none
    if isinstance(kernel, str) and kernel == "precomputed":
        raise ValueError("MarginDisplay draws in the space of the features; a precomputed kernel matrix has none.")


def _worst(cases: KKTCases) -> KKTCases:
    """Of each sample the entry of the worst case, and there that of the smallest margin."""
    order = np.lexsort((cases.margin, -_RANK[cases.case], cases.sample))
    first = order[np.unique(cases.sample[order], return_index=True)[1]]
    columns: dict[str, Any] = {name: column[first] for name, column in cases.to_dict().items()}
    return replace(cases, **columns)


def _by_place(model: Any, X: Any, label: np.ndarray, sample_weight: Any) -> tuple[KKTCases, float]:
    """Cases by margins alone, and the margin of the margin boundaries."""
    at = np.arange(len(label))
    if len(model.classes_) == 2:
        margin = np.where(label == 1, 1.0, -1.0) * _decision(model, X)
    else:
        margin = _margins_and_lead(model, X)[0][at, label]
    if sample_weight is not None:
        at = np.flatnonzero(np.ravel(sample_weight) > 0)
        margin = margin[at]
    level = 1.0
    if isinstance(model, (Perceptron, KernelPerceptron)):
        level = max(float(margin.min()), 0.0)
    beyond = margin >= level if level > 0 else margin > 0
    case = np.where(beyond, OUTSIDE, inside_cases(margin))
    if level != 1.0 and level > 0:
        case = np.where(margin <= level * (1 + _SAME), ON_BOUNDARY, OUTSIDE)
    unknown = np.full(len(at), np.nan)
    slack = np.maximum(level - margin, 0.0)
    return KKTCases(np.zeros(len(at), int), at, case, unknown, slack, margin, unknown), level


def _decision(model: Any, rows: Any) -> np.ndarray:
    with in_column_order():
        return model.decision_function(rows)


def _of_classes(model: Any, rows: np.ndarray) -> np.ndarray:
    with in_column_order():
        predicted = np.searchsorted(model.classes_, model.predict(rows))
        return np.column_stack([*_margins_and_lead(model, rows), predicted])


def _margins_and_lead(model: Any, rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """The smallest margin that rows would have as samples of each class, and how far each class is ahead."""
    pairs = getattr(model._fitted_scheme(), "sides", None) if hasattr(model, "_fitted_scheme") else None
    if pairs is not None:
        values, lead = model._binary_values(rows), np.full((rows.shape[0], len(model.classes_)), np.inf)
        for k, (a, b) in enumerate(pairs):
            lead[:, a] = np.minimum(lead[:, a], values[:, k])
            lead[:, b] = np.minimum(lead[:, b], -values[:, k])
        return lead, lead
    values = _decision(model, rows)
    best = _best_other(values)
    lead = values - best
    joint = getattr(model, "multi_class", "") == "crammer_singer"
    if joint or isinstance(model, (LogisticRegression, Perceptron, KernelPerceptron)):
        return lead, lead
    return np.minimum(values, -best), lead


def _best_other(values: np.ndarray) -> np.ndarray:
    """The largest value of all other classes, for each class."""
    order = np.argsort(values, axis=1)
    at = np.arange(len(values))
    first, second = values[at, order[:, -1]], values[at, order[:, -2]]
    best = np.repeat(first[:, None], values.shape[1], axis=1)
    best[at, order[:, -1]] = second
    return best
