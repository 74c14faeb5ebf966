"""What all kernel machines share: parameters, kernel, validated rows, decision values, the end of a fit."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from ..certificates import (
    Certificate,
    Evidence,
    IndefiniteKernelWarning,
    Status,
    with_definiteness,
)
from ..data import ObjectRows, Rows, csr_rows, validate_data
from ..engine import Stopwatch, thread_count, warn
from ..estimators import Reported, check_weights, conclude, solve_all
from ..kernels import KERNELS, Definiteness, Gram, Kernel, definiteness, kernel_name, make_kernel, symmetric_part
from ..problems import BoxQP
from ..solvers import CertifiedSolution, Monitor, feasible, solve_certified, solve_indefinite
from ._audit import Audit, confirmed, is_whole, refuted
from ._remedy import remedy


@dataclass(frozen=True)
class Solved:
    """What solving all binary problems of a machine gave."""

    solutions: list[CertifiedSolution]
    certificates: list[Certificate]
    monitor: Monitor
    interrupted: bool
    smallest_eigenvalue: float | None = None  # of the kernel matrices, where it was computed


@cache
def _parameter_names(estimator: type[KernelMachine]) -> list[str]:
    """Names from the signature, which scikit-learn inspects anew in every fit: 0.1 ms, a twentieth of a small one."""
    return super(KernelMachine, estimator)._get_param_names()  # type: ignore[misc]


class KernelMachine(Reported, BaseEstimator, metaclass=ABCMeta):
    """Base of the kernel machines; not for direct use."""

    _parameter_constraints: dict = {
        "kernel": [StrOptions(set(KERNELS)), callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "gap_tol": [Interval(Real, 0.0, None, closed="neither"), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "callback": [callable, None],
    }

    @property
    def _kernel_name(self) -> str:
        """What kind of kernel this is, whether given by name, as an object or as a function."""
        return kernel_name(self.kernel)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return list(_parameter_names(cls))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._kernel_name == "precomputed"
        tags.input_tags.sparse = self._kernel_name != "precomputed"
        return tags

    def _validate_training(self, X: Any, y: Any, y_numeric: bool = False) -> tuple[Any, Any]:
        """Checked X (float32 or float64, dense or CSR) and y (None where there is none)."""
        if sp.issparse(X) and self._kernel_name == "precomputed":
            raise TypeError("Sparse precomputed kernels are not supported.")
        if self._kernel_name == "function":  # what the samples are is the kernel's affair
            check_consistent_length(X, X if y is None else y)
            return (csr_rows(X) if sp.issparse(X) else np.asarray(X)), y
        rules: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}
        if y is None:
            X = validate_data(self, X, **rules)
        else:
            X, y = validate_data(self, X, y, y_numeric=y_numeric, **rules)
        if self._kernel_name == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
                )
        return X, y

    def _validate_weights(self, sample_weight: Any, X: Any) -> np.ndarray:
        weights = check_weights(sample_weight, X)
        return np.ones(_num_samples(X)) if weights is None else weights

    def _kernel_for(self, X: Any, weights: np.ndarray) -> Kernel:
        """The kernel of this fit, with gamma settled."""
        if self._kernel_name == "precomputed":
            asymmetry = float(np.abs(X - X.T).max())
            if asymmetry > 1e-5 * float(np.abs(X).max()):
                raise ValueError(
                    f"a precomputed kernel matrix must be symmetric; X differs from its transpose by {asymmetry:.3g}."
                )
        self._gamma = self._stated_gamma(X, weights)
        return self._fitted_kernel()

    def _stated_gamma(self, X: Any, weights: np.ndarray) -> float:
        """What the parameters make of gamma for these rows.

        The variance of gamma="scale" is that of the weighted sample: a weight of 2 is the same as the row twice.
        """
        if self._kernel_name in ("function", "precomputed"):
            return 0.0
        if isinstance(self.kernel, Kernel):  # brings its own
            return float(getattr(self.kernel, "gamma", 0.0))
        if self.gamma == "scale":
            variance = Rows(X).variance(weights)
            return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
        return 1.0 / X.shape[1] if self.gamma == "auto" else float(self.gamma)

    def _fitted_kernel(self) -> Kernel:
        return make_kernel(self.kernel, self._gamma, self.coef0, self.degree)

    def _rows(self, X: Any) -> Any:
        return ObjectRows(X) if self._kernel_name == "function" else Rows(X)

    @property
    def _budget(self) -> int | None:
        return None if self.max_iter == -1 else int(self.max_iter)

    def _engine_options(self, problems: int = 1) -> dict[str, Any]:
        """Memory and shrinking for one of so many problems: those that run side by side share the cache."""
        share = self._threads() if self._side_by_side(problems) else 1
        return {"cache_bytes": int(self.cache_size * 1e6 / share), "shrinking": self.shrinking}

    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    def _support_values(self, X: Any, groups: Sequence[slice], coefficients: np.ndarray) -> list[np.ndarray]:
        """For each group of support vectors, ``K(X, group) @ coefficients[:, group].T`` in float64."""
        kernel = self._fitted_kernel()
        rows = self._rows(X)
        if self._kernel_name == "precomputed":
            columns = rows
        else:
            columns = self._rows(self._vectors)
        gram = kernel.gram(rows, columns, self._threads())
        position = self.support_ if self._kernel_name == "precomputed" else np.arange(len(self.support_))
        return [gram.product(position[g], np.ascontiguousarray(coefficients[:, g]), np.float64).T for g in groups]

    @property
    def _vectors(self) -> Any:
        """The support vectors; those that only a user's function looks into are kept apart."""
        return self._callable_support if self._kernel_name == "function" else self.support_vectors_

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

    def _side_by_side(self, problems: int) -> bool:
        """Whether there are enough problems to give each thread its own, instead of all threads to each."""
        return problems >= 2 * self._threads() > 2 and self._kernel_name != "function"

    def _solve_all(
        self,
        task: Callable[[int, Monitor], CertifiedSolution],
        problems: Sequence[BoxQP],
        starts: Sequence[np.ndarray | None],
        names: Sequence[str],
        first: int = 0,
    ) -> Solved:
        """Solve every problem, many of them side by side; one that Ctrl-C left undone keeps its start.

        `first` is the sign of the class that LIBSVM lists first, 0 where variables are no classes.
        """
        monitor = Monitor(self.verbose, self.callback)
        smallest: list[float | None] = [None] * len(problems)

        def solve(k: int, named: Monitor) -> tuple[CertifiedSolution, float]:
            watch = Stopwatch()
            solution, found = self._solve_as_known(lambda: task(k, named), problems[k], starts[k], named, first)
            smallest[k] = found.smallest
            return solution, watch.seconds()

        def untouched(k: int) -> tuple[CertifiedSolution, float]:
            return CertifiedSolution.untouched(problems[k], starts[k]), 0.0

        parallel = self._side_by_side(len(problems))
        done, interrupted = solve_all(solve, untouched, names, monitor, side_by_side=parallel)
        certificates = [
            Certificate.of(s.evidence, s.status, s.iterations, seconds, name)
            for (s, seconds), name in zip(done, names, strict=True)
        ]
        known = [value for value in smallest if value is not None]
        return Solved([s for s, _ in done], certificates, monitor, interrupted, min(known, default=None))

    def _solve_as_known(
        self,
        solve: Callable[[], CertifiedSolution],
        problem: BoxQP,
        start: np.ndarray | None,
        monitor: Monitor,
        first: int,
    ) -> tuple[CertifiedSolution, Definiteness]:
        """Solve a problem by what its kernel matrix allows, and claim no more than that."""
        found = self._definiteness(problem.gram)
        if not found.fails:
            solution = solve()
        elif not np.isfinite(problem.upper - problem.lower).all():
            raise ValueError(
                f"C=inf asks for a hard margin, which needs a positive semi-definite kernel matrix; that of "
                f"{self._kernel_words()} has an eigenvalue of {found.smallest:.3g}. Use a finite C or another kernel."
            )
        else:
            start = None if start is None else feasible(problem, start)
            options = {"sign": first, "cache_bytes": int(self.cache_size * 1e6), "shrinking": self.shrinking}
            solution = solve_indefinite(problem, start, self.tol, self._budget, monitor, **options)
        if not len(solution.evidence.image):  # interrupted: nothing is claimed
            return solution, found
        evidence, status = with_definiteness(solution.evidence, problem, found), solution.status
        if status is Status.CONVERGED and self.gap_tol is not None and evidence.relative_gap > self.gap_tol:
            status = Status.STALLED  # what the matrix lacks of being semi-definite allows no smaller gap
        return replace(solution, evidence=evidence, status=status), found

    def _definiteness(self, gram: Gram) -> Definiteness:
        """Why the matrix of a problem is positive semi-definite, or that it is not."""
        return definiteness(self._fitted_kernel(), gram)

    def _judged(self, problem: BoxQP, evidence: Evidence) -> Evidence:
        """Recomputed figures of a problem, with what is known of its kernel matrix."""
        return with_definiteness(evidence, problem, self._definiteness(problem.gram))

    def _solve_one(self, problem: BoxQP, start: np.ndarray | None) -> Solved:
        """Solve the only problem of a machine that has one."""

        def task(k: int, monitor: Monitor) -> CertifiedSolution:
            options = self._engine_options()
            return solve_certified(problem, start, self.tol, self.gap_tol, self._budget, monitor, **options)

        return self._solve_all(task, [problem], [start], [""])

    def _may_start_warm(self, n: int) -> bool:
        """Whether there is a last solution to start from; one of other rows is refused."""
        if not (self.warm_start and hasattr(self, "support_")):
            return False
        if self.shape_fit_[0] != n:
            raise ValueError(
                f"warm_start=True needs the rows of the last fit ({self.shape_fit_[0]}); got {n}. Set "
                f"warm_start=False to start anew."
            )
        return True

    def _linear_weights(self) -> Any:
        """``dual_coef_ @ support_vectors_``, read-only; only a linear kernel has them."""
        if self._kernel_name != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        coef: Any = safe_sparse_dot(self.dual_coef_, self.support_vectors_)
        (coef.data if self._sparse else coef).flags.writeable = False
        return coef

    def _keep(self, X: Any, support: np.ndarray, dual_coef: np.ndarray, intercept: np.ndarray) -> None:
        """Fitted attributes in scikit-learn's form."""
        if not (np.isfinite(dual_coef).all() and np.isfinite(intercept).all()):
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain large values and "
                "need to be preprocessed."
            )
        self._sparse = sp.issparse(X) and self._kernel_name != "function"
        self.support_ = support.astype(np.int32)
        if self._kernel_name == "precomputed" or self._kernel_name == "function":
            self.support_vectors_ = np.empty((0, 0))
        else:
            self.support_vectors_ = X[support]
        if self._kernel_name == "function":
            self._callable_support = X[support]
        self.dual_coef_ = sp.csr_matrix(dual_coef) if self._sparse else dual_coef
        self.intercept_ = intercept
        self.shape_fit_ = X.shape

    def _dual_coef(self) -> np.ndarray:
        coef: Any = self.dual_coef_
        return coef.toarray() if sp.issparse(coef) else coef

    def _spread(self, n: int) -> np.ndarray:
        """``dual_coef_`` with a column for each of the n training rows."""
        coef = np.zeros((self.dual_coef_.shape[0], n))
        coef[:, self.support_] = self._dual_coef()
        return coef

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        """Every figure of the certificate, recomputed from the model alone.

        Data that cannot be those of the fit (another number of rows) are an error of the caller; whatever is wrong with
        the model is a refutation.
        """
        claims = self.certificate_.problems
        if not (is_whole(self) and self._names_are_whole()):
            return refuted(claims)
        X, y, weight = self._training_data(X, y, sample_weight)
        if self._kernel_name == "precomputed":  # what the machine was trained on
            X = symmetric_part(X)
        try:
            with np.errstate(all="ignore"):
                sound = self._support_is_of(X) and self._belongs_to(y) and self._gamma_is_stated(X, weight)
                audits = self._audits(X, y, weight) if sound else []
        except Exception:  # what a model was made to hold fails in ways that cannot be foreseen
            audits = []
        if len(audits) != len(claims):
            return refuted(claims)
        return [self._confirmed(audit, claim) for audit, claim in zip(audits, claims, strict=True)]

    def _gamma_is_stated(self, X: Any, weight: np.ndarray) -> bool:
        """Whether the gamma of the fit is the one that the parameters ask for."""
        if self._kernel_name not in ("rbf", "poly", "sigmoid"):
            return True
        return bool(abs(self._stated_gamma(X, weight) - self._gamma) <= 1e-9 * abs(self._gamma))

    def _names_are_whole(self) -> bool:
        """Whether a subclass's own attributes fit to each other and to the claims."""
        return len(self._dual_coef()) == 1

    def _belongs_to(self, y: Any) -> bool:
        """Whether a subclass's own attributes are those of training with y."""
        return True

    @abstractmethod
    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, np.ndarray]:
        """X, y and weights as the fit has seen them; ValueError if they cannot be."""

    @abstractmethod
    def _audits(self, X: Any, y: Any, weight: np.ndarray) -> list[Audit]:
        """What is recomputed of each binary problem."""

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

    def _largest_violation(self) -> float:
        """The violation up to which a fit is called converged."""
        return float(self.tol)

    def _confirmed(self, audit: Audit, claim: Certificate) -> Certificate:
        """A certificate of recomputed figures beside an earlier one."""
        return confirmed(audit, claim, self._largest_violation(), self.gap_tol)

    def _conclude(self, solved: Solved) -> None:
        """Keep the proof, and say what it proves if that is less than was asked for."""
        conclude(self, solved.certificates, solved.monitor, solved.interrupted, self._advice)
        if any(c.definiteness == "fails" for c in solved.certificates):
            warn(self._indefinite(solved), IndefiniteKernelWarning, stacklevel=3)

    def _indefinite(self, solved: Solved) -> str:
        """What an indefinite kernel means, and what would do instead."""
        named = [c.label for c in solved.certificates if c.definiteness == "fails"]
        where = f" ({', '.join(named[:3])}{', ...' if len(named) > 3 else ''})" if len(solved.certificates) > 1 else ""
        instead = {
            "sigmoid": 'Use kernel="rbf"',
            "poly": 'Use coef0 >= 0 or kernel="rbf"',
        }.get(self._kernel_name, "Use a kernel that is an inner product (maxmargin.kernels.check_mercer looks at one)")
        return (
            f"{self._kernel_words()} is not positive semi-definite on these rows{where}: its matrix has an eigenvalue "
            f"of {solved.smallest_eigenvalue:.3g}. The machine meets the conditions of optimality, but a better one "
            f"may exist, and nothing is proven of it. {instead}."
        )

    def _kernel_words(self) -> str:
        """The kernel with its parameters."""
        if self._kernel_name == "function":
            return f"the kernel function {getattr(self.kernel, '__name__', 'given')}"
        return f"the kernel {self._fitted_kernel()}"

    def _advice(self, worst: Certificate) -> str:
        where = f" ({worst.label})" if worst.label and len(self.certificate_.problems) > 1 else ""
        return (
            f"{type(self).__name__} ended as '{worst.status}'{where} after {worst.iterations} iterations: largest KKT "
            f"violation {worst.kkt_violation:.2e} (tol={self.tol:g}), relative duality gap {worst.relative_gap:.2e}. "
            + remedy(self, worst)
        )


def part_of(gram: Gram, rows: np.ndarray) -> Gram:
    """The matrix of the samples that take part; all of them is the matrix itself."""
    return gram if len(rows) == gram.shape[0] else gram.restricted(rows)
