"""What scores on training rows and on held-out rows say, and how sure it is.

Scores of the same folds are compared fold by fold, and a difference counts when it exceeds two standard errors of its
mean over the folds. Differences that are sure but small are told apart by shares of what there was to gain: between a
model that ignores the features and one that is always right.
"""

from __future__ import annotations

import numpy as np

OVERFITTING, UNDERFITTING, BALANCED = "overfitting", "underfitting", "balanced"
NOTHING_LEARNT = "no better than the baseline"
# Shares of what there is to gain that are worth a word.
_WORTH = 0.05


def judge_learning(
    sizes: np.ndarray, train: np.ndarray, test: np.ndarray, baseline: float, best: float
) -> tuple[str, str]:
    """Verdict and reason for the scores (sizes, folds) at the largest size."""
    last, held = float(train[-1].mean()), float(test[-1].mean())
    room = max(best - baseline, np.finfo(float).eps)
    gap, sure_gap = _difference(train[-1], test[-1])
    seen = f"At {sizes[-1]} rows, training rows score {last:.4g} and held-out rows {held:.4g}"
    if sure_gap and gap > _WORTH * room:
        return OVERFITTING, f"{seen}: the model knows its training rows better than the rule. {_advice(sizes, test)}"
    gain, sure_gain = _difference(test[-1], np.full_like(test[-1], baseline))
    if not sure_gain or gain <= 0:
        return NOTHING_LEARNT, f"{seen}, where a model that ignores the features scores {baseline:.4g}."
    if best - last > _WORTH * room:
        return (
            UNDERFITTING,
            f"{seen}: alike, and both short of {best:g}. {_more_rows(sizes, test)} A richer model may help, unless the "
            "rest is noise.",
        )
    return BALANCED, f"{seen}: alike, and little is left to gain."


def judge_values(train: np.ndarray, test: np.ndarray, best: int) -> list[str]:
    """A verdict for each row of scores (values, folds), against the best of them."""
    verdicts = []
    for i in range(len(test)):
        loss = test[best] - test[i]
        if i == best or loss.mean() <= _standard_error(loss):
            verdicts.append(BALANCED)
        else:
            verdicts.append(OVERFITTING if train[i].mean() >= train[best].mean() else UNDERFITTING)
    return verdicts


def _advice(sizes: np.ndarray, test: np.ndarray) -> str:
    if len(sizes) > 1:
        rise, sure = _difference(test[-1], test[-2])
        if sure and rise > 0:
            return f"Held-out scores were still rising from {sizes[-2]} rows on: more rows will help."
    return "Held-out scores have stopped rising: a simpler or more regularised model is what would help."


def _more_rows(sizes: np.ndarray, test: np.ndarray) -> str:
    """Whether held-out scores were rising still: over the last step, or over the last two."""
    means = test.mean(axis=1)
    for back in (2, 3):
        if len(sizes) < back or means[:-1].max() >= means[-1]:
            break
        rise, sure = _difference(test[-1], test[-back])
        if sure and rise > 0:
            return (
                f"Held-out scores were still rising, from {means[-back]:.4g} at {sizes[-back]} rows to "
                f"{means[-1]:.4g}: more rows will help somewhat."
            )
    if len(sizes) < 2:
        return "Whether more rows help is not seen from one size."
    return f"Held-out scores have not risen for sure from {sizes[-min(3, len(sizes))]} rows on: more rows may not help."


def _difference(a: np.ndarray, b: np.ndarray) -> tuple[float, bool]:
    """Mean of a - b over the folds, and whether it exceeds two standard errors."""
    apart = a - b
    return float(apart.mean()), bool(abs(apart.mean()) > 2 * _standard_error(apart))


def _standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
