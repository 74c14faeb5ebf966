"""The error out of bag as sums over the rows of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...certificates import Guarantee
from ...tree import Paths
from .._forest_votes import OutOfBagState, out_of_bag_sums
from .._out_of_bag import Judged, judged_guarantee, nothing_estimated
from ._bags import SummedBags
from ._rows import CodedRows


def judged_sums(
    rows: CodedRows,
    paths: Sequence[Paths],
    depths: Sequence[int],
    values: Sequence[np.ndarray],
    only: Sequence[np.ndarray],
    seeds: np.ndarray,
    bags: SummedBags,
    classes: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Losses and judged rows after each tree; and by class rows, judged ones, judges, losses and their squares."""
    n, used = len(rows.target), rows.used
    ends = rows.start, rows.start + n
    unseen = [np.packbits((bags.counts(int(seed), *ends) == 0) & used) for seed in seeds]
    state = OutOfBagState(n, max(1, classes))
    curve = out_of_bag_sums(paths, depths, True, values, only, rows.codes, rows.target, unseen, state, 1)
    of_class = np.zeros((max(1, classes), 5))
    for k in range(max(1, classes)):
        mine = used & (rows.target == k) if classes else used
        judged = mine & (state.counts > 0)
        loss = state.losses[judged]
        with np.errstate(over="ignore", invalid="ignore"):
            of_class[k] = mine.sum(), judged.sum(), state.counts[mine].sum(), loss.sum(), np.square(loss).sum()
    return curve, of_class


def guarantee_of(model: Any, bags: SummedBags, of_class: np.ndarray) -> Guarantee:
    """The certificate of a forest from these sums."""
    trees, names = len(model.estimators_), list(model.classes_) if model._classes_count else [""]
    if not model.bootstrap:
        words = "Every tree has seen every row: nothing is claimed about the error on new rows."
        return nothing_estimated(trees, words)
    parts = [
        Judged.of_sums(int(rows), int(judged), int(judges), loss, squares, trees, str(name), model._classes_count > 0)
        for name, (rows, judged, judges, loss, squares) in zip(names, of_class.tolist(), strict=True)
    ]
    held = 1.0 - float(of_class[:, 2].sum() / (trees * of_class[:, 0].sum()))
    return judged_guarantee(parts, model._loss, trees, held, bags.expected_share(), model._classes_count > 0)
