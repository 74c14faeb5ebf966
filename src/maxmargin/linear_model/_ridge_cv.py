"""Ridge regression that finds its own penalty, by leaving out each row in turn without training again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV
from sklearn.utils._param_validation import StrOptions

from ..certificates import Guarantee, NormalEvidence, Status
from ..engine import one_blas_thread
from ..problems import LeastSquares
from ..solvers import gram_of_columns
from ._overflow import refuse_overflow
from ._regressor import LinearRegressor
from ._ridge import Ridge, equations_again, least_squares_problem, normal_guarantee

# Of the largest eigenvalue of A'A: where the least one and the least alpha add up to less, A itself is factored.
_SAFE = 1e-5


@dataclass(kw_only=True, eq=False, repr=False)
class RidgeCV(LinearRegressor):
    """Ridge regression that finds its own alpha; the winner is certified.

    A drop-in for :class:`sklearn.linear_model.RidgeCV`. By default every row is left out in turn, which takes no
    training: with the hat matrix H of a ridge, the residual of a row that was left out is ``r_i / (1 - H_ii)``. With
    ``cv``, folds are left out and :class:`Ridge` is trained on the others.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        The penalties to try, positive.
    scoring : str, callable or None, default=None
        A scorer of scikit-learn, for rows left out one by one asked once about all of them; None is the mean squared
        error, for ``cv`` the score of the model.
    cv : int, splitter, iterable or None, default=None
        None leaves out row by row; else as in :func:`sklearn.model_selection.check_cv`.
    gcv_mode : {"auto", "svd", "eigen"} or None, default=None
        Whether singular values come from X itself or from its products with itself. "auto" and None take X itself for
        dense rows, and products for sparse ones, which cannot be centred without filling them.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_``; only without `cv`.
    alpha_per_target : bool, default=False
        Whether each target has its own penalty; only without `cv`.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The winner.
    best_score_ : float or ndarray of shape (n_targets,)
        Its score; without `scoring` and `cv`, minus the mean squared error of the rows left out (with weights, of
        squares times weights).
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        If kept: squared errors of the rows left out, or with `scoring` their predictions.
    certificate_ : Guarantee
        As that of :class:`Ridge`, of the winner on all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from maxmargin.linear_model import RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RidgeCV(alphas=[1e-3, 1e-2, 1e-1, 1.0]).fit(X, y)
    >>> print(model.alpha_, model.certificate_.holds)
    0.01 True

    """

    _parameter_constraints: ClassVar[dict] = {
        "alphas": ["array-like"],
        "fit_intercept": ["boolean"],
        "scoring": [str, callable, None],
        "cv": ["cv_object"],
        "gcv_mode": [StrOptions({"auto", "svd", "eigen"}), None],
        "store_cv_results": ["boolean"],
        "alpha_per_target": ["boolean"],
    }
    tol = 1e-10  # that of Ridge

    alphas: Any = field(default=(0.1, 1.0, 10.0), kw_only=False)
    scoring: Any = None
    cv: Any = None
    gcv_mode: str | None = None
    store_cv_results: bool = False
    alpha_per_target: bool = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RidgeCV:
        """Find the penalty, and train with it on all rows."""
        self._validate_params()
        alphas = np.atleast_1d(np.asarray(self.alphas, dtype=np.float64))
        if alphas.ndim != 1 or not alphas.size or not ((alphas > 0) & np.isfinite(alphas)).all():
            raise ValueError(f"alphas must be positive, finite numbers; got {self.alphas!r}.")
        X, y = self._checked_rows(X, y)
        problem, _ = least_squares_problem(X, y, sample_weight, 1.0, self.fit_intercept)
        refuse_overflow(problem.rows, problem.targets, problem.weights)
        self.__dict__.pop("cv_results_", None)
        if self.cv is None:
            alpha = self._by_leaving_out(problem, np.ndim(y) == 1, alphas)
        else:
            alpha = self._by_folds(X, y, sample_weight, alphas)
        winner = Ridge(alpha, fit_intercept=self.fit_intercept).fit(X, y, sample_weight)
        self.alpha_ = alpha
        self.coef_, self.intercept_ = winner.coef_, winner.intercept_
        self._training_shape = winner._training_shape
        self.certificate_ = replace(winner.certificate_, _recompute=self._recertify)
        return self

    def _by_folds(self, X: Any, y: Any, sample_weight: Any, alphas: np.ndarray) -> float:
        for name in ("store_cv_results", "alpha_per_target"):
            if getattr(self, name):
                raise ValueError(f"{name}=True needs cv=None: it is about rows left out one by one.")
        search = GridSearchCV(
            Ridge(fit_intercept=self.fit_intercept), {"alpha": alphas.tolist()}, scoring=self.scoring, cv=self.cv
        )
        search.fit(X, y, sample_weight=sample_weight)
        self.best_score_ = float(search.best_score_)
        return float(search.best_params_["alpha"])

    def _by_leaving_out(self, problem: LeastSquares, single: bool, alphas: np.ndarray) -> Any:
        """The alpha of the best score; also keeps the score, and what was asked to be kept."""
        scorer = None if self.scoring is None else check_scoring(self, self.scoring)
        per_target = self.alpha_per_target and problem.k > 1
        counted = problem.weights > 0  # rows without weight are not there to be predicted
        kept, scores = [], []
        for errors in left_out_residuals(problem, alphas, self.gcv_mode):  # times the roots of the weights
            if scorer is None:
                squares = errors**2
                kept.append(squares)
                scores.append(-(squares[counted].mean(axis=0) if per_target else squares[counted].mean()))
                continue
            with np.errstate(divide="ignore", invalid="ignore"):
                predicted = problem.targets - errors / problem.roots[:, None]
            kept.append(np.where(counted[:, None], predicted, np.nan))
            scores.append(self._scores(scorer, predicted, problem, per_target, counted))
        table = np.array(scores)
        best = np.argmax(table, axis=0)
        if self.store_cv_results:
            results = np.stack(kept, axis=-1)
            self.cv_results_ = results[:, 0] if single else results
        if per_target:
            self.best_score_ = table[best, np.arange(problem.k)]
            return alphas[best]
        self.best_score_ = float(table[best])
        return float(alphas[best])

    @staticmethod
    def _scores(
        scorer: Any, predicted: np.ndarray, problem: LeastSquares, per_target: bool, counted: np.ndarray
    ) -> Any:
        predicted, targets, weight = predicted[counted], problem.targets[counted], problem.weights[counted]
        weights = {} if (weight == 1).all() else {"sample_weight": weight}
        if per_target:
            pairs = zip(predicted.T, targets.T, strict=True)
            return [scorer(_Given(), guess[:, None], truth, **weights) for guess, truth in pairs]
        return scorer(_Given(), predicted, targets if problem.k > 1 else targets[:, 0], **weights)

    def _guarantee(
        self, evidence: NormalEvidence, problem: LeastSquares, status: Status, steps: int, seconds: float
    ) -> Guarantee:
        return normal_guarantee(evidence, True, self.tol, status, steps, seconds)

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        return equations_again(self, self.alpha_, X, y, sample_weight)


class _Given(RegressorMixin, BaseEstimator):
    """Predictions that are there, for a scorer that asks for them."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0] if X.shape[1] == 1 else X


def left_out_residuals(problem: LeastSquares, alphas: np.ndarray, mode: str | None = None) -> list[np.ndarray]:
    """Residuals of each row by the ridge that is trained without it, times the root of its weight, for each alpha.

    The hat matrix of the centred, weighted A is U diag(sigma^2 / (sigma^2 + alpha)) U', and that of the intercept the
    projection onto the roots of the weights. Of the sum H of the two, the residual left out is r_i / (1 - H_ii).
    """
    with one_blas_thread():
        U, square = _factors(problem, mode, float(alphas.min()))
    means = problem.weights / problem.weights.sum() if problem.fit_intercept else np.zeros(problem.n)
    inner, squares, found = U.T @ problem.right, U * U, []
    for alpha in alphas.tolist():
        shrink = square / (square + alpha)
        rest = problem.right - U @ (shrink[:, None] * inner)
        leverage = squares @ shrink + means
        with np.errstate(divide="ignore", invalid="ignore"):
            out = rest / np.maximum(1.0 - leverage, 0.0)[:, None]
        # a row that no other one speaks for: without it nothing is known of it
        found.append(np.where(np.isfinite(out), out, np.where(rest == 0, 0.0, np.inf)))
    return found


def _factors(problem: LeastSquares, mode: str | None, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Left singular vectors of A as columns, and the squares of its singular values.

    Those of A'A take a third of the time, and are as good as long as what alphas of at least `alpha` leave of it is
    well conditioned.
    """
    automatic = mode in (None, "auto") and not problem.rows.sparse
    if mode == "svd" or (automatic and problem.d > problem.n):
        return _singular(problem)
    if problem.d <= problem.n:
        square, V = np.linalg.eigh(gram_of_columns(problem))
        if automatic and not square[0] + alpha >= _SAFE * square[-1]:
            return _singular(problem)
        Z = problem.image(V)  # U times the singular values, of which the computed eigenvalues are only estimates
        square = np.einsum("ij,ij->j", Z, Z)
        kept = square > np.finfo(np.float64).eps ** 2 * square.max(initial=0.0)
        return Z[:, kept] / np.sqrt(square[kept]), square[kept]
    columns = [problem.columns(low, min(problem.d, low + 512)) for low in range(0, problem.d, 512)]
    square, U = scipy.linalg.eigh(sum(part @ part.T for part in columns))
    return U, np.maximum(square, 0.0)


def _singular(problem: LeastSquares) -> tuple[np.ndarray, np.ndarray]:
    U, sigma, _ = scipy.linalg.svd(problem.tile(0, problem.n), full_matrices=False, check_finite=False)
    return U, sigma**2
