"""The out-of-bag error against the number of learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from .._curve_axes import HELD_OUT, TRAINING, dress, whole_numbers, write_title
from .._display import Display
from .._look import INK, line, number
from .._matplotlib import Axes

_BAND = "#FBE3D2"


@dataclass(kw_only=True, eq=False, repr=False)
class OutOfBagDisplay(Display):
    """The out-of-bag error of a forest or of bagging, as learner after learner is added.

    Each row is judged by those learners alone that have not been trained on it. The band is one standard error on
    either side of the last value. Once the curve stays within it, further learners change less than the estimate could
    tell; the vertical line is where that begins.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    curve : ndarray of shape (n_learners,)
        Error of the first 1, 2, ... learners; NaN while there is no row to judge.
    standard_error : float
        Of the last value.
    loss : str
        What the error is.
    test_error : float or None, default=None
        Error of all learners on other rows.

    Attributes
    ----------
    curve_ : matplotlib Line2D
        The curve.
    test_error_ : matplotlib Line2D or None
        The error on other rows.
    band_ : matplotlib Rectangle
        One standard error on either side of the last value.
    settled_ : int
        The number of learners from which on the curve is within the band.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from maxmargin.ensemble import BaggingClassifier
    >>> from maxmargin.plotting import OutOfBagDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BaggingClassifier(n_estimators=40, random_state=0).fit(X, y)
    >>> display = OutOfBagDisplay.from_estimator(model)
    >>> display.settled_ <= 40
    True
    >>> display.figure_.savefig("out_of_bag.png")  # doctest: +SKIP

    """

    curve: np.ndarray
    standard_error: float
    loss: str
    test_error: float | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        X_test: Any = None,
        y_test: Any = None,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> OutOfBagDisplay:
        """Draw the curve of a fitted ensemble.

        Parameters
        ----------
        estimator : RandomForestClassifier, RandomForestRegressor, BaggingClassifier or BaggingRegressor
            Fitted, with bags (``bootstrap=True``, or fewer draws than rows).
        X_test, y_test : array-like, optional
            Rows that were not trained on, to draw the error of all learners on them as well.

        """
        name = type(estimator).__name__
        if not hasattr(estimator, "bootstrap") or not hasattr(estimator, "n_estimators"):
            raise TypeError(f"OutOfBagDisplay draws forests and bagging of maxmargin.ensemble; got {name}.")
        check_is_fitted(estimator)
        if not hasattr(estimator, "oob_error_curve_"):
            raise TypeError(f"this {name} has no oob_error_curve_, as those of maxmargin.ensemble have.")
        curve = np.asarray(estimator.oob_error_curve_, dtype=np.float64)
        if not np.isfinite(curve[-1:]).any():
            raise ValueError(f"no row was left out of any bag of this {name}: it has no out-of-bag error to draw.")
        if (X_test is None) != (y_test is None):
            raise ValueError("X_test and y_test are both needed to draw the error on other rows; got one of them.")
        figures = estimator.certificate_.figures
        return cls(
            curve=curve,
            standard_error=figures.get("standard error", float("nan")),
            loss="error" if is_classifier(estimator) else "squared error",
            test_error=None if X_test is None else _test_error(estimator, X_test, y_test),
        ).plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        ax, count, last = self.ax_, len(self.curve), float(self.curve[-1])
        spread = self.standard_error if np.isfinite(self.standard_error) else 0.0
        learners = np.arange(1, count + 1)
        outside = np.flatnonzero(~(np.abs(self.curve - last) <= spread * (1 + 1e-12)))
        self.settled_ = int(outside[-1]) + 2 if len(outside) else 1
        self.band_ = ax.axhspan(last - spread, last + spread, color=_BAND, linewidth=0, zorder=0)
        self.test_error_: Any = None
        if self.test_error is not None:
            self.test_error_ = ax.axhline(self.test_error, color=TRAINING, linestyle="--", linewidth=1.6, zorder=2)
        (self.curve_,) = ax.plot(learners, self.curve, color=HELD_OUT, linewidth=2.0, zorder=3)
        if self.settled_ > 1:
            ax.axvline(self.settled_, color=INK, linewidth=1.0, linestyle=":", zorder=1)
        ax.set(xlabel="learners", ylabel=self.loss, xlim=(1, max(2, count)))
        whole_numbers(ax)
        dress(ax)
        write_title(
            ax, f"{self.loss} out of bag after {count} learners: {number(last)} ± {number(self.standard_error, 2)}"
        )

    def _handles(self) -> list[Any]:
        from matplotlib.patches import Patch

        handles = [
            line(f"{self.loss} out of bag", HELD_OUT, width=2.0),
            Patch(facecolor=_BAND, label="its last value, one standard error on either side"),
        ]
        if self.settled_ > 1:
            handles.insert(1, line(f"within the band from {self.settled_} learners on", INK, ":", 1.0))
        if self.test_error is not None:
            handles.append(line(f"{self.loss} on other rows: {self.test_error:.4g}", TRAINING, "--", 1.6))
        return handles


def _test_error(model: Any, X: Any, y: Any) -> float:
    """Error of the whole ensemble on other rows."""
    said, y = np.ravel(model.predict(X)), np.ravel(np.asarray(y))
    if len(said) != len(y):
        raise ValueError(f"y_test must have a value for each of the {len(said)} rows of X_test; got {len(y)}.")
    return float(np.mean(said != y) if is_classifier(model) else np.mean((said - y) ** 2))
