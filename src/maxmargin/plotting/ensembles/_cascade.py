"""The stages of a cascade: how many positives and negatives pass them, one after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...ensemble import CascadeClassifier
from .._curve_axes import HELD_OUT, TRAINING, dress, whole_numbers, write_title
from .._display import Display
from .._look import line
from .._matplotlib import Axes


@dataclass(kw_only=True, eq=False, repr=False)
class CascadeDisplay(Display):
    """Parts of the positives and of the negatives that are left after each stage of a cascade.

    Rates of stages multiply: the positives hardly fall, the negatives by orders of magnitude.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    detection, false_positive_rate : ndarray of shape (n_stages,)
        Parts of the positives and of the negatives that have passed the stages so far.
    learners : ndarray of shape (n_stages,)
        Learners of each stage.

    Attributes
    ----------
    lines_ : list of two matplotlib Line2D
        Positives and negatives.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from maxmargin.ensemble import CascadeClassifier
    >>> from maxmargin.plotting import CascadeDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CascadeClassifier(max_stages=5, random_state=0).fit(X, y)
    >>> display = CascadeDisplay.from_estimator(model)
    >>> display.ax_.get_xlabel()
    'stage'

    """

    detection: np.ndarray
    false_positive_rate: np.ndarray
    learners: np.ndarray

    @classmethod
    def from_estimator(cls, estimator: Any, *, legend: bool = True, ax: Axes | None = None) -> CascadeDisplay:
        """Draw the stages of a fitted cascade, by the rates of its certificate.

        Parameters
        ----------
        estimator : CascadeClassifier
            Fitted.

        """
        if not isinstance(estimator, CascadeClassifier):
            raise TypeError(f"CascadeDisplay draws a CascadeClassifier; got {type(estimator).__name__}.")
        check_is_fitted(estimator)
        proof = estimator.certificate_
        return cls(
            detection=np.cumprod(proof.detections),
            false_positive_rate=np.cumprod(proof.false_positive_rates),
            learners=np.asarray(proof.learners),
        ).plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        stage = np.arange(len(self.detection) + 1)
        self.lines_ = []
        lowest = min(self.false_positive_rate[self.false_positive_rate > 0].min(initial=1.0), self.detection.min()) / 3
        kinds = (self.detection, TRAINING, "o", "-"), (self.false_positive_rate, HELD_OUT, "v", "--")
        for values, colour, mark, style in kinds:
            left = np.append(1.0, values)
            shown = np.where(left > 0, left, lowest)
            look = {"color": colour, "marker": mark, "linestyle": style, "linewidth": 2}
            self.lines_ += self.ax_.plot(stage, shown, clip_on=False, **look)
        self.ax_.set(yscale="log", ylim=(lowest, 1.3), xlabel="stage", ylabel="share that passes")
        if (self.false_positive_rate == 0).any():
            at = int(np.argmax(self.false_positive_rate == 0)) + 1
            self.ax_.annotate("none left", (at, lowest), (0, 6), textcoords="offset points", ha="right", color=HELD_OUT)
        whole_numbers(self.ax_)
        dress(self.ax_)
        counts = ", ".join(str(int(count)) for count in self.learners)
        write_title(self.ax_, f"{len(self.learners)} stages of {counts} learners")

    def _handles(self) -> list[Any]:
        return [
            line(f"positives: {self.detection[-1]:.1%} pass all stages", TRAINING, width=2, marker="o"),
            line(f"negatives: {self.false_positive_rate[-1]:.2g} of them", HELD_OUT, "--", 2, marker="v"),
        ]
