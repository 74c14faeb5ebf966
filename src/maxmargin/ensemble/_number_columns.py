"""Columns of a data frame that are no numbers, refused by name."""

from __future__ import annotations

from typing import Any

from ..tree import Categories


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
