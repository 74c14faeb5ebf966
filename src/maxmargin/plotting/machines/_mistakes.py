"""Mistakes of a perceptron, epoch by epoch, beside their bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...certificates import rounded_up
from .._curve_axes import HELD_OUT, TRAINING, dress, whole_numbers
from .._display import Display
from .._look import line
from .._matplotlib import Axes


@dataclass(kw_only=True, eq=False, repr=False)
class MistakesDisplay(Display):
    """All mistakes of a perceptron so far, after each epoch, and the bound (R / gamma)^2 that they cannot exceed.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    epoch : ndarray of shape (n_points,)
        Epochs.
    mistakes : ndarray of shape (n_points,)
        Mistakes up to the end of each.
    bound : float
        Bound on all mistakes; inf where the weights do not separate the classes.

    Attributes
    ----------
    curve_ : matplotlib Line2D
        The mistakes.
    bound_ : matplotlib Line2D or None
        The bound, where there is one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.linear_model import Perceptron
    >>> from maxmargin.plotting import MistakesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Perceptron(trace=True).fit(X[:100], y[:100])
    >>> display = MistakesDisplay.from_estimator(model)
    >>> bool(display.mistakes[-1] <= display.bound)
    True

    """

    epoch: np.ndarray
    mistakes: np.ndarray
    bound: float

    @classmethod
    def from_estimator(cls, estimator: Any, *, legend: bool = True, ax: Axes | None = None) -> MistakesDisplay:
        """Draw the mistakes of a fitted perceptron of two classes.

        Parameters
        ----------
        estimator : Perceptron or KernelPerceptron
            Fitted with ``trace=True``.

        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "n_mistakes_") or not hasattr(estimator, "trace_"):
            name = type(estimator).__name__
            raise TypeError(f"MistakesDisplay draws perceptrons that were fitted with trace=True; got {name}.")
        if len(estimator.classes_) != 2:
            raise ValueError(f"MistakesDisplay draws perceptrons of two classes; got {len(estimator.classes_)}.")
        points = [(p.iteration, dict(p.figures.others).get("mistakes", np.nan)) for p in estimator.trace_.points]
        known = np.array([point for point in points if np.isfinite(point[1])], dtype=np.float64).reshape(-1, 2)
        figures = estimator.certificate_.figures
        return cls(epoch=known[:, 0], mistakes=known[:, 1], bound=float(figures["bound"])).plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        (self.curve_,) = self.ax_.plot(self.epoch, self.mistakes, color=TRAINING, marker="o", markersize=4, linewidth=2)
        self.bound_ = None
        if np.isfinite(self.bound):
            self.bound_ = self.ax_.axhline(self.bound, color=HELD_OUT, linestyle="--", linewidth=2)
        highest = self.bound if np.isfinite(self.bound) else float(self.mistakes.max(initial=1.0))
        far = self.bound_ is not None and highest > 20 * max(float(self.mistakes.max(initial=1.0)), 1.0)
        if far:  # linear up to 1, so that none is shown, too
            self.ax_.set_yscale("symlog", linthresh=1)
        self.ax_.set(xlabel="epoch", ylabel="mistakes so far", ylim=(0, (2 if far else 1.1) * highest))
        whole_numbers(self.ax_)
        dress(self.ax_)

    def _handles(self) -> list[Any]:
        last = int(self.mistakes[-1]) if len(self.mistakes) else 0
        bound = [] if self.bound_ is None else [line(f"bound: {rounded_up(self.bound, 4)}", HELD_OUT, "--", 2)]
        return [line(f"mistakes: {last}", TRAINING, width=2), *bound]
