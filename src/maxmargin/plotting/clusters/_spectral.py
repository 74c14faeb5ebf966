"""The similarity graph of a normalised cut, and the eigenvector that it was cut along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ...certificates import rounded_down, rounded_up
from ...cluster import SpectralClustering
from .._curve_axes import TRAINING, dress
from .._display import Display
from .._features import check_columns, names_of, plane_for, table_of
from .._look import INK, frame_plane, head, legend_below, line, named, padded, scatter
from .._matplotlib import Axes, given_panels
from ._graph_edges import Edges, Thresholds, heaviest_edges, thresholds

_EDGE, _CUT = "#7F7F7F", INK
_BAND = "#BDD3EB"
_WIDTHS, _ALPHAS = (0.3, 1.6), (0.08, 0.75)  # of the lightest edge and of the heaviest


@dataclass(kw_only=True, eq=False, repr=False)
class SpectralDisplay(Display):
    """The graph that a normalised cut has cut, and the eigenvector that shows where.

    The first panel has the points in the colours of their clusters and the similarities between them as lines, the
    wider and darker the heavier; those between different clusters, which the cut costs, are black. Of more than
    `max_edges` the heaviest are drawn, and the legend says so.

    The second has the entries of the second eigenvector in ascending order, with the threshold between the two
    clusters. The third has the normalised cut of every threshold, a star at this one, and the band in which the best
    cut in two must be: from the bound that no cut is below to the smallest one here. For more than two clusters, and
    for labels that are not the two sides of a threshold, the threshold with the smallest cut is shown.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Where the points are drawn.
    label : ndarray of shape (n,)
        Number of the cluster of each.
    edges : Edges
        The similarities to draw.
    thresholds : Thresholds
        The second eigenvector and the cuts along it.
    bound : float
        A value that no normalised cut in two is below.

    Attributes
    ----------
    axes_ : tuple of matplotlib Axes
        Graph, eigenvector and cuts; or the graph alone.
    edges_ : matplotlib LineCollection
        The similarities.
    points_ : list of PathCollection
        The points of the graph, cluster by cluster.
    threshold_, ncut_curve_, bound_ : matplotlib Line2D or None
        The threshold in the eigenvector, the cuts of all thresholds, and the bound; None where there is but the graph.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.cluster import SpectralClustering
    >>> from maxmargin.plotting import SpectralDisplay
    >>> X, _ = make_moons(200, noise=0.06, random_state=0)
    >>> model = SpectralClustering(2, affinity="nearest_neighbors", assign_labels="best_ncut").fit(X)
    >>> display = SpectralDisplay.from_estimator(model, X)
    >>> bool(display.bound <= display.thresholds.ncut)
    True
    >>> display.figure_.savefig("spectral.png")  # doctest: +SKIP

    """

    points: np.ndarray
    label: np.ndarray
    edges: Edges
    thresholds: Thresholds
    bound: float
    axis_names: tuple[str, str]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        features: Any = None,
        max_edges: int = 5000,
        legend: bool = True,
        ax: Any = None,
    ) -> SpectralDisplay:
        """Draw the graph of a fitted model and its eigenvector.

        Parameters
        ----------
        estimator : SpectralClustering
            A fitted `maxmargin.cluster.SpectralClustering`.
        X : array-like
            The points that it was trained on. Of a matrix of similarities or distances, which has no points, where to
            draw them: any columns, as many rows.
        features : tuple of two columns or "principal", optional
            Names or numbers of the columns of X to draw, or the plane of the first two principal components. Needed if
            X has more than two.
        max_edges : int, default=5000
            Draw so many similarities at most, the heaviest.
        ax : matplotlib Axes, or three of them, optional
            Where to draw the graph alone, or graph, eigenvector and cuts; by default three in a new figure.

        """
        if not isinstance(estimator, SpectralClustering):
            raise TypeError(
                f"SpectralDisplay draws maxmargin.cluster.SpectralClustering; got {type(estimator).__name__}."
            )
        check_is_fitted(estimator)
        if isinstance(max_edges, bool) or not max_edges >= 1:
            raise ValueError(f"max_edges must be 1 or more; got {max_edges!r}.")
        rows = table_of(X)
        _check_places(estimator, rows)
        plane = plane_for(rows, features, names_of(X, estimator), cls.__name__)
        W, label = estimator.affinity_matrix_, estimator.labels_
        return cls(
            points=plane.project(rows),
            label=label,
            edges=heaviest_edges(W, label, int(max_edges)),
            thresholds=thresholds(W, estimator.eigenvectors_[:, 1], label),
            bound=_bound_in_two(estimator),
            axis_names=plane.names,
        ).plot(ax=ax, legend=legend)

    def _new_panels(self) -> tuple[Any, ...]:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(11.0, 5.8), layout="constrained", facecolor="white")
        grid = figure.add_gridspec(2, 2, width_ratios=(1.15, 1.0))
        vector = figure.add_subplot(grid[0, 1])
        return figure.add_subplot(grid[:, 0]), vector, figure.add_subplot(grid[1, 1], sharex=vector)

    def _given_panels(self, ax: Any) -> tuple[Any, ...]:
        return given_panels(ax, (1, 3), "one Axes, for the graph, or three: graph, eigenvector, cuts")

    def _draw(self) -> None:
        self.threshold_: Any = None
        self.ncut_curve_: Any = None
        self.bound_: Any = None
        self._draw_graph(self.axes_[0])
        if len(self.axes_) == 3:
            self._draw_vector(self.axes_[1])
            self._draw_cuts(self.axes_[2])

    def _draw_graph(self, ax: Axes) -> None:
        from matplotlib.collections import LineCollection
        from matplotlib.colors import to_rgb

        pairs, weights = self.edges.pairs, self.edges.weights
        strength = weights / weights.max() if len(weights) else weights
        between = self.label[pairs[:, 0]] != self.label[pairs[:, 1]]
        colours = np.empty((len(pairs), 4))
        colours[:, :3] = np.where(between[:, None], to_rgb(_CUT), to_rgb(_EDGE))
        # what is cut is little; faint lines would hide it
        colours[:, 3] = np.maximum(np.interp(strength, (0, 1), _ALPHAS), np.where(between, 0.9 * (strength > 0.01), 0))
        self.edges_ = LineCollection(
            list(self.points[pairs]), colors=colours, linewidths=np.interp(strength, (0, 1), _WIDTHS), zorder=1
        )
        ax.add_collection(self.edges_, autolim=False)
        self.points_ = scatter(ax, self.points, self.label, int(self.label.max()) + 1)
        frame_plane(ax, self.axis_names, padded(self.points), None)
        head(ax, "similarity graph")

    def _draw_vector(self, ax: Axes) -> None:
        t = self.thresholds
        rank = np.column_stack([1 + np.arange(len(t.order)), t.values])
        scatter(ax, rank, self.label[t.order], int(self.label.max()) + 1, s=16, linewidths=0.0)
        ax.axvline(t.place + 0.5, color=INK, linewidth=1.0, linestyle=":", zorder=2)
        self.threshold_ = ax.axhline(t.threshold, color=INK, linewidth=1.2, linestyle="--", zorder=2)
        ax.set(ylabel="entry", xlim=(0, len(t.order) + 1))
        ax.tick_params(labelbottom=False)
        which = "threshold of the cut" if t.used else "best threshold"
        head(ax, f"second eigenvector, sorted; {which}: {t.threshold:.3g}".replace("-", "−"))
        dress(ax)

    def _draw_cuts(self, ax: Axes) -> None:
        t = self.thresholds
        finite = np.isfinite(t.ncuts)
        x = 1.5 + np.arange(len(t.ncuts))
        ax.axhspan(self.bound, t.smallest, color=_BAND, linewidth=0, zorder=0)
        (self.ncut_curve_,) = ax.plot(x[finite], t.ncuts[finite], color=TRAINING, linewidth=1.8, zorder=3)
        self.bound_ = ax.axhline(self.bound, color=TRAINING, linewidth=1.2, linestyle="--", zorder=2)
        ax.axvline(t.place + 0.5, color=INK, linewidth=1.0, linestyle=":", zorder=2)
        ax.plot(t.place + 0.5, t.ncut, color=INK, linestyle="", marker="*", markersize=13, markerfacecolor="white",
                markeredgewidth=1.1, zorder=4)  # fmt: skip
        if min(self.bound, t.smallest) > 0:  # of a graph in parts both are 0
            ax.set_yscale("log")
        ax.set(xlabel="points below the threshold", ylabel="Ncut", xlim=(0, len(t.order) + 1))
        head(
            ax, f"Ncut at each threshold; best cut in two: {rounded_down(self.bound, 3)} to {rounded_up(t.smallest, 3)}"
        )
        dress(ax)

    def _draw_legend(self, handles: list[Any], new: bool) -> Any:
        if not new:
            return legend_below(self.ax_, handles, self._legend_columns)
        return self.figure_.legend(handles=handles, loc="outside lower center", ncols=5, frameon=False)

    def _handles(self) -> list[Any]:
        counts, edges = np.bincount(self.label), self.edges
        handles = named([f"cluster {k}: {count}" for k, count in enumerate(counts)])
        drawn = f"the {len(edges.weights)} heaviest of " if len(edges.weights) < edges.total else ""
        handles.append(line(f"similarities: {drawn}{edges.total}", _EDGE))
        share = f"{100 * edges.cut_share:.2g} % of all" if edges.cut else "nothing"
        return handles + [line(f"cut: {edges.cut} ({share})", _CUT)]


def _check_places(model: SpectralClustering, rows: Any) -> None:
    n = len(model.labels_)
    pairwise = get_tags(model).input_tags.pairwise
    if rows.shape[0] != n:
        raise ValueError(f"X must have a row for each of the {n} points of the fit; got {rows.shape[0]}.")
    if not pairwise:
        check_columns(rows, model)
    elif rows.shape[1] == n > 2:
        raise ValueError(
            f"affinity={model.affinity!r} has no points to draw: X must be where to draw them, such as a table of two "
            f"columns, and not the matrix that was given to fit."
        )


def _bound_in_two(model: SpectralClustering) -> float:
    """A lower bound of all cuts in two: that of the certificate, or for more clusters the second eigenvalue."""
    if model.n_clusters == 2:
        return float(model.certificate_.figures["best ncut at least"])
    return max(0.0, float(model.eigenvalues_[1]) - float(model.certificate_.figures["eigen-residual"]))
