"""Out-of-bag: each row judged by those learners alone that were not trained on it.

Bags are drawn uniformly, so that each of m draws misses a row with probability 1 - 1/n, and about 37 % of n draws miss
it, whatever its class and its weight. What the other learners say of it is said of a row that is new to them, so that
the mean of the losses is an estimate of the error on new rows, of an ensemble of about 37 % of the size: a little too
high where learners are few. It is no bound.

Classes are judged one by one, because the errors of a rare one are lost in the mean over all rows. With N_c of all N
rows in class c, n_c of them judged and e_c the share of errors among these,

    error = sum over c of N_c/N e_c
    standard error^2 = sum over c of (N_c/N)^2 v_c/n_c + 1/N sum over c of N_c/N (e_c - error)^2,   v_c = q(1 - q),

the variance of a mean over N rows (p(1 - p)/N if all of them are judged), with q = (errors + 1) / (n_c + 2): no errors
among n_c rows do not mean that there are none among others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..certificates import ESTIMATE, NOTHING, Guarantee, Status

_NAME = "out-of-bag estimate"
# A class of which fewer rows are judged, or which a learner leaves out a smaller share of, is hardly judged.
_FEWEST, _SMALLEST = 20, 0.05
# Classes that have figures of their own.
_MOST_CLASSES = 20


@dataclass(frozen=True)
class OutOfBag:
    """Losses of the rows that some learner was not trained on (NaN for the others), and the error as learners come."""

    losses: np.ndarray
    curve: np.ndarray
    judges: np.ndarray  # of each row, the learners that were not trained on it
    sums: np.ndarray = field(default_factory=lambda: np.empty(0))  # of the votes, or means of the predictions

    @property
    def judged(self) -> int:
        """Rows that some learner was not trained on."""
        return int((self.judges > 0).sum())

    @property
    def standard_error(self) -> float:
        """Of the mean over all judged rows, were the losses independent."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.nanstd(self.losses, ddof=1) / np.sqrt(self.judged)) if self.judged > 1 else float("nan")


@dataclass(frozen=True)
class Judged:
    """What is known of the rows of a class, or of all rows of a regression."""

    name: str
    rows: int
    judged: int
    error: float
    variance: float  # of a loss
    left_out: float  # share of the learners that were not trained on a row, on the average

    @classmethod
    def of(cls, found: OutOfBag, mask: np.ndarray, learners: int, name: str, classes: bool) -> Judged:
        losses = found.losses[mask & (found.judges > 0)]
        n, error, variance = len(losses), float("nan"), float("nan")
        if n:
            with np.errstate(over="ignore", invalid="ignore"):  # squared errors may overflow
                error = float(losses.mean())
                q = (losses.sum() + 1.0) / (n + 2.0)
                variance = float(q * (1.0 - q)) if classes else float(losses.var(ddof=1)) if n > 1 else float("nan")
        left_out = float(found.judges[mask].mean() / learners) if mask.any() else 0.0
        return cls(name, int(mask.sum()), n, error, variance, left_out)

    @classmethod
    def of_sums(
        cls, rows: int, judged: int, judges: int, losses: float, squares: float, learners: int, name: str, classes: bool
    ) -> Judged:
        """The same from numbers of rows, and sums of judges, of losses and of their squares."""
        n, error, variance = judged, float("nan"), float("nan")
        if n:
            with np.errstate(over="ignore", invalid="ignore"):
                error = float(losses / n)
                q = (losses + 1.0) / (n + 2.0)
                spread = max(squares - losses * error, 0.0) / (n - 1) if n > 1 else float("nan")
                variance = float(q * (1.0 - q)) if classes else float(spread)
        return cls(name, rows, n, error, variance, judges / (rows * learners) if rows else 0.0)

    @property
    def hardly(self) -> bool:
        """Whether too little is known for an estimate."""
        return self.judged < _FEWEST or self.left_out < _SMALLEST

    @property
    def standard_error(self) -> float:
        return float(np.sqrt(self.variance / self.judged)) if self.judged else float("nan")


def votes_out_of_bag(parts: Iterable[tuple[np.ndarray, np.ndarray]], labels: np.ndarray, k: int) -> OutOfBag:
    """Zero-one losses of the class with the largest sum of votes.

    `parts` gives for each learner the rows that it has not seen and its votes for them, of shape (rows, k); `labels`
    are numbers of classes.
    """
    n = len(labels)
    sums, judges, wrong = np.zeros((n, k)), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
    curve = []
    for rows, votes in parts:
        sums[rows] += votes
        judges[rows] += 1
        wrong[rows] = sums[rows].argmax(axis=1) != labels[rows]
        curve.append(wrong[judges > 0].mean() if judges.any() else np.nan)
    return OutOfBag(np.where(judges > 0, wrong.astype(np.float64), np.nan), np.array(curve), judges, sums)


def means_out_of_bag(parts: Iterable[tuple[np.ndarray, np.ndarray]], targets: np.ndarray) -> OutOfBag:
    """Squared losses of the mean prediction, of several targets their mean; `parts` as above, with predictions."""
    targets = targets.reshape(len(targets), -1).astype(np.float64)
    sums, judges = np.zeros(targets.shape), np.zeros((len(targets), 1), dtype=np.int64)
    losses = np.full(len(targets), np.nan)
    curve = []
    for rows, predictions in parts:
        sums[rows] += predictions.reshape(len(rows), targets.shape[1])
        judges[rows] += 1
        with np.errstate(over="ignore", invalid="ignore"):
            losses[rows] = ((sums[rows] / judges[rows] - targets[rows]) ** 2).mean(axis=1)
            curve.append(np.nanmean(losses) if judges.any() else np.nan)
    with np.errstate(invalid="ignore"):
        return OutOfBag(losses, np.array(curve), judges[:, 0], sums / judges)


def distinct_fraction(bag: np.ndarray, n: int) -> float:
    """Share of the n rows that are in a bag."""
    return float(np.count_nonzero(np.bincount(bag, minlength=n)) / n)


def nothing_estimated(learners: int, words: str, figures: dict[str, float] | None = None) -> Guarantee:
    """The certificate of an ensemble that has no estimate, and why."""
    figures = {"learners": float(learners)} if figures is None else figures
    return Guarantee(_NAME, figures, words, False, Status.CONVERGED, learners, kind=NOTHING)


def out_of_bag_guarantee(
    found: OutOfBag,
    loss: str,
    learners: int,
    held: float,
    expected: float,
    labels: np.ndarray | None = None,
    names: Sequence[Any] | np.ndarray = (),
) -> Guarantee:
    """The estimate in the form of a certificate; there is none where a class is hardly judged.

    `labels` are the numbers of the classes of the rows, `names` what the classes are called; without them the losses
    are squared errors of one kind of rows.
    """
    if labels is None:
        parts = [Judged.of(found, np.ones(len(found.losses), dtype=bool), learners, "", False)]
    else:
        parts = [Judged.of(found, labels == k, learners, str(name), True) for k, name in enumerate(names)]
    return judged_guarantee(parts, loss, learners, held, expected, labels is not None)


def judged_guarantee(
    parts: list[Judged], loss: str, learners: int, held: float, expected: float, classes: bool
) -> Guarantee:
    """The same from what is known of the rows of each class, or of all rows."""
    parts = [part for part in parts if part.rows or not classes]
    judged, rows = sum(part.judged for part in parts), sum(part.rows for part in parts)
    error, spread = _of_all(parts)
    figures = {
        "learners": float(learners),
        "rows judged": float(judged),
        f"out-of-bag {loss}": error,
        "standard error": spread,
        "share of the rows in a bag": held,
        "share expected": expected,
        **(_figures_by_class(parts, loss) if classes else {}),
    }
    bags = f"A bag holds {held:.1%} of the rows, where {expected:.1%} are expected."
    if judged == 0:
        words = f"No row was left out of any bag: nothing is claimed about the error on new rows. {bags}"
        return nothing_estimated(learners, words, figures)
    if not np.isfinite(error) or (judged > 1 and not np.isfinite(spread)):
        words = (
            f"There is no estimate of the error on new rows: the {loss} of the {judged} rows that were left out "
            f"of some bag, or its variance, overflows float64. Scale y. {bags}"
        )
        return nothing_estimated(learners, words, figures)
    hardly = [part for part in parts if part.hardly]
    if hardly:
        return nothing_estimated(learners, f"{_too_little(hardly)} {bags}", figures)
    words = (
        f"Judged by the learners that have not seen them, {judged} of {rows} rows give the {loss} "
        f"{error:.4g} +- {spread:.2g}{_by_class(parts, loss)}: an estimate for new rows, not a bound. {bags}"
    )
    return Guarantee(_NAME, figures, words, False, Status.CONVERGED, learners, kind=ESTIMATE)


def _of_all(parts: list[Judged]) -> tuple[float, float]:
    """The error of all rows and its standard error, from those of the classes that are judged at all."""
    parts = [part for part in parts if part.judged]
    if not parts:
        return float("nan"), float("nan")
    rows = sum(part.rows for part in parts)
    share = np.array([part.rows / rows for part in parts])
    errors = np.array([part.error for part in parts])
    error = float(share @ errors)
    with np.errstate(over="ignore", invalid="ignore"):
        within = sum(s**2 * part.variance / part.judged for s, part in zip(share, parts, strict=True))
        return error, float(np.sqrt(within + share @ (errors - error) ** 2 / rows))


def _figures_by_class(parts: list[Judged], loss: str) -> dict[str, float]:
    """Rows judged, error and standard error of each class, the worst ones where there are many."""
    shown = sorted(parts, key=lambda part: (not part.hardly, -part.error))[:_MOST_CLASSES]
    out = {}
    for part in parts:
        if part in shown:
            out[f"rows judged of class {part.name}"] = float(part.judged)
            out[f"{loss} of class {part.name}"] = part.error
            out[f"standard error of class {part.name}"] = part.standard_error
    return out


def _by_class(parts: list[Judged], loss: str) -> str:
    """The errors of a few classes in brackets."""
    if len(parts) < 2:
        return ""
    worst = sorted(parts, key=lambda part: -part.error)[:3]
    said = ", ".join(f"class {part.name}: {part.error:.4g} +- {part.standard_error:.2g}" for part in worst)
    return f" ({said})" if len(parts) == len(worst) else f" (the largest {loss}s by class are {said})"


def _too_little(hardly: list[Judged]) -> str:
    part = hardly[0]
    rows = f"{part.judged} of {part.rows} rows" + (f" of class {part.name}" if part.name else "")
    more = len(hardly) - 1
    others = f", and likewise {more} more {'class' if more == 1 else 'classes'}" if more else ""
    return (
        f"There is no estimate of the error on new rows: {rows} were left out of some bag, by {part.left_out:.1%} of "
        f"the learners on the average{others}. An estimate takes {_FEWEST} rows of each class, left out by "
        f"{_SMALLEST:.0%} of the learners."
    )
