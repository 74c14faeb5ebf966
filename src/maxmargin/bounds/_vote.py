"""A majority of independent voters (Condorcet 1785)."""

from __future__ import annotations

from numbers import Real

from scipy.special import betainc

from ._checks import whole


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
