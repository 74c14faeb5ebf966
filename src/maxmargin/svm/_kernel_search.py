"""What tuned kernel machines share: candidates, matrices that fit into memory or do not, engines."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils._param_validation import Interval, StrOptions

from ..engine import thread_count
from ..kernels import KERNELS, FreshProducts, Gram, Kernel, StoredMatrix, StoredProducts, kernel_name, make_kernel
from ..search import Board, Engine, Fold, Grid, Search, SearchData, resolve_values
from ._block_search import BlockSearch
from ._input import rows_of, training_rows
from ._search_problems import SearchProblems
from ._search_ranges import c_values, gamma_values, inner_product_gammas
from ._stored_search import StoredSearch

_WITHOUT_GAMMA = {"linear", "precomputed"}
# Up to here the winner's folds are trained once more, to rounding errors, before their values calibrate: as exact as
# the machines themselves are on small data, where a weight of 2 is the same as the row twice.
_SMALL = 512
# Steps that a binary problem may take without being asked for more: a tenth of what one machine alone may. The hardest
# cell of the searches measured (magic04, C=1000) takes 93,000.
_STEPS = 1_000_000


class _KernelEngine:
    """Chooses how to train once the folds are known."""

    def __init__(self, search: KernelSearch, data: SearchData) -> None:
        self.search, self.data = search, data

    def run(self, board: Board) -> None:
        """Train what is open on the board."""
        engine = self.search._engine_for(self.data, board.folds, board.grid)
        if self.search.verbose and not self.search._polishing:
            print(f"maxmargin: {self.search.storage_}", file=sys.stderr, flush=True)
        engine.run(board)


class KernelSearch(Search):
    """Base of the kernel machines that tune themselves; not for direct use."""

    _parameter_constraints: dict = {
        **Search._parameter_constraints,
        "gammas": [Integral, "array-like"],
        "kernel": [StrOptions(set(KERNELS)), callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
    }

    gammas: Any
    kernel: str | Callable
    degree: int
    coef0: float
    tol: float
    max_iter: int
    memory: float
    n_jobs: int | None

    _polishing = False

    @property
    def _kernel_name(self) -> str:
        """What kind of kernel this is, whether given by name, as an object or as a function."""
        return kernel_name(self.kernel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self._kernel_name == "precomputed"
        tags.input_tags.sparse = self._kernel_name != "precomputed"
        return tags

    @abstractmethod
    def _problems(self, data: SearchData, folds: list[Fold]) -> SearchProblems:
        """What is trained."""

    @abstractmethod
    def _spread(self, data: SearchData, weights: np.ndarray) -> float:
        """The size of the targets: what C is proportional to."""

    def _validate_training(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        X, y = training_rows(self, X, y, y_numeric=not is_classifier(self))
        return X, np.asarray(y)

    # ---------------------------------------------------------------- candidates

    @property
    def _has_gamma(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel not in _WITHOUT_GAMMA

    def _make_grid(self, data: SearchData) -> Grid:
        weights = np.ones(len(data.y)) if data.weights is None else data.weights
        self.storage_ = "nothing: every candidate was trained before"  # until an engine says otherwise
        gammas = np.ones(1)
        if not self._has_gamma and not isinstance(self.gammas, Integral):
            raise ValueError(f"gammas has no meaning for kernel={self.kernel!r}; leave it out. Got {self.gammas!r}.")
        if self._has_gamma:
            gammas = resolve_values("gammas", self.gammas, lambda count: self._automatic_gammas(data.X, weights, count))

        def automatic_c(count: int) -> np.ndarray:
            middle = float(np.exp(np.log(gammas).mean()))
            gram = self._kernel_of(middle).gram(rows_of(self.kernel, data.X), None, 1)
            return c_values(gram, weights, self._spread(data, weights), count)

        Cs = resolve_values("Cs", self.Cs, automatic_c)
        return Grid(("C", "gamma"), (Cs, gammas)) if self._has_gamma else Grid(("C",), (Cs,))

    def _automatic_gammas(self, X: Any, weights: np.ndarray, count: int) -> np.ndarray:
        if self.kernel == "rbf":
            return gamma_values(X, weights, count)
        return inner_product_gammas(X, weights, count, self.degree if self.kernel == "poly" else 2)

    def _kernel_of(self, gamma: float) -> Kernel:
        return make_kernel(self.kernel, gamma, self.coef0, self.degree)

    # ---------------------------------------------------------------- engines

    def _after(self, board: Board, data: SearchData) -> None:
        if self._keeps_values() and len(data.y) <= _SMALL:
            board.record.values.clear()
            self._polishing = True
        try:
            super()._after(board, data)
        finally:
            self._polishing = False

    def _make_engine(self, data: SearchData) -> Engine:
        return _KernelEngine(self, data)

    def _engine_for(self, data: SearchData, folds: list[Fold], grid: Grid) -> Engine:
        """Matrices in memory where they fit; else pairs' matrices from rows; else blocks."""
        problems = self._problems(data, folds)
        gammas = grid.values[1] if self._has_gamma else np.ones(1)
        kernels = [self._kernel_of(float(g)) for g in gammas]
        budget = max(_STEPS, 100 * len(data.y)) if self.max_iter == -1 else int(self.max_iter)
        threads = thread_count(self.n_jobs)
        common = (self.tol, budget, threads, self.race, self.scoring is not None)
        rows = rows_of(self.kernel, data.X)
        largest = max(len(p.rows) for p in problems.problems)
        matrices = threads * StoredMatrix.bytes_needed(largest)
        products = StoredProducts.bytes_needed(len(data.y))
        room = self.memory * 1e6
        if products + matrices <= room:
            self.storage_ = (
                f"stored: {products / 1e6:.0f} MB of inner products, {matrices / 1e6:.0f} MB of kernel values"
            )
            order = None if len(problems.problems) == 1 else np.argsort(data.label, kind="stable")  # type: ignore[arg-type]
            # of RBF the largest gamma decides whether inner products are accurate enough; of others it may overflow
            decisive = int(np.argmax(gammas) if self._kernel_name == "rbf" else np.argmin(gammas))
            gram: Gram = kernels[decisive].gram(rows, None, threads)
            return StoredSearch(problems, StoredProducts.of(gram, order), kernels, *common, self._polishing)
        if matrices <= room and len(problems.problems) > 1:
            self.storage_ = (
                f"recomputed: {matrices / 1e6:.0f} MB of kernel values; the inner products of all rows would take "
                f"another {products / 1e6:.0f} MB (memory={self.memory:g}) and are computed again for every gamma and "
                f"pair of classes"
            )
            return StoredSearch(problems, FreshProducts(rows), kernels, *common, self._polishing)
        self.storage_ = (
            f"blocks: kernel values are computed again in every sweep; to keep them, {len(data.y)} rows take "
            f"{(products + matrices) / 1e6:.0f} MB (memory={self.memory:g})"
        )
        return BlockSearch(problems, rows, kernels, *common, cache_bytes=int(room))
