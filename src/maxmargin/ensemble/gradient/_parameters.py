"""The parameters that gradient boosting of classes and of values share, and what they mean for given rows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ...messages import InputError
from ._booster import Limits

_ENDLESS = 2**31 - 1

CONSTRAINTS: dict[str, list[Any]] = {
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
    "l2_regularization": [Interval(Real, 0, None, closed="left")],
    "max_features": [Interval(RealNotInt, 0, 1, closed="right")],
    "monotonic_cst": ["array-like", dict, None],
    "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    "validation_fraction": [
        Interval(RealNotInt, 0, 1, closed="neither"),
        Interval(Integral, 1, None, closed="left"),
        None,
    ],
    "tol": [Interval(Real, 0, None, closed="left")],
    "max_bins": [Interval(Integral, 2, 255, closed="both")],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "warm_start": ["boolean"],
    "early_stopping": [StrOptions({"auto"}), "boolean"],
    "scoring": [str, callable, None],
    "verbose": ["verbose"],
    "random_state": ["random_state"],
}


@dataclass(kw_only=True, eq=False, repr=False)
class GradientBoostingParameters:
    """The parameters that gradient boosting of classes and of values share.

    Parameters
    ----------
    learning_rate : float, default=0.1
        Factor of the values of all leaves.
    max_iter : int, default=100
        Largest number of rounds.
    max_leaf_nodes : int or None, default=31
        Largest number of leaves of a tree.
    max_depth : int or None, default=None
        Largest number of splits from a root to a leaf.
    min_samples_leaf : int, default=20
        Fewest rows in a leaf.
    l2_regularization : float, default=0.0
        Added to the sum of second derivatives of a leaf, which makes its value smaller.
    max_features : float, default=1.0
        Share of the columns that each split is chosen among, drawn at random.
    max_bins : int, default=255
        Largest number of bins of a column, without that of missing values.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default="from_dtype"
        Which columns hold categories: a mask, numbers or names. "from_dtype": the columns of a data frame that are
        categorical. A column may have `max_bins` categories.
    monotonic_cst : array-like of int, dict or None, default=None
        For each column, or by its name, whether predictions may only rise with it (1), only fall (-1), or both (0).
    interaction_cst : {"pairwise", "no_interactions"}, sequence of sets of int, or None, default=None
        Sets of columns that may meet on a path from a root to a leaf. Columns that are in none of them are a set.
    warm_start : bool, default=False
        Whether `fit` goes on where the last one ended, on the same rows.
    early_stopping : bool or "auto", default="auto"
        Whether to end when the score on held-out rows rises no more; "auto": of more than 10 000 rows, or if such rows
        are given to `fit`.
    scoring : str, callable or None, default="loss"
        The score that early stopping looks at; None: that of the method `score`.
    validation_fraction : float, int or None, default=0.1
        Share or number of rows held out for early stopping; None: the score is that of the training rows.
    n_iter_no_change : int, default=10
        Rounds without a better score after which it ends early.
    tol : float, default=1e-7
        By how much a score must be better to count as better.
    verbose : int, default=0
        1: say how it ended; 2: what each round came to.
    random_state : int, RandomState or None, default=None
        Seed of the draws: rows held out, rows that bins are made from (of more than 200 000), and columns.

    Attributes
    ----------
    n_iter_ : int
        Rounds that were made.
    n_trees_per_iteration_ : int
        Trees of a round: one for each class, of more than two.
    do_early_stopping_ : bool
        Whether it looked at held-out rows.
    train_score_, validation_score_ : ndarray of shape (1 + number of rounds,)
        With early stopping: the scores before the first round and after each. Where they are not losses, those of at
        most 10 000 training rows.
    is_categorical_ : ndarray of shape (n_features,) or None
        Which columns hold categories.
    feature_importances_ : ndarray of shape (n_features,)
        The share of each column in what all splits gain.
    certificate_ : GradientBoostingGuarantee
        The loss of the training rows after each round, recomputed, and the decrease that the steps guarantee;
        recomputed by ``certificate_.verify(X, y, sample_weight)``.

    """

    learning_rate: float = 0.1
    max_iter: int = 100
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    min_samples_leaf: int = 20
    l2_regularization: float = 0.0
    max_features: float = 1.0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"
    monotonic_cst: Any = None
    interaction_cst: Any = None
    warm_start: bool = False
    early_stopping: Any = "auto"
    scoring: Any = "loss"
    validation_fraction: Any = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    verbose: int = 0
    random_state: Any = None


def interaction_groups(interaction_cst: Any, d: int) -> list[set[int]] | None:
    """The sets of columns that may meet, None if all may."""
    if interaction_cst is None:
        return None
    sets: Any = interaction_cst
    if isinstance(interaction_cst, str):
        sets = [[j] for j in range(d)] if interaction_cst == "no_interactions" else itertools.combinations(range(d), 2)
    try:
        groups = [set(group) for group in sets]
    except TypeError:
        raise InputError(
            f"Interaction constraints must be a sequence of tuples or lists, got: {interaction_cst!r}.",
            argument="interaction_cst",
        ) from None
    for group in groups:
        if not all(isinstance(j, Integral) and not isinstance(j, bool) and 0 <= int(j) < d for j in group):
            raise InputError(
                "Interaction constraints must consist of integer indices in [0, n_features - 1] = "
                f"[0, {d - 1}], specifying the position of features, got invalid indices: {group!r}",
                argument="interaction_cst",
            )
    rest = set(range(d)) - set().union(*groups)
    return [*groups, rest] if rest else groups


def limits_of(model: Any, monotonic: np.ndarray, groups: list[set[int]] | None) -> Limits:
    """The limits that the parameters of a model mean for its trees."""
    d = len(monotonic)
    table = np.zeros((len(groups or ()), d), dtype=np.bool_)
    for line, group in zip(table, groups or (), strict=True):
        line[list(group)] = True
    return Limits(
        max_leaves=-1 if model.max_leaf_nodes is None else min(int(model.max_leaf_nodes), _ENDLESS),
        max_depth=_ENDLESS if model.max_depth is None else min(int(model.max_depth), _ENDLESS),
        min_rows=min(int(model.min_samples_leaf), _ENDLESS),
        l2=float(model.l2_regularization),
        share=float(model.max_features),
        rate=float(model.learning_rate),
        monotonic=np.asarray(monotonic, dtype=np.int64),
        groups=table,
    )
