"""The lasso and the elastic net: least squares with a penalty on the sizes of the weights."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Certificate, Status, are_floats, confirmed, refuted
from ..data import check_array, check_X_y
from ..engine import Stopwatch
from ..estimators import check_same_rows, conclude, monitor_of
from ._confirmed import CallersRowsError
from ._lasso_fit import LassoData, alpha_grid, lasso_advice, solve_lasso, solve_path, target_name
from ._overflow import refuse_overflow
from ._paths import RegressionPath
from ._regressor import LinearRegressor


@dataclass(kw_only=True, eq=False, repr=False)
class LassoModel(LinearRegressor, metaclass=ABCMeta):
    """What the lasso, the elastic net and their searches share; not for direct use.

    Parameters
    ----------
    precompute : bool, default=False
        Accepted and without effect: which Gram matrices are formed is decided by the size of the data. A Gram matrix of
        your own is refused.
    max_iter : int, default=1000
        Largest number of rounds: passes over all rows, each with the answer on a working set of features.
    tol : float, default=1e-4
        Largest relative duality gap that is accepted: relative to the objective, where scikit-learn compares with the
        mean square of y.
    copy_X : bool, default=True
        Accepted and without effect: X is never written to.
    positive : bool, default=False
        Whether negative weights are forbidden.
    random_state : any, default=None
        No solver here is random.
    selection : {"cyclic"}, default="cyclic"
        "random" is refused.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The weights; zeros are exact.
    sparse_coef_ : scipy.sparse.csr_array
        The weights as a sparse matrix.
    dual_gap_ : float or ndarray of shape (n_targets,)
        The duality gap of each target, as the certificate has it.
    certificate_ : ModelCertificate
        Primal, dual, gap and status, recomputed in float64; ``certificate_.verify(X, y)`` does it again.
    n_iter_ : int or list of int
        Rounds, of each target.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``.

    """

    _parameter_constraints: ClassVar[dict] = {
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both")],
        "fit_intercept": ["boolean"],
        "precompute": ["boolean", "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "copy_X": ["boolean"],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [StrOptions({"cyclic", "random"})],
    }

    l1_ratio: Any = 0.5
    precompute: Any = False
    max_iter: int | None = 1000
    tol: float = 1e-4
    copy_X: bool = True  # noqa: N815 - scikit-learn's name
    positive: bool = False
    random_state: Any = None
    selection: str = "cyclic"

    def _fit_all(self, data: LassoData, starts: Sequence[np.ndarray | None]) -> None:
        """Solve the problem of every target, and keep the model and its proof."""
        design, monitor = data.design(), monitor_of(self)
        thetas, certificates, rounding, interrupted = [], [], [], False
        for t in range(data.k):
            watch, problem = Stopwatch(), data.problem(t, self._alpha(), self._l1_ratio(), self.positive)
            own = monitor.named(target_name(t, data.k))
            found = solve_lasso(problem, design, starts[t], self.tol, self.max_iter, own)
            interrupted = interrupted or found.keyboard
            if not np.isfinite(found.variables).all():
                refuse_overflow(data.rows, data.targets, data.weights)
                raise ValueError("the weights overflow float64: scale the features (StandardScaler) and targets.")
            if found.status is Status.STALLED:
                refuse_overflow(data.rows, data.targets, data.weights)
            counted = found.status, found.iterations, watch.seconds(), target_name(t, data.k)
            certificates.append(Certificate.of(found.evidence, *counted))
            own.certified(certificates[-1])
            thetas.append(found.variables)
            rounding.append(found.evidence.rounding)
        theta = np.array(thetas)
        several = data.k > 1
        self.coef_ = np.ascontiguousarray(theta[:, :-1]) if several else theta[0, :-1].copy()
        self.intercept_ = float(theta[0, -1]) if data.single else theta[:, -1].copy()
        if not self.fit_intercept:
            self.intercept_ = 0.0
        gaps, steps = [part.gap for part in certificates], [part.iterations for part in certificates]
        self.dual_gap_: Any = np.array(gaps) if several else gaps[0]
        self.n_iter_: Any = steps if several else steps[0]
        self._rows_seen = data.rows.n
        worst = max(range(data.k), key=lambda t: certificates[t].relative_gap)
        conclude(self, certificates, monitor, interrupted, partial(lasso_advice, self, data, rounding[worst]))

    def _l1_ratio(self) -> float:
        """The ratio of the model that is fitted."""
        return float(self.l1_ratio)

    @abstractmethod
    def _alpha(self) -> float:
        """The penalty of the model that is fitted."""

    def _refuse_what_is_not_supported(self) -> None:
        if self.selection == "random":
            raise ValueError("selection='random' is not supported: coordinates are taken in turn. Use 'cyclic'.")
        if not isinstance(self.precompute, bool | np.bool_):
            raise ValueError("precompute takes no Gram matrix: those that are needed are formed here. Use False.")

    def _training(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> LassoData:
        X, y = self._checked_rows(X, y, reset)
        return LassoData.of(X, y, sample_weight, self.fit_intercept)

    @property
    def sparse_coef_(self) -> Any:
        """The weights as a sparse matrix."""
        check_is_fitted(self)
        return sp.csr_array(np.atleast_2d(self.coef_))

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        """Every figure again. Rows that cannot be those of the training are the caller's error."""
        check_is_fitted(self)
        claims = self.certificate_.problems
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        X, y = check_X_y(X, y, accept_sparse="csr", dtype=None, multi_output=True, y_numeric=True)
        data = LassoData.of(X, y, sample_weight, self.fit_intercept)
        check_same_rows(self._rows_seen, data.rows.n, weighted=True)
        try:
            found = self._recomputed(data, claims)
        except CallersRowsError:
            raise
        except Exception:  # a model that cannot even be evaluated was never fitted like that
            found = None
        return [refuted(claim) for claim in claims] if found is None else found

    def _recomputed(self, data: LassoData, claims: tuple[Certificate, ...]) -> list[Certificate] | None:
        coef = np.atleast_2d(np.asarray(self.coef_))
        intercept, d = np.asarray(self.intercept_), data.rows.d
        if self.n_features_in_ == coef.shape[1] != d:
            raise CallersRowsError(f"X has {d} features, but the model was trained on {coef.shape[1]}.")
        fits = coef.shape == (data.k, d) and intercept.shape in ((), (data.k,)) and self.n_features_in_ == d
        if not fits or len(claims) != data.k or not are_floats(coef, intercept):
            return None
        if not (0 < self._alpha() < np.inf and self.tol > 0):
            return None  # no fit has taken it
        gaps = np.atleast_1d(np.asarray(self.dual_gap_, dtype=np.float64))
        if not np.array_equal(gaps, [claim.gap for claim in claims], equal_nan=True):
            return None
        thetas = np.column_stack([coef, np.broadcast_to(intercept, data.k)]).astype(np.float64)
        model = zip(thetas, claims, strict=True)
        return [
            confirmed(data.problem(t, self._alpha(), self._l1_ratio(), self.positive), theta, None, claim, self.tol)
            for t, (theta, claim) in enumerate(model)
        ]


@dataclass(kw_only=True, eq=False, repr=False)
class ElasticNet(LassoModel):
    """Elastic net whose every fit carries its duality gap.

    A drop-in for :class:`sklearn.linear_model.ElasticNet`: minimises ``1/(2 n) sum_i (y_i - <x_i, w> - b)**2 + alpha
    l1_ratio ||w||_1 + alpha (1 - l1_ratio)/2 ||w||**2``; the intercept b is not penalised. With weights of samples, the
    mean of the squares is the weighted one.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty, positive. Without one use :class:`LinearRegression`.
    l1_ratio : float, default=0.5
        The share of the absolute values, from 0 (squares alone, which is a ridge) to 1 (the lasso).
    warm_start : bool, default=False
        Start from the weights of the last fit.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: both objectives, gap and seconds by round.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from maxmargin.linear_model import ElasticNet
    >>> X, y = make_regression(n_features=20, n_informative=3, noise=1.0, random_state=0)
    >>> model = ElasticNet(alpha=0.1, l1_ratio=0.9).fit(X, y)
    >>> print(model.certificate_.status, model.certificate_.relative_gap < 1e-10)
    converged True

    """

    _parameter_constraints: ClassVar[dict] = {
        **LassoModel._parameter_constraints,
        "alpha": [Interval(Real, 0.0, None, closed="neither")],
        "warm_start": ["boolean"],
        "trace": ["boolean"],
    }

    alpha: float = field(default=1.0, kw_only=False)
    warm_start: bool = False
    trace: bool = False

    def _alpha(self) -> float:
        return float(self.alpha)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ElasticNet:
        """Train on rows X with targets y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            float32 and float64, dense (C-contiguous) and CSR are used as they are, without a copy.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; each of several is a separate problem.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weight of each sample's square; only their proportions count, and a weight of 0 leaves a sample out.

        """
        self._validate_params()
        self._refuse_what_is_not_supported()
        data = self._training(X, y, sample_weight, reset=True)
        self._fit_all(data, self._starts(data))
        return self

    def _starts(self, data: LassoData) -> list[np.ndarray | None]:
        if not (self.warm_start and hasattr(self, "coef_")):
            return [None] * data.k
        coef = np.atleast_2d(self.coef_)
        if coef.shape != (data.k, data.rows.d):
            raise ValueError(
                f"warm_start=True needs the targets and features of the last fit {coef.shape}; got "
                f"{(data.k, data.rows.d)}. Set warm_start=False to begin again."
            )
        if self.positive:
            coef = np.maximum(coef, 0.0)
        intercept = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), data.k) * self.fit_intercept
        return list(np.column_stack([coef, intercept]))

    def path(
        self, X: Any, y: Any, alphas: Any = 100, sample_weight: Any = None, *, eps: float = 1e-3
    ) -> RegressionPath:
        """Solutions along alpha, each started from its neighbour and certified. The model itself stays as it is.

        Parameters
        ----------
        X, y : array-like
            What to train on.
        alphas : int or array-like of float, default=100
            Values of alpha, or how many, evenly spaced by their logarithm from where the first weight leaves zero.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples.
        eps : float, default=1e-3
            The smallest of automatic values over the largest.

        Returns
        -------
        RegressionPath
            In the order in which the values were given; automatic ones fall.

        """
        self._validate_params()
        self._refuse_what_is_not_supported()
        X, y = check_X_y(
            X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", multi_output=True, y_numeric=True
        )
        data = LassoData.of(X, y, sample_weight, self.fit_intercept)
        values = alpha_grid(data, self._l1_ratio(), alphas, eps, positive=self.positive)
        if not isinstance(alphas, int | np.integer):
            values = np.asarray(alphas, dtype=np.float64)
        return solve_path(data, values, self._l1_ratio(), self.positive, self.tol, self.max_iter)


@dataclass(kw_only=True, eq=False, repr=False)
class Lasso(ElasticNet):
    """The lasso, whose every fit carries its duality gap.

    A drop-in for :class:`sklearn.linear_model.Lasso`: minimises ``1/(2 n) sum_i (y_i - <x_i, w> - b)**2 + alpha
    ||w||_1``; the intercept b is not penalised. With weights of samples, the mean of the squares is the weighted one.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty, positive. Without one use :class:`LinearRegression`.
    warm_start, trace
        As in :class:`ElasticNet`.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.linear_model import Lasso
    >>> X = 2.0 * np.eye(4)  # orthogonal columns: each weight is its own problem
    >>> model = Lasso(alpha=0.5, fit_intercept=False).fit(X, [6.0, -3.0, 0.5, 0.0])
    >>> print(model.coef_)  # (6 - 1) / 2 and -(3 - 1) / 2
    [ 2.5 -1.   0.   0. ]
    >>> print(model.certificate_.status)
    converged

    """

    _parameter_constraints: ClassVar[dict] = {
        name: allowed for name, allowed in ElasticNet._parameter_constraints.items() if name != "l1_ratio"
    }

    l1_ratio: Any = field(default=1.0, init=False)  # no parameter
