"""What all linear machines share: parameters and prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from ..data import validate_data, weighted_sums
from ..estimators import Reported, TakesSparse
from ._start import dense_coef


@dataclass(kw_only=True, eq=False, repr=False)
class LinearParameters:
    """The parameters that linear machines share.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty.
    tol : float, default=1e-4
        Largest relative duality gap that is accepted.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    solver : str, default="auto"
        "auto" or a name of `maxmargin.solvers.RISK_SOLVERS`.
    warm_start : bool, default=False
        Start from the last solution, also one that ended by `max_iter` or Ctrl-C.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    random_state : int, RandomState or None, default=None
        Order of samples in solvers that pick them at random; None is a fixed order too.
    verbose : bool or int, default=0
        Show progress on standard error.
    callback : callable or None, default=None
        Called with a dict of ``problem, iteration, violation, gap, seconds``; returning True stops the fit.
    solver_options : dict or None, default=None
        Further options of the solver, such as ``{"step": 0.1}`` for "gradient_descent"; see
        :class:`maxmargin.linear_model.LinearClassifier`.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: both objectives, gap, violation and seconds by iteration.

    """

    C: float = 1.0
    tol: float = 1e-4
    fit_intercept: bool = True
    solver: Any = "auto"
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool | int = 0
    callback: Callable[[dict], Any] | None = None
    solver_options: dict[str, Any] | None = None
    trace: bool = False


class LinearMachine(LinearParameters, TakesSparse, Reported, BaseEstimator):
    """Base of the linear machines; not for direct use.

    Attributes
    ----------
    certificate_ : ModelCertificate
        Primal, dual, gap and status, recomputed in float64; ``certificate_.verify(X, y)`` does it again.
    solver_ : str
        The solver that was used.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``; `maxmargin.plotting.TraceDisplay` draws it.

    """

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
        "trace": ["boolean"],
    }

    _arguments = {
        "X": "X : array-like or sparse matrix of shape (n_samples, n_features)\n"
        "    float32 and float64, dense (C-contiguous) and CSR are used as they are, without a copy.",
        "sample_weight": "sample_weight : array-like of shape (n_samples,), optional\n"
        "    C is multiplied by it, sample by sample; a sample of weight 0 takes no part.",
    }

    def _validate_for_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)

    def _linear_values(self, X: Any) -> np.ndarray:
        """``X @ coef.T + intercept`` in float64."""
        return weighted_sums(self._validate_for_predict(X), dense_coef(self)) + self.intercept_
