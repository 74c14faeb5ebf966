"""The lasso and the elastic net that find their own penalty by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import column_or_1d

from ..data import validate_data
from ..engine import one_blas_thread, raise_interrupt, run_parallel, thread_count, warn
from ..search import make_folds
from ..solvers import Design, WorkingSets
from ._lasso import LassoModel
from ._lasso_fit import LassoData, alpha_grid, solve_lasso
from ._overflow import refuse_overflow
from ._ridge import checked_weights


@dataclass(kw_only=True, eq=False, repr=False)
class ElasticNetCV(LassoModel):
    """Elastic net that finds its own alpha (and l1_ratio) along paths in every fold; the winner is certified.

    A drop-in for :class:`sklearn.linear_model.ElasticNetCV`. The winner is the penalty with the least mean squared
    error over the folds, trained again on all rows.

    Parameters
    ----------
    l1_ratio : float or list of float, default=0.5
        The share of the absolute values in the penalty, above 0 for an automatic grid; the best of several is taken.
    eps : float, default=1e-3
        The smallest of automatic values of alpha over the largest.
    alphas : int or array-like, default=100
        Values of alpha, or how many automatic ones: from where the first weight leaves zero, on all rows.
    precompute : "auto" or bool, default="auto"
        Accepted and without effect; a Gram matrix of your own is refused.
    cv : int, splitter, iterable or None, default=None
        How rows are divided, as in :func:`sklearn.model_selection.check_cv`; None is five folds.
    verbose : bool or int, default=0
        Accepted; nothing is printed.
    n_jobs : int or None, default=None
        Threads, one fold each; None and -1 are all cores.
    trace : bool, default=False
        Whether to keep the course of the winner's fit on all rows in ``trace_``. Fits in folds leave none.

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        The winner.
    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)
        The values of alpha, falling.
    mse_path_ : ndarray of shape (n_l1_ratio, n_alphas, n_folds), or without the first
        Mean squared error of the rows left out.
    gap_path_ : ndarray of the same shape
        The relative duality gap of each fit in a fold, as its solver computed it. Only the winner's fit on all rows
        has a certificate.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from maxmargin.linear_model import ElasticNetCV
    >>> X, y = make_regression(n_features=20, n_informative=3, noise=1.0, random_state=0)
    >>> model = ElasticNetCV(l1_ratio=[0.5, 0.9, 1.0], alphas=20).fit(X, y)
    >>> print(model.l1_ratio_, model.certificate_.status)
    1.0 converged

    """

    _parameter_constraints: ClassVar[dict] = {
        **LassoModel._parameter_constraints,
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both"), "array-like"],
        "eps": [Interval(Real, 0.0, None, closed="neither")],
        "alphas": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "precompute": ["boolean", StrOptions({"auto"}), "array-like"],
        "cv": ["cv_object"],
        "verbose": ["verbose"],
        "n_jobs": [Integral, None],
        "trace": ["boolean"],
    }

    eps: float = 1e-3
    alphas: Any = 100
    precompute: Any = "auto"
    cv: Any = None
    verbose: bool | int = 0
    n_jobs: int | None = None
    trace: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ElasticNetCV:
        """Find the penalty by cross-validation, and train with it on all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, in the fits and in the errors.

        Returns
        -------
        self

        """
        self._validate_params()
        self._refuse_what_is_not_supported()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", y_numeric=True)
        y = column_or_1d(y, warn=True).astype(np.float64)
        weights = None if sample_weight is None else checked_weights(sample_weight, X)
        data = LassoData.of(X, y, weights, self.fit_intercept, self.n_jobs)
        refuse_overflow(data.rows, data.targets, data.weights)
        ratios = np.atleast_1d(np.asarray(self.l1_ratio, dtype=np.float64))
        if ratios.ndim != 1 or not ((ratios >= 0) & (ratios <= 1)).all():
            raise ValueError(f"l1_ratio must be a number from 0 to 1, or a list of such; got {self.l1_ratio!r}.")
        grids = np.array([alpha_grid(data, r, self.alphas, self.eps, positive=self.positive) for r in ratios.tolist()])
        folds = make_folds(self.cv, X, y, None, classifier=False)
        errors, gaps = np.empty((2, len(ratios), grids.shape[1], len(folds)))

        def one_fold(k: int) -> None:
            train, test = folds[k].train, folds[k].test
            inner = None if weights is None else weights[train]
            fold = LassoData.of(X[train], y[train], inner, self.fit_intercept, 1)
            outer = None if weights is None else weights[test]
            design = fold.design()
            for r, ratio in enumerate(ratios.tolist()):
                errors[r, :, k], gaps[r, :, k] = self._fold_errors(
                    fold, design, grids[r], ratio, X[test], y[test], outer
                )

        threads = min(thread_count(self.n_jobs), len(folds))
        with one_blas_thread():
            if threads > 1:
                run_parallel(one_fold, [(k,) for k in range(len(folds))])
            else:
                for k in range(len(folds)):
                    one_fold(k)
        means = errors.mean(axis=2)
        best = np.unravel_index(int(np.argmin(means)), means.shape)
        self._keep_search(ratios, grids, errors, gaps, best)
        self._warn_of_folds(gaps)
        self._fit_all(data, [None])
        return self

    def _keep_search(self, ratios: np.ndarray, grids: np.ndarray, errors: Any, gaps: Any, best: Any) -> None:
        self.alpha_ = float(grids[best])
        self.l1_ratio_ = float(ratios[best[0]])
        several = len(ratios) > 1
        self.alphas_ = grids if several and isinstance(self.alphas, Integral) else grids[0]
        self.mse_path_ = errors if several else errors[0]
        self.gap_path_ = gaps if several else gaps[0]

    def _fold_errors(
        self, fold: LassoData, design: Design, alphas: np.ndarray, ratio: float, X: Any, y: np.ndarray, weights: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean squared errors and relative gaps along alpha, each solution started from the last."""
        thetas, gaps = np.empty((len(alphas), fold.rows.d + 1)), np.empty(len(alphas))
        target = np.ascontiguousarray(fold.targets[:, 0])
        known = design.path(target, alphas, ratio, self.positive, self.tol, thetas, gaps)
        theta = thetas[known - 1] if known else np.zeros(fold.rows.d + 1)
        for place, alpha in enumerate(alphas[known:].tolist(), known):
            problem = fold.problem(0, alpha, ratio, self.positive)
            found = WorkingSets.solve(problem, theta, self.tol, self.max_iter, design=design)
            raise_interrupt()
            gap = found.stats["gap"]
            if found.stats["too_many"]:
                found = solve_lasso(problem, design, found.variables, self.tol, self.max_iter)
                raise_interrupt()
                gap = found.evidence.relative_gap
            theta = thetas[place] = found.variables
            gaps[place] = gap
        with np.errstate(over="ignore", invalid="ignore"):
            rest = X @ thetas[:, :-1].T + thetas[:, -1] - y[:, None]
            errors = np.average(rest**2, axis=0, weights=weights)
        return np.where(np.isnan(errors), np.inf, errors), gaps

    def _warn_of_folds(self, gaps: np.ndarray) -> None:
        # a gap of nothing but rounding is that of an objective next to zero
        short = int((gaps > self.tol).sum())
        if short:
            warn(
                f"{type(self).__name__}: {short} of {gaps.size} fits in folds ended with a relative gap above "
                f"tol={self.tol:g}, the largest {gaps.max():.1e}. Raise max_iter (now {self.max_iter}), scale the "
                f"features (StandardScaler), or raise eps.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _refuse_what_is_not_supported(self) -> None:
        if not (isinstance(self.precompute, str) and self.precompute == "auto"):
            super()._refuse_what_is_not_supported()
        elif self.selection == "random":
            raise ValueError("selection='random' is not supported: coordinates are taken in turn. Use 'cyclic'.")

    def _alpha(self) -> float:
        return float(self.alpha_)

    def _l1_ratio(self) -> float:
        return float(self.l1_ratio_)


@dataclass(kw_only=True, eq=False, repr=False)
class LassoCV(ElasticNetCV):
    """The lasso that finds its own alpha along paths in every fold; the winner is certified.

    A drop-in for :class:`sklearn.linear_model.LassoCV`. The winner is the alpha with the least mean squared error
    over the folds, trained again on all rows.

    Parameters
    ----------
    eps, alphas, precompute, cv, verbose, n_jobs, trace
        As in :class:`ElasticNetCV`.

    Attributes
    ----------
    alpha_, alphas_, mse_path_, gap_path_
        As in :class:`ElasticNetCV`.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from maxmargin.linear_model import LassoCV
    >>> X, y = make_regression(n_features=50, n_informative=3, noise=1.0, random_state=0)
    >>> model = LassoCV(alphas=30).fit(X, y)
    >>> print(model.mse_path_.shape, model.certificate_.status)
    (30, 5) converged

    """

    _parameter_constraints: ClassVar[dict] = {
        name: allowed for name, allowed in ElasticNetCV._parameter_constraints.items() if name != "l1_ratio"
    }

    l1_ratio: Any = field(default=1.0, init=False)  # no parameter
    verbose: bool | int = False

    def _keep_search(self, ratios: np.ndarray, grids: np.ndarray, errors: Any, gaps: Any, best: Any) -> None:
        super()._keep_search(ratios, grids, errors, gaps, best)
        del self.l1_ratio_

    def _l1_ratio(self) -> float:
        return 1.0
