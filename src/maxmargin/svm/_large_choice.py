"""Which rows an approximation of a problem of many rows is made of: landmarks or cells, and which of the two."""

from __future__ import annotations

import numpy as np

from ..kernels import TiledGram
from ..problems import BoxQP
from ..solvers.large import ChosenRows, bytes_of, cell_size, choose_rows, make_cells, most_landmarks
from ._large_options import CACHE, LargeOptions

_FEWEST, _MOST = 20, 8000  # landmarks
# Landmarks that leave more of the trace than this, times C and relative to the gap that is wanted, will not do. Of more
# rows than the second number less may be left: of covtype at C = 1 the gap was 4 times what is left at 100,000 rows, 6
# times at 200,000, 13 times at 522,911.
_LEFT, _LEFT_ROWS, _LEFT_POWER = 0.2, 100_000, 0.65
# Landmarks that are tried first. Twice as many are tried unless even as many as there is room for are likely to leave
# so many times what will do: the share that is left falls ever faster with their number.
_FIRST, _UNLIKELY = 500, 4.0
# Landmarks for each root of the number of rows: with that, Newton's steps take the same share of the exact solver's
# time whatever the number of rows is. Covtype, 100,000 rows, C = 10: 1264 instead of up to 8000.
_WORTH = 4.0
# A gap of landmarks that is likely to be so many times the one that is wanted is none, and cells that leave more than
# this share of the kernel's mass are none either.
_TOO_MUCH, _LOCAL = 2.0, 0.5
# Rows of a cell, at least, and at most; between them an eighth of all. Covtype, gamma = 0.3, C = 10: cells of 3000 rows
# leave a gap of 14 % (50,000 rows) and 29 % (100,000 rows), cells of 10,000 leave 0.7 % and 6.6 %, in twice the time.
_CELL, _LARGEST_CELL = 3000, 10_000
_PROBE = 500  # rows whose kernel mass is looked at
# The share of a time limit for the choice of landmarks.
_CHOICE = 0.2


class Choice:
    """What there is to choose from, by the kernel matrix and the options of the fit."""

    def __init__(self, problem: BoxQP, options: LargeOptions, random: np.random.Generator) -> None:
        self.problem, self.options, self.random = problem, options, random
        self.n = problem.gram.shape[0]
        self.likely = 1.0  # the share of the trace that as many landmarks as there is room for leave

    def most(self) -> int:
        """Landmarks that there is room for; of few rows half of them at most."""
        return min(_MOST, max(self.n // 2, 1), most_landmarks(self.options.memory, self.n, self.problem.n))

    def landmarks(self, first: np.ndarray | None = None) -> ChosenRows | None:
        """Landmarks that are likely to do, or as many as there is room for; None if that is too few to be of use."""
        o, most = self.options, self.most()
        if o.n_landmarks:
            needed = bytes_of(min(o.n_landmarks, self.n), self.n, self.problem.n)
            if needed > o.memory:
                raise ValueError(
                    f"n_landmarks={o.n_landmarks} for {self.n} rows need {needed / 1e6:.0f} MB; "
                    f"memory={o.memory / 1e6:g}. Raise memory (in MB), or leave n_landmarks=None."
                )
            most = min(o.n_landmarks, self.n)
        elif most < min(_FEWEST, self.n // 2):
            if o.method == "landmarks":
                needed = bytes_of(10 * _FEWEST, self.n, self.problem.n)
                raise ValueError(
                    f"memory={o.memory / 1e6:g} (MB) holds {most} landmarks of {self.n} rows, too few for "
                    f"method='landmarks'. Raise memory to {np.ceil(needed / 1e6):.0f} or more."
                )
            return None
        elif first is not None:
            most = min(most, 2 * len(first))
        enough = 0.0 if o.n_landmarks else o.first_gap / max(self.gap_of_trace(), 1e-300)
        if o.n_landmarks or o.method != "auto" or first is not None or o.limit.left < np.inf:
            return self._chosen(most, enough, first)
        return self._promising(min(most, max(_FIRST, int(_WORTH * np.sqrt(self.n)))), enough)

    def _chosen(self, most: int, enough: float, first: np.ndarray | None) -> ChosenRows:
        limit = self.options.limit.share(round(1 / _CHOICE))
        return choose_rows(self.problem.gram, most, self.random, self.options.threads, enough, first, limit)

    def _promising(self, most: int, enough: float) -> ChosenRows:
        """Twice as many landmarks as long as that is likely to do; else few, which are a start of exact steps."""
        count = min(_FIRST, most)
        found = self._chosen(count, enough, None)
        while count < most and found.left > enough and len(found.rows) == count:
            count, before = min(2 * count, most), found
            found = self._chosen(count, enough, before.rows)
            fall = np.log(max(found.left, 1e-300) / before.left) / np.log(count / len(before.rows))
            self.likely = found.left * (most / count) ** fall
            if self.likely > _UNLIKELY * enough:
                break
        return found

    def gap_of_trace(self) -> float:
        """About the relative gap of landmarks that would leave all of the kernel's trace."""
        width = float(np.mean(self.problem.upper - self.problem.lower))
        diagonal = float(np.mean(self.problem.gram.diagonal()))
        return width * diagonal / (_LEFT * min(1.0, _LEFT_ROWS / self.n) ** _LEFT_POWER)

    def cells(self) -> list[np.ndarray] | None:
        """Rows of each cell; None for a kernel whose rows have no place in space."""
        gram = self.problem.gram
        if not isinstance(gram, TiledGram):
            return None
        o = self.options
        wanted = min(max(_CELL, self.n // 8), _LARGEST_CELL)
        size = cell_size(wanted, self.problem.n // self.n, CACHE * o.memory, o.threads)
        return make_cells(gram, size, self.random, o.threads)

    def compare(self, landmarks: ChosenRows | None, cells: list[np.ndarray] | None) -> tuple[str, str]:
        """Landmarks or cells: by the gap that is likely with landmarks, and what cells leave of the kernel's mass.

        Where neither is likely to do, and time is not limited, the exact solver is faster without a start: covtype,
        100,000 rows, C = 10, a gap of 1 %: 66 s of processor time, and 139 s from a start on 1000 landmarks.
        """
        outside = 1.0 if cells is None else self._mass_between(cells)
        left = 1.0 if landmarks is None else landmarks.left
        likely, wanted = min(left, self.likely) * self.gap_of_trace(), self.options.first_gap
        share = (
            f"landmarks {left:.2%} of the kernel's trace" if landmarks is not None else "there is no room for landmarks"
        )
        if self.options.limit.left == np.inf and not self.options.n_landmarks:
            if likely > _TOO_MUCH * wanted and outside > _LOCAL:
                return "exact", f"Cells leave {outside:.0%} of the kernel's mass, {share}: neither is a good start. "
        if landmarks is not None and likely <= max(outside, wanted):
            return "landmarks", f"Landmarks rather than cells, which leave {outside:.0%} of the kernel's mass. "
        if cells is not None:
            return "cells", f"Cells leave {outside:.0%} of the kernel's mass, {share}. "
        return "exact", "Neither landmarks nor cells fit into memory. "

    def _mass_between(self, cells: list[np.ndarray]) -> float:
        """The share of the kernel's values that lies between rows of different cells, on a sample."""
        label = np.empty(self.n, np.int64)
        for k, rows in enumerate(cells):
            label[rows] = k
        i = self.random.choice(self.n, min(_PROBE, self.n), replace=False)
        j = self.random.choice(self.n, min(10 * _PROBE, self.n), replace=False)
        K = np.abs(self.problem.gram.block(i, j, np.float32)).astype(np.float64)
        K[i[:, None] == j] = 0.0
        return float(K[label[i][:, None] != label[j]].sum() / max(K.sum(), 1e-300))
