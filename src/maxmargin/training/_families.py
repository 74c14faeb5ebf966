"""The families that are compared, from the simplest on.

Simple is what can be read: a weight a column; one tree; a vote of support vectors; of hundreds of trees; of all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._kernel_families import make_svc, make_svr, search_kernel
from ._linear_families import (
    make_linear,
    make_logistic,
    make_ridge,
    search_linear,
    search_logistic,
    search_ridge,
)
from ._neighbour_family import make_neighbours, search_neighbours
from ._search import Job, SearchResult
from ._tree_families import (
    forest_remark,
    make_adaboost,
    make_forest,
    make_tree,
    search_adaboost,
    search_forest,
    search_tree,
)

_KERNEL_ROWS, _KERNEL_CLASSES = 50_000, 100
_NEIGHBOUR_ROWS = 200_000
_BOOST_CELLS, _BOOST_TREE_CELLS = 10**8, 10**7


@dataclass(frozen=True)
class Family:
    """A kind of model with its search.

    Attributes
    ----------
    name : str
    words : str
        What it is.
    classes, values : bool
        Whether it learns labels, and numbers.
    scaled : bool
        Whether columns are filled in and standardised for it.
    takes : tuple of str
        Which of C, gamma and kernel can be given.
    sparse : bool
        Whether it is tried on LIBSVM tables.
    search : callable
        From a Job to what is found.
    make : callable
        From a Job and parameters to an estimator, not fitted.
    too_great : callable
        From rows, columns and classes to the reason why "auto" leaves it out, or an empty text.
    remark : callable
        From the Job of the final fit to what differs there, or an empty text.

    """

    name: str
    words: str
    classes: bool
    values: bool
    scaled: bool
    takes: tuple[str, ...]
    sparse: bool
    search: Callable[[Job], SearchResult]
    make: Callable[[Job, dict[str, Any]], Any]
    too_great: Callable[[int, int, int], str] = lambda n, d, K: ""
    remark: Callable[[Job], str] = lambda job: ""

    def learns(self, classes: bool) -> bool:
        """Whether it learns labels (or numbers)."""
        return self.classes if classes else self.values


def _kernel_cost(n: int, d: int, K: int) -> str:
    if n > _KERNEL_ROWS:
        return (
            f"left out: an exact kernel machine of {n} rows takes too long, its time grows with their square "
            f"(the limit is {_KERNEL_ROWS}); name it as model= to train it all the same"
        )
    if K > _KERNEL_CLASSES:
        return f"left out: {K} classes make {K * (K - 1) // 2} pairs; name it as model= to train it all the same"
    return ""


def _neighbour_cost(n: int, d: int, K: int) -> str:
    if n <= _NEIGHBOUR_ROWS:
        return ""
    return f"left out: it would keep all {n} rows (the limit is {_NEIGHBOUR_ROWS}); name it as model= to do so"


def _boost_cost(n: int, d: int, K: int) -> str:
    limit = _BOOST_CELLS if K else _BOOST_TREE_CELLS
    if n * d <= limit:
        return ""
    return (
        f"left out: hundreds of rounds over {n} rows and {d} columns take too long (the limit is {limit} cells); name "
        "it as model= to train it all the same"
    )


_ALL = (
    Family("ridge", "ridge regression", False, True, True, (), True, search_ridge, make_ridge),
    Family("linear", "a linear support vector machine", True, True, True, ("C",), True, search_linear, make_linear),
    Family("logistic", "logistic regression", True, False, True, ("C",), True, search_logistic, make_logistic),
    Family("tree", "one decision tree", True, True, False, (), False, search_tree, make_tree),
    Family(
        "svc",
        "a support vector classifier",
        True,
        False,
        True,
        ("C", "gamma", "kernel"),
        True,
        search_kernel,
        make_svc,
        _kernel_cost,
    ),
    Family(
        "svr",
        "a support vector regressor",
        False,
        True,
        True,
        ("C", "gamma", "kernel"),
        True,
        search_kernel,
        make_svr,
        _kernel_cost,
    ),
    Family("forest", "a random forest", True, True, False, (), False, search_forest, make_forest, remark=forest_remark),
    Family("adaboost", "AdaBoost", True, True, True, (), False, search_adaboost, make_adaboost, _boost_cost),
    Family(
        "knn", "nearest neighbours", True, True, True, (), False, search_neighbours, make_neighbours, _neighbour_cost
    ),
)
FAMILIES: dict[str, Family] = {family.name: family for family in _ALL}
# The order in which "auto" tries them: the quick ones first, so that a limit of time leaves out the slow ones.
BY_COST = ("ridge", "logistic", "linear", "tree", "knn", "adaboost", "forest", "svc", "svr")
# From the simplest on.
BY_SIMPLICITY = tuple(FAMILIES)
