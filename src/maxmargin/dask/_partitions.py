"""The samples of a cluster: X, y and weights as a user gives them, as partitions of the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import dask
import numpy as np
from dask.delayed import Delayed

from ..estimators import class_weights
from ..messages import InputError
from ._cluster import Cluster
from ._part import Facts, look, read_part


@dataclass(frozen=True)
class Partitions:
    """Checked samples, divided by rows.

    Attributes
    ----------
    cluster : Cluster
        Where they are.
    parts : sequence of Delayed
        Each a `Part`; none is empty.
    facts : sequence of Facts
        What is known of each.
    names : tuple of str or None
        Columns of a data frame.
    classes : ndarray or None
        All labels, in order.
    weighted : bool
        Whether weights were given.
    numbers : sequence of int
        The number of each among the partitions that were given, empty ones included.

    """

    cluster: Cluster
    parts: Sequence[Any]
    facts: Sequence[Facts]
    names: tuple[str, ...] | None
    classes: np.ndarray | None
    weighted: bool
    numbers: Sequence[int] = ()

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(fact.n for fact in self.facts)

    @property
    def used(self) -> int:
        """Rows of positive weight."""
        return sum(fact.used for fact in self.facts)

    @property
    def used_parts(self) -> list[Any]:
        """The partitions that have such rows."""
        return [part for part, fact in zip(self.parts, self.facts, strict=True) if fact.used]

    @property
    def columns(self) -> bool:
        """Whether y is a table, though it may have one column."""
        return any(fact.table for fact in self.facts)

    @property
    def d(self) -> int:
        """Number of columns."""
        return self.facts[0].d

    @property
    def dtype(self) -> np.dtype:
        """The type of the rows, float32 or float64."""
        return np.dtype(self.facts[0].dtype)

    @property
    def sparse(self) -> bool:
        """Whether there are CSR rows."""
        return any(fact.sparse for fact in self.facts)

    @property
    def size(self) -> float:
        """Bytes of all rows."""
        return float(sum(fact.size for fact in self.facts))

    @property
    def starts(self) -> list[int]:
        """The number of the first row of each partition."""
        return [0, *accumulate(fact.n for fact in self.facts)][:-1]

    @property
    def reach(self) -> float:
        """The length of a row whose entries are the mean sizes of the columns, or somewhat more."""
        return sum(fact.reach for fact in self.facts) / self.n

    def target_figures(self) -> tuple[float, float]:
        """The mean of the targets and their spread, neither of them weighted."""
        total, squares = (sum(getattr(fact, name) for fact in self.facts) for name in ("target_sum", "target_squares"))
        mean = total / self.n
        return mean, float(np.sqrt(max(squares / self.n - mean * mean, 0.0)))

    def class_weight(self, wanted: Any) -> np.ndarray:
        """The weight of each class, as `maxmargin.estimators.class_weights` says."""
        assert self.classes is not None
        return class_weights(wanted, self.classes, np.arange(len(self.classes)), self.label_sums("label_weights"))

    def label_sums(self, name: str) -> np.ndarray:
        """Samples or weights of each class, over all partitions."""
        assert self.classes is not None
        sums = np.zeros(len(self.classes))
        for fact in self.facts:
            sums[np.searchsorted(self.classes, np.asarray(fact.labels))] += getattr(fact, name)
        return sums


def partitions_of(cluster: Cluster, X: Any, y: Any, sample_weight: Any, kind: str) -> Partitions:
    """The samples, looked at once by the cluster; `kind` is "labels", "targets" or "none"."""
    blocks, names = blocks_of_rows(X)
    n = len(blocks)
    targets = [None] * n if kind == "none" else _blocks_like(y, X, n, "y")
    weights = [None] * n if sample_weight is None else _blocks_like(sample_weight, X, n, "sample_weight")
    triples = list(zip(blocks, targets, weights, strict=True))
    raw = [dask.delayed(_triple, pure=True)(*triple) for triple in triples]
    facts = cluster.each(f"look-at-{kind}", _look_at, raw, kind)
    _refuse_faults(facts)
    used = [k for k, fact in enumerate(facts) if fact.n > 0]
    if not used:
        raise InputError(f"X has no rows: all of its {n} partitions are empty.", argument="X")
    facts = [facts[k] for k in used]
    _refuse_different(facts, used)
    if sample_weight is not None and not sum(fact.weight for fact in facts) > 0:
        raise InputError(
            "sample_weight has no positive entry: all samples would be left out.", argument="sample_weight"
        )
    dtype = np.result_type(*(fact.dtype for fact in facts)).name
    facts = [replace(fact, dtype=dtype) for fact in facts]
    parts = cluster.mapped("read-partition", _read, [raw[k] for k in used], kind, dtype)
    if not _is_held(X):
        parts = cluster.kept(parts, float(sum(fact.size for fact in facts)))
    classes = _classes(facts) if kind == "labels" else None
    return Partitions(cluster, parts, facts, names, classes, sample_weight is not None, used)


def _triple(X: Any, y: Any, weight: Any) -> tuple:
    return X, y, weight


def _look_at(raw: tuple, kind: str) -> Facts:
    return look(raw[0], raw[1], raw[2], kind)


def _read(raw: tuple, kind: str, dtype: str) -> Any:
    """A partition that was looked at; of several types of floats in X all become the widest."""
    part = read_part(raw[0], raw[1], raw[2], kind, checked=False)
    return part if part.X.dtype.name == dtype else replace(part, X=part.X.astype(dtype))


# ---------------------------------------------------------------- what users give


def is_collection(value: Any) -> bool:
    """Whether this is a collection of Dask's."""
    return bool(dask.is_dask_collection(value))


def blocks_of_rows(X: Any) -> tuple[list[Any], tuple[str, ...] | None]:
    """The row blocks of X, and the names of its columns if it has any."""
    if not is_collection(X):
        kind = type(X).__name__
        raise InputError(
            f"X must be a dask array or a dask data frame; got {kind}. Type dask.array.from_array(X, "
            f"chunks=(100_000, -1)), or use the estimator of the same name outside maxmargin.dask.",
            argument="X",
        )
    if _is_frame(X):
        if X.ndim != 2:
            raise InputError("X is a single column; it must be a data frame. Type X.to_frame().", argument="X")
        names = tuple(X.columns) if all(isinstance(name, str) for name in X.columns) else None
        return list(X.to_delayed()), names
    if isinstance(X, Delayed) or not hasattr(X, "chunks"):
        raise InputError(
            f"X must be a dask array or a dask data frame; got a {type(X).__name__}. Type "
            f"dask.array.from_delayed(...), or dask.dataframe.from_delayed(...).",
            argument="X",
        )
    if X.ndim != 2:
        raise InputError(f"X must have 2 dimensions; it has {X.ndim}. Type X.reshape(...).", argument="X")
    if X.numblocks[1] != 1:
        raise InputError(
            f"X is divided between columns, into {X.numblocks[1]} blocks of each row: a row must lie in one partition. "
            f"Type X = X.rechunk({{1: -1}}).",
            argument="X",
        )
    return list(X.to_delayed().ravel()), None


def _blocks_like(y: Any, X: Any, n: int, name: str) -> list[Any]:
    """The blocks of y or of weights that belong to those of X."""
    if y is None:
        raise InputError(f"{name} is needed, and is None.", argument=name)
    if not is_collection(y):
        return _blocks_of_array(np.asarray(y), X, name)
    if isinstance(y, Delayed) or not (_is_frame(y) or hasattr(y, "chunks")):
        raise InputError(
            f"{name} must be a dask array, a column of a dask data frame or an array in memory; got a "
            f"{type(y).__name__}. Type dask.array.from_delayed(...).",
            argument=name,
        )
    if _is_frame(y):
        if getattr(y, "ndim", 1) == 2 and len(y.columns) != 1:
            raise InputError(
                f"{name} has {len(y.columns)} columns; give one of them, such as {name}['label'].", argument=name
            )
        found = list(y.to_delayed())
    else:
        if y.ndim == 2 and y.numblocks[1] != 1:
            y = y.rechunk({1: -1})
        if y.ndim not in (1, 2):
            raise InputError(f"{name} must have one dimension; it has {y.ndim}.", argument=name)
        rows: tuple = getattr(X, "chunks", ((np.nan,),))[0]
        known = not np.isnan([*rows, *y.chunks[0]]).any()
        if known and sum(rows) != sum(y.chunks[0]):
            raise InputError(
                f"{name} has {sum(y.chunks[0])} entries, and X has {sum(rows)} rows: they must be as many.",
                argument=name,
            )
        if known and rows != y.chunks[0]:  # the smaller of the two is moved
            y = y.rechunk({0: rows})
        found = list(y.to_delayed().ravel())
    if len(found) != n:
        raise InputError(
            f"{name} has {len(found)} partitions, and X has {n}: row by row they must be divided alike. Type "
            f"{name} = {name}.repartition(...) for a data frame, or X.compute_chunk_sizes() and "
            f"{name}.rechunk(X.chunks[0]) for arrays.",
            argument=name,
        )
    return found


def _blocks_of_array(y: np.ndarray, X: Any, name: str) -> list[Any]:
    """The parts of an array in memory for blocks of X, whose lengths have to be known."""
    rows = getattr(X, "chunks", (None,))[0]
    if rows is None or np.isnan(rows).any():
        raise InputError(
            f"{name} is not divided into partitions, and the lengths of those of X are not known. Give {name} as a "
            f"dask collection that is divided like X, or type X.compute_chunk_sizes().",
            argument=name,
        )
    if y.ndim == 0 and name == "sample_weight":
        y = np.full(int(sum(rows)), float(y))
    if y.ndim == 0 or len(y) != sum(rows):
        many = "one value" if y.ndim == 0 else f"{len(y)} entries"
        raise InputError(f"{name} has {many}, and X has {sum(rows)} rows: they must be as many.", argument=name)
    ends = np.cumsum(rows)[:-1]
    return [dask.delayed(block, traverse=False) for block in np.split(y, ends)]


def _is_held(X: Any) -> bool:
    """Whether the blocks of X are in the workers' memory already: then a partition is a view of them."""
    tasks = list(dict(X.__dask_graph__()).values())
    return len(tasks) == X.npartitions and all(type(task).__name__ == "Future" for task in tasks)


def _is_frame(X: Any) -> bool:
    return not isinstance(X, Delayed) and hasattr(X, "divisions") and hasattr(X, "to_delayed")


# ---------------------------------------------------------------- what was found


def _refuse_faults(facts: Sequence[Facts]) -> None:
    for k, fact in enumerate(facts):
        if fact.fault:
            raise InputError(f"partition {k} of {len(facts)}: {fact.fault}", argument="X")


def _refuse_different(facts: Sequence[Facts], numbers: Sequence[int]) -> None:
    """Refuse partitions of other columns than the first."""
    for fact, k in zip(facts, numbers, strict=True):
        if fact.d != facts[0].d:
            raise InputError(
                f"partition {k} of X has {fact.d} columns, and partition {numbers[0]} has {facts[0].d}.", argument="X"
            )
    if facts[0].d == 0:
        raise InputError("X has no columns: at least one is needed.", argument="X")


def _classes(facts: Sequence[Facts]) -> np.ndarray:
    found = [fact.labels for fact in facts if fact.labels is not None]
    kinds = {labels.dtype.kind in "US" for labels in found}
    if len(kinds) > 1:
        first = next(
            k for k, labels in enumerate(found) if (labels.dtype.kind in "US") != (found[0].dtype.kind in "US")
        )
        raise InputError(
            f"y has labels of {found[0].dtype} in partition 0 and of {found[first].dtype} in partition {first}: make "
            f"them of one type.",
            argument="y",
        )
    classes = np.unique(np.concatenate(found))
    if len(classes) < 2:
        raise InputError(
            f"y has one class alone in all partitions, {classes[0]!r}: a classifier needs two at least.", argument="y"
        )
    return classes
