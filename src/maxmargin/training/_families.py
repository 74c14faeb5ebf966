"""The families that are compared, from the simplest on; which of them wins, and why, in words.

Simple is what can be read: a weight a column; one tree; a vote of support vectors; of hundreds of trees; of all rows.

All families have scores on the same folds, so that two of them are compared fold by fold: with d_f the difference in
fold f, family A is behind B by mean(d), with the standard error std(d)/sqrt(folds). Families that are behind the best
by no more than that cannot be told from it, and of these the simplest wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..messages import number
from ..search import standard_error
from ._boosting_family import boost_again, make_boosting, more_rounds, search_boosting
from ._machine_families import (
    large_remark,
    make_linear,
    make_logistic,
    make_ridge,
    make_svc,
    make_svr,
    search_kernel,
    search_linear,
    search_logistic,
    search_ridge,
)
from ._metrics import shown_name
from ._other_families import (
    make_elastic_net,
    make_kernel_logistic,
    make_kernel_perceptron,
    make_kernel_ridge,
    make_lasso,
    make_least_squares,
    search_elastic_net,
    search_kernel_logistic,
    search_kernel_perceptron,
    search_kernel_ridge,
    search_lasso,
    search_least_squares,
)
from ._search import Job, SearchResult
from ._training import FamilyResult
from ._tree_families import (
    forest_remark,
    make_adaboost,
    make_forest,
    make_neighbours,
    make_tree,
    search_adaboost,
    search_forest,
    search_neighbours,
    search_tree,
)

_KERNEL_CLASSES = 100
_TIE = 0.002  # of a score: classifiers so near to each other are equal, and one with probabilities is preferred
_SHARES = ("accuracy", "balanced accuracy")
_NEIGHBOUR_ROWS = 200_000
_WIDE = 2000  # columns
_DENSE_CELLS = 20_000_000  # of sparse rows that trees are tried on
_BOOST_CELLS, _BOOST_TREE_CELLS = 10**8, 10**7


@dataclass(frozen=True)
class Family:
    """A kind of model with its search.

    Attributes
    ----------
    name : str
    words : str
        What it is.
    search : callable
        From a Job to what is found.
    make : callable
        From a Job and parameters to an estimator, not fitted.
    too_great : callable
        From rows, columns and classes to the reason why "auto" leaves it out, or an empty text.
    classes, values : bool
        Whether it learns labels, and numbers.
    scaled : bool
        Whether columns are filled in and standardised for it.
    takes : tuple of str
        Which of C, gamma and kernel can be given.
    sparse : bool
        Whether it is tried on sparse tables, however wide.
    probabilities : bool
        Whether a classifier gives them.
    weighs : tuple of str
        Which weights of classes a classifier takes: "balanced", "given".
    dense : bool
        Whether it takes dense rows alone.
    remark : callable
        From the Job of the final fit and the fitted model to what differs there, or an empty text.
    again : callable or None
        From a Job of more rows and what was found on fewer to what is found there; None: the best candidates once more.
    enlarge : callable
        From the Job of the final fit, the parameters and the rows that these were tuned on to parameters for all rows.

    """

    name: str
    words: str
    search: Callable[[Job], SearchResult]
    make: Callable[[Job, dict[str, Any]], Any]
    too_great: Callable[[int, int, int], str] = lambda n, d, K: ""
    classes: bool = True
    values: bool = True
    scaled: bool = True
    takes: tuple[str, ...] = ()
    sparse: bool = False
    probabilities: bool = True
    weighs: tuple[str, ...] = ("balanced", "given")
    dense: bool = False
    remark: Callable[[Job, Any], str] = lambda job, model: ""
    again: Callable[[Job, SearchResult], SearchResult] | None = None
    enlarge: Callable[[Job, dict[str, Any], int], dict[str, Any]] = lambda job, params, tuned_on: params

    def learns(self, classes: bool) -> bool:
        """Whether it learns labels (or numbers)."""
        return self.classes if classes else self.values


def _kernel_cost(n: int, d: int, K: int) -> str:
    if d > _WIDE:
        return (
            f"left out: of {d:,} columns a linear machine is as rich, and quicker; name it as model= to train it all "
            "the same"
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


_KERNEL: Any = {"takes": ("C", "gamma", "kernel"), "sparse": True, "remark": large_remark, "probabilities": False}
_LINEAR: Any = {"takes": ("C",), "sparse": True, "probabilities": False}
_KERNELS: Any = {"takes": ("gamma",), "sparse": True}
_LOGITS: Any = {"takes": ("C", "gamma"), "sparse": True, "values": False}
_PERCEPTRON: Any = {"takes": ("gamma",), "sparse": True, "values": False, "probabilities": False, "weighs": ()}
_BOOSTED: Any = {"scaled": False, "dense": True, "again": boost_again, "enlarge": more_rounds}
_ALL = (
    Family("leastsquares", "least squares", search_least_squares, make_least_squares, classes=False, sparse=True),
    Family("ridge", "ridge regression", search_ridge, make_ridge, classes=False, sparse=True),
    Family("linear", "a linear support vector machine", search_linear, make_linear, **_LINEAR),
    Family("lasso", "the lasso", search_lasso, make_lasso, classes=False, sparse=True),
    Family("elasticnet", "the elastic net", search_elastic_net, make_elastic_net, classes=False, sparse=True),
    Family("logistic", "logistic regression", search_logistic, make_logistic, values=False, takes=("C",), sparse=True),
    Family("tree", "one decision tree", search_tree, make_tree, scaled=False),
    Family("svc", "a support vector classifier", search_kernel, make_svc, _kernel_cost, values=False, **_KERNEL),
    Family("svr", "a support vector regressor", search_kernel, make_svr, _kernel_cost, classes=False, **_KERNEL),
    Family("kernelridge", "kernel ridge regression", search_kernel_ridge, make_kernel_ridge, classes=False, **_KERNELS),
    Family("kernellogistic", "kernel logistic regression", search_kernel_logistic, make_kernel_logistic, **_LOGITS),
    Family(
        "kernelperceptron", "the kernel perceptron", search_kernel_perceptron, make_kernel_perceptron, **_PERCEPTRON
    ),
    Family("forest", "a random forest", search_forest, make_forest, scaled=False, remark=forest_remark),
    Family("boosting", "gradient boosted trees", search_boosting, make_boosting, **_BOOSTED),
    Family("adaboost", "AdaBoost", search_adaboost, make_adaboost, _boost_cost, weighs=()),
    Family("knn", "nearest neighbours", search_neighbours, make_neighbours, _neighbour_cost, weighs=("balanced",)),
)
FAMILIES: dict[str, Family] = {family.name: family for family in _ALL}
# The order in which "auto" tries them: the quick ones first, so that a limit of time leaves out the slow ones. Least
# squares, lasso, elastic net and the kernel models are for those who ask: ridge and support vector machines stand for
# them.
BY_COST = ("ridge", "logistic", "linear", "tree", "boosting", "forest", "knn", "adaboost", "svc", "svr")
# From the simplest on.
BY_SIMPLICITY = tuple(FAMILIES)


def too_sparse(n: int, d: int) -> str:
    """Why a family that bins columns is not tried on sparse rows; empty if it is."""
    if d <= _WIDE and n * d <= _DENSE_CELLS:
        return ""
    return f"left out: not tried on {n:,} sparse rows of {d:,} columns; name it as model= to train it"


def compare(results: Sequence[FamilyResult], classes: bool = True) -> tuple[tuple[FamilyResult, ...], str]:
    """The families, best first, with the winner marked, and its name; at least one has a score.

    Those that were judged on the most rows are compared; others come after them.
    """
    judged = sorted((r for r in results if r.judged), key=lambda r: (-r.score, BY_SIMPLICITY.index(r.family)))
    most = max(r.rows for r in judged)
    dropped = [r for r in judged if r.rows < most]
    judged = [r for r in judged if r.rows == most]
    best = judged[0]
    judged = [_placed(r, best) for r in judged]
    near = [r for r in judged if _is_near(r)]
    winner = min(near, key=lambda r: BY_SIMPLICITY.index(r.family))
    if classes and not FAMILIES[winner.family].probabilities:
        told = [r for r in near if FAMILIES[r.family].probabilities and r.score >= winner.score - _TIE]
        winner = min(told, key=lambda r: BY_SIMPLICITY.index(r.family), default=winner)
    rows = [replace(r, chosen=r.family == winner.family) for r in judged]
    return (*rows, *dropped, *(r for r in results if not r.judged)), winner.family


def _is_near(result: FamilyResult) -> bool:
    """Within one standard error; where one fold alone differs, the two are equal up to rounding."""
    return result.behind <= result.behind_error * (1 + 1e-9)


def _placed(result: FamilyResult, best: FamilyResult) -> FamilyResult:
    difference = np.array(best.fold_scores) - np.array(result.fold_scores)
    return replace(result, behind=float(difference.mean()), behind_error=standard_error(difference))


def reason_of(rows: Sequence[FamilyResult], metric: str, asked: bool) -> str:
    """Why the winner won."""
    winner = next(r for r in rows if r.chosen)
    judged = [r for r in rows if r.judged and r.rows == winner.rows]
    words = f"{winner.family} ({FAMILIES[winner.family].words})"
    folds = len(winner.fold_scores)
    if asked:
        return f"{words} was asked for; its {metric} over {folds} folds is {written(winner.score, metric)}"
    if len(judged) == 1:
        return f"{words} is the only family that could be tried; its {metric} is {written(winner.score, metric)}"
    best = judged[0]
    if winner.family != best.family:
        return (
            f"{words} has {metric} {written(winner.score, metric)} over {folds} folds, "
            f"{_points(winner.behind, metric)} behind {best.family}: that is within one standard error of their "
            f"difference ({_points(winner.behind_error, metric)}), and it {_merit(winner.family, best.family)}"
        )
    text = f"{words} has the best {metric}, {written(winner.score, metric)} over {folds} folds"
    near = [r for r in judged[1:] if _is_near(r)]
    if near:
        names = ", ".join(r.family for r in near)
        verb = "is" if len(near) == 1 else "are"
        lack = _lack(winner.family, near)
        return f"{text}; {names} {verb} within one standard error of it, but {lack}"
    second = judged[1]
    return (
        f"{text}, {_points(second.behind, metric)} above {second.family}, the next: more than one standard error of "
        f"their difference ({_points(second.behind_error, metric)})"
    )


def _merit(winner: str, best: str) -> str:
    """Why a family is preferred to one that is as good."""
    if BY_SIMPLICITY.index(winner) < BY_SIMPLICITY.index(best):
        return "is simpler"
    return "gives probabilities"


def _lack(winner: str, near: Sequence[FamilyResult]) -> str:
    """Why families that are as good are not preferred."""
    if all(BY_SIMPLICITY.index(r.family) > BY_SIMPLICITY.index(winner) for r in near):
        return "not simpler"
    return "not simpler or without probabilities"


def written(score: float, metric: str) -> str:
    """A score in the form that a reader expects."""
    if metric in _SHARES:
        return f"{100 * score:.1f} %"
    return f"{score:.4f}" if shown_name(metric) == metric else number(-score)


def _points(difference: float, metric: str) -> str:
    """A difference of scores: in points of a hundred, with as many digits as show it."""
    if metric not in _SHARES:
        return f"{difference:.2g}"
    points = 100 * difference
    return f"{points:.2f} points" if points < 0.995 else f"{points:.1f} points"
