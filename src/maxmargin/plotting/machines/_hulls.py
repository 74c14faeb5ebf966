"""Convex hulls of two classes that meet: why no plane separates them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ...certificates import SeparationProof
from .._display import Display
from .._look import INK, colour, frame_plane, mark, padded
from .._matplotlib import Axes

_MARKERS = ("o", "^")


@dataclass(kw_only=True, eq=False, repr=False)
class HullsDisplay(Display):
    """The proof that two classes are not separable, in the plane of two features.

    The convex hulls of the classes meet: a star marks the point that is a convex combination of rows of either class,
    and lines lead to it from the rows that it is combined of, the wider the more weight a row has. A plane that had one
    class on each side would have that point on both.

    Displays are made by `from_proof`.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        All rows.
    label : ndarray of shape (n,)
        Their class: 0 or 1.
    classes : tuple of two str
        Names of the classes.
    proof : SeparationProof
        The proof.

    Attributes
    ----------
    point_ : ndarray of shape (2,)
        Where the hulls meet.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.plotting import HullsDisplay
    >>> from maxmargin.svm import separability
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    >>> display = HullsDisplay.from_proof(separability(X, y).proof, X, y)
    >>> display.point_.round(6)
    array([0.5, 0.5])

    """

    points: np.ndarray
    label: np.ndarray
    classes: tuple[str, str]
    axis_names: tuple[str, str]
    proof: SeparationProof

    _size = 7.0, 6.5

    @classmethod
    def from_proof(cls, proof: Any, X: Any, y: Any, *, legend: bool = True, ax: Axes | None = None) -> HullsDisplay:
        """Draw a proof of non-separability.

        Parameters
        ----------
        proof : SeparationProof
            Of `maxmargin.svm.separability`, or of a `NotSeparableError`, in the space of the rows themselves.
        X, y : array-like of shape (n, 2) and (n,)
            The rows and labels that it is about.

        """
        if not isinstance(proof, SeparationProof):
            raise TypeError(f"HullsDisplay draws a SeparationProof; got {type(proof).__name__}.")
        points, labels = np.asarray(X, dtype=np.float64), np.asarray(y).ravel()
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(f"HullsDisplay draws rows of two features; X has shape {points.shape}.")
        if proof.through_origin:
            raise ValueError("the proof is about hyperplanes through the origin; hulls of the classes may be apart.")
        if not proof.verify(points, labels).holds or getattr(proof.kernel, "name", "linear") != "linear":
            raise ValueError("the proof must be about these rows, and about planes among them, not of a kernel.")
        classes, label = np.unique(labels, return_inverse=True)
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else ["feature 0", "feature 1"]
        return cls(
            points=points,
            label=label,
            classes=(str(classes[0]), str(classes[1])),
            axis_names=(names[0], names[1]),
            proof=proof,
        ).plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        self.point_ = self.proof.positive_weights @ self.points[self.proof.positive]
        for k in range(2):
            own = self.points[self.label == k]
            hull = _outline(own)
            self.ax_.fill(*hull.T, color=colour(k), alpha=0.15, zorder=0)
            self.ax_.plot(*np.vstack([hull, hull[:1]]).T, color=colour(k), linewidth=1.2, zorder=1)
            self.ax_.scatter(*own.T, s=26, marker=_MARKERS[k], color=colour(k), edgecolors="white", zorder=3)
        sides = ((self.proof.positive, self.proof.positive_weights), (self.proof.negative, self.proof.negative_weights))
        for rows, weights in sides:
            for row, weight in zip(rows, weights, strict=True):
                ends = np.array([self.points[row], self.point_])
                self.ax_.plot(*ends.T, color=INK, linewidth=0.6 + 2.4 * weight, zorder=2)
        self.ax_.scatter(*self.point_, s=190, marker="*", color=INK, edgecolors="white", zorder=4)
        frame_plane(self.ax_, self.axis_names, tuple(np.array(ends) for ends in padded(self.points)), None, "")

    def _handles(self) -> list[Any]:
        counts = [len(self.proof.positive), len(self.proof.negative)]
        return [
            *(mark(f"{self.classes[k]}, and its convex hull", _MARKERS[k], colour(k)) for k in range(2)),
            mark(f"a combination of {counts[0]} rows and of {counts[1]}", "*", INK),
        ]


def _outline(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull; of points in a line, all of them."""
    try:
        return points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        return points[np.lexsort(points.T)]
