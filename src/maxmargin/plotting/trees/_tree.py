"""A drawing of a decision tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...tree import learners_of
from .._display import Display
from .._features import check_count, feature_names_for
from .._look import FAINT, INK, colour, line, number, pale
from .._matplotlib import Axes
from ._layout import FONT, axes_of_size, box_width, columns_that_fit, text_width, tidy, tone
from ._words import TreeFacts, check_tree, class_names_for, facts_of, lines_of, way_of

# All lengths are points, at the font size of a picture that is drawn in full size.
_LINE, _PAD = 13.0, 7.0
_GAP, _DROP = 12.0, 42.0  # between two boxes side by side, and from a box to those below it
_BAR = 5.0  # height of the bar of shares
_HEIGHT = 3 * _LINE + 2 * _PAD + _BAR + 3
_MORE = 20.0  # room below a box for what is not drawn
_BRANCH = "#C9C9C9"
_MOST_NAMED = 8
_LONG = {"gini": "Gini index"}
_LARGEST = 60.0  # inches: a wider picture is drawn smaller


@dataclass(kw_only=True, eq=False, repr=False)
class TreeDisplay(Display):
    """A drawing of a decision tree: questions, and answers in the leaves.

    The answer yes leads to the left. A box says the question of its split (a leaf: the majority class or the mean),
    its impurity with the gain of the split, and its training rows, of up to three classes with their counts. Gains are
    counted as in the certificate of the tree: by how much the impurity of the *whole tree* falls, so that they add up
    to what the title says. Boxes have the colour of their majority class, the stronger the larger it is, and a bar of
    the shares of all classes; for a tree of values the colour and the mark on the bar are the mean, between the
    smallest and the largest of all boxes. Branches are as wide as the part of the rows that takes them. From the eighth
    class on colours come again; boxes then name their majority class, as they do for more than three.

    Below `max_depth`, three dots and the number of splits stand for what is not drawn.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    facts : TreeFacts
        The nodes and what there is to say of them.
    max_depth : int or None
        Splits above the lowest boxes that are drawn; None for all.
    path : tuple of int, default=()
        Nodes that are drawn with a bold rim.

    Attributes
    ----------
    boxes_ : dict of int to FancyBboxPatch
        The box of each node that is drawn.
    texts_ : dict of int to list of Text
        What is written in it.
    branches_ : dict of int to PathPatch
        The branch that leads to each node but the root.
    dots_ : dict of int to Text
        Below the boxes with splits that are not drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.plotting import TreeDisplay
    >>> from maxmargin.tree import DecisionTreeClassifier
    >>> iris = load_iris()
    >>> model = DecisionTreeClassifier(random_state=0).fit(iris.data, iris.target)
    >>> display = TreeDisplay.from_estimator(model, feature_names=iris.feature_names, class_names=iris.target_names)
    >>> display.texts_[0][0].get_text().startswith("petal ")
    True
    >>> display.figure_.savefig("tree.png")  # doctest: +SKIP

    """

    _arguments = {
        "missing": "missing : bool, default=False\n    Whether to mark the branches that missing values take."
    }

    facts: TreeFacts
    max_depth: int | None
    path: tuple[int, ...] = ()

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        max_depth: int | None = 3,
        feature_names: Any = None,
        class_names: Any = None,
        row: Any = None,
        missing: bool = False,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> TreeDisplay:
        """Draw a fitted tree.

        Parameters
        ----------
        estimator : DecisionTreeClassifier or DecisionTreeRegressor
            Fitted; also one of scikit-learn's, or a member of a forest.
        max_depth : int or None, default=3
            Splits above the lowest boxes that are drawn; None for all. A depth of 3 or 4 can be read.
        class_names : sequence of str, optional
            Of the classes; by default the labels.
        row : array-like of shape (n_features,), or data frame of one row, optional
            A row whose way through the tree is drawn in bold.
        ax : matplotlib Axes, optional
            Where to draw, as large as fits; by default in a new figure that is large enough.

        """
        check_tree(estimator)
        if max_depth is not None:
            check_count("max_depth", max_depth, 0, ", or None for all")
        learners = learners_of(estimator)
        given = estimator.tree_.n_features if learners is None else estimator.n_features_in_
        columns = feature_names_for(estimator, feature_names, given)
        columns = columns if learners is None else learners.names(columns)
        return cls(
            facts=facts_of(estimator, columns, class_names_for(estimator, class_names)),
            max_depth=None if max_depth is None else int(max_depth),
            path=() if row is None else way_of(estimator, row),
        ).plot(missing=missing, legend=legend, ax=ax)

    def plot(self, *, missing: bool = False, legend: bool = True, ax: Axes | None = None) -> Self:
        """Draw the tree once more."""
        self._missing = missing
        return super().plot(legend=legend, ax=ax)

    # ---------------------------------------------------------------- room

    def _lay_out(self) -> tuple[float, float]:
        """Where the boxes stand, in points; the size of them all in inches."""
        facts = self.facts
        deepest = np.inf if self.max_depth is None else self.max_depth
        drawn = facts.depth <= deepest
        self._cut = (facts.depth >= deepest) & ~facts.is_leaf  # nodes whose children are not drawn
        left, right = (np.where(drawn & ~self._cut, side, -1) for side in (facts.left, facts.right))
        self._lines = {node: lines_of(facts, node) for node in np.flatnonzero(drawn).tolist()}
        width = np.array([box_width(self._lines[k]) if drawn[k] else 0.0 for k in range(len(drawn))])
        x, y = tidy(left, right, width, _GAP), -facts.depth * (_HEIGHT + _DROP)
        self._places, self._has_children = (x, y, width), left >= 0
        ends = float((x - width / 2)[drawn].min()) - 4, float((x + width / 2)[drawn].max()) + 4
        levels = float(y[drawn].min()) - _HEIGHT - (_MORE if self._cut.any() else 6), 6.0
        self._limits = {"xlim": ends, "ylim": levels}
        return (ends[1] - ends[0]) / 72, (levels[1] - levels[0]) / 72

    def _new_panels(self) -> tuple[Any, ...]:
        size = self._lay_out()
        self._scale = min(1.0, _LARGEST / max(size))  # how much smaller than in full size all is drawn
        return (axes_of_size(self._scale * size[0], self._scale * size[1]),)

    def _given_panels(self, ax: Any) -> tuple[Any, ...]:
        size, panels = self._lay_out(), super()._given_panels(ax)
        box, dpi = panels[0].get_window_extent(), panels[0].figure.dpi
        self._scale = min(1.0, 0.97 * box.width / dpi / size[0], 0.97 * box.height / dpi / size[1])
        return panels

    def _draw(self) -> None:
        self.ax_.set(aspect="equal", **self._limits)
        self.ax_.set_axis_off()
        self.boxes_: dict[int, Any] = {}
        self.texts_: dict[int, list[Any]] = {}
        self.branches_: dict[int, Any] = {}
        self.dots_: dict[int, Any] = {}
        x, y, width = self._places
        for node in self._lines:
            self._draw_box(node, x[node], y[node], width[node])
            if self._has_children[node]:
                self._draw_branches(node, x, y)
        self._write_title()

    # ---------------------------------------------------------------- boxes

    def _draw_box(self, node: int, x: float, y: float, width: float) -> None:
        from matplotlib.patches import FancyBboxPatch

        on_path, leaf = node in self.path, bool(self.facts.is_leaf[node])
        self.boxes_[node] = self.ax_.add_patch(
            FancyBboxPatch(
                (x - width / 2, y - _HEIGHT),
                width,
                _HEIGHT,
                boxstyle=f"round,pad=0,rounding_size={12 if leaf else 3}",
                facecolor=self._colour(node),
                edgecolor=INK if on_path else FAINT,
                linewidth=(2.4 if on_path else 0.9) * self._scale,
                zorder=3,
            )
        )
        style: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "zorder": 5, "parse_math": False}
        self.texts_[node] = [
            self.ax_.text(
                x,
                y - _PAD - (k + 0.5) * _LINE,
                text,
                fontsize=FONT * self._scale,
                fontweight="bold" if k == 0 else "normal",
                **style,
            )
            for k, text in enumerate(self._lines[node])
        ]
        self._draw_bar(node, x - width / 2 + 10, y - _HEIGHT + _PAD, width - 20)
        if self._cut[node]:
            more = self._splits_below(node)
            text = f"⋯ {more} split{'s' if more > 1 else ''}"
            style["color"] = "#555555"
            self.dots_[node] = self.ax_.text(
                x, y - _HEIGHT - _MORE / 2, text, fontsize=(FONT - 0.5) * self._scale, **style
            )

    def _splits_below(self, node: int) -> int:
        """Splits from a node on, its own among them."""
        facts, count, level = self.facts, 0, np.array([node])
        while len(level := level[facts.left[level] >= 0]):
            count += len(level)
            level = np.concatenate([facts.left[level], facts.right[level]])
        return count

    def _span(self) -> tuple[float, float]:
        """The smallest mean and the difference to the largest, of all nodes of a tree of values."""
        means = self.facts.value[:, 0]
        return float(means.min()), float(np.ptp(means)) or 1.0

    def _colour(self, node: int) -> Any:
        facts = self.facts
        if not facts.classes:
            low, span = self._span()
            return tone((facts.value[node, 0] - low) / span)
        shares = facts.value[node]
        even = 1 / max(2, len(shares))
        return pale(int(shares.argmax()), 0.1 + 1.4 * max(0.0, (shares.max() - even) / (1 - even)))

    def _draw_bar(self, node: int, x: float, y: float, width: float) -> None:
        """Shares of the classes in their colours, or the mean as a place between the smallest and the largest."""
        from matplotlib.patches import Rectangle

        facts = self.facts
        style: dict[str, Any] = {"linewidth": 0, "zorder": 4}
        if facts.classes:
            for k, share in enumerate(facts.value[node]):
                if share > 0:
                    self.ax_.add_patch(Rectangle((x, y), width * share, _BAR, facecolor=colour(k), **style))
                    x += width * share
            return
        low, span = self._span()
        place = x + width * (facts.value[node, 0] - low) / span
        self.ax_.add_patch(Rectangle((x, y + _BAR / 2 - 0.6), width, 1.2, facecolor=FAINT, **style))
        self.ax_.add_patch(Rectangle((place - 1.5, y - 1), 3, _BAR + 2, facecolor=INK, **style))

    # ---------------------------------------------------------------- branches

    def _draw_branches(self, node: int, x: np.ndarray, y: np.ndarray) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        facts, start = self.facts, y[node] - _HEIGHT
        for child, answer in ((facts.left[node], "yes"), (facts.right[node], "no")):
            middle = (start + y[child]) / 2
            way = [(x[node], start), (x[node], middle), (x[child], middle), (x[child], y[child])]
            on_path = node in self.path and child in self.path
            self.branches_[int(child)] = self.ax_.add_patch(
                PathPatch(
                    Path(way, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]),
                    facecolor="none",
                    edgecolor=INK if on_path else _BRANCH,
                    linewidth=(1.0 + 8.0 * facts.share[child]) * self._scale,
                    capstyle="butt",
                    zorder=2 if on_path else 1,
                )
            )
            words = [answer] if node == 0 else []
            if self._missing and (answer == "yes") == facts.missing_left[node]:
                words.append("missing")
            if words:
                self._label_branch(", ".join(words), x[child], y[child], answer == "yes")

    def _label_branch(self, text: str, x: float, y: float, to_left: bool) -> None:
        self.ax_.text(
            x + (-6 if to_left else 6),
            y + 0.28 * _DROP,
            text,
            ha="right" if to_left else "left",
            va="center",
            fontsize=FONT * self._scale,
            fontstyle="italic",
            color=INK,
            zorder=5,
        )

    # ---------------------------------------------------------------- what stands around it

    def _write_title(self) -> None:
        facts, leaf = self.facts, self.facts.is_leaf
        leaves, deepest = int(leaf.sum()), int(facts.depth.max())
        rest = float(facts.share[leaf] @ np.maximum(facts.impurity[leaf], 0.0))
        words = f"{leaves} leaves, depth {deepest}" if leaves > 1 else "a single leaf"
        if leaves > 1:
            measure = _LONG.get(facts.measure, facts.measure)
            words += f": the gains take the {measure} from {number(facts.impurity[0])} to {number(rest)}"
        if self._cut.any():
            words += f"\ndrawn to depth {self.max_depth}, {len(self.boxes_)} of {len(facts.left)} nodes"
        self.ax_.set_title(words, loc="left", fontsize=max(7.0, (FONT + 1.5) * self._scale), color=INK)

    def _handles(self) -> list[Any]:
        from matplotlib.patches import Patch

        facts = self.facts
        handles: list[Any] = []
        if facts.classes and len(facts.classes) <= _MOST_NAMED:
            handles = [Patch(facecolor=colour(k), label=name) for k, name in enumerate(facts.classes)]
        elif not facts.classes:
            low, span = self._span()
            tones = (0.0, 0.5, 1.0) if np.ptp(facts.value) else (0.0,)
            handles = [Patch(facecolor=tone(t), edgecolor=FAINT, label=number(low + t * span)) for t in tones]
            handles[0].set_label(f"mean {number(low)}")
        handles.append(line("branch, as wide as its share of the rows", _BRANCH, width=6))
        if self.path:
            handles.append(line("way of the row", width=2.4))
        return handles

    def _draw_legend(self, handles: list[Any], new: bool) -> Any:
        size = max(6.0, (FONT + 0.5) * self._scale)
        needs = [text_width(handle.get_label(), size) + 4.6 * size for handle in handles]  # with the sign and a space
        room = self.ax_.get_window_extent().width * 72 / self.figure_.dpi
        return self.ax_.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=columns_that_fit(needs, room),
            frameon=False,
            fontsize=size,
        )
