"""The parts of a learner's error: bias, variance and noise."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, repr=False)
class BiasVariance:
    """How the error of a learner divides, as means over the test rows.

    Attributes
    ----------
    loss : {"squared", "zero_one"}
        What is divided. Squared loss of a classifier is that of its probabilities, summed over the classes.
    error : float
        Mean loss over test rows and trainings: the sum of its parts. Where the truth is known, that of new targets of
        the test rows.
    bias : float
        Squared bias; for zero-one loss, the error of the main prediction. With noise in it where `noise` is None. The
        estimate of a squared bias is right on the average, and hence below 0 at times where there is hardly any.
    variance : float
        Spread of the predictions about their mean, or about the main prediction.
    noise : float or None
        Mean squared noise of the targets; None where it cannot be told from bias.
    harm, help : float or None
        Zero-one loss: the variance that adds to the error, and the variance that reduces it.
    standard_errors : dict of str to float
        Of error, bias and variance: how they would vary with other test rows and, by the jackknife, with other
        trainings. All test rows have the trainings in common, so that the former alone would be too small.
    n_resamples, n_test : int
        Trainings, and test rows.
    bias_of_rows, variance_of_rows : ndarray of shape (n_test,)
        The same row by row, with the noise in the bias unless the truth is known.
    resampled : bool
        Whether training sets were drawn from one set of rows, and not afresh. They are then more alike than fresh ones:
        the variance is underestimated, and what is missing in it is in the bias.

    """

    loss: str
    error: float
    bias: float
    variance: float
    noise: float | None
    harm: float | None
    help: float | None
    standard_errors: dict[str, float] = field(hash=False)
    n_resamples: int
    n_test: int
    bias_of_rows: np.ndarray = field(compare=False)
    variance_of_rows: np.ndarray = field(compare=False)
    resampled: bool

    def __str__(self) -> str:
        squared = self.loss == "squared"
        names = {"error": "error", "bias": ("bias^2" if squared else "bias"), "variance": "variance"}
        if squared and self.noise is None:
            names["bias"] = "bias^2 + noise"
        lines = [f"{self.loss} loss, {self.n_resamples} trainings, {self.n_test} test rows"]
        for key, name in names.items():
            lines.append(f"  {name:<16}{getattr(self, key):>10.4g} +- {self.standard_errors[key]:.2g}")
        if squared and self.bias < 0:
            lines[2] += ", below 0 by chance: too small to be told from none"
        if self.noise is not None:
            lines.append(f"  {'noise':<16}{self.noise:>10.4g}")
        if self.harm is not None and self.help is not None:
            lines.append(f"  {'of the variance':<16}{self.harm:>10.4g} does harm, {self.help:.4g} helps")
        if self.resampled:
            lines.append("  resampled from one set: part of the variance of fresh training sets is in the bias here")
        return "\n".join(lines)

    __repr__ = __str__
