"""What all displays share: axes that are new or given, the legend below them, and drawing once more."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Self

from ..estimators import complete_docstring
from ._look import legend_below, legend_of_figure
from ._matplotlib import given_panels, new_panels, require_matplotlib

# What parameters of several displays and of their methods mean, where a docstring does not say so.
_ARGUMENTS = {
    "legend": "legend : bool, default=True\n    Whether to draw the legend.",
    "ax": "ax : matplotlib Axes, optional\n    Where to draw; by default in a new figure.",
    "features": 'features : tuple of two columns or "principal", optional\n'
    "    Names or numbers of the columns of X to draw, the others being at their means, or the plane of the first\n"
    "    two principal components, which is the default if X has more than two.",
    "feature_names": "feature_names : sequence of str, optional\n"
    "    Of the columns; by default those of the data frame that the model was fitted on, or ``feature 0``, ...",
    "classes": "classes : tuple of str\n    Names of the classes.",
    "title": 'title : str, default=""\n    What to write above.',
    "axis_names": "axis_names : tuple of two str\n    What to write along the axes.",
    "section_of": "section_of : int or None, default=None\n"
    "    Number of features of the space that the plane is a section of; None if the plane is the whole space.",
}


# Inches that a column of a legend takes, below axes that were given.
_ROOM = 2.0


class Display:
    """Base of the displays: made by their ``from_`` methods, and drawn once more by `plot`.

    Derived classes have their docstrings completed, and their ``from_`` methods refuse at once where there is no
    Matplotlib.

    Attributes
    ----------
    axes_ : tuple of matplotlib Axes
        The panels of the picture; most have one.
    ax_ : matplotlib Axes
        The first of them.
    figure_ : matplotlib Figure
        Figure that holds the axes.
    legend_ : matplotlib Legend or None
        The legend, which stands below all axes of a new figure, or below the axes that were given.

    """

    _size = 8.0, 5.5  # inches of a new figure
    _legend_columns = 2
    _arguments: ClassVar[dict[str, str]] = {}  # entries of docstrings that mean something else here

    axes_: tuple[Any, ...]
    ax_: Any
    figure_: Any
    legend_: Any

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        entries = _ARGUMENTS | cls._arguments
        complete_docstring(cls, list(cls.__annotations__), entries, None)
        for name, member in list(vars(cls).items()):
            made = name.startswith("from_")
            if made or name == "plot":
                method = member.__func__ if made else member
                complete_docstring(method, list(inspect.signature(method).parameters)[1:], entries, cls.__name__)
            if made:
                setattr(cls, name, classmethod(_needing_matplotlib(method)))

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
        """The legend, below all that is in a `new` figure or below axes that were given."""
        if new:
            return legend_of_figure(self.figure_, handles, self._legend_columns)
        ax = self.axes_[-1]
        width = ax.figure.get_size_inches()[0] * ax.get_position().width
        return legend_below(ax, handles, self._legend_columns, room=width > _ROOM * self._legend_columns)


def _needing_matplotlib(make: Callable) -> Callable:
    @wraps(make)
    def checked(cls: type, *args: Any, **options: Any) -> Any:
        require_matplotlib(f"{cls.__name__}.{make.__name__}")
        return make(cls, *args, **options)

    return checked
