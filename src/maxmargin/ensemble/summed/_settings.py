"""What forests that are grown from sums cannot do, by name."""

from __future__ import annotations

from typing import Any

from ...messages import InputError

_LARGEST_RATE = 16
_MOST_ROWS = 2**31 - 1


def refuse_unsummed(model: Any, n: int) -> float:
    """Refuse settings that need all rows at one place; how often a row is drawn into a bag on the average."""
    name = type(model).__name__
    wrong = {
        "node": (model.node != "axis", "'axis'"),
        "bootstrap": (model.bootstrap == "disjoint", "True or False"),
        "n_estimators": (model.n_estimators == "auto", "a number of trees"),
        "validation_fraction": (model.validation_fraction > 0, "0, and rows of your own to judge by"),
        "max_leaf_nodes": (model.max_leaf_nodes is not None, "max_depth or min_samples_leaf instead"),
        "oob_score": (bool(model.oob_score), "False: the certificate has the error out of bag"),
        "warm_start": (model.warm_start, "False"),
        "class_weight": (getattr(model, "class_weight", None) == "balanced_subsample", "'balanced'"),
    }
    for parameter, (is_wrong, instead) in wrong.items():
        if is_wrong:
            raise InputError(
                f"maxmargin.dask.{name} does not take {parameter}={getattr(model, parameter)!r}: take {instead}, or "
                f"use the {name} of one machine.",
                argument=parameter,
            )
    if n > _MOST_ROWS:
        raise InputError(f"X has {n} rows: {_MOST_ROWS} are the most of a forest.", argument="X")
    if not model.bootstrap:
        return 0.0
    asked = 1.0 if model.max_samples is None else model.max_samples
    rate = float(asked) if isinstance(asked, float) else asked / n
    if rate > _LARGEST_RATE:
        raise InputError(
            f"max_samples={asked!r} draws each of {n} rows {rate:.3g} times: {_LARGEST_RATE} times are the most here.",
            argument="max_samples",
        )
    return rate
