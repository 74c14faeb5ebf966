"""How many clusters: where the curve of the inertia bends."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ...data import check_array
from ...engine import warn
from ._kmeans import KMeans
from ._points import Points


@dataclass(frozen=True)
class Elbow:
    """The curve of the inertia over K, the K chosen, and why.

    Attributes
    ----------
    n_clusters : ndarray of int
        The numbers of clusters that were tried, ascending.
    inertias : ndarray of float
        The inertia reached with each; it never rises from one to the next.
    depths : ndarray of float
        How far each point of the curve lies below the chord from its first to its last point, both axes scaled to
        lengths of 1: between 0 and 1, and 0 at both ends.
    chosen : int
        The number of clusters whose point lies deepest.
    reason : str
        The rule with its figures, in words.
    model : KMeans
        The clustering with the chosen number.

    """

    n_clusters: np.ndarray
    inertias: np.ndarray
    depths: np.ndarray
    chosen: int
    reason: str
    model: KMeans = field(repr=False)

    def plot(self, *, legend: bool = True, ax: Any = None) -> Any:
        """Draw the curve, the chord and the chosen number; needs Matplotlib.

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
    """Choose the number of clusters of k-means by the elbow of the inertia.

    The rule: draw the inertia over K, scale both axes to lengths of 1, and take the K whose point lies farthest below
    the chord from the first to the last point (of equals the smallest). For every K, k-means starts as usual and
    also from the centres of the K before with rows farthest from them added, so that the curve never rises.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    n_clusters : iterable of int, default=range(1, 11)
        At least three numbers of clusters.
    sample_weight : array-like of shape (n_samples,), optional
        How often each row counts.
    random_state : int, RandomState or None, default=None
        Of the starts.
    n_init : int or "auto", default="auto"
        Starts for each K, besides the one from the K before.
    **parameters
        Further parameters of `KMeans`, the same for every K.

    Returns
    -------
    Elbow
        The curve, the chosen K and why; ``elbow(...).plot()`` draws them.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.cluster import elbow
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 0.3, size=(50, 2)) for centre in (0, 4, 8)])
    >>> found = elbow(X, range(1, 8), random_state=0)
    >>> found.chosen
    3
    >>> print(found.reason)
    K=3 lies deepest below the chord from K=1 to K=7: 0.66 of the scaled height; next is K=2 with 0.58.

    """
    numbers = np.unique(np.fromiter((int(k) for k in n_clusters), dtype=int))
    if len(numbers) < 3 or numbers[0] < 1:
        raise ValueError(f"an elbow needs at least three different numbers of clusters from 1 on; got {numbers}.")
    if "init" in parameters:
        raise ValueError("init cannot be one for every number of clusters; use KMeans for each of them.")
    generator = check_random_state(random_state)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    points = Points(X, None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64))
    models: list[KMeans] = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Number of distinct clusters")  # said once, below
        for k in map(int, numbers):
            model = KMeans(k, n_init=n_init, random_state=generator, **parameters).fit(X, sample_weight=sample_weight)
            if models:
                start = _grown(points, models[-1].cluster_centers_, k)
                other = KMeans(k, init=start, n_init=1, **parameters).fit(X, sample_weight=sample_weight)
                model = min(model, other, key=lambda one: one.inertia_)
            models.append(model)
    _warn_of_empty(models)
    inertias = np.minimum.accumulate([model.inertia_ for model in models])  # rounding apart, no minimum is needed
    depths = _depths(numbers, inertias)
    best = int(depths.argmax())
    return Elbow(numbers, inertias, depths, int(numbers[best]), _reason(numbers, depths, best), models[best])


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


def _depths(numbers: np.ndarray, inertias: np.ndarray) -> np.ndarray:
    across = (numbers - numbers[0]) / (numbers[-1] - numbers[0])
    drop = inertias[0] - inertias[-1]
    if not drop > 0:  # nothing is gained by any number of clusters
        return np.zeros(len(numbers))
    return (1 - across) - (inertias - inertias[-1]) / drop


def _reason(numbers: np.ndarray, depths: np.ndarray, best: int) -> str:
    ends = f"the chord from K={numbers[0]} to K={numbers[-1]}"
    if not depths[best] > 0:
        return f"No K lies below {ends}: the curve has no elbow, and the smallest K is as good as any."
    second = max((k for k in range(len(depths)) if k != best), key=lambda k: depths[k])
    return (
        f"K={numbers[best]} lies deepest below {ends}: {depths[best]:.2f} of the scaled height; next is "
        f"K={numbers[second]} with {depths[second]:.2f}."
    )
