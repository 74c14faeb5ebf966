"""Logistic regression in the feature space of a kernel, certified by its dual."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..certificates import Certificate, Evidence, Status, are_floats, evaluate_kernel_logistic, product_rounding
from ..engine import Stopwatch
from ..estimators import (
    check_every_class,
    check_same_rows,
    class_weights,
    conclude,
    encode_labels,
    monitor_of,
    solve_all,
    weights_or_ones,
)
from ..kernels import Gram, MatrixGram, definiteness
from ..problems import KernelLogisticProblem
from ..solvers import KernelLogisticNewton, Monitor
from ..svm import kernel_of_fit, rows_of, stated_gamma
from ._classifier import KernelSumClassifier
from ._same_model import confirmed, refuted, same_rows

# A gap of which a fit that has stalled owes the rest to rounding.
_ROUNDED = 1e-9


@dataclass(kw_only=True, eq=False, repr=False)
class KernelLogisticRegression(KernelSumClassifier):
    """Logistic regression in the feature space of a kernel, with a proof on every fit.

    Minimises ``1/2 ||f||**2 + C sum_i s_i log(1 + exp(-y_i (f(x_i) + b)))`` over the functions f of the kernel; the
    intercept b is not penalised. With the linear kernel it is :class:`maxmargin.linear_model.LogisticRegression`. More
    than two classes are one problem a class, against the rest, whose probabilities are divided by their sum. It needs
    the matrix of all training rows; every sample has a coefficient.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss against the length of f.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        As in :class:`maxmargin.svm.SVC`; it has to be positive semi-definite.
    fit_intercept : bool, default=True
        Whether there is a b.
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of the class.
    tol : float, default=1e-6
        Largest proven relative duality gap.
    max_iter : int, default=100
        Largest number of Newton's steps a problem; about ten are needed.
    trace : bool, default=False
        Whether to keep the course of the fit in ``trace_``: both objectives, gap and seconds by step of Newton.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples)
        Coefficients of the training rows.
    certificate_ : ModelCertificate
        Primal and dual objective, gap, violation and status, recomputed in float64; ``certificate_.verify(X, y)`` does
        it again. The dual is that of a support vector machine with an entropy.
    classes_, class_weight_, n_iter_, fit_status_, n_features_in_
        As in :class:`maxmargin.svm.SVC`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.kernel_model import KernelLogisticRegression
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = KernelLogisticRegression(C=10).fit(X, y)
    >>> model.score(X, y)
    0.97
    >>> model.predict_proba([[0.0, 1.0]]).round(2)
    array([[0.95, 0.05]])
    >>> model.certificate_.relative_gap <= 1e-6
    True

    """

    _parameter_constraints: ClassVar[dict] = {
        **KernelSumClassifier._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    C: float = 1.0
    class_weight: Any = None
    tol: float = 1e-6
    max_iter: int = 100

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelLogisticRegression:
        """Train on rows X with labels y.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample's loss; one of weight 0 takes no part.

        """
        self._validate_params()
        X, y = self._training(X, y)
        self.classes_, label = encode_labels(y)
        weight, self.class_weight_ = self._weights(X, label, sample_weight)
        check_every_class(self.classes_, label, weight)
        kernel, gamma = kernel_of_fit(self, X, weight)
        kept = np.flatnonzero(weight > 0)
        gram = _part(kernel.gram(rows_of(self.kernel, X), None, self._threads()), kept)
        known = definiteness(kernel, gram)
        if known.fails:
            raise ValueError(
                f"logistic regression needs a positive semi-definite kernel; the matrix of the kernel {kernel} has "
                f"an eigenvalue of {known.smallest:.3g}. Use another kernel (maxmargin.kernels.check_mercer looks "
                f"at one)."
            )
        matrix = MatrixGram.of(gram)
        problems = self._problems(matrix, label[kept], weight[kept])
        monitor, names = monitor_of(self), [self._name(k) for k in range(len(problems))]
        K = matrix.whole(np.float64)

        def solve(k: int, own: Monitor) -> tuple[np.ndarray, float, int, Certificate]:
            watch = Stopwatch()
            start = np.zeros(len(kept))
            found = KernelLogisticNewton.solve(problems[k], start, self.tol, self.max_iter, own, K=K)
            beta, b = found.variables, float(found.stats["intercept"])
            if not (np.isfinite(beta).all() and np.isfinite(b)):
                raise ValueError("the coefficients are not finite: scale the features (StandardScaler) or lower C.")
            evidence = evaluate_kernel_logistic(problems[k], beta, b, known, self.tol)
            status = self._status(evidence, found.status)
            steps, seconds = found.iterations, watch.seconds()
            certificate = Certificate.of(evidence, status, steps, seconds, names[k])
            own.certified(certificate)
            return beta, b, steps, certificate

        def untouched(k: int) -> tuple[np.ndarray, float, int, Certificate]:
            beta = np.zeros(len(kept))
            evidence = evaluate_kernel_logistic(problems[k], beta, 0.0, known)
            return beta, 0.0, 0, Certificate.of(evidence, Status.INTERRUPTED, 0, 0.0, names[k])

        solved, interrupted = solve_all(
            solve, untouched, names, monitor, side_by_side=len(problems) > 1 and self._threads() > 1
        )
        self.dual_coef_ = np.zeros((len(problems), len(weight)))
        self.dual_coef_[:, kept] = [beta for beta, *_ in solved]
        self.intercept_ = np.array([b for _, b, *_ in solved])
        self.n_iter_ = np.array([steps for *_, steps, _ in solved])
        self.X_fit_, self._gamma = X, gamma
        conclude(self, [certificate for *_, certificate in solved], monitor, interrupted, self._advice)
        return self

    def _weights(self, X: Any, label: np.ndarray, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
        weight = weights_or_ones(sample_weight, X)
        return weight, class_weights(self.class_weight, self.classes_, label)

    def _problems(self, gram: Gram, label: np.ndarray, weight: np.ndarray) -> list[KernelLogisticProblem]:
        c = self.C * weight * self.class_weight_[label]
        return [KernelLogisticProblem(gram, sign, c, self.fit_intercept) for sign in self._signs(label)]

    def _status(self, evidence: Evidence, ended: Status) -> Status:
        if evidence.relative_gap <= self.tol:
            return Status.CONVERGED
        return Status.STALLED if ended is Status.CONVERGED else ended

    def _advice(self, worst: Certificate) -> str:
        ended = (
            f"KernelLogisticRegression ended as '{worst.status}' ({worst.label}) after {worst.iterations} steps: "
            f"relative duality gap {worst.relative_gap:.2e} (tol={self.tol:g}). "
        )
        if worst.status is Status.STALLED and worst.relative_gap <= _ROUNDED:
            return f"{ended}Rounding errors allow no better. Raise tol."
        return f"{ended}Scale the features, lower C, or raise max_iter."

    # ---------------------------------------------------------------- the proof

    def _recertify(self, X: Any, y: Any, sample_weight: Any = None) -> list[Certificate]:
        """Every figure again, from the model alone. Another number of rows is the caller's error."""
        check_is_fitted(self)
        claims = self.certificate_.problems
        X, y = self._validate_for_predict(X), column_or_1d(y, warn=True)
        check_same_rows(np.shape(self.dual_coef_)[-1], X.shape[0], len(y))
        try:
            return self._recomputed(X, y, sample_weight, claims)
        except Exception:  # a model that cannot even be evaluated was never fitted like that
            return refuted(claims)

    def _recomputed(
        self, X: Any, y: np.ndarray, sample_weight: Any, claims: tuple[Certificate, ...]
    ) -> list[Certificate]:
        classes, label = encode_labels(y)
        coef, b = np.asarray(self.dual_coef_), np.asarray(self.intercept_)
        count = 1 if len(classes) == 2 else len(classes)
        fits = np.array_equal(classes, self.classes_) and coef.shape == (count, len(y)) and b.shape == (count,)
        fits = fits and are_floats(coef, b) and bool(np.isfinite(coef).all() and np.isfinite(b).all())
        fits = fits and same_rows(self.X_fit_, X) and len(claims) == count and (self.fit_intercept or not b.any())
        if not fits:
            return refuted(claims)
        weight, own_weights = self._weights(X, label, sample_weight)
        gamma = stated_gamma(self, X, weight)
        kept, left_out = np.flatnonzero(weight > 0), weight <= 0
        fits = np.allclose(own_weights, self.class_weight_, rtol=1e-9, atol=0) and not coef[:, left_out].any()
        if not fits or abs(gamma - self._gamma) > 1e-9 * abs(self._gamma):
            return refuted(claims)
        kernel = self._fitted_kernel()
        gram = _part(kernel.audit_gram(rows_of(self.kernel, X)), kept)
        known, values, found = definiteness(kernel, gram), self._values(X)[kept], []
        for k, (problem, claim) in enumerate(zip(self._problems(gram, label[kept], weight[kept]), claims, strict=True)):
            e = evaluate_kernel_logistic(problem, coef[k, kept], float(b[k]), known)
            expected, met = e.image + b[k], e.relative_gap <= self.tol * (1 + 1e-6) + 1e-12
            found.append(confirmed(claim, e, values[:, k], expected, met, 1.0, product_rounding(gram, coef[k, kept])))
        return found

    # ---------------------------------------------------------------- prediction

    @property
    def margin_width_(self) -> np.ndarray:
        """Distance in feature space of the planes f = -1 and f = +1 of each problem, ``2 / ||w||``; inf if w is 0."""
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            return 2.0 / self._own_values()[1]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes; for more than two of them those against the rest, divided by their sum."""
        values = self.decision_function(X)
        if values.ndim == 1:
            return np.column_stack([_sigmoid(-values), _sigmoid(values)])
        shares = _sigmoid(values)
        sums = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, sums, out=np.full_like(shares, 1 / shares.shape[1]), where=sums > 0)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def _sigmoid(values: np.ndarray) -> np.ndarray:
    small = np.exp(-np.abs(values))
    return np.where(values > 0, 1.0, small) / (1 + small)


def _part(gram: Gram, kept: np.ndarray) -> Gram:
    return gram if len(kept) == gram.shape[0] else gram.restricted(kept)
