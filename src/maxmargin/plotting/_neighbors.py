"""The regions of a vote of nearest neighbours, and the prototypes that are left of the training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.ndimage import gaussian_filter
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from ._display import Display
from ._features import Plane, check_columns, in_column_order, last_step, numbers_of, plane_for, table_of
from ._look import FAINT, INK, class_names, crowded, draw_regions, frame_plane, mark, named, padded, scatter
from ._matplotlib import Axes

_BORDER_WIDTH = 1.2
_MOST_RINGS = 100  # of full size


@dataclass(kw_only=True, eq=False, repr=False)
class NeighborsDisplay(Display):
    """The regions of a classifier by nearest neighbours in a plane, with its training rows.

    Each region has the colour of the class that wins there, the paler the closer the vote. A ring marks the training
    rows that the model gets wrong. Of a `maxmargin.neighbors.CondensedNearestNeighbors` the prototypes stand out, and
    the rows that it does without are faint: one sees that prototypes are kept along the borders.

    A model of two features is drawn as it is. Of more, two are chosen: the picture is then the section of the space in
    which all others are at their means, and rows are projected on it. As they lie off the section, a row may appear in
    a region that is not its own.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    a, b : ndarray
        Coordinates of a grid in the plane.
    winner : ndarray of shape (len(b), len(a))
        Number of the class that is predicted on the grid.
    share : ndarray of shape (len(b), len(a))
        Its share of the vote.
    borders : ndarray of shape (len(b), len(a), n_classes)
        For each class a function on the grid that is 0 on the border of its regions.
    points : ndarray of shape (n, 2)
        Training rows in coordinates of the plane.
    label : ndarray of shape (n,)
        Number of the class of each.
    wrong : ndarray of bool of shape (n,)
        Whether the model predicts another.
    prototypes : ndarray of int or None, default=None
        Numbers of the rows that were kept; None for a model that keeps all.

    Attributes
    ----------
    regions_ : matplotlib AxesImage
        The regions.
    points_ : list of PathCollection
        The training rows, class by class; with prototypes, those that were not kept.
    prototypes_ : list of PathCollection
        The prototypes, class by class; empty for a model that keeps all rows.
    rings_ : PathCollection
        Around the rows that the model gets wrong.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.neighbors import CondensedNearestNeighbors
    >>> from maxmargin.plotting import NeighborsDisplay
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = CondensedNearestNeighbors(reduce=True).fit(X, y)
    >>> display = NeighborsDisplay.from_estimator(model, X, y)
    >>> sum(len(kept.get_offsets()) for kept in display.prototypes_) == len(model.prototypes_)
    True
    >>> display.figure_.savefig("neighbors.png")  # doctest: +SKIP

    """

    a: np.ndarray
    b: np.ndarray
    winner: np.ndarray
    share: np.ndarray
    borders: np.ndarray
    points: np.ndarray
    label: np.ndarray
    wrong: np.ndarray
    classes: tuple[str, ...]
    axis_names: tuple[str, str]
    prototypes: np.ndarray | None = None
    section_of: int | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        features: Any = None,
        grid_resolution: int = 250,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> NeighborsDisplay:
        """Draw the regions of a fitted classifier.

        Parameters
        ----------
        estimator : KNeighborsClassifier, CondensedNearestNeighbors or Pipeline
            A fitted classifier, also one of scikit-learn's, or a pipeline that ends in one: that is drawn in the space
            that its last step sees.
        X, y : array-like
            What it was trained on.
        grid_resolution : int, default=250
            Points of the grid along each axis.

        """
        if isinstance(grid_resolution, bool) or not grid_resolution >= 2:
            raise ValueError(f"grid_resolution must be 2 or more; got {grid_resolution!r}.")
        model, X, names = last_step(estimator, X)
        _check_drawable(model)
        rows = table_of(X)
        check_columns(rows, model)
        label = numbers_of(model, y, rows.shape[0])
        kept = getattr(model, "prototype_indices_", None)
        _check_training_rows(model, rows, kept)
        plane = plane_for(rows, features, names, cls.__name__)
        points = plane.project(rows)
        a, b = (np.linspace(*ends, grid_resolution) for ends in padded(points))
        votes = plane.evaluate(lambda grid: _votes(model, grid), a, b)
        winner = votes[..., 0].astype(np.int64)
        if kept is None:
            borders = vote_borders(winner, len(model.classes_))
        else:
            borders = nearest_borders(model, plane, a, b)
        return cls(
            a=a,
            b=b,
            winner=winner,
            share=votes[..., 1],
            borders=borders,
            points=points,
            label=label,
            wrong=_votes(model, rows)[:, 0] != label,
            classes=class_names(model.classes_),
            axis_names=plane.names,
            prototypes=kept,
            section_of=plane.section_of,
        ).plot(ax=ax, legend=legend)

    _size, _legend_columns = (8.0, 7.0), 3

    def _draw(self) -> None:
        self._draw_regions()
        self._draw_rows()
        frame_plane(self.ax_, self.axis_names, (self.a[[0, -1]], self.b[[0, -1]]), self.section_of)

    def _draw_regions(self) -> None:
        votes = self.winner, self.share, len(self.classes)
        self.regions_ = draw_regions(self.ax_, self.a, self.b, votes, interpolation="bilinear")
        for k in range(len(self.classes)):
            border = self.borders[..., k]
            if border.min() < 0 < border.max():  # Matplotlib warns about a line that does not cross the picture
                self.ax_.contour(self.a, self.b, border, [0.0], colors=INK, linewidths=_BORDER_WIDTH, zorder=2)

    def _draw_rows(self) -> None:
        count = len(self.classes)
        kept = np.zeros(len(self.points), dtype=bool)
        faint: dict[str, Any] = {}
        if self.prototypes is not None:
            kept[self.prototypes] = True
            faint = {"s": 16, "alpha": 0.35, "linewidths": 0.0}
        self.points_ = scatter(self.ax_, self.points[~kept], self.label[~kept], count, **faint)
        self.prototypes_: list[Any] = []
        if self.prototypes is not None:
            bold: dict[str, Any] = {"s": 62, "edgecolors": INK, "linewidths": 1.1, "zorder": 5}
            self.prototypes_ = scatter(self.ax_, self.points[kept], self.label[kept], count, **bold)
        x, y = self.points[self.wrong].T
        shrunk = crowded(1.0, len(x), _MOST_RINGS)
        self.rings_ = self.ax_.scatter(
            x, y, s=140 * shrunk, facecolors="none", edgecolors=INK, linewidths=1.3 * shrunk**0.5, zorder=6
        )

    def _handles(self) -> list[Any]:
        n, wrong = len(self.points), int(self.wrong.sum())
        counts = np.bincount(self.label, minlength=len(self.classes))
        handles = named([f"{name}: {count}" for name, count in zip(self.classes, counts, strict=True)])
        if self.prototypes is not None:
            kept = len(self.prototypes)
            handles.append(mark(f"prototypes: {kept} of {n} ({100 * kept / n:.1f} %)", "o", "white", INK, 8, 1.4))
            handles.append(mark(f"not kept: {n - kept}", "o", FAINT, "none", 4.5))
        return handles + [mark(f"wrong: {wrong} of {n}", "o", "none", INK, 12, 1.3)]


def _check_drawable(model: Any) -> None:
    name = type(model).__name__
    if not (hasattr(model, "kneighbors") or hasattr(model, "fit_resample")) or not is_classifier(model):
        raise TypeError(
            "NeighborsDisplay draws classifiers by nearest neighbours, such as "
            f"maxmargin.neighbors.KNeighborsClassifier or CondensedNearestNeighbors; got {name}."
        )
    check_is_fitted(model)
    if getattr(model, "metric", None) == "precomputed":
        raise ValueError("NeighborsDisplay draws in the space of the features; precomputed distances have none.")
    if getattr(model, "outputs_2d_", False):
        raise ValueError(f"NeighborsDisplay draws one output; this {name} has several. Train a model on one of them.")


def _check_training_rows(model: Any, rows: Any, kept: np.ndarray | None) -> None:
    name, n = type(model).__name__, rows.shape[0]
    seen = getattr(model, "n_samples_fit_", n)
    if seen != n:
        raise ValueError(f"X must be the training data of this {name}: expected {seen} rows, got {n}.")
    if kept is not None and (kept.max() >= n or abs(rows[kept] - table_of(model.prototypes_)).max() > 0):
        raise ValueError(f"X must be the training data of this {name}: its prototypes are not where they were.")


def _votes(model: Any, rows: Any) -> np.ndarray:
    """Number of the class that is predicted for each row, and its share of the vote."""
    with in_column_order():
        rows = sp.csr_matrix(rows) if sp.issparse(rows) else rows
        if not hasattr(model, "predict_proba"):
            winner = np.searchsorted(model.classes_, model.predict(rows))
            return np.column_stack([winner, np.ones(len(winner))])
        share = model.predict_proba(rows)
    return np.column_stack([share.argmax(axis=1), share.max(axis=1)])


_SMOOTH = 0.8  # steps of the grid
_VALUES_A_BLOCK = 2**22  # distances that are looked at together (32 MB)


def vote_borders(winner: np.ndarray, count: int) -> np.ndarray:
    """Votes change by steps: the borders are those of the grid, smoothed by less than one of its steps."""
    return np.stack([gaussian_filter((winner == k).astype(np.float64), _SMOOTH) - 0.5 for k in range(count)], axis=-1)


def nearest_borders(model: Any, plane: Plane, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """By how much the nearest prototype of each class is nearer than that of all others, in squared distances.

    Differences of squared distances are linear in the plane, so that contours of them are straight where borders are.
    """
    prototypes = table_of(model.prototypes_)
    flat, squares = plane.project(prototypes), plane.squares(prototypes)
    number = np.searchsorted(model.classes_, model.prototype_labels_)
    groups = [np.flatnonzero(number == k) for k in range(len(model.classes_))]
    grid = np.stack(np.meshgrid(a, b), axis=-1).reshape(-1, 2)
    step = max(1, _VALUES_A_BLOCK // len(flat))
    parts = []
    for begin in range(0, len(grid), step):
        apart = squares - 2 * grid[begin : begin + step] @ flat.T  # less the squared length of the point of the grid
        nearest = np.column_stack([apart[:, group].min(axis=1, initial=np.inf) for group in groups])
        first, second = np.sort(nearest, axis=1)[:, [0, min(1, len(groups) - 1)]].T[:, :, None]
        parts.append(np.where(nearest == first, second, first) - nearest)
    return np.concatenate(parts).reshape(len(b), len(a), len(groups))
