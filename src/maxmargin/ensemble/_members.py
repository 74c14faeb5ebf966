"""The learners of an ensemble: a sequence, copies with random states of their own, and the columns that they take."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..tree import Categories

LARGEST_SEED = np.iinfo(np.int32).max


def drawn_seed(random_state: Any) -> int:
    """A seed to fit from, and to fit from again: the one given, or one that is drawn."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(LARGEST_SEED))


def seeded_copy(learner: Any, random_state: np.random.RandomState) -> Any:
    """A copy whose parameters `random_state`, those of its parts too, are drawn seeds."""
    own = clone(learner)
    names = [key for key in sorted(own.get_params()) if key == "random_state" or key.endswith("__random_state")]
    return own.set_params(**{name: int(random_state.randint(LARGEST_SEED)) for name in names})


def refuse_categories(X: Any, who: Any) -> None:
    """Refuse a data frame with categories, which only trees and forests split."""
    categories = Categories.found(X)
    if categories is not None:
        j, known = next(iter(categories.of.items()))
        example = f" (such as {str(known[0])!r})" if len(known) else ""
        raise ValueError(
            f"{type(who).__name__} takes numbers, and column {categories.names[j]!r} of X holds categories{example}. "
            "Encode it, for example by sklearn.preprocessing.OneHotEncoder; maxmargin's decision trees and random "
            "forests take it as it is."
        )


class Members:
    """An ensemble as the sequence of its learners."""

    estimators_: list[Any]

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)


def member_importances(model: Any) -> np.ndarray | None:
    """Importances of all columns for each learner, a row each; None where a learner has none."""
    d = model.n_features_in_
    shares = np.zeros((len(model.estimators_), d))
    columns = getattr(model, "estimators_features_", [np.arange(d)] * len(shares))
    for k, (member, chosen) in enumerate(zip(model.estimators_, columns, strict=True)):
        if not hasattr(member, "feature_importances_"):
            return None
        np.add.at(shares[k], np.asarray(chosen), member.feature_importances_)  # columns may be drawn more than once
    return shares
