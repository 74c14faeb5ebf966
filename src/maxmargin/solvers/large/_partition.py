"""Rows in cells of neighbours. No answer depends on their quality, only the time and the gap.

k-means on samples divides the rows into small parts, and parts between which the kernel has most of its mass are joined
again until cells are full: a boundary then runs where the kernel is small, not where k-means happened to draw it.
"""

from __future__ import annotations

import itertools

import numpy as np

from ...data import Rows
from ...engine import raise_interrupt, run_parallel
from ...kernels import TiledGram

_STEPS = 8
_SAMPLE = 60  # rows a part that centres are made from
_PORTION = 4096
_BRANCHES = 32  # parts that a set of rows is divided into at once
_FINER = 8  # parts a cell, about
_MOST_PARTS = 1500  # joining them takes the square of their number
# Rows that the mass between parts is estimated from: so many a part, within these numbers in all.
_PROBES, _FEWEST, _MOST = 12, 4000, 20_000


def make_cells(gram: TiledGram, size: int, random: np.random.Generator, threads: int) -> list[np.ndarray]:
    """Rows of the matrix in cells of about `size` rows, none above twice as many."""
    n, most = gram.shape[0], 2 * size
    if n <= most:
        return [np.arange(n)]
    small = min(max(size // _FINER, n // _MOST_PARTS, 1), most)
    return _join(gram, _divide_all(gram, small, random, threads), most, random)


def _divide_all(gram: TiledGram, small: int, random: np.random.Generator, threads: int) -> list[np.ndarray]:
    """Parts of about `small` rows, none above twice as many."""
    rows, index = gram.rows, gram.index
    shift = np.zeros(rows.d) if rows.sparse else rows.mean
    done: list[np.ndarray] = []
    open_sets = [np.arange(len(index))]
    while open_sets:
        members = open_sets.pop()
        if len(members) <= 2 * small:
            done.append(members)
            continue
        count = int(min(_BRANCHES, max(2, round(len(members) / small))))
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
    centres = _first_centres(X, count, random)
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


def _first_centres(X: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Rows drawn one after the other, each by its squared distance to those before it (Arthur, Vassilvitskii 2007)."""
    centres = np.empty((count, X.shape[1]), np.float32)
    distance = np.ones(len(X))
    for k in range(count):
        whole = float(distance.sum())
        chosen = random.choice(len(X), p=distance / whole) if 0 < whole < np.inf else random.integers(len(X))
        centres[k] = X[chosen]
        from_it = np.square(X - centres[k]).sum(axis=1, dtype=np.float64)
        distance = from_it if k == 0 else np.minimum(distance, from_it)
    return centres


def _nearest(X: np.ndarray, centres: np.ndarray) -> np.ndarray:
    return np.argmin(0.5 * np.einsum("ij,ij->i", centres, centres) - X @ centres.T, axis=1)


def _join(gram: TiledGram, parts: list[np.ndarray], most: int, random: np.random.Generator) -> list[np.ndarray]:
    """Parts joined, those with most mass between them first, to cells of at most `most` rows."""
    mass, size = _mass_between(gram, parts, random), np.array([len(part) for part in parts])
    np.fill_diagonal(mass, -1.0)
    mass[size[:, None] + size > most] = -1.0
    group = np.arange(len(parts))
    while True:
        a, b = divmod(int(np.argmax(mass)), len(parts))
        if mass[a, b] < 0:
            break
        group[group == b] = a
        joined = np.maximum(mass[a], 0.0) + np.maximum(mass[b], 0.0)
        size[a], size[b] = size[a] + size[b], most + 1  # b is no more
        joined[(size[a] + size > most) | (size > most)] = -1.0
        joined[a] = -1.0
        mass[a] = mass[:, a] = joined
        mass[b] = mass[:, b] = -1.0
    return [np.sort(np.concatenate([parts[k] for k in np.flatnonzero(group == g)])) for g in np.unique(group)]


def _mass_between(gram: TiledGram, parts: list[np.ndarray], random: np.random.Generator) -> np.ndarray:
    """Sums of absolute kernel values between the rows of parts, from a sample of each."""
    n = sum(map(len, parts))
    share = min(1.0, min(max(_PROBES * len(parts), _FEWEST), _MOST) / n)
    samples = [random.choice(part, max(1, int(share * len(part))), replace=False) for part in parts]
    begins = np.concatenate([[0], np.cumsum([len(s) for s in samples])[:-1]])
    weight = np.array([len(part) / len(s) for part, s in zip(parts, samples, strict=True)])
    chosen, mass = np.concatenate(samples), np.empty((len(parts), len(parts)))
    for k, sample in enumerate(samples):
        sums = np.abs(gram.block(sample, chosen, np.float32)).sum(axis=0, dtype=np.float64)
        mass[k] = np.add.reduceat(sums, begins)
        raise_interrupt()
    mass *= weight[:, None] * weight
    return np.where(np.isfinite(mass), (mass + mass.T) / 2, 0.0)
