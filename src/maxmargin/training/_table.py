"""The table to learn from, which of its rows are held out or tuned on, and in which folds; all of it by a seed."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import KFold, StratifiedKFold

from ..data import csr_rows
from ..engine import cached_property
from ..messages import Argument, Place, listed, quoted
from ..tables import (
    Column,
    SparseTable,
    TableSummary,
    absent,
    columns_of,
    describe_table,
    fingerprint,
    frame_of,
    is_frame,
    named,
)
from ._split import RANDOM, RowOrder, hold_out, ordered_folds, read_rows
from ._target import Target
from ._training import Split, TrainingError


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """A data frame, or sparse rows, with the target set apart.

    Attributes
    ----------
    features : data frame of narwhals or CSR matrix
        The columns to learn from.
    target : Column
        The one to learn.
    given : any
        The table as it was given.
    sparse : bool

    """

    features: Any
    target: Column
    given: Any
    sparse: bool

    @property
    def rows(self) -> int:
        """How many."""
        return int(self.features.shape[0])

    def take(self, rows: np.ndarray | None = None) -> Any:
        """The columns to learn from as a model takes them, of all rows or of some."""
        if self.sparse:
            return self.features if rows is None else self.features[rows]
        return (self.features if rows is None else self.features[rows]).to_native()

    @cached_property
    def summary(self) -> TableSummary:
        """What the table holds, the target described apart."""
        return describe_table(self.given, None if self.sparse else self.target.name)

    @cached_property
    def fingerprint(self) -> str:
        """One for the whole table, target and all."""
        return _sparse_fingerprint(self.given) if self.sparse else fingerprint(self.given)


def open_table(data: Any, target: str | None, columns: Sequence[str] | None = None) -> TrainingTable:
    """The table with its target set apart; a missing target or column is refused by name.

    One that is open already is what it is, unless another target or some columns are asked for.
    """
    if isinstance(data, TrainingTable):
        if columns is None and target == (None if data.sparse else data.target.name):
            return data
        data = data.given
    if isinstance(data, SparseTable):
        if columns is not None:
            words = " names columns, and those of a LIBSVM table have none: leave it out."
            raise TrainingError(Argument("columns"), words)
        if target is not None:
            raise TrainingError(
                Argument("target", target),
                ": the target of a LIBSVM table is the number at the beginning of each line; leave target out.",
            )
        return TrainingTable(csr_rows(data.X), Column("target", "number", np.asarray(data.y)), data, True)
    if not is_frame(data):
        words = f"data must be a data frame (pandas, polars, pyarrow) or a SparseTable; got {type(data)}."
        raise TrainingError(words, argument="data")
    frame = frame_of(data)
    names = [str(name) for name in frame.columns]
    if target is None:
        words = f"target must name the column to learn; the table has {listed(map(quoted, names))}."
        raise TrainingError(words, argument="target")
    if target not in names:
        raise absent([target], names, "the table", argument="target")
    # By their places: names may be numbers, as those of pandas.DataFrame(array) are.
    column = named(columns_of(frame[:, [names.index(target)]].to_native()))[target]
    if columns is None:
        kept = [place for place, name in enumerate(names) if name != target]
    else:
        _check_columns(columns, names, target)
        kept = [names.index(name) for name in columns]
    if not kept:
        words = f"the table has no column but the target {target!r}: there is nothing to learn from."
        raise TrainingError(words, place=Place(column=target))
    if not frame.shape[0]:
        raise TrainingError("the table has no rows.")
    return TrainingTable(frame[:, kept], column, data, False)


def _check_columns(columns: Sequence[str], names: list[str], target: str) -> None:
    if isinstance(columns, str) or not all(isinstance(name, str) for name in columns):
        raise TrainingError(f"columns must be a list of names; got {columns!r}.", argument="columns")
    if any(name not in names for name in columns):
        raise absent(columns, names, Argument("columns"), " names a column that is not there: the table")
    if target in columns:
        raise TrainingError(Argument("columns"), f" has the target {target!r} itself: leave it out there.")
    if len(set(columns)) < len(columns):
        words = f" names a column twice: {listed(map(quoted, sorted(columns)))}."
        raise TrainingError(Argument("columns"), words)


def _sparse_fingerprint(table: SparseTable) -> str:
    """Of the cells that are not 0, row by row, whatever else is stored."""
    X = csr_rows(table.X).copy()
    X.eliminate_zeros()
    found = hashlib.sha256(b"sparse rows")
    found.update(np.asarray(X.shape[:1], dtype="<i8").tobytes())
    for array, dtype in ((X.indptr, "<i8"), (X.indices, "<i8"), (X.data, "<f8"), (table.y, "<f8")):
        found.update(np.ascontiguousarray(array, dtype=dtype).tobytes())
    return found.hexdigest()


def rows_fingerprint(X: Any, y: np.ndarray) -> str:
    """Of prepared rows and their targets: what a certificate is about."""
    if sp.issparse(X):
        return _sparse_fingerprint(SparseTable(X, _coded(y)))
    found = hashlib.sha256(b"dense rows")
    found.update(np.asarray(X.shape, dtype="<i8").tobytes())
    found.update(np.ascontiguousarray(X, dtype="<f8").data)
    found.update(_labels(y))
    return found.hexdigest()


def _coded(y: np.ndarray) -> np.ndarray:
    """Targets as numbers, labels by their place in order."""
    return y if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1].astype(np.float64)


def _labels(y: np.ndarray) -> bytes:
    if y.dtype.kind == "f":
        return np.ascontiguousarray(y, dtype="<f8").tobytes()
    classes, codes = np.unique(y, return_inverse=True)
    return "\0".join(map(str, classes.tolist())).encode() + codes.astype("<i8").tobytes()


# Each draw has its own stream of random numbers, so that one does not depend on whether another was made.
_TEST, _TUNING, _COARSE = 1, 2, 3


@dataclass(frozen=True, eq=False)
class Divided:
    """The rows of a table, parted as in a training.

    Attributes
    ----------
    X_train, X_test : data frame or CSR matrix
        Columns to learn from, as the model takes them.
    y_train, y_test : ndarray
        Labels or numbers.
    split : Split
    table : TrainingTable
        All rows.
    target : Target
        Labels or numbers of those that have one.

    """

    X_train: Any
    y_train: np.ndarray
    X_test: Any
    y_test: np.ndarray
    split: Split
    table: TrainingTable
    target: Target


def divide_table(table: TrainingTable, target: Target, split: Split) -> Divided:
    """The rows of a table and their targets in the two parts of a split."""
    train, test = split.train_rows, split.test_rows
    return Divided(table.take(train), target.of(train), table.take(test), target.of(test), split, table, target)


def draw_rows(codes: np.ndarray | None, n: int, count: int, least: int, seed: int, stream: int) -> np.ndarray:
    """`count` of n rows at random, sorted; of each class in proportion, at least `least` (or all it has).

    Shares that are not whole are rounded down, and the rows that are left go to the largest remainders.
    """
    generator = np.random.default_rng([seed, stream])
    if codes is None:
        return np.sort(generator.permutation(n)[:count])
    sizes = np.bincount(codes)
    wanted = sizes * (count / n)
    take = np.maximum(np.floor(wanted).astype(int), np.minimum(least, sizes))
    for k in np.argsort(take - wanted, kind="stable")[: max(0, count - int(take.sum()))]:
        take[k] += take[k] < sizes[k]
    order = generator.permutation(n)
    of_class = order[np.argsort(codes[order], kind="stable")]
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    chosen = [of_class[begin : begin + many] for begin, many in zip(begins, take, strict=True)]
    return np.sort(np.concatenate(chosen))


def make_split(
    y: np.ndarray,
    rows: np.ndarray,
    total: int,
    classes: bool,
    test: float,
    seed: int,
    order: RowOrder | None = None,
) -> Split:
    """Rows to train on and rows to test on.

    Parameters
    ----------
    y : ndarray
        Targets of `rows`.
    rows : ndarray of int
        Numbers of the rows that have a target.
    total : int
        Rows of the table.
    classes : bool
        Whether y are labels, whose proportions are kept; each has at least two training rows.
    test : float
        Share that is held out.
    seed : int
    order : RowOrder, optional
        How the rows hang together.

    """
    n = len(rows)
    codes = np.unique(y, return_inverse=True)[1] if classes else None
    if order is not None and not order.plain:
        away = hold_out(order, codes, test, seed)
        stratified = classes and order.times is None
        return Split(
            test, seed, stratified, rows[~away], rows[away], total - n, order.kind, order.column, order.together
        )
    keep = n - round(test * n)
    train = draw_rows(codes, n, keep, 2, seed, _TEST) if test else np.arange(n)
    held = np.ones(n, dtype=bool)
    held[train] = False
    return Split(test, seed, classes, rows[train], rows[held], total - n)


def draw_tuning_rows(codes: np.ndarray | None, n: int, most: int, seed: int) -> np.ndarray:
    """Training rows that the families are cross-validated on: all, or a draw."""
    return np.arange(n) if n <= most else draw_rows(codes, n, most, 2, seed, _TUNING)


def coarse_rows(codes: np.ndarray | None, n: int, most: int, seed: int) -> np.ndarray:
    """Rows of a first, wide search."""
    return np.arange(n) if n <= most else draw_rows(codes, n, most, 2, seed, _COARSE)


def split_again(parts: Mapping[str, Any], y: np.ndarray, rows: np.ndarray, total: int, classes: bool) -> Split | None:
    """The split that an account tells of; None if it cannot be that of a table of so many rows.

    Parameters
    ----------
    parts : dict
        As `split_account` gives it.
    y, rows, total, classes : as in `make_split`

    """
    written = parts.get("held_out")
    if written is None:
        return make_split(y, rows, total, classes, float(parts["test"]), int(parts["seed"]))
    away = read_rows(written, total) if total == parts["rows"] else None
    if away is None:
        return None
    told = str(parts.get("kind", RANDOM)), parts.get("column"), int(parts.get("together") or 0)
    stratified = bool(parts.get("stratified", False))
    train, held = rows[~away[rows]], rows[away[rows]]
    return Split(float(parts["test"]), int(parts["seed"]), stratified, train, held, total - len(rows), *told)


def make_folds(
    codes: np.ndarray | None, n: int, folds: int, seed: int, order: RowOrder | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same folds for every family; classes keep their proportions, and rows that hang together stay so."""
    if order is not None and not order.plain:
        return ordered_folds(order, codes, folds, seed)
    if codes is None:
        return list(KFold(min(folds, n), shuffle=True, random_state=seed).split(np.zeros(n)))
    count = max(2, min(folds, int(np.bincount(codes).max())))
    with warnings.catch_warnings():
        # a class of fewer rows than folds is in the training part of each, which is all that is needed
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        return list(StratifiedKFold(count, shuffle=True, random_state=seed).split(np.zeros(n), codes))
