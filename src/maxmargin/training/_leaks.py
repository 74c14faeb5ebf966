"""Columns that are the target under another name, or tell it alone; and columns that differ in the held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..messages import Argument, quoted
from ..tables import named_as_identifier
from ._findings import Finding
from ._split import RowOrder

_ROWS, _COLUMNS, _BINS = 20_000, 5_000, 256
_LEAST = 40  # rows to say anything from
# Share of what there is to gain over the baseline that no honest column alone is expected to give.
_ALONE = 0.98
_MUCH = 0.9  # a share that some honest columns have, and copies with mistakes; said in passing
_NEAR = 0.75  # from here on a closer look is worth its time
_COPY = 0.99999  # correlation of a copy in other units
_DRIFT = 0.25  # largest difference of distribution functions that is no remark; of shares of levels as well
_LEAST_OF_CLASS = 10  # rows of a class that no column tells from the others by chance
_TEXTS = 5_000  # rows of text that are learnt from, and as many that this is judged by
_FEW = 50  # rows on each side from which on such a difference is no chance


def leaks(
    numbers: np.ndarray,
    names: list[str],
    levels: list[bool],
    texts: dict[str, sp.csr_array],
    y: np.ndarray,
    codes: np.ndarray | None,
    order: RowOrder,
    seed: int,
) -> list[Finding]:
    """Copies of the target, and columns that alone predict it on rows that they were not judged by.

    Parameters
    ----------
    numbers : ndarray of shape (n, d)
        Training rows: numbers as they are, levels of categories by their places.
    names : list of str
        The column that each is of.
    levels : list of bool
        Whether it holds levels.
    texts : dict of csr_array
        The weighed words of each column of free text.
    y : ndarray
        Targets.
    codes : ndarray or None
        Their classes as numbers.
    order : RowOrder
        Of these rows.
    seed : int

    """
    if len(y) < _LEAST:
        return []
    rows = np.random.default_rng([seed, 31]).permutation(len(y))[:_ROWS]
    half = np.zeros(len(rows), dtype=bool)
    half[: len(rows) // 2] = True
    if order.units is not None:  # copies of a row are no other rows
        half = order.units[rows] % 2 == 0
    t = codes[rows] if codes is not None else y[rows].astype(np.float64)
    labels = None if codes is None else np.unique(y)
    found = []
    for j in range(min(numbers.shape[1], _COLUMNS)):
        found += _of_one(numbers[rows, j], names[j], levels[j], t, labels, half)
    if numbers.shape[1] + len(texts) > 1:  # text that is all there is to learn from had better tell the target
        for name, X in texts.items():
            found += _of_text(X[rows], name, t, labels, half)
    return found


def _finding(kind: str, name: str, words: str, serious: bool = True) -> list[Finding]:
    advice = (
        "Is it known before the target is? If not, leave it out: ",
        Argument("kinds", "drop", name),
        ".",
    )
    return [Finding(kind, f"Column {quoted(name)} {words}", advice, name, serious)]


def _of_one(
    x: np.ndarray, name: str, levels: bool, t: np.ndarray, labels: np.ndarray | None, half: np.ndarray
) -> list[Finding]:
    """What a column of numbers or levels tells alone."""
    classes = labels is not None
    if _same(x, t, classes):
        return _finding("copy", name, f"is a copy of the target: in all of {len(t):,} rows the one tells the other.")
    if labels is not None and (k := _class_told(x, t)) is not None:
        words = f"is a copy of one class: in all of {len(t):,} rows it tells {quoted(labels[k])} from the others."
        return _finding("copy", name, words)
    if not half.any() or half.all():
        return []
    gained, score = _alone(_places(x) if levels else _binned(x), t, classes, half)
    if _NEAR < gained < _ALONE:  # bins may cut where the target does not
        gained, score = max((gained, score), _alone(_leaves(x, t, classes, half), t, classes, half))
    return _told_alone(name, "", gained, score, t, classes)


def _of_text(X: sp.csr_array, name: str, t: np.ndarray, labels: np.ndarray | None, half: np.ndarray) -> list[Finding]:
    """What the words of a column tell alone."""
    if not half.any() or half.all():
        return []
    first, second = np.flatnonzero(half)[:_TEXTS], np.flatnonzero(~half)[:_TEXTS]
    a, b = t[first], t[second]
    if labels is None:
        spread = float(((b - b.mean()) ** 2).sum())
        rest = float(((b - Ridge().fit(X[first], a).predict(X[second])) ** 2).sum())
        score, base = 1.0 - rest / spread if spread > 0 else 0.0, 0.0
    else:
        if len(np.unique(a)) < 2:
            return []
        common = np.bincount(a).argmax()
        base = float(np.mean(b == common))
        score = float(np.mean(RidgeClassifier().fit(X[first], a).predict(X[second]) == b))
    gained = (score - base) / (1.0 - base) if base < 1 else 0.0
    return _told_alone(name, "by its words ", gained, score, t, labels is not None)


def _told_alone(name: str, how: str, gained: float, score: float, t: np.ndarray, classes: bool) -> list[Finding]:
    if gained < _MUCH:
        return []
    words = (
        f"{how}alone explains {100 * score:.1f} % of the variance of the target, on rows that this was not learnt from."
    )
    if classes:
        words = (
            f"{how}alone gives {100 * score:.1f} % of the classes right, on rows that this was not learnt from; the "
            f"most frequent class is {100 * np.bincount(t).max() / len(t):.1f} %."
        )
    return _finding("alone", name, words, gained >= _ALONE)


def _class_told(x: np.ndarray, t: np.ndarray) -> int | None:
    """The class, of more than two, that a column of two values tells from all others; None if it tells none."""
    there = np.unique(x[~np.isnan(x)])
    counts = np.bincount(t)
    if len(there) + bool(np.isnan(x).any()) != 2 or (counts > 0).sum() < 3:
        return None
    second = np.isnan(x) if len(there) == 1 else x == there[1]
    for side in (second, ~second):
        k = int(t[side][0])
        if _LEAST_OF_CLASS <= counts[k] == side.sum() and (t[side] == k).all():
            return k
    return None


def _same(x: np.ndarray, t: np.ndarray, classes: bool) -> bool:
    if np.isnan(x).any():
        return False
    if classes:
        values, places = np.unique(x, return_inverse=True)
        return len(values) == len(np.unique(t)) == len(np.unique(places * (int(t.max()) + 1) + t))
    a, b = x - x.mean(), t - t.mean()
    size = np.sqrt((a @ a) * (b @ b))
    return bool(size > 0 and abs(a @ b) / size > _COPY)


def _leaves(x: np.ndarray, t: np.ndarray, classes: bool, half: np.ndarray) -> np.ndarray:
    """Bins that are the leaves of a small tree, grown on the first half."""
    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    tree = kind(max_leaf_nodes=_BINS, min_samples_leaf=3, random_state=0)
    return np.asarray(tree.fit(x[half, None], t[half]).apply(x[:, None]))


def _alone(bins: np.ndarray, t: np.ndarray, classes: bool, half: np.ndarray) -> tuple[float, float]:
    """Share of what there is to gain, and score, on the second half of what bins say of the first."""
    many = int(bins.max()) + 1
    there = np.bincount(bins[half], minlength=many)
    a, b = t[half], t[~half]
    if classes:
        K = int(t.max()) + 1
        table = np.bincount(bins[half] * K + a, minlength=many * K).reshape(many, K)
        common = int(np.bincount(a, minlength=K).argmax())
        said = np.where(there > 0, table.argmax(axis=1), common)[bins[~half]]
        score, base = float(np.mean(said == b)), float(np.mean(b == common))
        return (score - base) / max(1.0 - base, 1e-12) if base < 1 else 0.0, score
    mean = a.mean()
    sums = np.bincount(bins[half], weights=a, minlength=many)
    said = np.where(there > 0, sums / np.maximum(there, 1), mean)[bins[~half]]
    spread = float(((b - b.mean()) ** 2).sum())
    score = 1.0 - float(((b - said) ** 2).sum()) / spread if spread > 0 else 0.0
    return score, score


def _places(x: np.ndarray) -> np.ndarray:
    """Levels as they are; missing ones apart."""
    return np.unique(x, return_inverse=True)[1]


def _binned(x: np.ndarray) -> np.ndarray:
    """Values by their places, or, of many, by quantiles; missing ones apart."""
    missing = np.isnan(x)
    present = x[~missing]
    values = np.unique(present)
    most = min(_BINS, max(8, len(x) // 20))
    if len(values) > most:
        values = np.unique(np.quantile(present, np.linspace(0, 1, most + 1)[1:-1]))
    bins = np.searchsorted(values, np.where(missing, 0.0, x), side="right")
    return np.where(missing, len(values) + 1, bins)


def sparse_leaks(X: Any, names: Any, codes: np.ndarray | None, y: np.ndarray) -> list[Finding]:
    """Columns of sparse rows that go with the target: a correlation of 0.99 and more."""
    K = 1 if codes is None else int(codes.max()) + 1
    if len(y) < _LEAST or K * X.shape[1] > 20_000_000:
        return []
    X = sp.csr_array(X)
    n = len(y)
    means, squares = np.asarray(X.sum(axis=0)).ravel() / n, np.asarray(X.multiply(X).sum(axis=0)).ravel() / n
    spread = np.sqrt(np.maximum(squares - means**2, 0))
    found: dict[int, float] = {}
    for k in range(K if K > 2 else 1):
        t = y.astype(np.float64) if codes is None else (codes == (k if K > 2 else 1)).astype(np.float64)
        t = t - t.mean()
        below = spread * t.std() * n
        r = np.divide(np.asarray(X.T @ t).ravel(), below, out=np.zeros(len(below)), where=below > 0)
        for j in np.flatnonzero(np.abs(r) > 0.99).tolist():
            found[j] = max(found.get(j, 0.0), abs(float(r[j])))
    said = []
    for j, r in list(found.items())[:20]:
        words = f"Column {j + 1} has a correlation of {r:.4f} with the target or one of its classes."
        said.append(Finding("alone", words, ("Is it known before the target is?",), str(j + 1)))
    return said


def drift(
    before: np.ndarray, after: np.ndarray, names: list[str], levels: list[bool], y: np.ndarray, y_after: np.ndarray
) -> list[Finding]:
    """Columns, and the target, that are distributed differently in the held-out rows than in the training rows."""
    if min(len(before), len(after)) < _FEW:
        return []
    moved = []
    for j, name in enumerate(names):
        if named_as_identifier(name):  # new rows have new identifiers
            continue
        a, b = before[:, j], after[:, j]
        apart = _shares_apart(a, b) if levels[j] else _apart(a[~np.isnan(a)], b[~np.isnan(b)])
        if apart > _DRIFT:
            moved.append((apart, name))
    found = []
    of_target = _shares_apart(y, y_after) if y.dtype.kind != "f" else _apart(y, y_after)
    if of_target > _DRIFT:
        words = (
            f"The target is distributed differently in the held-out rows than in the training rows (distance "
            f"{of_target:.2f}, where 1 is the most): what was learnt may not last."
        )
        found.append(Finding("drift", words))
    if moved:
        moved.sort(reverse=True)
        some = ", ".join(f"{quoted(name)} ({apart:.2f})" for apart, name in moved[:5])
        more = f" and {len(moved) - 5} more" if len(moved) > 5 else ""
        words = (
            f"{'Columns' if len(moved) > 1 else 'Column'} {some}{more} {'are' if len(moved) > 1 else 'is'} distributed "
            "differently in the held-out rows than in the training rows (distances, where 1 is the most)."
        )
        found.append(Finding("drift", words, (), moved[0][1]))
    return found


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference of two distribution functions (Kolmogorov and Smirnov)."""
    if min(len(a), len(b)) < _FEW:
        return 0.0
    values = np.concatenate([a, b])
    a, b = np.sort(a), np.sort(b)
    return float(
        np.abs(np.searchsorted(a, values, "right") / len(a) - np.searchsorted(b, values, "right") / len(b)).max()
    )


def _shares_apart(a: np.ndarray, b: np.ndarray) -> float:
    """Half the sum of the differences of shares, for as many values as the shares of few rows allow."""
    both, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    if len(both) > min(len(a), len(b)) / 5:
        return 0.0
    of_a = np.bincount(places[: len(a)], minlength=len(both)) / len(a)
    of_b = np.bincount(places[len(a) :], minlength=len(both)) / len(b)
    return float(np.abs(of_a - of_b).sum() / 2)
