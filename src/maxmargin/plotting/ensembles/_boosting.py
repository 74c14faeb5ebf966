"""The bound of boosting beside what it bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...certificates import rounded_up
from ...ensemble import BoostingGuarantee
from .._curve_axes import HELD_OUT, TRAINING, dress, whole_numbers, write_title
from .._display import Display
from .._features import numbers_of
from .._look import FAINT, INK, line
from .._matplotlib import Axes
from ._boosting_rounds import check_boosted

_LOG_FROM = 10.0  # curves that span such a factor are drawn on a log scale
_TOP = 2.0  # a bound beyond says no more than one


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingDisplay(Display):
    """Training error, its bound and the error on other rows, round by round.

    The bound ``prod 2 sqrt(eps (1 - eps))`` is a theorem: the training error is nowhere above it. About other rows it
    says nothing. On a log scale, what is below the smallest error that is drawn goes linearly to zero, so that a
    training error of zero can be seen.

    For more than two classes the bound may exceed 1. A dashed line then shows what is proven all the same: the part of
    the rows whose class has at most its share 1/K of the votes is below it.

    Displays are made by `from_estimator`.

    Parameters
    ----------
    training_errors, bounds, chance_bounds : ndarray of shape (n_rounds,)
        Of the certificate.
    n_classes : int
        Number of classes.
    test_errors : ndarray of shape (n_rounds,) or None, default=None
        Error on other rows after each round.

    Attributes
    ----------
    bound_, training_ : matplotlib Line2D
        The bound and the training error.
    test_, chance_bound_ : matplotlib Line2D or None
        The error on other rows; the bound of rows with few votes.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.ensemble import AdaBoostClassifier
    >>> from maxmargin.plotting import BoostingDisplay
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> model = AdaBoostClassifier(n_estimators=100).fit(X[:200], y[:200])
    >>> display = BoostingDisplay.from_estimator(model, X_test=X[200:], y_test=y[200:])
    >>> bool((display.training_errors <= display.bounds).all())
    True
    >>> display.figure_.savefig("boosting.png")  # doctest: +SKIP

    """

    _arguments = {
        "log": "log : bool, optional\n"
        "    Whether the errors are on a log scale; by default if they span a factor of ten."
    }

    training_errors: np.ndarray
    bounds: np.ndarray
    chance_bounds: np.ndarray
    n_classes: int = 2
    test_errors: np.ndarray | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        X_test: Any = None,
        y_test: Any = None,
        log: bool | None = None,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> BoostingDisplay:
        """Draw the errors of a fitted boosted vote.

        Parameters
        ----------
        estimator : AdaBoostClassifier
            A fitted `maxmargin.ensemble.AdaBoostClassifier`: errors and bounds are those of its certificate.
        X_test, y_test : array-like, optional
            Rows that were not trained on, to draw the error on them as well.

        """
        check_boosted(estimator, cls.__name__)
        proof = getattr(estimator, "certificate_", None)
        if not isinstance(proof, BoostingGuarantee):
            raise TypeError(
                "BoostingDisplay draws the bound of a certificate, as maxmargin.ensemble.AdaBoostClassifier has one; "
                f"got {type(estimator).__module__.split('.')[0]}'s {type(estimator).__name__}."
            )
        if (X_test is None) != (y_test is None):
            raise ValueError("X_test and y_test are both needed to draw the error on other rows; got one of them.")
        return cls(
            training_errors=proof.training_errors,
            bounds=proof.bounds,
            chance_bounds=proof.chance_bounds,
            n_classes=len(estimator.classes_),
            test_errors=None if X_test is None else _test_errors(estimator, X_test, y_test),
        ).plot(log=log, legend=legend, ax=ax)

    def plot(self, *, log: bool | None = None, legend: bool = True, ax: Axes | None = None) -> Self:
        """Draw the curves once more."""
        self._log = log
        return super().plot(legend=legend, ax=ax)

    def _draw(self) -> None:
        self.bound_ = self._draw_curve(self.bounds, INK, width=1.8, linestyle="--")
        self.chance_bound_ = self._draw_curve(self.chance_bounds, FAINT, linestyle=":") if self.n_classes > 2 else None
        self.test_ = None if self.test_errors is None else self._draw_curve(self.test_errors, HELD_OUT, linestyle="-.")
        self.training_ = self._draw_curve(self.training_errors, TRAINING, width=2.0)
        rounds = len(self.bounds)
        self.ax_.set(xlabel="rounds", ylabel="error", xlim=(1, max(2, rounds)))
        whole_numbers(self.ax_)
        dress(self.ax_)
        self._scale(self._log)
        write_title(self.ax_, self._words())

    def _draw_curve(self, errors: np.ndarray, shade: str, width: float = 1.6, **style: Any) -> Any:
        shown = np.minimum(errors, 10 * _TOP)  # of a bound beyond the picture, it is enough that it leaves
        (curve,) = self.ax_.plot(
            np.arange(1, len(errors) + 1), shown, color=shade, linewidth=width, zorder=3, marker=self._sign, **style
        )
        return curve

    @property
    def _sign(self) -> str:
        return "o" if len(self.bounds) < 3 else ""  # one or two rounds make no line

    def _scale(self, log: bool | None) -> None:
        """A log scale down to the smallest error, linear below it."""
        errors = self.training_errors if self.test_errors is None else [*self.training_errors, *self.test_errors]
        positive = np.asarray(errors)[np.asarray(errors) > 0]
        least = float(positive.min()) if len(positive) else float(min(1.0, self.bounds.min()) or 1e-3)
        top = float(np.clip(max(self.bounds.max(), np.max(errors)), 0.0, _TOP))
        if log if log is not None else top >= _LOG_FROM * least or self.bounds.min() * _LOG_FROM <= least:
            top = max(1.0, top)
            self.ax_.set_yscale("symlog", linthresh=least, linscale=0.4)
            decades = 10.0 ** np.arange(np.ceil(np.log10(least)), 1)
            self.ax_.set_yticks([0.0, *decades], labels=["0", *(f"{tick:g}" for tick in decades)])
            minor = np.outer(decades, np.arange(2, 10)).ravel()
            if least < decades[0]:
                minor = np.concatenate([decades[0] / 10 * np.arange(2, 10), minor])
            self.ax_.set_yticks(minor[(minor >= least) & (minor <= 1.0)], minor=True)
        self.ax_.set_ylim(0.0, 1.08 * top)

    def _words(self) -> str:
        rounds, error, bound = len(self.bounds), self.training_errors[-1], self.bounds[-1]
        words = f"after {rounds} round{'s' if rounds != 1 else ''}: training error {error:.3g}, "
        words += f"bound {rounded_up(bound, 3)}"
        more = [] if self.test_errors is None else [f"error on other rows {self.test_errors[-1]:.3g}"]
        wrong = np.flatnonzero(self.training_errors > 0)
        begin = int(wrong[-1]) + 2 if len(wrong) else 1
        if begin <= rounds:
            more.append(f"no training error from round {begin} on")
        return "\n".join([words, "; ".join(more)]).strip()

    def _handles(self) -> list[Any]:
        handles = [
            line(f"bound of the training error{': ∏ 2√(ε(1−ε))' if self.n_classes == 2 else ''}", INK, "--", 1.8),
            line("training error", TRAINING, width=2.0),
        ]
        if self.test_ is not None:
            handles.append(line("error on other rows", HELD_OUT, "-."))
        if self.chance_bound_ is not None:
            handles.append(line(f"bound of rows with at most 1/{self.n_classes} of the votes", FAINT, ":"))
        return handles


def _test_errors(model: Any, X: Any, y: Any) -> np.ndarray:
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    numbers_of(model, y, n, "y_test")
    y = np.ravel(np.asarray(y))
    return np.array([np.mean(said != y) for said in model.staged_predict(X)])
