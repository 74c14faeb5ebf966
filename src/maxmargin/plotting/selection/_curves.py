"""Learning and validation curves, with their verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...diagnostics import LearningCurve, ValidationCurve
from .._curve_axes import HELD_OUT, TRAINING, ValueAxis, band, dress, standard_errors, write_title
from .._display import Display
from .._look import FAINT, INK, STAR, line, mark
from .._matplotlib import Axes

_GROUND = {"underfitting": "#EEF3F8", "overfitting": "#FCF0E8"}


@dataclass(kw_only=True, eq=False, repr=False)
class CurveDisplay(Display):
    """Scores on training rows and on held-out rows, against the number of rows or the values of a parameter.

    Bands are one standard error of the mean over the folds on either side. The title is the verdict of the curve in
    words. Behind a validation curve, the values at which the model under- or overfits have another ground, and a star
    marks the best one; below a learning curve, a dashed line is the score of a model that ignores the features.

    Displays are made by `from_curve`.

    Parameters
    ----------
    values : list
        Numbers of training rows, or values of the parameter.
    name : str
        What they are.
    train_scores, test_scores : ndarray of shape (n_values, n_folds)
        Scores on the training rows and on those held out.
    reason : str
        The verdict in words.
    verdicts : list of str or None, default=None
        The verdict at each value.
    best : int or None, default=None
        Number of the best value.
    baseline : float or None, default=None
        Score of a model that ignores the features.
    score_name : str, default="score"
        What to write along the scores.

    Attributes
    ----------
    training_, held_out_ : matplotlib Line2D
        The two curves.
    best_, baseline_ : matplotlib Line2D or None
        The best value; the score without features.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.diagnostics import validation_curve
    >>> from maxmargin.plotting import CurveDisplay
    >>> from maxmargin.tree import DecisionTreeClassifier
    >>> X, y = make_moons(300, noise=0.3, random_state=0)
    >>> curve = validation_curve(DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=[1, 2, 4, 8, 16])
    >>> display = CurveDisplay.from_curve(curve, score_name="accuracy")
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('max_depth', 'accuracy')
    >>> display.figure_.savefig("curve.png")  # doctest: +SKIP

    """

    values: list
    name: str
    train_scores: np.ndarray
    test_scores: np.ndarray
    reason: str
    verdicts: list[str] | None = None
    best: int | None = None
    baseline: float | None = None
    score_name: str = "score"

    @classmethod
    def from_curve(
        cls, curve: Any, *, score_name: str = "score", legend: bool = True, ax: Axes | None = None
    ) -> CurveDisplay:
        """Draw what `learning_curve` or `validation_curve` of `maxmargin.diagnostics` have found.

        Parameters
        ----------
        curve : LearningCurve or ValidationCurve
            Their result.
        score_name : str, default="score"
            What to write along the scores.

        """
        if not isinstance(curve, (LearningCurve, ValidationCurve)):
            raise TypeError(
                "CurveDisplay draws the results of learning_curve and validation_curve of maxmargin.diagnostics; got "
                f"{type(curve).__name__}."
            )
        options: dict[str, Any] = {
            "train_scores": curve.train_scores,
            "test_scores": curve.test_scores,
            "reason": curve.reason,
            "score_name": score_name,
        }
        if isinstance(curve, LearningCurve):
            sizes = np.asarray(curve.train_sizes).tolist()
            display = cls(values=sizes, name="training rows", baseline=curve.baseline, **options)
        else:
            values, verdicts = list(curve.param_range), curve.verdicts
            display = cls(values=values, name=curve.param_name, verdicts=verdicts, best=curve.best, **options)
        return display.plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        axis = ValueAxis(self.values)
        self._grounds = self._draw_ground(axis)
        self.training_ = self._draw_scores(axis, self.train_scores, TRAINING, "o")
        self.held_out_ = self._draw_scores(axis, self.test_scores, HELD_OUT, "s")
        self._draw_marks(axis)
        axis.apply(self.ax_, self.name)
        self.ax_.set_xlim(*axis.borders()[[0, -1]])
        self.ax_.set_ylabel(self.score_name)
        dress(self.ax_)
        write_title(self.ax_, self.reason)

    def _draw_scores(self, axis: ValueAxis, scores: np.ndarray, shade: str, sign: str) -> Any:
        x, scores = axis.at[axis.order], scores[axis.order]
        mean = scores.mean(axis=1)
        band(self.ax_, x, mean, standard_errors(scores), shade)
        (curve,) = self.ax_.plot(x, mean, color=shade, linewidth=1.8, marker=sign, markersize=5, zorder=3)
        return curve

    def _draw_ground(self, axis: ValueAxis) -> list[Any]:
        """Behind the values at which the model under- or overfits, a ground of their own."""
        from matplotlib.patches import Patch

        if self.verdicts is None:
            return []
        borders = axis.borders()
        for k, place in enumerate(axis.order):
            if (ground := _GROUND.get(self.verdicts[place])) is not None:
                self.ax_.axvspan(borders[k], borders[k + 1], color=ground, linewidth=0, zorder=0)
        return [
            Patch(facecolor=ground, edgecolor="#D0D0D0", linewidth=0.6, label=verdict)
            for verdict, ground in _GROUND.items()
            if verdict in self.verdicts
        ]

    def _draw_marks(self, axis: ValueAxis) -> None:
        self.best_: Any = None
        self.baseline_: Any = None
        if self.best is not None:
            here = axis.at[self.best], self.test_scores[self.best].mean()
            (self.best_,) = self.ax_.plot(*here, color=INK, linestyle="", zorder=5, **STAR)
        if self.baseline is not None:
            self.baseline_ = self.ax_.axhline(self.baseline, color=FAINT, linestyle="--", linewidth=1.4, zorder=2)

    def _handles(self) -> list[Any]:
        folds = f"mean of {self.train_scores.shape[1]} folds, with its standard error"
        handles = [
            line(f"training rows: {folds}", TRAINING, marker="o", markersize=5, width=1.8),
            line("held-out rows: the same", HELD_OUT, marker="s", markersize=5, width=1.8),
        ]
        if self.best is not None:
            best = self.test_scores[self.best].mean()
            value = self.values[self.best]
            text = f"{value:g}" if ValueAxis([value]).numbers else str(value)
            handles.append(mark(f"best: {self.name} = {text}, {best:.4g}", "*", "white", INK, 13, 1.2))
        if self.baseline is not None:
            handles.append(line(f"without the features: {self.baseline:.4g}", FAINT, "--", 1.4))
        return handles + self._grounds
