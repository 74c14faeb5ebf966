"""Cross-validation of linear classifiers: in every fold one path over C, each solution started from its neighbour."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..engine import Stopwatch, one_blas_thread, run_parallel, thread_count
from ..estimators import keep_proof
from ..search import Grid, Outcome, SearchClassifier, SearchData, SearchState, automatic_count, check_values
from ..solvers import Monitor
from ._c_range import automatic_values
from ._classifier import LinearClassifierMachine
from ._fit import solve_training
from ._model import keep
from ._solve import Part
from ._training import Training, training_of

# Values of X between which folds are trained side by side. Below, Python's own lock costs more than a second thread
# brings; above, the copies of the training rows take too much memory, and threads within a solver do as well.
_SIDE_BY_SIDE = 20_000, 2**24
# Fewer folds than threads: so few values that threads within a solver would have too little to do.
_FEW_VALUES = 400_000


class LinearEngine:
    """Trains the candidates of a linear classifier.

    Parameters
    ----------
    machine : callable
        From C and n_jobs to the machine, not fitted.
    data : SearchData
    n_jobs : int or None

    """

    def __init__(
        self, machine: Callable[[float, int | None], LinearClassifierMachine], data: SearchData, n_jobs: int | None
    ) -> None:
        self._machine, self._data, self._n_jobs = machine, data, n_jobs

    def run(self, state: SearchState) -> None:
        """Folds side by side where that pays, else (and in a race) one after the other with all threads in each."""
        folds = deque(f for f in range(len(state.folds)) if state.anything_open(f))
        threads = min(thread_count(self._n_jobs), len(folds))
        if state.race is not None or not self._side_by_side(len(folds)):
            for f in folds:
                self._follow_path(state, f, self._n_jobs)
            return

        def work() -> None:
            while True:
                try:
                    f = folds.popleft()
                except IndexError:
                    return
                self._follow_path(state, f, 1)

        with one_blas_thread():  # for the predictions too
            run_parallel(work, [()] * threads, on_error=state.stop)

    def _side_by_side(self, folds: int) -> bool:
        threads, X = thread_count(self._n_jobs), self._data.X
        stored = X.nnz if hasattr(X, "nnz") else X.size
        low, high = _SIDE_BY_SIDE
        return min(folds, threads) > 1 and low <= stored <= high and (folds >= threads or stored < _FEW_VALUES)

    def _follow_path(self, state: SearchState, f: int, n_jobs: int | None) -> None:
        """Every C that is open in a fold, from the smallest (whose solution is next to zero) up."""
        Cs = state.grid.values[0]
        order = [k for k in np.argsort(Cs, kind="stable").tolist() if state.open(k, f)]
        data, train, test = self._data, state.folds[f].train, state.folds[f].test
        weights = None if data.weights is None else data.weights[train]
        rows = data.X[test]
        training, last = None, None
        for k in order:
            if not state.open(k, f):  # dropped or stopped since
                continue
            try:
                machine = self._machine(float(Cs[k]), n_jobs)
                if training is None:
                    training = _training_of(machine, data, train, weights)
                watch = Stopwatch()
                last = _solve(machine, training, last)
                outcome = _outcome(machine, rows, last, watch.seconds())
            except Exception as error:
                last = None
                state.fail(k, f, error)
            else:
                state.enter(k, f, outcome)
                state.drop()  # folds of a race come one after the other


def _training_of(
    machine: LinearClassifierMachine, data: SearchData, train: np.ndarray, weights: np.ndarray | None
) -> Training:
    """Checked training rows of a fold; rows without weight take no part, as if they were not there."""
    if weights is not None and not weights.all():
        train, weights = train[weights > 0], weights[weights > 0]
    return training_of(machine, data.X[train], data.y[train], weights)


def _solve(machine: LinearClassifierMachine, training: Training, last: list[Part] | None) -> list[Part]:
    """Train a machine from a neighbour's solution; raises KeyboardInterrupt on Ctrl-C."""
    starts: list[np.ndarray | None] = [None] * training.problems
    slopes = starts
    if last is not None:
        starts = list(np.vstack([part.theta for part in last]))
        slopes = [part.slopes_of_samples for part in last]
    formulation, monitor = machine._formulation(), Monitor(machine.verbose, machine.callback)
    parts, interrupted = solve_training(machine, formulation, training, starts, slopes, monitor)
    if interrupted:
        raise KeyboardInterrupt
    keep(machine, formulation, training, parts)
    keep_proof(machine, [part.certificate for part in parts])
    machine.n_features_in_ = training.rows.d
    return parts


def _outcome(machine: LinearClassifierMachine, rows: Any, parts: list[Part], seconds: float) -> Outcome:
    values = machine.decision_function(rows)
    index = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
    proofs = tuple(part.certificate for part in parts)
    return Outcome(values, machine.classes_[index], proofs, seconds, lambda: machine, values)


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSearch(SearchClassifier):
    """Base of the linear classifiers that tune themselves; not for direct use.

    A subclass says what is trained (`_trained`), and with which of its parameters (`_handed_on`).

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is an intercept.
    tol : float, default=1e-4
        Largest relative duality gap that is accepted, in every cell.
    solver : str, default="auto"
        "auto" or a name of `maxmargin.solvers.RISK_SOLVERS`.
    random_state : int, RandomState or None, default=None
        Order of samples in solvers that pick them at random; None is a fixed order too.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. Small data: one fold each; large data: all of them in each fold.

    Attributes
    ----------
    coef_, intercept_, n_iter_
        Those of the winner.

    """

    fit_intercept: bool = True
    class_weight: Any = None
    tol: float = 1e-4
    solver: str = "auto"
    random_state: Any = None

    _values_are_of = "rest"
    _trained: ClassVar[type[LinearClassifierMachine]]
    _handed_on: ClassVar[tuple[str, ...]] = (
        "fit_intercept", "class_weight", "tol", "max_iter", "solver", "random_state", "n_jobs",
    )  # fmt: skip

    def _machine(self, **params: Any) -> Any:
        return self._trained(**{name: getattr(self, name) for name in self._handed_on}, **params)

    def _refuse(self) -> None:
        machine = self._machine(C=1.0)
        machine._validate_params()
        machine._formulation()

    def _make_grid(self, data: SearchData) -> Grid:
        count = automatic_count("Cs", self.Cs)
        return Grid(("C",), (check_values("Cs", self.Cs if count is None else self._automatic_values(data, count)),))

    def _automatic_values(self, data: SearchData, n: int) -> np.ndarray:
        machine: LinearClassifierMachine = self._machine(C=1.0)
        training = training_of(machine, data.X, data.y, data.weights)
        signs = np.column_stack([training.signs(k) for k in range(training.problems)])
        minimised = machine._formulation()
        options = (minimised.loss, minimised.penalty, minimised.fit_intercept)
        return automatic_values(data.X, signs, training.weights, *options, n)

    def _train(self, state: SearchState, data: SearchData, exact: bool = False) -> None:
        LinearEngine(lambda C, n_jobs: self._machine(C=C).set_params(n_jobs=n_jobs), data, self.n_jobs).run(state)

    @property
    def coef_(self) -> np.ndarray:
        """Weights of ``best_estimator_``."""
        return self._of_winner("coef_")

    @property
    def intercept_(self) -> np.ndarray:
        """Intercepts of ``best_estimator_``."""
        return self._of_winner("intercept_")
