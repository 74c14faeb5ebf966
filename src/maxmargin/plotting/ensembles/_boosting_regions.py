"""The regions of a boosted vote, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._display import Display
from .._features import check_columns, last_step, numbers_of, plane_for, table_of
from .._look import (
    INK,
    class_names,
    crowded,
    draw_regions,
    drawn_of,
    edge,
    head,
    line,
    mark,
    named,
    padded,
    sampled_note,
    scatter,
)
from .._matplotlib import given_panels, new_panels
from ._boosting_rounds import check_boosted, check_rounds, shares_after

_ROUNDS = (1, 2, 3, 5, 10)
_MOST_COLUMNS = 4
_PANEL = 3.1  # inches
_MOST_DRAWN, _ROOM = 500, 120  # rows that are drawn, and that are drawn at their full size
_AREA = 22.0, 320.0  # of the point of a row of mean weight, and of the heaviest, in square points


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingRegionsDisplay(Display):
    """The regions of a boosted vote in a plane after some of its rounds, side by side.

    A region has the colour of the class with most votes, paler where the vote is close. Points are rows, as large as
    their weights in the *next* round: those that the vote so far gets wrong, or nearly so, grow. A dashed line is the
    threshold of the learner of the round itself, where it is a stump on one of the two features.

    A model of two features is drawn as it is. Of more, two are chosen: regions are then those of the section of the
    space in which all other features are at their means.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    a, b : ndarray
        Coordinates of the grid.
    shares : ndarray of shape (len(b), len(a), n_rounds, n_classes)
        Shares of the votes.
    points : ndarray of shape (n, 2)
        The rows.
    label : ndarray of shape (n,)
        Number of the class of each.
    wrong : ndarray of shape (n, n_rounds)
        Whether the vote is wrong about them.
    weights : ndarray of shape (n, n_rounds)
        Weights of the rows in the round that follows, times the number of rows.
    thresholds : list of (int, float) or None
        For each of the rounds, the axis and the threshold of its learner; None where there is none to draw.
    rounds : list of int
        The rounds.

    Attributes
    ----------
    axes_ : tuple of matplotlib Axes
        All panels.
    regions_ : list of AxesImage
        The regions in each panel.
    points_ : list of list of PathCollection
        The rows in each panel, class by class.
    thresholds_ : list of Line2D or None
        The threshold in each panel.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.ensemble import AdaBoostClassifier
    >>> from maxmargin.plotting import BoostingRegionsDisplay
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> display = BoostingRegionsDisplay.from_estimator(model, X, y, rounds=(1, 5, 20))
    >>> len(display.axes_)
    3
    >>> display.figure_.savefig("boosting_regions.png")  # doctest: +SKIP

    """

    a: np.ndarray
    b: np.ndarray
    shares: np.ndarray
    points: np.ndarray
    label: np.ndarray
    wrong: np.ndarray
    weights: np.ndarray
    thresholds: list[tuple[int, float] | None]
    rounds: list[int]
    classes: tuple[str, ...]
    axis_names: tuple[str, str]
    section_of: int | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        rounds: Any = None,
        features: Any = None,
        sample_weight: Any = None,
        grid_resolution: int = 200,
        legend: bool = True,
        ax: Any = None,
    ) -> BoostingRegionsDisplay:
        """Draw the regions of a fitted boosted vote.

        Parameters
        ----------
        estimator : AdaBoostClassifier or Pipeline
            Fitted; also one of scikit-learn's, or a pipeline that ends in one: that is drawn in the space that its last
            step sees.
        X, y : array-like
            What it was trained on.
        rounds : sequence of int, optional
            Rounds after which the regions are drawn; by default 1, 2, 3, 5, 10 and the last one.
        sample_weight : array-like, optional
            The weights that it was trained with.
        grid_resolution : int, default=200
            Points of the grid along each axis.
        ax : sequence of matplotlib Axes, optional
            Where to draw, one for each of the rounds; by default in a new figure.

        """
        model, X, names = last_step(estimator, X)
        check_boosted(model, cls.__name__)
        rows = table_of(X)
        check_columns(rows, model)
        label = numbers_of(model, y, rows.shape[0])
        chosen = check_rounds(rounds, len(model.estimators_), _ROUNDS)
        plane = plane_for(rows, features, names, cls.__name__)
        points = plane.project(rows)
        a, b = (np.linspace(*ends, grid_resolution) for ends in padded(points))
        said = shares_after(model, rows, chosen)
        return cls(
            a=a,
            b=b,
            shares=plane.evaluate(lambda grid: shares_after(model, grid, chosen), a, b),
            points=points,
            label=label,
            wrong=said.argmax(axis=-1) != label[:, None],
            weights=_next_weights(model, said, label, chosen, sample_weight),
            thresholds=[_threshold(model.estimators_[t - 1], plane.axes) for t in chosen],
            rounds=chosen,
            classes=class_names(model.classes_),
            axis_names=plane.names,
            section_of=plane.section_of,
        ).plot(legend=legend, ax=ax)

    def _new_panels(self) -> tuple[Any, ...]:
        count = len(self.rounds)
        rows = -(-count // _MOST_COLUMNS)
        columns = -(-count // rows)
        size = _PANEL * columns + 0.4, (_PANEL + 0.1) * rows + 0.5
        panels = new_panels(*size, rows, columns, sharex=True, sharey=True)
        for spare in panels[count:]:
            spare.set_visible(False)
        if self.section_of is not None:
            space = f"A section of the space of {self.section_of} features through the mean; rows are projected on it."
            panels[0].figure.suptitle(space, x=0.02, ha="left", fontsize="medium", color=INK)
        return panels[:count]

    def _given_panels(self, ax: Any) -> tuple[Any, ...]:
        count = len(self.rounds)
        return given_panels(ax, (count,), f"one Axes for each of the {count} rounds")

    def _draw(self) -> None:
        self.regions_: list[Any] = []
        self.points_: list[Any] = []
        self.thresholds_: list[Any] = []
        for k, panel in enumerate(self.axes_):
            self._draw_panel(k, panel)

    def _draw_panel(self, k: int, ax: Any) -> None:
        shares = self.shares[:, :, k]
        winner = shares.argmax(axis=-1)
        votes = winner, shares.max(axis=-1), len(self.classes)
        self.regions_.append(draw_regions(ax, self.a, self.b, votes, 1.6, interpolation="nearest"))
        self._draw_borders(ax, winner)
        self._draw_threshold(k, ax)
        self.points_.append(self._draw_points(k, ax))
        wrong = 100 * float(self.wrong[:, k].mean())
        head(ax, f"round {self.rounds[k]}: {wrong:.3g} % wrong")
        ax.set(xlim=(self.a[0], self.a[-1]), ylim=(self.b[0], self.b[-1]))
        spec = ax.get_subplotspec()
        if spec is None or spec.is_last_row():
            ax.set_xlabel(_brief(self.axis_names[0]))
        if spec is None or spec.is_first_col():
            ax.set_ylabel(_brief(self.axis_names[1]))

    def _draw_borders(self, ax: Any, winner: np.ndarray) -> None:
        """Lines between pixels of different classes: regions of stumps have corners, which a contour would cut off."""
        from matplotlib.collections import LineCollection

        x, y = (np.concatenate([[v[0]], (v[1:] + v[:-1]) / 2, [v[-1]]]) for v in (self.a, self.b))
        upright = [((x[j + 1], y[i]), (x[j + 1], y[i + 1])) for i, j in np.argwhere(np.diff(winner, axis=1)).tolist()]
        level = [((x[j], y[i + 1]), (x[j + 1], y[i + 1])) for i, j in np.argwhere(np.diff(winner, axis=0)).tolist()]
        ax.add_collection(LineCollection(upright + level, colors=INK, linewidths=1.1, zorder=2), autolim=False)

    def _draw_threshold(self, k: int, ax: Any) -> None:
        found = self.thresholds[k]
        draw = None if found is None else (ax.axvline, ax.axhline)[found[0]]
        style: dict[str, Any] = {"color": "white", "linewidth": 3.2, "zorder": 2}
        if draw is not None and found is not None:
            draw(found[1], **style)
            style |= {"color": INK, "linewidth": 1.5, "linestyle": (0, (4, 2)), "zorder": 3}
        self.thresholds_.append(None if draw is None or found is None else draw(found[1], **style))

    def _draw_points(self, k: int, ax: Any) -> list[Any]:
        chosen = drawn_of(len(self.label), _MOST_DRAWN)
        label = self.label[chosen]
        scale = crowded(1.0, len(label), _ROOM)
        area = scale * np.clip(_AREA[0] * self.weights[chosen, k], 3.0, _AREA[1])
        drawn = scatter(ax, self.points[chosen], label, len(self.classes), alpha=0.9, linewidths=0.5)
        for c, collection in enumerate(drawn):
            collection.set_sizes(area[label == c])
        return drawn

    def _handles(self) -> list[Any]:
        handles = named(list(self.classes))
        handles.append(mark("large: heavy in the next round", "o", "#B0B0B0", edge(0), 12))
        if any(found is not None for found in self.thresholds):
            handles.append(line("threshold of this round", INK, (0, (4, 2)), 1.5))
        return handles + sampled_note(drawn_of(len(self.label), _MOST_DRAWN))

    def _draw_legend(self, handles: list[Any], new: bool) -> Any:
        columns = min(2 + len(self.axes_), len(handles), 4)
        options: dict[str, Any] = {"handles": handles, "ncols": columns, "frameon": False, "numpoints": 1}
        if not new:
            return self.ax_.legend(loc="upper left", bbox_to_anchor=(0.0, -0.2), **options)
        return self.figure_.legend(loc="outside lower center", **options)


def _brief(name: str) -> str:
    """A name that fits beside a small panel."""
    return name.replace(" of the variance)", ")")


def _next_weights(model: Any, shares: np.ndarray, label: np.ndarray, rounds: list[int], start: Any) -> np.ndarray:
    """Weights in the round after each, times the number of rows.

    A row gets a factor exp(alpha) for each learner that is wrong about it. With A the sum of all alpha and p the share
    of the votes for its class, these multiply to exp(A (1 - p)).
    """
    n = len(label)
    first = np.ones(n) if start is None else np.asarray(start, dtype=np.float64)
    if first.shape != (n,) or not (first >= 0).all() or not first.any():
        raise ValueError(f"sample_weight must be {n} numbers, not negative, and not all zero.")
    total = np.cumsum(model.estimator_weights_)[np.array(rounds) - 1]
    own = np.take_along_axis(shares, label[:, None, None], axis=-1)[..., 0]
    logs = total * (1 - own)
    weights = first[:, None] * np.exp(logs - logs.max(axis=0))
    return weights / weights.mean(axis=0)


def _threshold(learner: Any, axes: np.ndarray) -> tuple[int, float] | None:
    """Axis of the plane and threshold of a stump; None if the learner is none, or on a feature that is not drawn."""
    tree = getattr(learner, "tree_", None)
    if tree is not None and tree.node_count == 3:
        feature, threshold = int(tree.feature[0]), float(tree.threshold[0])
    elif hasattr(learner, "threshold_") and isinstance(getattr(learner, "feature_", None), (int, np.integer)):
        feature, threshold = int(learner.feature_), float(learner.threshold_)
    else:
        return None
    if feature < 0 or not np.isfinite(threshold):
        return None
    along = [k for k in (0, 1) if axes[k, feature] == 1.0]
    return (along[0], threshold) if along else None
