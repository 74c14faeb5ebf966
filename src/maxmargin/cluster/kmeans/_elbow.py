"""How many clusters: where the inertia is farthest below that of data without clusters.

The inertia falls with K whatever the data. What counts is how much more it falls than it would without clusters
(Tibshirani, Walther and Hastie 2001, "Estimating the number of clusters in a data set via the gap statistic"): rows
drawn evenly from the box along the principal axes of the data are clustered with the same K, and with W the inertia

    gap(K) = [mean log W_ref(K) - log W_ref(1)]  -  [log W(K) - log W(1)].
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ...data import check_array
from ...engine import warn
from ...estimators import check_weights
from ._kmeans import KMeans
from ._points import Points

# Sets without clusters, and the most rows that each has: on 40 sets of separate groups and 40 without clusters, more of
# either changed no choice.
_REFERENCES, _MOST_ROWS = 10, 500
# Rows that the axes and sides of the box are taken from, and the most columns of sparse rows that are made dense.
_BOX_ROWS, _BOX_COLUMNS = 10_000, 200
# Groups must take a sixth off the inertia that dividing rows without clusters would leave. The curved edge of a disc,
# or the thin tail of an exponential distribution, takes up to a tenth.
_LEAST_GAP = float(np.log(1.2))
# Gaps that differ by this share count as equal: dividing a group further than the reference can creeps up by as much.
_SAME = 0.05


@dataclass(frozen=True)
class Elbow:
    """The curve of the inertia over K, that of data without clusters, the K chosen, and why.

    Attributes
    ----------
    n_clusters : ndarray of int
        The numbers of clusters that were tried, ascending.
    inertias : ndarray of float
        The inertia reached with each; it never rises from one to the next.
    reference : ndarray of float
        The inertia that rows without clusters would have left: the mean over the sets drawn (of the logarithms),
        multiplied by the factor that makes it equal to the inertia of the data at K=1.
    gaps : ndarray of float
        ``log(reference) - log(inertias)``: how much farther than without clusters the inertia has fallen.
    standard_errors : ndarray of float
        Of the gaps, from the spread of the sets drawn.
    chosen : int
        The number of clusters chosen; 1 where there are none.
    reason : str
        The rule with its figures, in words.
    model : KMeans
        The clustering with the chosen number.

    """

    n_clusters: np.ndarray
    inertias: np.ndarray
    reference: np.ndarray
    gaps: np.ndarray
    standard_errors: np.ndarray
    chosen: int
    reason: str
    model: KMeans = field(repr=False)

    def __str__(self) -> str:
        return self.reason

    def plot(self, *, legend: bool = True, ax: Any = None) -> Any:
        """Draw both curves and the chosen number; needs Matplotlib.

        Parameters
        ----------
        legend : bool, default=True
            Whether to draw the legend.
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        maxmargin.plotting.ElbowDisplay

        """
        from ...plotting import ElbowDisplay  # upwards, hence only when a picture is asked for

        return ElbowDisplay.from_elbow(self, legend=legend, ax=ax)


def elbow(
    X: Any,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    sample_weight: Any = None,
    random_state: Any = None,
    n_init: int | str = "auto",
    **parameters: Any,
) -> Elbow:
    """Choose the number of clusters of k-means by its inertia, compared with that of data without clusters.

    The rule: ten sets without clusters are drawn evenly from the box along the principal axes of the rows, and
    clustered too. Take the smallest K whose inertia, on a logarithmic scale, is as far below theirs as that of any K,
    up to one standard error or a twentieth of it. If no K takes at least a sixth off what would be left without
    clusters, there are none: K=1 is chosen, or the smallest number given. For every K, k-means starts as usual and also
    from the centres of the K before with rows farthest from them added, so that the curve never rises.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    n_clusters : iterable of int, default=range(1, 11)
        At least three numbers of clusters.
    sample_weight : array-like of shape (n_samples,), optional
        How often each row counts.
    random_state : int, RandomState or None, default=None
        Of the starts, and of the sets without clusters.
    n_init : int or "auto", default="auto"
        Starts for each K, besides the one from the K before.
    **parameters
        Further parameters of `KMeans`, the same for every K.

    Returns
    -------
    Elbow
        Both curves, the chosen K and why; ``elbow(...).plot()`` draws them.

    Notes
    -----
    The sets without clusters have at most 500 rows. Sparse rows of more than 200 columns are not compared with a box,
    but with sets in which the values of each column are shuffled among the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.cluster import elbow
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 0.3, size=(50, 2)) for centre in (0, 4, 8)])
    >>> elbow(X, range(1, 8), random_state=0).chosen
    3
    >>> found = elbow(rng.uniform(size=(150, 2)), range(1, 8), random_state=0)
    >>> found.chosen
    1
    >>> found.reason.split(".")[0]
    'K=1: no sign of clusters'

    """
    numbers = np.unique(np.fromiter((int(k) for k in n_clusters), dtype=int))
    if len(numbers) < 3 or numbers[0] < 1:
        raise ValueError(f"an elbow needs at least three different numbers of clusters from 1 on; got {numbers}.")
    if "init" in parameters:
        raise ValueError("init cannot be one for every number of clusters; use KMeans for each of them.")
    generator = check_random_state(random_state)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    weights = check_weights(sample_weight, X)
    if numbers[-1] > X.shape[0]:
        raise ValueError(
            f"n_clusters goes up to {numbers[-1]}, and X has {X.shape[0]} rows: no more than one cluster a row can be "
            f"found. Give at least three numbers up to {X.shape[0]}"
            f"{f', such as range(1, {X.shape[0] + 1})' if X.shape[0] >= 3 else ', which takes at least three rows'}."
        )
    models = _models(X, weights, numbers, generator, n_init, parameters)
    _warn_of_empty(models)
    inertias = np.minimum.accumulate([model.inertia_ for model in models])  # rounding apart, no minimum is needed
    one = models[0].inertia_ if numbers[0] == 1 else _one_cluster(X, weights)
    falls = _falls(inertias, one)
    drawn = _Unclustered(X if weights is None else X[weights > 0], generator)
    theirs = np.array([_fall_of_reference(drawn.sample(), numbers, generator) for _ in range(_REFERENCES)])
    mean, spread = theirs.mean(axis=0), theirs.std(axis=0, ddof=1) * np.sqrt(1 + 1 / _REFERENCES)
    gaps = falls - mean if one > 0 else np.zeros(len(numbers))
    best = _choice(gaps, spread)
    chosen, reason = int(numbers[best]), _reason(numbers, gaps, spread, best, X.shape[0])
    return Elbow(numbers, inertias, one * np.exp(-mean), gaps, spread, chosen, reason, models[best])


def _models(
    X: Any,
    weights: np.ndarray | None,
    numbers: np.ndarray,
    generator: Any,
    n_init: int | str,
    parameters: dict[str, Any],
) -> list[KMeans]:
    """K-means for each number; the inertia never rises."""
    points = Points(X, weights)
    models: list[KMeans] = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Number of distinct clusters")  # said once, by the caller
        for k in map(int, numbers):
            model = KMeans(k, n_init=n_init, random_state=generator, **parameters).fit(X, sample_weight=weights)
            if models:
                start = _grown(points, models[-1].cluster_centers_, k)
                other = KMeans(k, init=start, n_init=1, **parameters).fit(X, sample_weight=weights)
                model = min(model, other, key=lambda one: one.inertia_)
            models.append(model)
    return models


def _one_cluster(X: Any, weights: np.ndarray | None) -> float:
    return float(KMeans(1, n_init=1).fit(X, sample_weight=weights).inertia_)


def _falls(inertias: np.ndarray, one: float) -> np.ndarray:
    """Logarithms of the inertia at K=1 over each; an inertia that has gone is taken as far below rounding."""
    return np.log(one) - np.log(np.maximum(inertias, np.finfo(np.float64).eps ** 2 * one)) if one > 0 else 0 * inertias


def _fall_of_reference(X: Any, numbers: np.ndarray, generator: Any) -> np.ndarray:
    """The falls of the inertia of a set without clusters; numbers beyond its rows are as its rows."""
    most = np.minimum(numbers, X.shape[0])
    models = _models(X, None, most, generator, 1, {})
    inertias = np.minimum.accumulate([model.inertia_ for model in models])
    return _falls(inertias, _one_cluster(X, None))


class _Unclustered:
    """Draws sets without clusters of the extent of some rows."""

    def __init__(self, X: Any, generator: Any) -> None:
        self._generator = generator
        self._n = min(X.shape[0], _MOST_ROWS)
        if X.shape[0] > _BOX_ROWS:
            X = X[np.sort(generator.choice(X.shape[0], _BOX_ROWS, replace=False))]
        self._columns: sp.csc_matrix | None = None
        if sp.issparse(X) and X.shape[1] > _BOX_COLUMNS:
            self._columns = sp.csc_matrix(X)
            return
        rows = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        rows = rows - rows.mean(axis=0)
        self._axes = np.linalg.svd(rows, full_matrices=False)[2]
        along = rows @ self._axes.T
        self._low, self._high = along.min(axis=0), along.max(axis=0)

    def sample(self) -> Any:
        """A set of rows."""
        if self._columns is not None:
            return self._shuffled(self._columns)
        return self._generator.uniform(self._low, self._high, size=(self._n, len(self._low))) @ self._axes

    def _shuffled(self, columns: sp.csc_matrix) -> Any:
        """The values of each column at other rows."""
        places = [
            self._generator.choice(columns.shape[0], int(count), replace=False) for count in np.diff(columns.indptr)
        ]
        rows = np.concatenate(places) if places else np.empty(0, dtype=int)
        shuffled = sp.csc_matrix((columns.data, rows, columns.indptr), shape=columns.shape)
        return sp.csr_matrix(shuffled)[: self._n]


def _choice(gaps: np.ndarray, errors: np.ndarray) -> int:
    """The place of the smallest K whose gap is next to the largest; the first, if that is small."""
    largest = int(gaps.argmax())
    if not gaps[largest] - errors[largest] > _LEAST_GAP:
        return 0
    return int(np.flatnonzero(gaps >= gaps[largest] - max(errors[largest], _SAME * gaps[largest]))[0])


def _warn_of_empty(models: list[KMeans]) -> None:
    short = [model for model in models if len(np.unique(model.labels_)) < model.n_clusters]
    if short:
        found = len(np.unique(short[0].labels_))
        warn(
            f"n_clusters: from {short[0].n_clusters} on there are fewer distinct rows than clusters: {found}.",
            ConvergenceWarning,
            stacklevel=3,
        )


def _grown(points: Points, centres: np.ndarray, k: int) -> np.ndarray:
    """Centres, and points one after another that are farthest from all centres so far."""
    centres = centres.astype(np.float64) - points.origin
    squares = points.squared_distances(centres).min(axis=1)
    while len(centres) < k:
        row = points.at(int(np.where(points.weights > 0, squares, -1.0).argmax()))
        centres = np.vstack([centres, row])
        squares = np.minimum(squares, points.squared_distances(row)[:, 0])
    return centres + points.origin


def _reason(numbers: np.ndarray, gaps: np.ndarray, errors: np.ndarray, best: int, rows: int) -> str:
    largest = int(gaps.argmax())
    if not gaps[largest] - errors[largest] > _LEAST_GAP:
        found = f"at most {_less(gaps[largest])} +- {_less(errors[largest])}" if gaps[largest] > 0 else "never"
        return (
            f"K={numbers[best]}: no sign of clusters. The inertia is {found} below that of rows without clusters; "
            f"{_less(_LEAST_GAP)} would be a sign."
        )
    why = f"K={numbers[best]}: its inertia is {_less(gaps[best])} below that of rows without clusters"
    if best == len(numbers) - 1 and numbers[best] < rows:
        return f"{why}, more than for any other K. It is the largest number given: more clusters may be better still."
    if largest == best:
        return f"{why}, more than for any other K."
    return f"{why}; K={numbers[largest]} has {_less(gaps[largest])}, which is hardly more."


def _less(gap: float) -> str:
    """By how much an inertia is smaller, from the difference of the logarithms."""
    return f"{100 * -np.expm1(-gap):.0f} %"
