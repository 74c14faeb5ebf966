"""Bias and variance against a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ...diagnostics import BiasVariance, bias_variance
from .._curve_axes import HELD_OUT, TRAINING, ValueAxis, band, dress, write_title
from .._display import Display
from .._look import FAINT, INK, STAR, line, mark
from .._matplotlib import Axes


@dataclass(kw_only=True, eq=False, repr=False)
class BiasVarianceDisplay(Display):
    """Error, bias and variance of a learner against the values of one of its parameters.

    The curves add up: squared error is bias² + variance + noise; zero-one error is bias + variance, where the variance
    is what it adds to the error (what does harm less what helps). Noise that cannot be told from bias is in the curve
    of the bias, which then says so. Where training sets were resampled from one set, the title says that part of the
    variance is in the bias. Bands are one standard error over the test rows; a star marks the smallest error.

    Displays are made by `from_results` or `from_estimator`.

    Parameters
    ----------
    results : list of BiasVariance
        One for each value, of the same loss.
    values : list
        Values of the parameter.
    name : str
        The parameter.

    Attributes
    ----------
    error_, bias_, variance_ : matplotlib Line2D
        The curves.
    noise_ : matplotlib Line2D or None
        The noise, where it is known.
    best_ : matplotlib Line2D
        The value with the smallest error.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from maxmargin.plotting import BiasVarianceDisplay
    >>> from maxmargin.tree import DecisionTreeRegressor
    >>> X, y = make_friedman1(300, random_state=0)
    >>> display = BiasVarianceDisplay.from_estimator(
    ...     DecisionTreeRegressor(),
    ...     X,
    ...     y,
    ...     param_name="max_depth",
    ...     param_range=[1, 3, 9],
    ...     n_resamples=10,
    ...     random_state=0,
    ... )
    >>> first, _, last = display.results
    >>> first.bias > last.bias and first.variance < last.variance
    True
    >>> display.figure_.savefig("bias_variance.png")  # doctest: +SKIP

    """

    results: list[BiasVariance]
    values: list
    name: str

    @classmethod
    def from_results(
        cls,
        results: Sequence[BiasVariance],
        values: Sequence[Any],
        *,
        name: str = "value",
        legend: bool = True,
        ax: Axes | None = None,
    ) -> BiasVarianceDisplay:
        """Draw results of `maxmargin.diagnostics.bias_variance`.

        Parameters
        ----------
        results : sequence of BiasVariance
            One for each value, of the same loss.
        values : sequence
            The values: numbers, or anything that can be written.
        name : str, default="value"
            What they are values of.

        """
        results, values = list(results), list(values)
        for result in results:
            if not isinstance(result, BiasVariance):
                raise TypeError(
                    "results must be those of maxmargin.diagnostics.bias_variance, one for each value; got "
                    f"{type(result).__name__}."
                )
        if not results or len(results) != len(values):
            raise ValueError(f"results must be one for each value; got {len(results)} for {len(values)} values.")
        if len({result.loss for result in results}) > 1:
            raise ValueError("results must be of the same loss; got both squared and zero-one loss.")
        return cls(results=results, values=values, name=name).plot(legend=legend, ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        param_name: str,
        param_range: Sequence[Any],
        random_state: Any = None,
        legend: bool = True,
        ax: Axes | None = None,
        **options: Any,
    ) -> BiasVarianceDisplay:
        """Divide the error for each value of a parameter, and draw it.

        Parameters
        ----------
        estimator : classifier or regressor
            What is trained.
        X, y : array-like, optional
            Rows that training sets are drawn from, unless ``sample`` draws them afresh.
        param_name : str
            The parameter, with the names of steps in front for pipelines.
        param_range : sequence
            Its values. All have the same test rows and the same training sets.
        random_state : int, RandomState or None, default=None
            Of all draws.
        **options
            Of `maxmargin.diagnostics.bias_variance`: ``n_resamples``, ``sample``, ``X_test``, ``truth`` and so on.

        """
        values = list(param_range)
        if not values:
            raise ValueError("param_range is empty: give at least one value.")
        if param_name not in estimator.get_params():
            known = ", ".join(sorted(estimator.get_params(deep=False)))
            raise ValueError(
                f"param_name={param_name!r} is not a parameter of {type(estimator).__name__}. It has: {known}."
            )
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        results = [
            bias_variance(clone(estimator).set_params(**{param_name: v}), X, y, random_state=seed, **options)
            for v in values
        ]
        return cls.from_results(results, values, name=param_name, legend=legend, ax=ax)

    def _draw(self) -> None:
        self._axis = ValueAxis(self.values)
        self.error_ = self._draw_curve("error", INK, "o", 2.2)
        self.bias_ = self._draw_curve("bias", TRAINING, "s")
        self.variance_ = self._draw_curve("variance", HELD_OUT, "^")
        self.noise_: Any = None
        if self._noise is not None:
            x = self._axis.at[self._axis.order]
            (self.noise_,) = self.ax_.plot(x, self._noise[self._axis.order], color=FAINT, linestyle="--", linewidth=1.6)
        best = self._best
        here = self._axis.at[best], self.results[best].error
        (self.best_,) = self.ax_.plot(*here, color=INK, linestyle="", zorder=6, **STAR)
        self._axis.apply(self.ax_, self.name)
        low = min(0.0, *(self._of("variance")))
        self.ax_.set_ylim(bottom=low if low < 0 else 0.0)
        self.ax_.set_ylabel("squared error" if self._squared else "part of the test rows")
        dress(self.ax_)
        first = self.results[0]
        write_title(
            self.ax_,
            f"{'bias² + variance + noise' if self._noise is not None else 'bias and variance'} "
            f"of {first.n_resamples} trainings on {first.n_test} test rows"
            + (
                "\nresampled from one set: part of the variance of fresh sets is in the bias" if first.resampled else ""
            ),
        )

    @property
    def _squared(self) -> bool:
        return self.results[0].loss == "squared"

    @property
    def _best(self) -> int:
        return int(np.argmin(self._of("error")))

    @property
    def _noise(self) -> np.ndarray | None:
        noise = [result.noise for result in self.results]
        return None if any(value is None for value in noise) else np.array(noise, dtype=np.float64)

    def _of(self, part: str) -> np.ndarray:
        """Of the variance of zero-one loss, what it adds to the error."""
        if part == "variance" and not self._squared:
            return np.array([(result.harm or 0.0) - (result.help or 0.0) for result in self.results])
        return np.array([getattr(result, part) for result in self.results])

    def _draw_curve(self, part: str, shade: str, sign: str, width: float = 1.8) -> Any:
        x, order = self._axis.at, self._axis.order
        y = self._of(part)
        if self._squared or part != "variance":
            errors = np.array([result.standard_errors[part] for result in self.results])
            band(self.ax_, x[order], y[order], errors[order], shade)
        (curve,) = self.ax_.plot(
            x[order], y[order], color=shade, linewidth=width, marker=sign, markersize=5.5, zorder=3
        )
        return curve

    def _handles(self) -> list[Any]:
        bias = "bias" if not self._squared else "bias²" if self._noise is not None else "bias² + noise"
        variance = "variance" if self._squared else "variance: what does harm less what helps"
        handles = [
            line("error", INK, marker="o", markersize=5.5, width=2.2),
            line(bias, TRAINING, marker="s", markersize=5.5, width=1.8),
            line(variance, HELD_OUT, marker="^", markersize=5.5, width=1.8),
        ]
        if self._noise is not None:
            handles.append(line(f"noise: {self._noise.mean():.4g}", FAINT, "--", 1.6))
        best = self.values[self._best]
        text = f"{best:g}" if ValueAxis([best]).numbers else str(best)
        return handles + [mark(f"smallest error: {self.name} = {text}", "*", "white", INK, 13, 1.2)]
