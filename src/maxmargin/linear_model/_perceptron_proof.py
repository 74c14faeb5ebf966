"""The proof of a perceptron: the bound on its mistakes, made with the fit and again from the model alone."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from ..certificates import Guarantee, Status, are_floats
from ..data import check_X_y
from ..engine import Stopwatch
from ..estimators import check_same_rows
from ..problems import Separation
from ._confirmed import refuted, same_figure
from ._mistakes import RunRecord, mistake_guarantee
from ._perceptron_problems import centred, last_iterate, problem_name, problems_of


def records_of(model: Any, epochs: list[int], statuses: list[Status], seconds: list[float]) -> list[RunRecord]:
    """What the runs of a fitted model say of themselves."""
    return [
        RunRecord(
            int(model.n_mistakes_[k]),
            epochs[k],
            float(model._lengths[k]),
            statuses[k],
            model.variant,
            model.eta0,
            problem_name(model, k),
            seconds[k],
        )
        for k in range(len(epochs))
    ]


def proofs_of(model: Any, problems: list[Separation], mean: np.ndarray, records: list[RunRecord]) -> list[Guarantee]:
    """The guarantee of each problem."""
    thetas = centred(last_iterate(model), mean)
    kept = centred(np.column_stack([model.coef_, model.intercept_]), mean)
    parts = []
    for problem, theta, mine, record in zip(problems, thetas, kept, records, strict=True):
        watch = Stopwatch()
        part = mistake_guarantee(problem, theta, mine, record)
        parts.append(replace(part, seconds=part.seconds + watch.seconds()))
    return parts


def recertify(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
    """Every figure again. Rows that cannot be those of the training are the caller's error."""
    check_is_fitted(model)
    if sample_weight is not None:
        raise ValueError("sample_weight must be None: a perceptron is trained without weights.")
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
    if model._whole is not None:
        check_same_rows(model._whole, X.shape[0])
    if X.shape[1] != model.n_features_in_ and np.shape(model.coef_)[-1:] == (model.n_features_in_,):
        raise ValueError(f"X has {X.shape[1]} features, but the model was trained on {model.n_features_in_}.")
    try:
        checked = _recomputed(model, X, y)
    except Exception:  # a model that cannot even be evaluated was never fitted like that
        checked = None
    if checked is None:
        return refuted(model.certificate_)
    return Guarantee.of_model(checked)


def _recomputed(model: Any, X: Any, y: np.ndarray) -> list[Guarantee] | None:
    """The guarantees of checked training data beside those claimed; None if the model does not fit to them."""
    classes, present = np.asarray(model.classes_), np.unique(y)
    k = 1 if len(classes) == 2 else len(classes)
    fits = np.array_equal(classes, np.unique(classes)) and model.n_features_in_ == X.shape[1]
    fits = fits and (np.array_equal(present, classes) if model._whole is not None else np.isin(present, classes).all())
    fits = fits and np.shape(model.coef_) == (k, X.shape[1]) and np.shape(model.intercept_) == (k,)
    fits = fits and are_floats(model.coef_, model.intercept_)
    if not fits or not all(np.isfinite(part).all() for part in (model.coef_, model.intercept_, last_iterate(model))):
        return None
    label = np.searchsorted(classes, y)
    problems, mean = problems_of(model, X, label, compute_class_weight(model._class_weights, classes=classes, y=y))
    claims = model.certificate_.problems or (model.certificate_,)
    records = records_of(
        model,
        [claim.iterations for claim in claims],
        [claim.status for claim in claims],
        [claim.seconds for claim in claims],
    )
    parts = proofs_of(model, problems, mean, records)
    checked = []
    for part, claim, separated in zip(parts, claims, model._claims, strict=True):
        found = "radius" in part.figures
        broken = separated and (not found or part.figures["mistakes"] > part.figures["bound"] * (1 + 1e-9))
        broken |= part.figures["training errors"] > claim.figures.get("training errors", math.inf)
        if model._whole is not None:
            broken |= not _same_figures(part, claim)
        status = Status.REFUTED if broken else Status.CONVERGED if found else part.status
        checked.append(replace(part, status=status, holds=part.holds and not broken))
    return checked


def _same_figures(part: Guarantee, claim: Guarantee) -> bool:
    """Whether the recomputed figures are those claimed; what a solver found of the largest margin is its own affair."""
    kept = ("mistakes", "training errors", "radius", *(["width"] if "width" in claim.figures else []))
    own = {name: value for name, value in part.figures.items() if name in kept}
    own |= {"margin found": part.figures.get("margin found", math.nan)} if "radius" in own else {}
    return all(same_figure(value, claim.figures.get(name, math.nan)) for name, value in own.items())
