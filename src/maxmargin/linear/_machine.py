"""What all linear machines share: parameters, checked input, solving, the proof, the end of a fit.

Every machine minimises ``sum_i c_i loss(<x_i, w> + b, y_i) + R(w)``, c_i being C times the weights of sample and class.
A subclass says which loss, penalty and C (`_loss`, `_penalty`, `_strength`).
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import (
    Certificate,
    Status,
    refuted,
)
from ..data import Rows, check_array, validate_data
from ..engine import Stopwatch, thread_count
from ..estimators import Reported, check_same_rows, check_weights, conclude, keep_proof, solve_all
from ..losses import CustomLoss, Loss
from ..penalties import CustomPenalty, Penalty
from ..problems import Risk
from ..solvers import Monitor, Solver, choose_solver, solve_risk

# Stored values of X from which problems are worth a thread each: below, Python's own lock costs more.
_SIDE_BY_SIDE = 20_000
# Values of X that are widened or multiplied at a time in a prediction.
_BLOCK = 2**19


@dataclass(frozen=True)
class Part:
    """What is kept of one solved problem.

    ``slopes`` are those of the dual where the weights alone would not prove the gap, else None. ``unbounded`` means
    that there is no minimum: the losses fall for ever in the direction of the weights. ``rounding`` is the part of the
    relative gap that no weights could avoid.
    """

    theta: np.ndarray
    slopes: np.ndarray | None
    certificate: Certificate
    solver: str
    keyboard: bool = False
    unbounded: bool = False
    rounding: float = 0.0


class LinearMachine(Reported, BaseEstimator, metaclass=ABCMeta):
    """Base of the linear machines; not for direct use."""

    _parameter_constraints: dict = {
        "solver": [str],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 0, None, closed="left"), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [callable, None],
        "solver_options": [dict, None],
    }

    solver_options: dict[str, Any] | None = None  # machines without such a parameter have none

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @abstractmethod
    def _loss(self) -> Loss | CustomLoss:
        """The loss of a sample."""

    @abstractmethod
    def _penalty(self) -> Penalty | CustomPenalty:
        """The penalty of the weights."""

    @abstractmethod
    def _strength(self) -> float:
        """The factor on every sample's loss."""

    # ---------------------------------------------------------------- input

    def _validate_training(self, X: Any, y: Any, y_numeric: bool = False) -> tuple[Any, np.ndarray]:
        """Checked X (float32 or float64, dense or CSR, not copied if it is one of those) and y."""
        rules: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}
        return validate_data(self, X, y, y_numeric=y_numeric, **rules)

    def _problem(self, rows: Rows, y: np.ndarray, weights: np.ndarray, threads: int) -> Risk:
        """The risk of these samples."""
        return Risk(rows, y, weights, self._loss(), self._penalty(), self.fit_intercept, threads)

    # ---------------------------------------------------------------- solving

    def _solver_options(self, solver: type[Solver]) -> dict[str, Any]:
        """Options of this solver: the user's, and a seed where it has a use for one."""
        options = dict(self.solver_options or {})
        unknown = set(options) - set(solver.options)
        if unknown:
            raise ValueError(
                f"solver_options has {sorted(unknown)}, which solver={solver.name!r} does not take; it takes "
                f"{sorted(solver.options) or 'none'}."
            )
        if "seed" in solver.options:
            options.setdefault("seed", self._seed())
        return options

    def _seed(self) -> int:
        """None is a fixed seed too: the same input gives the same model."""
        if self.random_state is None:
            return 0
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    @property
    def _solver_name(self) -> Any:
        return self.solver

    def _solve_part(
        self, problem: Any, start: np.ndarray | None, slopes: np.ndarray | None, monitor: Monitor, label: str
    ) -> Part:
        """Solve and certify one problem."""
        watch = Stopwatch()
        solvers = choose_solver(problem, self._solver_name)
        options = self._solver_options(solvers[0])
        start = None if start is None else problem.from_rows(start)
        found = solve_risk(problem, solvers, start, self.tol, self.max_iter, monitor, slopes, **options)
        certificate = Certificate.of(found.evidence, found.status, found.iterations, watch.seconds(), label)
        theta, evidence = problem.as_rows(found.variables), found.evidence
        facts = found.keyboard, evidence.unbounded, evidence.rounding
        return Part(theta, found.slopes, certificate, found.solver, *facts)

    def _untouched(self, problem: Risk, start: np.ndarray | None, slopes: np.ndarray | None, name: str) -> Part:
        """A problem that Ctrl-C left before it had a solution: its start, of which nothing is claimed."""
        nan, inf = float("nan"), float("inf")
        certificate = Certificate(nan, nan, inf, inf, inf, Status.INTERRUPTED, 0, 0.0, name)
        solver = self._solver_name if isinstance(self._solver_name, str) else "a function"
        return Part(problem.start() if start is None else start, slopes, certificate, solver)

    def _solve_all(
        self,
        problem: Callable[[int], Risk],
        starts: Sequence[np.ndarray | None],
        slopes: Sequence[np.ndarray | None],
        names: Sequence[str],
        parallel: bool,
    ) -> tuple[list[Part], Monitor, bool]:
        """Solve every problem, side by side if `parallel`; also the monitor, and whether Ctrl-C ended it."""
        monitor = Monitor(self.verbose, self.callback)

        def solve(k: int, own: Monitor) -> Part:
            return self._solve_part(problem(k), starts[k], slopes[k], own, names[k])

        def untouched(k: int) -> Part:
            return self._untouched(problem(k), starts[k], slopes[k], names[k])

        parts, interrupted = solve_all(solve, untouched, names, monitor, side_by_side=parallel)
        return parts, monitor, interrupted

    def _side_by_side(self, problems: int, rows: Rows) -> bool:
        """Whether each problem gets a thread of its own, instead of all threads each in turn."""
        return problems >= thread_count(self.n_jobs) > 1 and rows.stored >= _SIDE_BY_SIDE

    # ---------------------------------------------------------------- the proof

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        """Every figure of the certificate, recomputed from the model alone.

        Rows that cannot be those of the training are the caller's error. Whatever else does not fit refutes the model.
        """
        check_is_fitted(self)
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        y = column_or_1d(y, warn=True)
        check_same_rows(self._rows_seen, X.shape[0], len(y))
        weight = check_weights(sample_weight, X)
        claims = self.certificate_.problems
        try:
            features = np.shape(self._dense_coef())[1]
            if self.n_features_in_ == features and X.shape[1] != features:
                mismatch: str | None = f"X has {X.shape[1]} features, but the model was trained on {features}."
            else:
                mismatch = None
            found = None if mismatch or self.n_features_in_ != features else self._recomputed(X, y, weight)
        except Exception:  # a model that cannot even be evaluated was never fitted like that
            found, mismatch = None, None
        if mismatch:
            raise ValueError(mismatch)
        return [refuted(claim) for claim in claims] if found is None else found

    @abstractmethod
    def _recomputed(self, X: Any, y: np.ndarray, weight: np.ndarray | None) -> list[Certificate] | None:
        """The certificates of checked training data; None if the model does not fit to them."""

    def _conclude(self, parts: Sequence[Part], monitor: Monitor, interrupted: bool) -> None:
        """Keep the proof, and say what it proves if that is less than was asked for."""
        self.solver_ = parts[0].solver
        certificates = [part.certificate for part in parts]
        conclude(self, certificates, monitor, interrupted, lambda worst: self._advice(worst, parts))

    def _prove(self, parts: Sequence[Part]) -> None:
        """Keep the proof where there is nothing to conclude: of a chunk, and of a candidate of a search."""
        self.solver_ = parts[0].solver
        keep_proof(self, [part.certificate for part in parts])

    def _advice(self, worst: Certificate, parts: Sequence[Part]) -> str:
        unbounded = any(part.unbounded for part in parts)
        rounding = next((part.rounding for part in parts if part.certificate is worst), 0.0)
        where = f" ({worst.label})" if worst.label and len(self.certificate_.problems) > 1 else ""
        if unbounded:
            return (
                f"{type(self).__name__} ended as '{worst.status}'{where} after {worst.iterations} iterations: the "
                f"classes are separable (every sample is on its side already), and without a penalty the loss then has "
                f"no minimum: the weights grow for ever. Use a finite C with a penalty."
            )
        limited = worst.status is Status.STALLED and rounding > 0.1 * worst.relative_gap
        advice = {
            Status.BUDGET_EXHAUSTED: f"Scale the features (StandardScaler), raise max_iter (now {self.max_iter}), try "
            f"another solver (this was {self.solver_!r}), or set warm_start=True and call fit again to resume.",
            Status.INTERRUPTED: "Set warm_start=True and call fit again to resume.",
            Status.STALLED: f"For these data float64 proves no gap below about {rounding:.0e}: raise tol."
            if limited
            else "The solver found no better: scale the features (StandardScaler), lower C, or raise tol.",
        }[worst.status]
        return (
            f"{type(self).__name__} ended as '{worst.status}'{where} after {worst.iterations} iterations: relative "
            f"duality gap {worst.relative_gap:.2e} (tol={self.tol:g}). " + advice
        )

    # ---------------------------------------------------------------- prediction

    def _validate_for_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)

    def _dense_coef(self) -> np.ndarray:
        """``coef_`` as a matrix with one row a decision function, also after `sparsify`."""
        coef: Any = self.coef_
        return np.atleast_2d(coef.toarray() if sp.issparse(coef) else np.asarray(coef))

    def _linear_values(self, X: Any) -> np.ndarray:
        """``X @ coef.T + intercept`` in float64; float32 rows are widened a block at a time."""
        X = self._validate_for_predict(X)
        coef = self._dense_coef()
        if X.dtype == np.float64:
            return X @ coef.T + self.intercept_
        out = np.empty((X.shape[0], len(coef)))
        step = max(1, _BLOCK // max(1, X.shape[1]))
        for start in range(0, len(out), step):
            out[start : start + step] = X[start : start + step].astype(np.float64) @ coef.T
        return out + self.intercept_
