"""The margin of a classifier, and where the samples are on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...certificates import ON_BOUNDARY, OUTSIDE, UNDECIDED, KKTCases, is_inside
from .._display import Display
from .._features import Plane, last_step, plane_for, plane_of
from .._look import (
    INK,
    class_names as names_of_classes,
    crowded,
    drawn_of,
    equal_scales,
    frame_plane,
    line,
    mark,
    number,
    padded,
    sampled_note,
)
from .._matplotlib import Axes
from ._margin_classes import class_handles, draw_classes, draw_members
from ._margin_values import Margins, margins_of

# Blue and orange for the samples that make the model, grey for those that have no part in it: told apart by all common
# forms of colour vision, and the blue is dark enough to be told from the others without colour.
_OUTSIDE_COLOUR, _BOUNDARY_COLOUR, _INSIDE_COLOUR = "#808080", "#0055A4", "#E66100"
_UNDECIDED_COLOUR = "#40B0A6"
# Beyond a margin boundary, the two halves of the margin, beyond the other margin boundary: pale blue to pale yellow.
_REGION_COLOURS = ("#D6E4F3", "#F1F6FB", "#FEFAEE", "#FAEAB8")
_MARKERS = ("o", "^")
_BOUNDARY_WIDTH, _DECISION_WIDTH = 1.3, 2.0
_MOST_SLACKS = 150  # lines of slack that a picture has room for
_MOST_DRAWN, _ROOM = 800, 400  # samples that are drawn, and that are drawn at their full size
_RINGS = 60  # rings that are drawn at their full size


@dataclass(kw_only=True, eq=False, repr=False)
class MarginDisplay(Display):
    """The margin of a classifier in a plane, with its training samples.

    The decision boundary of two classes is where the decision value is 0; its margin boundaries are where it is -1 and
    +1. Samples of a support vector machine are coloured by their optimality case (see
    `maxmargin.certificates.KKTCases`). Those outside the margin have no part in the model. Those on the margin boundary
    and inside the margin are its support vectors. A ring marks those that are misclassified.

    Other models have no such cases, and samples are told apart by where they lie. Of logistic regression, and of
    `LinearClassifier` with other losses than the hinge, all samples have a part in the model. `LargeSVC` is a sum over
    landmarks, or over the rows that an approximate solution has multipliers for: they may lie anywhere. A perceptron
    has weights of any length: its margin boundaries are where the decision value is -m and +m, m being the smallest
    ``y_i f(x_i)``, and the samples on them are the nearest ones; if it does not separate the samples there are none.

    Of several classes the regions of the classes are shown in their colours, with a margin boundary inside each: there
    a sample of the class would have the margin 1, the smallest one in all binary problems that it would be in. In the
    joint machine of Crammer and Singer, in multinomial logistic regression and in perceptrons the margin is what the
    own decision value is ahead of the largest other. A sample has its worst case of all its problems. Where pairs of
    classes vote and no class wins all of its pairs there is no boundary: the region is that of the vote.

    Of more than 800 samples so many are drawn, at random, which the legend says; its counts are those of all. Both axes
    have the same scale, unless one of them is three times as long as the other.

    A model of two features is drawn as it is, and the slack of a sample inside the margin is a line to its margin
    boundary: for a linear kernel its length is the slack in units of half the margin. A model of more features is drawn
    in the plane of two principal components of its training data, or of two of its features with the others at their
    means: the decision function is evaluated on that plane, which is a section of the space through the mean, and
    samples are projected on it. As they lie off the plane, a sample on the margin boundary need not appear on that of
    the section, and slacks are not drawn. Nor are they of several classes.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    a, b : ndarray
        Coordinates of a grid in the plane.
    decision : ndarray of shape (len(b), len(a)) or (len(b), len(a), n_classes)
        Decision values on the grid; of several classes, the margin that a sample of each class would have there.
    points : ndarray of shape (n, 2)
        Samples in coordinates of the plane.
    label : ndarray of shape (n,)
        Number of the class of each sample.
    cases : KKTCases
        Cases of these samples; of several classes, the worst of each. Multipliers are NaN where there are none.
    classes : tuple of str
        Names of the classes; of two, decision values are positive for the second.
    wrong : ndarray of bool, shape (n,)
        Whether each sample is misclassified.
    level : float, default=1.0
        Margin of the margin boundaries; 0 if there are none.
    ahead : ndarray of shape (len(b), len(a), n_classes), optional
        Of several classes: how far each is ahead of all others; the borders of the regions are where it is 0.
    region : ndarray of shape (len(b), len(a)), optional
        Of several classes: number of the class that is predicted.
    multipliers : bool, default=True
        Whether the cases come from multipliers.
    slack : bool, default=False
        Whether to draw slacks.

    Attributes
    ----------
    slacks_ : matplotlib LineCollection or None
        Lines from the samples inside the margin to their margin boundaries.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.plotting import MarginDisplay
    >>> from maxmargin.svm import SVC
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = SVC(C=10).fit(X, y)
    >>> display = MarginDisplay.from_estimator(model, X, y)
    >>> display.ax_.get_xlabel()
    'feature 0'
    >>> display.figure_.savefig("margin.png")  # doctest: +SKIP

    """

    a: np.ndarray
    b: np.ndarray
    decision: np.ndarray
    points: np.ndarray
    label: np.ndarray
    cases: KKTCases
    classes: tuple[str, ...]
    axis_names: tuple[str, str]
    wrong: np.ndarray
    level: float = 1.0
    ahead: np.ndarray | None = None
    region: np.ndarray | None = None
    multipliers: bool = True
    section_of: int | None = None
    slack: bool = False

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        components: tuple[int, int] | None = None,
        features: Any = None,
        slack: bool | None = None,
        class_names: Any = None,
        grid_resolution: int = 200,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> MarginDisplay:
        """Draw the margin of a fitted model.

        Parameters
        ----------
        estimator : SVC, NuSVC, LinearSVC, LinearClassifier, LogisticRegression, Perceptron or Pipeline
            A fitted model, also `KernelLogisticRegression` and `KernelPerceptron`, or a pipeline that ends in one: that
            is drawn in the space that its last step sees.
        X, y : array-like
            What it was trained on.
        sample_weight : array-like, optional
            The weights that it was trained with. Samples of weight zero are not drawn.
        components : tuple of two ints, optional
            The principal components of X that span the plane, counted from 0; by default the first two. If X has two
            features, the plane is theirs, and this is the order of its axes.
        features : tuple of two str or int, or "principal", optional
            Instead of components, two columns of X, by name or number, as the last step sees them: the plane is theirs,
            with the other features at their means. "principal" is the plane of the first two components.
        slack : bool, optional
            Whether to draw a line from each sample inside the margin to its margin boundary; by default if X has two
            features and there are at most 150 such samples. In a section, of several classes, and in models that know
            no slack there are none to draw.
        class_names : sequence of str, optional
            Names to show for ``estimator.classes_``, in that order.
        grid_resolution : int, default=200
            Points of the grid along each axis.

        """
        model, X, names = last_step(estimator, X)
        margins = margins_of(model, X, y, sample_weight)
        shown = names_of_classes(model.classes_) if class_names is None else _given_names(class_names, model.classes_)
        rows = sp.csr_array(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        plane = _plane(rows, components, features, names)
        cases = margins.cases
        points = plane.project(rows)[cases.sample]
        a, b = (np.linspace(*ends, grid_resolution) for ends in padded(points))
        values = plane.evaluate(margins.on_grid, a, b)
        several = len(shown) > 2
        return cls(
            a=a,
            b=b,
            decision=values[..., : len(shown)] if several else values[..., 0],
            points=points,
            label=margins.label,
            cases=cases,
            classes=shown,
            axis_names=plane.names,
            wrong=margins.wrong,
            level=margins.level,
            ahead=values[..., len(shown) : -1] if several else None,
            region=values[..., -1].astype(int) if several else None,
            multipliers=margins.multipliers,
            section_of=plane.section_of,
            slack=_draws_slack(slack, plane.section_of, margins),
        ).plot(ax=ax, legend=legend)

    _size, _legend_columns = (8.0, 7.0), 3

    def _draw(self) -> None:
        if self.ahead is None or self.region is None:
            self._draw_margin()
            self.slacks_ = self._draw_slacks() if self.slack else None
            self._draw_samples()
        else:
            self.slacks_ = None
            draw_classes(self.ax_, (self.a, self.b), self.decision, self.ahead, self.region, self.level)
            chosen, count = self._drawn, len(self.classes)
            shown = self.points[chosen], self.label[chosen], self.cases.case[chosen]
            draw_members(self.ax_, *shown, count, crowded(1.0, int(chosen.sum()), _ROOM))
        rings = self.wrong & self._drawn
        x, y = self.points[rings].T
        size, width = (crowded(full, int(rings.sum()), _RINGS) for full in (170, 1.6))
        self.ax_.scatter(x, y, s=size, marker="o", facecolors="none", edgecolors=INK, linewidths=width, zorder=6)
        equal_scales(self.ax_, self.a, self.b)
        ends, effect = (self.a[[0, -1]], self.b[[0, -1]]), "those on the margin boundary may appear off it"
        frame_plane(self.ax_, self.axis_names, ends, self.section_of, effect)

    def _draw_margin(self) -> None:
        f, m = self.decision, self.level
        low, high = min(float(f.min()), -m) - 1.0, max(float(f.max()), m) + 1.0
        levels, colours = [low, -m, 0.0, m, high], list(_REGION_COLOURS)
        if not m > 0:
            levels, colours = [low, 0.0, high], [_REGION_COLOURS[0], _REGION_COLOURS[-1]]
        self.ax_.contourf(self.a, self.b, f, levels, colors=colours, zorder=0)
        self._boundaries: dict[float, Any] = {}
        boundaries = [(-m, "--", _BOUNDARY_WIDTH), (m, "--", _BOUNDARY_WIDTH)] if m > 0 else []
        for level, style, width in ((0.0, "-", _DECISION_WIDTH), *boundaries):
            if f.min() < level < f.max():  # Matplotlib warns about a line that does not cross the picture
                self._boundaries[level] = self.ax_.contour(
                    self.a, self.b, f, [level], colors=INK, linestyles=style, linewidths=width, zorder=2
                )

    def _draw_slacks(self) -> Any:
        """From each sample inside the margin to the nearest point of its margin boundary in the picture."""
        from matplotlib.collections import LineCollection

        ends = []
        for k, level in enumerate((-self.level, self.level)):
            inside = self.points[is_inside(self.cases.case) & (self.label == k)]
            if level not in self._boundaries or not len(inside):
                continue
            pieces = [path.vertices for path in self._boundaries[level].get_paths()[0]._iter_connected_components()]
            begin = np.concatenate([piece[:-1] for piece in pieces if len(piece) > 1])
            end = np.concatenate([piece[1:] for piece in pieces if len(piece) > 1])
            feet = [(point, nearest_on(begin, end, point)) for point in inside]
            # where the margin boundary leaves the picture, its nearest point may be outside
            ends += [(point, foot) for point, foot in feet if not self._on_edge(foot)]
        lines = LineCollection(ends, colors=_INSIDE_COLOUR, linewidths=0.9, alpha=0.8, zorder=2.5)
        return self.ax_.add_collection(lines, autolim=False)

    def _on_edge(self, point: np.ndarray) -> bool:
        return bool(point[0] in (self.a[0], self.a[-1]) or point[1] in (self.b[0], self.b[-1]))

    @property
    def _drawn(self) -> np.ndarray:
        """Which samples are drawn."""
        return drawn_of(len(self.points), _MOST_DRAWN)

    def _draw_samples(self) -> None:
        case, drawn = self.cases.case, self._drawn
        scale = crowded(1.0, int(drawn.sum()), _ROOM)
        layers = (
            (case == OUTSIDE, _OUTSIDE_COLOUR, 24),
            (case == ON_BOUNDARY, _BOUNDARY_COLOUR, 46),
            (case == UNDECIDED, _UNDECIDED_COLOUR, 46),
            (is_inside(case), _INSIDE_COLOUR, 46),
        )
        for zorder, (chosen, colour, size) in enumerate(layers, start=3):
            for k, marker in enumerate(_MARKERS):
                x, y = self.points[chosen & drawn & (self.label == k)].T
                self.ax_.scatter(
                    x, y, s=size * scale, marker=marker, color=colour, edgecolors="white", linewidths=0.6, zorder=zorder
                )

    def _handles(self) -> list[Any]:
        """Cases, classes and lines, a column each."""
        if self.ahead is not None:
            handles = class_handles(self.classes, self.label, self.cases, self.wrong, self.level, self.multipliers)
        else:
            handles = self._case_handles() + self._class_handles() + self._line_handles()
        return handles + sampled_note(self._drawn)

    def _case_handles(self) -> list[Any]:
        case = self.cases.case
        outside, on_boundary, inside = ((case == OUTSIDE).sum(), (case == ON_BOUNDARY).sum(), is_inside(case).sum())
        if not self.level > 0:
            right = int((~self.wrong).sum())
            return [
                mark(f"correctly classified: {right}", "s", _OUTSIDE_COLOUR),
                mark(f"misclassified: {len(case) - right}", "o", _INSIDE_COLOUR, INK, 10, 1.6),
            ]
        handles = [mark(f"outside the margin: {outside}", "s", _OUTSIDE_COLOUR)]
        if self.multipliers or self._of_nearest():
            handles.append(mark(f"on the margin boundary: {on_boundary}", "s", _BOUNDARY_COLOUR))
        if not self._of_nearest():
            handles.append(mark(f"inside the margin: {inside}", "s", _INSIDE_COLOUR))
        if (case == UNDECIDED).any():
            handles.append(mark(f"undecided: {(case == UNDECIDED).sum()}", "s", _UNDECIDED_COLOUR))
        return handles if len(handles) > 2 or self._of_nearest() else [*handles, mark("", "", "none")]

    def _of_nearest(self) -> bool:
        """Whether the margin ends at the nearest samples, so that none is inside."""
        return not self.multipliers and self.level != 1.0

    def _class_handles(self) -> list[Any]:
        of_class = np.bincount(self.label, minlength=2)
        faces = (_REGION_COLOURS[0], _REGION_COLOURS[-1])
        shown = [mark(f"{self.classes[k]}: {of_class[k]}", _MARKERS[k], faces[k], INK) for k in (0, 1)]
        if not self._of_nearest():
            shown.append(mark(f"inside, misclassified: {int(self.wrong.sum())}", "o", "none", INK, 12))
        if (self.cases.case == UNDECIDED).any() and self.level > 0:  # as long as the column of cases
            shown.append(mark("", "", "none"))
        return shown

    def _line_handles(self) -> list[Any]:
        handles = [line("decision boundary: value 0", width=_DECISION_WIDTH)]
        if self.level > 0:
            value = number(self.level, 3)
            handles.append(line(f"margin boundaries: value ±{value}", style="--", width=_BOUNDARY_WIDTH))
        if self.slacks_ is not None:
            handles.append(line("slack: to its margin boundary", _INSIDE_COLOUR, width=0.9))
        return handles


def _given_names(names: Any, classes: np.ndarray) -> tuple[str, ...]:
    given = tuple(map(str, names))
    if len(given) != len(classes):
        raise ValueError(f"class_names must have a name for each of the {len(classes)} classes; got {len(given)}.")
    return given


def _plane(rows: Any, components: Any, features: Any, names: list[str] | None) -> Plane:
    if features is None:
        return plane_of(rows, components, names)
    if components is not None:
        raise ValueError("give components or features, not both: they choose the plane in two ways.")
    return plane_for(rows, features, names, "MarginDisplay")


def _draws_slack(asked: bool | None, section_of: int | None, margins: Margins) -> bool:
    if not margins.has_slacks:
        if asked:
            raise ValueError(
                "slack=True needs a support vector machine of two classes: of several classes a sample has a slack in "
                "each problem, and other losses have none."
            )
        return False
    if section_of is not None:
        if asked:
            raise ValueError(
                f"slack=True needs a model of two features; this one has {section_of}, and in a section of their space "
                "samples are not as far from the margin boundaries as they appear."
            )
        return False
    inside = int(is_inside(margins.cases.case).sum())
    return inside <= _MOST_SLACKS if asked is None else bool(asked)


def nearest_on(begin: np.ndarray, end: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The point of some segments that is nearest to a point."""
    along = end - begin
    lengths = np.maximum(np.square(along).sum(axis=1), 1e-300)
    share = np.clip(((point - begin) * along).sum(axis=1) / lengths, 0.0, 1.0)
    feet = begin + share[:, None] * along
    return feet[np.argmin(np.square(feet - point).sum(axis=1))]
