"""Which family wins, and why, in words.

All families have scores on the same folds, so that two of them are compared fold by fold: with d_f the difference in
fold f, family A is behind B by mean(d), with the standard error std(d)/sqrt(folds). Families that are behind the best
by no more than that cannot be told from it, and of these the simplest wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..search import standard_error
from ._families import BY_SIMPLICITY, FAMILIES
from ._training import FamilyResult


def compare(results: Sequence[FamilyResult]) -> tuple[tuple[FamilyResult, ...], str]:
    """The families, best first, with the winner marked, and the reason; at least one has a score."""
    judged = sorted((r for r in results if r.judged), key=lambda r: (-r.score, BY_SIMPLICITY.index(r.family)))
    best = judged[0]
    judged = [_placed(r, best) for r in judged]
    near = [r for r in judged if _is_near(r)]
    winner = min(near, key=lambda r: BY_SIMPLICITY.index(r.family))
    rows = [replace(r, chosen=r.family == winner.family) for r in judged]
    return (*rows, *(r for r in results if not r.judged)), winner.family


def _is_near(result: FamilyResult) -> bool:
    """Within one standard error; where one fold alone differs, the two are equal up to rounding."""
    return result.behind <= result.behind_error * (1 + 1e-9)


def _placed(result: FamilyResult, best: FamilyResult) -> FamilyResult:
    difference = np.array(best.fold_scores) - np.array(result.fold_scores)
    return replace(result, behind=float(difference.mean()), behind_error=standard_error(difference))


def reason_of(rows: Sequence[FamilyResult], metric: str, asked: bool) -> str:
    """Why the winner won."""
    judged = [r for r in rows if r.judged]
    winner = next(r for r in judged if r.chosen)
    words = f"{winner.family} ({FAMILIES[winner.family].words})"
    folds = len(winner.fold_scores)
    if asked:
        return f"{words} was asked for; its {metric} over {folds} folds is {written(winner.score, metric)}"
    if len(judged) == 1:
        return f"{words} is the only family that could be tried; its {metric} is {written(winner.score, metric)}"
    best = judged[0]
    if winner.family != best.family:
        return (
            f"{words} has {metric} {written(winner.score, metric)} over {folds} folds, "
            f"{_points(winner.behind, metric)} behind {best.family}: that is within one standard error of their "
            f"difference ({_points(winner.behind_error, metric)}), and it is simpler"
        )
    text = f"{words} has the best {metric}, {written(winner.score, metric)} over {folds} folds"
    near = [r for r in judged[1:] if _is_near(r)]
    if near:
        names = ", ".join(r.family for r in near)
        return f"{text}; {names} {'is' if len(near) == 1 else 'are'} within one standard error of it, but not simpler"
    second = judged[1]
    return (
        f"{text}, {_points(second.behind, metric)} above {second.family}, the next: more than one standard error of "
        f"their difference ({_points(second.behind_error, metric)})"
    )


def written(score: float, metric: str) -> str:
    """A score in the form that a reader expects."""
    return f"{score:.4f}" if metric == "R2" else f"{100 * score:.1f} %"


def _points(difference: float, metric: str) -> str:
    """A difference of scores: in points of a hundred, with as many digits as show it."""
    if metric == "R2":
        return f"{difference:.2g}"
    points = 100 * difference
    return f"{points:.2f} points" if points < 0.995 else f"{points:.1f} points"
