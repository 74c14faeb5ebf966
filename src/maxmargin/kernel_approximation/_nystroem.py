"""Nystroem's features of a kernel: the projection on the span of a few landmarks.

With the landmarks z_j, their Gram matrix K_ZZ = L L' and N = L^-1, phi(x) = N (k(z_j, x))_j are coordinates of the
projection of the image of x on the span of those of the landmarks. What is left over, r(x) = k(x, x) - ||phi(x)||^2, is
the squared distance from that span: it is not negative, <phi(x), phi(x')> differs from k(x, x') by at most sqrt(r(x)
r(x')), and the kernel matrix of the rows from that of their features, which is no larger, by at most sum_i r(x_i) in
the trace norm, and so in every norm below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dtrtri
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..certificates import Guarantee, IndefiniteKernelWarning, Status, are_floats
from ..data import Rows, validate_data
from ..engine import Stopwatch, one_blas_thread, run_portions, thread_count, warn
from ..estimators import PAIRWISE_KERNELS, OwnEstimator, TakesKernel, check_same_rows, pairwise_kernel
from ..kernels import Gram, Kernel, check_symmetric, choose_landmarks, kernel_name, roundings
from ._leftover import LeftoverEvidence

_TOL = 1e-10  # landmarks that leave less than this part of themselves over are dropped
_PORTION = 1024  # rows whose features are computed at once
_DIAGONAL = 128  # rows whose own values are computed as the diagonal of a block
_SAMPLE = 500  # rows whose errors are measured


@dataclass(kw_only=True, eq=False, repr=False)
class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TakesKernel, OwnEstimator, BaseEstimator):
    """Features of a kernel by landmarks, with the trace that they leave over.

    A drop-in for :class:`sklearn.kernel_approximation.Nystroem`. Landmarks are chosen by randomly pivoted Cholesky
    factorisation instead of at random, so that as many features leave less over; the certificate says how much.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly" ("polynomial"), "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2" or
        "precomputed"; a value of ``maxmargin.kernels``, such as ``RBF(0.5) + Linear()``, which brings its own
        parameters; or, as in scikit-learn, a function of *two rows* that returns their kernel value. Where its matrix
        is found not to be positive semi-definite, there is a warning, and nothing is proven.
    gamma : {"scale", "auto"}, float or None, default=None
        Coefficient of the kernels by name; None and "auto" are ``1 / n_features`` (1 for "chi2"), "scale" is
        ``1 / (n_features * X.var())``.
    coef0 : float or None, default=None
        Constant of "poly" and "sigmoid"; None is 1.
    degree : int or None, default=None
        Degree of the polynomial kernel; None is 3.
    kernel_params : dict or None, default=None
        Further arguments of a function of two rows; refused for other kernels.
    n_components : int, default=100
        The largest number of features. There are fewer where the rows span fewer dimensions.
    landmarks : {"cholesky", "uniform", "kmeans"}, default="cholesky"
        Rows drawn by what the others leave over of them, rows drawn at random, or centres.
    random_state : int, RandomState or None, default=None
        Seed of the choice.
    n_jobs : int or None, default=None
        Threads; None takes all cores.

    Attributes
    ----------
    components_ : ndarray or sparse matrix of shape (n_landmarks, n_features)
        The landmarks.
    component_indices_ : ndarray of shape (n_landmarks,) or None
        Which training rows they are; None for centres.
    normalization_ : ndarray of shape (n_landmarks, n_landmarks)
        The inverse N of the Cholesky factor of their kernel matrix: features are ``k(x, components_) @ N.T``.
    leftover_trace_ : float
        ``sum_i k(x_i, x_i) - ||phi(x_i)||**2`` over the training rows.
    relative_leftover_ : float
        Its part of ``sum_i k(x_i, x_i)``.
    certificate_ : Guarantee
        What is left over, recomputed in float64; ``certificate_.verify(X)`` does it again by other code.
    gamma_ : float
        The gamma of the kernel, where it has one.
    n_features_in_ : int
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernel_approximation import Nystroem
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> few = Nystroem(gamma=0.1, n_components=30, random_state=0).fit(X)
    >>> few.transform(X).shape
    (300, 30)
    >>> bool(few.relative_leftover_ < 1e-3)
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        "kernel": [StrOptions(PAIRWISE_KERNELS), callable],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left"), None],
        "coef0": [Interval(Real, None, None, closed="neither"), None],
        "degree": [Interval(Real, 0.0, None, closed="left"), None],
        "kernel_params": [dict, None],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "landmarks": [StrOptions({"cholesky", "uniform", "kmeans"})],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    kernel: str | Callable | Kernel = field(default="rbf", kw_only=False)
    gamma: str | float | None = None
    coef0: float | None = None
    degree: float | None = None
    kernel_params: dict | None = None
    n_components: int = 100
    landmarks: str = "cholesky"
    random_state: Any = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None) -> Nystroem:
        """Choose the landmarks.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"`` the square matrix of kernel values.
        y : ignored

        Returns
        -------
        self

        """
        self._validate_params()
        watch = Stopwatch()
        X = validate_data(self, X, **self._rules)
        if kernel_name(self.kernel) == "precomputed":
            check_symmetric(X)
        gamma = self._stated_gamma(X)
        kernel = self._kernel_of(X.shape[1], gamma)
        found = choose_landmarks(
            kernel,
            Rows(X),
            self.n_components,
            check_random_state(self.random_state),
            method=self.landmarks,  # type: ignore[arg-type]
            n_threads=thread_count(self.n_jobs),
            tol=max(_TOL, 10 * _given_error(kernel, X)),
            trace_rows=2,
        )
        N = np.ascontiguousarray(np.tril(dtrtri(found.factor, lower=1)[0]))
        Z = X[found.index] if found.index is not None else found.rows.take(np.arange(len(found)))
        evidence = self._evidence(kernel, X, Z, found.index, N, audit=False)
        self.components_, self.component_indices_, self.normalization_ = Z, found.index, N
        self._gamma, self._rows, self._n_features_out = gamma, X.shape[0], len(found)
        self.leftover_trace_, self.relative_leftover_ = evidence.trace, evidence.relative
        proof = evidence.guarantee(kernel.known_definite, watch.seconds())
        self.certificate_ = replace(proof, _recompute=self._recertify)
        if evidence.is_indefinite:
            warn(
                f"the kernel matrix is not positive semi-definite: features leave {evidence.smallest:.3g} of a k(x, x) "
                f"over, and no vectors have such inner products. Nothing is proven of them. Use a kernel that is an "
                f"inner product (maxmargin.kernels.check_mercer looks at one).",
                IndefiniteKernelWarning,
                stacklevel=2,
            )
        return self

    @property
    def _rules(self) -> dict[str, Any]:
        sparse = False if kernel_name(self.kernel) == "precomputed" else "csr"
        return {"accept_sparse": sparse, "dtype": [np.float64, np.float32], "order": "C"}

    def _stated_gamma(self, X: Any) -> float:
        """What the parameters make of gamma for these rows; 0 where no kernel by name reads it."""
        if not isinstance(self.kernel, str) or self.kernel in ("linear", "precomputed", "cosine", "additive_chi2"):
            return 0.0
        if self.gamma is None or self.gamma == "auto":
            return 1.0 if self.kernel == "chi2" and self.gamma is None else 1.0 / X.shape[1]
        if self.gamma != "scale":
            return float(self.gamma)
        variance = Rows(X).variance(np.ones(X.shape[0]))
        with np.errstate(over="ignore"):
            gamma = float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
        if not 0 < gamma < np.inf:
            raise ValueError(
                f"gamma='scale' is 1 / (n_features * variance of X), which float64 does not hold: X has a variance of "
                f"{variance:.3g}. Scale X (StandardScaler), or give gamma as a number."
            )
        return gamma

    def _kernel_of(self, d: int, gamma: float) -> Kernel:
        degree, coef0 = 3 if self.degree is None else self.degree, 1.0 if self.coef0 is None else float(self.coef0)
        return pairwise_kernel(self.kernel, d, gamma, degree, coef0, self.kernel_params)

    def _fitted_kernel(self) -> Kernel:
        return self._kernel_of(self.n_features_in_, self._gamma)

    @property
    def gamma_(self) -> float:
        """The gamma of the kernel, where it has one."""
        check_is_fitted(self)
        kernel = self._fitted_kernel()
        if not hasattr(kernel, "gamma"):
            raise AttributeError(f"gamma_ is only available for kernels with a gamma, which {self.kernel!r} has not")
        return float(kernel.gamma)

    def transform(self, X: Any) -> np.ndarray:
        """Features of the rows of X, computed in float64.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            In the precision of X.

        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self._rules)
        if sp.issparse(X) != sp.issparse(self.components_):  # rows of one storage
            X = sp.csr_array(X) if sp.issparse(self.components_) else X.toarray()
        gram, columns = self._against(self._fitted_kernel(), X, self.components_, self.component_indices_)
        out = np.empty((X.shape[0], self._n_features_out), X.dtype)

        def keep(a: int, b: int, features: np.ndarray) -> None:
            out[a:b] = features

        _sweep(gram, columns, self.normalization_, X.shape[0], thread_count(self.n_jobs), keep)
        return out

    def _against(self, kernel: Kernel, X: Any, Z: Any, index: np.ndarray | None) -> tuple[Gram, np.ndarray]:
        """Values of X with the landmarks, and which columns of them."""
        rows = Rows(X)
        if kernel_name(kernel) == "precomputed":
            assert index is not None
            return kernel.gram(rows, rows), index
        return kernel.gram(rows, Rows(Z), thread_count(self.n_jobs)), np.arange(Z.shape[0])

    # ---------------------------------------------------------------- the proof

    def _evidence(
        self, kernel: Kernel, X: Any, Z: Any, index: np.ndarray | None, N: np.ndarray, audit: bool
    ) -> LeftoverEvidence:
        """What features leave over; with `audit`, from kernel values by plain code."""
        n, m, threads = X.shape[0], len(N), thread_count(self.n_jobs)
        if kernel_name(kernel) == "precomputed":
            gram, columns = self._against(kernel, X, Z, index)
            own: Gram = gram
            of_landmarks, error = gram.block(columns, columns, np.float64), _given_error(kernel, X)
        else:
            if audit:
                stacked = sp.vstack([X, Z], format="csr") if sp.issparse(X) else np.vstack([X, Z])
                own = gram = kernel.audit_gram(Rows(stacked))
                columns = n + np.arange(m)
                of_landmarks = gram.block(columns, columns, np.float64)
            else:
                gram, columns = self._against(kernel, X, Z, index)
                own = kernel.gram(Rows(X), None, threads)
                of_landmarks = kernel.gram(Rows(Z), None, threads).whole(np.float64)
            accuracy = kernel.gram(Rows(Z), None, threads).accuracy()
            error = float(accuracy.relative.max(initial=0.0)) + accuracy.absolute
        diagonal = _diagonal(own, n) if audit else own.diagonal()[:n]
        left, sample = np.empty(n), np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.int64))

        def subtract(a: int, b: int, features: np.ndarray) -> None:
            left[a:b] = diagonal[a:b] - np.einsum("ij,ij->i", features, features)

        _sweep(gram, columns, N, n, threads, subtract)
        phi = gram.block(sample, columns, np.float64) @ N.T
        wrong = np.abs(phi @ phi.T - own.block(sample, sample, np.float64))
        size = float(np.abs(diagonal).max(initial=0.0))
        # a feature is a sum of m products: of values that are off by `error`, and at most sqrt(size of both samples)
        each = roundings(m + 4) + error
        off = each * float(np.linalg.norm(N)) * np.sqrt(m * float(of_landmarks.diagonal().max()) * size)
        found = LeftoverEvidence(
            trace=float(left.sum()),
            of=float(diagonal.sum()),
            smallest=float(left.min()),
            largest=float(left.max()),
            error=float(wrong.max()),
            excess=0.0,
            defect=float(np.linalg.norm(N @ of_landmarks @ N.T - np.eye(m))),
            size=size,
            evaluation=float(2 * off * np.sqrt(size) + off**2 + each * size),
            rows=n,
            features=m,
        )
        most = np.sqrt(np.maximum(left[sample], 0.0) + found.rounding)
        return replace(found, excess=float((wrong - np.outer(most, most)).max()))

    def _recertify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Guarantee:
        """What is left over once more, from kernel values by plain code."""
        check_is_fitted(self)
        watch = Stopwatch()
        X = validate_data(self, X, reset=False, **self._rules)
        check_same_rows(self._rows, X.shape[0])
        claim = self.certificate_
        if sp.issparse(X) != sp.issparse(self.components_):
            X = sp.csr_array(X) if sp.issparse(self.components_) else X.toarray()
        kernel = self._fitted_kernel()
        if not self._is_whole(X):
            return replace(claim, status=Status.REFUTED, holds=False)
        found = self._evidence(kernel, X, self.components_, self.component_indices_, self.normalization_, audit=True)
        proof = found.guarantee(kernel.known_definite, watch.seconds())
        own = {"leftover trace": self.leftover_trace_, "relative leftover": self.relative_leftover_}
        same = (
            set(claim.figures) == set(proof.figures)
            and found.agrees(claim.figures)
            and found.agrees(own)
            and proof.holds == claim.holds
        )
        return replace(proof, status=Status.CONVERGED if same else Status.REFUTED, holds=same and proof.holds)

    def _is_whole(self, X: Any) -> bool:
        """Whether the model can have been fitted to these rows."""
        N, index, Z = self.normalization_, self.component_indices_, self.components_
        m = len(N)
        same = are_floats(N) and N.shape == (m, m) and bool(np.isfinite(N).all()) and np.array_equal(N, np.tril(N))
        same = same and Z.shape == (m, X.shape[1]) and abs(self._stated_gamma(X) - self._gamma) <= 1e-9 * self._gamma
        if not same or index is None:
            return bool(same and self.landmarks == "kmeans")
        if index.shape != (m,) or index.min() < 0 or index.max() >= X.shape[0]:
            return False
        difference = X[index] != Z
        return not (difference.nnz if sp.issparse(difference) else difference.any())


def _sweep(gram: Gram, columns: np.ndarray, N: np.ndarray, n: int, n_threads: int, use: Callable) -> None:
    """``use(a, b, features of rows a to b)``, portion by portion."""
    factor = np.asfortranarray(N)

    def task(a: int) -> None:
        block = gram.block(np.arange(a, min(a + _PORTION, n)), columns, np.float64)
        use(a, a + len(block), dtrmm(1.0, factor, block.T, side=0, lower=1, overwrite_b=1).T)

    with one_blas_thread():
        run_portions(task, [(a,) for a in range(0, n, _PORTION)], n_threads)


def _diagonal(gram: Gram, n: int) -> np.ndarray:
    """The first n values of the diagonal, by blocks."""
    out = np.empty(n)
    for a in range(0, n, _DIAGONAL):
        some = np.arange(a, min(a + _DIAGONAL, n))
        out[some] = gram.block(some, some, np.float64).diagonal()
    return out


def _given_error(kernel: Kernel, X: Any) -> float:
    """How far values that were given may be off: they are rounded to the precision that they came in."""
    return 2.0**-24 if kernel_name(kernel) == "precomputed" and X.dtype == np.float32 else 0.0
