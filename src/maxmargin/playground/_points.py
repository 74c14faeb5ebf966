"""What is said of single points: their optimality case, and what moves if one is deleted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..messages import InputError
from ._certificates import describe
from ._fit import Answer, Fitted, cells_of, fit, has_margin, in_float32
from ._methods import CLASSES, CLUSTERS, CURVE

_CELLS = 96  # a side, of the grid on which two models are compared: both predict all of it


def cases(fitted: Fitted) -> Answer:
    """Case, multiplier, slack and margin of each point in each binary problem, as `kkt_cases` has them."""
    model, question = fitted.model, fitted.question
    if not hasattr(model, "kkt_cases"):
        return {"words": []}, {}
    found = model.kkt_cases(question.X, question.y)
    labels = [part.label for part in model.certificate_.problems]
    columns = {name: np.asarray(getattr(found, name), dtype=np.float64) for name in ("multiplier", "slack", "margin")}
    places = {name: np.asarray(getattr(found, name), dtype=np.int32) for name in ("problem", "sample", "case")}
    header = {"words": list(found.words), "problems": labels, "counts": found.counts(), "note": found.note}
    return header, {**columns, **places}


def without(fitted: Fitted, point: int) -> Answer:
    """What a fit without one of the points changes."""
    question = fitted.question
    if not 0 <= point < len(question.points):
        raise InputError("That point is not there any more.")
    across, down = (min(count, _CELLS) for count in question.cells)
    question = replace(question, cells=(across, down))
    rest = np.delete(np.arange(len(question.points)), point)
    y = None if question.y is None else question.y[rest]
    other = replace(question, X=question.X[rest], y=y, points=question.points[rest])
    again = fit(other)
    header: dict[str, Any] = {"point": point, "certificate": describe(again.model)}
    header |= {"view": list(question.view), "cells": [across, down]}
    arrays: dict[str, np.ndarray] = {}
    if question.method.task == CURVE:
        x = np.linspace(*question.view[:2], 480)
        before, after = (np.asarray(it.predict(x[:, None]), dtype=np.float64) for it in (fitted.model, again.model))
        arrays["curve"] = np.column_stack([x, after])
        header["moves"] = float(np.abs(after - before).max())
    elif question.method.task == CLASSES and question.method.smooth and len(again.model.classes_) == 2:
        cells = cells_of(question)
        after = again.model.decision_function(cells)
        arrays["values"] = in_float32(after).reshape(1, down, across)
        if len(fitted.model.classes_) == 2:
            header["moves"] = float(np.abs(after - fitted.model.decision_function(cells)).max())
    if question.method.task == CLUSTERS:
        header |= _moved_clusters(fitted.model, again.model, rest)
    elif question.method.task == CLASSES:
        cells = cells_of(question)
        header["changed"] = float(np.mean(again.model.predict(cells) != fitted.model.predict(cells)))
    if has_margin(other, again.model):
        header["margin_width"] = np.asarray(again.model.margin_width_, dtype=np.float64).tolist()
    return header, arrays


def _moved_clusters(before: Any, after: Any, rest: np.ndarray) -> dict[str, Any]:
    """How many points change their cluster and how far centres move; clusters are matched by the points they share."""
    old, new = before.labels_[rest], after.labels_
    size = int(max(old.max(), new.max())) + 1
    shared = np.zeros((size, size))
    np.add.at(shared, (old, new), 1)
    mine, yours = linear_sum_assignment(-shared)
    found: dict[str, Any] = {"relabelled": int(len(rest) - shared[mine, yours].sum())}
    if hasattr(before, "cluster_centers_") and len(before.cluster_centers_) == len(after.cluster_centers_) == size:
        ways = np.linalg.norm(before.cluster_centers_[mine] - after.cluster_centers_[yours], axis=1)
        found["centres_move"] = float(ways.max())
    return found


def probe(fitted: Fitted, x: float, y: float) -> Answer:
    """The decision at any place."""
    question, model = fitted.question, fitted.model
    if question.method.task == CURVE:
        return {"f": float(model.predict(np.array([[x]]))[0])}, {}
    place = np.array([[x, y]])
    header: dict[str, Any] = {}
    if hasattr(model, "predict"):
        header["predicted"] = int(model.predict(place)[0])
    if hasattr(model, "decision_function"):
        header["f"] = np.ravel(model.decision_function(place)).tolist()
    if hasattr(model, "predict_proba"):
        header["shares"] = np.ravel(model.predict_proba(place)).tolist()
    return header, {}
