"""What a boosted vote says after some of its rounds, as shares of the votes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._features import in_column_order


def check_boosted(model: Any, what: str) -> None:
    """Raise where a model is no boosted vote of classes, or not fitted."""
    known = hasattr(model, "staged_decision_function") or hasattr(type(model), "staged_decision_function")
    if not known or not hasattr(model, "learning_rate") or hasattr(model, "subsample"):
        raise TypeError(
            f"{what} draws boosted votes of classes, such as maxmargin.ensemble.AdaBoostClassifier; got "
            f"{type(model).__name__}."
        )
    check_is_fitted(model)
    if len(model.classes_) < 2:
        raise ValueError(f"{what} needs two classes or more; this {type(model).__name__} has seen but one.")


def check_rounds(rounds: Any, made: int, default: tuple[int, ...]) -> list[int]:
    """Rounds to draw, ascending: those asked for, or those of the default that were made, and the last."""
    if rounds is None:
        return sorted({t for t in default if t < made} | {made})
    if isinstance(rounds, str) or not isinstance(rounds, Iterable):
        raise ValueError(f"rounds must be a sequence of numbers of rounds, such as (1, 10, {made}); got {rounds!r}.")
    chosen = list(rounds)
    if not chosen:
        raise ValueError("rounds is empty: give at least one.")
    for t in chosen:
        if isinstance(t, bool) or not isinstance(t, Integral) or not 1 <= int(t) <= made:
            raise ValueError(f"rounds must be whole numbers from 1 to {made}, the rounds that were made; got {t!r}.")
    return sorted({int(t) for t in chosen})


def shares_after(model: Any, X: Any, rounds: list[int]) -> np.ndarray:
    """Shares of the votes for each class, of shape (n_rows, len(rounds), n_classes).

    For K classes the decision value is (p_k - (1 - p_k) / (K - 1)) of the share p_k; for two, that of the second class
    less that of the first.
    """
    K, wanted = len(model.classes_), set(rounds)
    found = []
    with in_column_order():
        for t, decision in enumerate(islice(model.staged_decision_function(X), max(rounds)), start=1):
            if t in wanted:
                values = np.asarray(decision, dtype=np.float64)
                if K == 2:
                    second = (values.ravel() / 2 + 1) / 2
                    found.append(np.column_stack([1 - second, second]))
                else:
                    found.append((values * (K - 1) + 1) / K)
    return np.stack(found, axis=1)


def margins_of(shares: np.ndarray, label: np.ndarray) -> np.ndarray:
    """The share of a row's own class less the largest of another one, along the last axis of shares (n, ..., K)."""
    others = shares.copy()
    own = np.take_along_axis(shares, label.reshape(-1, *[1] * (shares.ndim - 1)), axis=-1)
    np.put_along_axis(others, label.reshape(-1, *[1] * (shares.ndim - 1)), -np.inf, axis=-1)
    return own[..., 0] - others.max(axis=-1)
