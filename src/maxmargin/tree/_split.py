"""The best split of a node on one column, from a histogram of its bins.

gain = Q(S) - sum_t |S_t|/|S| Q(S_t),  t in {left, right},  |.| sums of weights

with Q the Gini index sum p(1-p), the entropy -sum p log2 p, or the variance. Up to terms that are the same for all
splits of a node, |S| gain is

    Gini       sum_k L_k^2/|L| + sum_k R_k^2/|R|          (L_k, R_k: weights of class k on the left and the right)
    entropy    sum_k L_k log L_k - |L| log |L| + the same of R
    variance   (sum_L s y)^2/|L| + (sum_R s y)^2/|R|

A row of the histogram holds the weights of the classes, or sum s and sum s y, of one bin; then, where weights are no
whole numbers or leaves have a least size, the number of rows. Whole weights add up exactly: there, weight zero means
that no row is left. Of a column with missing values all splits are tried twice, with the missing on either side; the
last of the splits has nothing but them on the right.

The categories of a categorical column are put in the order of their mean target: for two classes and for the variance
the best of all subsets is then one of the splits (Breiman et al. 1984, theorem 4.5). For more classes every class
against the others gives an order, and the best split of them all is taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engine import jit_inner, jit_within

GINI, ENTROPY, VARIANCE = 0, 1, 2
# The score of no split at all, and what a split has to be better by than one before it, relatively: of splits that
# differ by rounding alone the first is taken, whatever the order of the rows that were added up.
NOTHING = -1e300
BETTER = 1e-12
# Places of a found split: column, last occupied bin on the left, first on the right (-1: none), whether the missing
# go left (-1: there are none), whether by a subset of categories.
FEATURE, BELOW, ABOVE, MISSING_LEFT, BY_CATEGORY = 0, 1, 2, 3, 4


class NodeRows(NamedTuple):
    """The training rows in the order of the nodes; `label` or `target` is empty, according to the criterion.

    Unsigned numbers, because an index that may be negative costs a comparison.
    """

    row: np.ndarray
    weight: np.ndarray
    label: np.ndarray
    target: np.ndarray


class Limits(NamedTuple):
    """Criterion and limits of a tree, all of them numbers. `counted`: histograms hold numbers of rows, too."""

    criterion: int
    channels: int
    counted: bool
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    max_features: int
    min_decrease: float
    max_leaves: int


class Room(NamedTuple):
    """Scratch memory of one search, and the best split found so far.

    `head` and `after` are linked lists of rows; `seen` marks bins, and `seen_words` are the same bytes by eights;
    `totals` are the sums of the node, `levels` those of bundles (see `_bundles`) that are `filled`; columns are drawn
    from `columns`, `state` is that of the generator.
    """

    hist: np.ndarray
    left: np.ndarray
    totals: np.ndarray
    order: np.ndarray
    keys: np.ndarray
    seen: np.ndarray
    seen_words: np.ndarray
    head: np.ndarray
    after: np.ndarray
    score: np.ndarray
    pick: np.ndarray
    subset: np.ndarray
    columns: np.ndarray
    state: np.ndarray
    goes_left: np.ndarray
    levels: np.ndarray
    filled: np.ndarray


def make_room(limits: Limits, d: int, seed: int, levels: int = 0, bundles: int = 0) -> Room:
    width = limits.channels + limits.counted
    seen = np.zeros(256, dtype=np.uint8)
    return Room(
        hist=np.zeros(256 * width),
        left=np.empty(2 * width),
        totals=np.empty(width),
        order=np.empty(257, dtype=np.int64),
        keys=np.empty(256),
        seen=seen,
        seen_words=seen.view(np.uint64),
        head=np.full(256, -1, dtype=np.int32),
        after=np.empty(FEW, dtype=np.int32),
        score=np.empty(1),
        pick=np.empty(5, dtype=np.int64),
        subset=np.zeros(4, dtype=np.uint64),
        columns=np.arange(d),
        state=np.full(1, seed, dtype=np.uint64),
        goes_left=np.empty(256, dtype=np.uint8),
        levels=np.zeros(levels * width),
        filled=np.zeros(bundles, dtype=np.bool_),
    )


# Nodes of fewer rows are searched row by row (see `_few`), those of more by histograms.
FEW = 1024


@jit_inner
def x_log_x(x: float) -> float:
    return x * np.log2(x) if x > 0.0 else 0.0


@jit_inner
def own_score(limits: Limits, totals: Any) -> float:
    """What a split scores that separates nothing: the score of the node itself."""
    if limits.criterion == VARIANCE:
        return totals[1] * totals[1] / totals[0]
    total, score = 0.0, 0.0
    for k in range(limits.channels):
        total += totals[k]
        score += totals[k] * totals[k] if limits.criterion == GINI else x_log_x(totals[k])
    return score / total if limits.criterion == GINI else score - x_log_x(total)


@jit_within
def fill(
    codes: Any,
    stride: Any,
    first: Any,
    common: int,
    rows: NodeRows,
    start: int,
    end: int,
    limits: Limits,
    totals: Any,
    hist: Any,
) -> None:
    """Add rows start to end of the node order to an empty histogram; that of row i is ``codes[first + i * stride]``.

    Where most rows of all are in one bin (`common`, else -1), only the others are added, and the bin has what is left
    of `totals`: a sum that is always added to the same place waits for itself.
    """
    K = np.uint64(limits.channels)
    width = np.uint64(limits.channels + limits.counted)
    index, weight = rows.row[start:end], rows.weight[start:end]
    if limits.criterion == VARIANCE:
        target = rows.target[start:end]
        for i in range(index.size):
            at = np.uint64(codes[first + index[i] * stride]) * width
            hist[at] += weight[i]
            hist[at + np.uint64(1)] += weight[i] * target[i]
            if limits.counted:
                hist[at + K] += 1.0
        return
    label = rows.label[start:end]
    if common < 0:
        for i in range(index.size):
            at = np.uint64(codes[first + index[i] * stride]) * width
            hist[at + label[i]] += weight[i]
            if limits.counted:
                hist[at + K] += 1.0
        return
    for i in range(index.size):
        code = codes[first + index[i] * stride]
        if code != common:
            at = np.uint64(code) * width
            hist[at + label[i]] += weight[i]
            if limits.counted:
                hist[at + K] += 1.0
    base = common * np.int64(width)
    for k in range(np.int64(width)):
        hist[base + k] = totals[k]
    for b in range(hist.size // np.int64(width)):
        if b != common:
            for k in range(np.int64(width)):
                hist[base + k] -= hist[b * np.int64(width) + k]


@jit_within
def scan(hist: Any, order: Any, m: int, missing: int, n_total: int, limits: Limits, room: Room) -> tuple[float, int]:
    """Score and position (in `order`) of the best split of bins in this order; -1 if there is none.

    `missing` is the row of the missing values if they start on the left, else -1.
    """
    K, kind = limits.channels, limits.criterion
    width = K + limits.counted
    totals, left = room.totals, room.left
    w_total, w_left, n_left = 0.0, 0.0, 0.0
    for k in range(width):
        left[k] = hist[missing * width + k] if missing >= 0 else 0.0
    for k in range(1 if kind == VARIANCE else K):
        w_total += totals[k]
        w_left += left[k]
    if limits.counted:
        n_left = left[K]
    best, place = NOTHING, -1
    for j in range(m):
        at = order[j] * width
        if limits.counted:
            n_left += hist[at + K]
        score, inside = 0.0, 0.0
        if kind == VARIANCE:
            w_left += hist[at]
            left[1] += hist[at + 1]
            rest = totals[1] - left[1]
            score = left[1] * left[1] / w_left + rest * rest / (w_total - w_left)
        elif kind == GINI:
            squares_left, squares_right = 0.0, 0.0
            for k in range(K):
                inside += hist[at + k]
                a = left[k] + hist[at + k]
                left[k] = a
                squares_left += a * a
                squares_right += (totals[k] - a) * (totals[k] - a)
            w_left += inside
            score = squares_left / w_left + squares_right / (w_total - w_left)
        else:
            for k in range(K):
                inside += hist[at + k]
                left[k] += hist[at + k]
                score += x_log_x(left[k]) + x_log_x(totals[k] - left[k])
            w_left += inside
            score -= x_log_x(w_left) + x_log_x(w_total - w_left)
        w_right = w_total - w_left
        if limits.counted:
            if n_total - n_left < limits.min_samples_leaf:
                break
            if n_left < limits.min_samples_leaf:
                continue
        if w_right <= 0.0 or w_right < limits.min_weight_leaf:
            break
        if score > best + BETTER * abs(best) and w_left >= limits.min_weight_leaf:
            best, place = score, j
    return best, place


@jit_within
def occupied(hist: Any, bins: int, missing: bool, limits: Limits, room: Room) -> tuple[int, bool]:
    """Put the bins that hold a row into ``room.order``; their number, and whether the missing ones do."""
    K = limits.channels
    width = K + limits.counted
    found, m = 0, 0
    for b in range(bins + missing):
        at, inside = b * width, 0.0
        if limits.counted:
            inside = hist[at + K]
        else:
            for k in range(1 if limits.criterion == VARIANCE else K):
                inside += hist[at + k]
        if inside > 0.0:
            room.order[found] = b
            found += 1
            m += b < bins
    return m, m < found


@jit_inner
def sort_categories(hist: Any, m: int, class_: int, limits: Limits, room: Room) -> None:
    """Put ``room.order[:m]`` in the order of the mean target, or of the share of a class (insertion sort)."""
    K = limits.channels
    width = K + limits.counted
    order, keys = room.order, room.keys
    for j in range(m):
        code = order[j]
        at, total = code * width, 0.0
        if limits.criterion == VARIANCE:
            key = hist[at + 1] / hist[at]
        else:
            for k in range(K):
                total += hist[at + k]
            key = hist[at + class_] / total
        i = j
        while i and keys[i - 1] > key:
            keys[i] = keys[i - 1]
            order[i] = order[i - 1]
            i -= 1
        keys[i] = key
        order[i] = code


@jit_within
def keep_if_best(score: float, place: int, f: int, m: int, missing_left: int, by_set: bool, room: Room) -> None:
    """Remember a split of bins ``order[: place + 1]`` against the others if it beats those before it."""
    if place < 0 or not score > room.score[0] + BETTER * abs(room.score[0]):
        return
    order, pick = room.order, room.pick
    room.score[0] = score
    pick[FEATURE] = f
    pick[BELOW] = order[place]
    pick[ABOVE] = order[place + 1] if place + 1 < m else -1
    pick[MISSING_LEFT] = missing_left
    pick[BY_CATEGORY] = by_set
    if by_set:
        for word in range(4):
            room.subset[word] = np.uint64(0)
        for j in range(place + 1):
            code = np.uint64(order[j])
            room.subset[code >> np.uint64(6)] |= np.uint64(1) << (code & np.uint64(63))


@jit_within
def try_histogram(
    hist: Any, f: int, bins: int, may_miss: bool, by_set: bool, n_total: int, limits: Limits, room: Room
) -> bool:
    """Try all splits of a column from its histogram; False if it is constant in the node."""
    m, missing = occupied(hist, bins, may_miss, limits, room)
    if m + missing < 2:
        return False
    orders = 1
    if by_set and limits.criterion != VARIANCE and limits.channels > 2:
        orders = limits.channels
    for turn in range(2 * orders):
        from_left = turn % 2 == 1
        if from_left and not missing:
            continue
        if by_set and not from_left:
            sort_categories(hist, m, turn // 2 if orders > 1 else limits.channels - 1, limits, room)
        score, place = scan(hist, room.order, m, bins if from_left else -1, n_total, limits, room)
        keep_if_best(score, place, f, m, np.int64(from_left) if missing else -1, by_set, room)
    return True
