"""Losses over the margin or the residual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..losses import make_loss
from ._curve_axes import dress
from ._display import Display
from ._look import colour, line
from ._matplotlib import Axes

_MARGIN = ("zero_one", "perceptron", "hinge", "squared_hinge", "logistic")
_STYLES = ("-", "--", "-.", ":")


@dataclass(kw_only=True, eq=False, repr=False)
class LossDisplay(Display):
    """What errors cost: losses over the margin z = y f of a classifier, or over the residual f - y of a regressor.

    Displays are made by `from_losses`.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
        Margins or residuals.
    values : dict of str to ndarray of shape (n_points,)
        The losses by name.
    over : {"margin", "residual"}
        What they are drawn over.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D
        The curves, in the order of the names.

    Examples
    --------
    >>> from maxmargin.plotting import LossDisplay
    >>> display = LossDisplay.from_losses(["hinge", "logistic"])
    >>> display.ax_.get_xlabel()
    'margin y f'
    >>> display.figure_.savefig("losses.png")  # doctest: +SKIP

    """

    x: np.ndarray
    values: dict[str, np.ndarray]
    over: str

    @classmethod
    def from_losses(
        cls,
        losses: Sequence[str] = _MARGIN,
        *,
        epsilon: float = 0.5,
        low: float = -3.0,
        high: float = 3.0,
        points: int = 601,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> LossDisplay:
        """Draw losses by name.

        Parameters
        ----------
        losses : sequence of str
            Names of `maxmargin.losses.LOSSES`, all of classification or all of regression; by default those of
            classification.
        epsilon : float, default=0.5
            Half the width of the tube of epsilon-insensitive losses.
        low, high : float
            The interval of margins or residuals.
        points : int, default=601
            Points of a curve.

        """
        made = {str(name): make_loss(name, epsilon) for name in losses}
        if not made:
            raise ValueError("losses must name at least one.")
        margin = all(loss.kind in ("classification", "both") for loss in made.values())
        if not margin and any(loss.kind == "classification" for loss in made.values()):
            raise ValueError("losses of classification are over the margin, those of regression over the residual.")
        x = np.linspace(low, high, points)
        y = np.ones(points) if margin else np.zeros(points)
        values = {name: np.asarray(loss.value(x, y)) for name, loss in made.items()}
        return cls(x=x, values=values, over="margin" if margin else "residual").plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        self.lines_ = []
        for k, values in enumerate(self.values.values()):
            style = _STYLES[k % len(_STYLES)]
            if len(np.unique(values)) == 2 and set(np.unique(values)) <= {0.0, 1.0}:  # a step, not a slope
                values = np.where(np.append(np.diff(values) != 0, False), np.nan, values)
            self.lines_ += self.ax_.plot(self.x, values, color=colour(k), linestyle=style, linewidth=2)
        highest = max(np.nanmax(values) for values in self.values.values())
        self.ax_.set(xlim=self.x[[0, -1]], ylim=(-0.1, min(highest, 5.0) + 0.1), ylabel="loss")
        self.ax_.set_xlabel("margin y f" if self.over == "margin" else "residual f - y")
        dress(self.ax_)

    def _handles(self) -> list[Any]:
        names = [name.replace("_", " ") for name in self.values]
        return [line(name, colour(k), _STYLES[k % len(_STYLES)], 2) for k, name in enumerate(names)]
