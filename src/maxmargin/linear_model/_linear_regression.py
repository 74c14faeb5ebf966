"""Least squares without a penalty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from ..certificates import Guarantee, NormalEvidence, Status
from ..engine import Stopwatch, thread_count, warn
from ..problems import LeastSquares
from ..solvers import solve_least_squares
from ._regressor import LinearRegressor
from ._ridge import confirmed_solution, equations_again, least_squares_problem, normal_guarantee


@dataclass(kw_only=True, eq=False, repr=False)
class LinearRegression(LinearRegressor):
    """Least squares whose every fit states how far its sum of squares can be from the least possible one.

    A drop-in for :class:`sklearn.linear_model.LinearRegression`: minimises ``sum_i s_i (y_i - <x_i, w> - b)**2``. Where
    several weights do, they are the shortest. Input in float32 is worked on in tiles of float64, without a copy of the
    whole.

    Parameters
    ----------
    copy_X : bool, default=True
        Accepted and without effect: X is never written to.
    tol : float, default=1e-6
        Largest residual of the normal equations, relative to the size of their terms, at which a fit counts as
        converged. The solvers of dense rows go on to rounding errors, which is about 1e-16; conjugate gradients, for
        sparse rows, until the slope is 1e-4 tol of that at w = 0. No singular value counts as zero because of it,
        unlike in scikit-learn: only those that float64 cannot tell from zero do.
    n_jobs : int or None, default=None
        Threads; None and -1 are all cores.
    positive : bool, default=False
        Refused if True.

    Attributes
    ----------
    rank_ : int
        Rank of the (centred, weighted) X. Only for dense X, as in scikit-learn.
    singular_ : ndarray of shape (min(n_samples, n_features),)
        Singular values of the same matrix. Only for dense X.
    certificate_ : Guarantee
        Objective and residual of the normal equations, recomputed in float64. Where X is shown to have full column
        rank (for up to 1000 features), also what the objective is above the least possible one, at most.
    solver_ : str
        The solver that was used.

    Examples
    --------
    >>> from maxmargin.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 8.0])
    >>> print(model.coef_.round(4), round(model.intercept_, 4))
    [2.3] 0.8
    >>> figures = model.certificate_.figures
    >>> round(figures["objective"], 4), figures["duality gap"] < 1e-12
    (0.3, True)

    """

    _parameter_constraints: ClassVar[dict] = {
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "n_jobs": [Integral, None],
        "positive": ["boolean"],
    }

    copy_X: bool = True  # noqa: N815 - scikit-learn's name
    tol: float = 1e-6
    n_jobs: int | None = None
    positive: bool = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearRegression:
        """Train on rows X with targets y."""
        self._validate_params()
        if self.positive:
            raise ValueError(
                "positive=True is not supported; use maxmargin.linear_model.Lasso(positive=True) with a small alpha, "
                "sklearn.linear_model.LinearRegression, or positive=False."
            )
        watch = Stopwatch()
        X, y = self._checked_rows(X, y)
        problem, single = least_squares_problem(X, y, sample_weight, 0.0, self.fit_intercept)
        problem = replace(problem, threads=thread_count(self.n_jobs))
        sparse = problem.rows.sparse
        # orthogonal factors of dense rows: rank and singular values come with them
        solution = solve_least_squares(problem, None, self.tol, method="auto" if sparse else "svd")
        intercept, evidence, status = confirmed_solution(problem, solution, self.tol, full_rank=True)
        self.coef_ = solution.variables[:, 0].copy() if single else np.ascontiguousarray(solution.variables.T)
        self.intercept_ = float(intercept[0]) if single else intercept
        if not self.fit_intercept:
            self.intercept_ = 0.0
        for name in ("rank_", "singular_"):
            self.__dict__.pop(name, None)  # of an earlier fit on dense rows
        if not sparse:
            self.rank_, self.singular_ = int(solution.stats["rank"]), solution.stats["singular"]
        self.solver_ = {"cg": "sparse_cg"}.get(solution.solver, solution.solver)
        self._training_shape = problem.n
        part = self._guarantee(evidence, problem, status, solution.iterations, watch.seconds())
        self.certificate_ = replace(part, _recompute=self._recertify)
        if status is not Status.CONVERGED:
            warn(
                f"LinearRegression ended as '{status}': relative residual of the normal equations "
                f"{evidence.relative_residual:.2e} (tol={self.tol:g}). Scale the features (StandardScaler) or raise "
                f"tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _guarantee(
        self, evidence: NormalEvidence, problem: LeastSquares, status: Status, steps: int, seconds: float
    ) -> Guarantee:
        return normal_guarantee(evidence, bool(np.isfinite(evidence.gap)), self.tol, status, steps, seconds)

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        return equations_again(self, 0.0, X, y, sample_weight, full_rank=True)
