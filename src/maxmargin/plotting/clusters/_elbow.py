"""The curve of the inertia over the number of clusters, and where it bends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...cluster import Elbow
from .._curve_axes import HELD_OUT, TRAINING, dress, write_title
from .._display import Display
from .._look import FAINT, INK, STAR, line, mark
from .._matplotlib import Axes

_CHOSEN = HELD_OUT
_MOST_TICKS = 15


@dataclass(kw_only=True, eq=False, repr=False)
class ElbowDisplay(Display):
    """The inertia over the number of clusters, the chord from end to end, and the number that was chosen.

    Thin lines are the depths below the chord. The chosen number has the longest of them, in another colour; the title
    says why in words.

    Displays are made by `from_elbow`, or by ``elbow(...).plot()``.

    Parameters
    ----------
    n_clusters : ndarray of int
        The numbers of clusters that were tried, ascending.
    inertias : ndarray of float
        The inertia reached with each.
    depths : ndarray of float
        How far each point lies below the chord, both axes scaled to lengths of 1.
    chosen : int
        The number of clusters chosen.
    reason : str
        Why, in words.

    Attributes
    ----------
    curve_, chord_ : matplotlib Line2D
        The curve of the inertia, and the line from its first to its last point.
    depths_ : matplotlib LineCollection
        From the points of the curve up to the chord.
    chosen_ : matplotlib Line2D
        The point of the chosen number.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from maxmargin.cluster import elbow
    >>> from maxmargin.plotting import ElbowDisplay
    >>> X, _ = make_blobs(200, centers=4, cluster_std=0.6, random_state=1)
    >>> display = ElbowDisplay.from_elbow(elbow(X, range(1, 9), random_state=0))
    >>> display.chosen_.get_xdata().tolist() == [display.chosen]
    True
    >>> display.figure_.savefig("elbow.png")  # doctest: +SKIP

    """

    n_clusters: np.ndarray
    inertias: np.ndarray
    depths: np.ndarray
    chosen: int
    reason: str

    @classmethod
    def from_elbow(cls, found: Elbow, *, legend: bool = True, ax: Axes | None = None) -> ElbowDisplay:
        """Draw what `maxmargin.cluster.elbow` has found.

        Parameters
        ----------
        found : Elbow
            The result of ``elbow(X, range)``.

        """
        if not isinstance(found, Elbow):
            raise TypeError(
                f"ElbowDisplay draws the result of maxmargin.cluster.elbow(X, range); got {type(found).__name__}."
            )
        return cls(
            n_clusters=found.n_clusters,
            inertias=found.inertias,
            depths=found.depths,
            chosen=found.chosen,
            reason=found.reason,
        ).plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        self._draw_depths()
        self._draw_curve()
        self.ax_.set(xlabel="number of clusters K", ylabel="inertia")
        self.ax_.set_ylim(bottom=0.0)
        write_title(self.ax_, self.reason.replace("; ", ";\n"))
        dress(self.ax_)
        if len(self.n_clusters) <= _MOST_TICKS:
            self.ax_.set_xticks(self.n_clusters)

    @property
    def _place(self) -> int:
        return int(np.flatnonzero(self.n_clusters == self.chosen)[0])

    def _draw_depths(self) -> None:
        from matplotlib.collections import LineCollection

        tops = self.inertias + self.depths * (self.inertias[0] - self.inertias[-1])
        ends = np.stack([np.column_stack([self.n_clusters, y]) for y in (self.inertias, tops)], axis=1)
        deepest = self.n_clusters == self.chosen
        self.depths_ = LineCollection(
            list(ends),
            colors=[_CHOSEN if here else "#C4C4C4" for here in deepest],
            linewidths=np.where(deepest, 2.6, 1.2),
            zorder=2,
        )
        self.ax_.add_collection(self.depths_)
        if self.depths[self._place] > 0:
            self.ax_.annotate(
                f"{self.depths[self._place]:.2f}",
                (self.chosen, (self.inertias[self._place] + tops[self._place]) / 2),
                xytext=(7, 0),
                textcoords="offset points",
                va="center",
                color=INK,
            )

    def _draw_curve(self) -> None:
        x, y, k = self.n_clusters, self.inertias, self._place
        (self.chord_,) = self.ax_.plot(x[[0, -1]], y[[0, -1]], color=FAINT, linestyle="--", linewidth=1.4, zorder=1)
        (self.curve_,) = self.ax_.plot(x, y, color=TRAINING, linewidth=1.8, marker="o", markersize=5.5, zorder=3)
        (self.chosen_,) = self.ax_.plot(x[[k]], y[[k]], color=INK, linestyle="", zorder=4, **STAR)

    def _handles(self) -> list[Any]:
        return [
            line("inertia", TRAINING, marker="o", markersize=5.5, width=1.8),
            line("chord from the first K to the last", FAINT, "--", 1.4),
            mark(f"chosen: K = {self.chosen}", "*", "white", INK, 15, 1.2),
            line("depth of the chosen K below the chord", _CHOSEN, width=2.6),
        ]
