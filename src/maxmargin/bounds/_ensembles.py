"""Bags, votes and boosts.

A majority of independent voters (Condorcet 1785); what boosting promises on its training rows (Freund and Schapire
1997, theorem 6).
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import betainc

from ._checks import positive, whole


def bootstrap_inclusion(n: int) -> float:
    """Probability that a row is in a bag of n rows drawn with replacement from n: ``1 - (1 - 1/n)**n``.

    It is also the part of all rows that a bag is expected to hold. It falls with n towards ``1 - 1/e``, 63.2 %, and is
    within 1 % of that from n = 30 on.

    Parameters
    ----------
    n : int
        Number of rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from maxmargin.bounds import bootstrap_inclusion
    >>> [round(bootstrap_inclusion(n), 4) for n in (1, 2, 10, 1000)]
    [1.0, 0.75, 0.6513, 0.6323]
    """
    n = whole("n", n)
    if n == 1:
        return 1.0
    # by logarithms: (1 - 1/n)**n loses the digits of 1/n for large n
    return -math.expm1(n * math.log1p(-1 / n))


def majority_vote_error(p: float, T: int) -> float:
    """Probability that a majority of T independent classifiers is wrong, each of which is wrong with probability p.

    It is the tail of a binomial distribution, exact: the probability of more than T/2 errors. Of an even number of
    voters, a tie is decided by tossing a coin, and counts half; so a vote of 2k is exactly as good as one of 2k - 1.

    For p < 1/2 it falls with T, at least as fast as ``exp(-2 * T * (1/2 - p)**2)``; at p = 1/2 it stays; above, it
    grows. Classifiers that were trained on the same data are not independent, and for them it is an ideal.

    Parameters
    ----------
    p : float
        Probability that one of them is wrong, between 0 and 1.
    T : int
        How many vote.

    Returns
    -------
    float

    Examples
    --------
    >>> from maxmargin.bounds import majority_vote_error
    >>> [round(majority_vote_error(0.3, T), 4) for T in (1, 3, 21)]
    [0.3, 0.216, 0.0264]
    """
    if not isinstance(p, Real) or not 0 <= p <= 1:
        raise ValueError(f"p must be a probability, between 0 and 1; got {p!r}.")
    T = whole("T", T)
    if p == 0.5:  # by symmetry
        return 0.5
    # A tie with a coin is as good as one voter fewer: of 2k voters the last matters only if the others are k to k - 1,
    # and then he is as likely to turn a lead into a tie as a coin is to give it back.
    k = (T + 1) // 2  # so many errors of 2k - 1 voters lose the vote
    return float(betainc(k, k, p))


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
