"""Rows in cells of neighbours: few steps of k-means on a sample. No answer depends on their quality, only the time."""

from __future__ import annotations

import itertools

import numpy as np

from ...data import Rows
from ...engine import raise_interrupt, run_parallel
from ...kernels import TiledGram

_STEPS = 6
_SAMPLE = 40  # rows a cell that centres are made from
_PORTION = 4096
_BRANCHES = 32  # cells that a set of rows is divided into at once


def make_cells(gram: TiledGram, size: int, random: np.random.Generator, threads: int) -> list[np.ndarray]:
    """Rows of the matrix in cells of about `size` rows, none above twice as many."""
    rows, index = gram.rows, gram.index
    shift = np.zeros(rows.d) if rows.sparse else rows.mean
    done: list[np.ndarray] = []
    open_sets = [np.arange(len(index))]
    while open_sets:
        members = open_sets.pop()
        if len(members) <= 2 * size:
            done.append(members)
            continue
        count = int(min(_BRANCHES, max(2, round(len(members) / size))))
        label = _divide(rows, shift, index[members], count, random, threads)
        parts = [members[label == k] for k in range(count)]
        parts = [part for part in parts if len(part)]
        if len(parts) == 1:  # rows that coincide: any division is as good
            parts = np.array_split(random.permutation(members), count)
        open_sets += parts
    return done


def _divide(
    rows: Rows, shift: np.ndarray, chosen: np.ndarray, count: int, random: np.random.Generator, threads: int
) -> np.ndarray:
    """The nearest of `count` centres for each chosen row."""
    sample = chosen[random.permutation(len(chosen))[: _SAMPLE * count]]
    X = np.ascontiguousarray(rows.dense(sample, shift, np.float32))
    centres = X[:count].copy()
    for _ in range(_STEPS):
        label = _nearest(X, centres)
        for k in range(count):
            members = label == k
            centres[k] = X[members].mean(axis=0) if members.any() else X[random.integers(len(X))]
    out = np.empty(len(chosen), np.int64)

    def task(begin: int, end: int) -> None:
        for a in range(begin, end, _PORTION):
            part = chosen[a : min(a + _PORTION, end)]
            out[a : a + len(part)] = _nearest(np.ascontiguousarray(rows.dense(part, shift, np.float32)), centres)
            raise_interrupt()

    edges = [len(chosen) * t // threads for t in range(threads + 1)]
    run_parallel(task, [(a, b) for a, b in itertools.pairwise(edges) if a < b])
    return out


def _nearest(X: np.ndarray, centres: np.ndarray) -> np.ndarray:
    return np.argmin(0.5 * np.einsum("ij,ij->i", centres, centres) - X @ centres.T, axis=1)
