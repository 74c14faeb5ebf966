"""The soft- and hard-margin kernel classifier."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import (
    Certificate,
    KKTCases,
    NotSeparableError,
    Status,
    evaluate,
    evaluate_hard_margin,
    kkt_cases,
)
from ..engine import one_blas_thread, run_parallel
from ..kernels import Gram
from ..problems import BoxQP
from ..solvers import CertifiedSolution, Monitor, feasible, solve_certified, solve_hard_margin
from ._base import KernelMachine
from ._one_vs_one import Pair, class_slices, coefficient_row, combine, make_pairs, pack, pairs_of, unpack, vote


class SVC(ClassifierMixin, KernelMachine):
    """C-support vector classifier whose every fit carries a proof.

    A drop-in for :class:`sklearn.svm.SVC`: the same parameters, fitted attributes and results, plus a certificate.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the hinge loss against the width of the street. ``numpy.inf`` is the hard margin: exact on separable
        data, `NotSeparableError` (with a proof) on other data.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        A callable is called as ``kernel(X, Z)`` on blocks of rows and returns the matrix of values.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid"; "scale" is ``1 / (n_features * X.var())``.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether the solver may set variables aside that seem settled. The result is the same.
    probability : bool, default=False
        Refused if True (deprecated in scikit-learn 1.9): use
        ``sklearn.calibration.CalibratedClassifierCV(SVC(), ensemble=False)``.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, as in scikit-learn.
    cache_size : float, default=200
        Memory for kernel values in MB.
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of the class.
    verbose : bool or int, default=False
        Show progress on standard error.
    max_iter : int, default=-1
        Largest number of SMO steps a binary problem; -1 is an automatic, finite number.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for more than two classes. Training is one-vs-one in both cases.
    break_ties : bool, default=False
        Break ties of the one-vs-one vote by the decision values ("ovr" only).
    random_state : int, RandomState or None, default=None
        Accepted for scikit-learn's sake; nothing in the fit is random.
    gap_tol : float or None, default=None
        Go on until the relative duality gap is at most this, too.
    warm_start : bool, default=False
        Start from the last solution, also one that ended by `max_iter` or Ctrl-C. Needs the same rows.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    callback : callable or None, default=None
        Called with a dict of ``problem, iteration, violation, gap, seconds`` several times a second; returning True
        stops the fit.

    Attributes
    ----------
    certificate_ : ModelCertificate
        Primal, dual, gap, violation and status, recomputed in float64; ``certificate_.verify(X, y)`` does it again.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, classes_, class_weight_, n_iter_, fit_status_, \
shape_fit_, n_features_in_
        As in scikit-learn. ``fit_status_`` is 0 if the certificate's status is CONVERGED.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(kernel="linear", C=10).fit(X, y)
    >>> model.score(X, y)
    0.98
    >>> print(model.certificate_.status)
    converged
    >>> model.certificate_.relative_gap < 1e-6
    True

    """

    _parameter_constraints: dict = {
        **KernelMachine._parameter_constraints,
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Callable = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        gap_tol: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callable[[dict], Any] | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tol = gap_tol
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.callback = callback

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SVC:
        """Train on rows X with labels y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"`` the square matrix of kernel values.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or booleans.
        sample_weight : array-like of shape (n_samples,), optional
            C is multiplied by it, sample by sample.

        Returns
        -------
        self : SVC

        """
        self._validate_params()
        if self.probability is True:
            raise ValueError(
                "probability=True is not supported (scikit-learn deprecated it in 1.9): its probabilities can "
                "contradict predict. Use sklearn.calibration.CalibratedClassifierCV(SVC(...), ensemble=False)."
            )
        X, y = self._validate_training(X, y)
        classes, label = self._encode_targets(y)
        weight = self._validate_weights(sample_weight, X)
        class_weight = compute_class_weight(self.class_weight, classes=classes, y=classes[label])
        self._check_every_class(classes, label, weight)
        pairs = make_pairs(label, len(classes), weight)
        starts = self._starts(pairs, label, classes, X)
        gram = self._kernel_for(X, weight).gram(self._rows(X), None, self._threads())
        bounds = self.C * weight * class_weight[label] if np.isfinite(self.C) else np.full(len(label), np.inf)
        self.classes_, self.class_weight_ = classes, class_weight
        monitor = self._monitor()
        try:
            solved, interrupted = self._solve_pairs(gram, pairs, bounds, starts, monitor)
        finally:
            monitor.close()
        self._keep(X, label, pairs, [s for s, _ in solved])
        labels = [f"{classes[p.positive]} against {classes[p.negative]}" for p in pairs]
        certificates = [
            Certificate.of(s.evidence, s.status, s.iterations, seconds, name)
            for (s, seconds), name in zip(solved, labels, strict=True)
        ]
        if interrupted:
            # The state is safe for a warm start; the interrupt itself belongs to the user's program.
            self._conclude_interrupted(certificates)
            raise KeyboardInterrupt
        self._conclude(certificates, monitor)
        return self

    def _encode_targets(self, y: Any) -> tuple[np.ndarray, np.ndarray]:
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        classes, label = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
        return classes, label

    def _check_every_class(self, classes: np.ndarray, label: np.ndarray, weight: np.ndarray) -> None:
        present = np.bincount(label, weights=weight, minlength=len(classes)) > 0
        if present.sum() == 1:
            raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
        if not present.all():
            missing = [str(c) for c in classes[~present]]
            raise ValueError(
                f"no sample of class {', '.join(missing)} has a positive sample_weight; remove those rows or give "
                f"them weight."
            )

    def _starts(self, pairs: list[Pair], label: np.ndarray, classes: np.ndarray, X: Any) -> list[np.ndarray | None]:
        """Variables to start from: the last solution's if `warm_start` is set and there is one."""
        if not (self.warm_start and hasattr(self, "support_")):
            return [None] * len(pairs)
        if self.shape_fit_[0] != len(label) or not np.array_equal(self.classes_, classes):
            raise ValueError(
                f"warm_start=True needs the rows and classes of the last fit ({self.shape_fit_[0]} rows, classes "
                f"{list(self.classes_)}); got {len(label)} rows and classes {list(classes)}. Set warm_start=False to "
                f"start anew."
            )
        return list(unpack(self.support_, self._dual_coef(), pairs, label))

    def _solve_pairs(
        self,
        gram: Gram,
        pairs: list[Pair],
        bounds: np.ndarray,
        starts: list[np.ndarray | None],
        monitor: Monitor,
    ) -> tuple[list[tuple[CertifiedSolution, float]], bool]:
        """Solve every pair, many of them side by side; a pair that Ctrl-C left undone keeps its start."""
        results: list[tuple[CertifiedSolution, float] | None] = [None] * len(pairs)
        side_by_side = len(pairs) >= 2 * self._threads() > 2 and not callable(self.kernel)
        if side_by_side:
            gram = gram.with_threads(1)

        def task(k: int) -> None:
            pair, begin = pairs[k], time.perf_counter()
            label = f"{self.classes_[pair.positive]} against {self.classes_[pair.negative]}" if len(pairs) > 1 else ""
            problem = _problem(gram, pair, bounds, whole=len(pair.rows) == len(bounds))
            solution = self._solve(problem, starts[k], monitor.named(label), pair.rows)
            results[k] = solution, time.perf_counter() - begin
            if solution.keyboard:
                raise KeyboardInterrupt

        interrupted = False
        with one_blas_thread():
            try:
                if side_by_side:
                    run_parallel(task, [(k,) for k in range(len(pairs))], on_error=monitor.stop)
                else:
                    for k in range(len(pairs)):
                        task(k)
            except KeyboardInterrupt:
                interrupted = True
            for k, pair in enumerate(pairs):
                if results[k] is None:
                    results[k] = CertifiedSolution.untouched(_problem(gram, pair, bounds), starts[k]), 0.0
        return results, interrupted  # type: ignore[return-value]

    def _solve(self, problem: BoxQP, start: np.ndarray | None, monitor: Monitor, rows: np.ndarray) -> CertifiedSolution:
        if np.isinf(self.C):
            try:
                return solve_hard_margin(
                    problem, start, self.tol, self.gap_tol, self._budget, monitor, **self._engine_options()
                )
            except NotSeparableError as error:
                proof = error.proof  # in rows of this pair: the user knows rows of X
                proof = replace(proof, positive=rows[proof.positive], negative=rows[proof.negative])
                raise NotSeparableError(str(error), proof) from None
        if start is not None:
            start = feasible(problem, start)  # C or weights may have changed since
        return solve_certified(problem, start, self.tol, self.gap_tol, self._budget, monitor, **self._engine_options())

    def _keep(self, X: Any, label: np.ndarray, pairs: list[Pair], solved: list[CertifiedSolution]) -> None:
        """Fitted attributes in scikit-learn's form."""
        self._sparse = sp.issparse(X) and not callable(self.kernel)
        betas = [s.beta for s in solved]
        support, dual_coef, n_support = pack(betas, pairs, label, len(self.classes_))
        self.support_ = support.astype(np.int32)
        self.n_support_ = n_support.astype(np.int32)
        if self.kernel == "precomputed" or callable(self.kernel):
            self.support_vectors_ = np.empty((0, 0))
        else:
            self.support_vectors_ = X[support]
        if callable(self.kernel):
            self._callable_support = X[support]
        self.dual_coef_ = sp.csr_matrix(dual_coef) if self._sparse else dual_coef
        self.intercept_ = np.array([s.evidence.intercepts[0] for s in solved])
        self.n_iter_ = np.array([s.iterations for s in solved])
        self.shape_fit_ = X.shape
        if not (np.isfinite(dual_coef).all() and np.isfinite(self.intercept_).all()):
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain large values and "
                "need to be preprocessed."
            )

    def _conclude_interrupted(self, certificates: list[Certificate]) -> None:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the KeyboardInterrupt that follows says it
            self._conclude(certificates, Monitor())

    # ---------------------------------------------------------------- the proof

    def _training_problems(self, X: Any, y: Any, sample_weight: Any) -> list[tuple[Pair, BoxQP, np.ndarray]]:
        """Pairs, problems and signed multipliers again from the model and its training data, by plain float64 code."""
        check_is_fitted(self)
        X = self._validate_for_predict(X)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        n = X.shape[0]
        if n != self.shape_fit_[0] or len(y) != n:
            raise ValueError(
                f"a certificate is about the training data: expected {self.shape_fit_[0]} rows, got X with {n} and y "
                f"with {len(y)}."
            )
        unknown = np.setdiff1d(y, self.classes_)
        if unknown.size:
            raise ValueError(f"y has labels that the model was not trained on: {list(unknown)}.")
        label = np.searchsorted(self.classes_, y)
        weight = self._validate_weights(sample_weight, X)
        bounds = self.C * weight * self.class_weight_[label] if np.isfinite(self.C) else np.full(n, np.inf)
        pairs = make_pairs(label, len(self.classes_), weight)
        gram = self._fitted_kernel().audit_gram(self._rows(X))
        betas = unpack(self.support_, self._dual_coef(), pairs, label)
        return [(pair, _problem(gram, pair, bounds), beta) for pair, beta in zip(pairs, betas, strict=True)]

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        """Every figure of the certificate, recomputed from the model alone."""
        certificates = []
        problems = self._training_problems(X, y, sample_weight)
        claims = self.certificate_.problems
        for (_, problem, beta), claim, b in zip(problems, claims, self.intercept_, strict=True):
            if np.isinf(self.C):
                evidence = evaluate_hard_margin(problem, beta, (float(b),))
            else:
                evidence = evaluate(problem, beta, (float(b),))
            met = evidence.kkt_violation <= self.tol and (self.gap_tol is None or evidence.relative_gap <= self.gap_tol)
            # a status that claims less than convergence stands; one that claims it has to be confirmed
            status = Status.CONVERGED if met else Status.REFUTED if claim.status is Status.CONVERGED else claim.status
            certificates.append(Certificate.of(evidence, status, claim.iterations, claim.seconds, claim.label))
        return certificates

    def kkt_cases(self, X: Any, y: Any, sample_weight: Any = None) -> KKTCases:
        """The optimality case of each training sample: outside the street, on the kerb, or inside it.

        Parameters
        ----------
        X, y, sample_weight
            What the model was trained on.

        Returns
        -------
        KKTCases
            Case, multiplier, slack and margin of each sample, for more than two classes in each pair.

        """
        parts = []
        for k, (pair, problem, beta) in enumerate(self._training_problems(X, y, sample_weight)):
            margin = pair.sign * (problem.image(beta) + self.intercept_[k])
            bound = np.where(pair.sign > 0, problem.upper, -problem.lower)
            parts.append(kkt_cases(k, pair.rows, np.abs(beta), bound, margin))
        return KKTCases.concatenate(parts)

    # ---------------------------------------------------------------- prediction

    def _dual_coef(self) -> np.ndarray:
        coef: Any = self.dual_coef_
        return coef.toarray() if sp.issparse(coef) else coef

    def _pair_values(self, X: Any) -> np.ndarray:
        """Decision values of each pair, positive for its positive class."""
        X = self._validate_for_predict(X)
        with one_blas_thread():
            by_class = self._support_values(X, class_slices(self.n_support_), self._dual_coef())
        return combine(by_class, self.intercept_)

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed distances from the middle of the street, in units of half its width.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray
            Shape (n_samples,) for two classes, positive for ``classes_[1]``; else (n_samples, n_classes) for "ovr" and
            (n_samples, n_classes * (n_classes - 1) / 2) for "ovo".

        """
        values = self._pair_values(X)
        if len(self.classes_) == 2:
            return values.ravel()
        if self.decision_function_shape == "ovr":
            return _ovr_decision_function(values < 0, -values, len(self.classes_))
        return values

    def predict(self, X: Any) -> np.ndarray:
        """Labels of the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)

        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            index = np.argmax(self.decision_function(X), axis=1)
        else:
            index = vote(self._pair_values(X), len(self.classes_))
        return self.classes_[index]

    @property
    def coef_(self) -> Any:
        """Weights of the features, one row a pair of classes (linear kernel only; read-only)."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        slices, dual, vectors = class_slices(self.n_support_), self._dual_coef(), self.support_vectors_
        rows = []
        for a, b in pairs_of(len(self.classes_)):
            row_a, row_b = coefficient_row(a, b), coefficient_row(b, a)
            part_a = safe_sparse_dot(dual[row_a : row_a + 1, slices[a]], vectors[slices[a]])
            rows.append(part_a + safe_sparse_dot(dual[row_b : row_b + 1, slices[b]], vectors[slices[b]]))
        coef: Any = sp.csr_matrix(np.vstack(rows)) if self._sparse else np.vstack(rows)
        (coef.data if self._sparse else coef).flags.writeable = False
        return coef


def _problem(gram: Gram, pair: Pair, bounds: np.ndarray, whole: bool = False) -> BoxQP:
    return BoxQP.classifier(gram if whole else gram.restricted(pair.rows), pair.sign, bounds[pair.rows])
