"""What tuned kernel machines share: candidates, matrices that fit into memory or do not, engines."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils._param_validation import Interval, StrOptions

from ..engine import thread_count
from ..estimators import TakesKernel
from ..kernels import KERNELS, FreshProducts, Kernel, StoredMatrix, StoredProducts, make_kernel
from ..messages import InputError
from ..search import EXACT_ROWS, Fold, Grid, Search, SearchData, SearchState, automatic_count, check_values
from ._block_search import BlockSearch
from ._input import rows_of, training_rows
from ._landmark_search import LandmarkSearch
from ._search_problems import SearchProblems
from ._search_ranges import c_values, gamma_values, inner_product_gammas
from ._stored_search import StoredSearch, runs_of_chains

_WITHOUT_GAMMA = {"linear", "precomputed"}
# Steps that a binary problem may take without being asked for more: a tenth of what one machine alone may. The hardest
# cell of the searches measured (magic04, C=1000) takes 93,000.
_STEPS = 1_000_000
# The relative gap up to which a machine over landmarks counts as converged.
_GAP = 0.01


@dataclass(kw_only=True, eq=False, repr=False)
class KernelSearch(TakesKernel, Search):
    """Base of the kernel machines that tune themselves; not for direct use.

    Parameters
    ----------
    gammas : int or array-like, default=10
        Values of gamma, or how many automatic ones, from the quantiles of the distances. Not for kernels without
        gamma: "linear", "precomputed", values of ``maxmargin.kernels`` (which bring their own) and callables.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        As in :class:`SVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, in every fold of every candidate.
    memory : float, default=1000
        MB for kernel values. Where the matrix does not fit, its blocks are computed as they are needed; ``storage_``
        says what was done.
    max_iter : int, default=-1
        Largest number of SMO steps for a binary problem; -1 is an automatic, finite number.
    n_landmarks : int or None, default=None
        For more rows than exact machines of all candidates have time for: candidates are compared by machines over so
        many landmarks, as those of `LargeSVC` and `LargeSVR`. ``cv_results_`` has how far each is from the exact one
        (``relative_gap``, proven). The winner is trained exactly on all rows, as always.

    Attributes
    ----------
    storage_ : str
        How kernel values were kept.

    """

    _parameter_constraints: ClassVar[dict] = {
        **Search._parameter_constraints,
        "gammas": [Integral, "array-like"],
        "kernel": [StrOptions(set(KERNELS)), callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
    }

    gammas: Any = field(default=10, kw_only=False)
    kernel: str | Callable = "rbf"
    degree: int = 3
    coef0: float = 0.0
    tol: float = 1e-3
    memory: float = 1000
    max_iter: int = -1
    n_landmarks: int | None = None

    # as exact as the machines themselves are on small data, where a weight of 2 is the same as the row twice
    _exact_rows: ClassVar[int] = EXACT_ROWS

    @abstractmethod
    def _problems(self, data: SearchData, folds: list[Fold]) -> SearchProblems:
        """What is trained."""

    @abstractmethod
    def _landmark_machine(self, **params: Any) -> Any:
        """The machine of a candidate over `n_landmarks` landmarks, not fitted."""

    def _of_landmarks(self) -> dict[str, Any]:
        """The parameters of such a machine beside those of the formulation and of the candidate."""
        return {
            "method": "landmarks",
            "n_landmarks": self.n_landmarks,
            "kernel": self.kernel,
            "degree": self.degree,
            "coef0": self.coef0,
            "gap_tol": _GAP,
            "memory": self.memory,
            "n_jobs": self.n_jobs,
        }

    def _refuse(self) -> None:
        if self.n_landmarks is not None and (
            self._kernel_name in ("precomputed", "function") or not self._kernel_of(1.0).known_definite
        ):
            raise ValueError(
                f"n_landmarks={self.n_landmarks} needs a kernel that is positive semi-definite by its formula, with "
                f"values from rows ('rbf', 'linear', 'poly' with coef0 >= 0, or a Kernel made of such); got "
                f"{self.kernel!r}. Leave n_landmarks=None."
            )

    def _about_gaps(self) -> dict[str, Any]:
        if self.n_landmarks is None:
            return {}
        advice = (
            f"Its machines over {self.n_landmarks} landmarks are that far from the exact ones, by whose scores another "
            f"candidate may win: raise n_landmarks (or memory), or leave it None."
        )
        return {"advice": advice, "matters": [self.best_index_]}

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
            count = automatic_count("gammas", self.gammas)
            given = self.gammas if count is None else self._automatic_gammas(data.X, weights, count)
            gammas = check_values("gammas", given)
        count = automatic_count("Cs", self.Cs)
        Cs = check_values("Cs", self.Cs if count is None else self._automatic_cs(data, weights, gammas, count))
        return Grid(("C", "gamma"), (Cs, gammas)) if self._has_gamma else Grid(("C",), (Cs,))

    def _automatic_gammas(self, X: Any, weights: np.ndarray, count: int) -> np.ndarray:
        if self.kernel == "rbf":
            return gamma_values(X, weights, count)
        return inner_product_gammas(X, weights, count, self.degree if self.kernel == "poly" else 2)

    def _automatic_cs(self, data: SearchData, weights: np.ndarray, gammas: np.ndarray, count: int) -> np.ndarray:
        middle = float(np.exp(np.log(gammas).mean()))
        gram = self._kernel_of(middle).gram(rows_of(self.kernel, data.X), None, 1)
        return c_values(gram, weights, self._spread(data, weights), count)

    def _kernel_of(self, gamma: float) -> Kernel:
        return make_kernel(self.kernel, gamma, self.coef0, self.degree)

    # ---------------------------------------------------------------- training

    def _train(self, state: SearchState, data: SearchData, exact: bool = False) -> None:
        if self.n_landmarks is not None:
            self.storage_ = (
                f"landmarks: machines over {self.n_landmarks} rows are compared, the winner is trained exactly on all"
            )
            LandmarkSearch(machine=self._landmark_machine, data=data, wants_model=self.scoring is not None).run(state)
            return
        engine, decisive = self._engine(state, data)
        values = self._stored_values(data, engine["problems"], decisive, engine["threads"])
        if self.verbose and not exact:
            print(f"maxmargin: {self.storage_}", file=sys.stderr, flush=True)
        if values is None:
            rows = rows_of(self.kernel, data.X)
            BlockSearch(**engine, rows=rows, cache_bytes=int(self.memory * 1e6)).run(state)
        else:
            StoredSearch(**engine, values=values, exact=exact).run(state)

    def _engine(self, state: SearchState, data: SearchData) -> tuple[dict[str, Any], Kernel]:
        """What engines are made of, and the kernel that decides how kernel values are kept."""
        gammas = state.grid.values[1] if self._has_gamma else np.ones(1)
        engine: dict[str, Any] = {
            "problems": self._problems(data, state.folds),
            "kernels": [self._kernel_of(float(g)) for g in gammas],
            "tol": self.tol,
            "budget": max(_STEPS, 100 * len(data.y)) if self.max_iter == -1 else int(self.max_iter),
            "threads": thread_count(self.n_jobs),
            "fold_by_fold": self.race,
            "wants_model": self.scoring is not None,
        }
        # of RBF the largest gamma decides whether inner products are accurate enough; of others it may overflow
        decisive = int(np.argmax(gammas) if self._kernel_name == "rbf" else np.argmin(gammas))
        return engine, engine["kernels"][decisive]

    def train_part(
        self, state: SearchState, data: SearchData, part: tuple[list[int], list[int]], threads: int, exact: bool
    ) -> None:
        """Train one of the `parts`, as a search on so many threads would, on one thread.

        Parameters
        ----------
        state : SearchState
            What is open; what is found is written to it.
        data : SearchData
            Rows, labels and weights.
        part : tuple of lists of int
            Numbers of gammas and of folds.
        threads : int
            Those of the whole search.
        exact : bool
            Whether solutions are to be exact to rounding.

        """
        engine, decisive = self._engine(state, data)
        values = self._stored_values(data, engine["problems"], decisive, 1)
        if values is None:
            raise InputError(
                f"memory={self.memory:g} MB does not hold the kernel values of {len(data.y)} rows, of which each "
                f"worker keeps a matrix: {self.storage_}. Raise memory, or use the SVCCV of one machine.",
                argument="memory",
            )
        engine["threads"] = threads
        StoredSearch(**engine, values=values, exact=exact, part=part, workers=1).run(state)

    def parts(self, state: SearchState, data: SearchData, threads: int) -> list[tuple[list[int], list[int]]]:
        """What of a search on so many threads is independent of everything else: gammas and folds.

        Parameters
        ----------
        state : SearchState
            Candidates and folds.
        data : SearchData
            Rows, labels and weights.
        threads : int
            Those of the whole search.

        """
        gammas = len(state.grid.values[1]) if self._has_gamma else 1
        many = len(self._problems(data, state.folds).problems)
        return runs_of_chains(many, list(range(len(state.folds))), gammas, threads)

    def _stored_values(
        self, data: SearchData, problems: SearchProblems, kernel: Kernel, threads: int
    ) -> StoredProducts | FreshProducts | None:
        """Where kernel values come from: inner products in memory where they fit, else rows; None for blocks."""
        several, memory = len(problems.problems) > 1, self.memory * 1e6
        matrices = threads * StoredMatrix.bytes_needed(max(len(p.rows) for p in problems.problems))
        products = StoredProducts.bytes_needed(len(data.y))
        if products + matrices <= memory:
            self.storage_ = (
                f"stored: {products / 1e6:.0f} MB of inner products, {matrices / 1e6:.0f} MB of kernel values"
            )
            order = np.argsort(data.label, kind="stable") if several else None  # type: ignore[arg-type]
            return StoredProducts.of(kernel.gram(rows_of(self.kernel, data.X), None, threads), order)
        if matrices <= memory and several:
            self.storage_ = (
                f"recomputed: {matrices / 1e6:.0f} MB of kernel values; the inner products of all rows would take "
                f"another {products / 1e6:.0f} MB (memory={self.memory:g}) and are computed again for every gamma and "
                f"pair of classes"
            )
            return FreshProducts(rows_of(self.kernel, data.X))
        self.storage_ = (
            f"blocks: kernel values are computed again in every sweep; to keep them, {len(data.y)} rows take "
            f"{(products + matrices) / 1e6:.0f} MB (memory={self.memory:g})"
        )
        return None
