"""The margins of a kernel classifier, one a binary problem: width, and the samples that hold it by optimality case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..certificates import CASES, MARGIN_WORDS, KKTCases, Status, inside_cases, joint_cases, kkt_cases
from ..estimators import check_same_rows
from ..svm import class_slices, is_joint, is_large, own_multipliers, strength_of, terms_of
from ._binary import _coefficients
from ._subject import Training, quiet_names

_INSIDE = "inside the margin"
_ZERO, _SHARP = 1e-12, 1e-6  # a margin that is zero but for rounding; a violation as good as none
Sample = tuple[int, Any, float, float | None, str]


@dataclass(frozen=True)
class MarginSummary:
    """One binary problem.

    Attributes
    ----------
    name : str
        Which classes it parts.
    width : float or None
        2 / ||w||, in the space of the kernel; None where the kernel values of the support vectors are not at hand, and
        of a joint machine of several classes, which has a w for each.
    counts : dict of str to int
        Samples by optimality case.
    samples : list of tuples
        Of every support vector: row, label, multiplier, margin (None if unknown), case.

    """

    name: str
    width: float | None
    counts: dict[str, int]
    samples: list[Sample]


def margins_of(model: Any, training: Training) -> tuple[list[MarginSummary], tuple[str, ...]]:
    """All margins of a model, with notes on what they take for granted."""
    names = [c.label or "" for c in model.certificate_.problems]
    if is_joint(model):
        return _joint(model, training, names[0])
    if is_large(model):
        return _approximate(model, training, names)
    if training.X is not None:
        precomputed = model._kernel_name == "precomputed"
        if training.weight is not None or precomputed or not hasattr(model, "C") or not _is_sharp(model):
            return _from_training(model, training, names), ()
        return _with_outside(model, training, names), ()
    if not hasattr(model, "C"):  # the bounds of nu-machines are not kept with the model
        margins = [_margin(model, k, name, None, None) for k, name in enumerate(names)]
        return margins, ("the cases of the support vectors need X and y: the bounds of nu are not part of the model.",)
    at_support = _values_at_support(model)
    C = float(strength_of(model, len(model.classes_)))
    margins = [_margin(model, k, name, at_support, C) for k, name in enumerate(names)]
    notes = ["cases are told from the model alone, with every sample weight taken to be 1."]
    if at_support is None:
        notes.append("a matrix of kernel values is not kept with the model: give X and y for margins and the width.")
    return margins, tuple(notes)


def _approximate(model: Any, training: Training, names: list[str]) -> tuple[list[MarginSummary], tuple[str, ...]]:
    """Margins whose rows are told apart by place: coefficients need not be multipliers, nor those an optimum."""
    at_support, scheme = _values_at_support(model), model._fitted_scheme()
    assert at_support is not None
    label = np.repeat(np.arange(len(model.classes_)), model.n_support_)
    cases = None
    if training.X is not None and training.y is not None:
        with quiet_names():
            cases = model.kkt_cases(training.X, training.y, training.weight)
    margins = []
    for k, name in enumerate(names):
        coef = _coefficients(scheme, k, model._dual_coef(), class_slices(model.n_support_))
        positive = scheme.sides[k][0] if hasattr(scheme, "sides") else k
        margin = np.where(label == positive, 1.0, -1.0) * at_support[:, k]
        place = np.array(MARGIN_WORDS)[np.where(margin > 1, 0, inside_cases(margin))]
        samples: list[Sample] = [
            (int(model.support_[i]), model.classes_[label[i]], float(abs(coef[i])), float(margin[i]), str(place[i]))
            for i in np.flatnonzero(coef).tolist()
        ]
        counts: dict[str, int] = {}
        if cases is not None:
            words = cases.names()[cases.problem == k]
            counts = _counted(words, (CASES[0], *CASES[2:]))
        margins.append(MarginSummary(name, _width(coef, at_support[:, k] - model.intercept_[k]), counts, samples))
    note = f"rows are told apart by where they lie: {terms_of(model)} of an approximate machine lie anywhere."
    return margins, (note,)


def _joint(model: Any, training: Training, name: str) -> tuple[list[MarginSummary], tuple[str, ...]]:
    """The one margin of a machine of all classes together: what the own class is ahead of the best other."""
    notes: tuple[str, ...] = ()
    label = np.repeat(np.arange(len(model.classes_)), model.n_support_)
    if training.X is not None and training.y is not None:
        with quiet_names():
            cases = model.kkt_cases(training.X, training.y, training.weight)
        counts, words = cases.counts(), cases.names()
    else:
        cases = _joint_support(model, label)
        words = cases.names()
        if np.isnan(cases.margin).all():
            words = np.where(cases.case > 1, _INSIDE, words)
        counts = _counted(words, ())
        notes = ("cases are told from the model alone, with every sample weight taken to be 1.",)
    labels = dict(zip(model.support_.tolist(), model.classes_[label], strict=True))
    held = np.flatnonzero(cases.multiplier > 0)
    samples: list[Sample] = [
        (row, labels[row], float(cases.multiplier[i]), _finite(cases.margin[i]), str(words[i]))
        for i, row in zip(held.tolist(), cases.sample[held].tolist(), strict=True)
    ]
    return [MarginSummary(name, None, counts, samples)], notes


def _joint_support(model: Any, label: np.ndarray) -> KKTCases:
    """Cases of the support vectors, from the model alone; margins are NaN where their kernel values are not at hand."""
    bound = float(model.C) * model.class_weight_[label]
    own = own_multipliers(model, model._dual_coef()[label, np.arange(len(label))], bound)
    at_support = _values_at_support(model)
    if at_support is None:
        return kkt_cases(0, model.support_, own, bound, np.full(len(own), np.nan))
    return joint_cases(model.support_, own, bound, at_support, label)


def _values_at_support(model: Any) -> np.ndarray | None:
    """Decision values of all binary problems at the support vectors."""
    if model._kernel_name == "precomputed":
        return None
    vectors = model._vectors
    with quiet_names():
        return model._binary_values(vectors)


def _margin(model: Any, k: int, name: str, at_support: np.ndarray | None, C: float | None) -> MarginSummary:
    """From the model alone: a multiplier below its bound is on the margin boundary, one at it is inside the margin."""
    coef = _coefficients(model._fitted_scheme(), k, model._dual_coef(), class_slices(model.n_support_))
    label = np.repeat(np.arange(len(model.classes_)), model.n_support_)
    used = np.flatnonzero(coef)
    if C is None:
        at_support = _values_at_support(model)
    width = None
    margin = np.full(len(coef), np.nan)
    if at_support is not None:
        width = _width(coef, at_support[:, k] - model.intercept_[k])
        margin = np.sign(coef) * at_support[:, k]
    if C is None:
        cases = np.full(len(used), "")
        counts: dict[str, int] = {}
    else:
        bound = C * model.class_weight_[label[used]]
        found = kkt_cases(k, used, np.abs(coef[used]), bound, margin[used])
        cases = found.names()
        if at_support is None:
            cases = np.where(found.case > 1, _INSIDE, cases)
        counts = _counted(cases, ())
    samples = [
        (int(model.support_[i]), model.classes_[label[i]], float(abs(coef[i])), _finite(margin[i]), str(case))
        for i, case in zip(used.tolist(), cases, strict=True)
    ]
    return MarginSummary(name, width, counts, samples)


def _with_outside(model: Any, training: Training, names: list[str]) -> list[MarginSummary]:
    """From the model, with the rows that have no part in it.

    It says the same as `kkt_cases`, which recomputes the proof as well: of 12,000 rows in 0.8 s instead of 6.
    """
    assert training.y is not None
    with quiet_names():
        X = model._validate_for_predict(training.X)
    check_same_rows(model.shape_fit_[0], X.shape[0], len(training.y))
    unknown = np.setdiff1d(training.y, model.classes_)
    if unknown.size:
        raise ValueError(f"y has labels that the model was not trained on: {unknown.tolist()}.")
    if not model._support_is_of(X):
        raise ValueError("X is not what the model was trained on: its rows differ from the support vectors.")
    label, C = np.searchsorted(model.classes_, training.y), float(strength_of(model, len(model.classes_)))
    with quiet_names():
        values, parts = model._binary_values(X), []
    pairs = model._fitted_scheme().pairs(label, np.ones(len(label)))
    for k, (pair, claim) in enumerate(zip(pairs, model.certificate_.problems, strict=True)):
        alpha, bound = np.abs(model._spread_of(pair, training.y)), C * model.class_weight_[label[pair.rows]]
        margin = pair.sign * values[pair.rows, k]
        parts.append(kkt_cases(k, pair.rows, alpha, bound, margin, _ZERO, claim.kkt_violation + _ZERO))
    return _summaries(model, training, names, KKTCases.concatenate(parts), _values_at_support(model))


def _is_sharp(model: Any) -> bool:
    """Whether the multipliers are those of the optimum, so that nothing has to be solved to know the cases."""
    return model.certificate_.status is Status.CONVERGED and model.certificate_.kkt_violation <= _SHARP


def _from_training(model: Any, training: Training, names: list[str]) -> list[MarginSummary]:
    """From the training rows: the cases of every sample."""
    with quiet_names():
        cases = model.kkt_cases(training.X, training.y, training.weight)
        at_support = model._binary_values(_support_rows(model, training.X))
    return _summaries(model, training, names, cases, at_support)


def _summaries(
    model: Any, training: Training, names: list[str], cases: KKTCases, at_support: np.ndarray | None
) -> list[MarginSummary]:
    assert training.y is not None and at_support is not None
    words, margins = cases.names(), []
    for k, name in enumerate(names):
        mine = cases.problem == k
        coef = _coefficients(model._fitted_scheme(), k, model._dual_coef(), class_slices(model.n_support_))
        held = np.flatnonzero(mine & (cases.multiplier > 0))
        counts = _counted(words[mine], CASES)
        samples: list[Sample] = [
            (int(row), training.y[row], float(cases.multiplier[i]), float(cases.margin[i]), str(words[i]))
            for i, row in zip(held.tolist(), cases.sample[held], strict=True)
        ]
        margins.append(MarginSummary(name, _width(coef, at_support[:, k] - model.intercept_[k]), counts, samples))
    return margins


def _counted(words: np.ndarray, always: tuple[str, ...]) -> dict[str, int]:
    """Samples by case, those that are `always` said and others where there are any."""
    found = {case: int((words == case).sum()) for case in (*MARGIN_WORDS, _INSIDE)}
    return {case: count for case, count in found.items() if count or case in always}


def _support_rows(model: Any, X: Any) -> Any:
    if model._kernel_name == "precomputed":
        return np.asarray(X)[model.support_]
    return model._vectors


def _width(coef: np.ndarray, image: np.ndarray) -> float | None:
    """2 / ||w|| with ||w||^2 = sum_i coef_i <w, x_i>; None for a kernel that is not positive there."""
    square = float(coef @ image)
    return 2.0 / float(np.sqrt(square)) if square > 0 else None


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
