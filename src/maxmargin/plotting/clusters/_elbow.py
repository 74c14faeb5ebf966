"""The inertia over the number of clusters, beside that of rows without clusters."""

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
    """The inertia over the number of clusters, that of rows without clusters, and the number that was chosen.

    Both curves are on a logarithmic axis and begin at the same height. What lies between them is the gap; that of the
    chosen number is drawn, and the title says in words why it was chosen.

    Displays are made by `from_elbow`, or by ``elbow(...).plot()``.

    Parameters
    ----------
    n_clusters : ndarray of int
        The numbers of clusters that were tried, ascending.
    inertias : ndarray of float
        The inertia reached with each.
    reference : ndarray of float
        The inertia that rows without clusters would have left.
    standard_errors : ndarray of float
        Of the logarithm of the reference.
    chosen : int
        The number of clusters chosen.
    reason : str
        Why, in words.

    Attributes
    ----------
    curve_, reference_ : matplotlib Line2D
        The curve of the inertia, and that of rows without clusters.
    band_ : matplotlib PolyCollection
        One standard error to either side of the reference.
    gap_ : matplotlib Line2D
        From the inertia of the chosen number up to the reference.
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
    reference: np.ndarray
    standard_errors: np.ndarray
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
            reference=found.reference,
            standard_errors=found.standard_errors,
            chosen=found.chosen,
            reason=found.reason,
        ).plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        x, y, k = self.n_clusters, self.inertias, self._place
        if (y > 0).any():  # rows that are all alike have no logarithm to show
            self.ax_.set_yscale("log")
        error = np.exp(self.standard_errors)
        self.band_ = self.ax_.fill_between(
            x, self.reference / error, self.reference * error, color="#E4E4E4", linewidth=0, zorder=1
        )
        (self.reference_,) = self.ax_.plot(x, self.reference, color=FAINT, linestyle="--", linewidth=1.4, zorder=2)
        (self.gap_,) = self.ax_.plot(x[[k, k]], [y[k], self.reference[k]], color=_CHOSEN, linewidth=2.6, zorder=2)
        (self.curve_,) = self.ax_.plot(x, y, color=TRAINING, linewidth=1.8, marker="o", markersize=5.5, zorder=3)
        (self.chosen_,) = self.ax_.plot(x[[k]], y[[k]], color=INK, linestyle="", zorder=4, **STAR)
        self.ax_.set(xlabel="number of clusters K", ylabel="inertia")
        write_title(self.ax_, self.reason.replace("; ", ";\n").replace(". ", ".\n").replace(", more", ",\nmore"))
        dress(self.ax_)
        if len(self.n_clusters) <= _MOST_TICKS:
            self.ax_.set_xticks(self.n_clusters)

    @property
    def _place(self) -> int:
        return int(np.flatnonzero(self.n_clusters == self.chosen)[0])

    def _handles(self) -> list[Any]:
        return [
            line("inertia", TRAINING, marker="o", markersize=5.5, width=1.8),
            line("inertia of rows without clusters, same extent", FAINT, "--", 1.4),
            mark(f"chosen: K = {self.chosen}", "*", "white", INK, 15, 1.2),
            line("gap of the chosen K", _CHOSEN, width=2.6),
        ]
