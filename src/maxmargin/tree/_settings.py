"""scikit-learn's parameters of a tree, and the limits they mean for given rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ._build import CRITERIA
from ._split import VARIANCE, Limits

_ENDLESS = 2**31 - 1

CONSTRAINTS: dict = {
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [
        Interval(Integral, 2, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
    ],
    "min_samples_leaf": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="neither"),
    ],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
    "random_state": ["random_state"],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
    "monotonic_cst": ["array-like", None],
    "node": [StrOptions({"axis", "oblique", "box"})],
    "n_candidates": [Interval(Integral, 1, 2**16, closed="both")],
}


@dataclass(kw_only=True, eq=False, repr=False)
class TreeParameters:
    """The parameters that trees and forests share."""

    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: Any = None
    random_state: Any = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0
    monotonic_cst: Any = None
    node: str = "axis"
    n_candidates: int = 100

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        if self.node != "axis":
            tags.input_tags.allow_nan = tags.input_tags.sparse = False
        return tags


def refuse_monotonic(monotonic_cst: Any) -> None:
    if monotonic_cst is not None:
        raise ValueError(
            f"monotonic_cst must be None: monotone trees are not supported; got {monotonic_cst!r}. "
            "HistGradientBoostingClassifier and HistGradientBoostingRegressor of maxmargin.ensemble keep it."
        )


def columns_a_split(max_features: Any, d: int) -> int:
    """How many columns `max_features` means."""
    if max_features is None:
        return d
    if isinstance(max_features, str):
        return max(1, int(math.sqrt(d) if max_features == "sqrt" else math.log2(d)))
    return int(max_features) if isinstance(max_features, Integral) else max(1, int(max_features * d))


def limits_of(model: Any, n: int, d: int, weight: np.ndarray, classes: int) -> Limits:
    """The limits that the parameters of a model mean for n rows, d columns and weights; `classes` is 0 for values."""
    leaf, split = model.min_samples_leaf, model.min_samples_split
    leaf = min(int(leaf), _ENDLESS) if isinstance(leaf, Integral) else math.ceil(leaf * n)
    split = min(int(split), _ENDLESS) if isinstance(split, Integral) else max(2, math.ceil(split * n))
    criterion, total = CRITERIA[model.criterion], float(weight.sum())
    whole = bool((weight == np.rint(weight)).all()) and total < 2.0**53
    return Limits(
        criterion=criterion,
        channels=2 if criterion == VARIANCE else classes,
        counted=leaf > 1 or not whole,
        max_depth=_ENDLESS if model.max_depth is None else int(min(model.max_depth, _ENDLESS)),
        min_samples_split=max(split, 2 * leaf),
        min_samples_leaf=leaf,
        min_weight_leaf=float(model.min_weight_fraction_leaf) * total,
        max_features=min(d, columns_a_split(model.max_features, d)),
        min_decrease=float(model.min_impurity_decrease),
        max_leaves=-1 if model.max_leaf_nodes is None else min(int(model.max_leaf_nodes), _ENDLESS),
    )
