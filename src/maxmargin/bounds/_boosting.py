"""What boosting promises on its training rows (Freund and Schapire 1997, theorem 6)."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from ._checks import positive, whole


def boosting_error_bound(errors: Any, learning_rate: float = 1.0) -> np.ndarray:
    """Largest training error of AdaBoost on two classes after each round, from the errors of its weak learners.

    With ``e`` the weighted error of the learner of a round and ``alpha = learning_rate / 2 * log((1 - e) / e)`` its
    vote, the part of the training weight that the weighted vote gets wrong is at most the product over the rounds of ::

        Z = (1 - e) * exp(-alpha) + e * exp(alpha)

    which for a learning rate of 1 is the familiar ``2 * sqrt(e * (1 - e))``, the smallest that any vote can make it.

    Parameters
    ----------
    errors : array-like of shape (rounds,)
        Weighted error of the learner of each round, on all training rows with the weights of that round, between 0 and
        1. Those of learners that were trained on resamples count as well, if they are measured so.
    learning_rate : float, default=1.0
        Of the fit. From 2 on, rounds promise nothing: the factors are 1 and more.

    Returns
    -------
    ndarray of shape (rounds,)
        The bound after each round. It may exceed 1 for large learning rates, and then says nothing.

    See Also
    --------
    boosting_rounds : Rounds after which the training error is zero.

    Examples
    --------
    >>> from maxmargin.bounds import boosting_error_bound
    >>> boosting_error_bound([0.2, 0.3, 0.4])
    array([0.8       , 0.733212..., 0.718398...])
    """
    errors = np.asarray(errors, dtype=np.float64)
    if errors.ndim != 1:
        raise ValueError(f"errors must be a list of numbers, one for each round; got shape {errors.shape}.")
    bad = ~((errors >= 0) & (errors <= 1))
    if bad.any():
        worst = int(np.argmax(bad))
        raise ValueError(f"errors must lie between 0 and 1; that of round {worst + 1} is {float(errors[worst])!r}.")
    half = positive("learning_rate", learning_rate) / 2
    low, high = np.minimum(errors, 1 - errors), np.maximum(errors, 1 - errors)
    with np.errstate(divide="ignore", over="ignore"):
        factors = high ** (1 - half) * low**half + low ** (1 - half) * high**half
    # a learner without errors is right alone, whatever vote the others have
    return np.cumprod(np.where(low == 0, 0.0, factors))


def boosting_rounds(n: int, edge: float) -> int:
    """Rounds of AdaBoost that suffice for no training error: the first integer above ``log(n) / (2 * edge**2)``.

    With weak learners of error at most ``1/2 - edge`` in every round, the bound of `boosting_error_bound` is at most
    ``exp(-2 * edge**2 * rounds)``. Below 1/n there is no room for a single error.

    Parameters
    ----------
    n : int
        Number of training rows, all of the same weight. (With weights: 1 over the smallest part of the total.)
    edge : float
        How much better than guessing every learner is: at least this much below an error of 1/2, at most 1/2.

    Returns
    -------
    int

    See Also
    --------
    boosting_error_bound : The bound itself.

    Examples
    --------
    >>> from maxmargin.bounds import boosting_rounds
    >>> boosting_rounds(n=1000, edge=0.1)
    346
    """
    n = whole("n", n)
    if not isinstance(edge, Real) or not 0 < edge <= 0.5:
        raise ValueError(
            f"edge must be a number above 0 and up to 1/2, that of a learner without errors; got {edge!r}."
        )
    return math.floor(math.log(n) / (2 * edge * edge)) + 1
