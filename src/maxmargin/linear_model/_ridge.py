"""Ridge regression: least squares with a penalty on the squared length of the weights."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Guarantee, NormalEvidence, Status, are_floats, evaluate_normal_equations, rounded_up
from ..data import Rows, check_array, check_X_y
from ..engine import Stopwatch, thread_count, warn
from ..estimators import check_penalties, check_same_rows, keep_trace, monitor_of, weights_or_ones
from ..problems import LeastSquares
from ..solvers import Figures, Monitor, Solution, solve_least_squares
from ._confirmed import CallersRowsError, equations_confirmed, refuted
from ._overflow import refuse_overflow
from ._paths import RegressionPath
from ._regressor import LinearRegressor

# scikit-learn's names. LSQR and conjugate gradients on the normal equations are the same steps in exact arithmetic.
_METHODS = {"auto": "auto", "cholesky": "cholesky", "svd": "svd", "lsqr": "cg", "sparse_cg": "cg"}


@dataclass(kw_only=True, eq=False, repr=False)
class Ridge(LinearRegressor):
    """Ridge regression whose every fit states how well its normal equations hold.

    A drop-in for :class:`sklearn.linear_model.Ridge`: minimises ``sum_i s_i (y_i - <x_i, w> - b)**2 + alpha ||w||**2``;
    the intercept b is not penalised. ``alpha=0`` is least squares, and the shortest w where there are several. Input in
    float32 is worked on in tiles of float64, without a copy of the whole.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        The penalty, at least 0; one for all targets or one for each.
    copy_X : bool, default=True
        Accepted and without effect: X is never written to.
    max_iter : int or None, default=None
        Largest number of steps of "sparse_cg"; None is a finite number that grows with the data. Other solvers have
        none.
    tol : float, default=1e-10
        Largest residual of the normal equations, relative to the size of their terms, at which a fit counts as
        converged. Solvers go on to rounding errors, which is about 1e-16; conjugate gradients until the slope is 1e-4
        tol of that at w = 0.
    solver : {"auto", "cholesky", "svd", "lsqr", "sparse_cg"}, default="auto"
        Normal equations by Cholesky and refinement; orthogonal factors tile by tile and the singular values of the
        last; conjugate gradients (for the two last names). "auto" takes Cholesky, or gradients where X is sparse with
        many rows and features, or where some steps of them, tried first, do. Where Cholesky would be spoilt by
        rounding, orthogonal factors take its place.
    positive : bool, default=False
        Refused if True.
    random_state : any, default=None
        No solver here is random.
    trace : bool, default=False
        Whether to keep the course of conjugate gradients in ``trace_``: the length of the slope by step, relative to
        that at w = 0, as ``violation``, for each target. The other solvers make no steps: there is one point, with the
        relative residual of the normal equations as ``residual``.

    Attributes
    ----------
    certificate_ : Guarantee
        Objective, residual of the normal equations, and for alpha > 0 the duality gap, recomputed in float64;
        ``certificate_.verify(X, y)`` does it again.
    solver_ : str
        The solver that was used.
    n_iter_ : ndarray of shape (n_targets,)
        Steps of conjugate gradients; 1 for the other solvers.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.

    Examples
    --------
    >>> from maxmargin.linear_model import Ridge
    >>> model = Ridge(alpha=1.0).fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0])
    >>> print(model.coef_.round(4), round(model.intercept_, 4))
    [1.6667] 1.5
    >>> model.certificate_.figures["relative residual"] < 1e-14
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        "alpha": [Interval(Real, 0.0, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "solver": [StrOptions(set(_METHODS))],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "trace": ["boolean"],
    }

    alpha: Any = field(default=1.0, kw_only=False)
    copy_X: bool = True  # noqa: N815 - scikit-learn's name
    max_iter: int | None = None
    tol: float = 1e-10
    solver: str = "auto"
    positive: bool = False
    random_state: Any = None
    trace: bool = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Ridge:
        """Train on rows X with targets y."""
        self._validate_params()
        if self.positive:
            raise ValueError("positive=True is not supported; use sklearn.linear_model.Ridge, or positive=False.")
        watch = Stopwatch()
        problem, single = self._problem(X, y, sample_weight, reset=True)
        monitor = monitor_of(self) if self.trace else None
        solution = solve_least_squares(problem, None, self.tol, self.max_iter, monitor, method=_METHODS[self.solver])
        intercept, evidence, status = confirmed_solution(problem, solution, self.tol)
        self.coef_ = solution.variables[:, 0].copy() if problem.k == 1 else np.ascontiguousarray(solution.variables.T)
        self.intercept_ = float(intercept[0]) if single else intercept
        if not self.fit_intercept:
            self.intercept_ = 0.0
        self.solver_ = {"cg": "sparse_cg"}.get(solution.solver, solution.solver)
        self.n_iter_ = solution.stats.get("steps", np.ones(problem.k, dtype=int))
        self._training_shape = problem.n
        self._keep_course(monitor, evidence)
        part = self._guarantee(evidence, problem, status, int(self.n_iter_.sum()), watch.seconds())
        self.certificate_ = replace(part, _recompute=self._recertify)
        if status is not Status.CONVERGED:
            self._warn(status, evidence)
        return self

    def _keep_course(self, monitor: Monitor | None, evidence: NormalEvidence) -> None:
        if monitor is not None and self.solver_ != "sparse_cg":
            monitor.record(1, lambda: Figures(others=(("residual", evidence.relative_residual),)))
        keep_trace(self, None if monitor is None else monitor.trace)

    def path(self, X: Any, y: Any, alphas: Any = 40, sample_weight: Any = None) -> RegressionPath:
        """Certified solutions along alpha, one for all targets. The model itself stays as it is.

        Parameters
        ----------
        X, y : array-like
            What to train on.
        alphas : int or array-like of float, default=40
            Values of alpha, at least 0; or how many, evenly spaced by their logarithm from 1000 times to a thousandth
            of the mean squared length of the (centred) columns.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        RegressionPath
            In the order in which the values were given; automatic ones fall.

        """
        if isinstance(alphas, int | np.integer) and not isinstance(alphas, bool):
            if alphas < 1:
                raise ValueError(f"alphas must be at least 1, or a list of numbers; got {alphas!r}.")
            problem, _ = clone(self)._problem(X, y, sample_weight, reset=True)
            shift = float(problem.weights.sum()) * (float(problem.mu @ problem.mu) + problem.fit_intercept)
            scale = max((problem.squared_size() - shift) / problem.d, float(np.finfo(np.float64).tiny))
            values = scale * np.geomspace(1e3, 1e-3, int(alphas))
        else:
            values = np.asarray(alphas, dtype=np.float64)
        if values.ndim != 1 or not values.size:
            raise ValueError(f"alphas must be a list of one or more numbers; got {alphas!r}.")
        models = [clone(self).set_params(alpha=alpha).fit(X, y, sample_weight) for alpha in values.tolist()]
        coefs, intercepts = (np.array([getattr(m, name) for m in models]) for name in ("coef_", "intercept_"))
        return RegressionPath(values, coefs, intercepts, tuple(model.certificate_ for model in models))

    def _problem(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[LeastSquares, bool]:
        """The problem of checked input, without rows of weight 0; and whether y has one dimension."""
        X, y = self._checked_rows(X, y, reset)
        return least_squares_problem(X, y, sample_weight, self.alpha, self.fit_intercept)

    def _guarantee(
        self, evidence: NormalEvidence, problem: LeastSquares, status: Status, steps: int, seconds: float
    ) -> Guarantee:
        return normal_guarantee(evidence, bool((problem.alpha > 0).all()), self.tol, status, steps, seconds)

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        return equations_again(self, self.alpha, X, y, sample_weight)

    def _warn(self, status: Status, evidence: NormalEvidence) -> None:
        warn(
            f"Ridge ended as '{status}': relative residual of the normal equations {evidence.relative_residual:.2e} "
            f"(tol={self.tol:g}). Scale the features (StandardScaler), raise max_iter or alpha, or set solver='svd'.",
            ConvergenceWarning,
            stacklevel=3,
        )


def equations_again(model: Any, alpha: Any, X: Any, y: Any, sample_weight: Any, full_rank: bool = False) -> Guarantee:
    """Every figure of a model's guarantee. Rows that cannot be those of the training are the caller's error."""
    check_is_fitted(model)
    claim = model.certificate_
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=None, multi_output=True, y_numeric=True)
    try:
        check_penalties(alpha, 1 if y.ndim == 1 else y.shape[1])
    except (TypeError, ValueError):  # no fit has taken it
        return refuted(claim)
    problem, _ = least_squares_problem(X, y, sample_weight, alpha, model.fit_intercept)
    check_same_rows(model._training_shape, problem.n, weighted=True)
    try:
        W = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)).T
        intercept = np.asarray(model.intercept_, dtype=np.float64)
        fits = W.shape == (problem.d, problem.k) and intercept.shape in ((), (problem.k,))
        fits = fits and are_floats(model.coef_, model.intercept_)
        fits = fits and model.n_features_in_ == problem.d and (model.fit_intercept or not intercept.any())
        if not fits and model.n_features_in_ == W.shape[0] != problem.d:
            raise CallersRowsError(f"X has {problem.d} features, but the model was trained on {W.shape[0]}.")
        if not (fits and np.isfinite(W).all() and np.isfinite(intercept).all()):
            return refuted(claim)
        evidence = evaluate_normal_equations(problem, W, np.broadcast_to(intercept, (problem.k,)), full_rank=full_rank)
    except CallersRowsError:
        raise
    except Exception:  # a model that cannot even be evaluated was never fitted like that
        return refuted(claim)
    found = model._guarantee(evidence, problem, claim.status, claim.iterations, claim.seconds)
    with np.errstate(over="ignore"):
        size = float(problem.weights @ np.square(problem.targets).sum(axis=1))
    return equations_confirmed(found, claim, model.tol, size)


def least_squares_problem(
    X: Any, y: np.ndarray, sample_weight: Any, alpha: Any, fit_intercept: bool
) -> tuple[LeastSquares, bool]:
    """The problem of checked input, without rows of weight 0; and whether y has one dimension."""
    X, targets, weights, single = used_samples(X, y, sample_weight)
    penalties = check_penalties(alpha, targets.shape[1])
    return LeastSquares(Rows(X), targets, weights, penalties, fit_intercept, thread_count(None)), single


def confirmed_solution(
    problem: LeastSquares, solution: Solution, tolerance: float, *, full_rank: bool = False
) -> tuple[np.ndarray, NormalEvidence, Status]:
    """The intercepts of a solution, what is proven of it, and the status that this allows; overflow is refused."""
    intercept = problem.intercept(solution.variables)
    if not (np.isfinite(solution.variables).all() and np.isfinite(intercept).all()):
        refuse_overflow(problem.rows, problem.targets, problem.weights)
        raise ValueError("the weights overflow float64: scale the features (StandardScaler) and targets.")
    evidence = evaluate_normal_equations(problem, solution.variables, intercept, full_rank=full_rank)
    status = solution.status
    if status is Status.CONVERGED and not evidence.relative_residual <= tolerance:
        status = Status.STALLED
    if status is not Status.CONVERGED:
        refuse_overflow(problem.rows, problem.targets, problem.weights)
    return intercept, evidence, status


def used_samples(X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray, bool]:
    """Rows, columns of targets and weights of checked input, without rows of weight 0; and whether y is one target."""
    targets = np.asarray(y, dtype=np.float64)
    single = targets.ndim == 1
    targets = targets.reshape(len(targets), -1)
    weights = checked_weights(sample_weight, X)
    used = weights > 0
    if not used.all():
        X, targets, weights = X[used], targets[used], weights[used]
    return X, targets, weights, single


def checked_weights(sample_weight: Any, X: Any) -> np.ndarray:
    """One weight, at least 0, for each sample, whose sum is finite."""
    weights = weights_or_ones(sample_weight, X)
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError(
                f"the weights in sample_weight, up to {weights.max():g}, add up to more than float64 holds: divide "
                f"them, and alpha, by the same number."
            )
    return weights


def normal_guarantee(
    evidence: NormalEvidence, strictly_convex: bool, tolerance: float, status: Status, steps: int, seconds: float
) -> Guarantee:
    """What the residual of the normal equations proves."""
    figures = {
        "objective": evidence.objective,
        "residual": evidence.residual,
        "relative residual": evidence.relative_residual,
    }
    words = f"the normal equations hold to {evidence.relative_residual:.1e} of the size of their terms"
    if strictly_convex:
        relative = evidence.gap / evidence.objective if 0 < evidence.objective < np.inf else 0.0
        relative = relative if np.isfinite(evidence.objective) else np.inf
        figures |= {"duality gap": evidence.gap, "relative gap": relative}
        words += f", so that the objective {evidence.objective:.6g} is at most {rounded_up(evidence.gap, 2)} above the "
        words += "least possible"
    holds = bool(evidence.relative_residual <= tolerance and np.isfinite(evidence.objective))
    return Guarantee("normal equations", figures, words + ".", holds, status, steps, seconds)
