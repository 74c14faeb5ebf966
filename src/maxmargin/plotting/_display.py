"""What all displays share: axes that are new or given, the legend below them, and drawing once more."""

from __future__ import annotations

from typing import Any, Self

from ._look import legend_below
from ._matplotlib import given_panels, new_panels, require_matplotlib


class Display:
    """Base of the displays: made by their ``from_`` methods, and drawn once more by `plot`.

    Attributes
    ----------
    axes_ : tuple of matplotlib Axes
        The panels of the picture; most have one.
    ax_ : matplotlib Axes
        The first of them.
    figure_ : matplotlib Figure
        Figure that holds the axes.
    legend_ : matplotlib Legend or None
        The legend, which stands below the axes.

    """

    _size = 8.0, 5.5  # inches of a new figure
    _legend_columns = 2

    axes_: tuple[Any, ...]
    ax_: Any
    figure_: Any
    legend_: Any

    def plot(self, *, legend: bool = True, ax: Any = None) -> Self:
        """Draw the picture once more.

        Parameters
        ----------
        legend : bool, default=True
            Whether to draw the legend.
        ax : matplotlib Axes, or a sequence with as many as there are panels, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        Display
            The display itself.

        """
        require_matplotlib(f"{type(self).__name__}.plot")
        self.axes_ = self._new_panels() if ax is None else self._given_panels(ax)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        self._draw()
        handles = self._handles() if legend else []
        self.legend_ = self._draw_legend(handles, new=ax is None) if handles else None
        return self

    # ---------------------------------------------------------------- what displays say of themselves

    def _draw(self) -> None:
        """Draw all but the legend."""
        raise NotImplementedError

    def _handles(self) -> list[Any]:
        """Entries of the legend; without any there is none."""
        return []

    def _new_panels(self) -> tuple[Any, ...]:
        return new_panels(*self._size)

    def _given_panels(self, ax: Any) -> tuple[Any, ...]:
        return given_panels(ax, (1,), "one Axes")

    def _draw_legend(self, handles: list[Any], new: bool) -> Any:
        """The legend, in a `new` figure or below axes that were given."""
        return legend_below(self.axes_[-1], handles, self._legend_columns)
