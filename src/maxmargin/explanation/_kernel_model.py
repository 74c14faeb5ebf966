"""Kernel ridge, kernel logistic regression and the kernel perceptron: the rows that weigh most, and a row by them.

Their decision values are f(x) = sum_i coef_i k(x_i, x) + b over all training rows, so that a decision has a part for
each of them; with more than two classes, the decision is the difference of the two best.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..kernel_model import KernelRidge
from ..messages import counted, listed, number
from ._results import ModelExplanation, RowExplanation, Table
from ._shares import CONTRIBUTION, against, decided, learned, on_training, share, signed_margin, true_label
from ._subject import Row, Subject, Training


class _Sides:
    """The two classes of a decision; no classes for a number."""

    def __init__(self, positive: Any = None, negative: Any = None) -> None:
        self.positive, self.negative = positive, negative


def explain_model(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    coef = _coefficients(model)
    n, used = coef.shape[1], int(coef.any(axis=0).sum())
    facts: dict[str, Any] = {"kernel": _kernel_in_words(model)}
    for name in ("C", "alpha"):
        if np.ndim(getattr(model, name, ())) == 0:
            facts[name] = float(getattr(model, name))
    facts |= {"training rows": n, "rows with a weight": f"{used} ({share(used, n)})"}
    if hasattr(model, "classes_"):
        facts["classes"] = listed(model.classes_, 6)
    facts |= on_training(subject, training) if coef.shape[0] == 1 or hasattr(model, "classes_") else {}
    size = np.abs(coef).max(axis=0)
    order = np.argsort(-size, kind="stable")
    rows = [(int(i), size[i]) for i in order[: int((size > 0).sum())].tolist()]
    tables = {"influential": Table.of("rows with the largest weights", ("row", "weight"), rows)}
    what = f"separates {listed(model.classes_, 6)}" if hasattr(model, "classes_") else "predicts a number"
    words = f"{what} by a weighted sum of kernel values with {used} of {n} rows."
    return learned(model, "kernel model", words, facts, tables=tables)


def explain_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    model = subject.model
    coef, values = _coefficients(model), _kernel_values(model, row.seen)
    shifts = np.zeros(len(coef)) if isinstance(model, KernelRidge) else np.asarray(model.intercept_, dtype=np.float64)
    prediction = subject.predicted(row.seen)[0]
    if not hasattr(model, "classes_"):
        return _number(model, coef, values, prediction, label)
    w, b, sides = _decision(model, coef, shifts, values, prediction)
    decision = float(w @ values) + b
    margin = signed_margin(decision, sides, prediction, label)
    facts: dict[str, Any] = {"decision value": decided(decision, sides), **true_label(label, prediction, margin)}
    return RowExplanation.of(
        model,
        "kernel model",
        f"predicts {prediction}{against(sides, prediction)}.",
        facts=facts,
        prediction=prediction,
        decision=decision,
        between=(sides.positive, sides.negative),
        margin=margin,
        contributions=_contributions(w, b, values, "decision value"),
    )


def _number(model: Any, coef: np.ndarray, values: np.ndarray, prediction: Any, label: Any) -> RowExplanation:
    if len(coef) > 1 or np.ndim(prediction):
        raise ValueError(f"explanations are of one target; this {type(model).__name__} has {np.size(prediction)}.")
    facts: dict[str, Any] = {"prediction": float(prediction)}
    if label is not None:
        off = number(float(prediction) - float(label), signed=True)
        facts["true value"] = f"{number(float(label))}: off by {off}"
    return RowExplanation.of(
        model,
        "kernel model",
        f"predicts {number(float(prediction))} from {counted(int(np.count_nonzero(coef[0])), 'row')}.",
        facts=facts,
        prediction=float(prediction),
        decision=float(prediction),
        contributions=_contributions(coef[0], 0.0, values, "prediction"),
    )


def _decision(
    model: Any, coef: np.ndarray, shifts: np.ndarray, values: np.ndarray, prediction: Any
) -> tuple[np.ndarray, float, _Sides]:
    """Coefficients, intercept and sides of the decision between the predicted class and the runner-up."""
    classes = model.classes_
    if len(coef) == 1:
        return coef[0], float(shifts[0]), _Sides(classes[1], classes[0])
    scores = coef @ values + shifts
    best = int(np.searchsorted(classes, prediction))
    second = next(k for k in np.argsort(-scores, kind="stable").tolist() if k != best)
    return coef[best] - coef[second], float(shifts[best] - shifts[second]), _Sides(classes[best], classes[second])


def _contributions(w: np.ndarray, b: float, values: np.ndarray, what: str) -> Table:
    parts = w * values
    used = np.flatnonzero(w)
    rows: list[Any] = [("intercept", None, None, b)] if b != 0.0 or not len(used) else []
    for i in used[np.argsort(-np.abs(parts[used]), kind="stable")].tolist():
        rows.append((f"row {i}", w[i], values[i], parts[i]))
    heads = ("training row", "weight", "kernel value", CONTRIBUTION)
    return Table.of(f"contributions that add up to the {what}", heads, rows, CONTRIBUTION)


def _coefficients(model: Any) -> np.ndarray:
    """One row for each decision value or target."""
    coef = np.asarray(model.dual_coef_, dtype=np.float64)
    if isinstance(model, KernelRidge):
        return coef.reshape(len(coef), -1).T
    return coef


def _kernel_values(model: Any, seen: Any) -> np.ndarray:
    """Of a row with all training rows."""
    kernel = model._fitted_kernel()
    if model._kernel_name == "precomputed":
        return np.asarray(seen.toarray() if sp.issparse(seen) else seen, dtype=np.float64).ravel()
    known = model.X_fit_
    if sp.issparse(seen) != sp.issparse(known):  # rows of one storage
        seen = sp.csr_array(seen) if sp.issparse(known) else seen.toarray()
    return np.asarray(kernel(np.asarray(seen) if not sp.issparse(seen) else seen, known), dtype=np.float64).ravel()


def _kernel_in_words(model: Any) -> str:
    if isinstance(model.kernel, str):
        gamma = f", gamma={number(float(model.gamma_))}" if model.kernel in ("rbf", "poly", "sigmoid") else ""
        return f"{model.kernel}{gamma}"
    own = model._kernel_name != "function"
    return str(model.kernel) if own else f"the function {getattr(model.kernel, '__name__', 'given')}"
