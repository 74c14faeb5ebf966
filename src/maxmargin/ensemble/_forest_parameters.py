"""The parameters that forests share, and which of them contradict each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ..tree import CONSTRAINTS, TreeParameters, refuse_monotonic

FOREST_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    "n_estimators": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "bootstrap": ["boolean", StrOptions({"disjoint"})],
    "oob_score": ["boolean", callable],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "max_samples": [
        None,
        Interval(RealNotInt, 0.0, None, closed="neither"),
        Interval(Integral, 1, 2**31 - 1, closed="both"),
    ],
    "validation_fraction": [Interval(Real, 0, 1, closed="left")],
}


@dataclass(kw_only=True, eq=False, repr=False)
class ForestParameters(TreeParameters):
    """The parameters that forests of classes and of values share."""

    n_estimators: Any = field(default=100, kw_only=False)
    bootstrap: Any = True
    oob_score: Any = False
    n_jobs: int | None = None
    verbose: int = 0
    warm_start: bool = False
    max_samples: Any = None
    validation_fraction: float = 0.0


def refuse_contradictions(forest: Any) -> None:
    """Refuse what cannot be honoured."""
    refuse_monotonic(forest.monotonic_cst)
    if forest.node != "axis" and forest.warm_start:
        raise ValueError(
            f'node="{forest.node}" draws other weak learners at every fit, which the trees of a warm start do not '
            "know; use warm_start=False."
        )
    if forest.validation_fraction > 0 and forest.warm_start:
        raise ValueError(
            f"validation_fraction={forest.validation_fraction:g} holds other rows out at every fit, which the trees "
            "of a warm start may have seen; use warm_start=False."
        )
    if forest.bootstrap == "disjoint":
        _refuse_with_disjoint_bags(forest)
    if forest.bootstrap:
        return
    if forest.max_samples is not None:
        raise ValueError(
            f"max_samples={forest.max_samples!r} has no meaning with bootstrap=False, where each tree has all rows; "
            "use bootstrap=True or max_samples=None."
        )
    if forest.oob_score:
        raise ValueError("Out of bag estimation only available if bootstrap=True")
    if forest.n_estimators == "auto" and forest.validation_fraction == 0:
        raise ValueError(
            'n_estimators="auto" goes by the out-of-bag error: use bootstrap=True, validation_fraction=0.2 or a '
            "number of trees."
        )


def _refuse_with_disjoint_bags(forest: Any) -> None:
    if forest.max_samples is not None:
        raise ValueError(
            f'max_samples={forest.max_samples!r} has no meaning with bootstrap="disjoint", where every row is in one '
            "bag; use bootstrap=True or max_samples=None."
        )
    if forest.warm_start:
        raise ValueError(
            'warm_start=True cannot add trees with bootstrap="disjoint", which deals all rows out at once; use '
            "warm_start=False."
        )
    if forest.n_estimators == "auto":
        raise ValueError(
            'n_estimators="auto" adds trees until their error has settled, and bootstrap="disjoint" deals all rows out '
            "at once; use a number of trees."
        )
