"""Support vector machines: the margin, the samples that make it, and a row by its support vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..certificates import CASES, MARGIN_WORDS
from ..messages import counted, listed, number
from ..svm import KernelClassifier, OneClassSVM, bracket_words, is_large, method_words, terms_of
from . import _linear
from ._binary import BinaryMachine, kernel_values, machines_of, own_kernel_values, support_kernel_values
from ._margins import MarginSummary, margins_of
from ._results import ModelExplanation, RowExplanation, Table
from ._shares import against, decided, learned, share, signed_margin, true_label
from ._subject import Row, Subject, Training, quiet_names

_NOT_KERNEL = ("LinearSVC", "LinearSVR")


def explain_model(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    if type(model).__name__ in _NOT_KERNEL:
        return _linear.explain_model(subject, training)
    if isinstance(model, KernelClassifier):
        return _classifier(subject, training)
    return _one_function(subject, training)


def explain_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    model = subject.model
    if type(model).__name__ in _NOT_KERNEL:
        return _linear.explain_row(subject, row, training, label)
    if isinstance(model, KernelClassifier) or isinstance(model, OneClassSVM):
        return _decided_row(subject, row, training, label)
    return _predicted_row(subject, row, training, label)


# ---------------------------------------------------------------- the model


def _classifier(subject: Subject, training: Training) -> ModelExplanation:
    model = subject.model
    margins, notes = margins_of(model, training)
    n, support = int(model.shape_fit_[0]), len(model.support_)
    facts: dict[str, Any] = {"kernel": kernel_in_words(model)}
    if hasattr(model, "C"):
        facts["C"] = float(model.C)
    facts |= {"training rows": n, terms_of(model): f"{support} ({share(support, n)})"}
    facts["of each class"] = ", ".join(f"{c}: {k}" for c, k in zip(model.classes_, model.n_support_, strict=True))
    if len(margins) == 1:
        facts["margin width"] = margins[0].width
        facts |= margins[0].counts
    tables = {} if len(margins) == 1 else {"machines": _machine_table(margins, is_large(model))}
    tables["influential"] = _influential(margins, weight_name(model))
    facts |= _approximation(model)
    if model._kernel_name == "linear" and len(margins) == 1:
        tables |= _linear._coefficients(model, _linear.weights_of(model), subject.columns, subject.in_units)
    return learned(model, "svm", _margins_in_words(model, margins, support, n), facts, tables=tables, notes=notes)


def _approximation(model: Any) -> dict[str, Any]:
    """Of a machine of many rows, how it was found and where the exact optimum lies."""
    if not is_large(model):
        return {}
    return {"method": method_words(model), "bracket": bracket_words(model.certificate_)}


def weight_name(model: Any) -> str:
    """What the size of a row's coefficient is called: landmarks have no multipliers."""
    return "coefficient" if terms_of(model) != "support vectors" else "multiplier"


def _margins_in_words(model: Any, margins: list[MarginSummary], support: int, n: int) -> str:
    several = f" of {n} rows" + ("" if len(margins) == 1 else " in total")
    basis = f"{support}{several} are support vectors"
    if is_large(model):
        basis = f"it is approximated by {counted(support, terms_of(model, several=False), terms_of(model))}{several}"
    if len(margins) == 1:
        width = "" if margins[0].width is None else f" of width {number(margins[0].width)}"
        names = " from ".join(listed([label], 1) for label in model.classes_)
        return f"separates {names} by a margin{width}; {basis}."
    return f"separates {len(model.classes_)} classes by {len(margins)} margins; {basis}."


def _machine_table(margins: list[MarginSummary], by_place: bool) -> Table:
    rare = [case for case in MARGIN_WORDS[len(CASES) :] if any(s.counts.get(case) for s in margins)]
    heads = ("machine", "width", None if by_place else CASES[1], *CASES[2:], *rare)
    rows = [
        (s.name, s.width, *(s.counts.get(case, 0 if case in rare else None) for case in (*CASES[1:], *rare)))
        for s in margins
    ]
    return Table.of("machines" if by_place else "machines and their support vectors", heads, rows)


def _influential(margins: list[MarginSummary], weight: str = "multiplier") -> Table:
    """The largest multipliers first, of equal ones those that are misclassified by most."""
    entries = []
    for summary in margins:
        for row, label, alpha, margin, case in summary.samples:
            entry = (row, label, alpha, margin, case, summary.name)
            entries.append((-alpha, 0.0 if margin is None else margin, row, entry))
    entries.sort(key=lambda e: e[:3])  # no label is compared: it may be of any kind
    heads = ("row", "class", weight, "margin", "case", "machine" if len(margins) > 1 else None)
    title = f"samples with the largest {weight}s (of equal ones, the smallest margin first)"
    return Table.of(title, heads, [e[3] for e in entries])


def kernel_in_words(model: Any) -> str:
    """The kernel with its parameters."""
    if not isinstance(model.kernel, str):
        own = model._kernel_name != "function"
        return str(model.kernel) if own else f"the function {getattr(model.kernel, '__name__', 'given')}"
    if model.kernel in ("linear", "precomputed"):
        return str(model.kernel)
    parts = [f"gamma={number(float(model._gamma))}"]
    if model.kernel == "poly":
        parts.append(f"degree={model.degree}")
    if model.kernel in ("poly", "sigmoid"):
        parts.append(f"coef0={number(float(model.coef0))}")
    return f"{model.kernel}, {', '.join(parts)}"


def _one_function(subject: Subject, training: Training) -> ModelExplanation:
    """Regressors and the one-class machine: one function, whose multipliers end at a bound."""
    model = subject.model
    outliers = isinstance(model, OneClassSVM)
    n, support, size = int(model.shape_fit_[0]), len(model.support_), np.abs(model._dual_coef()[0])
    bound = 1.0 if outliers else float(model.C) if np.isfinite(model.C) else 1e10
    at_bound = int((size >= bound).sum())
    words = ("outside the region", "on its edge", "inside it") if outliers else (
        "beyond the tube", "on its edge", "inside it")  # fmt: skip
    facts: dict[str, Any] = {"kernel": kernel_in_words(model)}
    facts |= {name: float(getattr(model, name)) for name in ("C", "nu", "epsilon") if hasattr(model, name)}
    facts |= {"training rows": n, terms_of(model): f"{support} ({share(support, n)})"}
    if is_large(model):
        facts |= _places(model, training) | _approximation(model)
    else:
        facts |= {words[0]: at_bound, words[1]: support - at_bound, words[2]: n - support}
    tables = {"influential": _heaviest(subject, training, size, outliers)}
    if model._kernel_name == "linear" and not outliers:
        tables |= _linear._coefficients(model, _linear.weights_of(model), subject.columns, subject.in_units)
    what = "encloses the data" if outliers else "predicts a number"
    sentence = f"{what} by a weighted sum of {support} of {n} rows."
    notes = ("multipliers are compared with the bound of sample weight 1.",) if training.weight is None else ()
    if is_large(model):
        notes = (f"rows are told apart by where they lie: {terms_of(model)} of an approximate machine lie anywhere.",)
    return learned(model, "svm", sentence, facts, tables=tables, notes=notes)


def _places(model: Any, training: Training) -> dict[str, int]:
    """Rows beyond the tube and inside it, if they are given."""
    if training.X is None or training.y is None:
        return {}
    with quiet_names():
        cases = model.kkt_cases(training.X, training.y, training.weight)
    inside = int((cases.case == 0).sum())
    return {"beyond the tube": len(cases.case) - inside, "inside it": inside}


def _heaviest(subject: Subject, training: Training, size: np.ndarray, outliers: bool) -> Table:
    """Samples by multiplier; where their targets are known, those of equal ones first that are furthest off."""
    model = subject.model
    if training.y is None or outliers:
        order = np.argsort(-size, kind="stable").tolist()
        plain_rows = [(int(model.support_[i]), size[i]) for i in order]
        return Table.of(f"samples with the largest {weight_name(model)}s", ("row", weight_name(model)), plain_rows)
    target = np.asarray(_checked_targets(model, training), dtype=np.float64)[model.support_]
    rows_given = training.X if sp.issparse(training.X) else np.asarray(training.X)
    said = subject.predicted(rows_given[model.support_]) if len(target) else target  # a wide tube may need none
    order = np.lexsort((-np.abs(target - said), -size)).tolist()
    rows = [(int(model.support_[i]), size[i], target[i], said[i]) for i in order]
    title = f"samples with the largest {weight_name(model)}s (of equal ones, the largest error first)"
    return Table.of(title, ("row", weight_name(model), "target", "predicted"), rows)


def _checked_targets(model: Any, training: Training) -> np.ndarray:
    assert training.y is not None
    if len(training.y) != model.shape_fit_[0]:
        raise ValueError(
            f"X and y must be the {model.shape_fit_[0]} rows that the model was trained on; got {len(training.y)}."
        )
    return training.y


# ---------------------------------------------------------------- one row


def _decided_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    """A decision between two classes by the support vectors of their machine."""
    model = subject.model
    prediction = subject.predicted(row.seen)[0]
    with quiet_names():
        machines = machines_of(model, row.seen, prediction)
    machine = machines[0]
    values = kernel_values(model, row.seen)
    decision = machine.value(values)
    margin = signed_margin(decision, machine, prediction, label)
    norm = machine.norm(support_kernel_values(model))
    facts: dict[str, Any] = {
        "decision value": decided(decision, machine),
        "distance to the boundary": None if norm is None else abs(decision) / norm,
        "place": None if machine.difference else place_in_words(decision, isinstance(model, OneClassSVM)),
        **true_label(label, prediction, margin),
    }
    neighbours = nearest(subject, row, machine, values)
    if model._kernel_name == "linear":
        planes = [m.plane(model) for m in machines]
        found = _linear.linear_row(
            subject, row, planes, prediction, label, {"place": facts["place"]}, family="svm", X=training.X
        )
        by_vector = machine.contributions(model, values, False)
        return replace(found, tables={"nearest": neighbours, **found.tables, "by support vector": by_vector})
    return RowExplanation.of(
        model,
        "svm",
        f"predicts {prediction}{against(machine, prediction)}.",
        facts=facts,
        tables={"nearest": neighbours},
        notes=_precomputed_note(model),
        prediction=prediction,
        decision=decision,
        between=(machine.positive, machine.negative),
        margin=margin,
        contributions=machine.contributions(model, values),
    )


def place_in_words(decision: float, region: bool) -> str:
    """Where a row is with respect to the margin, or to the region of a one-class machine."""
    if region:
        return "inside the region" if decision >= 0 else "outside the region"
    return (
        "outside the margin"
        if abs(decision) > 1
        else "inside the margin"
        if abs(decision) < 1
        else "on the margin boundary"
    )


def _precomputed_note(model: Any) -> tuple[str, ...]:
    if model._kernel_name == "precomputed":
        return ("a matrix of kernel values has no distances to rows outside it; the largest values are listed.",)
    return ()


def nearest(subject: Subject, row: Row, machine: BinaryMachine, values: np.ndarray) -> Table:
    """Support vectors by their distance in the space of the kernel: k(x, x) - 2 k(x, s) + k(s, s), rooted."""
    model = subject.model
    own = own_kernel_values(model, row.seen)
    if own is None:
        order, distance = np.argsort(-values, kind="stable"), None
    else:
        at_row, at_support = own
        distance = np.sqrt(np.maximum(at_row - 2 * values + at_support, 0.0))
        order = np.argsort(distance, kind="stable")
    used = machine.coef != 0.0
    labels, apart = ([None] * len(used) if part is None else part for part in (machine.labels, distance))
    sizes = np.abs(machine.coef)
    rows = [(int(model.support_[i]), labels[i], apart[i], values[i], sizes[i]) for i in order.tolist() if used[i]]
    known = "class" if machine.labels is not None else None, "distance" if distance is not None else None
    title = f"nearest {terms_of(model)}" + ("" if distance is None else " in the space of the kernel")
    weight = machine.weight_name if machine.difference else weight_name(model)
    return Table.of(title, ("row", *known, "kernel value", weight), rows)


def _predicted_row(subject: Subject, row: Row, training: Training, label: Any) -> RowExplanation:
    """A predicted number by support vectors, or by features with a linear kernel."""
    model = subject.model
    prediction = float(subject.predicted(row.seen)[0])
    if model._kernel_name == "linear":
        return replace(_linear.explain_row(subject, row, training, label), family="svm")
    machine = BinaryMachine(model._dual_coef()[0], float(model.intercept_[0]), None, None, None)
    values = kernel_values(model, row.seen)
    facts: dict[str, Any] = {"prediction": prediction}
    if label is not None:
        facts["true value"] = f"{number(float(label))}: off by {number(prediction - float(label), signed=True)}"
    if hasattr(model, "epsilon") and label is not None:
        inside = abs(prediction - float(label)) <= model.epsilon
        facts["place"] = "inside the tube" if inside else "beyond the tube"
    return RowExplanation.of(
        model,
        "svm",
        f"predicts {number(prediction)} from {counted(len(values), terms_of(model, several=False), terms_of(model))}.",
        facts=facts,
        tables={"nearest": nearest(subject, row, machine, values)},
        notes=_precomputed_note(model),
        prediction=prediction,
        decision=prediction,
        contributions=machine.contributions(model, values),
    )
