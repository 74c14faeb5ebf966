"""What is proven of a boosted vote on its training rows, recomputed from learners, votes and rows alone.

Let D be the weights of the rows (adding up to 1), A the sum of all votes alpha_t, V(i) the votes for the class of row
i, and m_t(i) = 1 if learner t gets row i wrong, so that V(i) = A - sum of alpha_t m_t(i). Row by row, if V(i) <= theta
A then 1 <= exp(sum of alpha_t m_t(i) - (1 - theta) A), and summed over the rows

    D{ V <= theta A }  <=  exp(-(1 - theta) A) * sum of D_i exp(sum of alpha_t m_t(i))  =  prod of Z_t,
    Z_t = exp(-(1 - theta) alpha_t) * (1 - eps_t + eps_t exp(alpha_t)),

where eps_t is the error of learner t with weights proportional to D_i exp(sum over s < t of alpha_s m_s(i)): those of
AdaBoost. It holds for any votes, hence for any learning rate. (The fit holds weights above a tiny floor. Errors are
recomputed with it, to compare them with those of the fit; Z_t without it, as the proof wants.)

- theta = 1/2: a row whose class does not win has at most half of the votes. prod Z_t bounds the training error, for any
  number of classes. For two classes and a learning rate of 1, Z_t = 2 sqrt(eps_t (1 - eps_t)).
- theta = 1/K: SAMME's votes minimise this Z_t, the exponential loss of K classes, and it is below 1 whenever
  eps_t < 1 - 1/K. Rows whose class has at most the share 1/K of the votes are as rare as that. A row may have more and
  still be wrong: for K > 2 this is no bound on the training error, and the one with theta = 1/2 falls only in rounds
  with eps_t < 1/K.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ..bounds import boosting_rounds
from ..certificates import Guarantee, Status, rounded_down, rounded_up
from ..engine import jit, jit_sums
from ._ada_boost_rounds import FLOOR

_NAME = "boosting bound"
_ROUNDING = 1e-9
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, repr=False)
class BoostingGuarantee(Guarantee):
    """The guarantee of a boosted vote, with its figures round by round.

    Attributes
    ----------
    errors : ndarray of shape (rounds,)
        Weighted error of each learner with the weights of its round.
    edges : ndarray of shape (rounds,)
        How much better than guessing that is: 1 - 1/K less the error, 1/2 less the error for two classes.
    training_errors : ndarray of shape (rounds,)
        Weighted part of the training rows that the vote of all learners so far gets wrong.
    bounds : ndarray of shape (rounds,)
        What the theorem allows it to be.
    chance_bounds : ndarray of shape (rounds,)
        What it allows the part of rows to be whose class has no more than its share 1/K of the votes. Equal to `bounds`
        for two classes.
    margins : ndarray of shape (n_samples,)
        For each training row, the share of the votes for its class less the largest share of another one.

    """

    errors: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)
    edges: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)
    training_errors: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)
    bounds: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)
    chance_bounds: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)
    margins: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)


@jit_sums
def _errors(said, label, weights, free):  # type: ignore[no-untyped-def]
    """Weighted error with the weights of the fit, and with weights that have no lower limit."""
    total = missed = total_free = missed_free = 0.0
    for i in range(label.shape[0]):
        wrong = said[i] != label[i]
        total += weights[i]
        missed += weights[i] if wrong else 0.0
        total_free += free[i]
        missed_free += free[i] if wrong else 0.0
    return missed / total, missed_free / total_free


@jit
def _weigh(said, label, weights, right_factor, wrong_factor, floor):  # type: ignore[no-untyped-def]
    for i in range(label.shape[0]):
        w = weights[i] * (right_factor if said[i] == label[i] else wrong_factor)
        weights[i] = floor if 0.0 < weights[i] and w < floor else w


@jit_sums
def _vote_of_two(said, label, start, alpha, ahead):  # type: ignore[no-untyped-def]
    """One more vote of two classes, where the votes for less those against the right class say it all."""
    missed = 0.0
    for i in range(label.shape[0]):
        lead = ahead[i] + (alpha if said[i] == label[i] else -alpha)
        ahead[i] = lead
        # as many for as against: the first class is said
        missed += start[i] if (lead < 0.0) | ((lead == 0.0) & (label[i] == 1)) else 0.0
    return missed


@jit
def _vote_of_many(said, label, start, alpha, polls):  # type: ignore[no-untyped-def]
    """One more vote; the part of the rows (by the weights of the start) that is now wrong."""
    missed = 0.0
    for i in range(label.shape[0]):
        polls[i, said[i]] += alpha
        top = 0
        for k in range(1, polls.shape[1]):
            if polls[i, k] > polls[i, top]:
                top = k
        if top != label[i]:
            missed += start[i]
    return missed


@jit
def _leads(polls, label):  # type: ignore[no-untyped-def]
    """Votes for the right class less those for the strongest other one."""
    leads = np.empty(label.shape[0])
    for i in range(label.shape[0]):
        other = 0.0
        for k in range(polls.shape[1]):
            if k != label[i]:
                other = max(other, polls[i, k])
        leads[i] = polls[i, label[i]] - other
    return leads


def prove(
    said: Iterable[np.ndarray],
    label: np.ndarray,
    start: np.ndarray,
    votes: np.ndarray,
    claimed: np.ndarray,
    classes: int,
    rate: float,
    status: Status,
    ending: str,
) -> BoostingGuarantee:
    """The guarantee from what each learner says of the training rows, as numbers of classes.

    `start` are the weights that the fit began with, `votes` the alpha_t, `claimed` the errors that the fit reported.
    """
    start = start / start.sum()
    label = label.astype(np.uint16)
    free, vote = start.copy(), _vote_of_two if classes == 2 else _vote_of_many
    weights = np.where(start > 0, np.maximum(start, FLOOR), 0.0)
    polls = np.zeros(len(label)) if classes == 2 else np.zeros((len(label), classes))
    rounds = len(votes)
    errors, training, logs, chance = (np.empty(rounds) for _ in range(4))
    log_bound = log_chance = 0.0
    for t, labels in enumerate(said):
        labels = labels.astype(np.uint16, copy=False)
        alpha = float(votes[t])
        right = math.exp(-alpha)
        errors[t], eps = _errors(labels, label, weights, free)
        # what the weights grow by, over e^alpha, which may be too large a number
        grown, grown_free = ((1.0 - e) * right + e for e in (errors[t], eps))
        _weigh(labels, label, weights, right / max(grown, _TINY), 1.0 / max(grown, _TINY), FLOOR)
        _weigh(labels, label, free, right / max(grown_free, _TINY), 1.0 / max(grown_free, _TINY), 0.0)
        training[t] = vote(labels, label, start, alpha, polls)
        log_bound += math.log(max(grown_free, _TINY)) + alpha / 2
        log_chance += math.log(max(grown_free, _TINY)) + alpha / classes
        logs[t], chance[t] = log_bound, log_chance
    if rounds == 1 and errors[0] == 0:  # of one learner the size of the vote does not matter: let it go to infinity
        logs[0] = chance[0] = -math.inf
    with np.errstate(over="ignore"):
        bounds, chances = np.exp(logs), np.exp(chance)
    margins = (polls if classes == 2 else _leads(polls, label)) / float(np.sum(votes))
    # Two sums of n weights that make 1 may differ by n roundings; how far they really do depends on the processor.
    off = max(float(np.abs(errors - claimed).max(initial=0.0)), len(label) * float(np.finfo(np.float64).eps))
    holds = bool((training <= bounds * (1 + _ROUNDING)).all()) and off <= 1e-8
    edges = 1 - 1 / classes - errors
    figures = _figures(training, bounds, chances, edges, margins[start > 0], start, off, classes, rate)
    words = _words(figures, rounds, classes, holds, ending)
    return BoostingGuarantee(
        _NAME,
        figures,
        words,
        holds,
        status,
        rounds,
        errors=errors,
        edges=edges,
        training_errors=training,
        bounds=bounds,
        chance_bounds=chances,
        margins=margins,
    )


def _figures(
    training: np.ndarray,
    bounds: np.ndarray,
    chances: np.ndarray,
    edges: np.ndarray,
    margins: np.ndarray,
    start: np.ndarray,
    off: float,
    classes: int,
    rate: float,
) -> dict[str, float]:
    figures = {"training error": float(training[-1]), "bound": float(bounds[-1])}
    if classes > 2:
        figures["bound of rows below 1/K"] = float(chances[-1])
    figures["smallest edge"] = float(edges.min())
    figures["smallest margin"] = float(margins.min())
    figures["median margin"] = float(np.median(margins))
    if classes == 2 and rate == 1 and edges.min() > 0:
        # As many as weigh like the lightest, whose weight may be too small for 1 over it to be a float.
        rows = math.ceil(Fraction(1 - 1e-12) / Fraction(float(start[start > 0].min())))
        figures["rounds that suffice"] = float(boosting_rounds(rows, min(0.5, float(edges.min()))))
    figures["errors off by at most"] = off
    return figures


def _words(figures: dict[str, float], rounds: int, classes: int, holds: bool, ending: str) -> str:
    error, bound = figures["training error"], figures["bound"]
    made = f"after {rounds} round{'s' if rounds != 1 else ''} ({ending})"
    if not holds:
        return (
            f"Refuted: the training error is {error:.6g} {made}, the bound {bound:.6g}, and the errors of the "
            f"learners are off by {figures['errors off by at most']:.3g}; these are not the rows, labels and "
            f"weights of the fit."
        )
    words = f"The training error is {error:.6g} {made}; the edges of the learners allow at most {rounded_up(bound, 6)}"
    if bound >= 1 and classes > 2:
        words += (
            f", which says nothing: with {classes} classes it falls only in rounds with an error below "
            f"{1 / classes:.3g}. At most {rounded_up(figures['bound of rows below 1/K'], 6)} of the rows have no "
            f"more than 1/{classes} of the votes"
        )
    elif bound >= 1:
        words += ", which says nothing: a learning rate of 2 or more undoes what the learners gain"
    elif "rounds that suffice" in figures and error > 0:
        words += (
            f". With edges of {rounded_down(figures['smallest edge'], 3)} or more, "
            f"{figures['rounds that suffice']:.0f} rounds suffice for no training error"
        )
    return words + "."
