"""Kernel blocks shared between the pairs of a one-vs-one problem.

The matrix of a pair of classes a and b is made of K_aa, K_ab and K_bb. With k classes each K_aa serves k - 1 pairs:
computed once, ten classes need 55 blocks instead of 180.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from ._gram import Gram
from ._tiled_gram import TiledGram


class SharedBlocks:
    """The diagonal blocks of a Gram matrix, one a class, each computed when a pair first asks for it."""

    def __init__(self, gram: TiledGram, members: list[np.ndarray]) -> None:
        self.gram, self.members = gram, members
        self._blocks: dict[tuple[int, type], np.ndarray] = {}
        self._locks = [Lock() for _ in members]

    def bytes_needed(self) -> int:
        """Memory of all blocks in float64."""
        return 8 * sum(len(m) ** 2 for m in self.members)

    def diagonal_block(self, k: int, dtype: type) -> np.ndarray:
        """``K_kk``; not to be written to."""
        with self._locks[k]:
            if (k, dtype) not in self._blocks:
                self._blocks[k, dtype] = self.gram.restricted(self.members[k]).whole(dtype)
            return self._blocks[k, dtype]

    def pair(self, a: int, b: int, rows: np.ndarray) -> Gram:
        """The Gram matrix of the samples `rows`: the members of class a, then those of class b."""
        return _PairGram(self, a, b, rows)


class _PairGram(TiledGram):
    """A restricted `TiledGram` that takes what it can from shared blocks when all of it is asked for."""

    def __init__(self, shared: SharedBlocks, a: int, b: int, rows: np.ndarray) -> None:
        gram = shared.gram
        super().__init__(gram.kernel, gram.rows, gram.columns, gram.n_threads, _index=rows, _shared=gram._shared)
        self.shared, self.a, self.b = shared, a, b

    def whole(self, dtype: Any) -> np.ndarray:
        members_a, members_b = self.shared.members[self.a], self.shared.members[self.b]
        n, end = self.shape[0], len(members_a)
        out = np.empty((n, n), dtype)
        out[:end, :end] = self.shared.diagonal_block(self.a, dtype)
        out[end:, end:] = self.shared.diagonal_block(self.b, dtype)
        out[:end, end:] = self.shared.gram.block(members_a, members_b, dtype)
        out[end:, :end] = out[:end, end:].T
        return out
