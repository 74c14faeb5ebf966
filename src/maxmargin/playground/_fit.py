"""A question answered: the estimator fitted, and what the page draws and says of it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..certificates import NotSeparableError
from ..messages import InputError, one_line
from ._certificates import describe
from ._methods import CLASSES, CLUSTERS, CURVE
from ._pieces import pieces_of
from ._request import Question

_CURVE_POINTS = 480


@dataclass(frozen=True, eq=False)
class Fitted:
    """A question with its model, and what was said during the fit."""

    question: Question
    model: Any
    notes: list[str]
    seconds: float


Answer = tuple[dict[str, Any], dict[str, np.ndarray]]


def fit(question: Question, keywords: Mapping[str, Any] | None = None) -> Fitted:
    """Fit the model of a question, with other keywords than its own if there are some."""
    refuse_too_little(question)
    model = question.method.make(question.keywords if keywords is None else keywords)
    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model.fit(question.X) if question.y is None else model.fit(question.X, question.y)
    seconds = time.perf_counter() - begin
    said = dict.fromkeys(_note(question, model, warning) for warning in heard)
    # a step is meant to end before the end, and says so by its certificate
    return Fitted(question, model, [] if question.step is not None else list(said), seconds)


def _note(question: Question, model: Any, warning: warnings.WarningMessage) -> str:
    """A warning as the page says it: what it advises to a program cannot be done there."""
    steps, proof = question.method.steps, getattr(model, "certificate_", None)
    if steps is None or proof is None or warning.category is not ConvergenceWarning:
        return one_line(str(warning.message))
    most = max(part.iterations for part in (proof.problems or (proof,)))
    return f"Stopped after {most} {steps.unit}{'' if most == 1 else 's'} without having converged."


def refuse_too_little(question: Question) -> None:
    """Say what has to be drawn, where there is too little to learn from."""
    n, task = len(question.points), question.method.task
    if n == 0:
        raise InputError("There are no points yet: click to draw some, or take an example.")
    if task == CLASSES and question.y is not None and len(np.unique(question.y)) < 2:
        raise InputError("All points are of one class: draw some of a second one.")
    if task == CURVE and n < 2:
        raise InputError("One point is not enough for a curve: draw another.")
    if question.method.name == "ncut" and n < 2:
        raise InputError("One point cannot be cut: draw another.")
    for name in ("n_clusters", "n_neighbors"):
        wanted = question.values.get(name, 0)
        if wanted > n:
            there = "There is 1 point" if n == 1 else f"There are {n} points"
            raise InputError(f"{there}, fewer than {name}={wanted}: draw more, or choose less.")


def answer(fitted: Fitted) -> Answer:
    """What the page needs of a fitted model."""
    question, model = fitted.question, fitted.model
    header: dict[str, Any] = {
        "method": question.method.name,
        "certificate": describe(model),
        "notes": fitted.notes,
        "seconds": fitted.seconds,
        "step": question.step,
        "view": list(question.view),
        "cells": list(question.cells),
        "pieces": pieces_of(model, question.view),
    }
    arrays: dict[str, np.ndarray] = {}
    if question.method.task == CURVE:
        _curve(question, model, header, arrays)
    else:
        _plane(question, model, header, arrays)
    _machine(question, model, header, arrays)
    return header, arrays


def cells_of(question: Question) -> np.ndarray:
    """The middles of the cells of the grid, row by row from the top."""
    (left, right, bottom, top), (across, down) = question.view, question.cells
    x = left + (np.arange(across) + 0.5) * ((right - left) / across)
    y = top - (np.arange(down) + 0.5) * ((top - bottom) / down)
    return np.column_stack([np.tile(x, down), np.repeat(y, across)])


def _plane(question: Question, model: Any, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Regions, and what the model says of the points."""
    across, down = question.cells
    if question.method.task == CLUSTERS:
        arrays["predicted"] = model.labels_.astype(np.uint8)
        if hasattr(model, "predict"):
            arrays["regions"] = model.predict(cells_of(question)).astype(np.uint8).reshape(down, across)
        return
    classes = model.classes_
    header["classes"] = classes.tolist()
    cells, points = cells_of(question), question.X
    predicted = model.predict(points)
    arrays["predicted"] = predicted.astype(np.uint8)
    header["accuracy"] = float(np.mean(predicted == question.y))
    if question.method.smooth:
        values = _planes(model.decision_function(cells))
        arrays["values"] = in_float32(values.T).reshape(-1, down, across)
        arrays["f"] = np.ascontiguousarray(_planes(model.decision_function(points)), dtype=np.float64)
    else:
        arrays["regions"] = model.predict(cells).astype(np.uint8).reshape(down, across)
    if not hasattr(model, "predict_proba"):
        return
    arrays["shares"] = np.ascontiguousarray(model.predict_proba(points), dtype=np.float64)
    if not question.method.smooth:
        sure = model.predict_proba(cells).max(axis=1)
        arrays["sure"] = sure.astype(np.float32).reshape(down, across)


def in_float32(values: np.ndarray) -> np.ndarray:
    """What the picture is drawn from; what float32 cannot hold is the largest number that it can."""
    largest = np.finfo(np.float32).max
    return np.clip(values, -largest, largest).astype(np.float32, order="C")


def _planes(values: np.ndarray) -> np.ndarray:
    return values[:, None] if values.ndim == 1 else values


def _curve(question: Question, model: Any, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    left, right = question.view[:2]
    x = np.linspace(left, right, _CURVE_POINTS)
    arrays["curve"] = np.column_stack([x, np.asarray(model.predict(x[:, None]), dtype=np.float64)])
    f = np.asarray(model.predict(question.X), dtype=np.float64)
    arrays["f"] = f[:, None]
    residual = question.points[:, 1] - f
    header["squared_error"] = float(np.mean(residual**2))
    spread = float(np.var(question.points[:, 1]))
    header["r2"] = 1.0 - header["squared_error"] / spread if spread > 0 else float("nan")


def _machine(question: Question, model: Any, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Multipliers of kernel machines, and the width of the margin."""
    if has_margin(question, model):
        header["margin_width"] = np.asarray(model.margin_width_, dtype=np.float64).tolist()
    if getattr(model, "coef_", None) is not None and question.method.task == CLASSES and hasattr(model, "intercept_"):
        header["weights"] = np.asarray(model.coef_, dtype=np.float64).tolist()
    if hasattr(model, "intercept_"):
        header["intercept"] = np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64)).tolist()
    kernel_machine = hasattr(model, "dual_coef_") and hasattr(model, "support_")
    if kernel_machine:
        multipliers = np.zeros(len(question.points))
        multipliers[model.support_] = np.abs(model.dual_coef_).max(axis=0)
        arrays["multiplier"] = multipliers
        header["support"] = len(model.support_)
    if question.method.task == CURVE:
        if kernel_machine:
            residual = question.points[:, 1] - arrays["f"][:, 0]
            arrays["margin"] = question.values["epsilon"] - np.abs(residual)
    elif has_margin(question, model) and len(model.classes_) == 2:
        arrays["margin"] = np.where(question.y == model.classes_[1], 1.0, -1.0) * arrays["f"][:, 0]
    if "margin" in arrays:
        level = 0.0 if question.method.task == CURVE else 1.0
        arrays["slack"] = np.maximum(0.0, level - arrays["margin"])


def has_margin(question: Question, model: Any) -> bool:
    """Whether f = -1 and f = 1 are the edges of a margin."""
    by_hinge = question.method.name == "svc" or "hinge" in str(question.values.get("loss", ""))
    return by_hinge and hasattr(model, "margin_width_")


def _impossible(error: NotSeparableError) -> str:
    """Why there is no hard margin, in words for who draws points."""
    proof = error.proof
    one, other = ("1 point" if len(rows) == 1 else f"{len(rows)} points" for rows in (proof.positive, proof.negative))
    return (
        f"A weighted mean of {one} of one class and one of {other} of the other are {proof.distance:.2g} apart in the "
        f"space of the kernel, where points are up to {proof.scale:.2g} long: in float64 the same place, which no "
        f"boundary can have on both of its sides. Choose a finite C or another kernel, or move points."
    )


def explain_error(error: BaseException) -> dict[str, str]:
    """What the page says of an error: whose it is, and a sentence."""
    if isinstance(error, NotSeparableError):
        return {"kind": "impossible", "message": _impossible(error)}
    if isinstance(error, (ValueError, ArithmeticError)):
        return {"kind": "input", "message": one_line(str(error))}
    if isinstance(error, MemoryError):
        return {"kind": "limit", "message": "There is not enough memory for this."}
    return {"kind": "fault", "message": f"A fault of maxmargin itself, {type(error).__name__}: {one_line(str(error))}"}
