"""The certificate of gradient boosting: what its trees do to the training loss, and whether they are of the fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from ...certificates import (
    BoostingSetting,
    BoostingTarget,
    BoostingTrees,
    GradientBoostingGuarantee,
    boosting_guarantee,
)
from ...engine import Stopwatch
from ...estimators import check_same_rows
from ...tree import confirm_or_refute, first_difference
from ._booster import Booster, Limits
from ._series import Series


@dataclass(frozen=True)
class Played:
    """How many rounds were made with some limits and bins."""

    rounds: int
    limits: Limits
    max_bins: int


def prove(model: Any, train: tuple, ending: str) -> GradientBoostingGuarantee:
    """The guarantee, from the trees and the training rows alone."""
    X, y, weight = train
    series, first = model._series, model._played[-1].limits
    step = series.step_for(X)
    rates = {played.limits.rate for played in model._played}
    l2s = {played.limits.l2 for played in model._played}
    limited = any(played.limits.monotonic.any() for played in model._played) or len(rates) > 1 or len(l2s) > 1
    loss = model._loss
    return boosting_guarantee(
        lambda start, end: series.leaves(X[start:end], step),
        BoostingTrees(series.value, series.first, loss.trees),
        BoostingSetting(loss.kind, loss.quantile, max(rates), first.l2, limited),
        BoostingTarget(y, np.empty(0) if weight is None else weight),
        model._baseline,
        ending,
    )


def recertify(model: Any, X: Any, y: Any, sample_weight: Any) -> GradientBoostingGuarantee:
    """Boost again on the training rows, compare all that is predicted from, and recompute the figures."""
    watch, claim = Stopwatch(), model.certificate_
    if model.n_features_in_ != len(model._played[0].limits.monotonic):
        proof = confirm_or_refute(claim, claim, "the number of features")
        return cast(GradientBoostingGuarantee, replace(proof, seconds=watch.seconds()))
    classes = getattr(model, "classes_", np.zeros(0))
    if not np.array_equal(np.unique(classes), classes):
        proof = confirm_or_refute(claim, claim, "the order of the classes")
        return cast(GradientBoostingGuarantee, replace(proof, seconds=watch.seconds()))
    X, y, weight = model._checked_all(X, y, sample_weight, reset=False)
    check_same_rows(model._rows_seen, len(X), len(y))
    train, _ = model._split(X, y, weight)
    again, where = _again(model, train)
    if where is None:
        where = first_difference(model._series, again)
    found = claim if where else prove(model, train, _ending(claim))
    proof = confirm_or_refute(claim, found, where)
    return cast(GradientBoostingGuarantee, replace(proof, seconds=watch.seconds()))


def _ending(claim: GradientBoostingGuarantee) -> str:
    """The reason in the claim's statement, which is no figure."""
    words = claim.statement
    return words[words.find("(") + 1 : words.find(")")]


def _again(model: Any, train: tuple) -> tuple[Series | None, str | None]:
    """The trees that these rows give, and what does not let them be grown."""
    _, y, weight = train
    try:
        baseline = model._loss.baseline(y, weight)
        same_shape = np.shape(model._baseline) == baseline.shape
        if not same_shape or not np.allclose(baseline, model._baseline, rtol=1e-9, atol=1e-12):
            return None, "the baseline"
        raw = np.empty((model._loss.trees, len(y)))
        raw[:] = baseline[:, None]
        rounds: list[Series] = []
        for played in model._played:
            codes = model._codes(train)
            booster = Booster(codes, y, weight, model._loss, played.limits, raw)
            for _ in range(played.rounds):
                rounds.append(booster.round(model._draw_seed + len(rounds) * model._loss.trees))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None, "the record of how it was boosted"
    return Series.joined(rounds), None
