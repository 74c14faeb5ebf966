"""Out-of-bag: each row judged by those learners alone that were not trained on it.

A row is in a bag of m draws with probability 1 - (1 - p_i)^m, where p_i is its share of the weights, 1/n without any.
What the other learners say of it is said of a row that is new to them, so that the mean of the losses is an estimate of
the error on new rows: of an ensemble of about 37 % of the size, and with the standard error of a mean. It is no bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..certificates import Guarantee, Status


@dataclass(frozen=True)
class OutOfBag:
    """Losses of the rows that some learner was not trained on (NaN for the others), and the error as learners come."""

    losses: np.ndarray
    curve: np.ndarray
    sums: np.ndarray = field(default_factory=lambda: np.empty(0))  # of the votes, or means of the predictions

    @property
    def judged(self) -> int:
        """Rows that some learner was not trained on."""
        return int(np.isfinite(self.losses).sum())

    @property
    def error(self) -> float:
        """Mean loss, NaN where no row was left out."""
        return float(np.nanmean(self.losses)) if self.judged else float("nan")

    @property
    def standard_error(self) -> float:
        """Of that mean, were the losses independent."""
        return float(np.nanstd(self.losses, ddof=1) / np.sqrt(self.judged)) if self.judged > 1 else float("nan")


def votes_out_of_bag(parts: Iterable[tuple[np.ndarray, np.ndarray]], labels: np.ndarray, k: int) -> OutOfBag:
    """Zero-one losses of the class with the largest sum of votes.

    `parts` gives for each learner the rows that it has not seen and its votes for them, of shape (rows, k); `labels`
    are numbers of classes.
    """
    n = len(labels)
    sums, seen, wrong = np.zeros((n, k)), np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    curve = []
    for rows, votes in parts:
        sums[rows] += votes
        seen[rows] = True
        wrong[rows] = sums[rows].argmax(axis=1) != labels[rows]
        curve.append(wrong[seen].mean() if seen.any() else np.nan)
    return OutOfBag(np.where(seen, wrong.astype(np.float64), np.nan), np.array(curve), sums)


def means_out_of_bag(parts: Iterable[tuple[np.ndarray, np.ndarray]], targets: np.ndarray) -> OutOfBag:
    """Squared losses of the mean prediction, of several targets their mean; `parts` as above, with predictions."""
    targets = targets.reshape(len(targets), -1).astype(np.float64)
    sums, counts = np.zeros(targets.shape), np.zeros((len(targets), 1))
    losses = np.full(len(targets), np.nan)
    curve = []
    for rows, predictions in parts:
        sums[rows] += predictions.reshape(len(rows), targets.shape[1])
        counts[rows] += 1
        losses[rows] = ((sums[rows] / counts[rows] - targets[rows]) ** 2).mean(axis=1)
        curve.append(np.nanmean(losses) if counts.any() else np.nan)
    with np.errstate(invalid="ignore"):
        return OutOfBag(losses, np.array(curve), sums / counts)


def distinct_fraction(bag: np.ndarray, n: int) -> float:
    """Share of the n rows that are in a bag."""
    return float(np.count_nonzero(np.bincount(bag, minlength=n)) / n)


def out_of_bag_guarantee(found: OutOfBag, loss: str, learners: int, held: float, expected: float) -> Guarantee:
    """The estimate in the form of a certificate; it is one only if some row was left out."""
    n = len(found.losses)
    figures = {
        "learners": float(learners),
        "rows judged": float(found.judged),
        f"out-of-bag {loss}": found.error,
        "standard error": found.standard_error,
        "share of the rows in a bag": held,
        "share expected": expected,
    }
    bags = f"A bag holds {held:.1%} of the rows, where {expected:.1%} are expected."
    if found.judged == 0:
        words = f"No row was left out of any bag: nothing is claimed about the error on new rows. {bags}"
        return Guarantee("out-of-bag estimate", figures, words, False, Status.CONVERGED, learners)
    words = (
        f"Judged by the learners that have not seen them, {found.judged} of {n} rows give the {loss} "
        f"{found.error:.4g} +- {found.standard_error:.2g}: an estimate for new rows, not a bound. {bags}"
    )
    return Guarantee("out-of-bag estimate", figures, words, True, Status.CONVERGED, learners)
