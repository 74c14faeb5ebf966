"""The cells of k-means, its centres, and the way that they have come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...cluster import KMeans, centre_path
from .._display import Display
from .._features import check_columns, in_column_order, last_step, plane_for, table_of
from .._look import FAINT, INK, colour, crowded, frame_plane, line, mark, named, padded, pale, scatter
from .._matplotlib import Axes
from ._cells import cells

_MOST_CENTRES = 20  # of full size


@dataclass(kw_only=True, eq=False, repr=False)
class KMeansDisplay(Display):
    """The cells of k-means in a plane, with its rows, its centres and their path.

    The cell of a centre is all that is nearer to it than to any other: a convex polygon, with straight borders halfway
    between two centres. The path leads from where a centre started to where it has come to rest, with a dot for each
    step.

    A model of two features is drawn as it is. Of more, two are chosen: cells are then those of the section of the space
    in which all other features are at their means, and rows, centres and paths are projected on it. As they lie off the
    section, they may appear in a cell that is not theirs.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    cells : list of ndarray of shape (n_corners, 2)
        Corners of the cell of each centre, in coordinates of the plane; none where it is out of the picture.
    centres : ndarray of shape (n_clusters, 2)
        The centres.
    points : ndarray of shape (n, 2)
        The rows.
    label : ndarray of shape (n,)
        Number of the cluster of each.
    ends : tuple of two pairs of float
        Ends of both axes.
    path : ndarray of shape (n_steps + 1, n_clusters, 2) or None, default=None
        Centres before the first step and after each one.

    Attributes
    ----------
    cells_ : matplotlib PolyCollection
        The cells.
    points_ : list of PathCollection
        The rows, cluster by cluster.
    centres_ : PathCollection
        The centres.
    paths_ : LineCollection or None
        The way of each centre.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from maxmargin.cluster import KMeans
    >>> from maxmargin.plotting import KMeansDisplay
    >>> X, _ = make_blobs(200, centers=4, random_state=1)
    >>> model = KMeans(4, init="random", random_state=0).fit(X)
    >>> display = KMeansDisplay.from_estimator(model, X)
    >>> len(display.path) == model.n_iter_ + 1
    True
    >>> display.figure_.savefig("kmeans.png")  # doctest: +SKIP

    """

    cells: list[np.ndarray]
    centres: np.ndarray
    points: np.ndarray
    label: np.ndarray
    ends: tuple[tuple[float, float], tuple[float, float]]
    axis_names: tuple[str, str]
    path: np.ndarray | None = None
    section_of: int | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        sample_weight: Any = None,
        path: bool | None = None,
        features: Any = None,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> KMeansDisplay:
        """Draw the cells of a fitted model.

        Parameters
        ----------
        estimator : KMeans or Pipeline
            A fitted `maxmargin.cluster.KMeans`, or a pipeline that ends in one: that is drawn in the space that its
            last step sees.
        X : array-like
            What it was trained on; without a path, any rows.
        sample_weight : array-like, optional
            The weights that it was trained with.
        path : bool, optional
            Whether to draw the path of the centres. It is found by taking the fit again, which needs its rows and
            weights, and a number as `random_state` or given centres as `init`. By default it is drawn if that leads to
            the same centres; True raises an error if it does not.

        """
        model, X, names = last_step(estimator, X)
        if not isinstance(model, KMeans):
            raise TypeError(f"KMeansDisplay draws maxmargin.cluster.KMeans; got {type(model).__name__}.")
        check_is_fitted(model)
        rows = table_of(X)
        check_columns(rows, model)
        plane = plane_for(rows, features, names, cls.__name__)
        steps = _path(model, X, sample_weight, path)
        points, centres = plane.project(rows), model.cluster_centers_.astype(np.float64)
        flat = plane.project(centres)
        heights = plane.squares(centres) - np.square(flat).sum(axis=1)  # squared distances from the plane
        way = None if steps is None else np.stack([plane.project(step) for step in steps])
        ends = padded(np.concatenate([points, flat] + ([] if way is None else [way.reshape(-1, 2)])))
        return cls(
            cells=cells(flat, heights, ends),
            centres=flat,
            points=points,
            label=_labels(model, X),
            ends=ends,
            axis_names=plane.names,
            path=way,
            section_of=plane.section_of,
        ).plot(ax=ax, legend=legend)

    _size, _legend_columns = (8.0, 7.0), 3

    def _draw(self) -> None:
        self._draw_cells()
        self.points_ = scatter(self.ax_, self.points, self.label, len(self.centres), alpha=0.85)
        self._draw_path()
        x, y = self.centres.T
        self.centres_ = self.ax_.scatter(
            x,
            y,
            s=crowded(210, len(x), _MOST_CENTRES),
            marker="*",
            c=[colour(k) for k in range(len(x))],
            edgecolors=INK,
            linewidths=1.2,
            zorder=8,
        )
        frame_plane(self.ax_, self.axis_names, self.ends, self.section_of)

    def _draw_cells(self) -> None:
        from matplotlib.collections import PolyCollection

        shown = [k for k, corners in enumerate(self.cells) if len(corners) > 2]
        self.cells_ = PolyCollection(
            [self.cells[k] for k in shown],
            facecolors=[pale(k) for k in shown],
            edgecolors=INK,
            linewidths=1.0,
            zorder=0,
        )
        self.ax_.add_collection(self.cells_, autolim=False)

    def _draw_path(self) -> None:
        from matplotlib.collections import LineCollection

        self.paths_: Any = None
        if self.path is None:
            return
        ways = list(self.path.transpose(1, 0, 2))
        # ink on white: a path has to be seen on the colours of its points, too
        self.ax_.add_collection(LineCollection(ways, colors="white", linewidths=3.6, zorder=5), autolim=False)
        self.paths_ = LineCollection(ways, colors=INK, linewidths=1.4, zorder=6)
        self.ax_.add_collection(self.paths_, autolim=False)
        (x, y), (x0, y0) = self.path[1:-1].reshape(-1, 2).T, self.path[0].T
        self.ax_.scatter(x, y, s=crowded(9, len(x0), _MOST_CENTRES), color=INK, zorder=6)
        self.ax_.scatter(
            x0,
            y0,
            s=crowded(52, len(x0), _MOST_CENTRES),
            marker="o",
            facecolors="white",
            edgecolors=INK,
            linewidths=1.4,
            zorder=7,
        )

    def _handles(self) -> list[Any]:
        counts = np.bincount(self.label, minlength=len(self.centres))
        handles = named([f"cluster {k}: {count}" for k, count in enumerate(counts)])
        handles.append(mark(f"centres: {len(self.centres)}", "*", FAINT, INK, 13, 1.2))
        if self.path is not None:
            handles.append(mark("where they started", "o", "white", INK, 7, 1.4))
            handles.append(line(f"their path: {len(self.path) - 1} steps", INK, marker="o", markersize=3, width=1.4))
        return handles


def _path(model: KMeans, X: Any, sample_weight: Any, wanted: bool | None) -> np.ndarray | None:
    if wanted is False:
        return None
    try:
        return centre_path(model, X, sample_weight)
    except ValueError:
        if wanted:
            raise
        return None


def _labels(model: KMeans, X: Any) -> np.ndarray:
    with in_column_order():
        return model.predict(X)
