"""Predictions for rows that are not here: collections of Dask's, whose partitions are predicted where they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable)

# Methods that say something of each row by itself.
ROW_BY_ROW = frozenset(
    {"predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "transform"}
)


def lazy_on_clusters(method: _F) -> _F:
    """A method of rows that, given a collection of Dask's, returns one that is not computed yet.

    The room that knows of clusters is far above the estimators; it is imported when it is needed.
    """
    name = method.__name__

    @wraps(method)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        if len(args) == 1 and not options and hasattr(args[0], "__dask_graph__"):
            from ..dask import predict

            return predict(self, args[0], method=name)
        return method(self, *args, **options)

    return call  # type: ignore[return-value]
