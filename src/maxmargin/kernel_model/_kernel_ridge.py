"""Ridge regression in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import (
    Certificate,
    Evidence,
    IndefiniteKernelWarning,
    ModelCertificate,
    Status,
    are_floats,
    evaluate_kernel_ridge,
    hold_to_rounding,
    product_rounding,
)
from ..data import Rows, check_array, check_X_y, validate_data
from ..engine import Stopwatch, one_blas_thread, thread_count, warn
from ..estimators import (
    PAIRWISE_KERNELS,
    Reported,
    TakesKernel,
    check_penalties,
    check_same_rows,
    pairwise_kernel,
    weights_or_ones,
)
from ..kernels import Kernel, check_symmetric, definiteness, kernel_name
from ..problems import KernelRidgeProblem
from ..solvers import solve_kernel_ridge
from ._same_model import confirmed, refuted, same_rows

# The gap, relative to the objective of the function 0, up to which rounding excuses it.
_ROUNDED = 1e-3


@dataclass(kw_only=True, eq=False, repr=False)
class KernelRidge(MultiOutputMixin, RegressorMixin, TakesKernel, Reported, BaseEstimator):
    """Kernel ridge regression whose every fit carries a proof.

    A drop-in for :class:`sklearn.kernel_ridge.KernelRidge`: minimises ``sum_i s_i (y_i - f(x_i))**2 + alpha ||f||**2``
    over the functions of the kernel; there is no intercept. The certificate bounds the least possible objective from
    both sides, for each target.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        The penalty, at least 0; one for all targets or one for each.
    kernel : str, Kernel or callable, default="linear"
        "linear", "poly" ("polynomial"), "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2" or
        "precomputed"; a value of ``maxmargin.kernels``, such as ``RBF(0.5) + Linear()``, which brings its own
        parameters; or, as in scikit-learn, a function of *two rows* that returns their kernel value. A function of two
        blocks of rows is given as ``maxmargin.kernels.CallableKernel(function)``.
    gamma : float or None, default=None
        Coefficient of the kernels by name; None is ``1 / n_features``, and 1 for "chi2".
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1.0
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Further arguments of a function of two rows; refused for other kernels.
    tol : float, default=1e-6
        Largest proven gap, relative to the objective of the function 0, with which a fit counts as converged. Values
        of the best function are then within ``sqrt(tol)`` of those found, relative to the targets and in the mean
        square. The equations are solved to rounding errors whatever this says. Where they hold to the rounding of
        float64 coefficients, which no solver improves on, a gap of up to 1e-3 counts as well.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The coefficients a of ``f(x) = sum_i a_i k(x_i, x)``.
    X_fit_ : ndarray or sparse matrix
        The rows of the training; for a precomputed kernel their matrix.
    certificate_ : ModelCertificate
        Primal and dual objective, gap and residual of the equations, recomputed in float64, one problem a target;
        ``certificate_.verify(X, y)`` does it again.
    gamma_ : float
        The gamma of the kernel, where it has one.
    n_features_in_ : int
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernel_ridge import KernelRidge
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = KernelRidge(alpha=0.01, kernel="rbf").fit(X, np.sin(X).ravel())
    >>> bool(abs(model.predict(X) - np.sin(X).ravel()).max() < 0.03)
    True
    >>> print(model.certificate_.status)
    converged
    >>> model.certificate_.relative_gap < 1e-8
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        "alpha": [Interval(Real, 0.0, None, closed="left"), "array-like"],
        "kernel": [StrOptions(PAIRWISE_KERNELS), callable],
        "gamma": [Interval(Real, 0.0, None, closed="left"), None],
        "degree": [Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    alpha: Any = field(default=1.0, kw_only=False)
    kernel: str | Callable | Kernel = "linear"
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1.0
    kernel_params: dict | None = None
    tol: float = 1e-6

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRidge:
        """Train on rows X with targets y.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weight of each sample's square; one of 0 leaves it out.

        """
        self._validate_params()
        watch = Stopwatch()
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, **self._rules)
        kernel = self._kernel_of(X.shape[1])
        if kernel_name(kernel) == "precomputed":
            check_symmetric(X)
        problem, kept = self._problem(kernel.gram(Rows(X), None, thread_count(None)), X, y, sample_weight)
        with np.errstate(over="ignore"):
            sizes = problem.weights @ np.square(problem.targets)
        if not np.isfinite(sizes).all():
            raise ValueError(
                "y has values so large that the sum of their squares overflows float64. Scale y (StandardScaler)."
            )
        with one_blas_thread():  # tiles run on threads of our own
            found = solve_kernel_ridge(problem, thread_count(None))
            if not np.isfinite(found).all():
                raise ValueError("the coefficients overflow float64: scale the features (StandardScaler) and targets.")
            evidence = evaluate_kernel_ridge(problem, found, definiteness(kernel, problem.gram))
        coef = np.zeros((X.shape[0], problem.k))
        coef[kept] = found
        self.dual_coef_ = coef[:, 0] if y.ndim == 1 else coef
        self.X_fit_ = X
        statuses = [self._status(e, problem, found[:, k], k) for k, e in enumerate(evidence)]
        names = [""] if problem.k == 1 else [f"target {t}" for t in range(problem.k)]
        seconds = watch.seconds() / problem.k
        figures = zip(evidence, statuses, names, strict=True)
        certificates = tuple(Certificate.of(e, status, 1, seconds, name) for e, status, name in figures)
        self.certificate_ = ModelCertificate(certificates, self._recertify)
        self._warn(kernel)
        return self

    @property
    def _rules(self) -> dict[str, Any]:
        precomputed = kernel_name(self.kernel) == "precomputed"
        return {
            "accept_sparse": False if precomputed else "csr",
            "dtype": [np.float64, np.float32],
            "order": "C",
        }

    def _kernel_of(self, d: int) -> Kernel:
        """The kernel that the parameters ask for, for rows of so many features."""
        return pairwise_kernel(self.kernel, d, self.gamma, self.degree, self.coef0, self.kernel_params)

    def _problem(self, gram: Any, X: Any, y: np.ndarray, sample_weight: Any) -> tuple[KernelRidgeProblem, np.ndarray]:
        """The problem of checked input, and the rows that take part."""
        weights = weights_or_ones(sample_weight, X)
        kept = np.flatnonzero(weights > 0)
        targets = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        penalties = check_penalties(self.alpha, targets.shape[1])
        part = gram if len(kept) == len(y) else gram.restricted(kept)
        return KernelRidgeProblem(part, targets[kept], weights[kept], penalties), kept

    def _status(self, evidence: Evidence, problem: KernelRidgeProblem, a: np.ndarray, k: int) -> Status:
        if evidence.definiteness == "fails":
            scale = float(np.abs(problem.targets[:, k]).max(initial=0.0))
            return Status.STATIONARY if evidence.kkt_violation <= 1e-6 * scale else Status.STALLED
        return Status.CONVERGED if self._is_met(evidence, problem, a, k) else Status.STALLED

    def _is_met(self, evidence: Evidence, problem: KernelRidgeProblem, a: np.ndarray, k: int) -> bool:
        size = float(problem.weights @ problem.targets[:, k] ** 2)
        if not (np.isfinite(evidence.gap) and evidence.gap <= max(self.tol, _ROUNDED) * size + 1e-300):
            return False
        return bool(evidence.gap <= self.tol * size + 1e-300) or hold_to_rounding(problem, a, k, evidence.image)

    def _warn(self, kernel: Kernel) -> None:
        worst = self.certificate_.worst
        if worst.definiteness == "fails":
            broken = [c.kkt_violation for c in self.certificate_.problems if c.status is Status.STALLED]
            holds = "its equations do not hold either" if broken else "the equations of the model hold"
            warn(
                f"the kernel {kernel} is not positive semi-definite on these rows: nothing is proven of the model's "
                f"objective; {holds}. Use a kernel that is an inner product (maxmargin.kernels.check_mercer looks at "
                f"one).",
                IndefiniteKernelWarning,
                stacklevel=3,
            )
            if broken:
                warn(
                    f"KernelRidge ended as 'stalled': its equations are violated by up to {max(broken):.2e}, as the "
                    f"matrix of the kernel with alpha on its diagonal has eigenvalues of about 0. Change alpha, or use "
                    f"another kernel.",
                    ConvergenceWarning,
                    stacklevel=3,
                )
        elif worst.status is not Status.CONVERGED:
            warn(
                f"KernelRidge ended as '{worst.status}': its gap of {worst.gap:.2e} is more than tol={self.tol:g} of "
                f"the objective of the function 0. {self._remedy()}",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _remedy(self) -> str:
        """What to do about a gap that is too large."""
        largest = float(np.abs(self.dual_coef_).max(initial=0.0))
        if largest < 2.0**-969 and float(np.max(self.alpha)) > 1:  # fewer digits than float64 has
            return (
                f"The coefficients, which are about y / alpha, underflow float64 (the largest is {largest:.2e}): lower "
                f"alpha, or scale y."
            )
        return "Raise alpha (without it, nothing but 0 bounds the optimum from below), or scale the features."

    # ---------------------------------------------------------------- the proof

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        """Every figure again, from the model alone. Another number of rows is the caller's error."""
        check_is_fitted(self)
        claims = self.certificate_.problems
        X = check_array(X, **self._rules)
        X, y = check_X_y(X, y, multi_output=True, y_numeric=True, **self._rules)
        check_same_rows(len(self.dual_coef_), X.shape[0])
        try:
            return self._recomputed(X, y, sample_weight, claims)
        except Exception:  # a model that cannot even be evaluated was never fitted like that
            return refuted(claims)

    def _recomputed(
        self, X: Any, y: np.ndarray, sample_weight: Any, claims: tuple[Certificate, ...]
    ) -> list[Certificate]:
        coef = np.asarray(self.dual_coef_)
        fits = same_rows(self.X_fit_, X) and coef.shape == y.shape and are_floats(coef) and np.isfinite(coef).all()
        if not (fits and self.n_features_in_ == X.shape[1]):
            return refuted(claims)
        kernel = self._kernel_of(X.shape[1])
        problem, kept = self._problem(kernel.audit_gram(Rows(X)), X, y, sample_weight)
        coef = coef.reshape(len(y), -1)
        left_out = np.ones(len(y), dtype=bool)
        left_out[kept] = False
        if problem.k != len(claims) or coef[left_out].any():
            return refuted(claims)
        known = definiteness(kernel, problem.gram)
        evidence = evaluate_kernel_ridge(problem, coef[kept], known, audit=True)
        own = self._values(X).reshape(len(y), -1)[kept]
        as_fitted, _ = self._problem(kernel.gram(Rows(X), None, thread_count(None)), X, y, sample_weight)
        in_fit = evaluate_kernel_ridge(as_fitted, coef[kept], known)
        found = []
        for t, (claim, e, plain) in enumerate(zip(claims, evidence, in_fit, strict=True)):
            met = self._is_met(e, problem, coef[kept, t], t)
            size = float(np.abs(problem.targets[:, t]).max(initial=0.0))
            if np.isfinite(plain.rounding):  # what the claim was widened by, which may be more than is needed here
                e = replace(e, rounding=max(e.rounding, plain.rounding))
            room = product_rounding(as_fitted.gram, coef[kept, t])
            found.append(confirmed(claim, e, own[:, t], e.image, met, size, room))
        return found

    # ---------------------------------------------------------------- prediction

    @property
    def gamma_(self) -> float:
        """The gamma of the kernel, where it has one."""
        check_is_fitted(self)
        kernel = self._fitted_kernel()
        if not hasattr(kernel, "gamma"):
            raise AttributeError(f"gamma_ is only available for kernels with a gamma, which {self.kernel!r} has not")
        return float(kernel.gamma)

    def predict(self, X: Any) -> np.ndarray:
        """Predicted targets of the rows of X.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)

        """
        check_is_fitted(self)
        return self._values(validate_data(self, X, reset=False, **self._rules))

    def _fitted_kernel(self) -> Kernel:
        return self._kernel_of(self.n_features_in_)

    def _values(self, X: Any) -> np.ndarray:
        if sp.issparse(X) != sp.issparse(self.X_fit_):  # rows of one storage
            X = sp.csr_array(X) if sp.issparse(self.X_fit_) else X.toarray()
        kernel, rows = self._fitted_kernel(), Rows(X)
        columns = rows if kernel_name(kernel) == "precomputed" else Rows(self.X_fit_)
        coef = np.ascontiguousarray(self.dual_coef_.reshape(len(self.dual_coef_), -1).T)
        gram = kernel.gram(rows, columns, thread_count(None))
        values = gram.product(np.arange(coef.shape[1]), coef, np.float64).T
        return values[:, 0].copy() if self.dual_coef_.ndim == 1 else np.ascontiguousarray(values)
