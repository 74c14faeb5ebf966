"""The distribution of the margins of a boosted vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...estimators import weights_or_ones
from .._curve_axes import dress, write_title
from .._display import Display
from .._features import numbers_of
from .._look import INK, line
from .._matplotlib import Axes
from ._boosting_rounds import check_boosted, check_rounds, margins_of, shares_after

_ROUNDS = (1, 10, 100, 1000)
_WRONG = "#F4F4F4"


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingMarginDisplay(Display):
    """How large the margins of the rows are, after some of the rounds of boosting.

    The margin of a row is the share of the votes for its class less the largest share of another class: from -1 (all
    votes are wrong) to 1 (all are right), negative where the vote is wrong. A curve shows the part of the rows with a
    margin up to the value on the axis, so that it crosses 0 at the training error. Boosting pushes the small margins
    up, also when there is no training error any more.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    margins : ndarray of shape (n_rows, n_rounds)
        Margins after each of the rounds.
    rounds : list of int
        The rounds.
    weights : ndarray of shape (n_rows,)
        How much each row counts; they add up to 1.

    Attributes
    ----------
    curves_ : list of matplotlib Line2D
        One for each of the rounds.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.ensemble import AdaBoostClassifier
    >>> from maxmargin.plotting import BoostingMarginDisplay
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> model = AdaBoostClassifier(n_estimators=100).fit(X, y)
    >>> display = BoostingMarginDisplay.from_estimator(model, X, y)
    >>> display.rounds
    [1, 10, 100]
    >>> display.figure_.savefig("margins.png")  # doctest: +SKIP

    """

    margins: np.ndarray
    rounds: list[int]
    weights: np.ndarray

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        rounds: Any = None,
        sample_weight: Any = None,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> BoostingMarginDisplay:
        """Draw the margins of rows.

        Parameters
        ----------
        estimator : AdaBoostClassifier
            Fitted; also one of scikit-learn's.
        X, y : array-like
            What it was trained on, or any rows.
        rounds : sequence of int, optional
            Rounds after which the margins are drawn; by default 1, 10, 100, ... and the last one.
        sample_weight : array-like, optional
            How much each row counts.

        """
        check_boosted(estimator, cls.__name__)
        chosen = check_rounds(rounds, len(estimator.estimators_), _ROUNDS)
        shares = shares_after(estimator, X, chosen)
        label = numbers_of(estimator, y, len(shares))
        weights = weights_or_ones(sample_weight, label)
        display = cls(margins=margins_of(shares, label), rounds=chosen, weights=weights / weights.sum())
        return display.plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        self.ax_.axvspan(-1.1, 0.0, color=_WRONG, linewidth=0, zorder=0)
        self.ax_.axvline(0.0, color=INK, linewidth=1.0, zorder=1)
        self.curves_ = []
        for k, shade in enumerate(self._shades()):
            order = np.argsort(self.margins[:, k], kind="stable")
            m, height = self.margins[order, k], np.minimum(np.cumsum(self.weights[order]), 1.0)
            x, y = np.concatenate([[-1.0], m, [1.0]]), np.concatenate([[0.0], height, [1.0]])
            (curve,) = self.ax_.plot(
                x,
                y,
                drawstyle="steps-post",
                color=shade,
                linewidth=1.5 + 0.3 * k,
                zorder=2 + k,
                solid_joinstyle="round",
            )
            self.curves_.append(curve)
        lowest = min(-0.05, float(self.margins.min()) * 1.05)
        self.ax_.set(xlabel="margin of the vote", ylabel="share of the rows with at most this margin")
        self.ax_.set(xlim=(max(-1.0, lowest) - 0.02, 1.02), ylim=(0.0, 1.02))
        for word, side in (("wrong ", "right"), (" right", "left")):
            self.ax_.text(0.0, 0.94, word, ha=side, va="center", color="#555555")
        dress(self.ax_)
        least = self.margins.min(axis=0)
        words = f"smallest margin: {least[0]:.3g} after round {self.rounds[0]}"
        if len(self.rounds) > 1:
            words += f", {least[-1]:.3g} after round {self.rounds[-1]}"
        write_title(self.ax_, words.replace("-", "−"))

    def _shades(self) -> list[Any]:
        """From a light to a dark blue: the later, the darker."""
        from matplotlib import colormaps

        count = len(self.rounds)
        places = np.linspace(0.45, 1.0, count) if count > 1 else [0.85]
        return [colormaps["Blues"](place) for place in places]

    def _handles(self) -> list[Any]:
        handles = []
        for k, shade in enumerate(self._shades()):
            wrong = float(self.weights[self.margins[:, k] <= 0].sum())
            order = np.argsort(self.margins[:, k], kind="stable")
            place = min(int(np.searchsorted(np.cumsum(self.weights[order]), 0.5)), len(order) - 1)
            median = f"{self.margins[order, k][place]:.2f}".replace("-", "−")
            text = f"round {self.rounds[k]}: {100 * wrong:.3g} % not above 0, median {median}"
            handles.append(line(text, shade, width=1.5 + 0.3 * k))
        return handles
