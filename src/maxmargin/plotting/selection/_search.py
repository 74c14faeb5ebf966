"""The scores of a search over its parameters, and which of them are as good as the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._curve_axes import TRAINING, dress
from .._display import Display
from .._look import FAINT, INK, STAR, head, line, value_text
from .._matplotlib import Axes, new_panels
from ._search_table import DROPPED, FAILED, SCORED, UNFINISHED, CellAxis, SearchTable, read_results, score_text

_PALE, _BAND = "#F2F2F2", "#BDD3EB"
_BELOW = "#DCDCE0"  # cells below the scale: no colour of its own, so that the eye stays with the others
_HATCHES = {DROPPED: "////", FAILED: "xxxx", UNFINISHED: "...."}
_STATE_TEXTS = {DROPPED: "dropped by the race", FAILED: "failed", UNFINISHED: "not finished"}
_STAR: dict[str, Any] = STAR | {"markeredgewidth": 1.1}
_DISC: dict[str, Any] = {"marker": "o", "markersize": 8, "markerfacecolor": "white", "markeredgewidth": 1.3}
_DIAMOND: dict[str, Any] = {"marker": "D", "markersize": 7, "markerfacecolor": "white", "markeredgewidth": 1.3}
_CELL_WIDTH, _CELL_HEIGHT = 0.66, 0.52  # inches of a new figure
_TEXT_WIDTH, _TEXT_HEIGHT = 32.0, 16.0  # points that a score needs in its cell


@dataclass(kw_only=True, eq=False, repr=False)
class SearchDisplay(Display):
    """The mean scores of a search, with the winner and all that is within one standard error of the best.

    Over two parameters it is a map of cells, over one a curve with a band of one standard error on either side. A
    star marks the winner, a disc the best mean where that is another candidate, and a diamond the simplest candidate
    (the smallest C, then the smallest gamma) within one standard error of the best: what
    ``rule="one_standard_error"`` picks. The line around cells encloses all that are so near. Candidates without a
    score are hatched.

    Colours and the axis of a curve leave out what is far below the rest: a few cells of awful scores would leave all
    others one colour. The colour bar ends in a point then, and a curve has triangles at its lower edge.

    Displays are made by `from_estimator` or `from_results`.

    Parameters
    ----------
    table : SearchTable
        Scores of the candidates as a table over the parameters.
    winner : int or None, default=None
        Number of the candidate that was picked; None for the best one.
    score_name : str, default="score"
        What to write along the scores.

    Attributes
    ----------
    colorbar_ : matplotlib Colorbar or None
        The scale of the colours; None for a curve.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.model_selection import GridSearchCV
    >>> from maxmargin.plotting import SearchDisplay
    >>> from maxmargin.svm import SVC
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> search = GridSearchCV(SVC(), {"C": [0.1, 1, 10], "gamma": [0.1, 1, 10]}).fit(X, y)
    >>> display = SearchDisplay.from_estimator(search)
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('gamma', 'C')
    >>> display.figure_.savefig("search.png")  # doctest: +SKIP

    """

    _arguments = {
        "metric": 'metric : str, default="score"\n'
        '    The scores to draw: those of ``cv_results_["mean_test_<metric>"]``.',
        "annotate": "annotate : bool, optional\n"
        "    Whether to write scores in the cells; by default where there is room for them.",
        "cmap": 'cmap : str or Colormap, default="viridis"\n'
        "    Colours of the cells, from the worst score to the best.",
    }

    table: SearchTable
    winner: int | None = None
    score_name: str = "score"

    _legend_columns = 1

    @classmethod
    def from_estimator(
        cls,
        search: Any,
        *,
        metric: str = "score",
        score_name: str | None = None,
        annotate: bool | None = None,
        cmap: Any = "viridis",
        legend: bool = True,
        ax: Axes | None = None,
    ) -> SearchDisplay:
        """Draw the scores of a fitted search.

        Parameters
        ----------
        search : SVCCV, SVRCV, GridSearchCV, ...
            A search that was fitted, also one that was interrupted.
        score_name : str, optional
            What to write along the scores; by default the scoring that the search was given, if that has a name.

        """
        if not hasattr(search, "cv_results_"):
            if not hasattr(search, "fit"):
                raise TypeError(f"SearchDisplay draws searches, such as maxmargin.svm.SVCCV; got {search!r}.")
            check_is_fitted(search, "cv_results_")
        if score_name is None:
            scoring = metric if metric != "score" else getattr(search, "scoring", None)
            score_name = scoring.replace("_", " ") if isinstance(scoring, str) else "score"
        winner = getattr(search, "best_index_", None)
        display = cls(table=read_results(search.cv_results_, metric), winner=winner, score_name=score_name)
        return display.plot(annotate=annotate, cmap=cmap, legend=legend, ax=ax)

    @classmethod
    def from_results(
        cls,
        cv_results: Mapping[str, Any],
        *,
        winner: int | None = None,
        metric: str = "score",
        score_name: str = "score",
        annotate: bool | None = None,
        cmap: Any = "viridis",
        legend: bool = True,
        ax: Axes | None = None,
    ) -> SearchDisplay:
        """Draw the scores of a table of results.

        Parameters
        ----------
        cv_results : dict
            ``cv_results_`` of a search, of this library or of scikit-learn.
        winner : int, optional
            Number of the candidate that was picked; by default the best one.
        score_name : str, default="score"
            What to write along the scores.

        """
        display = cls(table=read_results(cv_results, metric), winner=winner, score_name=score_name)
        return display.plot(annotate=annotate, cmap=cmap, legend=legend, ax=ax)

    def plot(
        self, *, annotate: bool | None = None, cmap: Any = "viridis", legend: bool = True, ax: Axes | None = None
    ) -> Self:
        """Draw the scores once more."""
        self._annotate, self._cmap = annotate, cmap
        return super().plot(legend=legend, ax=ax)

    @property
    def _is_surface(self) -> bool:
        return len(self.table.names) == 2

    def _new_panels(self) -> tuple[Any, ...]:
        if not self._is_surface:
            return super()._new_panels()
        rows, columns = self.table.mean.shape
        width, height = np.clip(2.4 + _CELL_WIDTH * columns, 6.0, 14.0), np.clip(2 + _CELL_HEIGHT * rows, 4, 12)
        return new_panels(float(width), float(height))

    def _draw(self) -> None:
        self.colorbar_: Any = None
        self._entries = self._draw_surface() if self._is_surface else self._draw_curve()
        if self.table.fixed:
            head(self.ax_, ", ".join(f"{name} = {value_text(value)}" for name, value in self.table.fixed.items()))

    def _handles(self) -> list[Any]:
        return self._entries

    def _marks(self) -> list[tuple[tuple[int, ...], dict[str, Any], str]]:
        """Cells to mark: where, how, and what to say of them."""
        table, best, simplest = self.table, self.table.best, self.table.simplest
        if best is None or simplest is None:
            return []
        winner = table.cell_of(self.winner) or best
        marks = [(winner, _STAR, "winner")]
        if best != winner:
            marks.append((best, _DISC, "best"))
        if simplest not in (winner, best):
            marks.append((simplest, _DIAMOND, "simplest within one standard error"))
        return [(cell, style, f"{what}: {table.text(cell)}; {self._score_of(cell)}") for cell, style, what in marks]

    def _score_of(self, cell: tuple[int, ...]) -> str:
        mean, error = self.table.mean[cell], self.table.error[cell]
        return f"{self.score_name} {score_text(mean)} ± {score_text(error)}"

    # over two parameters

    def _draw_surface(self) -> list[Any]:
        table, ax = self.table, self.ax_
        y, x = (CellAxis(values) for values in table.values)
        x.apply(ax.xaxis, table.names[1])
        y.apply(ax.yaxis, table.names[0])
        ax.set(xlim=(x.edges[0], x.edges[-1]), ylim=(y.edges[0], y.edges[-1]))
        ax.set_facecolor(_PALE)
        below = self._draw_cells(x, y) if table.best is not None else []
        hatches = self._draw_hatches(x, y)
        outline = self._draw_outline(x, y)
        marks = self._draw_marks(x, y)
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
        return marks + outline + below + hatches

    def _draw_cells(self, x: CellAxis, y: CellAxis) -> list[Any]:
        from matplotlib import colormaps
        from matplotlib.patches import Patch

        table, ax = self.table, self.ax_
        scored = table.state == SCORED
        low, high = table.lowest_shown(), float(table.mean[scored].max())
        cut = int((table.mean[scored] < low).sum())
        if high == low:  # one score for all
            low, high = low - 0.5, high + 0.5
        colours = colormaps.get_cmap(self._cmap).with_extremes(under=_BELOW)
        cells = ax.pcolormesh(
            x.edges, y.edges, np.ma.masked_where(~scored, table.mean), cmap=colours, vmin=low, vmax=high,
            edgecolors="white", linewidth=0.6, antialiased=True,
        )  # fmt: skip
        self.colorbar_ = self.figure_.colorbar(cells, ax=ax, extend="min" if cut else "neither", pad=0.02)
        self.colorbar_.outline.set_visible(False)
        self.colorbar_.set_label(f"{self.score_name}, mean of {table.folds} folds")
        if self._has_room() if self._annotate is None else self._annotate:
            self._write_scores(x, y, cells)
        return [Patch(facecolor=_BELOW, label=f"below the scale: {cut}")] if cut else []

    def _has_room(self) -> bool:
        box = self.ax_.get_window_extent()
        points = 72 / self.figure_.dpi
        rows, columns = self.table.mean.shape
        return box.width * points >= _TEXT_WIDTH * columns and box.height * points >= _TEXT_HEIGHT * rows

    def _write_scores(self, x: CellAxis, y: CellAxis, cells: Any) -> None:
        marked = [cell for cell, _, _ in self._marks()]
        for row, column in np.argwhere(self.table.state == SCORED).tolist():
            score = self.table.mean[row, column]
            red, green, blue, _ = cells.cmap(cells.norm(score))
            dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5
            self.ax_.text(
                x.centres[column],
                y.at(row, -0.22 if (row, column) in marked else 0.0),
                score_text(score),
                ha="center",
                va="center_baseline",
                fontsize=8,
                color="white" if dark else INK,
            )

    def _draw_hatches(self, x: CellAxis, y: CellAxis) -> list[Any]:
        from matplotlib.patches import Patch, Rectangle

        handles: list[Any] = []
        for state, hatch in _HATCHES.items():
            cells = np.argwhere(self.table.state == state).tolist()
            style: dict[str, Any] = {"facecolor": "white", "edgecolor": FAINT, "hatch": hatch, "linewidth": 0.0}
            for row, column in cells:
                corner, size = (x.edges[column], y.edges[row]), (np.diff(x.edges)[column], np.diff(y.edges)[row])
                self.ax_.add_patch(Rectangle(corner, *size, **style))
            if cells:
                handles.append(Patch(label=f"{_STATE_TEXTS[state]}: {len(cells)}", **style))
        return handles

    def _draw_outline(self, x: CellAxis, y: CellAxis) -> list[Any]:
        """A line around the cells within one standard error of the best."""
        from matplotlib.collections import LineCollection

        near = np.pad(self.table.near, 1)
        if not near.any():
            return []
        across = [
            ((x.edges[c], y.edges[r]), (x.edges[c + 1], y.edges[r]))
            for r, c in np.argwhere(near[:-1, 1:-1] != near[1:, 1:-1]).tolist()
        ]
        along = [
            ((x.edges[c], y.edges[r]), (x.edges[c], y.edges[r + 1]))
            for r, c in np.argwhere(near[1:-1, :-1] != near[1:-1, 1:]).tolist()
        ]
        for width, colour in ((5.0, "white"), (2.2, INK)):
            lines = LineCollection(
                across + along, colors=colour, linewidths=width, capstyle="projecting", clip_on=False, zorder=3
            )
            self.ax_.add_collection(lines, autolim=False)
        count = int(self.table.near.sum())
        text = f"within one standard error of the best: {count} of {int((self.table.state == SCORED).sum())}"
        return [line(text, width=2.2)]

    def _draw_marks(self, x: CellAxis, y: CellAxis) -> list[Any]:

        written = bool(self.ax_.texts)
        handles: list[Any] = []
        for (row, column), style, text in self._marks():
            place = x.centres[column], y.at(row, 0.2 if written else 0.0)
            self.ax_.plot(*place, linestyle="", color=INK, zorder=5, **style)
            handles.append(line(text, style="", **style))
        return handles

    # over one parameter

    def _draw_curve(self) -> list[Any]:
        from matplotlib.patches import Patch

        table, ax = self.table, self.ax_
        x = CellAxis(table.values[0])
        x.apply(ax.xaxis, table.names[0])
        ax.set(xlim=(x.edges[0], x.edges[-1]), ylabel=f"{self.score_name}, mean of {table.folds} folds")
        dress(ax)
        scored = table.state == SCORED
        handles: list[Any] = []
        if scored.any():
            mean, error = (np.where(scored, column, np.nan) for column in (table.mean, table.error))
            ax.fill_between(x.centres, mean - error, mean + error, color=_BAND, linewidth=0, zorder=1)
            ax.vlines(x.centres, mean - error, mean + error, color=_BAND, linewidth=4, zorder=1)  # also of one alone
            ax.plot(x.centres, mean, color=TRAINING, linewidth=1.8, marker="o", markersize=4.5, zorder=3)
            ax.axhline(table.floor, color=INK, linewidth=1.0, linestyle="--", zorder=2)
            for (k,), style, text in self._marks():
                ax.plot(x.centres[k], table.mean[k], linestyle="", color=INK, zorder=5, **style)
                handles.append(line(text, style="", **style))
            handles += [
                line("best less one standard error", INK, "--", 1.0),
                Patch(facecolor=_BAND, label="one standard error on either side"),
            ]
            handles += self._limit_scores(x)
        return handles + self._draw_gaps(x)

    def _limit_scores(self, x: CellAxis) -> list[Any]:
        """Leave out what is far below the rest, and say where it would be."""

        table, scored = self.table, self.table.state == SCORED
        low = table.lowest_shown()
        shown = scored & (table.mean >= low)
        below, above = (table.mean + sign * table.error for sign in (-1, 1))
        top = float(above[scored].max())
        # a wide band of a bad candidate may leave the picture as well
        bottom = float(min(table.floor, max(below[shown].min(), low - 0.5 * (top - low))))
        room = 0.06 * (top - bottom) or 0.05 * abs(top) or 0.05
        self.ax_.set_ylim(bottom - room, top + room)
        cut = np.flatnonzero(scored & ~shown)
        if not len(cut):
            return []
        style: dict[str, Any] = {"marker": "v", "markersize": 7}
        places, transform = (x.centres[cut], np.full(len(cut), 0.02)), self.ax_.get_xaxis_transform()
        self.ax_.plot(*places, color=TRAINING, linestyle="", transform=transform, clip_on=False, zorder=5, **style)
        return [line(f"below the picture: {len(cut)}", TRAINING, "", **style)]

    def _draw_gaps(self, x: CellAxis) -> list[Any]:
        from matplotlib.patches import Patch

        handles: list[Any] = []
        for state, hatch in _HATCHES.items():
            places = np.flatnonzero(self.table.state == state).tolist()
            style: dict[str, Any] = {"facecolor": "white", "edgecolor": "#C4C4C4", "hatch": hatch, "linewidth": 0.0}
            for k in places:
                self.ax_.axvspan(x.at(k, -0.4), x.at(k, 0.4), zorder=0, **style)
            if places:
                handles.append(Patch(label=f"{_STATE_TEXTS[state]}: {len(places)}", **style))
        return handles
