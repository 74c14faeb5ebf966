"""The street of a two-class model, and where the samples are on it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..certificates import CASES, KKTCases
from ..data import canonical
from ._features import last_step, names_of, plane_for
from ._matplotlib import new_axes, require_matplotlib
from ._plane import Plane, plane_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OUTSIDE, _KERB, _INSIDE_RIGHT, _INSIDE_WRONG = range(len(CASES))

# Blue and orange for the samples that make the model, grey for those that have no part in it: told apart by all common
# forms of colour vision, and the blue is dark enough to be told from the others without colour.
_OUTSIDE_COLOUR, _KERB_COLOUR, _INSIDE_COLOUR = "#808080", "#0055A4", "#E66100"
# Beyond a kerb, the two halves of the street, beyond the other kerb: pale blue to pale yellow.
_REGION_COLOURS = ("#D6E4F3", "#F1F6FB", "#FEFAEE", "#FAEAB8")
_INK = "#222222"
_MARKERS = ("o", "^")
_KERB_WIDTH, _MIDDLE_WIDTH = 1.3, 2.0
_MOST_SLACKS = 150  # lines of slack that a picture has room for


class MarginDisplay:
    """The street of a two-class model in a plane, with its training samples.

    The middle of the street is where the decision value is 0; its kerbs are where it is -1 and +1. Samples are
    coloured by their optimality case (see `maxmargin.certificates.KKTCases`). Those outside the street have no part
    in the model. Those on the kerb and inside the street are its support vectors. A ring marks those on the wrong
    side of the middle, which the model gets wrong.

    A model of two features is drawn as it is, and the slack of a sample inside the street is a line to its kerb: for a
    linear kernel its length is the slack in units of half the street. A model of more features is drawn in the plane of
    two principal components of its training data, or of two of its features with the others at their means: the
    decision function is evaluated on that plane, which is a section of the space through the mean, and samples are
    projected on it. As they lie off the plane, a sample on the kerb need not appear on a kerb of the section, and
    slacks are not drawn.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    a, b : ndarray
        Coordinates of a grid in the plane.
    decision : ndarray of shape (len(b), len(a))
        Decision values on the grid.
    points : ndarray of shape (n, 2)
        Samples in coordinates of the plane.
    label : ndarray of shape (n,)
        Class of each sample: 0 or 1.
    cases : KKTCases
        Optimality cases of these samples.
    classes : tuple of two str
        Names of the classes; decision values are positive for the second.
    axis_names : tuple of two str
        What to write along the axes.
    section_of : int or None, default=None
        Number of features of the space that the plane is a section of; None if the plane is the whole space.
    slack : bool, default=False
        Whether to draw slacks.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the street.
    figure_ : matplotlib Figure
        Figure that holds the axes.
    slacks_ : matplotlib LineCollection or None
        Lines from the samples inside the street to their kerbs.
    legend_ : matplotlib Legend or None
        The legend, which stands below the axes.

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
    >>> display.figure_.savefig("street.png")  # doctest: +SKIP

    """

    def __init__(
        self,
        *,
        a: np.ndarray,
        b: np.ndarray,
        decision: np.ndarray,
        points: np.ndarray,
        label: np.ndarray,
        cases: KKTCases,
        classes: tuple[str, str],
        axis_names: tuple[str, str],
        section_of: int | None = None,
        slack: bool = False,
    ) -> None:
        self.a, self.b, self.decision = a, b, decision
        self.points, self.label, self.cases = points, label, cases
        self.classes, self.axis_names, self.section_of, self.slack = classes, axis_names, section_of, slack

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
        class_names: tuple[str, str] | None = None,
        grid_resolution: int = 200,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> MarginDisplay:
        """Draw the street of a fitted model.

        Parameters
        ----------
        estimator : SVC or Pipeline
            A fitted two-class model, or a pipeline that ends in one: that is drawn in the space that its last step
            sees.
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
            Whether to draw a line from each sample inside the street to its kerb; by default if X has two features and
            there are at most 150 such samples. In a section there are none to draw.
        class_names : tuple of two str, optional
            Names to show for ``estimator.classes_``, in that order.
        grid_resolution : int, default=200
            Points of the grid along each axis.
        legend : bool, default=True
            Whether to draw the legend, which has the counts.
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        MarginDisplay

        """
        require_matplotlib(f"{cls.__name__}.from_estimator")
        model, X, names = _last_step(estimator, X)
        _check_drawable(model)
        cases = model.kkt_cases(X, y, sample_weight)
        rows = sp.csr_array(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        plane = _plane(rows, components, features, names)
        points = plane.project(rows)[cases.sample]
        a, b = (_padded_range(coordinate, float(np.abs(points).max()), grid_resolution) for coordinate in points.T)
        display = cls(
            a=a,
            b=b,
            decision=plane.evaluate(lambda grid: _decision_values(model, grid), a, b),
            points=points,
            label=np.searchsorted(model.classes_, np.ravel(y)[cases.sample]),
            cases=cases,
            classes=_names(model.classes_) if class_names is None else (str(class_names[0]), str(class_names[1])),
            axis_names=plane.names,
            section_of=plane.section_of,
            slack=_draws_slack(slack, plane.section_of, cases),
        )
        return display.plot(ax=ax, legend=legend)

    def plot(self, *, ax: Axes | None = None, legend: bool = True) -> MarginDisplay:
        """Draw the street once more.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        legend : bool, default=True
            Whether to draw the legend, which has the counts.

        Returns
        -------
        MarginDisplay
            The display itself.

        """
        require_matplotlib(f"{type(self).__name__}.plot")
        self.ax_ = new_axes(8.0, 7.0) if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw_street()
        self.slacks_ = self._draw_slacks() if self.slack else None
        self._draw_samples()
        self._label_axes()
        self.legend_ = self._draw_legend() if legend else None
        return self

    def _draw_street(self) -> None:
        f = self.decision
        ends = min(float(f.min()), -1.0) - 1.0, max(float(f.max()), 1.0) + 1.0
        levels = [ends[0], -1.0, 0.0, 1.0, ends[1]]
        self.ax_.contourf(self.a, self.b, f, levels, colors=_REGION_COLOURS, zorder=0)
        self._kerbs: dict[float, Any] = {}
        for level, style, width in ((-1.0, "--", _KERB_WIDTH), (0.0, "-", _MIDDLE_WIDTH), (1.0, "--", _KERB_WIDTH)):
            if f.min() < level < f.max():  # Matplotlib warns about a line that does not cross the picture
                self._kerbs[level] = self.ax_.contour(
                    self.a, self.b, f, [level], colors=_INK, linestyles=style, linewidths=width, zorder=2
                )

    def _draw_slacks(self) -> Any:
        """From each sample inside the street to the nearest point of its kerb in the picture."""
        from matplotlib.collections import LineCollection

        ends = []
        for k, level in enumerate((-1.0, 1.0)):
            inside = self.points[(self.cases.case >= _INSIDE_RIGHT) & (self.label == k)]
            if level not in self._kerbs or not len(inside):
                continue
            pieces = [path.vertices for path in self._kerbs[level].get_paths()[0]._iter_connected_components()]
            begin = np.concatenate([piece[:-1] for piece in pieces if len(piece) > 1])
            end = np.concatenate([piece[1:] for piece in pieces if len(piece) > 1])
            feet = [(point, nearest_on(begin, end, point)) for point in inside]
            # where the kerb leaves the picture, its nearest point may be outside
            ends += [(point, foot) for point, foot in feet if not self._on_edge(foot)]
        lines = LineCollection(ends, colors=_INSIDE_COLOUR, linewidths=0.9, alpha=0.8, zorder=2.5)
        return self.ax_.add_collection(lines, autolim=False)

    def _on_edge(self, point: np.ndarray) -> bool:
        return bool(point[0] in (self.a[0], self.a[-1]) or point[1] in (self.b[0], self.b[-1]))

    def _draw_samples(self) -> None:
        case = self.cases.case
        layers = (
            (case == _OUTSIDE, _OUTSIDE_COLOUR, 24),
            (case == _KERB, _KERB_COLOUR, 46),
            (case >= _INSIDE_RIGHT, _INSIDE_COLOUR, 46),
        )
        for zorder, (chosen, colour, size) in enumerate(layers, start=3):
            for k, marker in enumerate(_MARKERS):
                x, y = self.points[chosen & (self.label == k)].T
                self.ax_.scatter(
                    x, y, s=size, marker=marker, color=colour, edgecolors="white", linewidths=0.6, zorder=zorder
                )
        x, y = self.points[case == _INSIDE_WRONG].T
        self.ax_.scatter(x, y, s=170, marker="o", facecolors="none", edgecolors=_INK, linewidths=1.6, zorder=6)

    def _label_axes(self) -> None:
        self.ax_.set(
            xlabel=self.axis_names[0],
            ylabel=self.axis_names[1],
            xlim=(self.a[0], self.a[-1]),
            ylim=(self.b[0], self.b[-1]),
        )
        if self.section_of is not None:
            self.ax_.set_title(
                f"A section of the space of {self.section_of} features through the mean. Samples are projected on "
                "it,\nso that those on the kerb may appear off it.",
                loc="left",
                fontsize="medium",
                color=_INK,
            )

    def _draw_legend(self) -> Any:
        """Cases, classes and lines, a column each."""
        from matplotlib.lines import Line2D
        from matplotlib.transforms import ScaledTranslation

        outside, kerb, right, wrong = self.cases.counts().values()
        of_class = np.bincount(self.label, minlength=2)

        def mark(label: str, marker: str, face: str, edge: str, size: float = 8) -> Line2D:
            return Line2D(
                [], [], linestyle="", marker=marker, markersize=size, markerfacecolor=face, markeredgecolor=edge,
                label=label,
            )  # fmt: skip

        def line(label: str, dashed: bool, width: float) -> Line2D:
            return Line2D([], [], color=_INK, linestyle="--" if dashed else "-", linewidth=width, label=label)

        handles = [
            mark(f"outside the street: {outside}", "s", _OUTSIDE_COLOUR, "white"),
            mark(f"on the kerb: {kerb}", "s", _KERB_COLOUR, "white"),
            mark(f"inside it or beyond: {right + wrong}", "s", _INSIDE_COLOUR, "white"),
            mark(f"{self.classes[0]}: {of_class[0]}", _MARKERS[0], _REGION_COLOURS[0], _INK),
            mark(f"{self.classes[1]}: {of_class[1]}", _MARKERS[1], _REGION_COLOURS[-1], _INK),
            mark(f"on the wrong side: {wrong}", "o", "none", _INK, 12),
            line("middle: decision value 0", False, _MIDDLE_WIDTH),
            line("kerbs: decision value ±1", True, _KERB_WIDTH),
        ]
        if self.slacks_ is not None:
            handles.append(Line2D([], [], color=_INSIDE_COLOUR, linewidth=0.9, label="slack: the way to its kerb"))
        figure = self.ax_.figure
        below = self.ax_.transAxes + ScaledTranslation(0, -36 / 72, figure.dpi_scale_trans)  # 36 points, for the label
        return self.ax_.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            bbox_transform=below,
            ncols=3,
            frameon=False,
        )


def _last_step(estimator: Any, X: Any) -> tuple[Any, Any, list[str] | None]:
    """The model itself, the rows as it sees them, and the names of their columns."""
    if not isinstance(estimator, Pipeline):
        return estimator, canonical(X), names_of(X, estimator)
    return last_step(estimator, X)


def _plane(rows: Any, components: Any, features: Any, names: list[str] | None) -> Plane:
    if features is None:
        return plane_of(rows, components, names)
    if components is not None:
        raise ValueError("give components or features, not both: they choose the plane in two ways.")
    return plane_for(rows, features, names, "MarginDisplay")


def _draws_slack(asked: bool | None, section_of: int | None, cases: KKTCases) -> bool:
    if section_of is not None:
        if asked:
            raise ValueError(
                f"slack=True needs a model of two features; this one has {section_of}, and in a section of their space "
                "samples are not as far from the kerbs as they appear."
            )
        return False
    inside = int((cases.case >= _INSIDE_RIGHT).sum())
    return inside <= _MOST_SLACKS if asked is None else bool(asked)


def nearest_on(begin: np.ndarray, end: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The point of some segments that is nearest to a point."""
    along = end - begin
    lengths = np.maximum(np.square(along).sum(axis=1), 1e-300)
    share = np.clip(((point - begin) * along).sum(axis=1) / lengths, 0.0, 1.0)
    feet = begin + share[:, None] * along
    return feet[np.argmin(np.square(feet - point).sum(axis=1))]


def _check_drawable(model: Any) -> None:
    name = type(model).__name__
    if not hasattr(model, "kkt_cases"):
        raise TypeError(f"MarginDisplay draws models with optimality cases, such as maxmargin.svm.SVC; got {name}.")
    check_is_fitted(model)
    if len(model.classes_) != 2:
        raise ValueError(
            f"MarginDisplay draws models of two classes; this {name} has {len(model.classes_)} "
            f"({', '.join(str(c) for c in model.classes_)}) and a street for each pair of them. Train a model on the "
            f"samples of two classes and draw that."
        )
    if isinstance(model.kernel, str) and model.kernel == "precomputed":
        raise ValueError("MarginDisplay draws in the space of the features; a precomputed kernel matrix has none.")


def _decision_values(model: Any, rows: np.ndarray) -> np.ndarray:
    with warnings.catch_warnings():
        # A model trained on a data frame misses the names of its columns; here they are in its own order.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return model.decision_function(rows)


def _names(classes: np.ndarray) -> tuple[str, str]:
    """Labels that are words speak for themselves; a number alone would look like a count in the legend."""
    first, second = (label if isinstance(label, str) else f"class {label}" for label in classes)
    return first, second


def _padded_range(values: np.ndarray, scale: float, count: int) -> np.ndarray:
    """Grid coordinates from a little below the smallest value to a little above the largest."""
    low, high = float(values.min()), float(values.max())
    # all samples on one line: the plane needs some width all the same
    pad = 0.06 * (high - low) if high - low > 1e-9 * scale else scale or 1.0
    return np.linspace(low - pad, high + pad, count)
