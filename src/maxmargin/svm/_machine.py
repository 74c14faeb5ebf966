"""The base of the kernel machines: their parameters, and what a fitted one is made of."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Certificate
from ..data import csr_rows, validate_data, weighted_sums
from ..engine import one_blas_thread, thread_count
from ..estimators import KERNEL_CONSTRAINTS, KeepsGamma, KernelChoice, Reported
from ..kernels import Kernel, make_kernel
from ..solvers import KERNEL_SOLVER_NAMES
from ._formulations import Formulation
from ._input import rows_of
from ._linear_weights import linear_weights
from ._verify import Audit, recertify


@cache
def _parameter_names(estimator: type[FittedMachine]) -> list[str]:
    """Names from the signature, which scikit-learn inspects anew in every fit: 0.1 ms, a twentieth of a small one."""
    return super(FittedMachine, estimator)._get_param_names()  # type: ignore[misc]


@dataclass(kw_only=True, eq=False, repr=False)
class KernelParameters(KernelChoice):
    """The parameters that all kernel machines share.

    Parameters
    ----------
    shrinking : bool, default=True
        Whether the solver may set variables aside that seem settled. The result is the same.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, as in scikit-learn. Values above 1
        are taken as 1.
    cache_size : float, default=200
        Memory for kernel values in MB.
    verbose : bool or int, default=False
        Show progress on standard error.
    max_iter : int, default=-1
        Largest number of SMO steps for each binary problem; -1 is an automatic, finite number. A problem on which SMO
        is slow (a large C, features of different scales) goes on by an interior point, each step of which counts as
        many as the problem has variables.
    gap_tol : float or None, default=None
        Go on until the relative duality gap is at most this, too.
    warm_start : bool, default=False
        Start from the last solution, also one that ended by `max_iter` or Ctrl-C. Needs the same rows.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    callback : callable or None, default=None
        Called with a dict of ``problem, iteration, violation, gap, seconds`` several times a second; returning True
        stops the fit.
    solver : {"auto", "decomposition", "smo", "projected_gradient", "active_set"}, default="auto"
        How the dual problem is solved; the answer is the same to the tolerance, and each is certified alike. "auto" is
        the fastest: working sets, and an interior point where they are slow. "decomposition": working sets alone.
        "smo": two variables in each step, with LIBSVM's choice of the pair, shrinking and a cache of rows.
        "projected_gradient": a gradient step, then the exact projection on the constraints. "active_set": solves for
        the free variables, then lets the worst of the others join them. The last two hold the whole kernel matrix and
        need a `cache_size` that it fits in. Except "auto", none solves the hard margin; an indefinite kernel takes
        "auto" or "smo". An iteration of `max_iter` is a step of the solver.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: both objectives, gap, violation and seconds by iteration.
        Steps that SMO makes in bursts are then recorded one by one at first, and at growing distances later.

    """

    shrinking: bool = True
    tol: float = 1e-3
    cache_size: float = 200
    verbose: bool | int = False
    max_iter: int = -1
    gap_tol: float | None = None
    warm_start: bool = False
    n_jobs: int | None = None
    callback: Callable[[dict], Any] | None = None
    solver: str = "auto"
    trace: bool = False


class FittedMachine(KernelChoice, KeepsGamma, Reported, BaseEstimator, metaclass=ABCMeta):
    """Base of all that predict by support vectors; not for direct use.

    A machine says what its formulation is (`_formulation`). What it predicts from, and how that is verified, is said
    once for classifiers, once for regressors and once for the machine of one class (`_training_data`, `_audits`).

    Attributes
    ----------
    certificate_ : ModelCertificate
        Primal, dual, gap, violation and status, recomputed in float64; ``certificate_.verify(X, y)`` does it again.
    trace_ : maxmargin.solvers.Trace
        The course of the fit, where ``trace=True``; `maxmargin.plotting.TraceDisplay` draws it.
    gamma_ : float
        The gamma of the kernel, where it has one: what "scale" and "auto" came to.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, n_iter_, fit_status_, shape_fit_, n_features_in_
        As in scikit-learn. ``fit_status_`` is 0 if the certificate's status is CONVERGED or STATIONARY.

    """

    n_jobs: int | None = None

    @abstractmethod
    def _formulation(self) -> Formulation:
        """What the parameters say of the problem that is solved."""

    @abstractmethod
    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, np.ndarray]:
        """X, y and weights as the fit has seen them; ValueError if they cannot be."""

    @abstractmethod
    def _audits(self, X: Any, y: Any, weight: np.ndarray) -> list[Audit]:
        """What is recomputed of each binary problem; nothing if the model cannot be that of these data."""

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        """Every figure of the certificate, recomputed from the model alone."""
        return recertify(self, X, y, sample_weight)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return list(_parameter_names(cls))

    # ---------------------------------------------------------------- what its parameters mean for a solver

    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    def _side_by_side(self, problems: int) -> bool:
        """Whether there are enough problems to give each thread its own, instead of all threads to each."""
        return problems >= 2 * self._threads() > 2 and self._kernel_name != "function"

    # ---------------------------------------------------------------- a fitted machine

    def _fitted_kernel(self) -> Kernel:
        return make_kernel(self.kernel, self._gamma, self.coef0, self.degree)

    def _rows(self, X: Any) -> Any:
        return rows_of(self.kernel, X)

    @property
    def _vectors(self) -> Any:
        """The support vectors; those that only a user's function looks into are kept apart."""
        return self._callable_support if self._kernel_name == "function" else self.support_vectors_

    def _dual_coef(self) -> np.ndarray:
        coef: Any = self.dual_coef_
        return coef.toarray() if sp.issparse(coef) else coef

    def _spread(self, n: int) -> np.ndarray:
        """``dual_coef_`` with a column for each of the n training rows."""
        coef = np.zeros((self.dual_coef_.shape[0], n))
        coef[:, self.support_] = self._dual_coef()
        return coef

    def _weights(self) -> np.ndarray:
        """Weights of the features, one row a binary problem; only a linear kernel has them."""
        return linear_weights(self.support_vectors_, self._dual_coef())

    @property
    def coef_(self) -> Any:
        """Weights of the features, one row a binary problem (linear kernel only; read-only)."""
        if self._kernel_name != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        coef: Any = sp.csr_matrix(self._weights()) if self._sparse else self._weights()
        (coef.data if self._sparse else coef).flags.writeable = False
        return coef

    def _support_is_of(self, X: Any) -> bool:
        """Whether the support vectors that predictions are made with are the rows of X that they claim to be."""
        if self._kernel_name == "precomputed":
            return True
        if self._kernel_name == "function":
            kept, rows = self._callable_support, X[self.support_]
            difference = kept != rows if sp.issparse(kept) and sp.issparse(rows) else None
            return np.array_equal(kept, rows) if difference is None else difference.nnz == 0
        difference = X[self.support_] != self.support_vectors_
        return not (difference.nnz if sp.issparse(difference) else difference.any())

    # ---------------------------------------------------------------- prediction

    def _validate_for_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        if self._kernel_name == "function":
            return csr_rows(X) if sp.issparse(X) else np.asarray(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=False)
        if sp.issparse(X) and not self._sparse:
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data; pass X.toarray()."
            )
        if self._sparse and not sp.issparse(X):
            X = sp.csr_array(X)
        if self.n_support_.sum() != len(self.support_):
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return X

    def _support_values(self, X: Any, groups: Sequence[slice], coefficients: np.ndarray) -> list[np.ndarray]:
        """For each group of support vectors, ``K(X, group) @ coefficients[:, group].T`` in float64."""
        rows = self._rows(X)
        if self._kernel_name == "precomputed":
            columns, position = rows, self.support_
        else:
            columns, position = self._rows(self._vectors), np.arange(len(self.support_))
        gram = self._fitted_kernel().gram(rows, columns, self._threads())
        return [gram.product(position[g], np.ascontiguousarray(coefficients[:, g]), np.float64).T for g in groups]

    def _values_without_intercept(self, X: Any) -> np.ndarray:
        """What the support vectors of the only problem say of each row of X.

        With a linear kernel by the weights, which the certificate is about: sums of kernel values would lose the digits
        that rows far from the origin have in common.
        """
        with one_blas_thread():
            if self._kernel_name == "linear":
                return weighted_sums(X, self._weights()).ravel()
            return self._support_values(X, [slice(None)], self._dual_coef())[0].ravel()


class KernelMachine(KernelParameters, FittedMachine):
    """Base of the kernel machines that are trained exactly; not for direct use."""

    _parameter_constraints: ClassVar[dict] = {
        **KERNEL_CONSTRAINTS,
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "gap_tol": [Interval(Real, 0.0, None, closed="neither"), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "callback": [callable, None],
        "solver": [StrOptions({"auto", *KERNEL_SOLVER_NAMES})],
        "trace": ["boolean"],
    }

    @property
    def _budget(self) -> int | None:
        return None if self.max_iter == -1 else int(self.max_iter)
