"""What is measured of a cascade on its training rows, recomputed from the stages and the rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..certificates import Guarantee, Status
from ._cascade_stage import Stage, StageRows, passing


@dataclass(frozen=True, repr=False)
class CascadeGuarantee(Guarantee):
    """The rates of a cascade, stage by stage.

    Attributes
    ----------
    detections, false_positive_rates : ndarray of shape (stages,)
        Of the positives and of the negatives that reach a stage, the shares that pass it. The products are the rates
        of the whole.
    learners : ndarray of shape (stages,)
        How many learners vote in each stage.

    """

    detections: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)
    false_positive_rates: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)
    learners: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False)


@dataclass(frozen=True)
class Walk:
    """What became of rows: their decision values, and how many stages and learners each of them took."""

    values: np.ndarray
    stages: np.ndarray
    learners: np.ndarray


def walk(stages: Sequence[Stage], X: Any, carry: bool) -> Walk:
    """Send rows through the stages, each only as far as it gets.

    Decision values are above zero for what passes all stages; what the last stage rejects has one above -1, what the
    one before it rejects one above -2, and so on.
    """
    n, last = X.shape[0], len(stages) - 1
    values, taken, learners = np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
    alive, carried = np.arange(n), np.zeros(n)
    for number, stage in enumerate(stages):
        if not len(alive):
            break
        votes = stage.votes(X[alive])
        carried = carried + votes if carry else votes
        ahead = carried - stage.threshold
        passed = ahead > 0
        ahead /= 2 * (1 + np.abs(ahead))  # between -1/2 and 1/2, in the same order
        values[alive] = np.where(passed, ahead, np.minimum(ahead, -1e-12) + (number - last))
        taken[alive] += 1
        learners[alive] += len(stage)
        alive, carried = alive[passed], carried[passed]
    return Walk(values, taken, learners)


def prove_cascade(
    stages: Sequence[Stage],
    rows: StageRows,
    tuned: np.ndarray | None,
    carry: bool,
    asked: tuple[float, float],
    status: Status,
    ending: str,
) -> CascadeGuarantee:
    """The guarantee of a cascade; `tuned` are the rows that thresholds were set on, `asked` the rates a stage."""
    detections, false_positive_rates = _rates(stages, rows.kept(rows.weights > 0 if tuned is None else tuned), carry)
    way, share = walk(stages, rows.X, carry), rows.weights / rows.weights.sum()
    detection, false_positive_rate = passing(way.values > 0, rows)
    learners = np.array([len(stage) for stage in stages])
    figures = {
        "stages": float(len(stages)),
        "detection": float(np.prod(detections)),
        "false positive rate": float(np.prod(false_positive_rates)),
        "detection, all rows": detection,
        "false positive rate, all rows": false_positive_rate,
        "mean stages": float(share @ way.stages),
        "mean learners": float(share @ way.learners),
        "learners of all stages": float(learners.sum()),
    }
    claimed = np.array([(stage.detection, stage.false_positive_rate) for stage in stages]).T
    off = float(np.abs(claimed - [detections, false_positive_rates]).max())
    holds = off <= 1e-9 and bool(detections.min() >= asked[0] - 1e-9)
    if holds:
        where = "training" if tuned is None else "held-out"
        words = _words(figures, where, int((false_positive_rates > asked[1]).sum()), asked[1], ending)
    else:
        words = (
            f"Refuted: a rate of a stage is off by {off:.3g}, or below min_detection={asked[0]:g}; these are not the "
            f"rows, labels and weights of the fit."
        )
    proof = CascadeGuarantee("cascade rates", figures, words, holds, status, int(learners.sum()))
    return replace(proof, detections=detections, false_positive_rates=false_positive_rates, learners=learners)


def _rates(stages: Sequence[Stage], rows: StageRows, carry: bool) -> tuple[np.ndarray, np.ndarray]:
    """Of the positives and of the negatives that reach each stage, the shares that pass it."""
    shares = np.empty((2, len(stages)))
    for number, stage in enumerate(stages):
        after = rows.after(stage, carry)
        for k, mask in enumerate((True, False)):
            reached, passed = (part.weights[part.positive == mask].sum() for part in (rows, after))
            shares[k, number] = passed / reached if reached > 0 else float(mask)
        rows = after
    return shares[0], shares[1]


def _stages(mean: float) -> str:
    return "1 stage" if f"{mean:.3g}" == "1" else f"{mean:.3g} stages"


def _words(figures: dict[str, float], where: str, short: int, max_false_positive_rate: float, ending: str) -> str:
    stages = int(figures["stages"])
    words = (
        f"Of the {where} rows, {_percent(figures['detection'])} of the positives and "
        f"{_percent(figures['false positive rate'])} of the negatives pass "
        f"{'the stage' if stages == 1 else f'all {stages} stages'} ({ending}); a row takes "
        f"{_stages(figures['mean stages'])} and {figures['mean learners']:.3g} of "
        f"{figures['learners of all stages']:.0f} learners on the average"
    )
    if short:
        words += f". {short} of the stages did not come down to max_false_positive_rate={max_false_positive_rate:g}"
    return words + "."


def _percent(share: float) -> str:
    """A share in per cent, as 0 or 100 only where it is."""
    if 0 < share < 0.001:
        return f"{100 * share:.2g} %"
    return "more than 99.9 %" if 0.999 < share < 1 else f"{100 * share:.1f} %"
