"""Probabilities from out-of-fold decision values, in which the predicted class is always the most probable one.

A map from decision values to probabilities, Platt's sigmoid or an isotonic one, is fitted to decision values of rows
that the machine had not seen. For itself it crosses 1/2 near 0 but not at 0, so that on some rows the most probable
class would not be the predicted one: 0.2 to 3 % of the rows of seven sets, 15 % where class weights moved the machine.
The prediction is the one whose score the search reported, so that the probability gives way, by as little as makes
the two agree. No other map that agrees costs less where the fitted one is right: the penalty of a probability, by the
Brier score and the log loss alike, grows with its distance from the true one.

Two classes
    The probability of the class that the sign of the decision value names is more than 1/2. Against the plain sigmoid
    that changes the Brier score and the log loss on held-out rows by 0.1 % or less on six of the seven sets, by 0.8 %
    and 0.5 % on ijcnn1 (which the bends of the sigmoid more than make good: 1.2 % and 3.6 % better in the end).
    Sigmoids that must cross 1/2 at 0, with one slope, a slope for each side, or a jump at 0, cost up to 7 %. With
    balanced class weights on a9a, where the machine calls 15 % of the rows positive that are more likely negative, it
    is 3.6 % and 2.4 %: that is the price of a prediction by weighted costs, in probabilities of the unweighted
    population.

Many classes, "pairs"
    Each pair has its map, fitted to the rows of its two classes, and the probabilities of the pairs are coupled by
    method 2 of Wu, Lin and Weng. On usps, digits, satimage and letter the Brier score is 15 to 53 % below that of one
    sigmoid a class, the log loss 22 to 58 %. The most probable class is another one than the winner of the vote on
    0.3 % of the rows of digits, 1.2 % of satimage, 1.8 % of letter and 6.6 % of usps; there, the last item.

Many classes, "rest"
    Each class has its map; the probabilities are divided by their sum. The largest decision value wins, and is the
    most probable class but for 0.7 to 2.6 % of the rows of these sets.

Many classes, both
    Where the predicted class is not the most probable one, those above it and itself get their mean: of all
    distributions that agree with the prediction that is the nearest one. It costs 0.1 to 0.3 % in "rest" (4 % on
    iris, whose middle class no plane separates from the others); on usps, where coupled probabilities would be right
    more often than the vote, it takes back 3 of 55 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.isotonic import IsotonicRegression

from ..estimators import class_pairs, pair_vote
from ._coupling import couple
from ._platt import fit_sigmoid, smoothed_targets

# How much more than the others the predicted class has at least: enough for float32 to keep it, too little to matter.
WINNERS_LEAD = 1e-6
# A calibration that is made again agrees up to _SAME where the winner's folds are trained to rounding errors (up to
# EXACT_ROWS rows). Beyond, decision values come from machines trained to a tolerance from other starts: they differ
# sideways, and an isotonic map pools its steps otherwise (seen on 1200 rows: 0.0002 upright for sigmoids, 0.023 for
# isotonic maps).
EXACT_ROWS, _SAME = 512, 1e-3
_SIDEWAYS, _SAME_CURVE, _SAME_STEPS, _UNIT = 0.03, 0.005, 0.05, 0.05
# Multiples of the decision values of the training rows at which maps are compared: on either side, inside and beyond.
_PROBES = (1.0, -0.3, 0.1, 4.0)


class ProbabilityMap(Protocol):
    """A map from decision values to probabilities of the positive class."""

    def probability(self, f: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Isotonic:
    """Probability by linear interpolation between rising points, constant beyond them.

    Parameters
    ----------
    unit : float
        What decision values are divided by.
    at, value : ndarray of shape (n_points,)
        Rising decision values, in units, and probabilities that do not fall.

    """

    unit: float
    at: np.ndarray
    value: np.ndarray

    def probability(self, f: np.ndarray) -> np.ndarray:
        """Of the positive class, at decision values f."""
        with np.errstate(over="ignore"):
            return np.interp(f / self.unit, self.at, self.value)


@dataclass(frozen=True)
class Calibration:
    """Probabilities of a machine's classes from its decision values.

    Parameters
    ----------
    maps : tuple of Sigmoid or Isotonic
        One for two classes; else one a pair or one a class.
    scheme : {"binary", "pairs", "rest"}
        What decision values mean.
    classes : int
        Number of classes.
    unit : float
        Largest of the decision values that the maps were fitted to.

    """

    maps: tuple[ProbabilityMap, ...]
    scheme: str
    classes: int
    unit: float

    def probabilities(self, values: Any, predicted: Any = None) -> np.ndarray:
        """Probabilities of the classes; the largest of each row is that of the predicted class.

        Parameters
        ----------
        values : array-like
            Decision values, in the shape that the calibration was fitted to.
        predicted : array-like of int, optional
            Numbers of the predicted classes; by default the sign, the vote or the largest value decides. For machines
            with another rule, such as one that breaks ties of the vote.

        Returns
        -------
        ndarray of shape (n, classes)

        """
        f = _columns(values, self.classes, self.scheme)
        winner = self._winner(f) if predicted is None else np.asarray(predicted, dtype=np.intp)
        # infinite values would be multiplied by slopes of zero
        p = np.column_stack([m.probability(x) for m, x in zip(self.maps, np.nan_to_num(f, nan=np.nan).T, strict=True)])
        if self.scheme == "binary":
            p1 = _on_side(p[:, 0], winner == 1, f[:, 0], self.unit)
            return np.column_stack([1.0 - p1, p1])
        p = couple(p, self.classes) if self.scheme == "pairs" else _normalised(p)
        return _raised(p, winner)

    def _winner(self, f: np.ndarray) -> np.ndarray:
        if self.scheme == "binary":
            return (f[:, 0] > 0).astype(np.intp)
        return pair_vote(f, self.classes) if self.scheme == "pairs" else np.argmax(f, axis=1)


def same_calibration(kept: Calibration, fresh: Calibration, values: Any) -> bool:
    """Whether two calibrations of the same folds give the same probabilities, at these decision values and beyond.

    The maps rise, so that decision values which are uncertain by a little leave a band on either side of each: out of
    it is another calibration.
    """
    f = _columns(values, fresh.classes, fresh.scheme)
    if (kept.scheme, kept.classes, len(kept.maps)) != (fresh.scheme, fresh.classes, len(fresh.maps)):
        return False
    exact = len(f) <= EXACT_ROWS
    if not abs(kept.unit - fresh.unit) <= _UNIT * fresh.unit:
        return False
    for column, ours, theirs in zip(f.T, kept.maps, fresh.maps, strict=True):
        if type(ours) is not type(theirs):
            return False
        sideways = 0.0 if exact else _SIDEWAYS
        upright = _SAME if exact else _SAME_STEPS if isinstance(theirs, Isotonic) else _SAME_CURVE
        for factor in _PROBES:
            x = factor * column
            p = ours.probability(x)
            low, high = theirs.probability(x - sideways), theirs.probability(x + sideways)
            if not ((p >= low - upright) & (p <= high + upright)).all():
                return False
    return True


def fit_calibration(
    values: Any,
    y_index: Any,
    n_classes: int,
    method: str = "sigmoid",
    sample_weight: Any = None,
    scheme: str | None = None,
) -> Calibration:
    """Fit maps from decision values to probabilities.

    Parameters
    ----------
    values : array-like of shape (n,), (n, pairs) or (n, n_classes)
        Decision values of rows that the machine was not trained on. Of two classes: positive for class 1. Of more, in
        the scheme "pairs": those of (0, 1), (0, 2), ..., positive for the first; in "rest": one a class.
    y_index : array-like of int of shape (n,)
        Classes of the rows, from 0. A class may be missing.
    n_classes : int
        Number of classes.
    method : {"sigmoid", "isotonic"}, default="sigmoid"
        Platt's sigmoid, or a rising map of any form, which was better on ijcnn1 and spambase and worse on the other
        five sets. It keeps within Platt's smoothed targets: n rows cannot tell that a probability is 0 or 1, and one
        row that comes out otherwise would have an infinite log loss.
    sample_weight : array-like of shape (n,), optional
        How many rows each row stands for.
    scheme : {"pairs", "rest"}, optional
        How the machine does more than two classes. The number of columns tells, but for three classes, which have
        three values by either scheme.

    Returns
    -------
    Calibration

    """
    scheme = _scheme(values, n_classes, scheme)
    f = _columns(values, n_classes, scheme)
    y = np.asarray(y_index, dtype=np.intp)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    _check(f, y, weight, n_classes, method)
    fit = fit_sigmoid if method == "sigmoid" else _fit_isotonic
    maps = tuple(
        fit(column[rows], positive, weight[rows])
        for column, (rows, positive) in zip(f.T, _problems(y, weight, n_classes, scheme), strict=True)
    )
    return Calibration(maps, scheme, n_classes, _unit(f))


def _scheme(values: Any, classes: int, asked: str | None) -> str:
    if classes == 2:
        return "binary"
    if asked is None and classes == 3:
        raise ValueError("Three classes have three decision values a row by either scheme: say 'pairs' or 'rest'.")
    if asked is None:
        return "rest" if np.shape(values)[-1] == classes else "pairs"
    return asked


def _columns(values: Any, classes: int, scheme: str) -> np.ndarray:
    """Decision values as a matrix with one column a map."""
    f = np.asarray(values, dtype=np.float64)
    f = f[:, None] if f.ndim == 1 else f
    if scheme not in ("binary", "pairs", "rest"):
        raise ValueError(f"scheme is 'pairs' or 'rest'; got {scheme!r}.")
    needed = {"binary": 1, "pairs": classes * (classes - 1) // 2, "rest": classes}[scheme]
    if f.ndim != 2 or f.shape[1] != needed:
        raise ValueError(
            f"{classes} classes by the scheme {scheme!r} have {needed} decision value(s) a row; got the shape "
            f"{np.shape(values)}."
        )
    return f


def _check(f: np.ndarray, y: np.ndarray, weight: np.ndarray, classes: int, method: str) -> None:
    if method not in ("sigmoid", "isotonic"):
        raise ValueError(f"calibration is 'sigmoid' or 'isotonic'; got {method!r}.")
    if classes < 2:
        raise ValueError(f"Probabilities need two classes or more; got {classes}.")
    if not len(f) == len(y) == len(weight):
        raise ValueError(f"{len(f)} rows of decision values, {len(y)} labels and {len(weight)} weights do not fit.")
    if len(y) and not 0 <= y.min() <= y.max() < classes:
        raise ValueError(f"Classes are numbered from 0 to {classes - 1}; got {y.min()} to {y.max()}.")
    if not np.isfinite(f).all():
        raise ValueError("Decision values are not finite: some rows were never outside the training rows of a fold.")
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError("Weights of the rows are finite and not negative.")


def _problems(y: np.ndarray, weight: np.ndarray, classes: int, scheme: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows of each map, and which of them are positive; rows of weight zero have no part."""
    if scheme == "pairs":
        members = [np.flatnonzero((y == k) & (weight > 0)) for k in range(classes)]
        pairs = [(members[a], members[b]) for a, b in class_pairs(classes)]
        return [(np.concatenate(p), np.repeat([True, False], [len(p[0]), len(p[1])])) for p in pairs]
    rows = np.flatnonzero(weight > 0)
    return [(rows, y[rows] == k) for k in ([1] if scheme == "binary" else range(classes))]


def _fit_isotonic(f: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> Isotonic:
    low, high = smoothed_targets(float(weight[~positive].sum()), float(weight[positive].sum()))
    if not len(f):  # no row of either class: nothing is known
        return Isotonic(1.0, np.zeros(1), np.full(1, 0.5))
    unit = _unit(f)
    model = IsotonicRegression(y_min=low, y_max=high).fit(f / unit, positive.astype(np.float64), weight)
    return Isotonic(unit, np.asarray(model.X_thresholds_), np.asarray(model.y_thresholds_))


def _unit(f: np.ndarray) -> float:
    return float(np.abs(f).max(initial=0.0)) or 1.0


def _on_side(p: np.ndarray, upper: np.ndarray, f: np.ndarray, unit: float) -> np.ndarray:
    """Probabilities of class 1, above 1/2 where `upper` and below elsewhere.

    Those that have to move keep their order: ties there would cost a ranking by probability.
    """
    with np.errstate(over="ignore"):
        margin = WINNERS_LEAD * (1.0 + np.arctan(np.abs(f) / unit))
    return np.where(upper, np.maximum(p, 0.5 + margin), np.minimum(p, 0.5 - margin))


def _normalised(p: np.ndarray) -> np.ndarray:
    """Rows divided by their sums; where no class is possible at all, all are alike."""
    total = p.sum(axis=1, keepdims=True)
    return np.divide(p, total, out=np.full_like(p, 1.0 / p.shape[1]), where=total > 0)


def _raised(p: np.ndarray, winner: np.ndarray) -> np.ndarray:
    """The nearest distributions in which the winner is the most probable class."""
    everyone = np.arange(len(p))
    mine = p[everyone, winner]
    others = p.copy()
    others[everyone, winner] = -1.0
    late = np.flatnonzero(others.max(axis=1) > mine - WINNERS_LEAD)
    falling = -np.sort(-others[late], axis=1)[:, :-1]
    counts = np.arange(1, p.shape[1])
    # means of the winner and of the m largest others; those above the mean of the ones before them join in
    means = np.cumsum(np.column_stack([mine[late], falling]), axis=1) / np.arange(1, p.shape[1] + 1)
    joined = np.where(falling > means[:, :-1], counts, 0).max(axis=1)
    level = means[np.arange(len(late)), joined]
    capped = np.minimum(others[late], (level - WINNERS_LEAD)[:, None])
    capped[np.arange(len(late)), winner[late]] = 0.0
    capped = np.maximum(capped, 0.0)
    out = p.copy()
    out[late] = capped
    out[late, winner[late]] = 1.0 - capped.sum(axis=1)
    return out
